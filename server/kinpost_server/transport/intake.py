"""Reading requests, so that whoever sends much, slowly or in vain takes no more memory than is his.

gRPC reads the request of a unary call whole before anything of ours is asked. Served as streams of one request, which
on the wire are the same, calls show their token first, and what is not asked for stays in the sender's hands.
"""

from __future__ import annotations

import asyncio

import grpc.aio

from kinpost_server.domain.errors import InvalidRequest, Overloaded, RequestTooLarge
from kinpost_server.domain.identity import Caller
from kinpost_server.transport.limits import TransportLimits

RETRY_SECONDS = 0.5
SHARES = 4  # so many tokens it takes to have all the room


class Room:
    """The bytes of requests that are being answered: of all together, and of each token a share of that."""

    def __init__(self, bytes_max: int, request_bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._share_max = max(request_bytes_max, bytes_max // SHARES)
        self._bytes = 0
        self._of: dict[str, int] = {}

    def take(self, token_id: str, size: int) -> None:
        """Count so many bytes until they are given back. Raises Overloaded when there is no room for them."""
        held = self._of.get(token_id, 0)
        whose = "the token's requests" if held + size > self._share_max else ""
        if whose or self._bytes + size > self._bytes_max:
            raise Overloaded(
                f"{whose or 'the requests'} that are being answered take as much memory as they may",
                retry_after_seconds=RETRY_SECONDS,
            )
        self._of[token_id] = held + size
        self._bytes += size

    def give_back(self, token_id: str, size: int) -> None:
        """Count so many bytes no more: their request is answered."""
        self._bytes -= size
        left = self._of.get(token_id, 0) - size
        if left > 0:
            self._of[token_id] = left
        else:
            self._of.pop(token_id, None)


class Intake:
    """Reads requests into the room that there is for them, only so many of a token's at a time."""

    def __init__(self, limits: TransportLimits) -> None:
        self.room = Room(limits.requests_bytes_max, limits.request_bytes_max)
        self._limits = limits
        self._rooms: dict[str, asyncio.Semaphore] = {}
        self._since: dict[asyncio.Task[object], float] = {}  # who reads, the longest first
        self._overdue: set[asyncio.Task[object]] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def read(self, caller: Caller, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        """Return the request of a call; its bytes count until they are given back.

        Raises InvalidRequest when none comes in time, RequestTooLarge, and Overloaded when those that are being
        answered, of all or of this token, take as much memory as they may.
        """
        limits = self._limits
        room = self._rooms.get(caller.token_id)
        if room is None:
            room = self._rooms[caller.token_id] = asyncio.Semaphore(limits.reads_per_token_max)
        async with room:
            data = await self._read(context)
        if not isinstance(data, bytes):
            raise InvalidRequest("request", "is missing")
        self._check(data)
        self.room.take(caller.token_id, len(data))
        return data

    async def read_more(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes | None:
        """Return another request of a call, whenever it comes, None after the last. Raises RequestTooLarge."""
        data: object = await context.read()
        if not isinstance(data, bytes):
            return None
        self._check(data)
        return data

    def _check(self, data: bytes) -> None:
        bytes_max = self._limits.request_bytes_max
        if len(data) > bytes_max:
            raise RequestTooLarge(
                f"the request has {len(data)} bytes, at most {bytes_max} are read",
                metadata={"request_bytes_max": str(bytes_max)},
            )

    async def _read(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> object:
        """Read, for so long. One timer looks after all, since one for each call costs more than the reading."""
        loop = asyncio.get_running_loop()
        if self._timer is None:
            self._timer = loop.call_later(self._limits.request_seconds / 4, self._look)
        task = asyncio.current_task()
        assert task is not None
        self._since[task] = loop.time()
        try:
            return await context.read()
        except asyncio.CancelledError:
            if task not in self._overdue:
                raise
            self._overdue.discard(task)
            task.uncancel()
            seconds = self._limits.request_seconds
            raise InvalidRequest("request", f"did not come within {seconds:g} seconds") from None
        finally:
            del self._since[task]

    def _look(self) -> None:
        """Cut off who reads for too long, and look again later, as long as somebody reads."""
        loop = asyncio.get_running_loop()
        latest = loop.time() - self._limits.request_seconds
        for task, since in self._since.items():
            if since > latest:
                break
            self._overdue.add(task)
            task.cancel()
        self._timer = loop.call_later(self._limits.request_seconds / 4, self._look) if self._since else None
