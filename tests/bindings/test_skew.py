"""A log written by a newer service: what a binding does not know is unknown to it, never an error, never lost."""

import importlib
import json
import subprocess
from pathlib import Path

import pytest
from google.protobuf import json_format
from google.protobuf.unknown_fields import UnknownFieldSet
from kinpost.v1 import event_pb2, event_service_pb2

ROOT = Path(__file__).parents[2]


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


KNOWN = event_pb2.Event(
    session_id="s", seq=5, event_time={"seconds": 1_700_000_000}, wake_settled={"wake_id": "w", "run_id": "r"}
)
UNKNOWN_PAYLOAD = event_pb2.Event(session_id="s", seq=6).SerializeToString() + field(9_999, b"\x0a\x03new")
UNKNOWN_ORIGIN = event_pb2.Event(session_id="s", seq=7).SerializeToString() + varint(7 << 3) + varint(77)
UNKNOWN_IN_PAYLOAD = event_pb2.Event(session_id="s", seq=8).SerializeToString() + field(
    83, b"\x0a\x01w" + field(900, b"more") + varint(901 << 3) + varint(2**64 - 1)
)
LOG = b"".join(
    field(1, event) for event in (UNKNOWN_PAYLOAD, UNKNOWN_ORIGIN, UNKNOWN_IN_PAYLOAD, KNOWN.SerializeToString())
)


def test_official_python_reads_a_newer_log():
    page = event_service_pb2.SubscribeEventsResponse.FromString(LOG)
    payload, origin, inside, known = page.events
    assert payload.WhichOneof("payload") is None
    assert [each.field_number for each in UnknownFieldSet(payload)] == [9_999]
    assert origin.origin == 77
    assert 77 not in event_pb2.EventOrigin.values()
    assert inside.wake_settled.wake_id == "w"
    assert [each.field_number for each in UnknownFieldSet(inside.wake_settled)] == [900, 901]
    assert known == KNOWN
    assert page.SerializeToString() == LOG
    assert json_format.MessageToDict(page)["events"][:3] == [
        {"sessionId": "s", "seq": "6"},
        {"sessionId": "s", "seq": "7", "origin": 77},
        {"sessionId": "s", "seq": "8", "wakeSettled": {"wakeId": "w"}},
    ]


def test_betterproto_reads_a_newer_log(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bindings/betterproto")
    betterproto2 = importlib.import_module("betterproto2")
    binding = importlib.import_module("kinpost_betterproto")
    page = binding.SubscribeEventsResponse.parse(LOG)
    payload, origin, inside, known = page.events
    assert betterproto2.which_one_of(payload, "payload") == ("", None)
    assert origin.origin == 77
    assert origin.origin.name == ""
    assert inside.wake_settled.wake_id == "w"
    assert betterproto2.which_one_of(known, "payload")[0] == "wake_settled"
    assert bytes(page) == LOG
    assert page.to_dict()["events"][:3] == [
        {"sessionId": "s", "seq": "6"},
        {"sessionId": "s", "seq": "7", "origin": 77},
        {"sessionId": "s", "seq": "8", "wakeSettled": {"wakeId": "w"}},
    ]


TYPESCRIPT = """
import { fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
const { SubscribeEventsResponseSchema, EventOrigin } = await import(process.argv[2]);
const page = fromBinary(SubscribeEventsResponseSchema, Buffer.from(process.argv[3], "hex"));
const [payload, origin, inside, known] = page.events;
console.log(JSON.stringify({
  payload: payload.payload.case ?? "unknown",
  payloadFields: payload.$unknown.map((each) => each.no),
  origin: origin.origin,
  originName: EventOrigin[origin.origin] ?? "unknown",
  insideFields: inside.payload.value.$unknown.map((each) => each.no),
  known: known.payload.case,
  bytes: Buffer.from(toBinary(SubscribeEventsResponseSchema, page)).toString("hex"),
  json: toJson(SubscribeEventsResponseSchema, page).events.slice(0, 3),
}));
"""


def test_typescript_reads_a_newer_log():
    module = (ROOT / "bindings/typescript/dist/index.js").as_uri()
    command = ["node", "--input-type=module", "--eval", TYPESCRIPT, "--", "script", module, LOG.hex()]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert json.loads(done.stdout) == {
        "payload": "unknown",
        "payloadFields": [9_999],
        "origin": 77,
        "originName": "unknown",
        "insideFields": [900, 901],
        "known": "wakeSettled",
        "bytes": LOG.hex(),
        "json": [
            {"sessionId": "s", "seq": "6"},
            {"sessionId": "s", "seq": "7", "origin": 77},
            {"sessionId": "s", "seq": "8", "wakeSettled": {"wakeId": "w"}},
        ],
    }


def test_an_older_log_lacks_what_came_later():
    """An event of which only the first fields existed reads as if the rest were at its default."""
    event = event_pb2.Event.FromString(field(1, b"s") + varint(3 << 3) + varint(5) + field(60, field(1, b"m")))
    accepted = event.producer_message_accepted
    assert (accepted.message_id, accepted.body, accepted.HasField("agent_hop")) == ("m", "", False)
    assert not event.HasField("event_time")


@pytest.mark.parametrize("binding", ["python", "betterproto"])
def test_a_log_that_is_damaged_is_an_error_where_it_can_be_seen(binding, monkeypatch):
    """Truncation inside a text: official Python refuses it, betterproto does not, and the README says so."""
    damaged = b"\x0a\x05ab"
    if binding == "python":
        with pytest.raises(Exception, match="Error parsing message"):
            event_pb2.Event.FromString(damaged)
    else:
        monkeypatch.syspath_prepend(ROOT / "bindings/betterproto")
        assert importlib.import_module("kinpost_betterproto").Event.parse(damaged).session_id == "ab"
