"""SQLite: one file, one server, WAL, every commit on the disk before it is answered.

The write connection belongs to one thread at a time; reading connections see the last commit and never wait for it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import (
    Column,
    FromClause,
    Integer,
    LargeBinary,
    NullPool,
    Select,
    Table,
    Text,
    and_,
    bindparam,
    create_engine,
    event,
    func,
    literal_column,
    select,
)
from sqlalchemy.dialects.sqlite import Insert, insert
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import Connection as MigrationConnection
from sqlalchemy.engine import Dialect as Compiler
from sqlalchemy.sql.elements import ColumnElement

from kinpost_server.engine.ports import StoreFailed
from kinpost_server.store.columns import ID_BYTES, id_from_bytes, id_to_bytes
from kinpost_server.store.dialect import Connection
from kinpost_server.store.lockfile import LockFile
from kinpost_server.store.settings import StoreSettings

STATEMENTS_CACHED = 512  # more than the store has, so that none is ever parsed twice
PAGE_BYTES = 4096
BEGIN_WRITE = "BEGIN IMMEDIATE"


class SqliteKeys:
    """Ids travel as one BLOB, cut by `substr`; a JSON array counts them and carries the number or text of each.

    (`unhex` would let JSON carry the ids too; it is younger than the SQLite that many systems have.)
    """

    def __init__(self, ids: tuple[str, ...], value: str) -> None:
        each = func.json_each(bindparam("key_values", type_=Text)).table_valued("key", "value", name="each")
        blob = bindparam("key_ids", type_=LargeBinary)
        stride = ID_BYTES * len(ids)
        columns: list[ColumnElement[Any]] = [
            func.substr(blob, each.c.key * literal_column(str(stride)) + literal_column(str(start)), _ID_LENGTH).label(
                name
            )
            for name, start in zip(ids, range(1, stride + 1, ID_BYTES), strict=True)
        ]
        if value:
            columns.append(each.c.value.label(value))
        self.table: FromClause = select(*columns).subquery("keys")
        self._ids = len(ids)
        self._value = bool(value)

    def joined(self, table: Table, names: Sequence[str]) -> FromClause:
        """Return the rows of a table that have the keys in columns of these names."""
        return self.table.join(table, and_(*(table.c[name] == self.table.c[name] for name in names)))

    def among(self, _column: ColumnElement[Any]) -> list[ColumnElement[bool]]:
        """Return nothing: the keys always lead to the rows here."""
        return []

    def pack(self, keys: Iterable[Sequence[Any]]) -> dict[str, Any]:
        """Return the parameters that carry the keys."""
        keys = list(keys)
        ids = b"".join(part for key in keys for part in key[: self._ids])
        values = json.dumps([key[self._ids] for key in keys]) if self._value else f"[{','.join('0' * len(keys))}]"
        return {"key_ids": ids, "key_values": values}


_ID_LENGTH: ColumnElement[int] = literal_column(str(ID_BYTES), Integer)


class SqliteDatabase:
    """The file at `path`, locked against a second server as long as this lives.

    Raises StoreLocked when another server has it, StoreFailed when it is no database or cannot be written.
    """

    driver_error: type[Exception] = sqlite3.Error
    # OverflowError: an integer of more than 64 bits. ProgrammingError: a value of a type SQLite does not know.
    row_errors: tuple[type[Exception], ...] = (
        sqlite3.IntegrityError,
        sqlite3.DataError,
        sqlite3.InterfaceError,
        sqlite3.ProgrammingError,
        OverflowError,
    )
    passing_errors: tuple[type[Exception], ...] = ()
    is_shared = False
    begin_read = "BEGIN"
    lowest_id: Any = b""
    id_in: Callable[[str], Any] = staticmethod(id_to_bytes)
    id_out: Callable[[Any], str] = staticmethod(id_from_bytes)
    flag_in: Callable[[bool], Any] = staticmethod(int)

    def __init__(self, path: Path, settings: StoreSettings) -> None:
        # Compiled statements name parameters by `?`, in the order of the text.
        self.compiler: Compiler = SQLiteDialect_pysqlite(paramstyle="qmark")
        self.path = path.absolute()
        self._settings = settings
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = LockFile(self.path.resolve())
        except OSError as error:
            raise StoreFailed(f"{self.path}: {error.strerror}") from error
        try:
            self._prepare_file()
        except (sqlite3.Error, OSError) as error:
            self._lock.release()
            raise StoreFailed(f"{self.path}: {error}") from error

    def insert(self, table: Table) -> Insert:
        """Return an insert that knows ON CONFLICT."""
        return insert(table)

    def later_of(self, one: ColumnElement[int], other: ColumnElement[int]) -> ColumnElement[int]:
        """Return the greater of two numbers."""
        return func.max(one, other)

    def keys(self, *ids: str, digest: str = "", number: str = "", words: str = "") -> SqliteKeys:
        """Return keys of some ids, then perhaps 16 bytes, a number or a text, in columns of these names."""
        return SqliteKeys((*ids, digest) if digest else ids, number or words)

    def choices(self, name: str, *, words: bool = False) -> Select[Any]:
        """Return the numbers, or the texts, that the parameter `name` carries, as a selection for IN."""
        each = func.json_each(bindparam(name, type_=Text)).table_valued(Column("value"), name=f"{name}_each")
        return select(each.c.value)

    def pack_choices(self, values: Sequence[int] | Sequence[str]) -> str:
        """Return the value of such a parameter."""
        return json.dumps([value if isinstance(value, str) else int(value) for value in values])

    def arrays(self, table: Table, columns: Sequence[str]) -> None:
        """Return None: rows are written out one by one."""

    def begin(self, connection: Connection, *, alone: bool = False) -> tuple[int, int]:
        """Begin a transaction that writes, which is always alone; the clock is this machine's."""
        connection.execute(BEGIN_WRITE)
        return 0, 0

    def pipelined(self, _connection: Connection) -> contextlib.nullcontext[None]:
        """Do nothing: there are no round trips."""
        return contextlib.nullcontext()

    def connect_writer(self) -> sqlite3.Connection:
        """Return a connection that the one writer uses, from any one thread at a time."""
        connection = self._connect()
        for pragma in (
            "synchronous = FULL",
            f"wal_autocheckpoint = {self._settings.checkpoint_pages}",
            f"cache_size = {-self._settings.page_cache_bytes // 1024}",
            "temp_store = MEMORY",
        ):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def is_cut(self, _connection: Connection) -> bool:
        """Return False: a file is not cut off."""
        return False

    def connect_reader(self) -> sqlite3.Connection:
        """Return a connection that cannot write, for any one thread at a time."""
        connection = self._connect()
        connection.execute("PRAGMA query_only = ON")
        return connection

    @contextlib.contextmanager
    def migrating(self) -> Iterator[MigrationConnection]:
        """Give a connection in a transaction of its own that changes the schema as a whole or not at all."""
        engine = create_engine("sqlite://", creator=self._connect, poolclass=NullPool)

        @event.listens_for(engine, "begin")
        def begin(connection: MigrationConnection) -> None:
            # The driver is in autocommit mode: it would otherwise commit before each CREATE.
            connection.exec_driver_sql(BEGIN_WRITE)

        with engine.begin() as connection:
            yield connection

    def keep_writers_out(self, connection: MigrationConnection) -> None:
        """Nobody else writes: the transaction has the one lock."""

    def close(self) -> None:
        """Let others have the database. Connections are closed before."""
        self._lock.release()

    def _prepare_file(self) -> None:
        """Make the file where there is none, readable for its owner only, and put it into WAL mode."""
        with contextlib.suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode=0o600))
        connection = self._connect()
        try:
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                raise sqlite3.OperationalError("its file system does not let SQLite keep a write-ahead log")
        finally:
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        # mode=rw: a file that has vanished is an error, not a new and empty log.
        return sqlite3.connect(
            f"file:{quote(str(self.path))}?mode=rw",
            uri=True,
            timeout=self._settings.busy_timeout_seconds,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=STATEMENTS_CACHED,
        )
