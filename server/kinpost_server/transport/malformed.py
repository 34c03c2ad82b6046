"""What is wrong with bytes that are no message: the field that holds invalid UTF-8, or where the frame breaks."""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import FieldDescriptor

DEPTH_MAX = 100  # as deep as the parser goes
PATH_CHARACTERS_MAX = 120
_VARINT, _FIXED64, _BYTES, _GROUP, _GROUP_END, _FIXED32 = range(6)
_WHOLE = "request"


class _Broken(Exception):
    """The bytes end within a field, or hold a tag that cannot be."""


def first_fault(message: Any, data: bytes) -> tuple[str, str]:
    """Return the path of the first field that is at fault, and why; the whole request when it is no field's."""
    try:
        found = _walk(message, memoryview(data), "", 0)
    except _Broken as broken:
        return str(broken)[:PATH_CHARACTERS_MAX] or _WHOLE, "is not a well-formed message"
    if found is None:
        return _WHOLE, "is not a well-formed message"
    return found[:PATH_CHARACTERS_MAX], "is not valid UTF-8"


def _walk(message: Any, data: memoryview, path: str, depth: int) -> str | None:
    """Return the path of the first string that is not UTF-8. Raises _Broken with the path of what it is in."""
    if depth > DEPTH_MAX:
        raise _Broken(path)
    counts: dict[int, int] = {}
    offset, end = 0, len(data)
    while offset < end:
        tag, offset = _varint(data, offset, path)
        number, kind = tag >> 3, tag & 7
        field: FieldDescriptor | None = message.fields_by_number.get(number)
        name = _name(path, field, counts)
        if kind == _VARINT:
            _, offset = _varint(data, offset, name or path)
        elif kind in (_FIXED32, _FIXED64):
            offset += 4 if kind == _FIXED32 else 8
        elif kind == _BYTES:
            size, offset = _varint(data, offset, name or path)
            value = data[offset : offset + size]
            offset += size
            if len(value) < size:
                raise _Broken(name or path)
            fault = _value_fault(field, value, name, depth)
            if fault is not None:
                return fault
        else:
            raise _Broken(name or path)
        if number == 0 or offset > end:
            raise _Broken(name or path)
    return None


def _name(path: str, field: FieldDescriptor | None, counts: dict[int, int]) -> str:
    """Return the field's path, with its index where it is repeated; empty for an unknown field."""
    if field is None:
        return ""
    name = f"{path}.{field.name}" if path else field.name
    if not field.is_repeated:
        return name
    index = counts.get(field.number, 0)
    counts[field.number] = index + 1
    return f"{name}[{index}]"


def _value_fault(field: FieldDescriptor | None, value: memoryview, name: str, depth: int) -> str | None:
    if field is None:
        return None
    if field.type == FieldDescriptor.TYPE_STRING:
        try:
            str(value, "utf-8")
        except UnicodeDecodeError:
            return name
    elif field.type == FieldDescriptor.TYPE_MESSAGE and field.message_type is not None:
        return _walk(field.message_type, value, name, depth + 1)
    return None


def _varint(data: memoryview, offset: int, path: str) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if offset >= len(data):
            raise _Broken(path)
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, offset
    raise _Broken(path)
