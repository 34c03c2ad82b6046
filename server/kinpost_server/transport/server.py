"""The gRPC server: services, health and reflection on one port."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import grpc.aio
import structlog
from grpc_health.v1 import health
from grpc_reflection.v1alpha import reflection

from kinpost_server.engine.engine import Engine
from kinpost_server.transport.admin_handlers import AdminHandlers
from kinpost_server.transport.approval_handlers import ApprovalHandlers
from kinpost_server.transport.event_handlers import EventHandlers
from kinpost_server.transport.health import Health
from kinpost_server.transport.limits import TransportLimits
from kinpost_server.transport.lobby import Lobby
from kinpost_server.transport.messaging_handlers import MessagingHandlers
from kinpost_server.transport.peer_handlers import PeerHandlers
from kinpost_server.transport.producer_handlers import ProducerHandlers
from kinpost_server.transport.rpc import Door, Service
from kinpost_server.transport.run_handlers import RunHandlers
from kinpost_server.transport.session_handlers import SessionHandlers
from kinpost_server.transport.tls import Certificates
from kinpost_server.transport.tool_handlers import ToolHandlers
from kinpost_server.transport.tracing import Tracing

log = structlog.get_logger(__name__)

# Calls on their way when gRPC stops are cut off without a word, so it is stopped when nobody calls any more: whoever
# was refused meanwhile stays away for longer than this.
QUIET_SECONDS = 0.25
CLOSE_SECONDS = 1.0  # for answers on their way, and for the watchers of health, who never leave by themselves


class CannotListen(Exception):
    """The address cannot be listened on; the text says why."""


class Methods(grpc.GenericRpcHandler):
    """All methods of all services, found by their names.

    gRPC is told of this one alone: for every call it waits anew at each method that is registered with it, which with
    all of ours costs as much as the call itself.
    """

    def __init__(self) -> None:
        self._handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}

    def add(self, service: str, handlers: Mapping[str, grpc.RpcMethodHandler[Any, Any]]) -> None:
        """Take a service in."""
        self._handlers.update((f"/{service}/{name}", handler) for name, handler in handlers.items())

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        """Return the handler of a method, None when there is none."""
        return self._handlers.get(handler_call_details.method)


class Server:
    """Serves an engine. Start the engine first, and stop it last."""

    def __init__(self, engine: Engine, limits: TransportLimits, tracing: Tracing | None = None) -> None:
        self._engine = engine
        self.door = Door(engine.caller_of, engine.look_for_tokens, limits, tracing)
        services: tuple[Service, ...] = (
            SessionHandlers(engine),
            RunHandlers(engine),
            MessagingHandlers(engine),
            ToolHandlers(engine),
            ProducerHandlers(engine),
            EventHandlers(engine),
            ApprovalHandlers(engine),
            PeerHandlers(engine),
            AdminHandlers(engine, limits.request_bytes_max),
        )
        names = [service.full_name for service in services]
        self._health = Health(engine.ping, names, limits.health_seconds, limits.connections_max)
        self._server = grpc.aio.server(options=limits.grpc_options())
        methods = Methods()
        for service in services:
            methods.add(service.full_name, self.door.handlers(service))
        # One each: who says nothing to reflection keeps nobody from asking for health.
        methods.add(health.SERVICE_NAME, Lobby(limits.connections_max).health(self._health.servicer))
        shown = (*names, health.SERVICE_NAME, reflection.SERVICE_NAME)
        methods.add(reflection.SERVICE_NAME, Lobby(limits.connections_max).reflection(shown))
        self._server.add_generic_rpc_handlers((methods,))

    async def start(self, listen: str, certificates: Certificates | None) -> int:
        """Serve on an address `host:port`, and return the port; 0 lets the system choose. Raises CannotListen."""
        try:
            if certificates is None:
                port = self._server.add_insecure_port(listen)
            else:
                port = self._server.add_secure_port(listen, certificates.credentials())
        except RuntimeError:
            raise CannotListen(f"cannot listen on {listen}: the address is taken, or not this machine's") from None
        await self._health.start()
        await self._server.start()
        return port

    async def stop(self, seconds: float) -> None:
        """Refuse what is new, answer what was taken in, end the streams; give up after so many seconds."""
        await self._health.leave()
        self._engine.begin_shutdown()
        try:
            async with asyncio.timeout(seconds):
                await self.door.drained(QUIET_SECONDS)
        except TimeoutError:
            if self.door.calls:
                log.warning("calls_cut_off", calls=self.door.calls)
        await self._server.stop(CLOSE_SECONDS)
