"""People: they write to sessions, pause and close them, stop runs, and open in the end what they or failures closed."""

from __future__ import annotations

import asyncio
import random
import time

from google.protobuf.timestamp_pb2 import Timestamp
from kinpost.v1 import run_service_pb2, session_pb2, session_service_pb2

from torture_kit.callers import Caller, Refused
from torture_kit.sending import send_user_message
from torture_kit.world import Somebody, World

WRITE_SECONDS = 0.1
MEDDLE_SECONDS = 0.6
OPEN_SECONDS = 1.0
CLOSED_SECONDS_MAX = 2.0


class Person(Somebody):
    """Somebody with an admin's token."""

    def __init__(self, caller: Caller, world: World, rng: random.Random) -> None:
        super().__init__(caller, world, rng)
        self._closed: dict[str, float] = {}  # session to when it is opened again, of the monotonic clock

    async def live(self) -> None:
        """Do what people do; until it is cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._write())
            group.create_task(self._meddle())
            group.create_task(self._open())

    def _any(self) -> str:
        return self._rng.choice(sorted(self._world.places))

    async def _write(self) -> None:
        while self._world.goes_on:
            self._count += 1
            await send_user_message(self._caller, self._world, self._any(), f"user-{self._count}", self._rng)
            await asyncio.sleep(self._rng.expovariate(1 / WRITE_SECONDS))

    async def _meddle(self) -> None:
        while True:
            await asyncio.sleep(self._rng.expovariate(1 / MEDDLE_SECONDS))
            if not self._world.goes_on:
                return
            session_id = self._any()
            if self._rng.random() < 0.4:
                await self._stop_run(session_id)
            else:
                await self._close(session_id)

    async def _stop_run(self, session_id: str) -> None:
        by_person = self._rng.random() < 0.5
        request = run_service_pb2.CancelRunRequest(session_id=session_id, reason="enough", by_person=by_person)
        try:
            await self._caller.ask("CancelRun", request)
        except Refused as refusal:
            self._journal.refusals[refusal.code] += 1
            if refusal.code != "run:not_active":
                self._journal.found("refusal", f"a cancel was refused: {refusal.text}")
            return
        self._journal.tally["runs cancelled"] += 1
        self._closed[session_id] = time.monotonic() + self._rng.uniform(0, CLOSED_SECONDS_MAX)

    async def _close(self, session_id: str) -> None:
        request = session_service_pb2.SetAvailabilityRequest(session_id=session_id, reason="torture")
        way = self._rng.choice(("pause", "pause for a while", "close", "archive", "end"))
        if way == "close":
            request.availability = session_pb2.AVAILABILITY_USER_CLOSED
        elif way == "end":
            request.availability = session_pb2.AVAILABILITY_ENDED
        elif way == "archive":
            request.availability = session_pb2.AVAILABILITY_ARCHIVED
            request.no_wake = self._rng.random() < 0.5
        else:
            request.availability = session_pb2.AVAILABILITY_PAUSED
        if way == "pause for a while":
            seconds = self._rng.uniform(0.5, 2)
            request.until_time.CopyFrom(Timestamp(nanos=0, seconds=int(time.time() + seconds) + 1))
        await self._ask(request)
        self._journal.tally[f"availability: {way}"] += 1
        self._closed[session_id] = time.monotonic() + self._rng.uniform(0, CLOSED_SECONDS_MAX)

    async def _ask(self, request: session_service_pb2.SetAvailabilityRequest) -> None:
        try:
            await self._caller.ask("SetAvailability", request)
        except Refused as refusal:
            self._journal.refusals[refusal.code] += 1
            # An until_time that passed while the call was repeated is not in the future any more.
            if refusal.code != "request:invalid":
                self._journal.found("refusal", f"an availability was refused: {refusal.text}")

    async def _open(self) -> None:
        """Open what is closed long enough, and everything once no more is wanted."""
        while True:
            await asyncio.sleep(OPEN_SECONDS)
            for session_id in sorted(self._world.places):
                due_time = self._closed.get(session_id)
                if due_time is not None and due_time > time.monotonic() and self._world.goes_on:
                    continue
                session = await self.look(session_id)
                if session.availability != session_pb2.AVAILABILITY_OPEN:
                    request = session_service_pb2.SetAvailabilityRequest(
                        session_id=session_id, availability=session_pb2.AVAILABILITY_OPEN, reason="go on"
                    )
                    await self._ask(request)
                self._closed.pop(session_id, None)

    async def look(self, session_id: str) -> session_pb2.Session:
        """Return a session as it is now."""
        request = session_service_pb2.GetSessionRequest(session_id=session_id)
        session: session_pb2.Session = (await self._caller.ask("GetSession", request)).session
        return session
