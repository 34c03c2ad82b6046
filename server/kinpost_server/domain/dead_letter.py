"""Dead letters: peer messages that could not be delivered, and which failures make one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from kinpost_server.domain import errors, peer_errors


class DeadLetterReason(IntEnum):
    """Why a message could never be delivered; the numbers are the wire's."""

    TARGET_GONE = 1
    USER_CLOSED = 2
    WAKE_FAILED = 3
    SEND_FAILED = 4


@dataclass(slots=True)
class DeadLetter:
    """A message that is kept. `redeliver_time` and what it became are set once it was delivered after all."""

    dead_letter_id: str
    source_session_id: str
    target_session_id: str
    text: str
    tldr: str | None
    reason: DeadLetterReason
    detail: str
    create_time: int
    redeliver_time: int | None = None
    message_id: str | None = None
    woken_from: str | None = None
    queued: bool = False


REASONS: dict[type[errors.Refusal], DeadLetterReason] = {
    peer_errors.TargetGone: DeadLetterReason.TARGET_GONE,
    peer_errors.UserClosed: DeadLetterReason.USER_CLOSED,
    peer_errors.WakeFailed: DeadLetterReason.WAKE_FAILED,
}

# What the sender can mend, or what mends itself: it is told, and nothing is kept.
TRANSIENT: tuple[type[errors.Refusal], ...] = (
    peer_errors.InvalidPayload,
    peer_errors.TldrRequired,
    peer_errors.DuplicateInFlight,
    peer_errors.RateLimited,
    peer_errors.TargetNotFound,
    peer_errors.NeedsConfirmation,
    peer_errors.TurnInFlight,
    errors.Forbidden,
)


def classify(failure: errors.Refusal, *, heard: bool = True) -> DeadLetterReason | None:
    """Return why a failed message is kept, None for one that is not.

    What is not known to be transient is kept: a new way to fail loses nothing before somebody has thought about it.
    `heard` says whether the sender hears of the failure; of a message that nobody waits for everything is kept.
    """
    for kind in type(failure).__mro__:
        if kind in REASONS:
            return REASONS[kind]
        if kind in TRANSIENT and heard:
            return None
    return DeadLetterReason.SEND_FAILED
