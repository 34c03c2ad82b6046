"""What befalls replicas on one PostgreSQL: kills, cut connections, lost answers to COMMIT; again and again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cable import Cable
from own_postgres import cut_off_all, cut_off_one

from torture_kit.journal import Journal
from torture_kit.victim import Victim, kill_often, pause

CUT_SECONDS = 1.0  # mean time between two cuts
PARTED_SECONDS_MAX = 3.0


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


async def kills(stage: Stage) -> None:
    """Kill each server at random moments, also while it starts, and start it again."""
    async with asyncio.TaskGroup() as group:
        for number, victim in enumerate(stage.victims):
            rng = stage.rng_of(f"killer-{number}")
            group.create_task(kill_often(victim, stage.journal, rng, stage.kill_seconds, stage.go_on))


async def cuts(stage: Stage) -> None:
    """Cut connections to the database: one, all of a replica, all of all; before a COMMIT arrives, and after."""
    rng, tally = stage.rng_of("cuts"), stage.journal.tally
    while stage.go_on():
        await pause(rng.uniform(0, 2 * CUT_SECONDS), stage.go_on)
        cable = rng.choice(stage.cables)
        how = rng.choice(("one", "a replica's", "all", "before a commit", "after a commit", "parted"))
        if how == "one":
            await asyncio.to_thread(cut_off_one, stage.database_url, rng.randrange(1000))
        elif how == "a replica's":
            cable.cut()
        elif how == "all":
            await asyncio.to_thread(cut_off_all, stage.database_url)
        elif how == "parted":
            cable.part()
            await asyncio.sleep(rng.uniform(0, PARTED_SECONDS_MAX))
            cable.join()
        else:
            cable.cut_in_commit(how.partition(" ")[0])
        tally[f"connections cut: {how}"] += 1
    for cable in stage.cables:
        cable.cut_in_commit("")


async def kills_and_cuts(stage: Stage) -> None:
    """Both at once."""
    async with asyncio.TaskGroup() as group:
        group.create_task(kills(stage))
        group.create_task(cuts(stage))
