"""Peer mail: what one session writes to any other, and what becomes of it. Lengths are in Unicode code points."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kinpost_server.domain.peer_errors import InvalidPayload, TldrRequired
from kinpost_server.domain.session import Availability, Session, SessionState

TEXT_MAX = 32_000
TLDR_MAX = 600
TLDR_NEEDED_PAST = 1000
KEY_BYTES_MAX = 256
TARGETS_MAX = 100
SENT_LIMIT = 10
SENT_LIMIT_MAX = 50
PREVIEW_MAX = 160
RETAINED_SCOPE = (
    "Only messages that carried a summary (tldr) are kept here, whether or not the recipient was shown the summary. "
    "An empty list does not mean that nothing was sent."
)


class Route(StrEnum):
    """The ways in. A client's key is known by token, route and key."""

    MESSAGE = "peer-message"
    BROADCAST = "peer-broadcast"
    FOLLOW_UP = "message"
    QUEUE = "queue"
    REDELIVERY = "redeliver"


@dataclass(slots=True, frozen=True)
class Letter:
    """What is sent, and what the sender has confirmed."""

    text: str
    tldr: str | None = None
    confirm_inactive_target: bool = False
    confirm_interrupt_turn: bool = False
    allow_reopen_user_closed: bool = False
    queue_if_limited: bool = False


@dataclass(slots=True, frozen=True)
class Delivery:
    """What came of a message: `queued` means that the receiver gets it later. No message id: it is parked."""

    delivered: bool
    queued: bool = False
    woken_from: str | None = None
    message_id: str = ""
    idempotent: bool = False


def check_letter(letter: Letter) -> None:
    """Raise InvalidPayload, naming the field, for a text or a summary that cannot be."""
    _check_text("text", letter.text, TEXT_MAX)
    if letter.tldr is not None:
        _check_text("tldr", letter.tldr, TLDR_MAX)


def check_key(key: str, field: str) -> None:
    """Raise InvalidPayload, naming the field, for a client's key that cannot be; an empty one is none."""
    size = len(key.encode("utf-8", "surrogatepass"))
    if size > KEY_BYTES_MAX:
        raise InvalidPayload(field, f"has {size} bytes, at most {KEY_BYTES_MAX} are allowed")
    if any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in key):
        raise InvalidPayload(field, "holds a control character")


def check_summary(letter: Letter) -> None:
    """Raise TldrRequired for a long text without a summary."""
    if letter.tldr is None and len(letter.text) > TLDR_NEEDED_PAST:
        raise TldrRequired(
            f"the text has {len(letter.text)} characters; past {TLDR_NEEDED_PAST} it needs a summary of 1 to "
            f"{TLDR_MAX} characters in `tldr`. The text itself is not cut. Nothing was used up: "
            "send it again under the same key"
        )


def dormancy(session: Session) -> str | None:
    """Return the contract's word for a target that needs a confirmation; None for one that does not.

    What a person closed, and what may not be woken at all, is judged before.
    """
    if session.availability is Availability.PAUSED:
        return "paused"
    if session.availability is Availability.ARCHIVED:
        return "archived"
    if session.availability is Availability.ENDED:
        return "ended"
    if session.run is None and session.state in (SessionState.FAILED, SessionState.INTERRUPTED):
        return "error"
    return None


def preview_of(text: str) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join(text[: PREVIEW_MAX * 4].split())
    return line if len(line) <= PREVIEW_MAX else f"{line[: PREVIEW_MAX - 1]}…"


def _check_text(field: str, text: str, characters_max: int) -> None:
    if not text:
        raise InvalidPayload(field, "is empty")
    if len(text) > characters_max:
        raise InvalidPayload(field, f"has {len(text)} characters, at most {characters_max} are allowed")
    if "\0" in text:
        raise InvalidPayload(field, "holds a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidPayload(field, "holds a lone surrogate, which has no UTF-8 form") from None
