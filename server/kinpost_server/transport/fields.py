"""Fields of requests: from the wire into the domain's words. Every fault is request:invalid and names the field."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from enum import IntEnum
from typing import TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from kinpost_server.domain.address import parse_uuid
from kinpost_server.domain.errors import InvalidRequest

Choice = TypeVar("Choice", bound=IntEnum)

SECOND = 1_000_000  # of microseconds, as all times within the service
_TIME_SECONDS_MAX = 253_402_300_799  # the end of the year 9999, where the wire's timestamps end
_NANOSECONDS = 1_000_000_000
PAGE_SIZE_DEFAULT = 100
PAGE_SIZE_MAX = 1000
PAGE_TOKEN_BYTES_MAX = 512
REASON_BYTES_MAX = 1024
ID_BYTES_MAX = 128
CALL_ID_BYTES_MAX = 256


def uuid(value: str, field: str) -> str:
    """Return a UUID in lower case; it must be there."""
    parsed = parse_uuid(value)
    if parsed is None:
        raise InvalidRequest(field, "is missing" if not value else "is not a UUID")
    return parsed


def optional_uuid(value: str, field: str) -> str:
    """Return a UUID in lower case, or an empty text for an empty field."""
    return uuid(value, field) if value else ""


def text(value: str, field: str, *, bytes_max: int, bytes_min: int = 0) -> str:
    """Return a text of so many bytes of UTF-8, without NUL, which not every database keeps."""
    size = len(value) if value.isascii() else len(value.encode())
    if size < bytes_min:
        raise InvalidRequest(field, "is missing" if not value else f"has {size} bytes, at least {bytes_min} are needed")
    if size > bytes_max:
        raise InvalidRequest(field, f"has {size} bytes, at most {bytes_max} are allowed")
    if "\0" in value:
        raise InvalidRequest(field, "holds a NUL character")
    return value


def key(value: str, field: str, *, bytes_max: int, bytes_min: int = 1) -> str:
    """Return an id of the client's own making: a text without control characters."""
    text(value, field, bytes_max=bytes_max, bytes_min=bytes_min)
    if not value.isprintable() and any(unicodedata.category(character) == "Cc" for character in value):
        raise InvalidRequest(field, "holds a control character")
    return value


def name(value: str, field: str, *, characters_max: int = 64) -> str:
    """Return a name of visible characters on one line."""
    if not value:
        raise InvalidRequest(field, "is missing")
    if len(value) > characters_max:
        raise InvalidRequest(field, f"has {len(value)} characters, at most {characters_max} are allowed")
    if not value.isprintable() and any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for c in value):
        raise InvalidRequest(field, "holds a control character or a line break")
    if not value.strip():
        raise InvalidRequest(field, "is only white space")
    return value


def choice(value: int, field: str, choices: type[Choice]) -> Choice:
    """Return a value of an enumeration; neither unspecified nor one that this server does not know."""
    try:
        return choices(value)
    except ValueError:
        raise InvalidRequest(field, "is missing" if value == 0 else f"{value} is not one of its values") from None


def optional_choice(value: int, field: str, choices: type[Choice]) -> Choice | None:
    """Return a value of an enumeration, None for unspecified."""
    return choice(value, field, choices) if value else None


def chosen(values: Iterable[int], field: str, choices: type[Choice]) -> list[Choice]:
    """Return a filter's values, each once."""
    return list(dict.fromkeys(choice(value, f"{field}[{index}]", choices) for index, value in enumerate(values)))


def time(value: Timestamp, field: str) -> int:
    """Return an instant in microseconds since the epoch; from 1970 to 9999."""
    if not 0 <= value.nanos < _NANOSECONDS:
        raise InvalidRequest(field, "has nanos outside of 0 to 999,999,999")
    if not 0 <= value.seconds <= _TIME_SECONDS_MAX:
        raise InvalidRequest(field, "lies outside of the years 1970 to 9999")
    return value.seconds * SECOND + value.nanos // 1000


def duration(value: Duration, field: str, *, seconds_max: int, seconds_min: int = 0) -> int:
    """Return a length of time in microseconds, within bounds that include both ends."""
    if abs(value.nanos) >= _NANOSECONDS or value.seconds * value.nanos < 0:
        raise InvalidRequest(field, "is not a well-formed duration")
    nanoseconds = value.seconds * _NANOSECONDS + value.nanos
    if not seconds_min * _NANOSECONDS <= nanoseconds <= seconds_max * _NANOSECONDS:
        raise InvalidRequest(field, f"must be {seconds_min} to {seconds_max} seconds")
    return nanoseconds // 1000


def count(value: int, field: str, *, least: int, most: int) -> int:
    """Return a number within bounds that include both ends."""
    if not least <= value <= most:
        raise InvalidRequest(field, f"must be {least} to {most}")
    return value


def sequence(value: int, field: str) -> int:
    """Return a sequence number, which is 1 at least."""
    if value < 1:
        raise InvalidRequest(field, "must be 1 at least")
    return value


def page_size(value: int) -> int:
    """Return the size of a page: 1 to 1000, 100 for none."""
    return count(value, "page_size", least=1, most=PAGE_SIZE_MAX) if value else PAGE_SIZE_DEFAULT


def few(values: int, field: str, *, most: int, least: int = 0) -> None:
    """Check how many values a repeated field has."""
    if values < least:
        raise InvalidRequest(field, "is missing" if values == 0 else f"has {values} values, {least} are needed")
    if values > most:
        raise InvalidRequest(field, f"has {values} values, at most {most} are allowed")
