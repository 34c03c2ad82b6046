"""The databases that the conformance suite runs over: a file of SQLite's, and a database of PostgreSQL's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kinpost_server.store import OpenStore, StoreSettings, open_store
from kinpost_server.transport.event_codec import decode_body, encode
from scribe import Scribe


class TestedDatabase:
    """A database that a test opens, as a server would when it starts."""

    __test__ = False

    def __init__(self, url: str) -> None:
        self.url = url
        self._opened: list[OpenStore] = []

    def open(self, settings: StoreSettings | None = None) -> OpenStore:
        """Open it."""
        opened = open_store(self.url, encode=encode, decode_body=decode_body, settings=settings or StoreSettings())
        self._opened.append(opened)
        return opened

    def close(self) -> None:
        """Close whatever is still open."""
        for opened in self._opened:
            opened.store.close()


class SqliteFile(TestedDatabase):
    """A database in a file of its own."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "data" / "kinpost.sqlite3"
        super().__init__(f"sqlite:///{self.path}")


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> TestedDatabase:
    """A new database of each kind."""
    found: TestedDatabase = request.getfixturevalue(f"{request.param}_database")
    return found


@pytest.fixture
def sqlite_database(tmp_path: Path) -> Iterator[SqliteFile]:
    """A new file, for what only SQLite has."""
    made = SqliteFile(tmp_path)
    yield made
    made.close()


@pytest.fixture
def postgres_database(postgres_url: str) -> Iterator[TestedDatabase]:
    """A new database of PostgreSQL's, for what only that has."""
    made = TestedDatabase(postgres_url)
    yield made
    made.close()


@pytest.fixture
def opened(database: TestedDatabase) -> OpenStore:
    """It, opened."""
    return database.open()


@pytest.fixture
def scribe(opened: OpenStore) -> Scribe:
    """Somebody who writes into it."""
    return Scribe(opened.store)
