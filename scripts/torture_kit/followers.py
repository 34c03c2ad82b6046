"""Subscribers: each must see every event of its scope once and in order, whatever cuts it off."""

from __future__ import annotations

import asyncio
import hashlib
import random
from typing import Any

from kinpost.v1 import event_pb2, event_service_pb2

from torture_kit.callers import Caller, Refused
from torture_kit.journal import Journal

CUT_CHANCE = 0.01  # a frame


class Seen:
    """A sequence of events, kept as a digest: two of them are equal when their counts and digests are."""

    def __init__(self, *, session_id: str = "", root_session_id: str = "") -> None:
        self.session_id = session_id
        self.root_session_id = root_session_id
        self.count = 0
        self.position = 0
        self._digest = hashlib.blake2b(digest_size=16)

    def covers(self, event: event_pb2.Event) -> bool:
        """Whether the event belongs to the scope."""
        if self.session_id:
            return event.session_id == self.session_id
        return not self.root_session_id or event.root_session_id == self.root_session_id

    def take(self, event: event_pb2.Event) -> None:
        """Add an event."""
        self.count += 1
        self.position = event.position
        self._digest.update(event.SerializeToString(deterministic=True))

    @property
    def digest(self) -> str:
        """What tells it from other sequences."""
        return self._digest.hexdigest()


class Follower:
    """One subscriber. It resumes by cursor, after the server's cuts and its own."""

    def __init__(self, caller: Caller, journal: Journal, name: str, rng: random.Random, **scope: str) -> None:
        self.name = name
        self.seen = Seen(**scope)
        self.resumed = 0
        self._caller = caller
        self._journal = journal
        self._rng = rng
        self._scope: dict[str, Any] = dict(scope) or {"all": True}
        self._cursor = ""
        self._seqs: dict[str, int] = {}
        self._moved = asyncio.Event()

    async def live(self) -> None:
        """Follow; until it is cancelled."""
        while True:
            request = event_service_pb2.SubscribeEventsRequest(**self._scope)
            if self._cursor:
                request.after_cursor = self._cursor
            try:
                async for frame in self._caller.stream("SubscribeEvents", request):
                    self._take(frame)
                    if self._rng.random() < CUT_CHANCE:
                        break
            except Refused as failure:
                self._journal.failures[failure.code] += 1
                if not failure.transient:
                    self._journal.found("subscriber", f"{self.name} was ended with {failure.text}")
                    return
            self.resumed += 1
            await asyncio.sleep(0.02)

    def _take(self, frame: event_service_pb2.SubscribeEventsResponse) -> None:
        for event in frame.events:
            if event.position <= self.seen.position:
                self._journal.found("subscriber", f"{self.name}: position {event.position} after {self.seen.position}")
            expected = self._seqs.get(event.session_id, 0) + 1
            if event.seq != expected:
                text = f"{self.name}: seq {event.seq} of {event.session_id} where {expected} is next"
                self._journal.found("subscriber", text)
            self._seqs[event.session_id] = event.seq
            self.seen.take(event)
        self._cursor = frame.cursor
        if frame.events:
            self._moved.set()

    async def reach(self, position: int, seconds: float) -> None:
        """Return when it has seen the event at this position; not seeing it in time is a finding."""
        try:
            async with asyncio.timeout(seconds):
                while self.seen.position < position:
                    self._moved.clear()
                    await self._moved.wait()
        except TimeoutError:
            text = f"{self.name}: stands at {self.seen.position}, not at {position}, after {seconds:.0f} s"
            self._journal.found("subscriber", text)

    def compare(self, expected: Seen) -> None:
        """Hold what it saw against the log."""
        if (self.seen.count, self.seen.digest) != (expected.count, expected.digest):
            text = f"{self.name}: saw {self.seen.count} events, the log has {expected.count}, or they differ"
            self._journal.found("subscriber", text)
