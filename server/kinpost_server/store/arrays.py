"""Rows and keys as PostgreSQL takes them: one array a column, in PostgreSQL's own notation.

A statement over arrays has one text and one plan, however many rows there are. The notation is written here, because
a driver's general way to write arrays looks at each value several times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    FromClause,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    and_,
    any_,
    bindparam,
    column,
    func,
    literal_column,
    select,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import TypeEngine

from kinpost_server.store.columns import Id

ESCAPE = "\x1a"


class Literal(str):
    """An array's notation, which is sent as it is."""

    __slots__ = ()


def escape_text(text: str) -> str:
    """Return a text without the character 0, which PostgreSQL's texts cannot hold."""
    if "\0" in text or ESCAPE in text:
        return text.replace(ESCAPE, f"{ESCAPE}1").replace("\0", f"{ESCAPE}0")
    return text


def unescape_text(text: str) -> str:
    """Return the text that was escaped."""
    if ESCAPE in text:
        return text.replace(f"{ESCAPE}0", "\0").replace(f"{ESCAPE}1", ESCAPE)
    return text


def plain_array(values: Iterable[Any]) -> Literal:
    """Return an array of ids or numbers."""
    return Literal(f"{{{','.join(['NULL' if value is None else str(value) for value in values])}}}")


def flag_array(values: Iterable[bool | None]) -> Literal:
    """Return an array of flags."""
    return Literal(f"{{{','.join(['NULL' if value is None else 't' if value else 'f' for value in values])}}}")


def bytes_array(values: Iterable[bytes | None]) -> Literal:
    """Return an array of bytes."""
    return Literal(f"{{{','.join(['NULL' if value is None else _quoted_bytes(value) for value in values])}}}")


def text_array(values: Iterable[str | None]) -> Literal:
    """Return an array of texts."""
    return Literal(f"{{{','.join(['NULL' if value is None else _quoted_text(value) for value in values])}}}")


def _quoted_bytes(value: bytes) -> str:
    return f'"\\\\x{value.hex()}"'


def _quoted_text(value: str) -> str:
    escaped = escape_text(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


UUID: TypeEngine[Any] = postgresql.UUID(as_uuid=False)
Packer = Callable[[Iterable[Any]], Literal]


class ArrayTable:
    """Arrays side by side, as a table of these columns, whose parameters bear their names behind a prefix."""

    def __init__(self, name: str, columns: Sequence[tuple[str, TypeEngine[Any], Packer]]) -> None:
        self.names = tuple(f"{name}_{column_name}" for column_name, _type, _pack in columns)
        parameters = [
            bindparam(parameter, type_=postgresql.ARRAY(type_))
            for parameter, (_name, type_, _pack) in zip(self.names, columns, strict=True)
        ]
        self._parameters = {name: parameter for parameter, (name, *_) in zip(parameters, columns, strict=True)}
        self.table: FromClause = (
            func.unnest(*parameters)
            .table_valued(*(column(column_name, type_) for column_name, type_, _pack in columns))
            .render_derived(name=name)
        )
        self._packs = [pack for _name, _type, pack in columns]

    def joined(self, table: Table, names: Sequence[str]) -> FromClause:
        """Return the rows of a table that have the keys in columns of these names, each row once.

        A plan of a join that was made while a table was empty may read an index from end to end and compare. That a
        column is one of an array's values is a condition of its index in every plan.
        """
        if len(names) == 1:
            return select(literal_column("1")).subquery("keys").join(table, and_(*self.among(table.c[names[0]])))
        return self.table.join(table, and_(*(table.c[name] == self.table.c[name] for name in names)))

    def among(self, column: ColumnElement[Any]) -> list[ColumnElement[bool]]:
        """Return that a column is one of its namesake's values."""
        return [column == any_(self._parameters[str(column.key)])]

    def pack(self, rows: Iterable[Sequence[Any]]) -> dict[str, Any]:
        """Return the parameters that carry the rows, of which there is at least one."""
        columns = zip(*rows, strict=True)
        return {name: pack(values) for name, pack, values in zip(self.names, self._packs, columns, strict=True)}


def keys(ids: Sequence[str], digest: str, number: str, words: str) -> ArrayTable:
    """Return the table of some keys."""
    columns: list[tuple[str, TypeEngine[Any], Packer]] = [(name, UUID, plain_array) for name in ids]
    if digest:
        columns.append((digest, LargeBinary(), bytes_array))
    if number:
        columns.append((number, BigInteger(), plain_array))
    if words:
        columns.append((words, Text(), text_array))
    return ArrayTable("keys", columns)


def new_rows(table: Table, names: Sequence[str]) -> ArrayTable:
    """Return the table of rows that are to be written into a table."""
    return ArrayTable("new", [(name, *_kind(table.c[name].type)) for name in names])


def _kind(type_: TypeEngine[Any]) -> tuple[TypeEngine[Any], Packer]:
    if isinstance(type_, Id):
        return UUID, plain_array
    if isinstance(type_, Boolean):
        return type_, flag_array
    if isinstance(type_, Text):
        return type_, text_array
    if isinstance(type_, SmallInteger | BigInteger):
        return type_, plain_array
    python_type = getattr(type_, "impl", type_)
    if isinstance(python_type, LargeBinary):
        return LargeBinary(), bytes_array
    return BigInteger(), plain_array  # a position
