"""Events of a client, made up: as many as a test wants, with whatever text it wants in them."""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from kinpost.v1 import event_pb2
from kinpost_client import Event, convert

SESSION_ID = "0190aaaa-0000-7000-8000-000000000001"
PAYLOADS = [field.name for field in event_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields]


def event(seq: int, payload: Message, *, session_id: str = SESSION_ID) -> Event:
    """Return an event with a payload."""
    name = next(
        field.name
        for field in event_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields
        if field.message_type is payload.DESCRIPTOR
    )
    wire = event_pb2.Event(session_id=session_id, root_session_id=SESSION_ID, seq=seq, position=seq)
    getattr(wire, name).CopyFrom(payload)
    return convert.event(wire)


def filled(name: str, text: str, seq: int = 1) -> Event:
    """Return an event of a type, by its payload's name, with a text in all its strings, and no number 0."""
    wire = event_pb2.Event(session_id=SESSION_ID, root_session_id=SESSION_ID, seq=seq)
    payload = getattr(wire, name)
    payload.SetInParent()
    _fill(payload, text)
    return convert.event(wire)


def accepted(seq: int, message_id: str, body: str = "hello", **fields: Any) -> Event:
    """Return the acceptance of a message."""
    return event(seq, event_pb2.ProducerMessageAccepted(message_id=message_id, body=body, owner=1, mode=1, **fields))


def _fill(message: Message, text: str) -> None:
    for field in message.DESCRIPTOR.fields:
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            if field.is_repeated:
                _fill(getattr(message, field.name).add(), text)
            else:
                getattr(message, field.name).SetInParent()
                _fill(getattr(message, field.name), text)
        elif field.type == FieldDescriptor.TYPE_STRING:
            if field.is_repeated:
                getattr(message, field.name).extend([text] * 6)
            else:
                setattr(message, field.name, text)
        elif field.type == FieldDescriptor.TYPE_BOOL:
            setattr(message, field.name, True)
        elif field.type == FieldDescriptor.TYPE_BYTES:
            setattr(message, field.name, b"digest")
        elif not field.is_repeated:
            setattr(message, field.name, 1)
