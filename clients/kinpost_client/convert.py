"""Between the generated messages and this client's records."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeVar

from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.timestamp_pb2 import Timestamp
from kinpost.v1 import (
    approval_pb2,
    event_pb2,
    message_pb2,
    peer_pb2,
    producer_pb2,
    producer_service_pb2,
    run_pb2,
    run_service_pb2,
    session_pb2,
    token_pb2,
    tool_pb2,
)

from kinpost_client.records import (
    Accepted,
    Approval,
    Event,
    GatedCall,
    Mail,
    Offer,
    Registration,
    Sender,
    Session,
    Token,
    Tool,
)
from kinpost_client.terms import (
    ApprovalDecision,
    ApprovalState,
    Availability,
    DeadLetterReason,
    Decision,
    Mode,
    Origin,
    Outcome,
    Owner,
    RecipientState,
    SessionState,
    Starter,
    StopReason,
    TokenKind,
)

Term = TypeVar("Term", bound=StrEnum)

WIRE_ENUMS: dict[type[StrEnum], EnumDescriptor] = {
    SessionState: session_pb2.DESCRIPTOR.enum_types_by_name["SessionState"],
    Availability: session_pb2.DESCRIPTOR.enum_types_by_name["Availability"],
    Starter: session_pb2.DESCRIPTOR.enum_types_by_name["Starter"],
    Decision: session_pb2.DESCRIPTOR.enum_types_by_name["RuleDecision"],
    Mode: message_pb2.DESCRIPTOR.enum_types_by_name["MessageMode"],
    Owner: message_pb2.DESCRIPTOR.enum_types_by_name["ProducerOwner"],
    RecipientState: message_pb2.DESCRIPTOR.enum_types_by_name["RecipientState"],
    Outcome: run_pb2.DESCRIPTOR.enum_types_by_name["RunState"],
    StopReason: run_pb2.DESCRIPTOR.enum_types_by_name["StopReason"],
    Origin: event_pb2.DESCRIPTOR.enum_types_by_name["EventOrigin"],
    ApprovalState: approval_pb2.DESCRIPTOR.enum_types_by_name["ApprovalState"],
    ApprovalDecision: approval_pb2.DESCRIPTOR.enum_types_by_name["ApprovalDecision"],
    DeadLetterReason: peer_pb2.DESCRIPTOR.enum_types_by_name["DeadLetterReason"],
    TokenKind: token_pb2.DESCRIPTOR.enum_types_by_name["TokenKind"],
}


def _words(wire: EnumDescriptor) -> dict[int, str]:
    """Return the contract's numbers with their words: MESSAGE_MODE_STEER is `steer`."""
    prefix = wire.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return {value.number: value.name.removeprefix(prefix).lower() for value in wire.values if value.number}


_WORDS = {term: _words(wire) for term, wire in WIRE_ENUMS.items()}
_NUMBERS = {term: {word: number for number, word in words.items()} for term, words in _WORDS.items()}


def term(kind: type[Term], number: int) -> Term:
    """Return the word for a number of the wire, UNKNOWN for one that this client has no word for."""
    return kind(_WORDS[kind].get(number, "unknown"))


def number(kind: type[StrEnum], word: str) -> int:
    """Return the wire's number for a word. Raises ValueError, naming what it may be."""
    numbers = _NUMBERS[kind]
    if word not in numbers:
        raise ValueError(f"{word!r} is none of {', '.join(numbers)}")
    return numbers[word]


def message_mode(word: str) -> message_pb2.MessageMode.ValueType:
    """Return a mode for the wire. Raises ValueError."""
    return message_pb2.MessageMode.ValueType(number(Mode, word))


def starter(word: str) -> session_pb2.Starter.ValueType:
    """Return a starter for the wire. Raises ValueError."""
    return session_pb2.Starter.ValueType(number(Starter, word))


def availability(word: str) -> session_pb2.Availability.ValueType:
    """Return an availability for the wire. Raises ValueError."""
    return session_pb2.Availability.ValueType(number(Availability, word))


def outcome(word: str) -> run_pb2.RunState.ValueType:
    """Return an outcome for the wire. Raises ValueError."""
    return run_pb2.RunState.ValueType(number(Outcome, word))


def approval_state(word: str) -> approval_pb2.ApprovalState.ValueType:
    """Return an approval's state for the wire. Raises ValueError."""
    return approval_pb2.ApprovalState.ValueType(number(ApprovalState, word))


def approval_decision(word: str) -> approval_pb2.ApprovalDecision.ValueType:
    """Return an answer for the wire. Raises ValueError."""
    return approval_pb2.ApprovalDecision.ValueType(number(ApprovalDecision, word))


def token_kind(word: str) -> token_pb2.TokenKind.ValueType:
    """Return a token's kind for the wire. Raises ValueError."""
    return token_pb2.TokenKind.ValueType(number(TokenKind, word))


def instant(timestamp: Timestamp) -> datetime:
    """Return a wire instant as an aware datetime."""
    return timestamp.ToDatetime(tzinfo=UTC)


def timestamp(when: datetime) -> Timestamp:
    """Return an aware datetime as a wire instant. Raises ValueError for a naive one."""
    if when.tzinfo is None:
        raise ValueError("an instant needs a time zone")
    wire = Timestamp()
    wire.FromDatetime(when)
    return wire


def session(wire: session_pb2.Session) -> Session:
    """Return a session."""
    return Session(
        session_id=wire.session_id,
        root_session_id=wire.root_session_id,
        parent_session_id=wire.parent_session_id if wire.HasField("parent_session_id") else None,
        parent_run_id=wire.parent_run_id if wire.HasField("parent_run_id") else None,
        parent_tool_call_id=wire.parent_tool_call_id if wire.HasField("parent_tool_call_id") else None,
        depth=wire.depth,
        handle=wire.handle if wire.HasField("handle") else None,
        agent=wire.agent,
        description=wire.description,
        message_rules={rule.pattern: term(Decision, rule.decision) for rule in wire.message_rules},
        starter=term(Starter, wire.starter),
        state=term(SessionState, wire.state),
        availability=term(Availability, wire.availability),
        availability_reason=wire.availability_reason,
        until_time=instant(wire.until_time) if wire.HasField("until_time") else None,
        no_wake=wire.no_wake,
        create_time=instant(wire.create_time),
        last_seq=wire.last_seq,
        active_run_id=wire.active_run_id if wire.HasField("active_run_id") else None,
        pending_count=wire.pending_count,
        failing_runs=wire.failing_runs,
    )


def sender(wire: message_pb2.MessageSender) -> Sender:
    """Return where a message came from."""
    return Sender(
        session_id=wire.session_id if wire.HasField("session_id") else None,
        handle=wire.handle if wire.HasField("handle") else None,
        run_id=wire.run_id if wire.HasField("run_id") else None,
        tool_call_id=wire.tool_call_id if wire.HasField("tool_call_id") else None,
        producer_id=wire.producer_id if wire.HasField("producer_id") else None,
        name=wire.name if wire.HasField("name") else None,
    )


def mail(wire: run_pb2.ClaimedMessage) -> Mail:
    """Return a claimed message."""
    return Mail(
        message_id=wire.message_id,
        owner=term(Owner, wire.owner),
        mode=term(Mode, wire.mode),
        sender=sender(wire.sender),
        body=wire.body,
        text=wire.rendered_text,
        agent_hop=wire.agent_hop if wire.HasField("agent_hop") else None,
        accept_time=instant(wire.accept_time),
        age_seconds=wire.age.ToTimedelta().total_seconds(),
        delivery_count=wire.delivery_count,
    )


def accepted(wire: message_pb2.MessageAccepted) -> Accepted:
    """Return the promise that a message is stored."""
    return Accepted(wire.message_id, term(Mode, wire.mode), term(RecipientState, wire.recipient_state), wire.replayed)


def registration(wire: producer_pb2.Producer) -> Registration:
    """Return a producer's registration."""
    return Registration(
        producer_id=wire.producer_id,
        session_id=wire.session_id,
        owner=term(Owner, wire.owner),
        owner_name=wire.owner_name,
        client_producer_id=wire.client_producer_id,
        description=wire.description,
        create_time=instant(wire.create_time),
        lease_expire_time=instant(wire.lease_expire_time),
    )


def offer(wire: run_service_pb2.WakeOffer) -> Offer:
    """Return an offer."""
    return Offer(
        wire.wake_id,
        wire.session_id,
        wire.root_session_id,
        wire.agent,
        wire.offer_number,
        instant(wire.expire_time),
        wire.pending_count,
    )


def tool(wire: tool_pb2.Tool) -> Tool:
    """Return a tool."""
    return Tool(wire.name, wire.description, json.loads(wire.parameters_json_schema))


def event(wire: event_pb2.Event) -> Event:
    """Return an event; a payload of a newer contract stays unknown."""
    name = wire.WhichOneof("payload")
    return Event(
        session_id=wire.session_id,
        root_session_id=wire.root_session_id,
        seq=wire.seq,
        position=wire.position,
        event_time=instant(wire.event_time),
        run_id=wire.run_id if wire.HasField("run_id") else None,
        origin=term(Origin, wire.origin),
        type=name or "unknown",
        payload=getattr(wire, name) if name else None,
    )


def approval(wire: approval_pb2.Approval) -> Approval:
    """Return an approval."""
    return Approval(
        approval_id=wire.approval_id,
        session_id=wire.session_id,
        root_session_id=wire.root_session_id,
        run_id=wire.run_id,
        tool_call_id=wire.tool_call_id,
        tool_name=wire.tool_name,
        recipient_session_id=wire.recipient_session_id,
        arguments=json.loads(wire.arguments_json),
        state=term(ApprovalState, wire.state),
        decision=term(ApprovalDecision, wire.decision) if wire.decision else None,
        reason=wire.reason,
        create_time=instant(wire.create_time),
        decide_time=instant(wire.decide_time) if wire.HasField("decide_time") else None,
        expire_time=instant(wire.expire_time) if wire.HasField("expire_time") else None,
    )


def token(wire: token_pb2.Token) -> Token:
    """Return a token."""
    return Token(
        token_id=wire.token_id,
        kind=term(TokenKind, wire.scope.kind),
        plugin_name=wire.scope.plugin_name,
        session_ids=tuple(wire.session_ids),
        create_time=instant(wire.create_time),
        expire_time=instant(wire.expire_time) if wire.HasField("expire_time") else None,
        revoke_time=instant(wire.revoke_time) if wire.HasField("revoke_time") else None,
    )


def gated_call(wire: producer_service_pb2.InterceptToolCallsResponse) -> GatedCall:
    """Return a tool call that a plugin is asked about."""
    return GatedCall(
        session_id=wire.session_id,
        root_session_id=wire.root_session_id,
        run_id=wire.run_id,
        tool_call_id=wire.tool_call_id,
        name=wire.name,
        arguments_json=wire.arguments_json,
        expire_time=instant(wire.expire_time),
    )
