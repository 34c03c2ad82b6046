"""Addresses: handles, session ids, and the answer to a reference that names nobody."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

HANDLE_NAME_MAX = 16
FALLBACK_NAME = "agent"
CANDIDATES_MAX = 50
CANDIDATES_BYTES_MAX = 8192
DESCRIPTION_CHARACTERS_MAX = 80
# With 50 peers of the longest handles and states, descriptions of this many bytes still fit.
DESCRIPTION_BYTES_TIGHT = 52
REFERENCE_CHARACTERS_MAX = 64

_HANDLE = re.compile(r"[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,15}_[0-9a-f]{8}")
_HEX_8 = re.compile(r"[0-9a-f]{8}")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_NOT_OF_A_NAME = re.compile(r"[^a-z0-9]+")
# Nobody's agent name is longer; normalising more would only cost time.
_NAME_READ_MAX = 256


class Candidate(Protocol):
    """A peer that a sender may write to, as the answer to an unknown reference shows it."""

    @property
    def session_id(self) -> str:
        """Its UUID."""

    @property
    def handle(self) -> str | None:
        """Its handle; old sessions have none."""

    @property
    def description(self) -> str:
        """What it is for, in its delegator's words: any text."""

    @property
    def state(self) -> str:
        """Where it stands, one word."""


def is_handle(text: str) -> bool:
    """Whether the text has the form of a handle, `explore_1a2b3c4d`."""
    return _HANDLE.fullmatch(text) is not None


def make_handle(agent_name: str, random_hex: str) -> str:
    """Return the handle of an agent's session: its name, an underscore, and the 8 lower-case hex digits
    given.

    The name is written in a-z and 0-9 with single inner hyphens, at most 16 characters: accents are taken
    off, all else becomes a hyphen, and a name of which nothing remains is `agent`. Raises ValueError for
    other digits.
    """
    if not _HEX_8.fullmatch(random_hex):
        raise ValueError(f"a handle ends in 8 lower-case hex digits, not {random_hex!r}")
    decomposed = unicodedata.normalize("NFKD", agent_name[:_NAME_READ_MAX])
    bare = "".join(character for character in decomposed if not unicodedata.combining(character))
    name = _NOT_OF_A_NAME.sub("-", bare.casefold()).strip("-")[:HANDLE_NAME_MAX].rstrip("-")
    return f"{name or FALLBACK_NAME}_{random_hex}"


def parse_uuid(text: str) -> str | None:
    """Return the UUID in lower case, or None when the text is not one in its 8-4-4-4-12 form, of either case.

    Braces, `urn:uuid:` and forms without hyphens are not UUIDs here: what is not a UUID is looked up as a
    handle, and one session has one spelling.
    """
    return text.lower() if _UUID.fullmatch(text) else None


def _is_bounded(text: str) -> bool:
    return len(text.encode()) <= CANDIDATES_BYTES_MAX


def candidate_list(
    reference: str, candidates: Sequence[Candidate], total: int, fits: Callable[[str], bool] = _is_bounded
) -> str:
    """Return the text of an unknown reference: it, then whom the sender may write to, so that a model can
    mend it.

    Shows at most 50 of the `total` peers, one a line, and says how many more there are. Descriptions are cut, and then
    fewer peers shown, until the text `fits`: without one, in 8 KiB of UTF-8.
    """
    head = f"unknown subagent reference {_quoted(reference)}"
    if total <= 0 or not candidates:
        return f"{head}; there is nobody that you may write to"
    shown = candidates[:CANDIDATES_MAX]
    text = _listed(head, [_line(peer) for peer in shown], total)
    if fits(text):
        return text
    lines = [_line(peer, DESCRIPTION_BYTES_TIGHT) for peer in shown]
    counts = range(1, len(lines) + 1)
    kept = bisect_left(counts, True, key=lambda count: not fits(_listed(head, lines[:count], total)))
    return _listed(head, lines[:kept], total)


def _listed(head: str, lines: list[str], total: int) -> str:
    more = total - len(lines)
    return "\n".join([f"{head}; you may write to:", *lines, *([f"… and {more} more"] if more > 0 else [])])


def _line(peer: Candidate, description_bytes_max: int | None = None) -> str:
    description = _one_line(peer.description)
    if len(description) > DESCRIPTION_CHARACTERS_MAX:
        description = f"{description[: DESCRIPTION_CHARACTERS_MAX - 1].rstrip()}…"
    if description_bytes_max is not None and len(description.encode()) > description_bytes_max:
        # 3 bytes of it are the ellipsis; half a character at the cut is dropped
        cut = description.encode()[: description_bytes_max - 3].decode(errors="ignore")
        description = f"{cut.rstrip()}…"
    described = f"{description or 'no description'} — {peer.state}"
    if peer.handle is None:
        return f"{peer.session_id} — {described}"
    return f"{peer.handle} — {described} (session_id {peer.session_id})"


@lru_cache(maxsize=1024)  # a call that goes wrong is often repeated
def _one_line(text: str) -> str:
    """Return the text without control, formatting and surrogate characters, every white space one blank."""
    if not text.isprintable():
        text = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(text.split())


def _quoted(reference: str) -> str:
    """Return the reference in ASCII between quotes, 64 characters with them at most; look-alikes show as
    escapes.
    """
    pieces: list[str] = []
    room = REFERENCE_CHARACTERS_MAX - 2
    for character in reference[: room + 1]:
        piece = '\\"' if character == '"' else character.encode("unicode_escape").decode("ascii")
        pieces.append(piece)
    if len("".join(pieces)) <= room:
        return f'"{"".join(pieces)}"'
    while len("".join(pieces)) > room - 3:
        pieces.pop()
    return f'"{"".join(pieces)}..."'
