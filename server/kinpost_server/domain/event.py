"""Events: what happened in a session. The log of them is the truth; everything else is a fold of it.

Each payload has the number of its arm in the wire `Event`. Payloads only ever gain fields, so that old logs stay
readable. Times are microseconds since the epoch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from kinpost_server.domain.approval import ApprovalDecision
from kinpost_server.domain.message import DiscardReason, Mode, Owner, RecipientState, Sender
from kinpost_server.domain.past import Past
from kinpost_server.domain.payload import Origin, Payload
from kinpost_server.domain.peer_event import PeerDeadLetterRecorded, PeerDeadLetterRedelivered, PeerMessageSent
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.run import ReleaseReason, RunState
from kinpost_server.domain.session import Availability, SessionState, Starter

# Passed on, beside the payloads below: what every event has, and the payloads of peer mail.
__all__ = ["Origin", "Payload", "PeerDeadLetterRecorded", "PeerDeadLetterRedelivered", "PeerMessageSent"]


@dataclass(slots=True)
class SessionCreated(Payload):
    """A session was made."""

    TYPE: ClassVar[int] = 20
    parent_session_id: str | None
    parent_run_id: str | None
    parent_tool_call_id: str | None
    depth: int
    handle: str | None
    agent: str
    description: str
    message_rules: dict[str, Decision]
    starter: Starter
    state: SessionState
    create_time: int
    request_digest: bytes
    host_token_id: str
    imported: bool = False


@dataclass(slots=True)
class SessionAvailabilityChanged(Payload):
    """A session's availability changed; `token_id` is empty when the service did it."""

    TYPE: ClassVar[int] = 21
    availability: Availability
    reason: str = ""
    until_time: int | None = None
    no_wake: bool = False
    token_id: str = ""
    by_person: bool = False


@dataclass(slots=True)
class SessionUnqueued(Payload):
    """A delegated session no longer waits for its delegator."""

    TYPE: ClassVar[int] = 22
    reason: str


@dataclass(slots=True)
class SessionForked(Payload):
    """A session continues another from a point of its log; whoever hosts the original then, in its log, hosts it."""

    TYPE: ClassVar[int] = 23
    from_session_id: str
    at_seq: int
    session: SessionCreated
    host_token_ids: frozenset[str] = field(default=frozenset(), compare=False, metadata={"given": True})


@dataclass(slots=True)
class SessionReverted(Payload):
    """The events after a point no longer count; what is restored is consumed no longer. The log tells the `past`."""

    TYPE: ClassVar[int] = 24
    to_seq: int
    restored_message_ids: tuple[str, ...]
    past: Past | None = field(default=None, compare=False, metadata={"given": True})


@dataclass(slots=True)
class SessionDeleted(Payload):
    """A session was deleted; a tombstone stays."""

    TYPE: ClassVar[int] = 25
    reason: str = ""


@dataclass(slots=True)
class RunStarted(Payload):
    """A run began."""

    TYPE: ClassVar[int] = 40
    run_id: str
    number: int
    wake_id: str | None
    client_run_id: str | None
    runtime_id: str | None
    token_id: str


@dataclass(slots=True)
class RunFinished(Payload):
    """A run ended; `failing_runs` counts those in a row, this one included, that consumed none of their mail."""

    TYPE: ClassVar[int] = 41
    run_id: str
    outcome: RunState
    reason: str = ""
    by_person: bool = False
    consumed_count: int = 0
    failing_runs: int = 0
    lease_lost: bool = False


@dataclass(slots=True)
class TurnCommitted(Payload):
    """A model turn was kept: its claim is settled."""

    TYPE: ClassVar[int] = 42
    run_id: str
    claim_seq: int
    consumed_count: int


@dataclass(slots=True)
class MessageAccepted(Payload):
    """A message is stored; the wire calls it ProducerMessageAccepted."""

    TYPE: ClassVar[int] = 60
    message_id: str
    owner: Owner
    mode: Mode
    body: str
    sender: Sender
    recipient_state: RecipientState
    to: str
    request_digest: bytes
    agent_hop: int | None = None
    idempotency_key: str | None = None
    description: str = ""
    expire_time: int | None = None
    supersedes_message_id: str | None = None
    forked_from_message_id: str | None = None
    tldr: str | None = None


@dataclass(slots=True)
class MessageAdmitted(Payload):
    """A message joined a run."""

    TYPE: ClassVar[int] = 61
    message_id: str
    run_id: str


@dataclass(slots=True)
class MessagesClaimed(Payload):
    """Messages were reserved for one model request; this event's seq names the claim."""

    TYPE: ClassVar[int] = 62
    run_id: str
    attempt_id: str
    message_ids: tuple[str, ...]
    more_pending: bool


@dataclass(slots=True)
class MessagesReleased(Payload):
    """A claim was given back."""

    TYPE: ClassVar[int] = 63
    claim_seq: int
    run_id: str
    message_ids: tuple[str, ...]
    reason: ReleaseReason
    detail: str = ""


@dataclass(slots=True)
class MessageConsumed(Payload):
    """A committed turn saw the message."""

    TYPE: ClassVar[int] = 64
    message_id: str
    run_id: str
    claim_seq: int


@dataclass(slots=True)
class MessageDiscarded(Payload):
    """The message will not be delivered."""

    TYPE: ClassVar[int] = 65
    message_id: str
    reason: DiscardReason
    superseded_by: str | None = None


@dataclass(slots=True)
class SentMessageUndeliverable(Payload):
    """In the sender's log: accepted mail died undelivered."""

    TYPE: ClassVar[int] = 66
    message_id: str
    recipient_session_id: str
    reason: DiscardReason


@dataclass(slots=True)
class WakeRequested(Payload):
    """A session with mail needs a run."""

    TYPE: ClassVar[int] = 80
    wake_id: str
    not_before_time: int | None = None


@dataclass(slots=True)
class WakeOffered(Payload):
    """A wake was offered to a runtime, whose token hosts the session from here on."""

    TYPE: ClassVar[int] = 81
    wake_id: str
    runtime_id: str
    token_id: str
    offer_number: int
    expire_time: int


@dataclass(slots=True)
class WakeFailed(Payload):
    """An offer came to nothing; the wake stands."""

    TYPE: ClassVar[int] = 82
    wake_id: str
    runtime_id: str
    offer_number: int
    reason: str
    next_offer_time: int
    declined_until_time: int | None = None


@dataclass(slots=True)
class WakeSettled(Payload):
    """A run took the wake's place."""

    TYPE: ClassVar[int] = 83
    wake_id: str
    run_id: str


@dataclass(slots=True)
class WakeWithdrawn(Payload):
    """A wake is no longer due."""

    TYPE: ClassVar[int] = 84
    wake_id: str
    reason: str


@dataclass(slots=True)
class ApprovalRequested(Payload):
    """A person is asked; the wire shows the whole approval as it began."""

    TYPE: ClassVar[int] = 100
    approval_id: str
    run_id: str
    tool_call_id: str
    tool_name: str
    recipient_session_id: str
    arguments_json: str
    expire_time: int | None = None


@dataclass(slots=True)
class ApprovalDecided(Payload):
    """A person answered."""

    TYPE: ClassVar[int] = 101
    approval_id: str
    decision: ApprovalDecision
    reason: str = ""
    token_id: str = ""


@dataclass(slots=True)
class ApprovalUsed(Payload):
    """The allowed operation was carried out."""

    TYPE: ClassVar[int] = 102
    approval_id: str
    message_id: str


@dataclass(slots=True)
class ApprovalExpired(Payload):
    """Nobody answered in time."""

    TYPE: ClassVar[int] = 103
    approval_id: str


@dataclass(slots=True)
class ApprovalCancelled(Payload):
    """The asking run ended first."""

    TYPE: ClassVar[int] = 104
    approval_id: str


@dataclass(slots=True)
class ProducerRegistered(Payload):
    """A producer registered to send into the session."""

    TYPE: ClassVar[int] = 120
    producer_id: str
    owner: Owner
    owner_name: str
    client_producer_id: str
    description: str
    create_time: int
    lease_expire_time: int


@dataclass(slots=True)
class ProducerUnregistered(Payload):
    """A registration ended; what it sent stays."""

    TYPE: ClassVar[int] = 121
    producer_id: str
    lapsed: bool = False


@dataclass(slots=True)
class Event:
    """One entry of a session's log. `position` is given when it is stored."""

    session_id: str
    root_session_id: str
    seq: int
    event_time: int
    run_id: str | None
    origin: Origin
    payload: Payload
    position: int = 0


# Listed by hand: a dataclass with slots is made anew, and the class it was made from stays among the subclasses.
PAYLOADS: tuple[type[Payload], ...] = (
    SessionCreated,
    SessionAvailabilityChanged,
    SessionUnqueued,
    SessionForked,
    SessionReverted,
    SessionDeleted,
    RunStarted,
    RunFinished,
    TurnCommitted,
    MessageAccepted,
    MessageAdmitted,
    MessagesClaimed,
    MessagesReleased,
    MessageConsumed,
    MessageDiscarded,
    SentMessageUndeliverable,
    WakeRequested,
    WakeOffered,
    WakeFailed,
    WakeSettled,
    WakeWithdrawn,
    ApprovalRequested,
    ApprovalDecided,
    ApprovalUsed,
    ApprovalExpired,
    ApprovalCancelled,
    ProducerRegistered,
    ProducerUnregistered,
    PeerMessageSent,
    PeerDeadLetterRecorded,
    PeerDeadLetterRedelivered,
)
