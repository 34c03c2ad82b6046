"""What is said of bytes that are no message: which field, and what is wrong with it."""

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from kinpost.v1 import admin_service_pb2, messaging_service_pb2, run_service_pb2, session_service_pb2
from kinpost_server.transport.malformed import first_fault

UTF8, FRAME = "is not valid UTF-8", "is not a well-formed message"
BAD = b"\xff\xfe"


def spoiled(message, mark="MARK"):
    """Return a message's bytes with a text of it replaced by bytes of the same length that are not UTF-8."""
    data = message.SerializeToString()
    assert data.count(mark.encode()) == 1
    return data.replace(mark.encode(), b"\xff" * len(mark))


@pytest.mark.parametrize(
    "message, field",
    [
        (messaging_service_pb2.SendMessageRequest(session_id="a", to="b", body="MARK"), "body"),
        (messaging_service_pb2.SendMessageRequest(session_id="MARK", body="b"), "session_id"),
        (
            messaging_service_pb2.BatchSendMessagesRequest(
                sends=[messaging_service_pb2.BatchSend(to="a"), messaging_service_pb2.BatchSend(body="MARK")]
            ),
            "sends[1].body",
        ),
        (run_service_pb2.AttachRuntimeRequest(agents=["a", "b", "MARK"]), "agents[2]"),
        (admin_service_pb2.CreateTokenRequest(scope={"kind": 6, "plugin_name": "MARK"}), "scope.plugin_name"),
        (session_service_pb2.CreateSessionRequest(agent_document="MARK"), "agent_document"),
    ],
)
def test_the_field_with_invalid_utf_8_is_named(message, field):
    data = spoiled(message)
    with pytest.raises(DecodeError):
        type(message).FromString(data)
    assert first_fault(message.DESCRIPTOR, data) == (field, UTF8)


@pytest.mark.parametrize(
    "body", [b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80", b"ok\xe2\x82"], ids=bytes.hex
)
def test_overlong_surrogate_and_cut_forms_are_not_utf_8(body):
    data = b"\x2a" + bytes((len(body),)) + body
    with pytest.raises(DecodeError):
        messaging_service_pb2.SendMessageRequest.FromString(data)
    assert first_fault(messaging_service_pb2.SendMessageRequest.DESCRIPTOR, data) == ("body", UTF8)


@pytest.mark.parametrize(
    "data, field",
    [
        (b"\x0a\x05ab", "session_id"),  # shorter than it says
        (b"\x0a", "session_id"),  # no length
        (b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "request"),  # a tag without end
        (b"\x00\x00", "request"),  # there is no field 0
        (b"\x0c", "session_id"),  # the end of a group that never began
        (b"\x3a\x01\x08", "expire_after.seconds"),  # the nested message breaks off
    ],
)
def test_a_broken_frame_names_where_it_breaks(data, field):
    with pytest.raises(DecodeError):
        messaging_service_pb2.SendMessageRequest.FromString(data)
    assert first_fault(messaging_service_pb2.SendMessageRequest.DESCRIPTOR, data) == (field, FRAME)


@given(st.binary(max_size=200))
def test_whatever_the_bytes_are_a_fault_is_named(data):
    field, why = first_fault(session_service_pb2.CreateSessionRequest.DESCRIPTOR, data)
    assert field
    assert why in (UTF8, FRAME)


def test_messages_nested_without_end_are_not_followed_without_end():
    data = b""
    for _ in range(5000):
        data = b"\x0a" + _varint(len(data)) + data
    field, why = first_fault(session_service_pb2.CreateSessionResponse.DESCRIPTOR, data)
    assert field
    assert why in (UTF8, FRAME)


def _varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*out, number))
