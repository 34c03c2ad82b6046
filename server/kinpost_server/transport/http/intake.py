"""Reading a request: its token first, then its body, within bounds of size, time and memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace

from fastapi import Request
from starlette.requests import ClientDisconnect

from kinpost_server.domain.address import parse_uuid
from kinpost_server.domain.errors import RequestTimeout, RequestTooLarge, Unauthenticated
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.peer_errors import InvalidPayload
from kinpost_server.engine.peer_post import Names
from kinpost_server.transport.identity import secret_of
from kinpost_server.transport.intake import Room
from kinpost_server.transport.limits import HttpLimits
from kinpost_server.transport.tracing import Tracing

SOURCE = "X-AMC-Source-Session-Id"
KEY = "X-Client-Request-Id"
NAMES = Names(source=SOURCE, key=KEY, targets="sessionIds")


class HttpIntake:
    """Reads bodies into the room that there is for them."""

    def __init__(
        self,
        caller_of: Callable[[str], Caller],
        look_again: Callable[[], Awaitable[bool]],
        limits: HttpLimits,
        tracing: Tracing | None = None,
    ) -> None:
        self._room = Room(limits.requests_bytes_max, limits.request_bytes_max)
        self._caller_of = caller_of
        self._look_again = look_again
        self._limits = limits
        self._tracing = tracing

    async def caller(self, request: Request) -> Caller:
        """Return who asks. Raises Unauthenticated, also for more than one token."""
        given = request.headers.getlist("authorization")
        if len(given) != 1:
            raise Unauthenticated
        caller = await self._caller(secret_of(given[0]))
        if self._tracing is not None:
            self._tracing.asked(caller, SimpleNamespace(**request.path_params))
        return caller

    async def _caller(self, secret: str) -> Caller:
        try:
            return self._caller_of(secret)
        except Unauthenticated:
            if not await self._look_again():  # it may be of a token that another replica has just made
                raise
        return self._caller_of(secret)

    @asynccontextmanager
    async def body(self, caller: Caller, request: Request) -> AsyncIterator[bytes]:
        """Give the body, whose bytes count meanwhile.

        Raises InvalidPayload for what is not said to be JSON, RequestTooLarge, Overloaded.
        """
        kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise InvalidPayload("Content-Type", "is not application/json")
        declared = request.headers.get("content-length", "")
        if declared.isascii() and declared.isdigit() and int(declared) > self._limits.request_bytes_max:
            raise self._too_large()
        taken = 0
        chunks: list[bytes] = []
        try:
            try:
                async with asyncio.timeout(self._limits.request_seconds):
                    async for chunk in request.stream():
                        if taken + len(chunk) > self._limits.request_bytes_max:
                            raise self._too_large()
                        self._room.take(caller.token_id, len(chunk))
                        taken += len(chunk)
                        chunks.append(chunk)
            except TimeoutError:
                raise RequestTimeout from None
            except ClientDisconnect:
                raise InvalidPayload("body", "ends too early") from None
            yield b"".join(chunks)
        finally:
            self._room.give_back(caller.token_id, taken)

    def _too_large(self) -> RequestTooLarge:
        return RequestTooLarge(f"the body has more than {self._limits.request_bytes_max} bytes")


def source_of(request: Request) -> str:
    """Return the sender's session id, empty when it is not said. Raises InvalidPayload when it is said twice."""
    source = _one(request, SOURCE)
    return parse_uuid(source) or source


def key_of(request: Request) -> str:
    """Return the client's key, empty for none. Raises InvalidPayload when there are two."""
    return _one(request, KEY)


def _one(request: Request, name: str) -> str:
    given = request.headers.getlist(name)
    if len(given) > 1:
        raise InvalidPayload(name, "is there twice")
    return given[0] if given else ""
