"""Fields of requests: what passes, and what the fault says of what does not."""

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st
from kinpost_server.domain.errors import InvalidRequest
from kinpost_server.domain.message import Mode
from kinpost_server.transport import convert, fields

UUID = "0190f1a2-1111-7abc-8def-0123456789ab"


def fault(check, *arguments, **named):
    with pytest.raises(InvalidRequest) as caught:
        check(*arguments, **named)
    assert caught.value.text.startswith(f"request:invalid: {caught.value.field}: ")
    return caught.value.field, caught.value.detail.partition(": ")[2]


def test_a_uuid_comes_back_in_lower_case():
    assert fields.uuid(UUID.upper(), "session_id") == UUID
    assert fields.optional_uuid("", "session_id") == ""


@pytest.mark.parametrize(
    "value", [f"{{{UUID}}}", UUID.replace("-", ""), f"urn:uuid:{UUID}", f"{UUID} ", f"{UUID}\n", "x"]
)
def test_what_is_no_uuid_is_refused(value):
    assert fault(fields.uuid, value, "session_id") == ("session_id", "is not a UUID")
    assert fault(fields.optional_uuid, value, "run_id") == ("run_id", "is not a UUID")


def test_a_missing_uuid_is_missing():
    assert fault(fields.uuid, "", "session_id") == ("session_id", "is missing")


def test_a_text_is_measured_in_bytes():
    assert fields.text("ää", "reason", bytes_max=4) == "ää"
    assert fault(fields.text, "äää", "reason", bytes_max=5) == ("reason", "has 6 bytes, at most 5 are allowed")
    assert fault(fields.text, "", "to", bytes_min=1, bytes_max=5) == ("to", "is missing")
    assert fault(fields.text, "a\0", "to", bytes_max=5) == ("to", "holds a NUL character")


def test_an_id_has_no_control_characters():
    assert fields.key("a b\u200bc", "attempt_id", bytes_max=128) == "a b\u200bc"
    assert fault(fields.key, "a\n", "attempt_id", bytes_max=128) == ("attempt_id", "holds a control character")
    assert fault(fields.key, "", "attempt_id", bytes_max=128) == ("attempt_id", "is missing")
    assert fields.key("", "attempt_id", bytes_min=0, bytes_max=128) == ""


def test_a_name_is_one_visible_line():
    assert fields.name("explorer 漢", "agent") == "explorer 漢"
    assert fields.name("x" * 64, "agent") == "x" * 64
    assert fault(fields.name, "x" * 65, "agent")[0] == "agent"
    assert fault(fields.name, "", "agent") == ("agent", "is missing")
    assert fault(fields.name, " \u3000", "agent") == ("agent", "is only white space")
    assert fault(fields.name, "a\u2028b", "agent") == ("agent", "holds a control character or a line break")


def test_an_enumeration_has_its_values_and_no_others():
    assert fields.choice(2, "mode", Mode) is Mode.QUEUE
    assert fields.optional_choice(0, "mode", Mode) is None
    assert fault(fields.choice, 0, "mode", Mode) == ("mode", "is missing")
    assert fault(fields.choice, 3, "mode", Mode) == ("mode", "3 is not one of its values")
    assert fault(fields.optional_choice, -1, "mode", Mode) == ("mode", "-1 is not one of its values")
    assert fields.chosen([2, 1, 2], "modes", Mode) == [Mode.QUEUE, Mode.STEER]
    assert fault(fields.chosen, [1, 9], "modes", Mode) == ("modes[1]", "9 is not one of its values")


@given(st.integers(0, 253402300799), st.integers(0, 999_999))
def test_an_instant_survives_the_wire(seconds, microseconds):
    time = seconds * 1_000_000 + microseconds
    assert fields.time(convert.timestamp(time), "until_time") == time


@pytest.mark.parametrize("seconds, nanos", [(-1, 0), (253402300800, 0), (2**63 - 1, 0), (0, -1), (0, 10**9)])
def test_an_instant_lies_between_1970_and_9999(seconds, nanos):
    assert fault(fields.time, Timestamp(seconds=seconds, nanos=nanos), "until_time")[0] == "until_time"


@given(st.integers(0, 600 * 1_000_000))
def test_a_duration_survives_the_wire(length):
    assert fields.duration(convert.duration(length), "approval_wait", seconds_max=600) == length


@pytest.mark.parametrize(
    "seconds, nanos", [(-1, 0), (601, 0), (600, 1), (0, 10**9), (1, -1), (-1, 1), (2**63 - 1, 0), (-(2**63), -(10**9))]
)
def test_a_duration_has_bounds_and_one_sign(seconds, nanos):
    value = Duration(seconds=seconds, nanos=nanos)
    assert fault(fields.duration, value, "approval_wait", seconds_max=600)[0] == "approval_wait"


def test_a_page_has_1_to_1000_entries_and_100_by_default():
    assert [fields.page_size(n) for n in (0, 1, 1000)] == [100, 1, 1000]
    assert fault(fields.page_size, 1001) == ("page_size", "must be 1 to 1000")


def test_numbers_and_lists_have_bounds():
    assert fields.count(3, "run_slots_max", least=1, most=3) == 3
    assert fault(fields.count, 0, "run_slots_max", least=1, most=3) == ("run_slots_max", "must be 1 to 3")
    assert fault(fields.sequence, 0, "claim_seq") == ("claim_seq", "must be 1 at least")
    assert fault(fields.few, 0, "sends", least=1, most=3) == ("sends", "is missing")
    assert fault(fields.few, 4, "sends", most=3) == ("sends", "has 4 values, at most 3 are allowed")
