"""Text from elsewhere, made safe to show; and the words, times and durations of the command line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.timestamp_pb2 import Timestamp

_DURATION = re.compile(r"([0-9]+)(s|m|h|d)")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_DAYS_MAX = 36500
ID_CHARACTERS_MIN = 8
# Turn the direction of writing, or cannot be written: a terminal must not obey what an agent wrote.
_UNSHOWN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_JOINERS = "\u200c\u200d"  # belong to words and pictures, and do nothing else


def plain(text: str, *, lines: bool = False) -> str:
    """Return a text with everything escaped that a terminal would obey; line ends too, unless `lines`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        if unicodedata.category(character) not in _UNSHOWN or character in _JOINERS or (lines and character == "\n")
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def word(wire: EnumDescriptor, number: int) -> str:
    """Return the word for a number of the wire, as SESSION_STATE_IDLE is `idle`; one without a word stays a number."""
    value = wire.values_by_number.get(number)
    return value.name.removeprefix(_prefix(wire)).lower() if value is not None else str(number)


def words(wire: EnumDescriptor) -> dict[str, int]:
    """Return the words that may be given for an enumeration, with their numbers."""
    return {word(wire, value.number): value.number for value in wire.values if value.number}


def _prefix(wire: EnumDescriptor) -> str:
    name: str = wire.values_by_number[0].name
    return name.removesuffix("UNSPECIFIED")


def local_time(wire: Timestamp) -> str:
    """Return an instant for people, in their own time zone, to the second."""
    return _local(wire).strftime("%Y-%m-%d %H:%M:%S")


def short_time(wire: Timestamp) -> str:
    """Return an instant for a narrow table: the time of the day today, to the minute on other days."""
    when = _local(wire)
    today = when.date() == datetime.now(UTC).astimezone().date()
    return when.strftime("%H:%M:%S" if today else "%Y-%m-%d %H:%M")


def _local(wire: Timestamp) -> datetime:
    """Return an instant in the local time zone; the first and the last that there are may have no place in it."""
    when = wire.ToDatetime(tzinfo=UTC)
    try:
        return when.astimezone()
    except OverflowError:
        return when


def beginnings(ids: Iterable[str]) -> dict[str, str]:
    """Return for each id the shortest beginning, of eight characters at least, that none of the others has."""
    ordered = sorted(set(ids))
    found = {}
    for place, each in enumerate(ordered):
        neighbours = ordered[max(place - 1, 0) : place] + ordered[place + 1 : place + 2]
        shared = max((_shared(each, other) for other in neighbours), default=0)
        found[each] = each[: max(shared + 1, ID_CHARACTERS_MIN)]
    return found


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts have in common from their beginnings."""
    return next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), len(one))


def optional_time(message: Any, field: str) -> str:
    """Return an instant of a message for people, empty when it is not set."""
    return local_time(getattr(message, field)) if message.HasField(field) else ""


def duration(text: str) -> timedelta:
    """Return a duration such as `90s`, `10m`, `2h` or `30d`. Raises ValueError."""
    found = _DURATION.fullmatch(text.strip())
    if found is None or len(found[1]) > 10:  # more digits than a date can hold
        raise ValueError(f"{text!r} is no duration such as 90s, 10m, 2h or 30d")
    length = timedelta(**{_UNITS[found[2]]: int(found[1])})
    if not timedelta() < length <= timedelta(days=_DAYS_MAX):
        raise ValueError(f"{text!r} is not between 1s and {_DAYS_MAX}d")
    return length


def instant(text: str) -> datetime:
    """Return an instant of ISO 8601, in UTC; without an offset it is read in the local time zone. Raises ValueError."""
    try:
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"{text!r} is no instant such as 2026-11-30T18:00 or 2026-11-30T18:00:00Z") from None


def later(wait: str | None, until: str | None) -> Timestamp | None:
    """Return the instant that one of two options names, a duration from now or an instant. Raises ValueError."""
    if wait is not None and until is not None:
        raise ValueError("only one of the two can be given")
    when = datetime.now(UTC) + duration(wait) if wait is not None else None
    if until is not None:
        when = instant(until)
    if when is None:
        return None
    wire = Timestamp()
    wire.FromDatetime(when)
    return wire
