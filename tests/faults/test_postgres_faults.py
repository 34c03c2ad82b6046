"""Two replicas on one PostgreSQL, as processes, and what befalls them and their database while everybody works.

Each is a short torture: agents, runtimes, people and subscribers go on through the fault, and in the end the log is
held against what they were promised. Nothing accepted is lost, nothing is consumed twice, no session has two active
runs, and every stream goes on without hole or repeat.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import kinpost_server
import psycopg
import pytest
from ledger import came
from own_postgres import OwnPostgres, cut_off_all, cut_off_one
from postgres_server import connected
from sqlalchemy.engine import make_url
from torture_kit.report import Report
from torture_kit.run import Plan, Torture
from torture_kit.troubles import Stage

KIT = Path(__file__).parents[1] / "kit"
HOUR = 3600
PATIENCE_SECONDS = 120.0
LINES = 40  # of the end of a log


@pytest.fixture
def own_postgres() -> Iterator[OwnPostgres]:
    """A server that a test may stop."""
    with OwnPostgres() as server:
        yield server


async def went_through(
    folder: Path,
    database_url: str,
    trouble: Callable[[Stage], Any],
    before: Callable[[Torture], None] | None = None,
    *,
    database_fails: bool = True,
    clocks_differ: bool = False,
) -> Report:
    """Work through a trouble, and some seconds more; nothing is found, and much was done."""
    done = asyncio.Event()

    async def befall(stage: Stage) -> None:
        try:
            await working(stage, 60)
            await trouble(stage)
            await working(stage, 60)
        finally:
            done.set()

    plan = Plan(1, 1 << 62, 24 * 60.0, 3.0, database_url, 2, befall, database_fails, clocks_differ)
    torture = Torture(folder, plan)
    if before is not None:
        torture.prepare = before
    torture.goes_on = lambda: not done.is_set()
    report = await torture.run()
    logged = [line for victim in torture.victims for line in (victim.log.name, *tail(victim.log))]
    assert report.findings == {}, "\n".join([*report.texts, *logged])
    assert report.numbers["messages accepted, as answered"] >= 120
    assert report.numbers["messages consumed in the end"] > 0
    assert report.numbers["rows compared with the fold of the log"] > 500
    return report


def tail(log: Path) -> list[str]:
    """Return the last lines of a log."""
    return log.read_text(errors="replace").splitlines()[-LINES:]


async def more(count: Callable[[], int], before: int) -> None:
    """Return when there is more of something than before."""
    await came(lambda: count() > before, PATIENCE_SECONDS)


def answers(url: str) -> bool:
    """Whether a database lets us in."""
    try:
        with connected(url):
            return True
    except psycopg.OperationalError:
        return False


async def working(stage: Stage, count: int) -> None:
    """Return when so many more messages have been accepted."""
    before = stage.journal.accepted_count
    await came(lambda: stage.journal.accepted_count >= before + count, PATIENCE_SECONDS)


async def again_and_again(stage: Stage, times: int, do: Callable[[], Awaitable[None]], count: int = 10) -> None:
    for _ in range(times):
        await do()
        await working(stage, count)


async def test_killed_in_the_middle_of_a_batch(tmp_path: Path, postgres_url: str) -> None:
    """Now the one, now the other; the runtimes attach to whichever lives."""

    async def trouble(stage: Stage) -> None:
        for victim in (*stage.victims, *stage.victims):
            await victim.kill()
            stage.journal.tally["kills"] += 1
            await working(stage, 20)  # by the other one alone
            assert await victim.start()

    report = await went_through(tmp_path, postgres_url, trouble, database_fails=False)
    assert report.numbers["kills"] == 4
    assert report.numbers["attachments"] > 3


async def test_connections_are_cut_one_by_one_and_all_at_once(tmp_path: Path, postgres_url: str) -> None:
    async def trouble(stage: Stage) -> None:
        for number in range(12):
            await asyncio.to_thread(cut_off_one, postgres_url, number)
            await working(stage, 5)
        for cable in stage.cables:
            for _ in range(3):
                cable.cut_one()
                await working(stage, 5)
            cable.cut()
            await working(stage, 10)
        for _ in range(3):
            await asyncio.to_thread(cut_off_all, postgres_url)
            await working(stage, 10)

    await went_through(tmp_path, postgres_url, trouble)


@pytest.mark.parametrize("when", ["before", "after"])
async def test_connections_are_cut_in_the_middle_of_a_commit(tmp_path: Path, postgres_url: str, when: str) -> None:
    """The server does not hear of it, or has done it and its answer is lost."""

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
        for _ in range(2):
            if how == "one of its processes is killed":
                with connected(own_postgres.url) as connection:
                    told = connection.execute(
                        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND "
                        "application_name = 'kinpost' ORDER BY query_start DESC LIMIT 1"
                    )
                    row = told.fetchone()
                assert row is not None, "nobody of the service is connected"
                (process_id,) = row
                os.kill(process_id, signal.SIGKILL)
                await came(lambda process_id=process_id: not Path(f"/proc/{process_id}").exists(), PATIENCE_SECONDS)
                await came(lambda: answers(own_postgres.url), PATIENCE_SECONDS)  # it ends them all, and begins anew
            else:
                own_postgres.stop("fast" if how == "restarted" else "immediate")
                failed = stage.journal.failures.total()
                await more(stage.journal.failures.total, failed)
                await asyncio.to_thread(own_postgres.start)
            await working(stage, 30)

    await went_through(tmp_path, own_postgres.url, trouble)


async def test_its_disk_is_full(tmp_path: Path) -> None:
    """Nothing of it is left; once there is room it is well again, where it has to be by being started again."""
    if not _may_mount(tmp_path):
        pytest.skip("this machine does not let us mount a disk for it")
    options = "-c max_wal_size=32MB -c min_wal_size=32MB -c wal_level=minimal -c max_wal_senders=0"
    with OwnPostgres(options, disk_bytes=128 << 20) as postgres:
        filler = postgres.data / "filler"

        async def trouble(stage: Stage) -> None:
            failed = stage.journal.failures["storage:unavailable"]
            while stage.journal.failures["storage:unavailable"] <= failed:
                disk = os.statvfs(postgres.data)
                with filler.open("ab") as growing:  # what is given back meanwhile is taken too
                    growing.write(bytes(max(0, disk.f_bavail * disk.f_frsize - 4096)))
                await asyncio.to_thread(lambda: None)
            stage.journal.tally["times that the disk was full"] += 1
            filler.unlink()
            if not postgres.serves:
                await asyncio.to_thread(postgres.start)
            await working(stage, 50)

        report = await went_through(tmp_path, postgres.url, trouble)
    assert report.numbers["times that the disk was full"] == 1


def _may_mount(folder: Path) -> bool:
    probe = folder / "probe"
    probe.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", probe], check=False, capture_output=True
    )
    if mounted.returncode == 0:
        subprocess.run(["umount", probe], check=True)
    return mounted.returncode == 0


async def test_a_replica_is_parted_from_the_database_and_comes_back(tmp_path: Path, postgres_url: str) -> None:
    """Parted without a word; the other one serves meanwhile."""

    async def trouble(stage: Stage) -> None:
        for cable in stage.cables:
            cable.part()
            try:
                await working(stage, 20)
            finally:
                cable.join()
            await working(stage, 30)

    await went_through(tmp_path, postgres_url, trouble)


async def test_a_clock_jumps(tmp_path: Path, postgres_url: str) -> None:
    """Of one replica, an hour ahead, then two back: no lease lapses by it, and times stay the database's."""
    clock = tmp_path / "clock"
    clock.write_text("0")

    def before(torture: Torture) -> None:
        torture.victims[1].within = (sys.executable, KIT / "jumping_clock.py", clock)

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
            await working(stage, 200)  # by both
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
    newer = _newer_program(tmp_path / "newer")

    async def trouble(stage: Stage) -> None:
        for victim in stage.victims:
            await victim.stop()
            await working(stage, 20)
            victim.settings["PYTHONPATH"] = str(newer)
            assert await victim.start()
            await working(stage, 40)
        with connected(postgres_url) as connection:
            assert connection.execute("SELECT count(*) FROM session WHERE note IS NULL").fetchone() != (0,)
        stage.journal.tally["upgrades"] += 1

    report = await went_through(tmp_path, postgres_url, trouble, database_fails=False)
    assert report.numbers["upgrades"] == 1


def _newer_program(folder: Path) -> Path:
    """Make a copy of the service that knows one more migration."""
    source = Path(kinpost_server.__file__).parent
    copy = Path(shutil.copytree(source, folder / "kinpost_server", ignore=shutil.ignore_patterns("__pycache__")))
    migrate = copy / "store" / "migrate.py"
    text = migrate.read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("SCHEMA_NUMBER = ")]
    number = int(line.split()[2])
    migrate.write_text(text.replace(line, f"SCHEMA_NUMBER = {number + 1}"))
    columns = "".join(
        f'    op.add_column("{table}", sa.Column("note", sa.Text(), nullable=True))\n'
        for table in ("message", "session", "run", "claim", "log")
    )
    (copy / "store" / "migrations" / "versions" / f"{number + 1:04}_notes.py").write_text(
        '"""Notes."""\nimport sqlalchemy as sa\nfrom alembic import op\n\n'
        f'revision = "{number + 1:04}"\ndown_revision = "{number:04}"\n\n\ndef upgrade() -> None:\n{columns}'
        '    op.create_index("session_note", "session", ["note"])\n'
    )
    return folder
