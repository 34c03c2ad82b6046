"""The JSON Schemas: what protobuf's JSON printing writes validates, and what breaks the contract does not."""

import json
from pathlib import Path

import pytest
from contract.jsonschema_plugin import answer
from contract.vectors import Vectors
from google.protobuf import descriptor_pool, json_format, message_factory
from google.protobuf.compiler import plugin_pb2
from jsonschema import Draft202012Validator
from kinpost.v1 import event_pb2
from kinpost_server.domain.errors import InvalidArguments
from kinpost_server.domain.tools import SEND_MESSAGE_TOOL, parse_send_arguments

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "bindings/jsonschema/kinpost_jsonschema/schemas"
INDEX = json.loads((SCHEMAS / "index.json").read_text(encoding="utf-8"))


def validator(path: str) -> Draft202012Validator:
    schema = json.loads((SCHEMAS / path).read_text(encoding="utf-8"))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


EVENT = validator(INDEX["event"])
PAYLOADS = {name: validator(path) for name, path in INDEX["payloads"].items()}
SEND_MESSAGE = validator(INDEX["tools"]["send_message"])


def test_every_payload_of_an_event_has_its_schema():
    arms = event_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields
    assert INDEX["payloads"] == {arm.json_name: f"events/{arm.message_type.name}.schema.json" for arm in arms}
    files = {path.relative_to(SCHEMAS).as_posix() for path in SCHEMAS.rglob("*.schema.json")}
    assert files == {INDEX["event"], *INDEX["payloads"].values(), *INDEX["tools"].values()}


@pytest.mark.parametrize("with_defaults", [False, True])
def test_what_the_official_printing_writes_validates(vectors, with_defaults):
    arms = {arm.message_type.full_name: arm for arm in event_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields}
    seen = set()
    for vector in vectors:
        name = vector["message"]
        if name != "kinpost.v1.Event" and name not in arms:
            continue
        seen.add(name)
        kind = event_pb2.DESCRIPTOR.message_types_by_name[name.rsplit(".", 1)[1]]
        message = message_factory.GetMessageClass(kind).FromString(bytes.fromhex(vector["hex"]))
        printed = json_format.MessageToDict(message, always_print_fields_with_no_presence=with_defaults)
        if name == "kinpost.v1.Event":
            EVENT.validate(printed)
        else:
            PAYLOADS[arms[name].json_name].validate(printed)
            event = event_pb2.Event(session_id="s", seq=1, **{arms[name].name: message})
            EVENT.validate(json_format.MessageToDict(event, always_print_fields_with_no_presence=with_defaults))
    assert seen == {"kinpost.v1.Event", *arms}


def test_what_is_newer_than_the_printer_validates():
    """An unknown enum value is printed as its number; of an unknown payload nothing is printed."""
    event = event_pb2.Event.FromString(event_pb2.Event(session_id="s", seq=1).SerializeToString() + b"\xca>\x01x")
    event.origin = 77
    printed = json_format.MessageToDict(event)
    assert printed == {"sessionId": "s", "seq": "1", "origin": 77}
    EVENT.validate(printed)


BROKEN_EVENTS = {
    "an unknown name": {"colour": "red"},
    "the contract's own spelling of a name": {"session_id": "s"},
    "null": {"sessionId": None},
    "a number for text": {"sessionId": 5},
    "a 64-bit integer as a number": {"seq": 5},
    "an integer that is none": {"seq": "5.0"},
    "an integer with a leading zero": {"seq": "05"},
    "an integer with a line end": {"seq": "5\n"},
    "an integer beyond 64 bits": {"seq": str(2**63)},
    "an integer beyond 64 bits below": {"seq": str(-(2**63) - 1)},
    "an unknown name of an enum": {"origin": "EVENT_ORIGIN_NOBODY"},
    "an enum value beyond 32 bits": {"origin": 2**31},
    "an enum value that is no integer": {"origin": 1.5},
    "an instant without zone": {"eventTime": "2026-01-02T03:04:05"},
    "an instant in another zone": {"eventTime": "2026-01-02T03:04:05+01:00"},
    "an instant in month 13": {"eventTime": "2026-13-02T03:04:05Z"},
    "an instant with four digits of a second": {"eventTime": "2026-01-02T03:04:05.1234Z"},
    "an instant of year 0": {"eventTime": "0000-01-02T03:04:05Z"},
    "two payloads": {"sessionDeleted": {}, "sessionUnqueued": {}},
    "a payload that is text": {"sessionDeleted": "gone"},
    "an unknown name in a payload": {"sessionDeleted": {"colour": "red"}},
    "an unknown name deep in a payload": {"sessionCreated": {"session": {"colour": "red"}}},
    "an unsigned integer below 0": {"producerMessageAccepted": {"agentHop": -1}},
    "an unsigned integer beyond 32 bits": {"producerMessageAccepted": {"agentHop": 2**32}},
    "bytes that are no base64": {"producerMessageAccepted": {"requestDigest": "***="}},
    "bytes without padding": {"producerMessageAccepted": {"requestDigest": "AAA"}},
    "one text for a list": {"producerMessagesClaimed": {"messageIds": "a"}},
    "a number in a list of texts": {"producerMessagesClaimed": {"messageIds": ["a", 5]}},
    "a list": [],
}


@pytest.mark.parametrize("document", BROKEN_EVENTS.values(), ids=BROKEN_EVENTS)
def test_an_event_that_breaks_the_contract_is_refused(document):
    whole = {"sessionId": "s", "seq": "1"}
    EVENT.validate(whole)
    assert not EVENT.is_valid({**whole, **document} if isinstance(document, dict) else document)


@pytest.mark.parametrize("name", PAYLOADS)
def test_each_property_of_a_payload_refuses_what_it_is_not(name):
    schema = PAYLOADS[name]
    assert not schema.is_valid({"surelyNoField": 1})
    properties = schema.schema["properties"]
    assert properties
    for field in properties:
        assert not schema.is_valid({field: {"surelyNoField": 1}}), field
        assert not schema.is_valid({field: None}), field


GOOD_CALLS = [
    {"to": "explore_1a2b3c4d", "body": "x"},
    {"to": "a", "body": ""},
    {"to": "a" * 256, "body": "b"},
    {"to": "a", "body": "b", "mode": "steer"},
    {"mode": "queue", "to": "a", "body": "\U0010fffd\0"},
]
BAD_CALLS = [
    {},
    {"to": "", "body": "b"},
    {"to": "a" * 257, "body": "b"},
    {"to": "a"},
    {"body": "b"},
    {"to": "a", "body": "b", "mode": "later"},
    {"to": "a", "body": "b", "mode": None},
    {"to": "a", "body": "b", "mode": "STEER"},
    {"to": ["a"], "body": "b"},
    {"to": "a", "body": 5},
    {"to": "a", "body": "b", "priority": 1},
    {"recipient_session_id": "a", "body": "b"},
    {"to": "a", "body": "b", "recipient_session_id": "a"},
    [],
    "to",
]


@pytest.mark.parametrize("arguments", GOOD_CALLS)
def test_good_arguments_of_send_message_validate(arguments):
    SEND_MESSAGE.validate(arguments)


@pytest.mark.parametrize("arguments", BAD_CALLS)
def test_bad_arguments_of_send_message_are_refused(arguments):
    assert not SEND_MESSAGE.is_valid(arguments)


def test_send_message_takes_exactly_three_arguments_and_steers_unless_told_otherwise():
    schema = SEND_MESSAGE.schema
    assert list(schema["properties"]) == ["to", "body", "mode"]
    assert schema["required"] == ["to", "body"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["mode"]["enum"] == ["steer", "queue"]
    assert schema["properties"]["mode"]["default"] == "steer"


def test_a_tools_schema_is_the_one_that_the_server_serves_and_obeys():
    assert json.loads(SEND_MESSAGE_TOOL.parameters_json_schema) == SEND_MESSAGE.schema
    for arguments in GOOD_CALLS:
        parse_send_arguments(json.dumps(arguments))
    for arguments in BAD_CALLS:
        with pytest.raises(InvalidArguments):
            parse_send_arguments(json.dumps(arguments))


@pytest.fixture(scope="session")
def every_kind_validator(every_kind):
    """The plugin's schema for a message with every kind of field."""
    request = plugin_pb2.CodeGeneratorRequest(parameter="kinpost.test.EveryKind", proto_file=every_kind.file)
    response = plugin_pb2.CodeGeneratorResponse.FromString(answer(request.SerializeToString()))
    assert response.error == ""
    schemas = {file.name: json.loads(file.content) for file in response.file}
    assert list(schemas) == ["EveryKind.schema.json", "Nested.schema.json"]
    Draft202012Validator.check_schema(schemas["EveryKind.schema.json"])
    return Draft202012Validator(schemas["EveryKind.schema.json"])


def test_every_kind_of_field_validates_as_it_is_printed(every_kind, every_kind_validator):
    pool = descriptor_pool.DescriptorPool()
    for file in every_kind.file:
        pool.Add(file)
    kind = message_factory.GetMessageClass(pool.FindMessageTypeByName("kinpost.test.EveryKind"))
    count = 0
    for _, vectors in Vectors(every_kind).by_file():
        for vector in vectors:
            if vector["message"] == "kinpost.test.EveryKind":
                count += 1
                message = kind.FromString(bytes.fromhex(vector["hex"]))
                for with_defaults in (False, True):
                    options = {"always_print_fields_with_no_presence": with_defaults}
                    every_kind_validator.validate(json_format.MessageToDict(message, **options))
    assert count > 50
    for value in (float("nan"), float("inf"), -float("inf"), 1e300, -0.0):
        every_kind_validator.validate(json_format.MessageToDict(kind(a_double=value)))


BROKEN_KINDS = [
    {"aDouble": "1.5"},
    {"aFloat": "infinity"},
    {"anInt32": 2**31},
    {"anInt32": "5"},
    {"anInt64": str(2**63)},
    {"aUint32": -1},
    {"aUint64": "-1"},
    {"aUint64": str(2**64)},
    {"aSint64": "+1"},
    {"aFixed64": "-0"},
    {"aSfixed32": -(2**31) - 1},
    {"aBool": "true"},
    {"colour": "RED"},
    {"nested": {"again": {"aBool": 1}}},
    {"aDuration": "1"},
    {"aDuration": "1.5s"},
    {"aDuration": "315576000001s"},
    {"numbers": "1"},
    {"numbers": [1]},
    {"more": {}},
    {"byName": {"a": 1}},
    {"byNumber": {"a": {}}},
    {"byNumber": {str(2**31): {}}},
    {"byTruth": {"yes": "COLOUR_RED"}},
    {"bySize": {"-1": "AA=="}},
    {"text": "a", "flag": True},
    {"text": "", "other": {}, "flag": False},
]


@pytest.mark.parametrize("document", BROKEN_KINDS, ids=json.dumps)
def test_a_value_of_another_kind_is_refused(every_kind_validator, document):
    assert not every_kind_validator.is_valid(document)


def test_comments_become_descriptions():
    assert EVENT.schema["description"] == "One entry of a session's log."
    assert EVENT.schema["properties"]["seq"]["description"] == "Gapless within the session, from 1."


def test_an_unknown_message_is_an_error_of_the_plugin(every_kind):
    request = plugin_pb2.CodeGeneratorRequest(parameter="kinpost.test.Nowhere", proto_file=every_kind.file)
    response = plugin_pb2.CodeGeneratorResponse.FromString(answer(request.SerializeToString()))
    assert "kinpost.test.Nowhere" in response.error
