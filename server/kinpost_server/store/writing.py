"""Writing a batch: the events with their positions, and the rows of what they changed."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import bindparam, delete, func, select, update

from kinpost_server.domain.approval import Approval
from kinpost_server.domain.event import ApprovalRequested, Event, MessageAccepted, RunFinished, RunStarted
from kinpost_server.domain.producer import Producer
from kinpost_server.domain.run import Run, Wake, WakeState
from kinpost_server.domain.session import Session
from kinpost_server.engine.ports import Changes, ReplayKey, StoredEvent
from kinpost_server.store import rows, tables
from kinpost_server.store.cache import SessionCache
from kinpost_server.store.dialect import Connection, Database, Row
from kinpost_server.store.indexing import EVENT, LOG, MESSAGE
from kinpost_server.store.loading import APPROVAL, CLAIM, HOST, RUN, SESSION, WAKE
from kinpost_server.store.peer_store import PeerWriter
from kinpost_server.store.replaying import REPLAY, check_answer, names_run
from kinpost_server.store.rows import RowMaker, is_fresh
from kinpost_server.store.statements import KeyedQuery, Query, adding, changing, inserting, putting

WAKE_ROUTE = tables.table_of(tables.WakeRouteRow)
TOKEN = tables.table_of(tables.TokenRow)
RUNTIME = tables.table_of(tables.RuntimeRow)
PRODUCER = tables.table_of(tables.ProducerRow)


class Mark(NamedTuple):
    """By what a batch is recognised once it is stored: its last position, or for one without events its number."""

    position: int
    number: int

    def is_reached(self, stored: Mark) -> bool:
        """Whether the batch is stored, given the mark of what is."""
        return stored.position >= self.position if self.position else stored.number == self.number


class Written(NamedTuple):
    """A batch as it was written: its events, its mark if it wrote anything, and the positions of what agents sent."""

    stored: list[StoredEvent]
    mark: Mark | None
    sent: dict[ReplayKey, int]


@dataclass(slots=True)
class Numbered:
    """The events of a batch with their positions, and the positions that rows refer to."""

    stored: list[StoredEvent] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    sessions: dict[str, int] = field(default_factory=dict)
    messages: dict[str, tuple[int, MessageAccepted]] = field(default_factory=dict)
    approvals: dict[str, tuple[int, ApprovalRequested]] = field(default_factory=dict)
    runs_begun: dict[str, int] = field(default_factory=dict)
    runs_ended: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Gathered:
    """The rows of a batch."""

    sessions_new: list[Row] = field(default_factory=list)
    sessions: list[Row] = field(default_factory=list)
    hosts: list[Row] = field(default_factory=list)
    messages_fresh: list[Row] = field(default_factory=list)
    messages_new: list[Row] = field(default_factory=list)
    messages: list[Row] = field(default_factory=list)
    runs_new: list[Row] = field(default_factory=list)
    runs: list[Row] = field(default_factory=list)
    claims: list[Row] = field(default_factory=list)
    approvals_new: list[Row] = field(default_factory=list)
    approvals: list[Row] = field(default_factory=list)
    wakes: list[Row] = field(default_factory=list)
    wakes_gone: list[Row] = field(default_factory=list)
    routes_gone: list[Row] = field(default_factory=list)
    routes: list[Row] = field(default_factory=list)

    @property
    def is_any(self) -> bool:
        """Whether there is any row."""
        return any(getattr(self, name) for name in self.__slots__)


class Writer:
    """Writes batches into one database."""

    def __init__(self, database: Database, encode: Callable[[Event], bytes], cache: SessionCache) -> None:
        self._encode = encode
        self._cache = cache
        self._id = database.id_in
        self._make = RowMaker(database)
        self.events = inserting(database, EVENT, rows.EVENT_COLUMNS)
        self.sessions_new = inserting(database, SESSION, rows.SESSION_COLUMNS)
        self.sessions = changing(database, SESSION, ("session_id",), rows.SESSION_STATE)
        self.hosts = adding(database, HOST, ("session_id", "token_id"))
        self.messages_fresh = inserting(database, MESSAGE, rows.MESSAGE_FRESH_COLUMNS)
        self.messages_new = inserting(database, MESSAGE, rows.MESSAGE_COLUMNS)
        self.messages = changing(database, MESSAGE, ("position",), rows.MESSAGE_STATE)
        self.runs_new = inserting(database, RUN, rows.RUN_COLUMNS)
        self.runs = changing(database, RUN, rows.RUN_KEY, rows.RUN_STATE)
        self.claims = putting(database, CLAIM, rows.CLAIM_COLUMNS, ("state",))
        self.approvals_new = inserting(database, APPROVAL, rows.APPROVAL_COLUMNS)
        self.approvals = changing(database, APPROVAL, ("position",), rows.APPROVAL_STATE)
        self.wakes = putting(database, WAKE, rows.WAKE_COLUMNS, rows.WAKE_STATE)
        keys = database.keys("session_id")
        self.wakes_gone = KeyedQuery(
            database, keys, delete(WAKE).where(WAKE.c.session_id.in_(select(keys.table.c.session_id)))
        )
        self.routes_gone = KeyedQuery(
            database, keys, delete(WAKE_ROUTE).where(WAKE_ROUTE.c.session_id.in_(select(keys.table.c.session_id)))
        )
        self.routes = putting(database, WAKE_ROUTE, rows.WAKE_ROUTE_COLUMNS, ("next_offer_time",))
        self.replays = inserting(database, REPLAY, rows.REPLAY_COLUMNS)
        self.tokens = putting(database, TOKEN, rows.TOKEN_COLUMNS, ("expire_time", "revoke_time"))
        self.runtimes = putting(
            database, RUNTIME, ("runtime_id", "token_id", "attachment_id"), ("token_id", "attachment_id")
        )
        self.producers = putting(database, PRODUCER, rows.PRODUCER_COLUMNS, ("lease_expire_time", "end_time"))
        self.peer = PeerWriter(database)
        self.marking = Query(database, update(LOG).values(mark=bindparam("mark_number")))
        self.marks = Query(
            database, select(func.coalesce(select(func.max(EVENT.c.position)).scalar_subquery(), 0), LOG.c.mark)
        )

    def stored_mark(self, connection: Connection) -> Mark:
        """Return the mark of what was stored last."""
        return Mark(*self.marks.run(connection).fetchone())

    def write(self, connection: Connection, changes: Changes, position: int) -> Written:
        """Write a batch after a position.

        Raises ValueError, TypeError or KeyError for what cannot be a row.
        """
        numbered = self._number(changes.events, position)
        gathered = Gathered()
        for session in changes.sessions.values():
            self._gather(session, changes, gathered, numbered)
        sent, replays = self._replays(changes, numbered)
        self.events.write(connection, numbered.rows)
        self.sessions_new.write(connection, gathered.sessions_new)
        self.sessions.write(connection, gathered.sessions)
        self.hosts.write(connection, gathered.hosts)
        self.messages_fresh.write(connection, gathered.messages_fresh)
        self.messages_new.write(connection, gathered.messages_new)
        self.messages.write(connection, gathered.messages)
        self.runs.write(connection, gathered.runs)  # first: a run ends before the session's next one begins
        self.runs_new.write(connection, gathered.runs_new)
        self.claims.write(connection, gathered.claims)
        self.approvals_new.write(connection, gathered.approvals_new)
        self.approvals.write(connection, gathered.approvals)
        self.wakes.write(connection, gathered.wakes)
        self.wakes_gone.apply(connection, gathered.wakes_gone)
        self.routes_gone.apply(connection, gathered.routes_gone)
        self.routes.write(connection, gathered.routes)
        self.replays.write(connection, replays)
        self.tokens.write(connection, [self._make.token(token) for token in changes.tokens.values()])
        self.runtimes.write(connection, [(runtime_id, *owner) for runtime_id, owner in changes.runtimes.items()])
        if changes.producers:
            self._write_producers(connection, list(changes.producers.values()))
        if changes.peer:
            self.peer.write(connection, changes.peer)
        if numbered.stored:
            return Written(numbered.stored, Mark(numbered.stored[-1].position, 0), sent)
        others = (replays, changes.tokens, changes.runtimes, changes.producers, changes.peer)
        if not (gathered.is_any or any(others)):
            return Written([], None, sent)  # sessions that were looked at and found in order: the disk is left alone
        mark = Mark(0, secrets.randbits(62) + 1)
        self.marking.run(connection, mark_number=mark.number)
        return Written([], mark, sent)

    def _write_producers(self, connection: Connection, producers: list[Producer]) -> None:
        """Those that ended come first: the same owner may have registered again under the same id."""
        for active in (False, True):
            self.producers.write(connection, [self._make.producer(one) for one in producers if one.active is active])

    def _number(self, events: list[Event], position: int) -> Numbered:
        """Give the events their positions and serialise them."""
        encode, id_in = self._encode, self._id
        numbered = Numbered()
        for event in events:
            position += 1
            event.position = position
            payload = event.payload
            if isinstance(payload, MessageAccepted):
                numbered.messages[payload.message_id] = position, payload
            elif isinstance(payload, RunStarted):
                numbered.runs_begun[payload.run_id] = position
            elif isinstance(payload, RunFinished):
                numbered.runs_ended[payload.run_id] = position
            elif isinstance(payload, ApprovalRequested):
                numbered.approvals[payload.approval_id] = position, payload
            session_id, root, seq, type_ = event.session_id, event.root_session_id, event.seq, payload.TYPE
            if seq == 1:
                numbered.sessions[session_id] = position
            data = encode(event)
            numbered.stored.append(StoredEvent(position, session_id, root, seq, type_, data))
            numbered.rows.append((position, id_in(session_id), id_in(root), seq, type_, data))
        return numbered

    def _gather(self, session: Session, changes: Changes, gathered: Gathered, numbered: Numbered) -> None:
        """Add the rows of what changed in a session."""
        make, touched, session_id = self._make, session.touched, session.session_id
        if session_id in changes.created:
            gathered.sessions_new.append(make.session(session, numbered.sessions[session_id]))
        elif touched.session:
            gathered.sessions.append(make.session_state(session))
        if touched.session and self._cache.hosts_grew(session):
            key = self._id(session_id)
            gathered.hosts.extend((key, token_id) for token_id in session.host_token_ids)
        for message in touched.messages.values():
            if message.position:
                gathered.messages.append(make.message_state(message))
            else:
                message.position, accepted = numbered.messages[message.message_id]
                if is_fresh(message):
                    gathered.messages_fresh.append(make.message_fresh(message, accepted))
                else:
                    gathered.messages_new.append(make.message(message, accepted))
        for claim in touched.claims.values():
            gathered.claims.append(make.claim(session_id, claim))
        if touched.approvals:
            self._gather_approvals(touched.approvals, gathered, numbered)
        if touched.runs:
            self._gather_runs(touched.runs, gathered, numbered)
        if touched.wake:
            self._gather_wake(session, session.wake, gathered)

    def _gather_approvals(self, approvals: dict[str, Approval], gathered: Gathered, numbered: Numbered) -> None:
        for approval_id, approval in approvals.items():
            if approval.position:
                gathered.approvals.append(self._make.approval_state(approval))
            else:
                approval.position, asked = numbered.approvals[approval_id]
                gathered.approvals_new.append(self._make.approval(approval, asked))

    def _gather_wake(self, session: Session, wake: Wake | None, gathered: Gathered) -> None:
        key = self._id(session.session_id)
        if self._cache.is_routed(session.session_id):
            gathered.routes_gone.append((key,))
        if wake is None:
            gathered.wakes_gone.append((key,))
            return
        gathered.wakes.append(self._make.wake(session.session_id, wake))
        if wake.state is WakeState.REQUESTED:
            gathered.routes.extend(self._make.wake_routes(session, wake))

    def _gather_runs(self, runs: dict[str, Run], gathered: Gathered, numbered: Numbered) -> None:
        for run_id, run in runs.items():
            begun, ended = numbered.runs_begun.get(run_id), numbered.runs_ended.get(run_id)
            if begun is None:
                gathered.runs.append(self._make.run_state(run, ended))
            else:
                gathered.runs_new.append(self._make.run(run, begun, ended))

    def _replays(self, changes: Changes, numbered: Numbered) -> tuple[dict[ReplayKey, int], list[Row]]:
        """Return the positions of what answers for agents' sends, and the rows of the other answers."""
        sent: dict[ReplayKey, int] = {}
        replays: list[Row] = []
        for key, replay in changes.replays.items():
            if names_run(key.scope):
                position, accepted = numbered.messages.get(replay.message_id, (0, None))
                check_answer(key, replay, accepted)
                sent[key] = position
            else:
                replays.append(self._make.replay(key, replay))
        return sent, replays
