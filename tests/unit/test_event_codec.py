"""The log's own form: what is written is read back whole, and what a newer program wrote does no harm."""

from __future__ import annotations

from dataclasses import fields, replace
from enum import Enum
from types import NoneType
from typing import Any, get_args, get_type_hints

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from kinpost.v1 import event_pb2
from kinpost_server.domain import event as e
from kinpost_server.domain.body import fork_digest
from kinpost_server.domain.message import Mode, Owner, RecipientState, Sender
from kinpost_server.domain.permission import Decision
from kinpost_server.transport.event_codec import ARMS, decode, decode_body, encode, stored_fields

PAYLOADS = e.PAYLOADS
INSTANTS = st.integers(-(10**15), 4 * 10**15)


def values_of(name: str, hint: Any) -> st.SearchStrategy[Any]:
    """Every value that a field of this type may have."""
    if NoneType in get_args(hint):
        (rest,) = (part for part in get_args(hint) if part is not NoneType)
        return st.none() | values_of(name, rest)
    if name.endswith("_time"):
        return INSTANTS
    if hint == tuple[str, ...]:
        return st.lists(st.text(max_size=5), max_size=3).map(tuple)
    if hint == dict[str, Decision]:
        return st.dictionaries(st.text(max_size=5), st.sampled_from(Decision), max_size=3)
    if hint is Sender:
        return st.builds(Sender, **{field.name: st.none() | st.text(max_size=5) for field in fields(Sender)})
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from([member for member in hint if member])
    return {
        int: st.integers(0, 2**32 - 1),
        str: st.text(max_size=20),
        bytes: st.binary(max_size=20),
        bool: st.booleans(),
    }[hint]


def payloads(payload: type[e.Payload]) -> st.SearchStrategy[e.Payload]:
    """Every payload of a class."""
    hints = get_type_hints(payload)
    if payload is e.SessionForked:
        return st.builds(forked, st.text(max_size=20), st.integers(1, 2**32), payloads(e.SessionCreated))
    names = [field.name for field in stored_fields(payload)]
    return st.builds(payload, **{name: values_of(name, hints[name]) for name in names})


def forked(from_session_id: str, at_seq: int, session: e.SessionCreated) -> e.SessionForked:
    """A fork says of the session what a creation says, but who made it: its digest is of the point it continues."""
    digest = fork_digest(from_session_id, at_seq)
    session = replace(session, request_digest=digest, host_token_id="", imported=False)
    return e.SessionForked(from_session_id, at_seq, session)


EVENTS = st.builds(
    e.Event,
    session_id=st.uuids().map(str),
    root_session_id=st.uuids().map(str),
    seq=st.integers(1, 2**63 - 1),
    event_time=INSTANTS,
    run_id=st.none() | st.uuids().map(str),
    origin=st.sampled_from(e.Origin),
    payload=st.one_of(*map(payloads, PAYLOADS)),
    position=st.integers(1, 2**63 - 1),
)


def accepted(body: str) -> e.Event:
    """An accepted event with this body."""
    payload = e.MessageAccepted("m", Owner.USER, Mode.STEER, body, Sender(), RecipientState.QUEUED, "to", b"digest")
    return e.Event("s", "s", 1, 0, None, e.Origin.PERSON, payload)


@given(EVENTS)
def test_every_event_comes_back_whole(event):
    assert decode(encode(event)) == event


def test_every_payload_has_the_arm_of_its_number():
    numbers = {payload.TYPE: payload.__name__ for payload in PAYLOADS}
    wire = {
        field.number: field.message_type.name for field in event_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields
    }
    assert set(ARMS) == set(numbers)
    # What the wire calls ProducerMessageAccepted is MessageAccepted here, and so on.
    assert {number: wire[number].replace("ProducerMessage", "Message") for number in numbers} == numbers


@given(st.text(max_size=300))
def test_the_body_is_taken_out_without_the_rest(body):
    assert decode_body(encode(accepted(body))) == body


def test_a_body_that_is_no_text_is_refused():
    with pytest.raises(ValueError, match="surrogate"):
        encode(accepted("\ud800"))


def test_a_payload_of_a_newer_program_is_a_bare_one():
    known = event_pb2.Event.FromString(encode(accepted("hello")))
    known.ClearField("producer_message_accepted")
    newer = known.SerializeToString() + b"\xfa\x7c\x02\x0a\x00"  # field 1999, a message that nobody knows yet
    assert decode(newer) == e.Event("s", "s", 1, 0, None, e.Origin.PERSON, e.Payload())


def test_bytes_that_are_no_event_are_refused():
    with pytest.raises(DecodeError):
        decode(b"\xff\xff\xff")
