"""Where those are served who need no token: health and reflection. Nothing large, slow or lasting of theirs is kept.

gRPC reads the request of a unary call whole before anything of ours is asked, however many callers there are, and
those of a stream as soon as they are waited for. So all are served as streams, on the wire the same, and few are read
at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Any, TypeAlias, TypeVar

import grpc.aio
from google.protobuf.message import DecodeError, Message
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2

from kinpost_server.transport.health import Servicer

READS_MAX = 16  # at once; each may hold what gRPC reads at most
READS_PER_HOST_MAX = 4  # so that one host alone keeps no other from asking
READ_SECONDS = 5.0
REQUEST_BYTES_MAX = 4096

Context = grpc.aio.ServicerContext[bytes, Any]
Handlers: TypeAlias = "dict[str, grpc.RpcMethodHandler[Any, Any]]"
Request = TypeVar("Request", bound=Message)


class Lobby:
    """Reads requests of callers without a token. So many may be there; the others are sent away at once."""

    def __init__(self, callers_max: int) -> None:
        self.callers = 0
        self._callers_max = callers_max
        self._room = asyncio.Semaphore(READS_MAX)
        self._hosts: dict[str, asyncio.Semaphore] = {}
        self._callers_of: Counter[str] = Counter()

    def health(self, servicer: Servicer) -> Handlers:
        """Return handlers for the RPCs of health."""

        async def check(_requests: object, context: Context) -> Any:
            return await servicer.Check(await self._only(context, health_pb2.HealthCheckRequest), context)

        async def watch(_requests: object, context: Context) -> None:
            await servicer.Watch(await self._only(context, health_pb2.HealthCheckRequest), context)

        serialize = health_pb2.HealthCheckResponse.SerializeToString
        return {
            "Check": grpc.stream_unary_rpc_method_handler(check, response_serializer=serialize),
            "Watch": grpc.stream_stream_rpc_method_handler(watch, response_serializer=serialize),
        }

    def reflection(self, names: Sequence[str]) -> Handlers:
        """Return the handler of reflection, which tells of these services."""
        servicer = reflection.aio.ReflectionServicer(names)

        async def info(_requests: object, context: Context) -> None:
            async with self._entered(context):
                async for answer in servicer.ServerReflectionInfo(self._all(context), context):
                    await context.write(answer)

        serialize = reflection_pb2.ServerReflectionResponse.SerializeToString
        return {"ServerReflectionInfo": grpc.stream_stream_rpc_method_handler(info, response_serializer=serialize)}

    @contextlib.asynccontextmanager
    async def _entered(self, context: Context) -> AsyncIterator[None]:
        if self.callers >= self._callers_max:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "as many as may ask do so already")
        host = _host_of(context)
        self._hosts.setdefault(host, asyncio.Semaphore(READS_PER_HOST_MAX))
        self._callers_of[host] += 1
        self.callers += 1
        try:
            yield
        finally:
            self.callers -= 1
            self._callers_of[host] -= 1
            if not self._callers_of[host]:
                del self._callers_of[host], self._hosts[host]

    async def _only(self, context: Context, request_class: type[Request]) -> Request:
        async with self._entered(context):
            request = await self._read(context, request_class)
        if request is None:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the request is missing")
        return request

    async def _all(self, context: Context) -> AsyncIterator[Any]:
        while (request := await self._read(context, reflection_pb2.ServerReflectionRequest)) is not None:
            yield request

    async def _read(self, context: Context, request_class: type[Request]) -> Request | None:
        """Return the next request, None when there is none. Ends the call when it is long, late or no request."""
        async with self._hosts[_host_of(context)], self._room:
            try:
                async with asyncio.timeout(READ_SECONDS):
                    data: object = await context.read()
            except TimeoutError:
                data = None
                await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the request did not come in time")
        if not isinstance(data, bytes):
            return None
        request = request_class()
        try:
            if len(data) <= REQUEST_BYTES_MAX:
                request.ParseFromString(data)
                return request
        except DecodeError:
            pass
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "that is no request, or a very long one")
        raise AssertionError  # abort never returns


def _host_of(context: Context) -> str:
    """Return a caller's address without its port."""
    return context.peer().rpartition(":")[0]
