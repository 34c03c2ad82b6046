"""The locks of one transaction on a database that several servers share: tokens first, then trees.

They are PostgreSQL's advisory locks, held to the end of the transaction. A lock of a row would do as well for what is
there, but would write to it, and there is no row for a tree that is about to be made. The key is a hash: two that share
one wait for each other without need, no more.

All who wait do so in the order of the keys, so nobody waits in a circle. What is found later out of order is only
tried; when another has it, the transaction begins again and takes all that it knows of in order.

The database has room for some thousands of locks, of all transactions together. One that needs too many of its own
begins again without any of them, while nobody else writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

from sqlalchemy import BigInteger, bindparam, func, select
from sqlalchemy.dialects import postgresql

from kinpost_server.engine.replica_ports import BeginAgain
from kinpost_server.store.arrays import plain_array
from kinpost_server.store.dialect import Connection, Database
from kinpost_server.store.statements import Query

TREES = 1 << 62  # above all tokens
HASH_MASK = TREES - 1
HELD_MAX = 1000  # PostgreSQL's own setting has room for 6,400


@lru_cache(maxsize=65_536)
def tree_key(root_session_id: str) -> int:
    """Return the key of a tree."""
    return TREES | _hash(root_session_id)


def token_key(name: str) -> int:
    """Return the key of what belongs to a token, or to a runtime."""
    return _hash(name)


def _hash(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") & HASH_MASK


class Locks:
    """What the transaction at hand holds, and what the next one takes at once because this one could not."""

    def __init__(self, database: Database) -> None:
        wanted = bindparam("wanted", type_=postgresql.ARRAY(BigInteger()))
        each = func.unnest(wanted).column_valued("each_key")
        self.wait = Query(database, select(func.pg_advisory_xact_lock(each)))
        self.attempt = Query(database, select(func.coalesce(func.bool_and(func.pg_try_advisory_xact_lock(each)), True)))
        self._held: set[int] = set()
        self._first: set[int] = set()
        self._alone = False
        self.needs_all = False  # whether the next transaction has to keep all other writers out

    def begin(self, connection: Connection, *, alone: bool) -> None:
        """Begin with nothing, or with what the last transaction would have needed in order; or `alone` with all."""
        self._held.clear()
        self._alone, self.needs_all = alone, False
        first, self._first = self._first, set()
        self._wait(connection, first)

    def take(self, connection: Connection, keys: Iterable[int]) -> bool:
        """Hold these locks too; return whether any is new, so that what was read before may be outdated.

        Raises BeginAgain when one can only be had out of order.
        """
        if self._alone:
            return False
        new = {key for key in keys if key not in self._held}
        if not new:
            return False
        if len(self._held) + len(new) > HELD_MAX:
            self.needs_all = True
            raise BeginAgain
        if not self._held or min(new) > max(self._held):
            self._wait(connection, new)
        elif self.attempt.run(connection, wanted=plain_array(sorted(new))).fetchone()[0]:
            self._held |= new
        else:
            self._first = self._held | new
            raise BeginAgain
        return True

    def _wait(self, connection: Connection, keys: set[int]) -> None:
        if keys and not self._alone:
            self.wait.run(connection, wanted=plain_array(sorted(keys)))
            self._held |= keys
