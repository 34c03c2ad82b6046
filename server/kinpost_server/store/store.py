"""The writing side: one thread, one transaction at a time, and the sessions it keeps."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence

from kinpost_server.domain.event import Event
from kinpost_server.domain.message import Message
from kinpost_server.domain.session import Session
from kinpost_server.engine.ports import Changes, HandleKey, Replay, ReplayKey, RowRefused, StoredEvent
from kinpost_server.engine.replica_ports import GateStream, Replicas
from kinpost_server.store.cache import SessionCache
from kinpost_server.store.dialect import Connection, Database, Row
from kinpost_server.store.indexing import Ends, EndsQuery, Indexing
from kinpost_server.store.loading import SessionLoader
from kinpost_server.store.lookups import Lookups
from kinpost_server.store.peer_store import SqlPeerStore
from kinpost_server.store.pool import ReaderPool
from kinpost_server.store.replaying import Replays, names_run
from kinpost_server.store.retention import Retention
from kinpost_server.store.settings import StoreSettings
from kinpost_server.store.transaction import Transaction
from kinpost_server.store.writing import Mark, Writer


class SqlStore(Lookups):
    """The port's `Store` over one database. Made in any thread, used by one.

    A batch loads, then writes, then commits: what is loaded after `write` may be the batch's own.
    """

    def __init__(
        self,
        database: Database,
        settings: StoreSettings,
        pools: Sequence[ReaderPool],
        encode: Callable[[Event], bytes],
        decode_body: Callable[[bytes], str],
    ) -> None:
        super().__init__(database, Transaction(database, settings.commit_resolve_seconds), decode_body)
        self.peer = SqlPeerStore(database, self._transaction)
        self.replicas: Replicas | None = None
        self._pools = pools
        self._cache = SessionCache(settings.cached_sessions_max, settings.cached_body_bytes_max)
        self._loader = SessionLoader(database)
        self._replays = Replays(database)
        self._ends_query = EndsQuery(database)
        self._retention = Retention(database)
        self._indexing = Indexing(database, settings.unindexed_events_max)
        self._writer = Writer(database, encode, self._cache)
        # A KeyError is a message without its accepted event; the others come from values that cannot be serialised.
        self._row_faults: tuple[type[Exception], ...] = (*database.row_errors, ValueError, TypeError, KeyError)
        self._ends: Ends | None = None  # None: to be read
        self._sent: dict[ReplayKey, int] = {}
        self._written: list[Changes] = []
        self._mark: Mark | None = None

    def gates_elsewhere(self) -> list[GateStream]:
        """Return the plugins' streams at other replicas: there are none."""
        return []

    def begin(self) -> None:
        """Open the transaction that the loads and the write belong to."""
        if not self._transaction.connected:
            self._ends = None
        self._transaction.begin()

    def clock_offset(self) -> int:
        """Return how far the database's clock is ahead of ours, as transactions have bounded it; microseconds."""
        return self._transaction.clock_offset

    def rollback(self) -> None:
        """Close the transaction; nothing of it is stored. Never raises."""
        self._unwrite()
        self._transaction.rollback()

    def write(self, changes: Changes) -> list[StoredEvent]:
        """Write events and projections, giving the events their positions, and return them as stored.

        Raises RowRefused when a row of the batch is at fault: also one that cannot be serialised.
        """
        with self._transaction.connection() as connection:
            if self._ends is None:
                self._ends = self._ends_query.read(connection)
            self._written.append(changes)
            try:
                written = self._writer.write(connection, changes, self._ends.position)
            except self._row_faults as error:
                raise RowRefused(str(error)) from error
            self._mark = written.mark
            self._sent.update(written.sent)
            if written.stored:
                ends = Ends(written.stored[-1].position, self._ends.indexed)
                self._ends = self._indexing.extend(connection, ends)
        return written.stored

    def commit(self) -> None:
        """Store the transaction, durably.

        Raises StoreFailed only when nothing of it is stored: a lost answer is resolved first. Should the database
        stay away for longer than `commit_resolve_seconds`, CommitUnknown says so.
        """
        try:
            self._transaction.commit(self._is_stored)
        except BaseException:
            self._unwrite()
            raise
        self._settle()

    def load_sessions(self, session_ids: Iterable[str]) -> dict[str, Session]:
        """Return the sessions that exist, deleted ones included. The same object is returned until `forget`."""
        found: dict[str, Session] = {}
        missing: list[str] = []
        for session_id in session_ids:
            session = self._cache.get(session_id)
            if session is not None:
                found[session_id] = session
            else:
                missing.append(session_id)
        if missing:
            with self._transaction.connection() as connection:
                loaded = self._loader.whole(connection, missing)
                running = [session_id for session_id, session in loaded.items() if session.run is not None]
                sends = self._replays.sends_of_active_runs(connection, running)
            for session_id, session in loaded.items():
                self._cache.keep(session, sends.get(session_id, {}))
            found.update(loaded)
        return found

    def forget(self, session_ids: Iterable[str]) -> None:
        """Drop what is cached of these sessions, after a batch that was not stored."""
        self._cache.drop(session_ids)

    def load_handles(self, keys: Iterable[HandleKey]) -> dict[HandleKey, str]:
        """Return the session id of each handle that exists."""
        found: dict[HandleKey, str] = {}
        missing: list[Row] = []
        for key in keys:
            session_id = self._cache.handle(key)
            if session_id is not None:
                found[key] = session_id
            else:
                with contextlib.suppress(ValueError):  # nobody has what is no id, or no text: half a surrogate pair
                    key.handle.encode()
                    missing.append((self._database.id_in(key.root_session_id), key.handle))
        if missing:
            id_out = self._database.id_out
            with self._transaction.connection() as connection:
                loaded = self._queries.handles.rows(connection, missing)
            for root, handle, session_id in loaded:
                key = HandleKey(id_out(root), handle)
                found[key] = id_out(session_id)
                if not self._written:
                    self._cache.keep_handle(key, found[key])
        return found

    def load_replays(self, keys: Iterable[ReplayKey]) -> dict[ReplayKey, Replay]:
        """Return the first answers that exist."""
        keys = list(keys)
        of_runs = [key for key in keys if names_run(key.scope)]
        self.load_sessions({key.session_id for key in of_runs})
        at: dict[int, ReplayKey] = {}
        not_at_hand: list[ReplayKey] = []
        for key in of_runs:
            sends = self._cache.sends(key.session_id)
            if sends is None or sends.run_id != key.scope:
                not_at_hand.append(key)
            elif (position := sends.position(key.key)) is not None:
                at[position] = key
            elif sends.may_hold(key.key):
                not_at_hand.append(key)
        others = [key for key in keys if not names_run(key.scope)] if len(of_runs) < len(keys) else []
        with self._transaction.connection() as connection:
            found = self._replays.of_messages(connection, at)
            found.update(self._replays.of_runs(connection, not_at_hand))
            found.update(self._replays.of_others(connection, others))
        return found

    def load_bodies(self, messages: Iterable[Message]) -> dict[str, str]:
        """Return the bodies of these messages; the caller may leave them with the messages."""
        messages = list(messages)
        self._cache.lend_bodies(messages)
        return super().load_bodies(messages)

    def drop_events(self, root_session_id: str, newest_position: int, limit: int) -> int:
        """Drop so many of a retired tree's oldest events, within the transaction, and return how many there were."""
        with self._transaction.connection() as connection:
            # Read anew and not kept: a transaction that is taken back takes the indexes back, too.
            self._indexing.extend(connection, self._ends_query.read(connection), unindexed_max=0)
            self._ends = None
            return self._retention.drop(connection, root_session_id, newest_position, limit)

    def renew_leases(self, expire_time: int, producers_expire_time: int) -> int:
        """Let the leases of all active runs, and of all registrations, last at least until then. Outside a batch.

        Returns how many runs there are.
        """
        self._begin_alone()
        try:
            with self._transaction.connection() as connection:
                renewed = self._queries.renew.run(connection, expire_time=expire_time).rowcount
                self._queries.renew_producers.run(connection, expire_time=producers_expire_time)
            self.commit()
        except BaseException:
            self.rollback()
            raise
        for session in self._cache.active():
            assert session.run is not None
            session.run.lease_expire_time = max(session.run.lease_expire_time, expire_time)
        return renewed

    def close(self) -> None:
        """Let go of the database."""
        self.rollback()
        self._transaction.disconnect()
        for pool in self._pools:
            pool.close()
        self._cache.clear()
        self._database.close()

    def _begin_alone(self) -> None:
        """Begin a transaction that writes to what no lock of its own keeps from others."""
        self.begin()

    def _is_stored(self, connection: Connection) -> bool | None:
        """Whether the batch that was written last is what was stored last."""
        return self._mark is not None and self._mark.is_reached(self._writer.stored_mark(connection))

    def _settle(self) -> None:
        """Take over what was written: it is stored now."""
        for changes in self._written:
            self._cache.settle(changes, self._sent)
        self._written.clear()
        self._sent.clear()
        self._mark = None
        self._cache.trim()

    def _unwrite(self) -> None:
        """Drop what was written from memory: it is not stored."""
        for changes in self._written:
            self._cache.drop(changes.sessions)
        if self._written:
            self._ends = None
        self._written.clear()
        self._sent.clear()
        self._mark = None
