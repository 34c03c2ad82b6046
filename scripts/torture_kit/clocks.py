"""Clocks that jump: each replica runs by a wall clock of its own, which a file moves."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import own_postgres

from torture_kit.troubles import Stage, Trouble
from torture_kit.victim import Victim

JUMPING_CLOCK = Path(own_postgres.__file__).with_name("jumping_clock.py")
JUMP_SECONDS_MAX = 2 * 3600
NOTICED_SECONDS = 0.1  # a running program looks more often


def give_clock(victim: Victim, file: Path) -> None:
    """Let a server run by a clock of its own from its next start on."""
    file.write_text("0")
    victim.within = (sys.executable, JUMPING_CLOCK, file)


class Clocks:
    """Of all replicas."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ahead: dict[str, int] = {}  # by the name of a replica, seconds
        self.troubles = (
            Trouble("the clock of a replica set ahead", partial(self._jump, 1), light=True),
            Trouble("the clock of a replica set back", partial(self._jump, -1), light=True),
        )

    def give(self, victims: Sequence[Victim]) -> None:
        """Give each replica its clock, before it is started."""
        for victim in victims:
            give_clock(victim, self._file(victim))

    async def _jump(self, direction: int, stage: Stage, rng: random.Random) -> bool:
        async with stage.held(rng) as (victim, _):
            ahead = self._ahead.get(victim.name, 0) + direction * rng.randint(1, JUMP_SECONDS_MAX)
            self._ahead[victim.name] = ahead
            self._file(victim).write_text(str(ahead))
            await asyncio.sleep(NOTICED_SECONDS)
            return victim.serves

    def _file(self, victim: Victim) -> Path:
        return self._folder / f"clock of {victim.name}"
