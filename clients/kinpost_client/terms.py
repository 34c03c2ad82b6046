"""The words of the service, as the contract spells them. Each has UNKNOWN for what a newer server says."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal


class SessionState(StrEnum):
    """Where a session stands. An outcome is not the end: a message wakes the session again."""

    IDLE = "idle"
    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


class Availability(StrEnum):
    """Whether a session may be woken."""

    OPEN = "open"
    PAUSED = "paused"
    ARCHIVED = "archived"
    ENDED = "ended"
    USER_CLOSED = "user_closed"
    UNKNOWN = "unknown"


class Starter(StrEnum):
    """Who starts a session's first run: its delegator, with `runtime.start`, or the wake of its first mail."""

    DELEGATOR = "delegator"
    WAKE = "wake"
    UNKNOWN = "unknown"


class Decision(StrEnum):
    """What a message rule says."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"
    UNKNOWN = "unknown"


class Mode(StrEnum):
    """How a message joins its recipient: the run in progress at its next boundary, or the next run."""

    STEER = "steer"
    QUEUE = "queue"
    UNKNOWN = "unknown"


class Owner(StrEnum):
    """Who sent a message."""

    AGENT = "agent"
    USER = "user"
    PLUGIN = "plugin"
    DELEGATION = "delegation"
    PEER = "peer"
    UNKNOWN = "unknown"


class RecipientState(StrEnum):
    """Where the recipient stood when a message was accepted."""

    RUNNING = "running"
    QUEUED = "queued"
    WAKING_FINISHED = "waking_finished"
    HELD = "held"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """How a run stands; all but ACTIVE are ends."""

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


class StopReason(StrEnum):
    """Why a run must stop; NOT_OPEN: it may finish, and gets no more mail."""

    CANCELLED = "cancelled"
    LEASE_LOST = "lease_lost"
    NOT_OPEN = "not_open"
    DELETED = "deleted"
    UNKNOWN = "unknown"


class Origin(StrEnum):
    """Who caused an event."""

    SERVICE = "service"
    RUNTIME = "runtime"
    AGENT = "agent"
    PERSON = "person"
    PLUGIN = "plugin"
    PEER = "peer"
    UNKNOWN = "unknown"


class ApprovalState(StrEnum):
    """Where an approval stands; ALLOWED: a guard was against it, and its call may be repeated."""

    PENDING = "pending"
    ALLOWED = "allowed"
    USED = "used"
    DENIED = "denied"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


class ApprovalDecision(StrEnum):
    """What a person answers."""

    ALLOW_ONCE = "allow_once"
    ALLOW_FOR_TREE = "allow_for_tree"
    DENY = "deny"
    UNKNOWN = "unknown"


class DeadLetterReason(StrEnum):
    """Why a peer message could never be delivered."""

    TARGET_GONE = "target_gone"
    USER_CLOSED = "user_closed"
    WAKE_FAILED = "wake_failed"
    SEND_FAILED = "send_failed"
    UNKNOWN = "unknown"


class TokenKind(StrEnum):
    """What a token is for."""

    ADMIN = "admin"
    RUNTIME = "runtime"
    SESSION = "session"
    OBSERVER = "observer"
    APPROVER = "approver"
    PLUGIN = "plugin"
    PEER = "peer"
    UNKNOWN = "unknown"


ModeName = Literal["steer", "queue"]
StarterName = Literal["delegator", "wake"]
DecisionName = Literal["allow", "ask", "deny"]
AvailabilityName = Literal["open", "paused", "archived", "ended", "user_closed"]
ApprovalStateName = Literal["pending", "allowed", "used", "denied", "expired", "cancelled"]
ApprovalDecisionName = Literal["allow_once", "allow_for_tree", "deny"]
TokenKindName = Literal["admin", "runtime", "session", "observer", "approver", "plugin", "peer"]
