"""What the writing side asks the database, beside whole sessions."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BindParameter,
    Select,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    select,
    union,
    update,
)

from kinpost_server.domain.approval import ApprovalDecision, ApprovalState
from kinpost_server.domain.message import PENDING
from kinpost_server.domain.permission import Relationship
from kinpost_server.domain.run import RunState, WakeState
from kinpost_server.domain.session import SessionState
from kinpost_server.store import rows, tables
from kinpost_server.store.dialect import Database
from kinpost_server.store.indexing import EVENT, MESSAGE
from kinpost_server.store.loading import APPROVAL, CLAIM, HOST, RUN, SESSION, WAKE, joined, of, where
from kinpost_server.store.statements import KeyedQuery, Query
from kinpost_server.store.writing import PRODUCER, RUNTIME, TOKEN, WAKE_ROUTE

# The conditions of the partial indexes are written out in `tables.py`.
assert f"state = {RunState.ACTIVE:d}" == tables.ACTIVE_RUN
assert f"state <= {max(PENDING):d}" == tables.PENDING_MESSAGE
assert f"state = {ApprovalState.PENDING:d}" == tables.PENDING_APPROVAL
assert f"decision = {ApprovalDecision.ALLOW_FOR_TREE:d}" == tables.GRANT
assert f"state = {SessionState.QUEUED:d}" == tables.QUEUED_SESSION
assert f"state = {WakeState.REQUESTED:d}" == tables.WAITING_WAKE
assert f"state = {WakeState.OFFERED:d}" == tables.OFFERED_WAKE


# The nearest first; the numbers stand in the statements.
KINSHIP = (Relationship.PARENT, Relationship.CHILD, Relationship.SIBLING, Relationship.OTHER)


class Queries:
    """The statements, compiled once for a database."""

    def __init__(self, database: Database) -> None:
        handles = database.keys("root_session_id", words="handle")
        self.handles = KeyedQuery(
            database,
            handles,
            select(SESSION.c.root_session_id, SESSION.c.handle, SESSION.c.session_id)
            .select_from(joined(handles, SESSION, "root_session_id", "handle"))
            .where(SESSION.c.handle.is_not(None)),
        )
        runs = database.keys("session_id", "run_id")
        self.runs = KeyedQuery(
            database,
            runs,
            select(*of(RUN, rows.RUN_COLUMNS)).select_from(joined(runs, RUN, "session_id", "run_id")),
        )
        identities = database.keys("session_id", digest="identity_hash")
        self.identities = KeyedQuery(
            database,
            identities,
            select(*of(RUN, rows.RUN_COLUMNS)).select_from(joined(identities, RUN, "session_id", "identity_hash")),
        )
        claims = database.keys("session_id", number="claim_seq")
        self.claims = KeyedQuery(
            database,
            claims,
            select(*of(CLAIM, rows.CLAIM_COLUMNS)).select_from(joined(claims, CLAIM, "session_id", "claim_seq")),
        )
        messages = database.keys("message_id")
        self.messages = KeyedQuery(
            database,
            messages,
            select(*of(MESSAGE, rows.MESSAGE_COLUMNS)).select_from(joined(messages, MESSAGE, "message_id")),
        )
        approval_ids = database.keys("approval_id")
        self.approvals = KeyedQuery(
            database,
            approval_ids,
            select(*of(APPROVAL, rows.APPROVAL_COLUMNS)).select_from(joined(approval_ids, APPROVAL, "approval_id")),
        )
        grants = database.keys("root_session_id", "recipient_session_id", words="operation")
        self.grants = KeyedQuery(
            database,
            grants,
            select(*of(APPROVAL, ("root_session_id", "recipient_session_id", "operation", "approval_id")))
            .select_from(joined(grants, APPROVAL, "root_session_id", "recipient_session_id", "operation"))
            .where(where(APPROVAL, tables.GRANT), *grants.among(APPROVAL.c.root_session_id)),
        )
        self.pending_alike = Query(
            database,
            select(*of(APPROVAL, rows.APPROVAL_COLUMNS))
            .where(
                APPROVAL.c.root_session_id == bindparam("root"),
                APPROVAL.c.recipient_session_id == bindparam("recipient"),
                APPROVAL.c.operation == bindparam("operation"),
                where(APPROVAL, tables.PENDING_APPROVAL),
            )
            .order_by(APPROVAL.c.position)
            .limit(bindparam("row_limit")),
        )
        positions = database.keys(number="position")
        self.bodies = KeyedQuery(
            database,
            positions,
            select(EVENT.c.position, EVENT.c.data).select_from(joined(positions, EVENT, "position")),
        )
        run_ids = database.keys("parent_run_id")
        self.queued_children = KeyedQuery(
            database,
            run_ids,
            select(SESSION.c.parent_run_id, SESSION.c.session_id)
            .select_from(joined(run_ids, SESSION, "parent_run_id"))
            .where(where(SESSION, tables.QUEUED_SESSION), SESSION.c.deleted.is_(False))
            .order_by(SESSION.c.position),
        )
        sender: BindParameter[Any] = bindparam("sender")
        sender_parent: BindParameter[Any] = bindparam("sender_parent")
        kinship = case(
            (SESSION.c.session_id == sender_parent, literal_column("0")),
            (SESSION.c.parent_session_id == sender, literal_column("1")),
            (SESSION.c.parent_session_id == sender_parent, literal_column("2")),
            else_=literal_column("3"),
        )
        of_tree = (
            SESSION.c.root_session_id == bindparam("root"),
            SESSION.c.deleted.is_(False),
            SESSION.c.session_id != sender,
            kinship.in_(database.choices("kinships")),
        )
        self.peers = Query(
            database,
            select(
                SESSION.c.session_id,
                SESSION.c.parent_session_id,
                SESSION.c.handle,
                SESSION.c.description,
                SESSION.c.state,
            )
            .where(*of_tree)
            .order_by(kinship, SESSION.c.position)
            .limit(bindparam("row_limit")),
        )
        self.peer_count = Query(database, select(func.count()).where(*of_tree))
        self.hosted_count = Query(
            database, select(func.count()).select_from(HOST).where(HOST.c.token_id == bindparam("token_id"))
        )
        self.tokens = Query(database, select(*of(TOKEN, rows.TOKEN_COLUMNS)).order_by(TOKEN.c.token_id))
        self.token = Query(
            database, select(*of(TOKEN, rows.TOKEN_COLUMNS)).where(TOKEN.c.token_id == bindparam("token_id"))
        )
        self.runtimes = Query(
            database,
            select(RUNTIME.c.runtime_id, RUNTIME.c.token_id, RUNTIME.c.attachment_id).where(
                RUNTIME.c.runtime_id.in_(database.choices("runtime_ids", words=True))
            ),
        )
        producers = database.keys("producer_id")
        self.producers = KeyedQuery(
            database,
            producers,
            select(*of(PRODUCER, rows.PRODUCER_COLUMNS)).select_from(joined(producers, PRODUCER, "producer_id")),
        )
        by_session = database.keys("session_id")
        self.registered = KeyedQuery(
            database,
            by_session,
            select(*of(PRODUCER, rows.PRODUCER_COLUMNS))
            .select_from(joined(by_session, PRODUCER))
            .where(where(PRODUCER, tables.REGISTERED_PRODUCER)),
        )
        self.due_producers = Query(
            database,
            select(PRODUCER.c.producer_id)
            .where(where(PRODUCER, tables.REGISTERED_PRODUCER), PRODUCER.c.lease_expire_time <= bindparam("now"))
            .order_by(PRODUCER.c.lease_expire_time)
            .limit(bindparam("row_limit")),
        )
        self.renew_producers = Query(
            database,
            update(PRODUCER)
            .values(lease_expire_time=bindparam("expire_time"))
            .where(
                where(PRODUCER, tables.REGISTERED_PRODUCER), PRODUCER.c.lease_expire_time < bindparam("expire_time")
            ),
        )
        self.due = Query(
            database,
            select(SESSION.c.session_id)
            .where(SESSION.c.due_time.is_not(None), SESSION.c.due_time <= bindparam("now"))
            .order_by(SESSION.c.due_time)
            .limit(bindparam("row_limit")),
        )
        now: BindParameter[int] = bindparam("now")
        limit: BindParameter[int] = bindparam("row_limit")
        self.to_offer = Query(
            database,
            select(WAKE_ROUTE.c.next_offer_time, WAKE_ROUTE.c.session_id)
            .where(WAKE_ROUTE.c.route == bindparam("route"), WAKE_ROUTE.c.next_offer_time <= now)
            .order_by(WAKE_ROUTE.c.next_offer_time)
            .limit(limit),
        )
        self.to_offer_to_all = Query(
            database,
            select(WAKE.c.next_offer_time, WAKE.c.session_id)
            .where(where(WAKE, tables.WAITING_WAKE), WAKE.c.next_offer_time <= now)
            .order_by(WAKE.c.next_offer_time)
            .limit(limit),
        )
        self.offered = Query(
            database,
            select(WAKE.c.session_id, WAKE.c.wake_id).where(
                where(WAKE, tables.OFFERED_WAKE), WAKE.c.runtime_id == bindparam("runtime_id")
            ),
        )
        self.suspects = Query(database, _suspects())
        self.active = Query(
            database,
            select(RUN.c.session_id, RUN.c.run_id, RUN.c.token_id, RUN.c.runtime_id)
            .where(where(RUN, tables.ACTIVE_RUN))
            .order_by(RUN.c.session_id),
        )
        self.renew = Query(
            database,
            update(RUN)
            .values(lease_expire_time=database.later_of(RUN.c.lease_expire_time, bindparam("expire_time")))
            .where(where(RUN, tables.ACTIVE_RUN)),
        )


def _suspects() -> Select[Any]:
    """Return a page of both kinds, each of which is read no further than the page can hold."""
    after: BindParameter[Any] = bindparam("after")
    limit: BindParameter[int] = bindparam("row_limit")
    woken = select(WAKE.c.session_id).where(WAKE.c.session_id > after).order_by(WAKE.c.session_id).limit(limit)
    runs = exists().where(RUN.c.session_id == MESSAGE.c.session_id, where(RUN, tables.ACTIVE_RUN))
    waiting = (
        select(MESSAGE.c.session_id)
        .distinct()
        .where(where(MESSAGE, tables.PENDING_MESSAGE), MESSAGE.c.session_id > after, ~runs)
        .order_by(MESSAGE.c.session_id)
        .limit(limit)
    )
    both = union(select(woken.subquery()), select(waiting.subquery())).subquery("suspects")
    return select(both.c.session_id).order_by(both.c.session_id).limit(limit)
