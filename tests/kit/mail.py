"""Mail as its tests need it: sends through each door, what a claim read, time that passes, and a log that stays."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import grpc
from calls import CALL_SECONDS, Client, fresh, read_refusal
from kinpost.v1 import message_pb2
from kinpost_server.engine.engine import Engine
from running import LocalServer

PENDING = "approval:pending"
MODES = {"steer": message_pb2.MESSAGE_MODE_STEER, "queue": message_pb2.MESSAGE_MODE_QUEUE}


@dataclass(frozen=True)
class Answer:
    """What a send came to, by whichever door. `code` is empty for an acceptance; `refusal` is a gRPC error's.

    One that waits for a person has the code of a tool call's result, and the approval.
    """

    code: str = ""
    text: str = ""
    message_id: str = ""
    mode: str = ""
    recipient_state: str = ""
    replayed: bool | None = None
    refusal: SimpleNamespace | None = None
    approval_id: str = ""

    @property
    def promise(self) -> tuple[str, str, str]:
        """What the sender was promised."""
        assert not self.code, self.text
        return self.message_id, self.mode, self.recipient_state


def _answered(answer: Any) -> Answer:
    """Return what a SendMessage, or one send of a batch, came to."""
    kind = answer.WhichOneof("result")
    if kind == "error":
        return Answer(answer.error.code, answer.error.message)
    if kind == "pending_approval":
        return Answer(PENDING, approval_id=answer.pending_approval.approval_id)
    accepted = answer.accepted
    return Answer(
        message_id=accepted.message_id,
        mode=message_pb2.MessageMode.Name(accepted.mode).removeprefix("MESSAGE_MODE_").lower(),
        recipient_state=message_pb2.RecipientState.Name(accepted.recipient_state)
        .removeprefix("RECIPIENT_STATE_")
        .lower(),
        replayed=accepted.replayed,
    )


def _refused(error: grpc.aio.AioRpcError) -> Answer:
    refusal = read_refusal(error)
    return Answer(refusal.code, refusal.text, refusal=refusal)


def _named(to: Any) -> str:
    return to if isinstance(to, str) else to.session_id


async def by_rpc(
    client: Client, run: Any, to: Any, body: str = "hello", mode: str = "steer", call: str = "", **fields: Any
) -> Answer:
    """Send by SendMessage."""
    try:
        answer = await client.ask(run, _named(to), body, mode=MODES[mode], tool_call_id=call or fresh("call"), **fields)
    except grpc.aio.AioRpcError as error:
        return _refused(error)
    return _answered(answer)


async def by_batch(
    client: Client, run: Any, to: Any, body: str = "hello", mode: str = "steer", call: str = "", **fields: Any
) -> Answer:
    """Send by BatchSendMessages, in a batch of one."""
    send = {"tool_call_id": call or fresh("call"), "to": _named(to), "body": body, "mode": MODES[mode], **fields}
    try:
        (answer,) = await batch(client, run, send)
    except grpc.aio.AioRpcError as error:
        return _refused(error)
    return answer


async def batch(client: Client, run: Any, *sends: dict[str, Any]) -> list[Answer]:
    """Send many at once; tool calls without an id get one."""
    sends = tuple({"tool_call_id": fresh("call"), "body": "hello", **send} for send in sends)
    response = await client.messaging.BatchSendMessages(session_id=run.session_id, run_id=run.run_id, sends=sends)
    return [_answered(result) for result in response.results]


async def tool(
    client: Client, run: Any, arguments: Any, name: str = "send_message", call: str = "", **fields: Any
) -> Any:
    """Call a tool with arguments as JSON, or as the very text that a model wrote; returns the whole result."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return await client.tools.CallTool(
        session_id=run.session_id,
        run_id=run.run_id,
        tool_call_id=call or fresh("call"),
        name=name,
        arguments_json=text,
        **fields,
    )


async def by_tool(
    client: Client, run: Any, to: Any, body: str = "hello", mode: str = "steer", call: str = "", **fields: Any
) -> Answer:
    """Send by CallTool."""
    try:
        result = await tool(client, run, {"to": _named(to), "body": body, "mode": mode}, call=call, **fields)
    except grpc.aio.AioRpcError as error:
        return _refused(error)
    if result.is_error:
        return Answer(result.code, result.text)
    if result.code == PENDING:
        return Answer(PENDING, result.text, approval_id=json.loads(result.structured_json)["approval_id"])
    return Answer(text=result.text, **json.loads(result.structured_json))


DOORS = {"SendMessage": by_rpc, "BatchSendMessages": by_batch, "CallTool": by_tool}


async def two(
    client: Client, rules: dict[str, str] | None = None, child_rules: dict[str, str] | None = None, **fields: Any
) -> tuple[Any, Any, Any]:
    """Return a parent that may write to its children unless `rules` say otherwise, such a child, and a parent's run.

    `fields` are the child's.
    """
    parent = await client.session(rules={"child": "allow"} if rules is None else rules, agent="default")
    child = await client.session(parent, rules=child_rules, **fields)
    return parent, child, await client.run(parent)


async def read_all(client: Client, session: Any) -> list[str]:
    """Consume what waits for a session, in a run of its own; returns the ids."""
    started = await client.start(session, attempt_id=fresh("attempt"))
    consumed = await client.commit(started.run, started.claim)
    await client.finish(started.run)
    return consumed


async def payloads(client: Client, session: Any, kind: str) -> list[Any]:
    """Return the payloads of one kind in a session's log."""
    log = await client.log(session_id=session.session_id)
    return [getattr(event, kind) for event in log if event.WhichOneof("payload") == kind]


async def stored(client: Client, session: Any) -> list[Any]:
    """Return the acceptances in a session's log."""
    return await payloads(client, session, "producer_message_accepted")


@contextlib.asynccontextmanager
async def nothing_written(server: LocalServer) -> AsyncIterator[None]:
    """Assert that the log is the same afterwards."""
    before = await server.admin.log(all=True)
    yield
    after = await server.admin.log(all=True)
    assert after[len(before) :] == []
    assert after == before


def advance(server: LocalServer, seconds: float, *, sweep: bool = True) -> None:
    """Let the server's time pass at once, and what falls due be done unless `sweep` is off; each replica's in turn."""
    for engine in server.engines:
        _advance(engine, seconds, sweep=sweep)


def _advance(engine: Engine, seconds: float, *, sweep: bool) -> None:
    committer = engine._committer
    done = threading.Event()

    def jump() -> None:
        engine.clock._now += int(seconds * 1_000_000)
        if sweep:
            engine._upkeep.sweep()
        done.set()

    # In the committer's thread, while this one stands still: nobody reads the clock meanwhile.
    committer.gathering.call(jump)
    assert done.wait(CALL_SECONDS)
