"""The JSON form of each kind of value, as JSON Schema.

The form is the one that protobuf's own JSON printing writes: 64-bit integers as text, enums by name, bytes as
base64, instants and durations as text. An enum value that the printer does not know comes out as its number,
so an enum lets every 32-bit number through.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

Schema = dict[str, Any]

# A fraction of a second is printed with three, six or nine digits.
_FRACTION = r"(?:\.(?:[0-9]{3}){1,3})?"
# The longest google.protobuf.Duration: ten thousand years.
_DURATION_SECONDS_MAX = 315_576_000_000
# In Python `$` also matches before a closing newline; in other languages the look-ahead changes nothing.
_END = r"$(?!\n)"


def whole_numbers_up_to(limit: int) -> str:
    """Returns a regular expression for the decimal numbers from 0 to `limit`, without leading zeros."""
    digits = str(limit)
    choices = ["0"]
    if len(digits) > 1:
        choices.append(f"[1-9][0-9]{{0,{len(digits) - 2}}}")
    for index, digit in enumerate(digits):
        lowest = 0 if index else 1
        if int(digit) > lowest:
            choices.append(f"{digits[:index]}[{lowest}-{int(digit) - 1}][0-9]{{{len(digits) - index - 1}}}")
    return f"(?:{'|'.join([*choices, digits])})"


def integer_pattern(lowest: int, highest: int) -> str:
    """Returns a regular expression for the decimal numbers from `lowest`, at most 0, to `highest`."""
    below_zero = f"|-(?!0){whole_numbers_up_to(-lowest)}" if lowest else ""
    return f"^(?:{whole_numbers_up_to(highest)}{below_zero}){_END}"


_RANGES = {
    FieldDescriptor.TYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_SINT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_SFIXED32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.TYPE_FIXED32: (0, 2**32 - 1),
    FieldDescriptor.TYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_SINT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_SFIXED64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_UINT64: (0, 2**64 - 1),
    FieldDescriptor.TYPE_FIXED64: (0, 2**64 - 1),
}

WELL_KNOWN: dict[str, Schema] = {
    "google.protobuf.Timestamp": {
        "type": "string",
        "format": "date-time",
        "pattern": r"^(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
        rf"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]{_FRACTION}Z{_END}",
    },
    "google.protobuf.Duration": {
        "type": "string",
        "pattern": f"^-?{whole_numbers_up_to(_DURATION_SECONDS_MAX)}{_FRACTION}s{_END}",
    },
}


def scalar_schema(kind: int) -> Schema:
    """Returns the schema of a scalar field's value; `kind` is a FieldDescriptor.TYPE_*."""
    if kind in _RANGES:
        lowest, highest = _RANGES[kind]
        if highest < 2**32:
            return {"type": "integer", "minimum": lowest, "maximum": highest}
        return {"type": "string", "pattern": integer_pattern(lowest, highest)}
    if kind == FieldDescriptor.TYPE_BOOL:
        return {"type": "boolean"}
    if kind == FieldDescriptor.TYPE_STRING:
        return {"type": "string"}
    if kind == FieldDescriptor.TYPE_BYTES:
        base64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?" + _END
        return {"type": "string", "contentEncoding": "base64", "pattern": base64}
    if kind in (FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE):
        return {"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]}
    raise ValueError(f"no JSON form is known for a field of type {kind}")


def map_key_schema(kind: int) -> Schema:
    """Returns the schema of a map's key, which is always text in JSON."""
    if kind in _RANGES:
        return {"pattern": integer_pattern(*_RANGES[kind])}
    if kind == FieldDescriptor.TYPE_BOOL:
        return {"enum": ["true", "false"]}
    return {}


def enum_schema(enum: EnumDescriptor) -> Schema:
    """Returns the schema of an enum: a known name, or the number of a value that the printer did not know."""
    return {
        "anyOf": [
            {"enum": [value.name for value in enum.values]},
            {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
        ]
    }
