"""The first answers to sends.

An agent's send is identified by its run and tool call, and its message carries both: the message is the answer, and
nothing is written beside it. The writer keeps the calls of active runs in memory, so that a new send asks the database
nothing; those of an ended run, and the older ones of a long run, are read from what it sent. Other sends have rows of
their own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, and_, func, literal_column, select

from kinpost_server.domain.event import MessageAccepted
from kinpost_server.domain.message import Owner
from kinpost_server.engine.ports import Replay, ReplayKey
from kinpost_server.store import rows, tables
from kinpost_server.store.columns import id_to_bytes
from kinpost_server.store.dialect import Connection, Database, Keys, Row
from kinpost_server.store.indexing import MESSAGE, MESSAGE_OF_SENDER, OF_A_SENDER, in_tail
from kinpost_server.store.loading import RUN, id_keys, joined, of, where
from kinpost_server.store.records import RowReader
from kinpost_server.store.rows import key_hash
from kinpost_server.store.statements import KeyedQuery

REPLAY = tables.table_of(tables.ReplayRow)
POSITION_MAX = (1 << 63) - 1


def names_run(scope: str) -> bool:
    """Whether the scope of a send is a run: then the send is an agent's."""
    with contextlib.suppress(ValueError):
        return bool(id_to_bytes(scope))
    return False


def check_answer(key: ReplayKey, replay: Replay, accepted: MessageAccepted | None) -> None:
    """Raise ValueError unless the message that an agent's send became will answer for it."""
    if accepted is None or accepted.owner is not Owner.AGENT:
        raise ValueError(f"no message of the batch answers for {key}")
    sender = accepted.sender
    if (sender.session_id, sender.run_id, sender.tool_call_id) != key:
        raise ValueError(f"message {accepted.message_id} does not name {key} as its sender")
    if (accepted.request_digest, accepted.mode, accepted.recipient_state) != (
        replay.digest,
        replay.mode,
        replay.recipient_state,
    ):
        raise ValueError(f"message {accepted.message_id} would answer otherwise for {key}")


class Replays:
    """Reads first answers, within the writer's transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._records = RowReader(database)
        call = database.keys("session_id", "run_id", words="tool_call_id")
        if database.is_shared:  # nothing is ever behind its index there, and nothing is kept in memory
            self.sends: list[KeyedQuery] = []
            self.answers = [KeyedQuery(database, call, _sent_as(call))]
        else:
            session = database.keys("session_id")
            self.sends = [KeyedQuery(database, session, statement) for statement in _sent_in_active_runs(session)]
            self.answers = [KeyedQuery(database, call, statement) for statement in _sent_in_run(call)]
        answers = select(*of(MESSAGE, rows.MESSAGE_COLUMNS))
        position = database.keys(number="position")
        self.at_positions = KeyedQuery(database, position, answers.select_from(joined(position, MESSAGE, "position")))
        other = database.keys("session_id", digest="key_hash")
        self.others = KeyedQuery(
            database,
            other,
            select(*of(REPLAY, rows.REPLAY_COLUMNS)).select_from(joined(other, REPLAY, "session_id", "key_hash")),
        )

    def sends_of_active_runs(self, connection: Connection, session_ids: Iterable[str]) -> dict[str, dict[str, int]]:
        """Return, for each session with an active run that sent something, the positions by tool call."""
        keys = id_keys(self._database, session_ids)
        found: dict[str, dict[str, int]] = {}
        for query in self.sends:
            for sender, tool_call_id, position in query.rows(connection, keys):
                found.setdefault(self._database.id_out(sender), {})[tool_call_id] = position
        return found

    def of_messages(self, connection: Connection, named: dict[int, ReplayKey]) -> dict[ReplayKey, Replay]:
        """Return the answers of messages, by their positions."""
        found = self.at_positions.rows(connection, [(position,) for position in named])
        return {named[row[0]]: self._records.answer(row) for row in found}

    def of_runs(self, connection: Connection, keys: Iterable[ReplayKey]) -> dict[ReplayKey, Replay]:
        """Return the answers to sends of runs, ended ones too, from what the runs sent."""
        id_in = self._database.id_in
        calls: list[Row] = []
        for key in keys:
            with contextlib.suppress(ValueError):
                calls.append((id_in(key.session_id), id_in(key.scope), key.key))
        answers: dict[ReplayKey, Replay] = {}
        for query in self.answers:
            for row in query.rows(connection, calls):
                sender = self._records.message(row).sender
                key = ReplayKey(sender.session_id or "", sender.run_id or "", sender.tool_call_id or "")
                answers[key] = self._records.answer(row)
        return answers

    def of_others(self, connection: Connection, keys: Iterable[ReplayKey]) -> dict[ReplayKey, Replay]:
        """Return the answers to sends that are not agents'."""
        named: dict[Row, ReplayKey] = {}
        for key in keys:
            with contextlib.suppress(ValueError):
                named[self._database.id_in(key.session_id), key_hash(key)] = key
        found = self.others.rows(connection, list(named))
        return {named[row[0], row[1]]: self._records.replay(row) for row in found}


def _of_run() -> ColumnElement[bool]:
    return and_(MESSAGE.c.sender_session_id == RUN.c.session_id, MESSAGE.c.sender_run_id == RUN.c.run_id)


BY_AGENT = MESSAGE.c.owner == literal_column(str(int(Owner.AGENT)))


def _sent_in_active_runs(sessions: Keys) -> Iterator[Select[Any]]:
    """What the active runs of sessions sent: from the index, then from the tail."""
    sent = select(MESSAGE.c.sender_session_id, MESSAGE.c.sender_tool_call_id, MESSAGE.c.position)
    active = where(RUN, tables.ACTIVE_RUN)
    runs = joined(sessions, RUN)
    yield sent.select_from(_sent_by(runs)).where(active, BY_AGENT)
    yield sent.select_from(runs.join(MESSAGE, _of_run())).where(active, in_tail(MESSAGE), BY_AGENT, *OF_A_SENDER)


def _sent_in_run(calls: Keys) -> Iterator[Select[Any]]:
    """The messages of calls: from the index, then from the tail."""
    answers = select(*of(MESSAGE, rows.MESSAGE_COLUMNS))
    this_call = MESSAGE.c.sender_tool_call_id == calls.table.c.tool_call_id
    runs = joined(calls, RUN, "session_id", "run_id")
    yield answers.select_from(_sent_by(runs)).where(this_call, BY_AGENT)
    yield answers.select_from(runs.join(MESSAGE, _of_run())).where(this_call, in_tail(MESSAGE), BY_AGENT, *OF_A_SENDER)


def _sent_as(calls: Keys) -> Select[Any]:
    """Return the messages of calls. However a plan is made, each call is looked up by itself."""
    key = calls.table.c
    sent = (
        select(*of(MESSAGE, rows.MESSAGE_COLUMNS))
        .where(
            MESSAGE.c.sender_session_id == key.session_id,
            MESSAGE.c.sender_tool_call_id == key.tool_call_id,
            MESSAGE.c.sender_run_id == key.run_id,
            BY_AGENT,
            *OF_A_SENDER,
        )
        .offset(literal_column("0"))
        .lateral("message")
    )
    return select(*sent.c).select_from(calls.table.join(sent, literal_column("true")))


def _sent_by(runs: FromClause) -> FromClause:
    within = and_(
        MESSAGE_OF_SENDER.c.sender_session_id == RUN.c.session_id,
        MESSAGE_OF_SENDER.c.position > RUN.c.start_position,
        MESSAGE_OF_SENDER.c.position < func.coalesce(RUN.c.end_position, literal_column(str(POSITION_MAX))),
    )
    return runs.join(MESSAGE_OF_SENDER, within).join(
        MESSAGE, and_(MESSAGE.c.position == MESSAGE_OF_SENDER.c.position, _of_run())
    )
