"""From the domain's words to the wire's."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from kinpost.v1 import (
    approval_pb2,
    message_pb2,
    messaging_service_pb2,
    producer_pb2,
    run_pb2,
    run_service_pb2,
    session_pb2,
    token_pb2,
)

from kinpost_server.domain.approval import Approval, PendingApproval
from kinpost_server.domain.errors import Refusal
from kinpost_server.domain.identity import Token
from kinpost_server.domain.message import Acceptance, Message, MessageState, Sender
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.producer import Producer
from kinpost_server.domain.run import Run, RunState
from kinpost_server.engine.ports import SentMessage, SessionSnapshot
from kinpost_server.engine.runtimes import RunStop
from kinpost_server.engine.turns import ClaimedMail, ClaimedMessage

SECOND = 1_000_000  # of microseconds, as all times within the service
SEND_ERROR_BYTES_MAX = 2048  # a batch of 1000 refusals fits into an answer that clients take
DECISIONS = {
    Decision.ALLOW: session_pb2.RULE_DECISION_ALLOW,
    Decision.ASK: session_pb2.RULE_DECISION_ASK,
    Decision.DENY: session_pb2.RULE_DECISION_DENY,
}


def timestamp(time: int) -> Timestamp:
    """Return an instant."""
    seconds, rest = divmod(time, SECOND)
    return Timestamp(seconds=seconds, nanos=rest * 1000)


def optional_timestamp(time: int | None) -> Timestamp | None:
    """Return an instant, if there is one."""
    return None if time is None else timestamp(time)


def duration(length: int) -> Duration:
    """Return a length of time of so many microseconds, none of them negative."""
    seconds, rest = divmod(length, SECOND)
    return Duration(seconds=seconds, nanos=rest * 1000)


def session(snapshot: SessionSnapshot) -> session_pb2.Session:
    """Return a session as it is told to those who may read it."""
    source = snapshot.session
    wire = session_pb2.Session(
        session_id=source.session_id,
        root_session_id=source.root_session_id,
        parent_session_id=source.parent_session_id,
        parent_run_id=source.parent_run_id,
        parent_tool_call_id=source.parent_tool_call_id,
        depth=source.depth,
        handle=source.handle,
        agent=source.agent,
        description=source.description,
        starter=session_pb2.Starter.ValueType(source.starter),
        state=session_pb2.SessionState.ValueType(source.state),
        availability=session_pb2.Availability.ValueType(source.availability),
        availability_reason=source.availability_reason,
        until_time=optional_timestamp(source.until_time),
        no_wake=source.no_wake,
        create_time=timestamp(source.create_time),
        last_seq=source.last_seq,
        active_run_id=source.run.run_id if source.run is not None else None,
        pending_count=snapshot.pending_count,
        failing_runs=source.failing_runs,
    )
    for pattern, decision in source.message_rules.items():
        wire.message_rules.add(pattern=pattern, decision=DECISIONS[decision])
    return wire


def run(source: Run) -> run_pb2.Run:
    """Return a run."""
    return run_pb2.Run(
        run_id=source.run_id,
        session_id=source.session_id,
        root_session_id=source.root_session_id,
        number=source.number,
        state=run_pb2.RunState.ValueType(source.state),
        wake_id=source.wake_id,
        client_run_id=source.client_run_id,
        runtime_id=source.runtime_id,
        start_time=timestamp(source.start_time),
        end_time=optional_timestamp(source.end_time),
        lease_expire_time=timestamp(source.lease_expire_time) if source.state is RunState.ACTIVE else None,
        reason=source.reason,
        by_person=source.by_person,
        consumed_count=source.consumed_count,
    )


def claim(mail: ClaimedMail) -> run_pb2.Claim:
    """Return a claim with its messages."""
    return run_pb2.Claim(
        claim_seq=mail.claim_seq,
        messages=[claimed_message(message) for message in mail.messages],
        more_pending=mail.more_pending,
        attempt_id=mail.attempt_id,
    )


def claimed_message(source: ClaimedMessage) -> run_pb2.ClaimedMessage:
    """Return a message as a model request gets it."""
    return run_pb2.ClaimedMessage(
        message_id=source.message_id,
        owner=message_pb2.ProducerOwner.ValueType(source.owner),
        mode=message_pb2.MessageMode.ValueType(source.mode),
        agent_hop=source.agent_hop,
        accept_time=timestamp(source.accept_time),
        age=duration(source.age),
        delivery_count=source.delivery_count,
        sender=sender(source.sender),
        body=source.body,
        rendered_text=source.rendered_text,
    )


def sender(source: Sender) -> message_pb2.MessageSender:
    """Return where a message came from."""
    return message_pb2.MessageSender(
        session_id=source.session_id,
        handle=source.handle,
        run_id=source.run_id,
        tool_call_id=source.tool_call_id,
        producer_id=source.producer_id,
        name=source.name,
    )


def acceptance(source: Acceptance) -> message_pb2.MessageAccepted:
    """Return the promise that a message is stored."""
    return message_pb2.MessageAccepted(
        message_id=source.message_id,
        mode=message_pb2.MessageMode.ValueType(source.mode),
        recipient_state=message_pb2.RecipientState.ValueType(source.recipient_state),
        replayed=source.replayed,
    )


def send_error(refusal: Refusal) -> messaging_service_pb2.SendError:
    """Return why one send of a batch was refused."""
    seconds = refusal.retry_after_seconds
    return messaging_service_pb2.SendError(
        code=refusal.code,
        message=refusal.text_that(lambda text: len(text.encode()) <= SEND_ERROR_BYTES_MAX),
        retry_delay=None if seconds is None else duration(int(seconds * SECOND)),
    )


def approval(source: Approval) -> approval_pb2.Approval:
    """Return an approval."""
    return approval_pb2.Approval(
        approval_id=source.approval_id,
        session_id=source.session_id,
        root_session_id=source.root_session_id,
        run_id=source.run_id,
        tool_call_id=source.tool_call_id,
        tool_name=source.tool_name,
        recipient_session_id=source.recipient_session_id,
        arguments_json=source.arguments_json,
        state=approval_pb2.ApprovalState.ValueType(source.state),
        decision=approval_pb2.ApprovalDecision.ValueType(source.decision or 0),
        reason=source.reason,
        create_time=timestamp(source.create_time),
        decide_time=optional_timestamp(source.decide_time),
        expire_time=optional_timestamp(source.expire_time),
    )


def pending_approval(source: PendingApproval) -> approval_pb2.PendingApproval:
    """Return the answer of a send that waits for a person."""
    return approval_pb2.PendingApproval(
        approval_id=source.approval_id, expire_time=optional_timestamp(source.expire_time)
    )


def sent_message(sent: SentMessage) -> message_pb2.SentMessage:
    """Return a message as its sender sees it."""
    source: Message = sent.message
    consumed = source.state is MessageState.CONSUMED
    discarded = source.state is MessageState.DISCARDED
    return message_pb2.SentMessage(
        message_id=source.message_id,
        recipient_session_id=source.session_id,
        recipient_handle=sent.recipient_handle,
        owner=message_pb2.ProducerOwner.ValueType(source.owner),
        mode=message_pb2.MessageMode.ValueType(source.mode),
        state=message_pb2.MessageState.ValueType(source.state),
        accept_time=timestamp(source.accept_time),
        admit_time=optional_timestamp(source.admit_time),
        claim_time=optional_timestamp(source.claim_time),
        consume_time=optional_timestamp(source.end_time) if consumed else None,
        discard_time=optional_timestamp(source.end_time) if discarded else None,
        discard_reason=message_pb2.DiscardReason.ValueType(source.discard_reason or 0),
        held=sent.held,
        held_reason=sent.held_reason,
        held_time=optional_timestamp(sent.held_time),
        delivery_count=source.delivery_count,
        expire_time=optional_timestamp(source.expire_time),
        run_id=source.sender.run_id,
        tool_call_id=source.sender.tool_call_id,
    )


def run_stop(source: RunStop) -> run_service_pb2.RunStop:
    """Return the order to stop a run."""
    return run_service_pb2.RunStop(
        session_id=source.session_id, run_id=source.run_id, reason=run_pb2.StopReason.ValueType(source.reason)
    )


def producer(source: Producer) -> producer_pb2.Producer:
    """Return a registration."""
    return producer_pb2.Producer(
        producer_id=source.producer_id,
        session_id=source.session_id,
        owner=message_pb2.ProducerOwner.ValueType(source.owner),
        owner_name=source.owner_name,
        client_producer_id=source.client_producer_id,
        description=source.description,
        create_time=timestamp(source.create_time),
        lease_expire_time=timestamp(source.lease_expire_time),
    )


def token(source: Token) -> token_pb2.Token:
    """Return a token, without anything of its secret."""
    return token_pb2.Token(
        token_id=source.token_id,
        scope=token_pb2.TokenScope(kind=token_pb2.TokenKind.ValueType(source.kind), plugin_name=source.plugin_name),
        session_ids=source.session_ids,
        create_time=timestamp(source.create_time),
        expire_time=optional_timestamp(source.expire_time),
        revoke_time=optional_timestamp(source.revoke_time),
    )
