"""What the tests remember of compiled statements is what would have been compiled."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled_once import compiling_once
from kinpost_server.store import tables
from kinpost_server.store.read_only import ReadOnlySqlite
from sqlalchemy import bindparam, select

EVENT = tables.table_of(tables.EventRow)
BASE = select(EVENT.c.position)
STATEMENTS = {
    "one limit": lambda: BASE.limit(1),
    "another limit": lambda: BASE.limit(2),
    "a flag": lambda: BASE.where(EVENT.c.type == bindparam("type", True)),
    "a number that equals it": lambda: BASE.where(EVENT.c.type == bindparam("type", 1)),
    "one name": lambda: BASE.where(EVENT.c.position > bindparam("after")),
    "another name": lambda: BASE.where(EVENT.c.position > bindparam("before")),
    "few values": lambda: BASE.where(EVENT.c.type.in_([1, 2])),
    "more values": lambda: BASE.where(EVENT.c.type.in_([1, 2, 3])),
}


@pytest.fixture
def compiled(tmp_path: Path):
    """Compile and note what was compiled anew."""
    anew: list[object] = []

    def compile_(database, statement):
        anew.append(statement)
        return statement.compile(dialect=database.compiler, compile_kwargs={"render_postcompile": True})

    once = compiling_once(compile_)
    database = ReadOnlySqlite(tmp_path / "kinpost.db")
    return (lambda statement: once(database, statement)), anew


def test_the_same_statement_is_compiled_once(compiled):
    remembered, anew = compiled
    one, other = (remembered(BASE.where(EVENT.c.position > bindparam("after")).limit(5)) for _ in range(2))
    assert one is other
    assert len(anew) == 1


def test_statements_that_differ_in_anything_are_not_mistaken_for_each_other(compiled):
    remembered, _anew = compiled
    for _ in range(2):
        for make in STATEMENTS.values():
            plain = make().compile(
                dialect=ReadOnlySqlite(Path("nowhere")).compiler, compile_kwargs={"render_postcompile": True}
            )
            found = remembered(make())
            assert (str(found), found.positiontup) == (str(plain), plain.positiontup)
            assert [type(bind.value) for bind in found.binds.values()] == [type(b.value) for b in plain.binds.values()]
