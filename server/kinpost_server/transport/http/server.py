"""The HTTP port: uvicorn within the server's own event loop, hardened against who sends slowly or too much."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from typing import Any

import structlog
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from kinpost_server.engine.engine import Engine
from kinpost_server.transport.address import split_address
from kinpost_server.transport.http.routes import Routes
from kinpost_server.transport.http.site import SiteCheck
from kinpost_server.transport.limits import HttpLimits
from kinpost_server.transport.server import CannotListen
from kinpost_server.transport.tls import Certificates
from kinpost_server.transport.tracing import Tracing

log = structlog.get_logger(__name__)

BACKLOG = 256


class _Uvicorn(uvicorn.Server):
    """A server that leaves the process's signals to `main.py`, and tells when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen."""
        await super().startup(sockets)
        self.listening.set()


class HttpServer:
    """Serves an engine over HTTP. Start the engine first, and stop it last."""

    def __init__(
        self,
        engine: Engine,
        limits: HttpLimits,
        certificates: Certificates | None,
        tracing: Tracing | None = None,
    ) -> None:
        self._socket: socket.socket | None = None
        self._serving: asyncio.Task[None] | None = None
        self._certificates = certificates
        config = uvicorn.Config(
            SiteCheck(Routes(engine, limits, tracing).application(), limits.host_names),
            http=_protocol(limits),
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=limits.head_bytes_max,
            timeout_keep_alive=int(max(1, limits.keepalive_seconds)),
        )
        config.load()
        if certificates is not None:
            config.ssl = certificates.context()
        self._server = _Uvicorn(config)

    async def start(self, listen: str) -> int:
        """Serve on an address `host:port`, and return the port; 0 lets the system choose. Raises CannotListen."""
        host, port = split_address(listen)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._socket = socket.create_server((host, port or 0), family=family, backlog=BACKLOG)
        except OSError as fault:
            raise CannotListen(f"cannot listen on {listen} for HTTP: {fault.strerror or fault}") from None
        bound: int = self._socket.getsockname()[1]
        self._serving = asyncio.create_task(self._server.serve([self._socket]), name="http")
        # Should it end at once, that is told by its task, not waited for.
        self._serving.add_done_callback(lambda _ended: self._server.listening.set())
        await self._server.listening.wait()
        if self._serving.done():
            self._serving.result()
        return bound

    async def stop(self, seconds: float) -> None:
        """Take no more connections, answer what was taken in, give up after so many seconds. Safe to repeat."""
        if self._serving is None:
            return
        self._server.config.timeout_graceful_shutdown = max(1, int(seconds))
        self._server.should_exit = True
        await self._serving
        self._serving = None


def _protocol(limits: HttpLimits) -> type[H11Protocol]:
    """Return uvicorn's protocol with a time for each request's head, and only so many connections."""

    class BoundedProtocol(H11Protocol):
        """uvicorn itself waits for a head for ever; a body is waited for by the route."""

        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            """Take a connection, unless there are as many as may be."""
            super().connection_made(transport)
            if len(self.connections) > limits.connections_max:
                transport.abort()
                return
            self._late = self.loop.call_later(limits.request_seconds, self._cut_off)

        def connection_lost(self, exc: Exception | None) -> None:
            """Forget a connection."""
            self._disarm()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            """Read; the time for a head runs from its first byte, and ends with its last."""
            super().data_received(data)
            if self._is_answering():
                self._disarm()
            elif self._late is None and not self.transport.is_closing():
                self._late = self.loop.call_later(limits.request_seconds, self._cut_off)

        def _is_answering(self) -> bool:
            return bool(self.cycle) and not self.cycle.response_complete

        def _disarm(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

        def _cut_off(self) -> None:
            self._late = None
            if not self._is_answering():
                self.transport.abort()

    return BoundedProtocol
