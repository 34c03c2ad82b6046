"""Cursors and page tokens: opaque to clients, and checked when they come back."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import NamedTuple

from kinpost_server.domain.address import parse_uuid
from kinpost_server.domain.errors import CursorInvalid, OtherLog

_VERSION = "1"
_CHARACTERS_MAX = 200
_CHECK_BYTES = 4
_POSITION_MAX = (1 << 63) - 1


class Place(NamedTuple):
    """Where a cursor resumes: after a position, and having seen so many drops of old events."""

    position: int
    drops: int = 0


def cursor_of(log_id: str, position: int, drops: int = 0) -> str:
    """Return the cursor that resumes after a position of this log."""
    return _encoded(f"{_VERSION}:{log_id}:{position}{f'+{drops}' if drops else ''}")


def resume_of(cursor: str, log_id: str, field: str) -> Place:
    """Return the place of a cursor. Raises CursorInvalid, naming the field, and OtherLog."""
    version, _, rest = _decoded(cursor, field).partition(":")
    log, _, numbers = rest.rpartition(":")
    position, _, drops = numbers.partition("+")
    if version != _VERSION or not all(number.isascii() and number.isdigit() for number in (position, drops or "0")):
        raise CursorInvalid(field, "is not a cursor of this service")
    place = Place(int(position), int(drops or "0"))
    if max(place) > _POSITION_MAX or cursor_of(log, *place) != cursor:
        raise CursorInvalid(field, "is not a cursor of this service")
    if log != log_id:
        raise OtherLog
    return place


def page_token_of(place: str) -> str:
    """Return the page token that goes on after a place; empty at the end."""
    return _encoded(f"p:{place}") if place else ""


def place_of(page_token: str, field: str = "page_token") -> str:
    """Return the place of a page token, empty for none. Raises CursorInvalid."""
    if not page_token:
        return ""
    kind, _, place = _decoded(page_token, field).partition(":")
    if kind != "p" or page_token_of(place) != page_token:
        raise CursorInvalid(field, "is not a page token of this service")
    return place


def id_of(page_token: str, field: str = "page_token") -> str:
    """Return the place of a page token whose places are ids, empty for none. Raises CursorInvalid."""
    place = place_of(page_token, field)
    if place and parse_uuid(place) != place:
        raise CursorInvalid(field, "is not a page token of this service")
    return place


def number_of(page_token: str, field: str = "page_token") -> int:
    """Return the place of a page token whose places are positions, 0 for none. Raises CursorInvalid."""
    place = place_of(page_token, field)
    if not place:
        return 0
    if not (place.isascii() and place.isdigit()) or not 0 < int(place) <= _POSITION_MAX:
        raise CursorInvalid(field, "is not a page token of this service")
    return int(place)


def _encoded(text: str) -> str:
    data = text.encode()
    return base64.urlsafe_b64encode(_check(data) + data).decode().rstrip("=")


def _decoded(text: str, field: str) -> str:
    if len(text) <= _CHARACTERS_MAX and text.isascii():
        try:
            whole = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            if whole[:_CHECK_BYTES] == _check(whole[_CHECK_BYTES:]):
                return whole[_CHECK_BYTES:].decode()
        except (binascii.Error, UnicodeDecodeError):
            pass
    raise CursorInvalid(field, "is not one that this service made")


def _check(data: bytes) -> bytes:
    """Return what tells a cursor that was cut or mistyped from a whole one. It is no secret."""
    return zlib.crc32(data).to_bytes(_CHECK_BYTES, "big")
