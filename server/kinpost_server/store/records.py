"""Records: sessions, runs, claims and all the rest, as rows tell of them. `rows.py` is the other way."""

from __future__ import annotations

import json
from typing import Any

from kinpost_server.domain.approval import Approval, ApprovalDecision, ApprovalState
from kinpost_server.domain.identity import Token, TokenKind
from kinpost_server.domain.message import DiscardReason, Message, MessageState, Mode, Owner, RecipientState, Sender
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.producer import Producer
from kinpost_server.domain.run import Claim, ClaimState, Run, RunState, Wake, WakeState
from kinpost_server.domain.session import Availability, Session, SessionState, Starter
from kinpost_server.engine.ports import Replay
from kinpost_server.store.columns import ids_from_bytes
from kinpost_server.store.dialect import Database, Row
from kinpost_server.store.rows import MESSAGE_COLUMNS

_DIGEST = MESSAGE_COLUMNS.index("request_digest")
_RECIPIENT_STATE = MESSAGE_COLUMNS.index("recipient_state")


class RowReader:
    """Reads the rows of one database."""

    __slots__ = ("_id",)

    def __init__(self, database: Database) -> None:
        self._id = database.id_out

    def _maybe(self, value: Any) -> str | None:
        return None if value is None else self._id(value)

    def session(self, row: Row) -> Session:
        """Return a session from its row, followed by its last seq."""
        (_position, session_id, root, parent, parent_run, parent_tool_call_id, depth, handle, agent, description,
         rules, starter, create_time, request_digest, state, availability, availability_reason, availability_time,
         until_time, no_wake, set_by_person, queued_time, run_count, failing_runs, deleted, due_time,
         last_seq) = row  # fmt: skip
        return Session(
            session_id=self._id(session_id),
            root_session_id=self._id(root),
            parent_session_id=self._maybe(parent),
            parent_run_id=self._maybe(parent_run),
            parent_tool_call_id=parent_tool_call_id,
            depth=depth,
            handle=handle,
            agent=agent,
            description=description,
            message_rules={pattern: Decision(decision) for pattern, decision in json.loads(rules).items()},
            starter=Starter(starter),
            state=SessionState(state),
            create_time=create_time,
            request_digest=request_digest,
            availability=Availability(availability),
            availability_reason=availability_reason,
            availability_time=availability_time,
            until_time=until_time,
            no_wake=bool(no_wake),
            set_by_person=bool(set_by_person),
            queued_time=queued_time,
            last_seq=last_seq or 0,
            run_count=run_count,
            failing_runs=failing_runs,
            deleted=bool(deleted),
            due_time=due_time,
        )

    def run(self, row: Row) -> Run:
        """Return a run from its row, without its claims."""
        (session_id, run_id, _identity, root, number, token_id, start_time, start_seq, _start_position, wake_id,
         client_run_id, runtime_id, state, end_time, lease_expire_time, reason, by_person, lease_lost, hop,
         admitted_count, consumed_count, at_first_boundary, _end_position) = row  # fmt: skip
        return Run(
            run_id=self._id(run_id),
            session_id=self._id(session_id),
            root_session_id=self._id(root),
            number=number,
            token_id=token_id,
            start_time=start_time,
            start_seq=start_seq,
            wake_id=self._maybe(wake_id),
            client_run_id=client_run_id,
            runtime_id=runtime_id,
            state=RunState(state),
            end_time=end_time,
            lease_expire_time=lease_expire_time,
            reason=reason,
            by_person=bool(by_person),
            lease_lost=bool(lease_lost),
            hop=hop,
            admitted_count=admitted_count,
            consumed_count=consumed_count,
            at_first_boundary=bool(at_first_boundary),
        )

    def claim(self, row: Row) -> Claim:
        """Return a claim from its row."""
        _session_id, claim_seq, run_id, attempt_id, message_ids, more_pending, state = row
        return Claim(
            claim_seq, self._id(run_id), attempt_id, ids_from_bytes(message_ids), bool(more_pending), ClaimState(state)
        )

    def message(self, row: Row) -> Message:
        """Return a message from its row, without its body."""
        (position, message_id, session_id, accept_seq, owner, mode, sender_session_id, sender_handle, sender_run_id,
         sender_tool_call_id, body_bytes, accept_time, agent_hop, _request_digest, _recipient_state, state,
         delivery_count, sender_producer_id, sender_name, expire_time, run_id, claim_seq, admit_time, claim_time,
         end_time, discard_reason, superseded_by, forked_from, tldr) = row  # fmt: skip
        return Message(
            message_id=self._id(message_id),
            session_id=self._id(session_id),
            accept_seq=accept_seq,
            owner=Owner(owner),
            mode=Mode(mode),
            sender=Sender(
                self._maybe(sender_session_id),
                sender_handle,
                self._maybe(sender_run_id),
                sender_tool_call_id,
                sender_producer_id,
                sender_name,
            ),
            body_bytes=body_bytes,
            accept_time=accept_time,
            agent_hop=agent_hop,
            expire_time=expire_time,
            state=MessageState(state),
            run_id=self._maybe(run_id),
            claim_seq=claim_seq,
            delivery_count=delivery_count,
            admit_time=admit_time,
            claim_time=claim_time,
            end_time=end_time,
            discard_reason=None if discard_reason is None else DiscardReason(discard_reason),
            superseded_by=self._maybe(superseded_by),
            position=position,
            forked_from=self._maybe(forked_from),
            tldr=tldr,
        )

    def approval(self, row: Row) -> Approval:
        """Return an approval from its row, with its arguments."""
        (position, approval_id, session_id, root, run_id, tool_call_id, tool_name, _operation, recipient_session_id,
         request_digest, create_time, expire_time, arguments_json, state, decision, reason,
         decide_time) = row  # fmt: skip
        return Approval(
            approval_id=self._id(approval_id),
            session_id=self._id(session_id),
            root_session_id=self._id(root),
            run_id=self._id(run_id),
            tool_call_id=tool_call_id,
            tool_name=tool_name,
            recipient_session_id=self._id(recipient_session_id),
            request_digest=request_digest,
            create_time=create_time,
            expire_time=expire_time,
            state=ApprovalState(state),
            decision=None if decision is None else ApprovalDecision(decision),
            reason=reason,
            decide_time=decide_time,
            arguments_json=arguments_json,
            position=position,
        )

    def wake(self, row: Row) -> Wake:
        """Return a wake from its row."""
        (_session_id, wake_id, request_time, next_offer_time, state, offer_number, runtime_id, token_id,
         expire_time) = row  # fmt: skip
        return Wake(
            self._id(wake_id), request_time, next_offer_time, WakeState(state), offer_number, runtime_id, token_id,
            expire_time,
        )  # fmt: skip

    def replay(self, row: Row) -> Replay:
        """Return the first answer to a send that is not an agent's from its row."""
        _session_id, _key_hash, message_id, recipient_session_id, digest, mode, recipient_state = row
        return Replay(
            self._id(message_id), self._id(recipient_session_id), digest, Mode(mode), RecipientState(recipient_state)
        )

    def answer(self, row: Row) -> Replay:
        """Return the first answer to an agent's send from the message's row."""
        message = self.message(row)
        digest, recipient_state = row[_DIGEST], RecipientState(row[_RECIPIENT_STATE])
        return Replay(message.message_id, message.session_id, digest, message.mode, recipient_state)

    def producer(self, row: Row) -> Producer:
        """Return a registration from its row."""
        producer_id, session_id, owner, *rest = row
        return Producer(self._id(producer_id), self._id(session_id), Owner(owner), *rest)

    def token(self, row: Row) -> Token:
        """Return a token from its row."""
        token_id, kind, plugin_name, session_ids, secret_digest, create_time, expire_time, revoke_time = row
        return Token(
            token_id, TokenKind(kind), plugin_name, ids_from_bytes(session_ids), secret_digest, create_time,
            expire_time, revoke_time,
        )  # fmt: skip
