"""The pages of events: one path for all, a tree's and a session's.

A page needs no transaction: it first reads how far the log and its indexes go, and neither ever goes back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BindParameter, bindparam, func, select
from sqlalchemy.sql.elements import ColumnElement

from kinpost_server.engine.ports import Scope, StoredEvent
from kinpost_server.store import rows
from kinpost_server.store.dialect import Connection, Database, Row
from kinpost_server.store.indexing import EVENT, EndsQuery, in_tail, of_session, of_tree
from kinpost_server.store.loading import id_keys, of
from kinpost_server.store.statements import Query

STRETCH = 4096  # how many events are looked at for those of some types, before the caller is told how far that was
SEQ_MAX = (1 << 63) - 1


class _Page:
    """Events gathered up to a number and, after the first, up to a size."""

    def __init__(self, limit: int, bytes_max: int) -> None:
        self.events: list[StoredEvent] = []
        self.room = limit
        self._bytes_left = bytes_max

    def take(self, event: StoredEvent) -> bool:
        """Add an event if it fits."""
        self._bytes_left -= len(event.data)
        if self.events and self._bytes_left < 0:
            return False
        self.events.append(event)
        self.room -= 1
        return True


class _Part:
    """A stretch of the log in some scope, read in order through one index, or through none."""

    def __init__(self, database: Database, conditions: Sequence[ColumnElement[bool]], order: Any, source: Any) -> None:
        limit: BindParameter[int] = bindparam("row_limit")
        page = (
            select(*of(EVENT, rows.EVENT_COLUMNS)).select_from(source).where(*conditions).order_by(order).limit(limit)
        )
        looked_at = (
            select(EVENT.c.position).select_from(source).where(*conditions).order_by(order).limit(STRETCH).subquery()
        )
        self.page = Query(database, page)
        self.page_of_types = Query(database, page.where(EVENT.c.type.in_(database.choices("types"))))
        self.stretch = Query(database, select(func.max(looked_at.c.position), func.count()).select_from(looked_at))


class EventPages:
    """Reads events over any connection of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ends = EndsQuery(database)
        after: BindParameter[int] = bindparam("after")
        end: BindParameter[int] = bindparam("end")
        scope_id: BindParameter[Any] = bindparam("scope_id")
        within = (EVENT.c.position > after, EVENT.c.position <= end)
        session, events_of_session, _ = of_session(database)
        tree, events_of_tree, _ = of_tree(database)
        self.all = _Part(database, within, EVENT.c.position, EVENT)
        self.session_tail = _Part(database, (*within, EVENT.c.session_id == scope_id), EVENT.c.position, EVENT)
        self.tree_tail = _Part(database, (*within, EVENT.c.root_session_id == scope_id), EVENT.c.position, EVENT)
        self.tree_indexed = _Part(
            database,
            (tree.c.root_session_id == scope_id, tree.c.position > after, tree.c.position <= end),
            tree.c.position,
            events_of_tree,
        )
        is_of_session = session.c.session_id == scope_id
        self.session_indexed = _Part(
            database,
            (is_of_session, session.c.seq > bindparam("after_seq"), session.c.position <= end),
            session.c.seq,
            events_of_session,
        )
        self.oldest = Query(database, select(func.coalesce(func.min(EVENT.c.position), 1)))
        seq: BindParameter[int] = bindparam("seq")
        self.at_most_indexed = Query(
            database,
            select(session.c.seq, session.c.position)
            .where(is_of_session, session.c.seq <= seq)
            .order_by(session.c.seq.desc())
            .limit(1),
        )
        self.at_most_in_tail = Query(
            database,
            select(func.max(EVENT.c.position)).where(
                EVENT.c.position > after, EVENT.c.session_id == scope_id, EVENT.c.seq <= seq
            ),
        )

        page = select(*of(EVENT, rows.EVENT_COLUMNS)).limit(bindparam("row_limit"))
        of_types = EVENT.c.type.in_(database.choices("types"))
        self.before_in_tail = Query(
            database,
            page.where(in_tail(EVENT), EVENT.c.session_id == scope_id, EVENT.c.seq < seq, of_types).order_by(
                EVENT.c.position.desc()
            ),
        )
        self.before_indexed = Query(
            database,
            page.select_from(events_of_session)
            .where(is_of_session, session.c.seq < seq, of_types)
            .order_by(session.c.seq.desc()),
        )

    def last(self, connection: Connection) -> int:
        """Return the newest position, 0 for an empty log."""
        return self._ends.read(connection).position

    def first(self, connection: Connection) -> int:
        """Return the oldest position, 1 for an empty log."""
        position: int = self.oldest.run(connection).fetchone()[0]
        return position

    def position_of(self, connection: Connection, session_id: Any, seq: int) -> int:
        """Return the position of a session's last event with at most this seq, 0 when there is none."""
        indexed = self._ends.read(connection).indexed
        row = self.at_most_in_tail.run(connection, after=indexed, scope_id=session_id, seq=seq).fetchone()
        return row[0] or self._indexed_position(connection, session_id, seq)

    def before(
        self, connection: Connection, session_id: Any, seq: int, types: Sequence[int], limit: int
    ) -> list[StoredEvent]:
        """Return a session's events of these types with a lower seq, newest first; of one moment in a snapshot."""
        given = {"scope_id": session_id, "seq": seq, "types": self._database.pack_choices(types)}
        found = self.before_in_tail.run(connection, row_limit=limit, **given).fetchall()
        if len(found) < limit:
            found += self.before_indexed.run(connection, row_limit=limit - len(found), **given).fetchall()
        return [self.event(row) for row in found]

    def after(
        self, connection: Connection, scope: Scope, position: int, types: Sequence[int], limit: int, bytes_max: int
    ) -> tuple[list[StoredEvent], int]:
        """Return the port's `events_after`."""
        end, indexed = self._ends.read(connection)
        if end <= position:
            return [], position
        page = _Page(limit, bytes_max)
        for part, part_end, given in self._parts(connection, scope, position, indexed, end):
            reached = self._fill(page, connection, part, part_end, types, given)
            if reached < part_end or page.room <= 0:
                return page.events, reached
        return page.events, end

    def _parts(
        self, connection: Connection, scope: Scope, position: int, indexed: int, end: int
    ) -> list[tuple[_Part, int, dict[str, Any]]]:
        """Return what is to be read in this order, and up to where: what is indexed, then the tail."""
        if not scope.session_id and not scope.root_session_id:
            return [(self.all, end, {"after": position})]
        keys = id_keys(self._database, [scope.session_id or scope.root_session_id])
        if not keys:
            return []
        (scope_id,) = keys[0]
        parts: list[tuple[_Part, int, dict[str, Any]]] = []
        tail = {"scope_id": scope_id, "after": max(position, indexed)}
        if scope.session_id:
            seq = self._seq_at(connection, scope_id, position) if position < indexed else None
            if seq is not None:
                parts.append((self.session_indexed, indexed, {"scope_id": scope_id, "after_seq": seq}))
            return [*parts, (self.session_tail, end, tail)]
        if position < indexed:
            parts.append((self.tree_indexed, indexed, {"scope_id": scope_id, "after": position}))
        return [*parts, (self.tree_tail, end, tail)]

    def _fill(
        self,
        page: _Page,
        connection: Connection,
        part: _Part,
        end: int,
        types: Sequence[int],
        given: dict[str, Any],
    ) -> int:
        """Add a part's events to the page; return the position up to which the part was looked at."""
        query, chosen = part.page, {}
        if types:
            query, chosen = part.page_of_types, {"types": self._database.pack_choices(types)}
            reached, count = part.stretch.run(connection, end=end, **given).fetchone()
            if count == STRETCH:
                end = reached
        for row in query.run(connection, end=end, row_limit=page.room, **given, **chosen):
            if not page.take(self.event(row)):
                return page.events[-1].position
        return end if page.room > 0 else page.events[-1].position

    def event(self, row: Row) -> StoredEvent:
        """Return an event from its row."""
        position, session_id, root_session_id, seq, type_, data = row
        id_out = self._database.id_out
        return StoredEvent(position, id_out(session_id), id_out(root_session_id), seq, type_, data)

    def _indexed_position(self, connection: Connection, session_id: Any, seq: int) -> int:
        row = self.at_most_indexed.run(connection, scope_id=session_id, seq=seq).fetchone()
        return row[1] if row is not None else 0

    def _seq_at(self, connection: Connection, session_id: Any, position: int) -> int | None:
        """Return the seq of a session's last indexed event up to a position; None when none lies beyond it.

        Both rise together, so it is found by halving; followers of the log are near its end, so the search begins
        there and widens.
        """
        newest = self.at_most_indexed.run(connection, scope_id=session_id, seq=SEQ_MAX).fetchone()
        if newest is None or newest[1] <= position:
            return None
        above: int = newest[0]  # lies beyond
        step = 1
        while above - step > 0 and self._indexed_position(connection, session_id, above - step) > position:
            above -= step
            step *= 2
        below = max(above - step, 0)  # does not
        while above - below > 1:
            middle = (above + below) // 2
            if self._indexed_position(connection, session_id, middle) > position:
                above = middle
            else:
                below = middle
        return below
