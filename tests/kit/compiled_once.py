"""Each statement of the store is compiled once in a process of the tests, not once for each of its thousands of stores.

A server opens one store, and compiles some 160 statements in a tenth of a second. Tests would spend most of their time
on that. What is compiled is the same: SQLAlchemy's key of a statement, and the values that are part of its text.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from kinpost_server.store import statements
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ClauseElement

Compile = Callable[[Any, ClauseElement], SQLCompiler]


def key_of(database: Any, statement: ClauseElement) -> Hashable | None:
    """Return what tells apart statements that are compiled into other texts; None when that cannot be known."""
    found = statement._generate_cache_key()
    if found is None:
        return None
    values = tuple((type(bind.value), bind.value, bind.required) for bind in found.bindparams)
    return type(database.compiler), database.compiler.paramstyle, found.key, values


def compiling_once(compile_: Compile) -> Compile:
    """Return a function that remembers what it compiled."""
    known: dict[Hashable, SQLCompiler] = {}

    def compiled(database: Any, statement: ClauseElement) -> SQLCompiler:
        key = key_of(database, statement)
        try:
            return known[key]
        except (KeyError, TypeError):  # new, or with a value that is a list
            made = compile_(database, statement)
        try:
            if key is not None:
                known[key] = made
        except TypeError:
            pass
        return made

    return compiled


def remember_what_is_compiled() -> None:
    """Do so from here on."""
    statements._compile = compiling_once(statements._compile)
