"""What is counted for whoever watches the service: each number from an index that holds only what is counted.

So the cost depends on how much waits, or went wrong, and not on how long the log is or how many sessions there are.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ScalarSelect, Table, and_, case, func, or_, select, text

from kinpost_server.domain.run import RunState
from kinpost_server.domain.session import Availability
from kinpost_server.engine.upkeep_ports import StoredFigures
from kinpost_server.store import peer_tables, tables
from kinpost_server.store.dialect import Connection, Database
from kinpost_server.store.indexing import MESSAGE
from kinpost_server.store.loading import APPROVAL, RUN, SESSION, WAKE, where
from kinpost_server.store.statements import Query

PARKED = tables.table_of(peer_tables.PeerParkedRow)
DEAD_LETTER = tables.table_of(peer_tables.DeadLetterRow)

assert f"state = {RunState.ACTIVE:d}" == tables.ACTIVE_RUN
assert tables.FAILING_SESSION.startswith(f"availability = {Availability.PAUSED:d} AND ")


class FigureQueries:
    """The statements, compiled once for a database."""

    def __init__(self, database: Database) -> None:
        self.counts = Query(
            database,
            select(
                _count(RUN, where(RUN, tables.ACTIVE_RUN)),
                _count(PARKED),
                _count(DEAD_LETTER),
                _count(SESSION, text(tables.FAILING_SESSION)),
                _count(APPROVAL, where(APPROVAL, tables.PENDING_APPROVAL)),
            ),
        )
        # All of its rows wait.
        self.wakes = Query(database, select(func.count(), func.min(WAKE.c.request_time)).select_from(WAKE))
        mail = (
            select(MESSAGE.c.session_id, func.count().label("messages"))
            .where(where(MESSAGE, tables.PENDING_MESSAGE))
            .group_by(MESSAGE.c.session_id)
            .subquery("mail")
        )
        may_not_wake = or_(
            SESSION.c.availability == int(Availability.PAUSED),
            SESSION.c.availability == int(Availability.USER_CLOSED),
            and_(SESSION.c.availability == int(Availability.ARCHIVED), SESSION.c.no_wake),
        )
        self.mail = Query(
            database,
            select(
                func.coalesce(func.sum(mail.c.messages), 0),
                func.coalesce(func.sum(case((may_not_wake, mail.c.messages), else_=0)), 0),
            ).select_from(mail.join(SESSION, SESSION.c.session_id == mail.c.session_id)),
        )

    def read(self, connection: Connection) -> StoredFigures:
        """Return the port's `figures`; of one moment in a snapshot."""
        active_runs, parked, dead_letters, failing, approvals = self.counts.run(connection).fetchone()
        wakes, oldest_wake_time = self.wakes.run(connection).fetchone()
        waiting, held = self.mail.run(connection).fetchone()
        return StoredFigures(
            active_runs=active_runs,
            wakes=wakes,
            oldest_wake_time=oldest_wake_time,
            waiting_messages=int(waiting),
            held_messages=int(held),
            parked_messages=parked,
            dead_letters=dead_letters,
            failing_sessions=failing,
            pending_approvals=approvals,
        )


def _count(table: Table, *conditions: Any) -> ScalarSelect[int]:
    return select(func.count()).select_from(table).where(*conditions).scalar_subquery()
