"""A subscription: stored events first, then live ones, with neither hole nor repeat, through restarts and cuts."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self

import grpc
from kinpost.v1 import event_service_pb2

from kinpost_client import convert
from kinpost_client.calls import Calls
from kinpost_client.errors import KinpostError, Unreachable
from kinpost_client.records import Event
from kinpost_client.wire_errors import kinpost_error

if TYPE_CHECKING:
    from kinpost.v1.event_service_pb2 import SubscribeEventsRequest, SubscribeEventsResponse

log = logging.getLogger("kinpost_client")


class Subscription(AsyncIterator[Event]):
    """Events, for ever; `Client.subscribe` makes it. Use it in a `for` loop, or as a context that closes it.

    It outlives the server: after a cut it goes on behind the last event that it has. Raises what repeating does not
    help: SessionNotFound, Forbidden, Unauthenticated, OtherLog, CursorOutOfRange, CursorExpired, InvalidRequest.
    """

    def __init__(
        self, calls: Calls, request: SubscribeEventsRequest, on_cut: Callable[[KinpostError], None] | None = None
    ) -> None:
        self._on_cut = on_cut
        self.cursor = request.after_cursor
        self.caught_up = False
        self._calls = calls
        self._request = request
        self._events: deque[Event] = deque()
        self._next_cursor = self.cursor
        self._call: grpc.aio.UnaryStreamCall[SubscribeEventsRequest, SubscribeEventsResponse] | None = None
        self._delays: Iterator[float] = calls.retry.delays()

    def __aiter__(self) -> Self:
        return self

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def __anext__(self) -> Event:
        while not self._events:
            # What came of the last frame has been seen: the cursor now stands behind it.
            self.cursor = self._next_cursor
            self._take(await self._read())
        return self._events.popleft()

    async def next_batch(self) -> list[Event]:
        """Wait for the next frame and return all its events, for whoever handles many at once.

        None come with a heartbeat, and with the frame that says that everything stored has been sent: look at
        `caught_up`. That a call returns shows that the stream lives.
        """
        if not self._events:
            self.cursor = self._next_cursor
            self._take(await self._read())
        batch = list(self._events)
        self._events.clear()
        return batch

    async def aclose(self) -> None:
        """End the stream. Iterating again would open it anew, behind `cursor`."""
        call, self._call = self._call, None
        if call is not None:
            call.cancel()

    async def _read(self) -> SubscribeEventsResponse:
        while True:
            if self._call is None:
                self._call = self._calls.events.SubscribeEvents(self._request, metadata=self._calls.metadata)
            try:
                frame = await self._call.read()
                if isinstance(frame, event_service_pb2.SubscribeEventsResponse):
                    self._delays = self._calls.retry.delays()
                    return frame
                failure: KinpostError = Unreachable("the service ended the stream without saying why")
            except grpc.aio.AioRpcError as error:
                failure = kinpost_error(error)
            except asyncio.CancelledError:  # takes the call with it; whoever asks again gets a new one
                self._call = None
                raise
            self._call = None
            if not failure.transient:
                raise failure
            if self._on_cut is not None:
                self._on_cut(failure)
            log.info("subscribing again: %s", failure)
            await asyncio.sleep(max(next(self._delays), failure.retry_after_seconds or 0.0))

    def _take(self, frame: SubscribeEventsResponse) -> None:
        self._events.extend(convert.event(event) for event in frame.events)
        self.caught_up = frame.caught_up or (self.caught_up and frame.heartbeat)
        if frame.cursor:
            self._next_cursor = frame.cursor
            self._request.after_cursor = frame.cursor
