"""Of two replicas on one PostgreSQL, one is killed or cut off while everybody works: the other one takes over.

What must hold in the end, whatever happened, is said in `through_faults.py`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from kinds_of_connections import has_written
from ledger import came
from postgres_server import connected
from through_faults import PATIENCE_SECONDS, Since, accepts, struck, went_through, working
from torture_kit.run import Torture
from torture_kit.troubles import Stage
from torture_kit.victim import SETTINGS, Victim

pytestmark = pytest.mark.timeout(1800)

LEASE_SECONDS = float(SETTINGS["KINPOST_DELIVERY__RUN_LEASE_SECONDS"])


async def test_killed_in_the_middle_of_a_batch(tmp_path: Path, postgres_url: str) -> None:
    """Now the one, now the other, each time between a batch's first write and its COMMIT.

    It stays dead until whoever it told of events and wakes has attached anew, which can only be at the other one, and
    until a run that was held has gone on there, or all of them have ended.
    """

    async def trouble(stage: Stage) -> None:
        journal = stage.journal

        def held_now() -> set[str]:
            return {run_id for runs in journal.held.values() for run_id in runs}

        for number in (0, 1, 0, 1):
            victim = stage.victims[number]
            await came(lambda: all(journal.held.values()), PATIENCE_SECONDS)
            async with (
                struck(stage) as since,
                asyncio.timeout(PATIENCE_SECONDS),
                stage.cables[number].commit_held() as process_id,
            ):
                held = {caller: set(runs) for caller, runs in journal.held.items()}
                with connected(postgres_url) as connection:
                    assert has_written(connection, process_id)
                    await victim.kill()
                    dead = Since(journal)
                    assert has_written(connection, process_id), "it was over before the replica was killed"
            journal.tally["kills"] += 1

            await working(stage, 20)
            await came(lambda since=since: since.those_ended() <= since.began, PATIENCE_SECONDS)
            runs = {run_id for caller in since.those_ended() & held.keys() for run_id in held[caller]}
            await came(lambda runs=runs, dead=dead: runs & dead.committed or not runs & held_now(), PATIENCE_SECONDS)
            journal.tally["times that a run went on"] += bool(runs & dead.committed)
            assert await victim.start()

    report = await went_through(tmp_path, postgres_url, trouble, strikes=4, database_fails=False)
    assert report.numbers["kills"] == 4
    # From the second time on, whoever is killed has taken all runtimes over from the other one.
    assert report.numbers["times that a run went on"] > 0
    assert report.numbers["attachments"] > 3


@pytest.mark.parametrize("how", ["and nobody notices", "and only the database notices"])
async def test_a_replica_is_parted_from_the_database_and_comes_back(
    tmp_path: Path, postgres_url: str, how: str
) -> None:
    """For longer than leases last, until it says so and ends its streams; whoever had them goes on at the other one.

    In the end its machine gives up what is not answered, as TCP does, and whoever still waited for it goes on too.
    """
    tortures: list[Torture] = []

    async def trouble(stage: Stage) -> None:
        journal, followers = stage.journal, tortures[0]._followers
        loop = asyncio.get_running_loop()

        async def went_on(those: set[object]) -> None:
            """Return when these have been told, and have been offered, what is new."""
            with connected(postgres_url) as connection:
                (newest,) = connection.execute("SELECT max(position) FROM event").fetchone() or (0,)
            following = [follower for follower in followers if follower._caller in those]
            await came(lambda: all(follower.seen.position > newest for follower in following), PATIENCE_SECONDS)
            await came(lambda: those & journal.held.keys() <= parted.began, PATIENCE_SECONDS)

        for victim, other, cable in zip(stage.victims, stage.victims[::-1], stage.cables, strict=True):
            said, begin_time = cut_offs(victim), loop.time()
            try:
                async with struck(stage) as parted:
                    cable.part()
                    if how == "and only the database notices":
                        cable.hang_up()
                    await came(lambda victim=victim, said=said: cut_offs(victim) > said, PATIENCE_SECONDS)
                    await came(lambda began=begin_time: loop.time() - began > LEASE_SECONDS, PATIENCE_SECONDS)
                passed = cable.passed
                await accepts(stage, tortures[0], other)
                await working(stage, 20)
                cut_off = {caller for caller, code in parted.ended if code == "storage:unavailable"}
                assert cut_off
                await went_on(cut_off)
                journal.tally["attachments cut off"] += len(cut_off & journal.held.keys())

                cable.cut()
                await went_on(parted.those_ended() | {follower._caller for follower in followers})
                assert cable.passed == passed, "it was not parted"
            finally:
                cable.join()
            await accepts(stage, tortures[0], victim)
            await working(stage, 20)

    report = await went_through(tmp_path, postgres_url, trouble, tortures.append, strikes=2)
    assert report.numbers["attachments cut off"] > 0


def cut_offs(victim: Victim) -> int:
    """Return how often a replica has said that it hears nothing of its database."""
    return victim.log.read_text().count('"cut_off"')
