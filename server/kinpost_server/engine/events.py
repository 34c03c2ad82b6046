"""Subscriptions: one path for replay and live.

A subscription reads the log after its position, sends what it finds, and waits for a hint that there is more. Nothing
is buffered for it: a slow one only lags. The newest events are kept once, for all, so that those who keep up do not
ask the database.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol

from kinpost_server.domain.errors import CursorExpired, CursorOutOfRange, Refusal
from kinpost_server.engine.ports import Scope, StoredEvent

FRAME_EVENTS_MAX = 512
FRAME_BYTES_MAX = 512 * 1024
TAIL_EVENTS_MAX = 16_384
TAIL_BYTES_MAX = 16 * 1024 * 1024


class Read(Protocol):
    """Reads pages of the log; `drops` is the number of the last drop of events that was seen while it did."""

    drops: int

    def __call__(
        self, scope: Scope, position: int, types: Sequence[int], limit: int, bytes_max: int
    ) -> Awaitable[tuple[list[StoredEvent], int]]:
        """Return a page and how far was looked. Raises CursorExpired when what it should hold is no longer kept."""


class Frame(NamedTuple):
    """What a subscriber is sent at once.

    `position` is where the next frame begins after; `drops` is the number of the last drop of events that was seen.
    """

    events: Sequence[StoredEvent]
    position: int
    caught_up: bool
    heartbeat: bool
    drops: int = 0


class Place:
    """How far a subscription has come in the log; `waits` once there was nothing more for it."""

    __slots__ = ("ended", "position", "waits")

    def __init__(self) -> None:
        self.position = 0
        self.waits = False
        self.ended: Refusal | None = None


class Hub:
    """The newest events, and those who wait for more. Used on the event loop alone."""

    def __init__(self, last_position: int) -> None:
        self.last_position = last_position
        self.closed: Refusal | None = None
        self._floor = last_position  # every event after it is in the tail
        self._tail: list[StoredEvent] = []
        self._positions: list[int] = []
        self._bytes = 0
        self._waiting: dict[Scope, set[asyncio.Event]] = {}
        self._places: dict[asyncio.Event, Place] = {}

    def publish(self, stored: Sequence[StoredEvent]) -> None:
        """Take in what a batch stored, or others did, and wake those who wait for it.

        Positions have no gaps. What is missing is stored, though nobody knew, or was dropped since: whoever has not
        come past it has to read, which tells the one from the other.
        """
        if not stored:
            return
        known = stored
        if stored[-1].position != self.last_position + len(stored):
            known = stored[_after_last_gap(stored) :]
            self._tail, self._positions, self._bytes = [], [], 0
            self._floor = known[0].position - 1
        self._tail.extend(known)
        self._positions.extend(event.position for event in known)
        self._bytes += sum(len(event.data) for event in known)
        self.last_position = stored[-1].position
        if len(self._tail) > TAIL_EVENTS_MAX or self._bytes > TAIL_BYTES_MAX:
            self._trim()
        if not self._waiting:
            return
        touched = {Scope()}
        for event in stored:
            touched.add(Scope(session_id=event.session_id))
            touched.add(Scope(root_session_id=event.root_session_id))
        for scope in touched:
            for hint in self._waiting.get(scope, ()):
                hint.set()

    def close(self, refusal: Refusal) -> None:
        """End all subscriptions with a refusal that says why."""
        self.closed = refusal
        self.end(refusal)

    def end(self, refusal: Refusal) -> None:
        """End the subscriptions that there are; others may begin."""
        for hint, place in self._places.items():
            place.ended = refusal
            hint.set()

    def rewind(self, position: int) -> None:
        """Take in that the log has lost its end: it goes no further than this position.

        Raises CursorOutOfRange for all subscriptions: what they were sent is not stored.
        """
        self.end(CursorOutOfRange())
        self._tail, self._positions, self._bytes = [], [], 0
        self.last_position = self._floor = position

    @property
    def newest(self) -> StoredEvent | None:
        """The newest event, if it is kept."""
        return self._tail[-1] if self._tail else None

    def watch(self, scope: Scope) -> asyncio.Event:
        """Return an event that is set when something of the scope is published."""
        hint = asyncio.Event()
        self._waiting.setdefault(scope, set()).add(hint)
        self._places[hint] = Place()
        return hint

    def place(self, hint: asyncio.Event) -> Place:
        """Return where the subscription with this hint is, for it to keep."""
        return self._places[hint]

    def lags(self) -> list[int]:
        """Return, for each subscription, how many events of the log it has not looked at yet."""
        return [
            0 if place.waits and not hint.is_set() else max(self.last_position - place.position, 0)
            for hint, place in self._places.items()
        ]

    def unwatch(self, scope: Scope, hint: asyncio.Event) -> None:
        """Forget who waited."""
        hints = self._waiting[scope]
        hints.discard(hint)
        del self._places[hint]
        if not hints:
            del self._waiting[scope]

    @property
    def watching(self) -> int:
        """How many subscriptions there are."""
        return sum(len(hints) for hints in self._waiting.values())

    def after(self, scope: Scope, position: int, types: frozenset[int]) -> tuple[list[StoredEvent], int] | None:
        """Return events after a position and how far was looked, None when the tail does not reach back so far."""
        if position < self._floor:
            return None
        events: list[StoredEvent] = []
        size = 0
        for index in range(bisect_right(self._positions, position), len(self._tail)):
            event = self._tail[index]
            if (not types or event.type in types) and scope.covers(event):
                if events and size + len(event.data) > FRAME_BYTES_MAX:
                    return events, position
                events.append(event)
                size += len(event.data)
            position = event.position
            if len(events) >= FRAME_EVENTS_MAX:
                return events, position
        return events, max(position, self.last_position)

    def _trim(self) -> None:
        cut = max(len(self._tail) // 2, 1)
        self._bytes -= sum(len(event.data) for event in self._tail[:cut])
        self._floor = self._positions[cut - 1]
        del self._tail[:cut]
        del self._positions[:cut]


def _after_last_gap(stored: Sequence[StoredEvent]) -> int:
    """Return the index of the first event that is followed without a gap to the end."""
    index = len(stored) - 1
    while index and stored[index].position == stored[index - 1].position + 1:
        index -= 1
    return index


def check_start(position: int, first_position: int, last_position: int) -> None:
    """Raise CursorOutOfRange beyond the log, CursorExpired before what is kept."""
    if position > last_position:
        raise CursorOutOfRange
    if position < first_position - 1:
        raise CursorExpired


async def subscribe(
    hub: Hub,
    read: Read,
    scope: Scope,
    position: int,
    types: Sequence[int],
    heartbeat_seconds: float,
    check: Callable[[], None],
) -> AsyncIterator[Frame]:
    """Yield frames from a position on, for ever.

    `check` is called before each frame and raises the refusal that ends the subscription.
    """
    wanted = frozenset(types)
    hint = hub.watch(scope)
    place = hub.place(hint)
    told_caught_up = False
    try:
        while True:
            hint.clear()
            place.position, place.waits = position, False
            ended = place.ended or hub.closed
            if ended is not None:
                raise ended
            check()
            found = hub.after(scope, position, wanted)
            events, upto = (
                found if found is not None else await read(scope, position, types, FRAME_EVENTS_MAX, FRAME_BYTES_MAX)
            )
            position = max(position, upto)
            caught_up = position >= hub.last_position
            if events or (caught_up and not told_caught_up):
                told_caught_up = caught_up
                yield Frame(events, position, caught_up, heartbeat=False, drops=read.drops)
            if not caught_up:
                continue
            place.position, place.waits = position, True
            try:
                async with asyncio.timeout(heartbeat_seconds):
                    await hint.wait()
            except TimeoutError:
                yield Frame((), position, caught_up=True, heartbeat=True, drops=read.drops)
    finally:
        hub.unwatch(scope, hint)
