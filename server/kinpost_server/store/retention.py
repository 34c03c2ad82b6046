"""Dropping events that are kept no longer: of trees that have been put away, the oldest first, a few at a time.

A session's newest event stays, and so do all projections. What is dropped of a session is always the beginning of its
log, and how far that goes is written down in the same commit.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Select, bindparam, delete, exists, func, or_, select, tuple_

from kinpost_server.domain.session import Availability
from kinpost_server.engine.ports import Scope
from kinpost_server.engine.upkeep_ports import Dropped, RetiredPage, RetiredTree
from kinpost_server.store import peer_tables, retention_tables, tables
from kinpost_server.store.dialect import Connection, Database, Row
from kinpost_server.store.indexing import EVENT, EVENT_OF_SESSION, EVENT_OF_TREE, MESSAGE, in_tail
from kinpost_server.store.loading import APPROVAL, RUN, SESSION, WAKE, id_keys, where
from kinpost_server.store.statements import KeyedQuery, Query, putting
from kinpost_server.store.writing import PRODUCER

DROPPED = tables.table_of(retention_tables.DroppedRow)
PARKED = tables.table_of(peer_tables.PeerParkedRow)
BODY = tables.table_of(peer_tables.PeerBodyRow)
COLUMNS = ("session_id", "root_session_id", "seq", "position", "number")
ARCHIVED = int(Availability.ARCHIVED)


def _lives(root: BindParameter[Any]) -> ColumnElement[bool]:
    """Return whether anything of a tree lives: a session that is open, a run, mail or questions that wait."""
    of_tree = select(SESSION.c.session_id).where(SESSION.c.root_session_id == root)

    def has(table: Any, *conditions: Any) -> ColumnElement[bool]:
        joined = SESSION.join(table, table.c.session_id == SESSION.c.session_id)
        return exists(select(1).select_from(joined).where(SESSION.c.root_session_id == root, *conditions))

    return or_(
        exists(
            select(1)
            .select_from(SESSION)
            .where(
                SESSION.c.root_session_id == root,
                SESSION.c.deleted.is_(False),
                SESSION.c.availability != ARCHIVED,
            )
        ),
        has(RUN, where(RUN, tables.ACTIVE_RUN)),
        has(MESSAGE, where(MESSAGE, tables.PENDING_MESSAGE)),
        has(WAKE),
        has(PRODUCER, where(PRODUCER, tables.REGISTERED_PRODUCER)),
        exists(
            select(1)
            .select_from(APPROVAL)
            .where(APPROVAL.c.root_session_id == root, where(APPROVAL, tables.PENDING_APPROVAL))
        ),
        exists(
            select(1)
            .select_from(PARKED)
            .where(or_(PARKED.c.source_session_id.in_(of_tree), PARKED.c.target_session_id.in_(of_tree)))
        ),
    )


class Retention:
    """The statements, compiled once for a database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        root: BindParameter[Any] = bindparam("root")
        limit: BindParameter[int] = bindparam("row_limit")
        self.lives = Query(database, select(_lives(root)))
        self.sessions = Query(
            database,
            select(
                SESSION.c.position,
                SESSION.c.session_id,
                SESSION.c.root_session_id,
                SESSION.c.deleted,
                SESSION.c.availability,
            )
            .where(SESSION.c.position > bindparam("after"))
            .order_by(SESSION.c.position)
            .limit(limit),
        )
        event = select(EVENT.c.position, EVENT.c.data)
        self.roots_in_tail = Query(database, select(EVENT.c.root_session_id).where(in_tail(EVENT)).distinct())
        self.newest_in_tail = Query(
            database,
            event.where(in_tail(EVENT), EVENT.c.root_session_id == root).order_by(EVENT.c.position.desc()).limit(1),
        )
        indexed = event.select_from(EVENT_OF_TREE.join(EVENT, EVENT.c.position == EVENT_OF_TREE.c.position)).where(
            EVENT_OF_TREE.c.root_session_id == root
        )
        if database.is_shared:  # whose index is the table's own: a join with it might be read from the log's end
            indexed = event.where(EVENT.c.root_session_id == root)
        place = EVENT.c.position if database.is_shared else EVENT_OF_TREE.c.position
        self.newest_indexed = Query(database, indexed.order_by(place.desc()).limit(1))
        newest_seq: Select[Any] = select(func.max(EVENT_OF_SESSION.c.seq)).where(
            EVENT_OF_SESSION.c.session_id == EVENT.c.session_id
        )
        self.droppable = Query(
            database,
            select(EVENT.c.position, EVENT.c.session_id, EVENT.c.seq)
            .select_from(EVENT_OF_TREE.join(EVENT, EVENT.c.position == EVENT_OF_TREE.c.position))
            .where(EVENT_OF_TREE.c.root_session_id == root, EVENT.c.seq < newest_seq.scalar_subquery())
            .order_by(EVENT_OF_TREE.c.position)
            .limit(limit),
        )
        self.number = Query(database, select(func.coalesce(func.max(DROPPED.c.number), 0)))
        self.position = Query(database, select(func.coalesce(func.max(DROPPED.c.position), 0)))
        highest = [func.coalesce(func.max(DROPPED.c[name]), 0) for name in ("number", "position", "seq")]
        self.of_tree = Query(database, select(*highest).where(DROPPED.c.root_session_id == bindparam("scope_id")))
        self.of_session = Query(database, select(*highest).where(DROPPED.c.session_id == bindparam("scope_id")))
        self.put = putting(database, DROPPED, COLUMNS, ("seq", "position", "number"))
        by_position = database.keys(number="position")
        positions = select(by_position.table.c.position)
        self.bodies = KeyedQuery(
            database,
            by_position,
            delete(BODY).where(
                BODY.c.body_id.in_(select(MESSAGE.c.message_id).where(MESSAGE.c.position.in_(positions)))
            ),
        )
        self.events = KeyedQuery(database, by_position, delete(EVENT).where(EVENT.c.position.in_(positions)))
        of_tree = database.keys("root_session_id", number="position")
        tree, session = EVENT_OF_TREE.c, EVENT_OF_SESSION.c
        self.tree_entries = KeyedQuery(
            database,
            of_tree,
            delete(EVENT_OF_TREE).where(
                tuple_(tree.root_session_id, tree.position).in_(
                    select(of_tree.table.c.root_session_id, of_tree.table.c.position)
                )
            ),
        )
        of_session = database.keys("session_id", number="seq")
        self.session_entries = KeyedQuery(
            database,
            of_session,
            delete(EVENT_OF_SESSION).where(
                tuple_(session.session_id, session.seq).in_(
                    select(of_session.table.c.session_id, of_session.table.c.seq)
                )
            ),
        )

    def retired(self, connection: Connection, after: int, limit: int) -> RetiredPage:
        """Return the port's `retired_trees`."""
        id_out = self._database.id_out
        found = self.sessions.run(connection, after=after, row_limit=limit).fetchall()
        in_tail = {root for (root,) in self.roots_in_tail.run(connection)}
        trees = []
        for _position, session_id, root, deleted, availability in found:
            if session_id != root or not (deleted or availability == ARCHIVED) or self._is_alive(connection, root):
                continue
            if root not in in_tail and self.droppable.run(connection, root=root, row_limit=1).fetchone() is None:
                continue
            newest = self._newest(connection, root)
            if newest is not None:
                trees.append(RetiredTree(id_out(root), *newest))
        return RetiredPage(trees, found[-1][0] if len(found) == limit else 0)

    def drop(self, connection: Connection, root_session_id: str, newest_position: int, limit: int) -> int:
        """Drop the oldest events of a tree that is as it was judged; the indexes must be up to date."""
        root = self._database.id_in(root_session_id)
        newest = self._newest(connection, root)
        if newest is None or newest[0] != newest_position or self._is_alive(connection, root):
            return 0
        found = self.droppable.run(connection, root=root, row_limit=limit).fetchall()
        if not found:
            return 0
        number = self.number.run(connection).fetchone()[0] + 1
        reached: dict[Any, Row] = {}
        for position, session_id, seq in found:
            reached[session_id] = (session_id, root, seq, position, number)  # in order: the last one counts
        positions = [(position,) for position, _session_id, _seq in found]
        self.bodies.apply(connection, positions)
        self.session_entries.apply(connection, [(session_id, seq) for _position, session_id, seq in found])
        self.tree_entries.apply(connection, [(root, position) for (position,) in positions])
        self.events.apply(connection, positions)
        self.put.write(connection, list(reached.values()))
        return len(found)

    def dropped(self, connection: Connection, scope: Scope) -> Dropped:
        """Return the port's `dropped`."""
        if not scope.session_id and not scope.root_session_id:
            return Dropped(self.number.run(connection).fetchone()[0], self.position.run(connection).fetchone()[0])
        keys = id_keys(self._database, [scope.session_id or scope.root_session_id])
        if not keys:
            return Dropped()
        query = self.of_session if scope.session_id else self.of_tree
        number, position, seq = query.run(connection, scope_id=keys[0][0]).fetchone()
        return Dropped(number, position, seq if scope.session_id else 0)

    def _is_alive(self, connection: Connection, root: Any) -> bool:
        return bool(self.lives.run(connection, root=root).fetchone()[0])

    def _newest(self, connection: Connection, root: Any) -> tuple[int, bytes] | None:
        """Return position and data of a tree's newest event."""
        row = self.newest_in_tail.run(connection, root=root).fetchone()
        row = row or self.newest_indexed.run(connection, root=root).fetchone()
        return tuple(row) if row is not None else None
