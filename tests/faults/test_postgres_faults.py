"""Two replicas on one PostgreSQL, as processes, and what befalls their database while everybody works.

What must hold in the end, whatever happened, is said in `through_faults.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from functools import partial
from pathlib import Path

import kinds_of_connections
import psycopg
import pytest
from ledger import came
from own_postgres import OwnPostgres, answers, cut_off_all
from postgres_server import connected
from small_disk import may_have_one
from sqlalchemy.engine import make_url
from through_faults import PATIENCE_SECONDS, accepts, more, struck, went_through, working
from torture_kit.clocks import give_clock
from torture_kit.outages import come_back
from torture_kit.run import Torture
from torture_kit.troubles import Stage
from torture_kit.upgrading import newer_program

pytestmark = pytest.mark.timeout(1800)

HOUR = 3600


async def test_connections_are_cut_one_by_one_and_all_at_once(tmp_path: Path, postgres_url: str) -> None:
    """One of each kind, by the database; any one and all of a replica's, between the two; and all of both's."""

    async def trouble(stage: Stage) -> None:
        with connected(postgres_url) as connection:
            for kind in (*kinds_of_connections.KINDS, *kinds_of_connections.KINDS):
                cut: list[int] = []

                def is_cut(kind: str = kind, cut: list[int] = cut) -> bool:
                    cut.append(kinds_of_connections.cut_off(connection, kind))
                    return cut[-1] > 0

                await came(is_cut, PATIENCE_SECONDS)
                is_there = partial(kinds_of_connections.is_there, connection, cut[-1])
                await came(lambda is_there=is_there: not is_there(), PATIENCE_SECONDS)
                if kind == "the one that listens":  # it comes again by itself
                    listening = partial(kinds_of_connections.count, connection, kind)
                    await came(lambda listening=listening: listening() == 2, PATIENCE_SECONDS)
                await working(stage, 5)
                stage.journal.tally[f"cut: {kind}"] += 1
        for cable in stage.cables:
            for _ in range(3):
                cable.cut_one()
                await working(stage, 5)
            cable.cut()
            await working(stage, 10)
        for _ in range(3):
            stage.journal.tally["all cut"] += await asyncio.to_thread(cut_off_all, postgres_url) > 0
            await working(stage, 10)

    report = await went_through(tmp_path, postgres_url, trouble)
    assert {name: report.numbers[f"cut: {name}"] for name in kinds_of_connections.KINDS} == dict.fromkeys(
        kinds_of_connections.KINDS, 2
    )
    assert report.numbers["all cut"] == 3


@pytest.mark.parametrize("when", ["before", "after"])
async def test_connections_are_cut_in_the_middle_of_a_commit(tmp_path: Path, postgres_url: str, when: str) -> None:
    """Of a batch that has written. The server does not hear of it, or has done it and its answer is lost."""

    async def trouble(stage: Stage) -> None:
        for cable in (*stage.cables, *stage.cables, *stage.cables):
            before = cable.commits_cut
            cable.cut_in_commit(when)
            await more(partial(getattr, cable, "commits_cut"), before)
            await working(stage, 10)

    await went_through(tmp_path, postgres_url, trouble)


@pytest.mark.parametrize("how", ["restarted", "crashed", "one of its processes is killed"])
async def test_the_database_goes_and_comes(tmp_path: Path, own_postgres: OwnPostgres, how: str) -> None:
    async def trouble(stage: Stage) -> None:
        for turn in range(2):
            failures = stage.journal.failures
            failed = failures["storage:unavailable"]
            if how == "one of its processes is killed":
                await asyncio.to_thread(kill_a_process)
                await came(lambda: answers(own_postgres.url), PATIENCE_SECONDS)  # it ends them all, and begins anew
            else:
                async with struck(stage) if turn else contextlib.nullcontext():  # away for so long that streams end
                    await asyncio.to_thread(own_postgres.stop, "fast" if how == "restarted" else "immediate")
                await more(partial(failures.__getitem__, "storage:unavailable"), failed)
                await asyncio.to_thread(own_postgres.start)
            await working(stage, 30)

    def kill_a_process() -> None:
        with connected(own_postgres.url) as connection:
            while True:
                told = connection.execute(
                    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND "
                    "application_name = 'kinpost' ORDER BY query_start DESC LIMIT 1"
                )
                (process_id,) = told.fetchone() or (0,)
                assert process_id, "nobody of the service is connected"
                with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
                    os.kill(process_id, signal.SIGKILL)
                    break
            with contextlib.suppress(psycopg.OperationalError):
                while True:  # this connection is ended too
                    connection.execute("SELECT")

    report = await went_through(
        tmp_path, own_postgres.url, trouble, strikes=0 if how == "one of its processes is killed" else 1
    )
    assert report.numbers["failed and repeated: storage:unavailable"] > 0


async def test_its_disk_is_full(tmp_path: Path) -> None:
    """Nothing of it is left; once there is room it is well again, where it has to be by being started again."""
    place = tmp_path / "place"
    place.mkdir()
    if not may_have_one(place):
        pytest.skip("this machine does not let us mount a disk for it")
    options = "-c max_wal_size=32MB -c min_wal_size=32MB -c wal_level=minimal -c max_wal_senders=0"
    with OwnPostgres(options, disk_bytes=128 << 20) as postgres:

        async def trouble(stage: Stage) -> None:
            failed = stage.journal.failures["storage:unavailable"]
            while stage.journal.failures["storage:unavailable"] <= failed:
                postgres.fill_disk()  # what is given back meanwhile is taken too
                await asyncio.to_thread(lambda: None)
            stage.journal.tally["times that the disk was full"] += 1
            postgres.free_disk()
            await come_back(postgres)
            await working(stage, 50)

        report = await went_through(tmp_path, postgres.url, trouble)
    assert report.numbers["times that the disk was full"] == 1


async def test_a_clock_jumps(tmp_path: Path, postgres_url: str) -> None:
    """Of one replica, an hour ahead, then two back: no lease lapses by it, and times stay the database's."""
    clock = tmp_path / "clock"

    def before(torture: Torture) -> None:
        give_clock(torture.victims[1], clock)
        torture._world.loses_runs = False
        for victim in torture.victims:
            victim.settings["KINPOST_DELIVERY__RUN_LEASE_SECONDS"] = "60"  # so that no run lapses by itself

    async def trouble(stage: Stage) -> None:
        for ahead in (HOUR, -HOUR, 0):
            clock.write_text(str(ahead))
            await working(stage, 40)
        victim = stage.victims[1]
        clock.write_text(str(HOUR))
        await victim.kill()
        assert await victim.start()  # one that starts by a wrong clock
        await working(stage, 40)

    report = await went_through(tmp_path, postgres_url, trouble, before, database_fails=False)
    with connected(postgres_url) as connection:
        told = connection.execute(
            "SELECT max(accept_time), extract(epoch FROM clock_timestamp()) * 1000000 FROM message"
        )
        newest, read = told.fetchone() or (0, 0)
    assert abs(int(read) - newest) < 600 * 1_000_000
    assert report.numbers["log: run started"] > 0
    assert report.numbers["log: lapsed runs"] == 0


async def test_the_clock_of_the_database_jumps(tmp_path: Path, postgres_url: str) -> None:
    """Who runs follows it slowly; who starts goes by it at once, which may cost runs their leases, and no mail.

    What was to fall due before it went back falls due as much later.
    """
    database = make_url(postgres_url).database
    with connected(postgres_url) as connection:
        connection.execute("CREATE TABLE ahead AS SELECT interval '0' AS step")
        connection.execute(
            "CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS "
            "'SELECT pg_catalog.clock_timestamp() + step FROM public.ahead'"
        )
        connection.execute(f'ALTER DATABASE "{database}" SET search_path = public, pg_catalog')

    async def trouble(stage: Stage) -> None:
        for step in ("90 s", "-90 s", "0"):
            with connected(postgres_url) as connection:
                connection.execute("UPDATE ahead SET step = %s", [step])
            await working(stage, 40)
            await stage.victims[1].kill()
            assert await stage.victims[1].start()
            await working(stage, 100)  # by both
            if step == "90 s":
                with connected(postgres_url) as connection:
                    told = connection.execute(
                        "SELECT max(accept_time) - extract(epoch FROM pg_catalog.clock_timestamp()) * 1000000 "
                        "FROM message"
                    )
                    (ahead,) = told.fetchone() or (0,)
                assert ahead > 30 * 1_000_000  # somebody went by it

    report = await went_through(tmp_path, postgres_url, trouble, database_fails=False, clocks_differ=True)
    assert report.numbers["log: run started"] > 0


async def test_a_rolling_upgrade_over_a_migration(tmp_path: Path, postgres_url: str) -> None:
    """A newer program changes the schema while the older one serves; then the older one is replaced too."""
    newer = newer_program(tmp_path / "newer")
    tortures: list[Torture] = []

    async def trouble(stage: Stage) -> None:
        older = stage.victims[1]
        for victim in stage.victims:
            await victim.stop()
            await working(stage, 20)
            victim.settings["PYTHONPATH"] = str(newer)
            assert await victim.start()
            with connected(postgres_url) as connection:
                assert connection.execute("SELECT count(*) FROM session WHERE note IS NULL").fetchone() != (0,)
            if victim is not older:
                assert "PYTHONPATH" not in older.settings
                await accepts(stage, tortures[0], older)
                stage.journal.tally["accepted by the older program over the newer schema"] += 1
            await working(stage, 40)

    def before(torture: Torture) -> None:
        tortures.append(torture)
        for victim in torture.victims:
            # The older one waits for the migration, however slow this machine is.
            victim.settings["KINPOST_STORAGE__BUSY_TIMEOUT_SECONDS"] = "60"

    report = await went_through(tmp_path, postgres_url, trouble, before, database_fails=False)
    assert report.numbers["accepted by the older program over the newer schema"] == 1
