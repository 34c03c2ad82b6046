"""Statements, compiled once for a database and run through its driver's connection.

Nothing here depends on how many rows or keys there are at a time: the driver sees few texts and parses each once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlalchemy import FromClause, Table, bindparam, column, select, update, values
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ClauseElement

from kinpost_server.store.dialect import Arrays, Connection, Cursor, Database, Insert, Keys, Row

# Each call of the driver is a round trip of the interpreter's lock, which a busy event loop makes dear; each size is
# a text that the driver keeps parsed. Rows that do not fill a size are followed by empty ones, which write nothing.
ROWS_AT_A_TIME = (1, 2, 4, 8, 16, 32, 64)
ROWS_AT_A_TIME_MAX = ROWS_AT_A_TIME[-1]


def _compile(database: Database, statement: ClauseElement) -> SQLCompiler:
    compiled = statement.compile(dialect=database.compiler, compile_kwargs={"render_postcompile": True})
    assert isinstance(compiled, SQLCompiler)
    return compiled


class Query:
    """A statement with named parameters."""

    __slots__ = ("_constants", "_names", "_sql")

    def __init__(self, database: Database, statement: ClauseElement) -> None:
        compiled = _compile(database, statement)
        self._sql = str(compiled)
        self._names = tuple(compiled.positiontup or ())
        self._constants = {name: bind.value for name, bind in compiled.binds.items() if not bind.required}

    @property
    def sql(self) -> str:
        """Its text, as the driver gets it."""
        return self._sql

    def run(self, connection: Connection, **given: Any) -> Cursor:
        """Run it with all of its parameters, in the form that the driver takes."""
        given.update(self._constants)
        return connection.execute(self._sql, [given[name] for name in self._names])


class KeyedQuery:
    """A statement that joins with a set of keys; without keys it is not run."""

    __slots__ = ("_keys", "_query")

    def __init__(self, database: Database, keys: Keys, statement: ClauseElement) -> None:
        self._query = Query(database, statement)
        self._keys = keys

    @property
    def sql(self) -> str:
        """Its text, as the driver gets it."""
        return self._query.sql

    def rows(self, connection: Connection, keys: Sequence[Row], **given: Any) -> list[Row]:
        """Return what it finds for the keys."""
        if not keys:
            return []
        return self._query.run(connection, **self._keys.pack(keys), **given).fetchall()

    def apply(self, connection: Connection, keys: Sequence[Row]) -> None:
        """Carry it out for the keys."""
        if keys:
            self._query.run(connection, **self._keys.pack(keys))


class Rows:
    """Rows written many at a time, by statements of a few fixed sizes. A row without its first column is no row."""

    __slots__ = ("_columns", "_database", "_empty", "_make", "_sql")

    def __init__(
        self, database: Database, columns: Sequence[str], make: Callable[[list[dict[str, Any]]], ClauseElement]
    ) -> None:
        self._database = database
        self._columns = columns
        self._make = make
        self._empty = (None,) * len(columns)
        self._sql: dict[int, str] = {}

    def write(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Write rows whose values are in the order of the columns, which is the table's."""
        for at in range(0, len(rows), ROWS_AT_A_TIME_MAX):
            part = rows[at : at + ROWS_AT_A_TIME_MAX]
            size = 1 << (len(part) - 1).bit_length()
            sql = self._sql.get(size) or self._compiled(size)
            if size == 1:
                connection.execute(sql, part[0])
            else:
                values = [value for row in part for value in row]
                values.extend(self._empty * (size - len(part)))
                connection.execute(sql, values)

    def sql(self, size: int) -> str:
        """Return the text for so many rows."""
        return self._sql.get(size) or self._compiled(size)

    def _compiled(self, size: int) -> str:
        rows: list[dict[str, Any]] = [
            {name: bindparam(f"{name}_{number}") for name in self._columns} for number in range(size)
        ]
        compiled = _compile(self._database, self._make(rows))
        expected = [f"{name}_{number}" for number in range(size) for name in self._columns]
        assert list(compiled.positiontup or ()) == expected, compiled.positiontup
        self._sql[size] = str(compiled)
        return self._sql[size]


class ArrayRows:
    """Rows written by one statement, however many: each of their columns is an array."""

    __slots__ = ("_arrays", "_query")

    def __init__(self, database: Database, arrays: Arrays, make: Callable[[FromClause], ClauseElement]) -> None:
        self._arrays = arrays
        self._query = Query(database, make(arrays.table))

    def write(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Write rows whose values are in the order of the columns, which is the table's."""
        if rows:
            self._query.run(connection, **self._arrays.pack(rows))

    def sql(self, size: int) -> str:
        """Return the text for so many rows, which is the same for all."""
        return self._query.sql


New = list[dict[str, Any]] | FromClause  # the rows that a statement writes


def _rows(
    database: Database, table: Table, columns: Sequence[str], make: Callable[[New], ClauseElement]
) -> Rows | ArrayRows:
    arrays = database.arrays(table, columns)
    return Rows(database, columns, make) if arrays is None else ArrayRows(database, arrays, make)


def _insert(database: Database, table: Table, names: Sequence[str], rows: New) -> Insert:
    """Return the insertion of one row, of several that may end with empty ones, or of arrays."""
    if isinstance(rows, FromClause):
        return database.insert(table).from_select(list(names), select(*(rows.c[name] for name in names)))
    if len(rows) == 1:
        return database.insert(table).values(rows)
    new = _new_rows(table, names, rows)
    is_row = new.c[names[0]].is_not(None)
    return database.insert(table).from_select(list(names), select(*(new.c[name] for name in names)).where(is_row))


def _new_rows(table: Table, names: Sequence[str], rows: New) -> FromClause:
    if isinstance(rows, FromClause):
        return rows
    columns = (column(name, table.c[name].type) for name in names)
    return values(*columns, name="new").data([tuple(row.values()) for row in rows]).cte("new")


def inserting(database: Database, table: Table, columns: Sequence[str]) -> Rows | ArrayRows:
    """Return the writing of new rows."""

    def make(rows: New) -> ClauseElement:
        return _insert(database, table, columns, rows)

    return _rows(database, table, columns, make)


def adding(database: Database, table: Table, columns: Sequence[str]) -> Rows | ArrayRows:
    """Return the writing of rows that may be there already, and then stay as they are."""

    def make(rows: New) -> ClauseElement:
        return _insert(database, table, columns, rows).on_conflict_do_nothing()

    return _rows(database, table, columns, make)


def putting(database: Database, table: Table, columns: Sequence[str], changing: Iterable[str]) -> Rows | ArrayRows:
    """Return the writing of rows that are new, or else get new values in some columns."""
    names = list(changing)

    def make(rows: New) -> ClauseElement:
        statement = _insert(database, table, columns, rows)
        return statement.on_conflict_do_update(
            index_elements=list(table.primary_key.columns),
            set_={name: statement.excluded[name] for name in names},
        )

    return _rows(database, table, columns, make)


def changing(database: Database, table: Table, key: Sequence[str], columns: Sequence[str]) -> Rows | ArrayRows:
    """Return the change of columns in rows that are there. Values are in the order key, then columns."""
    names = [*key, *columns]

    def make(rows: New) -> ClauseElement:
        new = _new_rows(table, names, rows)
        return (
            update(table)
            .values({name: new.c[name] for name in columns})
            .where(*(table.c[name] == new.c[name] for name in key))
        )

    return _rows(database, table, names, make)
