"""PostgreSQL, 15 or newer: a database that several servers may share, so nothing of it is kept in memory.

Writers read at READ COMMITTED behind locks: what is read after a lock was got is what was committed before.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import psycopg
from sqlalchemy import BigInteger, NullPool, Select, Table, Text, bindparam, create_engine, func, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.engine import URL
from sqlalchemy.engine import Connection as MigrationConnection
from sqlalchemy.engine import Dialect as Compiler
from sqlalchemy.sql.elements import ColumnElement

from kinpost_server.store import arrays
from kinpost_server.store.columns import id_from_bytes, id_to_bytes
from kinpost_server.store.dialect import Connection
from kinpost_server.store.errors import UnsupportedDatabase
from kinpost_server.store.postgres_wire import (
    APPLICATION,
    IDLE_IN_TRANSACTION_SECONDS,
    PLANNING,
    SILENCE_SECONDS,
    PostgresConnection,
)
from kinpost_server.store.settings import StoreSettings

DRIVER = "postgresql+psycopg"
VERSION_MIN = 15
# Advisory locks: these two, and those of `locking.py`, which are not negative.
MIGRATION_LOCK = -1
WRITERS_LOCK = -2  # shared by every transaction that writes, except for those that have to be alone
MIGRATION_SECONDS = 60
MICROSECONDS = 1_000_000
# A process that hangs, or is cut off, while it sends statements is neither idle nor at work for PostgreSQL before 17,
# so no time limit meets it, and its locks stay. Whoever has waited for them in vain connects anew, and ends it.
END_SILENT = f"""
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND application_name = '{APPLICATION}'
    AND wait_event = 'ClientRead' AND xact_start IS NOT NULL
    AND state_change < pg_catalog.clock_timestamp() - interval '{IDLE_IN_TRANSACTION_SECONDS} s'
"""  # noqa: S608 - constants
# How the database finds out that a machine of ours is gone, with its locks and the one that says that it lives.
LIVENESS = (
    f"-c tcp_keepalives_idle={SILENCE_SECONDS // 3} -c tcp_keepalives_interval={SILENCE_SECONDS // 3} "
    f"-c tcp_keepalives_count=2 -c tcp_user_timeout={SILENCE_SECONDS * 1000}"
)
LOWEST_ID = "00000000-0000-0000-0000-000000000000"


@lru_cache(maxsize=65_536)
def canonical_id(text_: str) -> str:
    """Return a UUID as PostgreSQL writes it. Raises ValueError for any other text."""
    return id_from_bytes(id_to_bytes(text_))


def _same(value: str) -> str:
    return value


class PostgresDatabase:
    """The database that a URL names. Nothing is connected yet."""

    driver_error: type[Exception] = psycopg.Error
    row_errors: tuple[type[Exception], ...] = (
        psycopg.IntegrityError,
        psycopg.DataError,
        psycopg.ProgrammingError,
        psycopg.errors.ProgramLimitExceeded,  # a value that no index takes
        OverflowError,
    )
    passing_errors: tuple[type[Exception], ...] = (psycopg.errors.DeadlockDetected, psycopg.errors.LockNotAvailable)
    is_shared = True
    begin_read = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    lowest_id: Any = LOWEST_ID
    id_in: Callable[[str], Any] = staticmethod(canonical_id)
    id_out: Callable[[Any], str] = staticmethod(_same)
    flag_in: Callable[[bool], Any] = staticmethod(bool)

    def __init__(self, url: URL, settings: StoreSettings) -> None:
        # Compiled statements name parameters by `$1`, as the server itself does. SQLAlchemy's dialects have no types.
        dialect: Callable[..., Compiler] = PGDialect_psycopg
        self.compiler = dialect(paramstyle="numeric_dollar")
        self._url = url
        given = url.query.get("options", "")
        patience = max(1, int(settings.busy_timeout_seconds * 1000))
        self._options = (
            f"{given if isinstance(given, str) else ' '.join(given)} {PLANNING} -c lock_timeout={patience} "
            f"-c statement_timeout={int(settings.statement_seconds * 1000)} "
            f"-c idle_in_transaction_session_timeout={IDLE_IN_TRANSACTION_SECONDS * 1000} {LIVENESS}"
        )
        plain = url.set(drivername="postgresql").difference_update_query(["options"])
        self._conninfo = plain.render_as_string(hide_password=False)

    def insert(self, table: Table) -> Insert:
        """Return an insert that knows ON CONFLICT."""
        return insert(table)

    def later_of(self, one: ColumnElement[int], other: ColumnElement[int]) -> ColumnElement[int]:
        """Return the greater of two numbers."""
        return func.greatest(one, other)

    def keys(self, *ids: str, digest: str = "", number: str = "", words: str = "") -> arrays.ArrayTable:
        """Return keys of some ids, then perhaps 16 bytes, a number or a text, in columns of these names."""
        return arrays.keys(ids, digest, number, words)

    def choices(self, name: str, *, words: bool = False) -> Select[Any]:
        """Return the numbers, or the texts, that the parameter `name` carries, as a selection for IN."""
        type_ = Text() if words else BigInteger()
        return select(func.unnest(bindparam(name, type_=postgresql.ARRAY(type_))).column_valued(f"{name}_each"))

    def pack_choices(self, values: Sequence[int] | Sequence[str]) -> arrays.Literal:
        """Return the value of such a parameter."""
        if values and isinstance(values[0], str):
            return arrays.text_array(str(value) for value in values)
        return arrays.plain_array(int(value) for value in values)

    def arrays(self, table: Table, columns: Sequence[str]) -> arrays.ArrayTable:
        """Return rows of a table as one array for each column."""
        return arrays.new_rows(table, columns)

    def begin(self, connection: Connection, *, alone: bool = False) -> tuple[int, int]:
        """Begin a transaction that writes; return between which bounds the database's clock is ahead of ours.

        One round trip for all of it: the clock was read between the question and the answer.
        """
        assert isinstance(connection, PostgresConnection)
        asked = time.time_ns() // 1000
        lock = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
        _locked, now = connection.execute_plainly(
            f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT {lock}({WRITERS_LOCK}), "  # noqa: S608 - constants
            f"(extract(epoch FROM clock_timestamp()) * {MICROSECONDS})::bigint"
        )
        assert now is not None
        answered = time.time_ns() // 1000
        return int(now) - answered, int(now) - asked

    def pipelined(self, connection: Connection) -> contextlib.AbstractContextManager[object]:
        """Let statements go out together; whoever fetches waits for all up to there."""
        assert isinstance(connection, PostgresConnection)
        return connection.pipeline()

    def connect_writer(self) -> PostgresConnection:
        """Return a connection that the one writer of this process uses, from any one thread at a time."""
        connection = PostgresConnection(self._conninfo, self._options)
        # What is answered is on the disk, whatever the server does for others.
        connection.execute_plainly(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )
        connection.execute_plainly(END_SILENT)
        return connection

    def is_cut(self, connection: Connection) -> bool:
        """Whether something has come on a connection that is asked nothing: in all likelihood its end."""
        assert isinstance(connection, PostgresConnection)
        return connection.has_news()

    def connect_reader(self) -> PostgresConnection:
        """Return a connection that cannot write, for any one thread at a time."""
        return PostgresConnection(self._conninfo, f"{self._options} -c default_transaction_read_only=on")

    @contextlib.contextmanager
    def migrating(self) -> Iterator[MigrationConnection]:
        """Give a connection in a transaction of its own that changes the schema as a whole or not at all.

        Servers that start together do so one after the other.
        """
        engine = create_engine(
            self._url.set(drivername=DRIVER), poolclass=NullPool, connect_args={"options": self._migration_options()}
        )
        with engine.begin() as connection:
            version = int((connection.dialect.server_version_info or (0,))[0])
            if version < VERSION_MIN:
                raise UnsupportedDatabase(f"PostgreSQL {version} is too old: use {VERSION_MIN} or newer")
            encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
            if encoding != "UTF8":
                raise UnsupportedDatabase(f"the database is encoded in {encoding}: make one that is encoded in UTF8")
            connection.execute(select(func.pg_advisory_xact_lock(MIGRATION_LOCK)))
            yield connection

    def keep_writers_out(self, connection: MigrationConnection) -> None:
        """Wait for those who write, and let nobody write before the connection's transaction has ended.

        Who changes tables one after the other would else wait in a circle with those who write to them.
        """
        connection.execute(select(func.pg_advisory_xact_lock(WRITERS_LOCK)))

    def _migration_options(self) -> str:
        given = self._url.query.get("options", "")
        limit = MIGRATION_SECONDS * 1000
        return f"{given if isinstance(given, str) else ' '.join(given)} -c lock_timeout={limit}"

    def close(self) -> None:
        """Nothing is held."""
