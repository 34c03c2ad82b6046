"""Opening a store by its URL: the one place that knows which databases there are."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from kinpost_server.domain.event import Event
from kinpost_server.engine.ports import StoreFailed
from kinpost_server.store.dialect import Database
from kinpost_server.store.errors import UnsupportedDatabase
from kinpost_server.store.migrate import Log, migrate
from kinpost_server.store.pool import ReaderPool
from kinpost_server.store.postgres import DRIVER, PostgresDatabase
from kinpost_server.store.reading import SqlReader
from kinpost_server.store.replicas import PostgresReplicas
from kinpost_server.store.settings import StoreSettings
from kinpost_server.store.shared_store import SharedStore
from kinpost_server.store.sqlite import SqliteDatabase
from kinpost_server.store.store import SqlStore

DEFAULTS = StoreSettings()
MIGRATION_ATTEMPTS_MAX = 5
OWN_CONNECTIONS = 2
DATABASE_FILE = "kinpost.db"  # in a data folder


@dataclass(slots=True, frozen=True)
class OpenStore:
    """An open database. Closing `store` closes all of it."""

    store: SqlStore
    reader: SqlReader
    own_reader: SqlReader  # for what the service reads by itself: no caller's read is in front of that
    log_id: str
    envelope_key: bytes


def open_store(
    database_url: str,
    *,
    encode: Callable[[Event], bytes],
    decode_body: Callable[[bytes], str],
    settings: StoreSettings = DEFAULTS,
) -> OpenStore:
    """Open the database, make it or bring its schema up to date, and return both sides of the store.

    `encode` serialises an event for the log; `decode_body` takes the body out of a serialised accepted event.
    `sqlite:///relative/path` and `sqlite:////absolute/path` name files, quoted as in every URL (`sqlite_url`); missing
    folders are made for their owner only. `postgresql+psycopg://user:password@host/name` names a database of a
    PostgreSQL server, which must be there.

    Raises UnsupportedDatabase for another URL, StoreLocked when another server has the database, SchemaTooNew and
    ForeignDatabase for one that this program must not touch, StoreFailed when the database does not answer.
    """
    database = _database(database_url, settings)
    try:
        log = _migrated(database)
        pool, own_pool = ReaderPool(database, settings.reader_connections_max), ReaderPool(database, OWN_CONNECTIONS)
        kind = SharedStore if database.is_shared else SqlStore
        store = kind(database, settings, (pool, own_pool), encode, decode_body)
        if isinstance(database, PostgresDatabase):
            store.replicas = PostgresReplicas(database)
            store.begin()  # the clock that counts is known from the beginning
            store.rollback()
        reader, own_reader = (SqlReader(database, each, log.log_id, decode_body) for each in (pool, own_pool))
    except (DBAPIError, database.driver_error) as error:
        database.close()
        raise StoreFailed(str(getattr(error, "orig", error)).strip()) from error
    except BaseException:
        database.close()
        raise
    return OpenStore(store, reader, own_reader, log.log_id, log.envelope_key)


def sqlite_url(path: Path) -> str:
    """Return the URL of a SQLite file, whatever characters its path is made of."""
    return f"sqlite:///{quote(str(path))}"


def is_postgres(database_url: str) -> bool:
    """Whether a URL names a database of PostgreSQL's."""
    return database_url.startswith(f"{DRIVER}:")


def _migrated(database: Database) -> Log:
    """Bring the schema up to date; again, where somebody who read stood in the way of it."""
    for _ in range(MIGRATION_ATTEMPTS_MAX - 1):
        try:
            with database.migrating() as connection:
                return migrate(connection, str(uuid.uuid4()), database.keep_writers_out)
        except DBAPIError as error:
            if not isinstance(error.orig, database.passing_errors):
                raise
    with database.migrating() as connection:
        return migrate(connection, str(uuid.uuid4()), database.keep_writers_out)


def _database(database_url: str, settings: StoreSettings) -> Database:
    try:
        url = make_url(database_url)
    except ArgumentError as error:
        raise UnsupportedDatabase(f"not a database URL: {database_url!r}") from error
    if url.drivername == DRIVER and url.database:
        return PostgresDatabase(url, settings)
    if url.drivername != "sqlite" or not url.database or url.database == ":memory:":
        raise UnsupportedDatabase(
            f"{url.render_as_string(hide_password=True)!r} names no database that this server can use; "
            f"use sqlite:///path/to/file or {DRIVER}://user:password@host/name"
        )
    return SqliteDatabase(Path(url.database), settings)
