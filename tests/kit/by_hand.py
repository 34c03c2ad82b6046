"""A hand in the database, beside the server: what only an operator, a bug or a bad disk would do."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

from postgres_server import connected


def change_by_hand(database: Path | str, statement: str) -> int:
    """Run a statement in a file of SQLite's or, by its URL, in a database of PostgreSQL's, and commit it.

    Return how many rows it changed.
    """
    if isinstance(database, str):
        with connected(database) as connection:
            return connection.execute(statement.encode()).rowcount
    with contextlib.closing(sqlite3.connect(database, isolation_level=None, timeout=20)) as file:
        return file.execute(statement).rowcount


def rows_by_hand(database: Path | str, statement: str) -> list[tuple[Any, ...]]:
    """Return the rows that a query gives."""
    if isinstance(database, str):
        with connected(database) as connection:
            return connection.execute(statement.encode()).fetchall()
    with contextlib.closing(sqlite3.connect(database, isolation_level=None, timeout=20)) as file:
        return file.execute(statement).fetchall()
