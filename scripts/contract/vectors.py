"""Shared vectors: messages with their bytes, by which each language's binding shows that it agrees.

Every message type of the contract gets its own: empty; full; each oneof arm, set and set to its default; each
optional field set to its default; each number at its extremes; instants and durations at theirs, with
nanoseconds; text from every plane of Unicode. Bytes and JSON are what the official implementation writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import Message

from contract.descriptors import enum_of, is_map, message_of, own_files

# Two characters of each of the 17 planes, the second its last: what follows are no characters.
_PLANES = "".join(chr(plane << 16 | low) for plane in range(17) for low in (0x0251, 0xFFFD))
EVERY_PLANE = "a\t\n\r\0é\u0301\u2028" + _PLANES
BODY_BYTES_MAX = 32 * 1024
# A body of the greatest size for each way that it travels; more would only make the files heavy.
_GREATEST_BODIES = {
    "kinpost.v1.SendMessageRequest.body",
    "kinpost.v1.ProducerMessageAccepted.body",
    "kinpost.v1.ClaimedMessage.body",
}
_DEPTH_MAX = 3

_INT32, _INT64 = (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1)
_UINT32, _UINT64 = (1, 2**32 - 1), (1, 2**64 - 1)
_Kind = FieldDescriptor
_EXTREMES: dict[int, tuple[int, int]] = {
    **dict.fromkeys((_Kind.TYPE_INT32, _Kind.TYPE_SINT32, _Kind.TYPE_SFIXED32), _INT32),
    **dict.fromkeys((_Kind.TYPE_INT64, _Kind.TYPE_SINT64, _Kind.TYPE_SFIXED64), _INT64),
    **dict.fromkeys((_Kind.TYPE_UINT32, _Kind.TYPE_FIXED32), _UINT32),
    **dict.fromkeys((_Kind.TYPE_UINT64, _Kind.TYPE_FIXED64), _UINT64),
}
# A default that is not 0.
_DEFAULTS: dict[int, Any] = {_Kind.TYPE_STRING: "", _Kind.TYPE_BYTES: b"", _Kind.TYPE_BOOL: False}
# (seconds, nanoseconds); the widest that both types allow, a nanosecond, and what needs all nine digits.
_INSTANTS = {
    "epoch": (0, 0),
    "nanosecond": (1_700_000_000, 1),
    "microseconds": (1_700_000_000, 123_456_000),
    "before_epoch": (-1, 999_999_999),
    "first": (-62_135_596_800, 0),
    "last": (253_402_300_799, 999_999_999),
}
_DURATIONS = {
    "zero": (0, 0),
    "nanosecond": (0, 1),
    "microseconds": (90, 123_456_000),
    "negative": (-1, -500_000_000),
    "longest": (315_576_000_000, 999_999_999),
}
_TIMES = {"google.protobuf.Timestamp": _INSTANTS, "google.protobuf.Duration": _DURATIONS}


def greatest_body() -> str:
    """Returns text of exactly 32 KiB as UTF-8, from every plane."""
    whole = EVERY_PLANE * (BODY_BYTES_MAX // len(EVERY_PLANE.encode()))
    return whole + "x" * (BODY_BYTES_MAX - len(whole.encode()))


class Vectors:
    """Makes the vectors of one contract."""

    def __init__(self, contract: FileDescriptorSet) -> None:
        self._pool = descriptor_pool.DescriptorPool()
        for file in contract.file:
            self._pool.Add(file)
        self._names = [file.name for file in own_files(contract)]

    def by_file(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Gives each contract file's name with its vectors, if it has messages."""
        for name in self._names:
            messages = self._pool.FindFileByName(name).message_types_by_name.values()
            vectors = [vector for message in messages for vector in self._of_message(message)]
            if vectors:
                yield name, vectors

    def _of_message(self, descriptor: Descriptor) -> Iterator[dict[str, Any]]:
        for nested in descriptor.nested_types:
            if not nested.GetOptions().map_entry:
                yield from self._of_message(nested)
        for case, message in self._cases(descriptor):
            yield {
                "message": descriptor.full_name,
                "case": case,
                "json": json_format.MessageToDict(message),
                "hex": message.SerializeToString(deterministic=True).hex(),
            }

    def _new(self, descriptor: Descriptor) -> Message:
        return message_factory.GetMessageClass(descriptor)()

    def _cases(self, descriptor: Descriptor) -> Iterator[tuple[str, Message]]:
        yield "empty", self._new(descriptor)
        if descriptor.fields:
            yield "full", self._full(descriptor, _DEPTH_MAX)
        for field in descriptor.fields:
            for case, values in self._field_cases(field):
                message = self._new(descriptor)
                _assign(message, field, values)
                yield f"{field.name}: {case}", message

    def _field_cases(self, field: FieldDescriptor) -> Iterator[tuple[str, Any]]:
        if is_map(field):
            # One entry each: the order of entries is nobody's promise.
            key, value = (message_of(field).fields_by_name[name] for name in ("key", "value"))
            yield "an entry", self._sample_map(field)
            yield "an entry of defaults", {self._default(key): self._default(value)}
            return
        if field.is_repeated:
            one = self._sample(field, _DEPTH_MAX)
            yield "three", [one, self._default(field), one]
            return
        if field.has_presence:
            yield "present at its default", self._default(field)
        if field.containing_oneof is not None and len(field.containing_oneof.fields) > 1:
            yield "chosen", self._sample(field, _DEPTH_MAX)
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for case, (seconds, nanos) in _TIMES.get(message_of(field).full_name, {}).items():
                yield case, self._time(message_of(field), seconds, nanos)
        else:
            yield from self._scalar_cases(field)

    @staticmethod
    def _scalar_cases(field: FieldDescriptor) -> Iterator[tuple[str, Any]]:
        if field.type in _EXTREMES:
            lowest, highest = _EXTREMES[field.type]
            yield "lowest", lowest
            yield "highest", highest
        if field.type == FieldDescriptor.TYPE_ENUM:
            for value in enum_of(field).values:
                yield value.name, value.number
        if field.type == FieldDescriptor.TYPE_STRING:
            # Every string goes the same way: each message's first, and those that carry what people write.
            if field.index == 0 or field.name in ("body", "text", "rendered_text"):
                yield "every plane of Unicode", EVERY_PLANE
            if field.full_name in _GREATEST_BODIES:
                yield "32 KiB", greatest_body()
        if field.type == FieldDescriptor.TYPE_BYTES:
            yield "every byte", bytes(range(256))

    def _full(self, descriptor: Descriptor, depth: int) -> Message:
        """A message with every field set, of each oneof the first, and `depth` levels of messages within."""
        message = self._new(descriptor)
        for field in descriptor.fields:
            group = field.containing_oneof
            if group is not None and group.fields[0] is not field:
                continue
            if is_map(field):
                _assign(message, field, self._sample_map(field))
            elif field.is_repeated:
                _assign(message, field, [self._sample(field, depth)])
            else:
                _assign(message, field, self._sample(field, depth))
        return message

    def _sample(self, field: FieldDescriptor, depth: int) -> Any:
        """A value that is not the default."""
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            kind = message_of(field)
            if kind.full_name in _TIMES:
                return self._time(kind, *_TIMES[kind.full_name]["microseconds"])
            return self._full(kind, depth - 1) if depth > 0 else self._new(kind)
        if field.type == FieldDescriptor.TYPE_ENUM:
            return enum_of(field).values[-1].number
        if field.type == FieldDescriptor.TYPE_STRING:
            return f"{field.name} {field.number}"
        if field.type == FieldDescriptor.TYPE_BYTES:
            return bytes([0, field.number, 255])
        if field.type == FieldDescriptor.TYPE_BOOL:
            return True
        if field.type in (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE):
            return 1.5
        return 100 + field.number

    def _sample_map(self, field: FieldDescriptor) -> dict[Any, Any]:
        key, value = (message_of(field).fields_by_name[name] for name in ("key", "value"))
        return {self._sample(key, 0): self._sample(value, 1)}

    def _default(self, field: FieldDescriptor) -> Any:
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            return self._new(message_of(field))
        return _DEFAULTS.get(field.type, 0)

    def _time(self, kind: Descriptor, seconds: int, nanos: int) -> Message:
        return message_factory.GetMessageClass(kind)(seconds=seconds, nanos=nanos)


def _assign(message: Message, field: FieldDescriptor, value: Any) -> None:
    """Sets a field of any kind, so that a field with presence is present even at its default."""
    if is_map(field):
        entries = getattr(message, field.name)
        for key, entry in value.items():
            if isinstance(entry, Message):
                entries[key].CopyFrom(entry)
            else:
                entries[key] = entry
    elif field.is_repeated:
        getattr(message, field.name).extend(value)
    elif isinstance(value, Message):
        getattr(message, field.name).CopyFrom(value)
        getattr(message, field.name).SetInParent()
    else:
        setattr(message, field.name, value)


def write_vectors(contract: FileDescriptorSet, target: Path) -> None:
    """Writes one JSON file for each contract file that has messages into the folder `target`."""
    target.mkdir(parents=True, exist_ok=True)
    for name, vectors in Vectors(contract).by_file():
        lines = ",\n".join(json.dumps(vector) for vector in vectors)
        place = target / f"{Path(name).stem}.json"
        place.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
