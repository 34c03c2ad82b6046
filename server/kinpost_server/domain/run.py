"""Runs, claims and wakes: one stretch of work of a session, the mail of its requests, and the call for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from kinpost_server.domain.approval import Approval


class RunState(IntEnum):
    """Where a run stands; all but ACTIVE are outcomes."""

    ACTIVE = 1
    COMPLETED = 2
    FAILED = 3
    INTERRUPTED = 4
    CANCELLED = 5


class StopReason(IntEnum):
    """Why a run should stop, or gets no more mail."""

    NONE = 0
    CANCELLED = 1
    LEASE_LOST = 2
    NOT_OPEN = 3
    DELETED = 4


class ReleaseReason(IntEnum):
    """Why a claim was given back."""

    RUNTIME = 1
    OVERTAKEN = 2
    RUN_ENDED = 3
    LEASE_LOST = 4


class ClaimState(IntEnum):
    """Where a claim stands."""

    LIVE = 1
    COMMITTED = 2
    RELEASED = 3


class WakeState(IntEnum):
    """Where a wake stands until it is settled or withdrawn."""

    REQUESTED = 1
    OFFERED = 2


@dataclass(slots=True)
class Claim:
    """The reservation of messages for one model request; `claim_seq` names it within its session."""

    claim_seq: int
    run_id: str
    attempt_id: str
    message_ids: tuple[str, ...]
    more_pending: bool
    state: ClaimState = ClaimState.LIVE


@dataclass(slots=True)
class Run:
    """One stretch of work. `hop` is the deepest agent mail that it was admitted; times are microseconds."""

    run_id: str
    session_id: str
    root_session_id: str
    number: int
    token_id: str
    start_time: int
    start_seq: int
    wake_id: str | None = None
    client_run_id: str | None = None
    runtime_id: str | None = None
    state: RunState = RunState.ACTIVE
    end_time: int | None = None
    lease_expire_time: int = 0
    reason: str = ""
    by_person: bool = False
    lease_lost: bool = False
    hop: int = -1  # of the deepest agent mail admitted; -1 when none was
    admitted_count: int = 0
    consumed_count: int = 0
    at_first_boundary: bool = True
    live_claim: Claim | None = None
    claims: dict[int, Claim] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    approvals: dict[str, Approval] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """What makes starting it safe to repeat: its wake, or the client's own id."""
        return f"wake:{self.wake_id}" if self.wake_id else f"client:{self.client_run_id}"


@dataclass(slots=True)
class Wake:
    """The durable request that a session with mail gets a run."""

    wake_id: str
    request_time: int
    next_offer_time: int
    state: WakeState = WakeState.REQUESTED
    offer_number: int = 0
    runtime_id: str | None = None
    token_id: str | None = None
    expire_time: int | None = None
