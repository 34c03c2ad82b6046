"""The databases under measurement: a file, and PostgreSQL as it comes, on a server of the run's own or a given one."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "kit"))

from postgres_server import DURABLE_OPTIONS, PostgresServer, connected, end_shared_server, shared_server
from sqlalchemy.engine import make_url

OWN = "postgres"


@dataclass
class Databases:
    """Where new databases of one kind come from."""

    name: str
    server: PostgresServer | None = None

    def make(self) -> str:
        """Return the URL of an empty database; empty for the file in the server's own data folder."""
        return self.server.make_database(empty=True) if self.server is not None else ""

    def drop(self, url: str) -> None:
        """Drop a database that was made."""
        if self.server is not None:
            self.server.drop_database(url)

    def rest(self, url: str) -> None:
        """Let PostgreSQL do at once what it does by itself some time after many writes, and would do meanwhile."""
        if self.server is not None:
            with connected(url) as connection:
                connection.execute("VACUUM (ANALYZE)")
                connection.execute("CHECKPOINT")


@contextmanager
def databases(which: str) -> Iterator[list[Databases]]:
    """SQLite, and beside it PostgreSQL if asked for: `postgres`, or the URL of a role that may make databases."""
    found = [Databases("SQLite")]
    if not which:
        yield found
    elif which != OWN:
        url = make_url(which).set(drivername="postgresql")
        yield [*found, Databases("PostgreSQL", PostgresServer(url, "template0"))]
    else:
        with tempfile.TemporaryDirectory(prefix="kinpost-bench-") as name:
            try:
                yield [*found, Databases("PostgreSQL", shared_server(Path(name), DURABLE_OPTIONS))]
            finally:
                end_shared_server(Path(name))
