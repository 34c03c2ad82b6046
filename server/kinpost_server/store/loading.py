"""Loading sessions as a whole from their rows, however many, in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import FromClause, Select, Table, and_, func, select, text
from sqlalchemy.sql.elements import ColumnElement

from kinpost_server.domain.run import ClaimState, Run
from kinpost_server.domain.session import Session
from kinpost_server.store import rows, tables
from kinpost_server.store.dialect import Connection, Database, Keys, Row
from kinpost_server.store.indexing import EVENT, EVENT_OF_SESSION, MESSAGE, in_tail
from kinpost_server.store.records import RowReader
from kinpost_server.store.statements import KeyedQuery

SESSION = tables.table_of(tables.SessionRow)
HOST = tables.table_of(tables.SessionHostRow)
RUN = tables.table_of(tables.RunRow)
CLAIM = tables.table_of(tables.ClaimRow)
APPROVAL = tables.table_of(tables.ApprovalRow)
WAKE = tables.table_of(tables.WakeRow)


def of(table: Table, names: Iterable[str]) -> list[ColumnElement[Any]]:
    """Return columns of a table by their names."""
    return [table.c[name] for name in names]


def where(table: Table, condition: str) -> ColumnElement[bool]:
    """Return the condition of a partial index, word for word, so that the database sees that the index serves."""
    return text(f"{table.name}.{condition}")  # type: ignore[return-value]


def indexed_seq() -> ColumnElement[int]:
    """Return the newest indexed seq of the session at hand: sends need not write the session's row to keep it."""
    newest = select(func.max(EVENT_OF_SESSION.c.seq)).where(EVENT_OF_SESSION.c.session_id == SESSION.c.session_id)
    return newest.scalar_subquery().label("last_seq")


def id_keys(database: Database, ids: Iterable[str]) -> list[Row]:
    """Return ids as keys. What is no UUID is left out: nothing has such an id."""
    keys: list[Row] = []
    for text_ in ids:
        try:
            keys.append((database.id_in(text_),))
        except ValueError:
            continue
    return keys


class SessionLoader:
    """Reads sessions over any connection of one database, in a transaction or where nobody else writes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._records = RowReader(database)
        keys = database.keys("session_id")

        def query(statement: Select[Any]) -> KeyedQuery:
            return KeyedQuery(database, keys, statement)

        self.sessions = query(
            select(*of(SESSION, rows.SESSION_COLUMNS), indexed_seq()).select_from(joined(keys, SESSION))
        )
        self.tail_seqs = query(
            select(EVENT.c.session_id, func.max(EVENT.c.seq))
            .where(in_tail(EVENT), EVENT.c.session_id.in_(select(keys.table.c.session_id)))
            .group_by(EVENT.c.session_id)
        )
        self.hosts = query(select(HOST.c.session_id, HOST.c.token_id).select_from(joined(keys, HOST)))
        self.active_runs = query(
            select(*of(RUN, rows.RUN_COLUMNS)).select_from(joined(keys, RUN)).where(where(RUN, tables.ACTIVE_RUN))
        )
        self.claims = query(
            select(*of(CLAIM, rows.CLAIM_COLUMNS))
            .select_from(
                joined(keys, RUN).join(
                    CLAIM, and_(CLAIM.c.session_id == RUN.c.session_id, CLAIM.c.claim_seq > RUN.c.start_seq)
                )
            )
            .where(where(RUN, tables.ACTIVE_RUN))
            .order_by(CLAIM.c.session_id, CLAIM.c.claim_seq)
        )
        self.approvals = query(
            select(*of(APPROVAL, rows.APPROVAL_COLUMNS))
            .select_from(
                joined(keys, RUN).join(
                    APPROVAL, and_(APPROVAL.c.session_id == RUN.c.session_id, APPROVAL.c.run_id == RUN.c.run_id)
                )
            )
            .where(where(RUN, tables.ACTIVE_RUN))
            .order_by(APPROVAL.c.position)
        )
        self.mail = query(
            select(*of(MESSAGE, rows.MESSAGE_COLUMNS))
            .select_from(joined(keys, MESSAGE))
            .where(where(MESSAGE, tables.PENDING_MESSAGE))
            .order_by(MESSAGE.c.session_id, MESSAGE.c.position)
        )
        self.pending_counts = query(
            select(MESSAGE.c.session_id, func.count())
            .select_from(joined(keys, MESSAGE))
            .where(where(MESSAGE, tables.PENDING_MESSAGE))
            .group_by(MESSAGE.c.session_id)
        )
        self.wakes = query(select(*of(WAKE, rows.WAKE_COLUMNS)).select_from(joined(keys, WAKE)))

    def heads(self, connection: Connection, session_ids: Iterable[str]) -> dict[str, Session]:
        """Return the sessions that exist with their hosts and active run, without claims, mail and wake."""
        found, _keys = self._heads(connection, session_ids)
        return found

    def whole(self, connection: Connection, session_ids: Iterable[str]) -> dict[str, Session]:
        """Return the sessions that exist with all that belongs to them; message bodies are left in the log."""
        found, keys = self._heads(connection, session_ids)
        if not found:
            return found
        id_out, records = self._database.id_out, self._records
        if any(session.run for session in found.values()):
            self._fill_runs(connection, found, keys)
        for row in self.mail.rows(connection, keys):
            message = records.message(row)
            found[message.session_id].mail[message.message_id] = message
        for row in self.wakes.rows(connection, keys):
            found[id_out(row[0])].wake = records.wake(row)
        return found

    def _fill_runs(self, connection: Connection, found: dict[str, Session], keys: list[Row]) -> None:
        """Give the active runs their claims, and their approvals without the arguments."""
        records = self._records
        for row in self.claims.rows(connection, keys):
            run = found[self._database.id_out(row[0])].run
            assert run is not None
            claim = records.claim(row)
            run.claims[claim.claim_seq] = claim
            run.attempts[claim.attempt_id] = claim.claim_seq
            if claim.state is ClaimState.LIVE:
                run.live_claim = claim
        for row in self.approvals.rows(connection, keys):
            approval = records.approval(row)
            approval.arguments_json = ""
            run = found[approval.session_id].run
            assert run is not None
            run.approvals[approval.approval_id] = approval

    def counts(self, connection: Connection, session_ids: Iterable[str]) -> dict[str, int]:
        """Return how many pending messages each session has, where it has any."""
        keys = id_keys(self._database, session_ids)
        return {self._database.id_out(row[0]): row[1] for row in self.pending_counts.rows(connection, keys)}

    def _heads(self, connection: Connection, session_ids: Iterable[str]) -> tuple[dict[str, Session], list[Row]]:
        keys = id_keys(self._database, session_ids)
        found: dict[str, Session] = {}
        for row in self.sessions.rows(connection, keys):
            session = self._records.session(row)
            found[session.session_id] = session
        if found:
            if not self._database.is_shared:  # where nothing is ever behind its index
                for session_id, seq in self.tail_seqs.rows(connection, keys):
                    found[self._database.id_out(session_id)].last_seq = seq
            for session_id, token_id in self.hosts.rows(connection, keys):
                found[self._database.id_out(session_id)].host_token_ids.add(token_id)
            for row in self.active_runs.rows(connection, keys):
                run: Run = self._records.run(row)
                found[run.session_id].run = run
        return found, keys


class Standing(NamedTuple):
    """What tells whether a session is still as it was, and what changes without an event."""

    last_seq: int
    due_time: int | None
    lease_expire_time: int | None  # of its active run
    runtime_id: str | None  # of the same


class StandingQuery:
    """Reads how sessions stand, in one statement. Where nothing is ever behind its index."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._keys = database.keys("session_id")
        is_active = RUN.c.session_id == SESSION.c.session_id, where(RUN, tables.ACTIVE_RUN)
        lease, runtime = [select(column).where(*is_active) for column in (RUN.c.lease_expire_time, RUN.c.runtime_id)]
        self.standing = KeyedQuery(
            database,
            self._keys,
            select(
                SESSION.c.session_id,
                indexed_seq(),
                SESSION.c.due_time,
                lease.scalar_subquery(),
                runtime.scalar_subquery(),
            ).select_from(joined(self._keys, SESSION)),
        )

    def of(self, connection: Connection, session_ids: Iterable[str]) -> dict[str, Standing]:
        """Return how the sessions that exist stand now."""
        found = self.standing.rows(connection, id_keys(self._database, session_ids))
        return {self._database.id_out(row[0]): Standing(*row[1:]) for row in found}


def joined(keys: Keys, table: Table, *names: str) -> FromClause:
    """Return the rows of a table that have the keys, by default of `session_id`."""
    return keys.joined(table, names or ("session_id",))
