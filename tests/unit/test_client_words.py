"""The client's words and requests stand beside the contract's."""

from datetime import UTC, datetime

import pytest
from kinpost.v1 import event_pb2, event_service_pb2
from kinpost_client import convert, event_requests
from kinpost_client.convert import WIRE_ENUMS
from kinpost_client.session_requests import Imported, SessionWishes
from kinpost_client.terms import Mode, SessionState
from kinpost_client.tool_call_ids import tool_call_id_of


@pytest.mark.parametrize("kind", WIRE_ENUMS, ids=lambda kind: kind.__name__)
def test_each_word_has_its_number_and_each_number_its_word(kind):
    numbers = [value.number for value in WIRE_ENUMS[kind].values if value.number]

    words = [convert.term(kind, number) for number in numbers]

    assert {*words, kind("unknown")} == set(kind)
    assert [convert.number(kind, word) for word in words] == numbers


def test_a_number_of_a_newer_server_is_unknown_and_cannot_be_said():
    assert convert.term(SessionState, 99) is SessionState.UNKNOWN
    with pytest.raises(ValueError, match="'unknown' is none of steer, queue"):
        convert.number(Mode, "unknown")


def test_an_event_of_a_newer_server_is_unknown():
    event = event_pb2.Event(session_id="s", seq=7)
    newer = event.SerializeToString() + b"\xc2\x3e\x02hi"  # field 1000, a string

    known = convert.event(event_pb2.Event.FromString(newer))

    assert (known.type, known.payload, known.seq) == ("unknown", None, 7)


def test_an_instant_keeps_its_microseconds_and_needs_a_time_zone():
    when = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)

    assert convert.instant(convert.timestamp(when)) == when
    with pytest.raises(ValueError, match="time zone"):
        convert.timestamp(datetime(2026, 1, 2))  # noqa: DTZ001 - that is what is refused


def test_every_event_type_of_the_contract_can_be_asked_for():
    names = [field.name for field in event_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields]

    request = event_requests.listing(None, None, None, None, names)

    assert [event_service_pb2.EventType.Name(number) for number in request.event_types] == [
        f"EVENT_TYPE_{name.upper()}" for name in names
    ]


@pytest.mark.parametrize(
    "given, fault",
    [
        ({"session_id": "s", "root_session_id": "r"}, "exclude each other"),
        ({"after_cursor": "c", "after_seq": 1, "session_id": "s"}, "exclude each other"),
        ({"after_seq": 1}, "within one session"),
        ({"after_cursor": "c", "from_now": True}, "from_now excludes"),
        ({"event_types": ["run_begun"]}, "'run_begun' is no event type"),
    ],
)
def test_contradictions_are_refused_before_anything_is_sent(given, fault):
    wishes = {
        "session_id": None,
        "root_session_id": None,
        "after_cursor": None,
        "after_seq": None,
        "from_now": False,
        "event_types": [],
    }
    with pytest.raises(ValueError, match=fault):
        event_requests.subscribe(**(wishes | given))


def test_a_session_without_an_id_gets_one_so_that_a_repeat_is_the_same():
    first, second = SessionWishes("explore").request(), SessionWishes("explore").request()

    assert first.session_id
    assert first.session_id != second.session_id


def test_rules_are_given_as_fields_or_as_a_document_and_none_is_not_an_empty_table():
    assert SessionWishes("explore").request().WhichOneof("rules") is None
    assert SessionWishes("explore", message_rules={}).request().WhichOneof("rules") == "message_rules"
    assert SessionWishes("explore", agent_document="---\n---").request().WhichOneof("rules") == "agent_document"
    with pytest.raises(ValueError, match="exclude each other"):
        SessionWishes("explore", message_rules={}, agent_document="").request()
    with pytest.raises(ValueError, match="'maybe' is none of allow, ask, deny"):
        SessionWishes("explore", message_rules={"child": "maybe"}).request()


def test_an_imported_session_brings_its_state():
    when = datetime(2020, 1, 1, tzinfo=UTC)
    imported = Imported(SessionState.FAILED, "old_1a2b3c4d", when)

    wire = SessionWishes("old", imported=imported).request().imported

    assert (wire.state, wire.handle) == (5, "old_1a2b3c4d")
    assert convert.instant(wire.create_time) == when


def test_a_tool_call_is_named_by_its_turn_and_never_too_long():
    assert tool_call_id_of(17, "call_1") == "17:call_1"
    assert tool_call_id_of(17, "x" * 253) == "17:" + "x" * 253
    long = tool_call_id_of(17, "x" * 254)
    assert len(long.encode()) <= 256
    assert long == tool_call_id_of(17, "x" * 254) != tool_call_id_of(17, "y" * 254)
