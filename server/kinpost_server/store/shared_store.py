"""The writing side of a database that several servers share.

Whatever a decision rests on is read after its tree, or its token, has been locked. What never changes is remembered:
the tree of a session, the owner of a handle. A session is kept too, but no transaction uses it before it has asked,
behind the lock, how long the session's log is: what is kept is the fold of a log of some length, so if that is the
length, it is the session. What is no fold, its leases and when it falls due, comes with the answer.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from sqlalchemy import bindparam, func, literal_column, select, text, update

from kinpost_server.domain.approval import Approval, GrantKey
from kinpost_server.domain.event import Event
from kinpost_server.domain.message import Message
from kinpost_server.domain.producer import Producer
from kinpost_server.domain.run import Claim, Run
from kinpost_server.domain.session import Session
from kinpost_server.engine.ports import (
    Changes,
    ClaimKey,
    HandleKey,
    Replay,
    ReplayKey,
    RowRefused,
    RunIdentity,
    RunKey,
    StoredEvent,
)
from kinpost_server.engine.replica_ports import GateStream, RuntimeOwner
from kinpost_server.store.dialect import Connection, Database
from kinpost_server.store.indexing import EVENT, LOG
from kinpost_server.store.loading import SESSION, StandingQuery, id_keys, joined
from kinpost_server.store.locking import Locks, token_key, tree_key
from kinpost_server.store.pool import ReaderPool
from kinpost_server.store.replaying import names_run
from kinpost_server.store.replicas import PostgresReplicas
from kinpost_server.store.settings import StoreSettings
from kinpost_server.store.shared_peers import SharedPeerStore
from kinpost_server.store.statements import KeyedQuery, Query
from kinpost_server.store.store import SqlStore
from kinpost_server.store.transaction import CommitUnknown

ROOTS_MAX = 100_000  # about 20 MB


class Trees:
    """Locks the trees of sessions. Which tree a session belongs to never changes, so that is remembered."""

    def __init__(self, database: Database, locks: Locks) -> None:
        self._database = database
        self._locks = locks
        self._roots: OrderedDict[str, str] = OrderedDict()
        keys = database.keys("session_id")
        self.roots = KeyedQuery(
            database,
            keys,
            select(SESSION.c.session_id, SESSION.c.root_session_id).select_from(joined(keys, SESSION)),
        )

    def lock(self, connection: Connection, session_ids: Iterable[str]) -> bool:
        """Lock the trees of sessions; return whether any is new. A session that is not there may become a root."""
        session_ids = set(session_ids)
        unknown = [session_id for session_id in session_ids if session_id not in self._roots]
        for session_id, root in self.roots.rows(connection, id_keys(self._database, unknown)):
            self.remember(session_id, root)
        roots = self._roots
        return self._locks.take(connection, [tree_key(roots.get(session_id, session_id)) for session_id in session_ids])

    def lock_roots(self, connection: Connection, root_session_ids: Iterable[str]) -> bool:
        """Lock trees; return whether any is new."""
        return self._locks.take(connection, map(tree_key, root_session_ids))

    def remember(self, session_id: str, root_session_id: str) -> None:
        """Remember the tree of a session that is stored."""
        self._roots[session_id] = root_session_id
        if len(self._roots) > ROOTS_MAX:
            self._roots.popitem(last=False)


class SharedStore(SqlStore):
    """The port's `Store` where other processes write too. Loads raise BeginAgain."""

    def __init__(
        self,
        database: Database,
        settings: StoreSettings,
        pools: Sequence[ReaderPool],
        encode: Callable[[Event], bytes],
        decode_body: Callable[[bytes], str],
    ) -> None:
        super().__init__(database, settings, pools, encode, decode_body)
        self._cache.keeps_runs = False
        self.replicas: PostgresReplicas | None = None
        self._standing = StandingQuery(database)
        self._confirmed: set[str] = set()  # the kept sessions that are as they are stored, in this transaction
        self._locks = Locks(database)
        self._trees = Trees(database, self._locks)
        self.peer = SharedPeerStore(database, self._transaction, self._locks, self._trees.lock)
        # The last lock of all. What follows are writes and COMMIT, so positions are seen in the order of commits.
        self._positions = Query(
            database,
            update(LOG)
            .values(indexed_position=LOG.c.indexed_position + bindparam("event_count"))
            .returning(LOG.c.indexed_position, text("pg_current_xact_id()::text"), func.pg_backend_pid()),
        )
        self._outcome = Query(database, select(literal_column("pg_xact_status(CAST($1 AS xid8))")))
        self._end_process = Query(database, select(literal_column("pg_terminate_backend(CAST($1 AS integer))")))
        self._data_at = Query(database, select(EVENT.c.data).where(EVENT.c.position == bindparam("event_position")))
        self._written_by: tuple[str, int] | None = None  # transaction and process
        self._last_event: StoredEvent | None = None  # of what it wrote
        self._drops = False  # whether it drops events, and writes nothing else
        self._connections = 0  # how many there had been when the last transaction began

    def begin(self) -> None:
        """Open the transaction that the loads and the write belong to."""
        self._begin(alone=self._locks.needs_all)

    def write(self, changes: Changes) -> list[StoredEvent]:
        """Write events and projections, giving the events their positions, and return them as stored."""
        with self._transaction.connection() as connection:
            self._written.append(changes)
            try:
                given = self._positions.run(connection, event_count=len(changes.events)).fetchone()
                with self._database.pipelined(connection):
                    written = self._writer.write(connection, changes, given[0] - len(changes.events))
            except self._row_faults as error:
                raise RowRefused(str(error)) from error
        self._written_by = given[1], given[2]
        self._mark = written.mark or self._mark
        self._last_event = written.stored[-1] if written.stored else self._last_event
        return written.stored

    def commit(self) -> None:
        """Store the transaction, durably. One that wrote no row leaves the disk alone."""
        if self._written_by is not None and self._mark is None and not self._drops and self._transaction.connected:
            self._transaction.rollback()
            self._settle()
        else:
            super().commit()

    def _is_stored(self, connection: Connection) -> bool | None:
        """Ask the database what became of the transaction; one that still stands is ended, then asked about again.

        A database that crashed gives the number of a transaction that it lost to the next one, so a number that is
        committed may be another's: what is found must be what was written.
        """
        if self._written_by is None:
            return False
        transaction, process = self._written_by
        try:
            (outcome,) = connection.execute(self._outcome.sql, [transaction]).fetchone()
        except self._database.row_errors:
            return False  # a number that is not given yet: this transaction went with a crash
        if outcome == "in progress":
            connection.execute(self._end_process.sql, [process])
            return None
        return bool(outcome == "committed") and self._is_ours(connection)

    def _is_ours(self, connection: Connection) -> bool:
        if self._drops:
            return True  # whoever drops looks anew each time, so it does no harm to be wrong
        if self._last_event is not None:
            found = self._data_at.run(connection, event_position=self._last_event.position).fetchone()
            return found is not None and bytes(found[0]) == self._last_event.data
        if self._mark is not None and self._writer.stored_mark(connection).number == self._mark.number:
            return True
        raise CommitUnknown("the last commit left nothing to recognise it by")

    def _settle(self) -> None:
        self._confirmed.clear()
        created = [(id_, changes.sessions[id_]) for changes in self._written for id_ in changes.created]
        super()._settle()
        for session_id, session in created:
            self._trees.remember(session_id, session.root_session_id)

    def load_sessions(self, session_ids: Iterable[str]) -> dict[str, Session]:
        """Return the sessions that exist, deleted ones included. The same object is returned within a transaction."""
        session_ids = list(session_ids)
        doubtful = [session_id for session_id in session_ids if session_id not in self._confirmed]
        if doubtful:
            with self._transaction.connection() as connection:
                with self._database.pipelined(connection):
                    self._trees.lock(connection, doubtful)
                    self._confirm(connection, doubtful)
                missing = [session_id for session_id in doubtful if session_id not in self._cache]
                if missing:
                    self._load(connection, missing)
            self._confirmed.update(doubtful)
        found = {session_id: self._cache.get(session_id) for session_id in session_ids}
        return {session_id: session for session_id, session in found.items() if session is not None}

    def forget(self, session_ids: Iterable[str]) -> None:
        """Drop what is kept of these sessions, after a batch that was not stored."""
        session_ids = list(session_ids)
        self._confirmed.difference_update(session_ids)
        super().forget(session_ids)

    def _confirm(self, connection: Connection, session_ids: Iterable[str]) -> None:
        """Drop what is kept of these sessions unless it is what is stored. Their trees are locked."""
        kept = {id_: session for id_ in session_ids if (session := self._cache.get(id_)) is not None}
        standing = self._standing.of(connection, kept)
        for session_id, session in kept.items():
            found = standing.get(session_id)
            if found is None or found.last_seq != session.last_seq:
                self._cache.drop((session_id,))
                continue
            session.due_time = found.due_time
            if session.run is not None and found.lease_expire_time is not None:
                session.run.lease_expire_time = found.lease_expire_time
                session.run.runtime_id = found.runtime_id

    def _load(self, connection: Connection, session_ids: list[str]) -> None:
        loaded = self._loader.whole(connection, session_ids)
        # One that was made while its lock was waited for belongs to another tree than was thought.
        if self._trees.lock_roots(connection, {one.root_session_id for one in loaded.values()}):
            loaded = self._loader.whole(connection, session_ids)
        for session_id, session in loaded.items():
            self._cache.keep(session, {})
            self._trees.remember(session_id, session.root_session_id)

    def load_handles(self, keys: Iterable[HandleKey]) -> dict[HandleKey, str]:
        """Return the session id of each handle that exists."""
        keys = list(keys)
        with self._transaction.connection() as connection:
            self._trees.lock_roots(connection, {key.root_session_id for key in keys})
        return super().load_handles(keys)

    def load_replays(self, keys: Iterable[ReplayKey]) -> dict[ReplayKey, Replay]:
        """Return the first answers that exist, found by what the runs sent."""
        keys = list(keys)
        with self._transaction.connection() as connection:
            self._trees.lock(connection, {key.session_id for key in keys})
            found = self._replays.of_runs(connection, [key for key in keys if names_run(key.scope)])
            found.update(self._replays.of_others(connection, [key for key in keys if not names_run(key.scope)]))
        return found

    def load_runs(self, keys: Iterable[RunKey | RunIdentity]) -> dict[RunKey | RunIdentity, Run]:
        """Return the runs that exist, ended ones included, as they are stored and without their claims."""
        keys = list(keys)
        self._lock({key.session_id for key in keys})
        return super().load_runs(keys)

    def load_claims(self, keys: Iterable[ClaimKey]) -> dict[ClaimKey, Claim]:
        """Return the claims that exist, settled ones included, with what they held."""
        keys = list(keys)
        self._lock({key.session_id for key in keys})
        return super().load_claims(keys)

    def load_messages(self, message_ids: Iterable[str]) -> dict[str, Message]:
        """Return the messages that exist, in whatever state, as they are stored and without bodies."""
        message_ids = list(message_ids)
        found = super().load_messages(message_ids)
        if self._lock({message.session_id for message in found.values()}):
            found = super().load_messages(message_ids)
        return found

    def load_approvals(self, approval_ids: Iterable[str]) -> dict[str, Approval]:
        """Return the approvals that exist, in whatever state, as they are stored and with their arguments."""
        approval_ids = list(approval_ids)
        found = super().load_approvals(approval_ids)
        if self._lock({approval.session_id for approval in found.values()}):
            found = super().load_approvals(approval_ids)
        return found

    def load_grants(self, keys: Iterable[GrantKey]) -> dict[GrantKey, str]:
        """Return the approval that gave each grant that exists."""
        keys = list(keys)
        self._lock({key.root_session_id for key in keys})
        return super().load_grants(keys)

    def load_pending_alike(self, key: GrantKey, limit: int) -> list[Approval]:
        """Return what waits for a person and would be served by a grant, the longest waiting first."""
        self._lock({key.root_session_id})
        return super().load_pending_alike(key, limit)

    def load_runtimes(self, runtime_ids: Iterable[str]) -> dict[str, RuntimeOwner]:
        """Return the token that each runtime id belongs to, and its newest attachment."""
        runtime_ids = list(runtime_ids)
        with self._transaction.connection() as connection:
            self._locks.take(connection, [token_key(f"runtime {runtime_id}") for runtime_id in runtime_ids])
        return super().load_runtimes(runtime_ids)

    def load_producers(self, producer_ids: Iterable[str]) -> dict[str, Producer]:
        """Return the registrations that exist, ended ones included."""
        producer_ids = list(producer_ids)
        found = super().load_producers(producer_ids)
        if self._lock({producer.session_id for producer in found.values()}):
            found = super().load_producers(producer_ids)
        return found

    def load_registered(self, session_ids: Iterable[str]) -> dict[str, list[Producer]]:
        """Return, for each session, its registrations that have not ended."""
        session_ids = list(session_ids)
        self._lock(session_ids)
        return super().load_registered(session_ids)

    def gates_elsewhere(self) -> list[GateStream]:
        """Return the plugins' streams at other replicas, as they are now."""
        if self.replicas is None:
            return []
        with self._transaction.connection() as connection:
            return self.replicas.board.others(connection)

    def drop_events(self, root_session_id: str, newest_position: int, limit: int) -> int:
        """Drop so many of a retired tree's oldest events; drops are numbered in the order of their commits."""
        with self._transaction.connection() as connection:
            self._trees.lock_roots(connection, [root_session_id])
            given = self._positions.run(connection, event_count=0).fetchone()
            self._written_by = given[1], given[2]
            self._drops = True
            return self._retention.drop(connection, root_session_id, newest_position, limit)

    def hold_token(self, token_id: str) -> None:
        """Keep others from making or changing a token until the transaction ends. May raise BeginAgain."""
        with self._transaction.connection() as connection:
            self._locks.take(connection, [token_key(f"token {token_id}")])

    def _begin_alone(self) -> None:
        self._begin(alone=True)

    def _begin(self, *, alone: bool) -> None:
        """Begin, and take nothing for granted over a new connection: the server behind it may have lost some log."""
        self._confirmed.clear()
        self._written_by = self._last_event = None
        self._drops = False
        self._transaction.begin(alone=alone)
        if self._transaction.connections != self._connections:
            self._connections = self._transaction.connections
            self._cache.forget_sessions()
        with self._transaction.connection() as connection:
            self._locks.begin(connection, alone=alone)

    def _lock(self, session_ids: Iterable[str]) -> bool:
        with self._transaction.connection() as connection:
            return self._trees.lock(connection, session_ids)
