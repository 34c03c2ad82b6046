"""Peer mail's writing side of a database that several servers share: behind the locks of tokens and trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from kinpost_server.domain.dead_letter import DeadLetter
from kinpost_server.domain.rate_window import RateWindow
from kinpost_server.engine.peer_ports import AnswerKey, Exchange, FirstAnswer, Parked, PeerBody
from kinpost_server.store.dialect import Connection, Database
from kinpost_server.store.locking import Locks, token_key
from kinpost_server.store.peer_store import SqlPeerStore
from kinpost_server.store.transaction import Transaction

Record = TypeVar("Record")


class SharedPeerStore(SqlPeerStore):
    """The port's `PeerStore` where other processes write too. Loads raise BeginAgain."""

    def __init__(
        self,
        database: Database,
        transaction: Transaction,
        locks: Locks,
        lock_trees: Callable[[Connection, Iterable[str]], bool],
    ) -> None:
        super().__init__(database, transaction)
        self._locks = locks
        self._lock_trees = lock_trees

    def load_windows(self, token_ids: Iterable[str]) -> dict[str, RateWindow]:
        """Return the rate windows that exist, as they were stored."""
        token_ids = list(token_ids)
        self._lock_tokens(token_ids)
        return super().load_windows(token_ids)

    def load_answers(self, keys: Iterable[AnswerKey]) -> dict[AnswerKey, FirstAnswer]:
        """Return the first answers that are stored, however old."""
        keys = list(keys)
        self._lock_tokens({key.token_id for key in keys})
        return super().load_answers(keys)

    def load_exchanges(self, pairs: Iterable[Exchange]) -> dict[Exchange, str]:
        """Return, for each pair that wrote, who of it wrote last."""
        pairs = list(pairs)
        self._lock_sessions({session_id for pair in pairs for session_id in pair})
        return super().load_exchanges(pairs)

    def load_bodies(self, body_ids: Iterable[str]) -> dict[str, PeerBody]:
        """Return what senders may read back."""
        return self._locked(super().load_bodies, list(body_ids), lambda body: (body.source_session_id,))

    def load_parked(self, parked_ids: Iterable[str]) -> dict[str, Parked]:
        """Return messages that wait for a slot."""
        parked_ids = list(parked_ids)
        found = super().load_parked(parked_ids)
        if self._lock_tokens({parked.token_id for parked in found.values()}):
            found = super().load_parked(parked_ids)
        return found

    def load_dead_letters(self, dead_letter_ids: Iterable[str]) -> dict[str, DeadLetter]:
        """Return dead letters."""
        return self._locked(super().load_dead_letters, list(dead_letter_ids), lambda one: (one.source_session_id,))

    def _locked(
        self,
        load: Callable[[Iterable[str]], dict[str, Record]],
        ids: list[str],
        session_ids: Callable[[Record], tuple[str, ...]],
    ) -> dict[str, Record]:
        """Load records whose trees are only known then; again, when these had to be locked."""
        found: Mapping[str, Record] = load(ids)
        if self._lock_sessions({id_ for record in found.values() for id_ in session_ids(record)}):
            found = load(ids)
        return dict(found)

    def _lock_sessions(self, session_ids: Iterable[str]) -> bool:
        with self._transaction.connection() as connection:
            return self._lock_trees(connection, session_ids)

    def _lock_tokens(self, token_ids: Iterable[str]) -> bool:
        with self._transaction.connection() as connection:
            return self._locks.take(connection, [token_key(f"token {token_id}") for token_id in token_ids])
