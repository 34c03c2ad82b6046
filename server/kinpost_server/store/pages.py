"""The pages of sessions, sent messages and approvals. Each begins after a key of an index, never at an offset."""

from __future__ import annotations

from sqlalchemy import BindParameter, bindparam, func, literal_column, select
from sqlalchemy.sql.elements import ColumnElement

from kinpost_server.engine.ports import OWNERS_OF_SENT
from kinpost_server.store import rows, tables
from kinpost_server.store.dialect import Database
from kinpost_server.store.indexing import EVENT, MESSAGE, OF_A_SENDER, in_tail, of_sender
from kinpost_server.store.loading import APPROVAL, SESSION, joined, of, where
from kinpost_server.store.statements import KeyedQuery, Query
from kinpost_server.store.writing import PRODUCER, RUNTIME, TOKEN


class Pages:
    """Pages of sessions, of sent messages and of approvals."""

    def __init__(self, database: Database) -> None:
        row_limit: BindParameter[int] = bindparam("row_limit")
        self.ping = Query(database, select(literal_column("1")).select_from(SESSION).limit(1))
        self.session_position = Query(
            database, select(SESSION.c.position).where(SESSION.c.session_id == bindparam("session_id"))
        )
        sessions = (
            select(SESSION.c.session_id)
            .where(
                SESSION.c.position > bindparam("after"),
                SESSION.c.deleted.is_(False),
                SESSION.c.state.in_(database.choices("states")),
                SESSION.c.availability.in_(database.choices("availabilities")),
            )
            .order_by(SESSION.c.position)
            .limit(row_limit)
        )
        self.sessions = Query(database, sessions)
        self.sessions_of_tree = Query(database, sessions.where(SESSION.c.root_session_id == bindparam("root")))
        self.root = Query(
            database,
            select(SESSION.c.position).where(SESSION.c.root_session_id == bindparam("root")).limit(1),
        )
        message = select(*of(MESSAGE, rows.MESSAGE_COLUMNS))
        self.message = Query(database, message.where(MESSAGE.c.message_id == bindparam("message_id")))
        messages = database.keys("message_id")
        self.acceptances = KeyedQuery(
            database,
            messages,
            select(*of(EVENT, rows.EVENT_COLUMNS))
            .select_from(joined(messages, MESSAGE, "message_id").join(EVENT, EVENT.c.position == MESSAGE.c.position))
            .order_by(EVENT.c.position),
        )
        owners: list[ColumnElement[int]] = [literal_column(str(int(owner))) for owner in OWNERS_OF_SENT]
        sent = message.where(MESSAGE.c.owner.in_(owners), MESSAGE.c.state.in_(database.choices("states"))).limit(
            row_limit
        )
        before: BindParameter[int] = bindparam("before")
        self.sent_tail = Query(
            database,
            sent.where(
                in_tail(MESSAGE),
                *OF_A_SENDER,
                MESSAGE.c.sender_session_id == bindparam("sender"),
                MESSAGE.c.position < before,
            ).order_by(MESSAGE.c.position.desc()),
        )
        approval = select(*of(APPROVAL, rows.APPROVAL_COLUMNS))
        self.approval = Query(database, approval.where(APPROVAL.c.approval_id == bindparam("approval_id")))
        self.approvals_of_tree = Query(
            database,
            approval.where(
                APPROVAL.c.root_session_id == bindparam("root"),
                APPROVAL.c.position < before,
                APPROVAL.c.state.in_(database.choices("states")),
            )
            .order_by(APPROVAL.c.position.desc())
            .limit(row_limit),
        )
        self.producers = Query(
            database,
            select(*of(PRODUCER, rows.PRODUCER_COLUMNS))
            .where(where(PRODUCER, tables.REGISTERED_PRODUCER), PRODUCER.c.session_id == bindparam("session_id"))
            .order_by(PRODUCER.c.producer_id),
        )
        self.token_version = Query(database, select(func.count(), func.count(TOKEN.c.revoke_time)))
        self.tokens = Query(database, select(*of(TOKEN, rows.TOKEN_COLUMNS)).order_by(TOKEN.c.token_id))
        self.attachments = Query(
            database,
            select(RUNTIME.c.runtime_id, RUNTIME.c.attachment_id).where(
                RUNTIME.c.runtime_id.in_(database.choices("runtime_ids", words=True)),
                RUNTIME.c.attachment_id.is_not(None),
            ),
        )
        index, found, conditions = of_sender(database)
        self.sent_indexed = Query(
            database,
            sent.select_from(found)
            .where(*conditions, index.c.sender_session_id == bindparam("sender"), index.c.position < before)
            .order_by(index.c.position.desc()),
        )
