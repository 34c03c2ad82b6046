"""A SQLite file that is only looked at: at one moment of it, whether a server uses it or not."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from kinpost_server.engine.ports import StoreFailed
from kinpost_server.store.errors import ForeignDatabase, SchemaTooNew
from kinpost_server.store.migrate import SCHEMA_NUMBER
from kinpost_server.store.settings import StoreSettings
from kinpost_server.store.sqlite import SqliteDatabase


class ReadOnlySqlite(SqliteDatabase):
    """The file at `path`, which must be there. It takes no lock and keeps nobody out."""

    def __init__(self, path: Path) -> None:
        self.compiler = SQLiteDialect_pysqlite(paramstyle="qmark")
        self.path = path.absolute()
        self._settings = StoreSettings()

    def close(self) -> None:
        """Nothing is held."""

    @contextlib.contextmanager
    def moment(self, *, older: bool = False) -> Iterator[sqlite3.Connection]:
        """Give a connection that sees the database as it is now, whatever is written meanwhile.

        Raises StoreFailed when the file is not there, no database, or of an older schema unless those do too;
        ForeignDatabase and SchemaTooNew for one that this program does not know.
        """
        if not self.path.is_file():
            raise StoreFailed(f"{self.path} is not there")
        try:
            with contextlib.closing(self._connect()) as connection:
                connection.execute("BEGIN")
                _check_schema(connection, older=older)
                yield connection
        except sqlite3.Error as error:
            raise StoreFailed(f"{self.path}: {error}") from error

    def server(self) -> str:
        """Return the process id of the server that uses the database, empty when none does."""
        path = self.path.with_name(f"{self.path.name}.lock")
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except OSError:
            return ""
        try:
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
            if not holder:
                return ""  # who holds it has its number in it: no need to try the lock, in a starting server's way
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return holder
            return ""
        finally:
            os.close(descriptor)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            f"file:{quote(str(self.path))}?mode=ro",
            uri=True,
            timeout=self._settings.busy_timeout_seconds,
            isolation_level=None,
        )


def _check_schema(connection: sqlite3.Connection, *, older: bool) -> None:
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"log", "alembic_version", "event"} <= names:
        raise ForeignDatabase("the database is not Kinpost's")
    (number,) = connection.execute("SELECT schema_number FROM log").fetchone()
    if number > SCHEMA_NUMBER:
        raise SchemaTooNew(f"the database has schema {number}, this program knows {SCHEMA_NUMBER}: use a newer release")
    if number < SCHEMA_NUMBER and not older:
        raise StoreFailed(
            f"the database has schema {number}, this program {SCHEMA_NUMBER}: start its server once, or use its release"
        )
