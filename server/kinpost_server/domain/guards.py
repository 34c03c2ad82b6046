"""The guards of tree mail: a ladder of one-line refusals, judged in one step with acceptance.

Keys, defaults and meanings are those of the contract's `[messaging]` section.
"""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain.errors import InboxFull, InflightFull, MaxHopsExceeded
from kinpost_server.domain.session import Session


@dataclass(slots=True, frozen=True)
class MessagingLimits:
    """`[messaging]`. `max_hops <= 0` and `max_inflight_per_pair = 0` switch a guard off; 0 elsewhere refuses all."""

    enabled: bool = True
    max_hops: int = 0
    max_body_bytes: int = 32768
    max_pending_per_session: int = 32
    max_inflight_per_pair: int = 4


def check_inbox(recipient: Session, limits: MessagingLimits, freed: int = 0) -> None:
    """Raise InboxFull when the recipient's pending agent mail, less `freed` slots, is at its cap."""
    if recipient.pending_of_agents() - freed >= limits.max_pending_per_session:
        raise InboxFull(
            f"{recipient.label} has {limits.max_pending_per_session} pending agent messages already; "
            "try again when it has read some",
            retry_after_seconds=1.0,
        )


def check_pair(recipient: Session, sender_session_id: str, limits: MessagingLimits, freed: int = 0) -> None:
    """Raise InflightFull when the pair's unread messages, less `freed` slots, fill the window."""
    if limits.max_inflight_per_pair <= 0:
        return
    if recipient.pending_from(sender_session_id) - freed >= limits.max_inflight_per_pair:
        raise InflightFull(
            f"{recipient.label} has not read {limits.max_inflight_per_pair} of your messages yet; "
            "try again when it has read some",
            retry_after_seconds=1.0,
        )


def check_hops(hop: int, limits: MessagingLimits) -> None:
    """Raise MaxHopsExceeded when a send of this hop is deeper than allowed."""
    if 0 < limits.max_hops < hop:
        raise MaxHopsExceeded(f"this would be hop {hop} of a chain that may have {limits.max_hops}")
