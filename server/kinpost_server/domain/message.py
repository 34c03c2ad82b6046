"""Messages: what a producer sent, and where it stands.

The numbers of the enumerations are those of the wire; a test holds them equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Owner(IntEnum):
    """Who sent a message."""

    AGENT = 1
    USER = 2
    PLUGIN = 3
    DELEGATION = 4
    PEER = 5


class Mode(IntEnum):
    """How a message joins its recipient. The service never changes it."""

    STEER = 1
    QUEUE = 2


class MessageState(IntEnum):
    """Where a message stands; `lifecycle.py` says which step leads where."""

    ACCEPTED = 1
    ADMITTED = 2
    CLAIMED = 3
    RELEASED = 4
    CONSUMED = 5
    DISCARDED = 6


class DiscardReason(IntEnum):
    """Why a message will not be delivered."""

    OWNER = 1
    RETRACTED = 2
    EXPIRED = 3
    SUPERSEDED = 4
    REVERTED = 5
    DELETED = 6


class RecipientState(IntEnum):
    """Where a recipient stood when a message was accepted."""

    RUNNING = 1
    QUEUED = 2
    WAKING_FINISHED = 3
    HELD = 4


@dataclass(slots=True, frozen=True)
class Sender:
    """Where a message came from; derived from the caller, never from model-supplied arguments."""

    session_id: str | None = None
    handle: str | None = None
    run_id: str | None = None
    tool_call_id: str | None = None
    producer_id: str | None = None
    name: str | None = None

    @property
    def label(self) -> str:
        """What the recipient's model sees as the sender."""
        return self.handle or self.session_id or self.name or ""


@dataclass(slots=True)
class Message:
    """One message of a session. Times are microseconds since the epoch; `body` may have to be read from the log."""

    message_id: str
    session_id: str
    accept_seq: int
    owner: Owner
    mode: Mode
    sender: Sender
    body_bytes: int
    accept_time: int
    agent_hop: int | None = None
    expire_time: int | None = None
    state: MessageState = MessageState.ACCEPTED
    run_id: str | None = None
    claim_seq: int | None = None
    delivery_count: int = 0
    admit_time: int | None = None
    claim_time: int | None = None
    end_time: int | None = None
    discard_reason: DiscardReason | None = None
    superseded_by: str | None = None
    body: str | None = None
    position: int = 0
    forked_from: str | None = None
    tldr: str | None = None

    @property
    def sent_by(self) -> str | None:
        """The session that counts and follows it as its own sending: none for a copy that a fork made."""
        return self.sender.session_id if self.forked_from is None else None

    @property
    def waiting(self) -> bool:
        """Whether it may be admitted, claimed or discarded."""
        return self.state in WAITING


WAITING = frozenset({MessageState.ACCEPTED, MessageState.ADMITTED, MessageState.RELEASED})
PENDING = WAITING | {MessageState.CLAIMED}


@dataclass(slots=True, frozen=True)
class Acceptance:
    """The promise given to a sender: the message is stored in the recipient's log."""

    message_id: str
    mode: Mode
    recipient_state: RecipientState
    replayed: bool = False
