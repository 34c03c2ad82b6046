"""A store in which a server cannot write for a while, because another has locked what it has to have."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import psycopg
from kinpost_server.store.postgres import WRITERS_LOCK
from postgres_server import plain

# Every writer takes it first: of SQLite's file the one lock that there is, of PostgreSQL the one that writers share and
# a migration keeps them out with. So nobody can so much as begin.
BEGINNING = "the beginning"
# Every commit of events takes it last: PostgreSQL's row of positions, which a replica holds that hangs in its COMMIT.
# Others begin, load and decide meanwhile, and wait with all their locks.
END = "the end"

_OF_POSTGRES = {
    BEGINNING: f"SELECT pg_advisory_xact_lock({WRITERS_LOCK})",
    END: "SELECT FROM log FOR UPDATE",
}
_OF_SQLITE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=20)
print("ready", flush=True)
if not sys.stdin.readline():
    sys.exit()
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
"""


class Holder(Protocol):
    """Another who uses the database."""

    async def connect(self) -> None:
        """Come near it."""

    async def hold(self) -> None:
        """Take the lock."""

    async def let_go(self) -> None:
        """Give it back, and go."""


class OtherProcess:
    """A process with SQLite's write lock: within one process it would not be another's."""

    def __init__(self, database: Path) -> None:
        self._database = database

    async def connect(self) -> None:
        """Start it, with the file open."""
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _OF_SQLITE, self._database),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        await self._said(b"ready\n")

    async def hold(self) -> None:
        """Begin to write."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        await self._said(b"locked\n")

    async def let_go(self) -> None:
        """Write nothing, and end it."""
        await self._process.communicate(b"\n")

    async def _said(self, line: bytes) -> None:
        assert self._process.stdout is not None
        async with asyncio.timeout(100):
            assert await self._process.stdout.readline() == line


class OtherSession:
    """A session of PostgreSQL's with a lock that a statement takes."""

    def __init__(self, url: str, statement: str) -> None:
        self._url = url
        self._statement = statement

    async def connect(self) -> None:
        """Begin it."""
        self._connection: psycopg.AsyncConnection[Any] = await psycopg.AsyncConnection.connect(plain(self._url))

    async def hold(self) -> None:
        """Take the lock, for as long as the transaction lasts."""
        async with asyncio.timeout(100):
            await self._connection.execute(self._statement.encode())

    async def let_go(self) -> None:
        """End it; to close it alone would only ask for that."""
        await self._connection.rollback()
        await self._connection.close()


class Locked:
    """A file of SQLite's, or a PostgreSQL database by its URL, of which another holds a lock while the context lasts.

    That other one is there from `prepare` on, for whoever has no time to lose, or from entering on.
    """

    def __init__(self, database: Path | str, held: str = BEGINNING) -> None:
        assert isinstance(database, str) or held == BEGINNING, "SQLite has one lock"
        self._holder: Holder = (
            OtherSession(database, _OF_POSTGRES[held]) if isinstance(database, str) else OtherProcess(database)
        )
        self._is_there = False
        self.locked = False

    async def prepare(self) -> None:
        """Let the other one come, who takes the lock upon entering."""
        await self._holder.connect()
        self._is_there = True

    async def __aenter__(self) -> Self:
        if not self._is_there:
            await self.prepare()
        await self._holder.hold()
        self.locked = True
        return self

    async def release(self) -> None:
        """Let go of it."""
        if self.locked:
            self.locked = False
            await self._holder.let_go()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.release()
