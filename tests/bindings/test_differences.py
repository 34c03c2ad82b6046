"""What the table in bindings/README.md says of each binding is so."""

import importlib
import json
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from google.protobuf import json_format
from google.protobuf.message import DecodeError
from kinpost.v1 import event_pb2, messaging_service_pb2

ROOT = Path(__file__).parents[2]
NO_UTF8 = b"\x0a\x02\xff\xfe"


@pytest.fixture
def betterproto(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bindings/betterproto")
    return importlib.import_module("kinpost_betterproto")


TYPESCRIPT = """
import { create, fromBinary, fromJson, toBinary } from "@bufbuild/protobuf";
const { EventSchema, EventOrigin } = await import(process.argv[2]);
const outcome = (make) => { try { return make(); } catch (error) { return error.constructor.name; } };
const text = (bytes) => Buffer.from(bytes).toString("hex");
console.log(JSON.stringify({
  seq: typeof create(EventSchema).seq,
  tooLarge: outcome(() => text(toBinary(EventSchema, create(EventSchema, { seq: 2n ** 63n })))),
  enumName: EventOrigin[3],
  unknownName: outcome(() => fromJson(EventSchema, { colour: "red" })),
  noUtf8: outcome(() => fromBinary(EventSchema, Buffer.from("0a02fffe", "hex"))),
  endsTooSoon: outcome(() => fromBinary(EventSchema, Buffer.from("0a056162", "hex"))),
  surrogate: outcome(() => text(toBinary(EventSchema, create(EventSchema, { sessionId: "\\ud800" })))),
}));
"""


def test_typescript_is_as_the_table_says():
    command = ["node", "--input-type=module", "--eval", TYPESCRIPT, "--", "script"]
    module = (ROOT / "bindings/typescript/dist/index.js").as_uri()
    done = subprocess.run([*command, module], check=True, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert json.loads(done.stdout) == {
        "seq": "bigint",
        "tooLarge": "Error",
        "enumName": "AGENT",
        "unknownName": "Error",
        "noUtf8": "TypeError",
        "endsTooSoon": "RangeError",
        "surrogate": "0a03efbfbd",
    }


def test_official_python_is_as_the_table_says():
    with pytest.raises(ValueError, match="out of range"):
        event_pb2.Event(seq=2**63)
    with pytest.raises(json_format.ParseError, match="colour"):
        json_format.ParseDict({"colour": "red"}, event_pb2.Event())
    for damaged in (NO_UTF8, b"\x0a\x05ab"):
        with pytest.raises(DecodeError):
            event_pb2.Event.FromString(damaged)
    with pytest.raises(UnicodeEncodeError):
        event_pb2.Event(session_id="\ud800")
    event = event_pb2.Event(session_unqueued={}, session_deleted={})
    event.session_unqueued.SetInParent()
    assert event.WhichOneof("payload") == "session_unqueued"


def test_betterproto_is_as_the_table_says(betterproto):
    assert bytes(betterproto.Event(seq=2**63)) == b"\x18" + b"\x80" * 9 + b"\x01"
    assert betterproto.EventOrigin(3).name == "AGENT"
    with pytest.raises(KeyError, match="colour"):
        betterproto.Event.from_dict({"colour": "red"})
    with pytest.raises(UnicodeDecodeError):
        betterproto.Event.parse(NO_UTF8)
    assert betterproto.Event.parse(b"\x0a\x05ab").session_id == "ab"
    with pytest.raises(UnicodeEncodeError):
        bytes(betterproto.Event(session_id="\ud800"))
    there = betterproto.AttachRuntimeResponse(heartbeat=betterproto.RuntimeHeartbeat())
    assert there.heartbeat is not None
    assert not there.heartbeat
    both = betterproto.Event(
        session_unqueued=betterproto.SessionUnqueued(), session_deleted=betterproto.SessionDeleted()
    )
    assert bytes(both) == b"\xb2\x01\x00\xca\x01\x00"


def test_betterproto_gets_a_negative_duration_wrong(betterproto):
    """The contract has none; who sends one all the same should know what arrives."""
    sent = betterproto.SendMessageRequest(expire_after=timedelta(seconds=-1.5))
    received = messaging_service_pb2.SendMessageRequest.FromString(bytes(sent)).expire_after
    assert (received.seconds, received.nanos) == (-1, 500_000_000)
