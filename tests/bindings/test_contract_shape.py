"""The contract keeps its own form: pairs in the order of their RPCs, and lists that mirror each other."""

import importlib
import re
from pathlib import Path

import pytest
from kinpost.v1 import event_pb2, event_service_pb2

ROOT = Path(__file__).parents[2]
SERVICES = sorted(path.stem for path in (ROOT / "proto/kinpost/v1").glob("*_service.proto"))


def test_every_payload_has_its_type_by_the_same_number():
    payloads = event_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields
    expected = {f"EVENT_TYPE_{arm.name.upper()}": arm.number for arm in payloads}
    assert dict(event_service_pb2.EventType.items()) == {"EVENT_TYPE_UNSPECIFIED": 0, **expected}


def test_a_payload_is_called_like_its_message():
    for arm in event_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields:
        assert arm.name == re.sub(r"(?<!^)(?=[A-Z])", "_", arm.message_type.name).lower()


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_its_pairs_in_the_order_of_its_rpcs(name):
    descriptor = importlib.import_module(f"kinpost.v1.{name}_pb2").DESCRIPTOR
    (service,) = descriptor.services_by_name.values()
    pairs = [kind for method in service.methods for kind in (f"{method.name}Request", f"{method.name}Response")]
    assert [(method.input_type.name, method.output_type.name) for method in service.methods] == list(
        zip(pairs[::2], pairs[1::2], strict=True)
    )
    assert [kind for kind in descriptor.message_types_by_name if kind in set(pairs)] == pairs
