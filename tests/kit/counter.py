"""The command line with the test as its server: gRPC's fake channel and clock, the command in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import ModuleType
from typing import Any

import grpc
import grpc_testing
from google.protobuf.descriptor import MethodDescriptor
from grpc_health.v1 import health_pb2
from kinpost.v1 import (
    admin_service_pb2,
    approval_service_pb2,
    event_service_pb2,
    messaging_service_pb2,
    peer_service_pb2,
    run_service_pb2,
    session_service_pb2,
)
from kinpost_cli import calls
from kinpost_cli.main import app
from kinpost_server.domain.errors import Refusal
from kinpost_server.transport import status
from typer.testing import CliRunner, Result

SECONDS = 30
MODULES: list[ModuleType] = [
    admin_service_pb2,
    approval_service_pb2,
    event_service_pb2,
    messaging_service_pb2,
    peer_service_pb2,
    run_service_pb2,
    session_service_pb2,
    health_pb2,
]
SERVICES = [service for module in MODULES for service in module.DESCRIPTOR.services_by_name.values()]
METHODS: dict[str, MethodDescriptor] = {method.name: method for service in SERVICES for method in service.methods}


class Counter:
    """A command begins with `run`; `answer`, `refuse` and `stream` are the server; `ended` is what came of it."""

    def __init__(self, monkeypatch: Any) -> None:
        self.clock = grpc_testing.strict_fake_time(0)
        self.opened: list[dict[str, Any]] = []
        self.waits: list[float] = []
        self.asked: list[str] = []
        self._open_now = threading.Event()
        self._invoking = threading.Lock()
        monkeypatch.setattr(calls, "open_synchronous_channel", self._open)
        monkeypatch.setattr(calls, "sleep", self._sleep)
        self._command: Future[Result] | None = None

    def _open(self, address: str, **terms: Any) -> grpc.Channel:
        self.opened.append({"address": address, **terms})
        self.channel = grpc_testing.channel(SERVICES, self.clock)
        invoke = self.channel._state.invoke_rpc

        def invoke_rpc(*given: Any) -> Any:
            """The fake channel leaves deadlines out; the fake clock keeps them."""
            with self._invoking:
                rpc, seconds = invoke(*given), given[-1]
                if seconds is not None:
                    late = (grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded")
                    self.clock.call_in(lambda: rpc.cancel(*late), seconds)
            return rpc

        self.channel._state.invoke_rpc = invoke_rpc
        self._open_now.set()
        return self.channel

    def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.clock.sleep_for(seconds)

    def run(self, *arguments: str, typed: str | bytes | None = None, token: str | None = "a-token") -> None:
        """Begin a command."""
        environment = {"KINPOST_TOKEN": token, "KINPOST_ADDRESS": None, "COLUMNS": "200"}
        self.opened.clear()
        self._open_now.clear()
        self._command = _begun(CliRunner().invoke, app, list(arguments), input=typed, env=environment)

    def taken(self, name: str) -> Any:
        """Wait for the command's next call, of this RPC; returns its metadata, its request and the server's side."""
        kind = "take_unary_stream" if METHODS[name].server_streaming else "take_unary_unary"
        future = _begun(self._take, kind, name)
        return future.result(SECONDS)

    def _take(self, kind: str, name: str) -> Any:
        assert self._open_now.wait(SECONDS), "the command does not call at all"
        metadata, request, rpc = getattr(self.channel, kind)(METHODS[name])
        with self._invoking:
            pass  # its deadline is set
        self.asked.append(name)
        rpc.send_initial_metadata(())
        return dict(metadata), request, rpc

    def answer(self, name: str, **fields: Any) -> Any:
        """Answer the next call with these fields, and return its request."""
        _, request, rpc = self.taken(name)
        rpc.terminate(METHODS[name].output_type._concrete_class(**fields), (), grpc.StatusCode.OK, "")
        return request

    def refuse(self, name: str, refusal: Refusal) -> Any:
        """Refuse the next call, as a server does, and return its request."""
        told = status.told(refusal)
        assert told is not None
        return self.fail(name, told.grpc_code, told.text, told.trailers)

    def fail(self, name: str, code: grpc.StatusCode, text: str, trailers: Any = ()) -> Any:
        """Let the next call fail, and return its request."""
        _, request, rpc = self.taken(name)
        if METHODS[name].server_streaming:
            rpc.terminate(trailers, code, text)
        else:
            rpc.terminate(None, trailers, code, text)
        return request

    def ended(self) -> Result:
        """Wait for the end of the command."""
        assert self._command is not None
        return self._command.result(SECONDS)


def _begun(work: Callable[..., Any], *given: Any, **named: Any) -> Future[Any]:
    """Begin work in a thread that holds up no end: a call that a failed test left open is waited for by nobody."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(work(*given, **named))
        except BaseException as error:  # noqa: BLE001 - whoever asks for the result gets it
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future
