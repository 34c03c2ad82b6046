"""A PostgreSQL database as a SQLite file, row for row: what examines files then examines it too."""

from __future__ import annotations

from pathlib import Path

from kinpost_server.store import open_store
from kinpost_server.store.opening import sqlite_url
from kinpost_server.transport.event_codec import decode_body, encode
from sqlalchemy import create_engine, delete, insert, select
from sqlalchemy.pool import NullPool
from sqlmodel import SQLModel


def copy_to_file(url: str, path: Path) -> None:
    """Make a SQLite file at `path` with everything that the database holds."""
    open_store(sqlite_url(path), encode=encode, decode_body=decode_body).store.close()
    database, file = (create_engine(name, poolclass=NullPool) for name in (url, sqlite_url(path)))
    with database.connect() as source, file.begin() as target:
        source.execution_options(isolation_level="REPEATABLE READ")
        for table in SQLModel.metadata.sorted_tables:
            target.execute(delete(table))
            if rows := [dict(row) for row in source.execute(select(table)).mappings()]:
                target.execute(insert(table), rows)
