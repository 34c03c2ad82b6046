"""Events of peer mail, all in the sender's log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kinpost_server.domain.dead_letter import DeadLetterReason
from kinpost_server.domain.payload import Payload


@dataclass(slots=True)
class PeerMessageSent(Payload):
    """A peer message went out."""

    TYPE: ClassVar[int] = 140
    message_id: str
    target_session_id: str
    preview: str
    body_id: str | None = None


@dataclass(slots=True)
class PeerDeadLetterRecorded(Payload):
    """A peer message could not be delivered and is kept."""

    TYPE: ClassVar[int] = 141
    dead_letter_id: str
    target_session_id: str
    reason: DeadLetterReason
    detail: str = ""


@dataclass(slots=True)
class PeerDeadLetterRedelivered(Payload):
    """A dead letter was delivered after all."""

    TYPE: ClassVar[int] = 142
    dead_letter_id: str
    message_id: str
