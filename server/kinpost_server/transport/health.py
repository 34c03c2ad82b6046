"""Health: ready means that the store answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

import grpc.aio
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc

log = structlog.get_logger(__name__)

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
UNKNOWN = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN

Context = grpc.aio.ServicerContext[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse]


class Servicer(health_pb2_grpc.HealthServicer):  # type: ignore[misc]
    """Tells what was last found, to whoever asks or watches; a token is not needed.

    gRPC's own holds a lock while it writes to a watcher, so that one who does not read keeps all others waiting, and
    the server from ending; and it takes any number of watchers.
    """

    def __init__(self, watchers_max: int) -> None:
        self._states: dict[str, int] = {}
        self._watchers: set[asyncio.Event] = set()
        self._watchers_max = watchers_max

    def put(self, states: dict[str, int]) -> None:
        """Take over where each service stands."""
        if states != self._states:
            self._states = states
            for changed in self._watchers:
                changed.set()

    async def Check(self, request: health_pb2.HealthCheckRequest, context: Context) -> health_pb2.HealthCheckResponse:
        """Tell where a service stands; NOT_FOUND for one that is not served."""
        state = self._states.get(request.service)
        if state is None:
            await context.abort(grpc.StatusCode.NOT_FOUND, "there is no such service")
        return health_pb2.HealthCheckResponse(status=state)

    async def Watch(self, request: health_pb2.HealthCheckRequest, context: Context) -> None:
        """Tell where a service stands, now and whenever it changes; RESOURCE_EXHAUSTED when too many watch already."""
        if len(self._watchers) >= self._watchers_max:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "as many as may watch do so already")
        changed = asyncio.Event()
        self._watchers.add(changed)
        told: int | None = None
        try:
            while True:
                changed.clear()
                state = self._states.get(request.service, UNKNOWN)
                if state != told:
                    told = state
                    await context.write(health_pb2.HealthCheckResponse(status=state))
                await changed.wait()
        finally:
            self._watchers.discard(changed)


class Health:
    """The health of the server and of each service, by a ping of the store every `seconds`."""

    def __init__(
        self, ping: Callable[[], Awaitable[bool]], services: Iterable[str], seconds: float, watchers_max: int
    ) -> None:
        self.servicer = Servicer(watchers_max)
        self._ping = ping
        self._services = ("", *services)
        self._seconds = seconds
        self._serving = False
        self._task: asyncio.Task[None] | None = None
        self._asking: asyncio.Future[bool] | None = None

    async def start(self) -> None:
        """Ask the store once, then go on asking."""
        await self._ask()
        self._task = asyncio.create_task(self._watch())

    async def leave(self) -> None:
        """Be NOT_SERVING for good: the server is going."""
        for task in (self._task, self._asking):
            if task is not None:
                task.cancel()
        self._put(serving=False)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            await self._ask()

    async def _ask(self) -> None:
        serving = await self._asked()
        if serving != self._serving:
            log.info("health_changed", serving=serving)
        self._serving = serving
        self._put(serving=serving)

    def _put(self, *, serving: bool) -> None:
        self.servicer.put(dict.fromkeys(self._services, SERVING if serving else NOT_SERVING))

    async def _asked(self) -> bool:
        """Whether the store answers. One that has not answered the last question yet is not asked another."""
        if self._asking is None:
            self._asking = asyncio.ensure_future(self._ping())
        await asyncio.wait((self._asking,), timeout=self._seconds)
        if not self._asking.done():
            return False
        asked, self._asking = self._asking, None
        fault = asked.exception()
        if fault is not None:
            log.warning("health_ping_failed", fault=type(fault).__qualname__)
            return False
        return asked.result()
