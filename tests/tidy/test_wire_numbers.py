"""The enumerations of the domain have the names and numbers of the wire, so that neither needs a table of the other."""

from enum import IntEnum

import pytest
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from kinpost.v1 import approval_pb2, event_pb2, event_service_pb2, message_pb2, run_pb2, session_pb2, token_pb2
from kinpost_server.domain import approval, event, identity, message, run, session
from kinpost_server.domain.fold import CHANGES


def wire_of(wrapper: EnumTypeWrapper, prefix: str) -> dict[str, int]:
    """Names without their prefix, and numbers, of all but the unspecified value."""
    return {name.removeprefix(prefix): number for name, number in wrapper.items() if number}


@pytest.mark.parametrize(
    "domain, wire, prefix",
    [
        (message.Owner, message_pb2.ProducerOwner, "PRODUCER_OWNER_"),
        (message.Mode, message_pb2.MessageMode, "MESSAGE_MODE_"),
        (message.DiscardReason, message_pb2.DiscardReason, "DISCARD_REASON_"),
        (message.RecipientState, message_pb2.RecipientState, "RECIPIENT_STATE_"),
        (run.RunState, run_pb2.RunState, "RUN_STATE_"),
        (run.ReleaseReason, run_pb2.ReleaseReason, "RELEASE_REASON_"),
        (session.SessionState, session_pb2.SessionState, "SESSION_STATE_"),
        (session.Availability, session_pb2.Availability, "AVAILABILITY_"),
        (session.Starter, session_pb2.Starter, "STARTER_"),
        (event.Origin, event_pb2.EventOrigin, "EVENT_ORIGIN_"),
        (approval.ApprovalState, approval_pb2.ApprovalState, "APPROVAL_STATE_"),
        (approval.ApprovalDecision, approval_pb2.ApprovalDecision, "APPROVAL_DECISION_"),
        (identity.TokenKind, token_pb2.TokenKind, "TOKEN_KIND_"),
    ],
)
def test_an_enumeration_is_that_of_the_wire(domain: type[IntEnum], wire: EnumTypeWrapper, prefix: str) -> None:
    """All names, all numbers."""
    assert {member.name: member.value for member in domain} == wire_of(wire, prefix)


def test_stop_reasons_are_those_of_the_wire() -> None:
    """NONE is the wire's unspecified value."""
    assert {r.name: r.value for r in run.StopReason if r} == wire_of(run_pb2.StopReason, "STOP_REASON_")


def test_event_types_are_the_arms_of_the_event() -> None:
    """Each arm has its type, with the same number and name."""
    arms = event_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields
    types = wire_of(event_service_pb2.EventType, "EVENT_TYPE_")
    assert {field.name.upper(): field.number for field in arms} == types


def test_each_payload_of_the_domain_has_the_number_of_its_arm() -> None:
    """And each that changes a session is folded; SessionCreated begins one, the others only tell their readers."""
    arms = {field.number for field in event_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields}
    payloads = event.PAYLOADS
    defined = {thing for thing in vars(event).values() if isinstance(thing, type) and thing.__base__ is event.Payload}
    assert set(payloads) == defined
    assert {payload.TYPE for payload in payloads} <= arms
    assert len({payload.TYPE for payload in payloads}) == len(payloads)
    begin = {event.SessionCreated, event.SessionForked}
    only_told = {event.SentMessageUndeliverable, event.ProducerRegistered, event.ProducerUnregistered}
    peer_mail = {event.PeerMessageSent, event.PeerDeadLetterRecorded, event.PeerDeadLetterRedelivered}
    assert set(payloads) - set(CHANGES) == begin | only_told | peer_mail
