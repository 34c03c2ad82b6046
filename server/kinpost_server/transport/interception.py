"""One plugin's stream: tool calls go out to it, and its verdicts come in."""

from __future__ import annotations

import asyncio
import contextlib

from kinpost.v1 import producer_pb2
from kinpost.v1 import producer_service_pb2 as pb

from kinpost_server.domain.errors import Forbidden, InvalidRequest, Refusal, StorageUnavailable, Unauthenticated
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.engine.engine import Engine
from kinpost_server.engine.gates import Asked, AttachedPlugin, Verdict
from kinpost_server.transport import convert, fields
from kinpost_server.transport.rpc import Requests, Write

TOOL_NAMES_MAX = 100
TOOL_NAME_BYTES_MAX = 128
INTERCEPT_ID_BYTES_MAX = 128


async def intercept(engine: Engine, caller: Caller, requests: Requests, write: Write) -> None:
    """Put tool calls before a plugin until it leaves.

    Raises Forbidden for who is none, StorageUnavailable while other replicas cannot hear of it, Unauthenticated in the
    end.
    """
    if caller.kind is not TokenKind.PLUGIN:
        raise Forbidden  # not even an admin: a gate has a plugin's name
    first = requests.first
    if first.WhichOneof("message") != "filter":
        raise InvalidRequest("filter", "must come first")
    plugin = engine.gates.attach(caller.plugin_name, _tool_names(first.filter))
    tasks = [
        asyncio.create_task(_read(engine, caller, plugin, requests)),
        asyncio.create_task(_end_with_token(engine, caller, plugin)),
    ]
    try:
        await engine.gates.show()
        await requests.begin()
        async for asked in plugin:
            engine.check_token(caller)
            await write(_shown(asked).SerializeToString())
    finally:
        engine.gates.detach(plugin)
        for task in tasks:
            task.cancel()
        with contextlib.suppress(StorageUnavailable):  # the others hear of it at the next look
            await engine.gates.show()


async def _end_with_token(engine: Engine, caller: Caller, plugin: AttachedPlugin) -> None:
    """End the stream when its token ends, though nothing is put before the plugin."""
    try:
        while True:
            engine.check_token(caller)
            await asyncio.sleep(engine.settings.delivery.heartbeat_seconds)
    except Unauthenticated as refusal:
        plugin.end(refusal)


async def _read(engine: Engine, caller: Caller, plugin: AttachedPlugin, requests: Requests) -> None:
    """Take verdicts until there are no more. Whatever ends this ends the stream."""
    end: Refusal | None = None
    try:
        while (request := await requests.next()) is not None:
            engine.check_token(caller)
            if request.WhichOneof("message") != "verdict":
                raise InvalidRequest("verdict", "is what comes after the filter")
            plugin.answer(request.verdict.intercept_id, _verdict(request.verdict))
    except Refusal as refusal:
        end = refusal
    finally:
        plugin.end(end)


def _tool_names(given: pb.InterceptFilter) -> frozenset[str]:
    fields.few(len(given.tool_names), "filter.tool_names", most=TOOL_NAMES_MAX)
    return frozenset(
        fields.text(name, f"filter.tool_names[{index}]", bytes_min=1, bytes_max=TOOL_NAME_BYTES_MAX)
        for index, name in enumerate(given.tool_names)
    )


def _verdict(given: pb.InterceptVerdict) -> Verdict:
    fields.text(given.intercept_id, "verdict.intercept_id", bytes_min=1, bytes_max=INTERCEPT_ID_BYTES_MAX)
    reason = fields.text(given.reason, "verdict.reason", bytes_max=fields.REASON_BYTES_MAX)
    if given.decision == producer_pb2.INTERCEPT_DECISION_ALLOW:
        if reason:
            raise InvalidRequest("verdict.reason", "goes only with BLOCK")
        return Verdict(True, "")
    if given.decision == producer_pb2.INTERCEPT_DECISION_BLOCK:
        return Verdict(False, reason)
    what = "is missing" if given.decision == 0 else f"{given.decision} is not one of its values"
    raise InvalidRequest("verdict.decision", what)


def _shown(asked: Asked) -> pb.InterceptToolCallsResponse:
    call = asked.call
    return pb.InterceptToolCallsResponse(
        intercept_id=asked.intercept_id,
        session_id=call.session_id,
        root_session_id=call.root_session_id,
        run_id=call.run_id,
        tool_call_id=call.tool_call_id,
        name=call.name,
        arguments_json=call.arguments_json,
        expire_time=convert.timestamp(asked.expire_time),
    )
