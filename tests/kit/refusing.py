"""A gRPC server that answers as a server of another build would: refusals by name, and what a newer one says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
from kinpost.v1 import event_pb2, event_service_pb2, session_pb2, session_service_pb2
from kinpost_server.domain import errors, peer_errors
from kinpost_server.transport import status

Metadata = dict[str, str]
NEWER_CODE = "moon:full"
NAMING_A_FIELD = (errors.InvalidRequest, peer_errors.InvalidPayload)


def refusals() -> dict[str, status.Told]:
    """Every refusal of the server's table as it is told, by code."""
    found = {
        cls.code: cls("session_id", "is no UUID") if cls in NAMING_A_FIELD else cls("the detail")
        for cls in status.TABLE
    }
    return {code: told for code, refusal in found.items() if (told := status.told(refusal)) is not None}


class RefusingServer(grpc.GenericRpcHandler):  # type: ignore[misc]
    """Refuses GetSession with what its session id names, and has events of a newer contract.

    `KIND:NAME`: `refuse:<code>` as the table says; `later:<seconds>` with advice; `newer:<gRPC code>` with a code that
    no client knows; `bare:<gRPC code>` without details; `newer:session` an answer with unknown words and fields.
    """

    def __init__(self) -> None:
        self.told = refusals()
        self.heard: list[tuple[str, Metadata]] = []
        self.asked: list[str] = []  # the ids of sessions

    def service(self, call: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        """Find the handler of a method."""
        name = str(call.method).rpartition("/")[2]
        self.heard.append((name, {key: str(value) for key, value in call.invocation_metadata or ()}))
        match name:
            case "GetSession":
                return grpc.unary_unary_rpc_method_handler(self._get_session)
            case "SubscribeEvents":
                return grpc.unary_stream_rpc_method_handler(self._subscribe)
        return None

    async def _get_session(self, data: bytes, context: Any) -> bytes:
        self.asked.append(session_service_pb2.GetSessionRequest.FromString(data).session_id)
        kind, _, name = self.asked[-1].partition(":")
        if (kind, name) == ("newer", "session"):
            session = session_pb2.Session(session_id="s", state=99)  # type: ignore[arg-type]
            answer = session_service_pb2.GetSessionResponse(session=session)
            return answer.SerializeToString() + b"\xc2\x3e\x02hi"  # field 1000
        if kind == "bare":
            await context.abort(grpc.StatusCode[name], "a text")
        if kind == "refuse":
            told = self.told[name] if name in self.told else status.told_internal("e1")
        elif kind == "later":
            told = status.told(errors.Overloaded(retry_after_seconds=float(name)))
        else:
            told = status._told(
                grpc.StatusCode[name], NEWER_CODE, f"{NEWER_CODE}: wait a night", {"code": NEWER_CODE}, None
            )
        assert told is not None
        await context.abort(told.grpc_code, told.text, told.trailers)
        raise AssertionError

    async def _subscribe(self, data: bytes, context: Any) -> AsyncIterator[bytes]:
        event = event_pb2.Event(session_id="s", seq=7, origin=99)  # type: ignore[arg-type]
        newer = event_pb2.Event.FromString(event.SerializeToString() + b"\xc2\x3e\x02hi")
        known = event_pb2.Event(session_id="s", seq=8, run_finished=event_pb2.RunFinished(reason="done"))
        frame = event_service_pb2.SubscribeEventsResponse(events=[newer, known], cursor="c1", caught_up=True)
        yield frame.SerializeToString() + b"\xc2\x3e\x02hi"
        await context.abort(grpc.StatusCode.NOT_FOUND, "that is all")


@asynccontextmanager
async def refusing() -> AsyncIterator[tuple[RefusingServer, str]]:
    """Serve, and give the server and its address."""
    refuser = RefusingServer()
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((refuser,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield refuser, f"127.0.0.1:{port}"
    finally:
        await server.stop(0)
