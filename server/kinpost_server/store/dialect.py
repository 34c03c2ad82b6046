"""The seam between the store and a database: what differs from one to the next, and nothing else.

The store builds its statements once with SQLAlchemy Core and runs them through the driver's own connection. A second
database is another `Database` and no change elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from sqlalchemy import FromClause, Select, Table
from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
from sqlalchemy.dialects.sqlite import Insert as SqliteInsert
from sqlalchemy.engine import Connection as MigrationConnection
from sqlalchemy.engine import Dialect as Compiler
from sqlalchemy.sql.elements import ColumnElement

Row = tuple[Any, ...]
Insert = SqliteInsert | PostgresInsert


class Cursor(Protocol):
    """What a driver answers with."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def fetchone(self) -> Any:
        """Return the next row, None after the last."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """A driver's connection, outside of any transaction until one is begun by its statement."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Cursor:
        """Run one statement."""

    def close(self) -> None:
        """Close it; an open transaction is rolled back."""


class Keys(Protocol):
    """A set of keys as a table that statements join with, of whatever length, in a fixed text."""

    table: FromClause

    def joined(self, table: Table, names: Sequence[str]) -> FromClause:
        """Return the rows of a table that have the keys in columns of these names, each row once."""

    def among(self, column: ColumnElement[Any]) -> list[ColumnElement[bool]]:
        """Return what to add to a join of several columns so that the index of one is entered by it in every plan.

        The keys' column of the same name is meant. Nothing where the database does so anyway.
        """

    def pack(self, keys: Iterable[Sequence[Any]]) -> dict[str, Any]:
        """Return the parameters that carry the keys, ids as `Database.id_in` gives them."""


class Arrays(Protocol):
    """Rows as a table that statements select from: an array for each column, of whatever length."""

    table: FromClause
    names: tuple[str, ...]  # of the parameters, in the order of the columns

    def pack(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the parameters that carry the rows."""


class Database(Protocol):
    """One database: how its SQL is written, its values are bound, and its connections are made."""

    compiler: Compiler
    driver_error: type[Exception]
    row_errors: tuple[type[Exception], ...]
    passing_errors: tuple[type[Exception], ...]  # of a transaction that may be tried again as it is
    is_shared: bool  # several processes may write at a time: nothing that another can change is kept in memory
    begin_read: str
    lowest_id: Any
    id_in: Callable[[str], Any]
    id_out: Callable[[Any], str]
    flag_in: Callable[[bool], Any]

    def insert(self, table: Table) -> Insert:
        """Return an insert that knows ON CONFLICT."""

    def later_of(self, one: ColumnElement[int], other: ColumnElement[int]) -> ColumnElement[int]:
        """Return the greater of two numbers."""

    def keys(self, *ids: str, digest: str = "", number: str = "", words: str = "") -> Keys:
        """Return keys of some ids, then perhaps 16 bytes, a number or a text, in columns of these names."""

    def choices(self, name: str, *, words: bool = False) -> Select[Any]:
        """Return the numbers, or the texts, that the parameter `name` carries, as a selection for IN."""

    def pack_choices(self, values: Sequence[int] | Sequence[str]) -> Any:
        """Return the value of such a parameter."""

    def arrays(self, table: Table, columns: Sequence[str]) -> Arrays | None:
        """Return rows of a table as one array for each column, None where rows are written out one by one."""

    def begin(self, connection: Connection, *, alone: bool = False) -> tuple[int, int]:
        """Begin a transaction that writes; return how far the database's clock is ahead of ours.

        That is known within bounds alone: at least the first number, at most the second, in microseconds.
        `alone`: no other transaction of this kind stands meanwhile, of whatever process.
        """

    def pipelined(self, connection: Connection) -> AbstractContextManager[object]:
        """Let statements go out together, where that saves round trips. What one raises may come at the end."""

    def connect_writer(self) -> Connection:
        """Return a connection that the one writer uses, from any one thread at a time."""

    def is_cut(self, connection: Connection) -> bool:
        """Whether a connection that is asked nothing is at its end, as far as this machine has heard."""

    def connect_reader(self) -> Connection:
        """Return a connection that cannot write, for any one thread at a time."""

    def migrating(self) -> AbstractContextManager[MigrationConnection]:
        """Give a connection in a transaction of its own that changes the schema as a whole or not at all."""

    def keep_writers_out(self, connection: MigrationConnection) -> None:
        """Wait for those who write, and let nobody write before the connection's transaction has ended."""

    def close(self) -> None:
        """Let others have the database. Connections are closed before."""
