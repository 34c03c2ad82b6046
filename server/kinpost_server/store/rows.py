"""Rows: what of a session, run, claim and all the rest goes into which column. `records.py` is the way back.

Each function keeps the order of its `_COLUMNS`, which is the table's. Enumerations and flags become plain numbers,
because drivers take longer over subclasses of int.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

from kinpost_server.domain.approval import Approval, operation_of
from kinpost_server.domain.event import ApprovalRequested, MessageAccepted
from kinpost_server.domain.identity import Token
from kinpost_server.domain.message import Message, MessageState
from kinpost_server.domain.producer import Producer
from kinpost_server.domain.run import Claim, Run, Wake
from kinpost_server.domain.session import Session
from kinpost_server.engine.ports import Replay, ReplayKey
from kinpost_server.store.columns import ids_to_bytes
from kinpost_server.store.dialect import Database, Row

EVENT_COLUMNS = ("position", "session_id", "root_session_id", "seq", "type", "data")
SESSION_ORIGIN = (
    "root_session_id", "parent_session_id", "parent_run_id", "parent_tool_call_id", "depth", "handle", "agent",
    "description", "message_rules", "starter", "create_time", "request_digest",
)  # fmt: skip
SESSION_STATE = (
    "state", "availability", "availability_reason", "availability_time", "until_time", "no_wake", "set_by_person",
    "queued_time", "run_count", "failing_runs", "deleted", "due_time",
)  # fmt: skip
SESSION_COLUMNS = ("position", "session_id", *SESSION_ORIGIN, *SESSION_STATE)
RUN_ORIGIN = (
    "identity_hash", "root_session_id", "number", "token_id", "start_time", "start_seq", "start_position", "wake_id",
    "client_run_id",
)  # fmt: skip
RUN_STATE = (
    "runtime_id", "state", "end_time", "lease_expire_time", "reason", "by_person", "lease_lost", "hop",
    "admitted_count", "consumed_count", "at_first_boundary", "end_position",
)  # fmt: skip
RUN_KEY = ("session_id", "run_id")
RUN_COLUMNS = (*RUN_KEY, *RUN_ORIGIN, *RUN_STATE)
CLAIM_COLUMNS = ("session_id", "claim_seq", "run_id", "attempt_id", "message_ids", "more_pending", "state")
MESSAGE_STATE = (
    "state", "delivery_count", "run_id", "claim_seq", "admit_time", "claim_time", "end_time", "discard_reason",
    "superseded_by",
)  # fmt: skip
MESSAGE_FRESH_COLUMNS = (
    "position", "message_id", "session_id", "accept_seq", "owner", "mode", "sender_session_id", "sender_handle",
    "sender_run_id", "sender_tool_call_id", "body_bytes", "accept_time", "agent_hop", "request_digest",
    "recipient_state", "state", "delivery_count",
)  # fmt: skip
MESSAGE_COLUMNS = (
    *MESSAGE_FRESH_COLUMNS, "sender_producer_id", "sender_name", "expire_time", *MESSAGE_STATE[2:], "forked_from",
    "tldr",
)  # fmt: skip
APPROVAL_STATE = ("state", "decision", "reason", "decide_time")
APPROVAL_COLUMNS = (
    "position", "approval_id", "session_id", "root_session_id", "run_id", "tool_call_id", "tool_name", "operation",
    "recipient_session_id", "request_digest", "create_time", "expire_time", "arguments_json", *APPROVAL_STATE,
)  # fmt: skip
WAKE_STATE = (
    "wake_id", "request_time", "next_offer_time", "state", "offer_number", "runtime_id", "token_id", "expire_time",
)  # fmt: skip
WAKE_COLUMNS = ("session_id", *WAKE_STATE)
WAKE_ROUTE_COLUMNS = ("session_id", "route", "next_offer_time")
REPLAY_COLUMNS = (
    "session_id", "key_hash", "message_id", "recipient_session_id", "digest", "mode", "recipient_state",
)  # fmt: skip
TOKEN_COLUMNS = (
    "token_id", "kind", "plugin_name", "session_ids", "secret_digest", "create_time", "expire_time", "revoke_time",
)  # fmt: skip
PRODUCER_COLUMNS = (
    "producer_id", "session_id", "owner", "owner_name", "client_producer_id", "description", "create_time",
    "lease_expire_time", "end_time",
)  # fmt: skip


def key_hash(key: ReplayKey) -> bytes:
    """Return 16 bytes for the scope and key of a send; the length of the scope keeps the two apart."""
    scope = key.scope.encode()
    return blake2b(b"%d:%b%b" % (len(scope), scope, key.key.encode()), digest_size=16).digest()


def identity_hash(identity: str) -> bytes:
    """Return 16 bytes for what makes the start of a run safe to repeat."""
    return blake2b(identity.encode(), digest_size=16).digest()


def token_route(token_id: str) -> str:
    """Return the way of a wake to the runtimes of a token."""
    return f"token {token_id}"


def agent_route(agent: str) -> str:
    """Return the way of a wake to the runtimes of an agent."""
    return f"agent {agent}"


def is_fresh(message: Message) -> bool:
    """Whether a new message has nothing beyond `MESSAGE_FRESH_COLUMNS`."""
    sender = message.sender
    return (
        message.state is MessageState.ACCEPTED
        and message.admit_time is None
        and message.expire_time is None
        and message.superseded_by is None
        and sender.producer_id is None
        and sender.name is None
        and message.forked_from is None
        and message.tldr is None
    )


class RowMaker:
    """Makes the rows of one database. Ids that are not UUIDs raise ValueError."""

    __slots__ = ("_flag", "_id")

    def __init__(self, database: Database) -> None:
        self._id = database.id_in
        self._flag = database.flag_in

    def _maybe(self, text: str | None) -> Any:
        return None if text is None else self._id(text)

    def session(self, session: Session, position: int) -> Row:
        """Return a new session's row; `position` is that of its first event."""
        maybe = self._maybe
        return (
            position,
            self._id(session.session_id),
            self._id(session.root_session_id),
            maybe(session.parent_session_id),
            maybe(session.parent_run_id),
            session.parent_tool_call_id,
            session.depth,
            session.handle,
            session.agent,
            session.description,
            json.dumps({pattern: str(decision) for pattern, decision in session.message_rules.items()}),
            int(session.starter),
            session.create_time,
            session.request_digest,
            *self._session_state(session),
        )

    def session_state(self, session: Session) -> Row:
        """Return the key and the changing columns of a session's row."""
        return (self._id(session.session_id), *self._session_state(session))

    def _session_state(self, session: Session) -> Row:
        return (
            int(session.state),
            int(session.availability),
            session.availability_reason,
            session.availability_time,
            session.until_time,
            self._flag(session.no_wake),
            self._flag(session.set_by_person),
            session.queued_time,
            session.run_count,
            session.failing_runs,
            self._flag(session.deleted),
            session.due_time,
        )

    def run(self, run: Run, start_position: int, end_position: int | None) -> Row:
        """Return a new run's row; the positions are those of its first and last event."""
        return (
            self._id(run.session_id),
            self._id(run.run_id),
            identity_hash(run.identity),
            self._id(run.root_session_id),
            run.number,
            run.token_id,
            run.start_time,
            run.start_seq,
            start_position,
            self._maybe(run.wake_id),
            run.client_run_id,
            *self._run_state(run, end_position),
        )

    def run_state(self, run: Run, end_position: int | None) -> Row:
        """Return the key and the changing columns of a run's row."""
        return (self._id(run.session_id), self._id(run.run_id), *self._run_state(run, end_position))

    def _run_state(self, run: Run, end_position: int | None) -> Row:
        return (
            run.runtime_id,
            int(run.state),
            run.end_time,
            run.lease_expire_time,
            run.reason,
            self._flag(run.by_person),
            self._flag(run.lease_lost),
            run.hop,
            run.admitted_count,
            run.consumed_count,
            self._flag(run.at_first_boundary),
            end_position,
        )

    def claim(self, session_id: str, claim: Claim) -> Row:
        """Return a claim's row."""
        return (
            self._id(session_id),
            claim.claim_seq,
            self._id(claim.run_id),
            claim.attempt_id,
            ids_to_bytes(claim.message_ids),
            self._flag(claim.more_pending),
            int(claim.state),
        )

    def message_fresh(self, message: Message, accepted: MessageAccepted) -> Row:
        """Return the row of a new message that is accepted and nothing else; its position is known by now."""
        sender = message.sender
        return (
            message.position,
            self._id(message.message_id),
            self._id(message.session_id),
            message.accept_seq,
            int(message.owner),
            int(message.mode),
            self._maybe(sender.session_id),
            sender.handle,
            self._maybe(sender.run_id),
            sender.tool_call_id,
            message.body_bytes,
            message.accept_time,
            message.agent_hop,
            accepted.request_digest,
            int(accepted.recipient_state),
            int(message.state),
            message.delivery_count,
        )

    def message(self, message: Message, accepted: MessageAccepted) -> Row:
        """Return a new message's row, whatever happened to it in its first batch."""
        sender = message.sender
        return (
            *self.message_fresh(message, accepted),
            sender.producer_id,
            sender.name,
            message.expire_time,
            *self._message_steps(message),
            self._maybe(message.forked_from),
            message.tldr,
        )

    def message_state(self, message: Message) -> Row:
        """Return the key and the changing columns of a message's row."""
        return (message.position, int(message.state), message.delivery_count, *self._message_steps(message))

    def _message_steps(self, message: Message) -> Row:
        reason = message.discard_reason
        return (
            self._maybe(message.run_id),
            message.claim_seq,
            message.admit_time,
            message.claim_time,
            message.end_time,
            None if reason is None else int(reason),
            self._maybe(message.superseded_by),
        )

    def approval(self, approval: Approval, asked: ApprovalRequested) -> Row:
        """Return a new approval's row; its position is known by now."""
        return (
            approval.position,
            self._id(approval.approval_id),
            self._id(approval.session_id),
            self._id(approval.root_session_id),
            self._id(approval.run_id),
            approval.tool_call_id,
            approval.tool_name,
            operation_of(asked.tool_name, asked.arguments_json),
            self._id(approval.recipient_session_id),
            approval.request_digest,
            approval.create_time,
            approval.expire_time,
            asked.arguments_json,
            *self._approval_state(approval),
        )

    def approval_state(self, approval: Approval) -> Row:
        """Return the key and the changing columns of an approval's row."""
        return (approval.position, *self._approval_state(approval))

    def _approval_state(self, approval: Approval) -> Row:
        decision = approval.decision
        return (
            int(approval.state),
            None if decision is None else int(decision),
            approval.reason,
            approval.decide_time,
        )

    def wake(self, session_id: str, wake: Wake) -> Row:
        """Return a wake's row."""
        return (
            self._id(session_id),
            self._id(wake.wake_id),
            wake.request_time,
            wake.next_offer_time,
            int(wake.state),
            wake.offer_number,
            wake.runtime_id,
            wake.token_id,
            wake.expire_time,
        )

    def wake_routes(self, session: Session, wake: Wake) -> list[Row]:
        """Return the rows of the ways by which a waiting wake finds a runtime."""
        key, time = self._id(session.session_id), wake.next_offer_time
        routes = [token_route(token_id) for token_id in session.host_token_ids]
        return [(key, route, time) for route in (agent_route(session.agent), *routes)]

    def replay(self, key: ReplayKey, replay: Replay) -> Row:
        """Return the row of the first answer to a send that is not an agent's."""
        return (
            self._id(key.session_id),
            key_hash(key),
            self._id(replay.message_id),
            self._id(replay.recipient_session_id),
            replay.digest,
            int(replay.mode),
            int(replay.recipient_state),
        )

    def token(self, token: Token) -> Row:
        """Return a token's row."""
        return (
            token.token_id,
            int(token.kind),
            token.plugin_name,
            ids_to_bytes(token.session_ids),
            token.secret_digest,
            token.create_time,
            token.expire_time,
            token.revoke_time,
        )

    def producer(self, producer: Producer) -> Row:
        """Return a registration's row."""
        return (
            self._id(producer.producer_id),
            self._id(producer.session_id),
            int(producer.owner),
            producer.owner_name,
            producer.client_producer_id,
            producer.description,
            producer.create_time,
            producer.lease_expire_time,
            producer.end_time,
        )
