"""The database of a torture on PostgreSQL, and what befalls it: it is restarted, it crashes, its disk is full."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from own_postgres import OwnPostgres, answers
from postgres_server import VARIABLE, end_shared_server, given_url, shared_server
from small_disk import may_have_one

from torture_kit.troubles import Stage, Trouble
from torture_kit.victim import pause

# Many replicas, and a disk that its own log does not fill.
OPTIONS = (
    "-c autovacuum=on -c max_connections=400 -c shared_buffers=64MB -c max_wal_size=64MB -c min_wal_size=32MB "
    "-c wal_level=minimal -c max_wal_senders=0"
)
# In memory, as far as it is used.
DISK_BYTES = 2 << 30
DISK_MINUTES_MAX = 30.0  # what more is written in may not fit
DOWN_SECONDS_MAX = 2.0
FULL_SECONDS_MAX = 20.0
LEFT_FULL_SECONDS_MAX = 1.0
BACK_SECONDS_MAX = 60.0
UNAVAILABLE = "storage:unavailable"
RESTARTED, CRASHED, DISK_FULL = "the database restarted", "the database crashed", "the database's disk full"


@dataclass(slots=True)
class Database:
    """Where it is, what may befall it, and what may not, with the reason."""

    url: str
    troubles: list[Trouble] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


@contextmanager
def database(folder: Path, minutes: float) -> Iterator[Database]:
    """A database for a run of this length: of the server that is given, or of one that is started for it.

    The log of one that was started is kept in the folder.
    """
    if given_url():
        server = shared_server(folder)
        url = server.make_database(empty=True)
        try:
            reason = f"the server is not ours, {VARIABLE} names it"
            yield Database(url, left_out=dict.fromkeys((RESTARTED, CRASHED, DISK_FULL), reason))
        finally:
            server.drop_database(url)
            end_shared_server(folder)
        return
    reason = ""
    if minutes > DISK_MINUTES_MAX:
        reason = f"its disk is in memory, which is too small for a run of more than {DISK_MINUTES_MAX:.0f} minutes"
    elif not may_have_one(folder):
        reason = "this machine does not let us mount a disk for it"
    with OwnPostgres(OPTIONS, disk_bytes=0 if reason else DISK_BYTES) as postgres:
        outages = Outages(postgres)
        try:
            if reason:
                yield Database(postgres.url, [outages.restart, outages.crash], {DISK_FULL: reason})
            else:
                yield Database(postgres.url, [outages.restart, outages.crash, outages.disk_full])
        finally:
            shutil.copyfile(postgres.log, folder / "postgres.log")


class Outages:
    """Of a server of our own."""

    def __init__(self, postgres: OwnPostgres) -> None:
        self._postgres = postgres
        self.restart = Trouble(RESTARTED, partial(self._go_and_come, "fast"))
        self.crash = Trouble(CRASHED, partial(self._go_and_come, "immediate"))
        self.disk_full = Trouble(DISK_FULL, self._fill_disk)

    async def _go_and_come(self, mode: str, stage: Stage, rng: random.Random) -> bool:
        await asyncio.to_thread(self._postgres.stop, mode)
        try:
            await pause(rng.uniform(0, DOWN_SECONDS_MAX), stage.go_on)
        finally:
            await asyncio.to_thread(self._postgres.start)
        return True

    async def _fill_disk(self, stage: Stage, rng: random.Random) -> bool:
        """Leave it no room until it has said so and clients were told, and some time more."""
        full_count, failures = self._postgres.full_count, stage.journal.failures[UNAVAILABLE]

        def is_full() -> bool:
            self._postgres.fill_disk()
            return self._postgres.full_count > full_count and stage.journal.failures[UNAVAILABLE] > failures

        try:
            async with stage.held(rng):  # somebody writes
                full = await stage.happens(is_full, FULL_SECONDS_MAX)
                await pause(rng.uniform(0, LEFT_FULL_SECONDS_MAX), stage.go_on)
        finally:
            self._postgres.free_disk()
            await come_back(self._postgres)
        return full


async def come_back(postgres: OwnPostgres) -> None:
    """Wait until a server serves; start it where a full disk has ended it. Raises TimeoutError."""
    async with asyncio.timeout(BACK_SECONDS_MAX):
        while not await asyncio.to_thread(answers, postgres.url):
            if postgres.serves:
                await asyncio.sleep(0.1)
            else:
                await asyncio.to_thread(postgres.start)
