"""The log's own indexes: by session, by tree and by sender, brought up to date many events at a time.

An index that leads with the session has a page for each session; writing it with each message would dirty a page of
it for each message. Sorted into it a thousand at a time, many entries share a page, and a send costs in a long log
what it costs in an empty one. Until then the newest rows, the tail, are found by looking at each.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import BindParameter, FromClause, Table, bindparam, func, select, update
from sqlalchemy.sql.elements import ColumnElement

from kinpost_server.store import tables
from kinpost_server.store.dialect import Connection, Database
from kinpost_server.store.statements import Query

EVENT = tables.table_of(tables.EventRow)
MESSAGE = tables.table_of(tables.MessageRow)
EVENT_OF_SESSION = tables.table_of(tables.EventOfSessionRow)
EVENT_OF_TREE = tables.table_of(tables.EventOfTreeRow)
MESSAGE_OF_SENDER = tables.table_of(tables.MessageOfSenderRow)
LOG = tables.table_of(tables.LogRow)


# A copy that a fork made is nobody's send.
OF_A_SENDER = (MESSAGE.c.sender_session_id.is_not(None), MESSAGE.c.forked_from.is_(None))


def in_tail(table: Table) -> ColumnElement[bool]:
    """Return the condition for rows that are not in their indexes yet, at the moment of the statement.

    A statement that looks into an index needs another that looks at the tail, in the same transaction.
    """
    return table.c.position > select(LOG.c.indexed_position).scalar_subquery()


class Indexed(NamedTuple):
    """Rows that are found through an index: by whose columns, where the rows come from, and on which conditions."""

    columns: Table
    rows: FromClause
    conditions: tuple[ColumnElement[bool], ...] = ()


def of_session(database: Database) -> Indexed:
    """Return the events as they are found by session. Where the index is a real one, a row has its columns itself."""
    return Indexed(EVENT, EVENT) if database.is_shared else _through(EVENT_OF_SESSION, EVENT)


def of_tree(database: Database) -> Indexed:
    """Return the events as they are found by tree."""
    return Indexed(EVENT, EVENT) if database.is_shared else _through(EVENT_OF_TREE, EVENT)


def of_sender(database: Database) -> Indexed:
    """Return the messages as they are found by their sender."""
    return Indexed(MESSAGE, MESSAGE, OF_A_SENDER) if database.is_shared else _through(MESSAGE_OF_SENDER, MESSAGE)


def _through(index: Table, table: Table) -> Indexed:
    return Indexed(index, index.join(table, table.c.position == index.c.position))


class Ends(NamedTuple):
    """The newest position, and the newest that is indexed."""

    position: int
    indexed: int


class EndsQuery:
    """Reads how far the log and its indexes go."""

    def __init__(self, database: Database) -> None:
        newest = select(func.coalesce(func.max(EVENT.c.position), 0)).scalar_subquery()
        self._query = Query(database, select(newest, LOG.c.indexed_position))

    def read(self, connection: Connection) -> Ends:
        """Return how far they go now."""
        return Ends(*self._query.run(connection).fetchone())


class Indexing:
    """Brings the indexes up to date, whenever that many events are not in them."""

    def __init__(self, database: Database, unindexed_max: int) -> None:
        self._unindexed_max = unindexed_max
        indexed: BindParameter[int] = bindparam("indexed")
        end: BindParameter[int] = bindparam("end")
        self._fills = [
            Query(
                database,
                database.insert(index)
                .from_select(
                    [column.name for column in index.columns],
                    select(*columns)
                    .where(source.c.position > indexed, source.c.position <= end, *conditions)
                    .order_by(*columns),
                )
                .on_conflict_do_nothing(),
            )
            for index, source, columns, conditions in (
                (EVENT_OF_SESSION, EVENT, (EVENT.c.session_id, EVENT.c.seq, EVENT.c.position), ()),
                (EVENT_OF_TREE, EVENT, (EVENT.c.root_session_id, EVENT.c.position), ()),
                (MESSAGE_OF_SENDER, MESSAGE, (MESSAGE.c.sender_session_id, MESSAGE.c.position), OF_A_SENDER),
            )
        ]
        self._keep = Query(database, update(LOG).values(indexed_position=end))

    def extend(self, connection: Connection, ends: Ends, unindexed_max: int | None = None) -> Ends:
        """Index what is not indexed yet, if it is too much; return how far things are then."""
        if ends.position - ends.indexed <= (self._unindexed_max if unindexed_max is None else unindexed_max):
            return ends
        for fill in self._fills:
            fill.run(connection, indexed=ends.indexed, end=ends.position)
        self._keep.run(connection, end=ends.position)
        return Ends(ends.position, ends.position)
