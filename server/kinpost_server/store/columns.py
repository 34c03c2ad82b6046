"""Column types that every database spells in its own way, and how Python's values become theirs.

The hot path binds values itself (`rows.py`); whoever reads the tables through SQLModel gets the same
conversions here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, Integer, LargeBinary
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

ID_BYTES = 16


@lru_cache(maxsize=65_536)  # the same sessions again and again
def id_to_bytes(text: str) -> bytes:
    """Return the 16 bytes of a UUID in canonical form. Raises ValueError for any other text."""
    if len(text) != 36:
        raise ValueError(f"not a UUID in canonical form: {text[:64]!r}")
    value = bytes.fromhex(text.replace("-", ""))
    if len(value) != ID_BYTES:
        raise ValueError(f"not a UUID in canonical form: {text!r}")
    return value


def id_from_bytes(value: bytes) -> str:
    """Return the canonical form of a UUID's 16 bytes."""
    digits = value.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def ids_to_bytes(texts: tuple[str, ...]) -> bytes:
    """Return the bytes of UUIDs, one after the other. Raises ValueError when one is not canonical."""
    return b"".join(map(id_to_bytes, texts))


def ids_from_bytes(value: bytes) -> tuple[str, ...]:
    """Return the UUIDs whose bytes follow one another."""
    return tuple(id_from_bytes(value[at : at + ID_BYTES]) for at in range(0, len(value), ID_BYTES))


class Id(TypeDecorator[str]):
    """A UUID: 16 bytes, or the database's own type."""

    impl = LargeBinary(ID_BYTES)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the type that the database stores it as."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.UUID(as_uuid=False))
        return dialect.type_descriptor(LargeBinary(ID_BYTES))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | bytes | None:
        """Return what the driver is given."""
        return value if value is None or dialect.name == "postgresql" else id_to_bytes(value)

    def process_result_value(self, value: str | bytes | None, dialect: Dialect) -> str | None:
        """Return the UUID's canonical form."""
        return id_from_bytes(value) if isinstance(value, bytes) else value


class Ids(TypeDecorator[tuple[str, ...]]):
    """Several UUIDs in their order: their bytes, one after the other, in every database."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Dialect) -> bytes | None:
        """Return what the driver is given."""
        return None if value is None else ids_to_bytes(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> tuple[str, ...] | None:
        """Return the UUIDs' canonical forms."""
        return None if value is None else ids_from_bytes(value)


class Position(TypeDecorator[int]):
    """A position of the log. SQLite's INTEGER PRIMARY KEY is the row's own number, which costs no index."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[int]:
        """Return the type that the database stores it as."""
        return dialect.type_descriptor(Integer() if dialect.name == "sqlite" else BigInteger())
