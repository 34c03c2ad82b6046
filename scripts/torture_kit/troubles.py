"""What befalls servers: kills, and rounds of every other kind of trouble there is; each is counted when it happened."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple

from cable import Cable

from torture_kit.journal import Journal
from torture_kit.victim import Victim, kill_often, pause

PAUSE_SECONDS = 0.5  # mean time between two troubles
ATTEMPTS_MAX = 3  # of one kind, in a round: nobody may have been there whom it could befall
LONG_SECONDS = 175.0  # a run of three minutes: nothing that is due may be missing in it
LOOK_SECONDS = 0.02


@dataclass(slots=True)
class Stage:
    """The replicas, the cable of each to its database, and until when there is trouble."""

    victims: Sequence[Victim]
    cables: Sequence[Cable]
    database_url: str  # without a cable
    journal: Journal
    rng: random.Random
    kill_seconds: float
    go_on: Callable[[], bool]

    def rng_of(self, name: str) -> random.Random:
        """Return a source of choices for one kind of trouble."""
        return random.Random(f"{self.rng.random()}-{name}")  # noqa: S311 - choices to be repeated, no secrets

    @asynccontextmanager
    async def held(self, rng: random.Random) -> AsyncIterator[tuple[Victim, Cable]]:
        """One of the replicas, and its cable: it serves, and is not killed meanwhile."""
        number = rng.randrange(len(self.victims))
        async with self.victims[number].lock:
            yield self.victims[number], self.cables[number]

    async def happens(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait until something has happened; return False when it did not in this time, or before all trouble ends."""
        end = time.monotonic() + seconds
        while not condition():
            if not self.go_on() or time.monotonic() > end:
                return False
            await asyncio.sleep(LOOK_SECONDS)
        return True


class Trouble(NamedTuple):
    """One kind, as it is counted and shown; `befall` returns whether it really happened."""

    name: str
    befall: Callable[[Stage, random.Random], Awaitable[bool]]
    once: bool = False  # in a run
    light: bool = False  # and so more of it, from the second round on

    @property
    def counted_as(self) -> str:
        """Its name among all numbers."""
        return f"trouble: {self.name}"


async def kills(stage: Stage) -> None:
    """Kill each server at random moments, also while it starts, and start it again."""
    async with asyncio.TaskGroup() as group:
        for number, victim in enumerate(stage.victims):
            rng = stage.rng_of(f"killer-{number}")
            group.create_task(kill_often(victim, stage.journal, rng, stage.kill_seconds, stage.go_on))


class Rounds:
    """Every trouble of a list, one after the other, in a new order each time around; and kills all the while.

    `rounds_max` is after how many the run has had enough; 0 for no limit.
    """

    def __init__(
        self, troubles: Sequence[Trouble], *, rounds_max: int = 0, pause_seconds: float = PAUSE_SECONDS
    ) -> None:
        self._troubles = troubles
        self._rounds_max = rounds_max
        self._pause_seconds = pause_seconds
        self._done = 0

    @property
    def wanted(self) -> bool:
        """Whether more of it is."""
        return not self._rounds_max or self._done < self._rounds_max

    async def befall(self, stage: Stage) -> None:
        """Go on until the stage says that it is enough. What is due and did not happen in a long run is a finding."""
        begin = time.monotonic()
        for trouble in self._troubles:
            stage.journal.tally[trouble.counted_as] = 0
        async with asyncio.TaskGroup() as group:
            group.create_task(kills(stage))
            group.create_task(self._go_round(stage))
        self._judge(stage, time.monotonic() - begin)

    async def _go_round(self, stage: Stage) -> None:
        rng = stage.rng_of("rounds")
        while stage.go_on():
            tally = stage.journal.tally
            round_ = [trouble for trouble in self._troubles if not (trouble.once and tally[trouble.counted_as])]
            if self._done:
                round_ += 2 * [trouble for trouble in self._troubles if trouble.light]
            rng.shuffle(round_)
            for trouble in round_:
                await self._try(trouble, stage, rng)
            if stage.go_on():
                self._done += 1

    async def _try(self, trouble: Trouble, stage: Stage, rng: random.Random) -> None:
        for _ in range(ATTEMPTS_MAX):
            await pause(rng.uniform(0, 2 * self._pause_seconds), stage.go_on)
            if not stage.go_on():
                return
            if await trouble.befall(stage, rng):
                stage.journal.tally[trouble.counted_as] += 1
                return

    def _judge(self, stage: Stage, seconds: float) -> None:
        """Hold what happened against what was due: everything in a long run, and in one that went around as wanted."""
        if seconds < LONG_SECONDS and (not self._rounds_max or self.wanted):
            return
        missing = [trouble.name for trouble in self._troubles if not stage.journal.tally[trouble.counted_as]]
        # Each server is killed within twice the mean time, and is then started.
        if seconds > 10 * stage.kill_seconds and not stage.journal.tally["kills"]:
            missing.append("kills")
        for name in missing:
            stage.journal.found("trouble", f"{name}: did not happen in {seconds:.0f} s")
