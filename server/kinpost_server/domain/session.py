"""Sessions: one agent's conversation each, with the mail that waits for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from kinpost_server.domain.approval import Approval
from kinpost_server.domain.inbox import Inbox
from kinpost_server.domain.message import Message, RecipientState
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.run import Claim, Run, RunState, Wake


class SessionState(IntEnum):
    """Where a session stands. An outcome is not the end: a message wakes it."""

    IDLE = 1
    QUEUED = 2
    RUNNING = 3
    COMPLETED = 4
    FAILED = 5
    INTERRUPTED = 6
    CANCELLED = 7


class Availability(IntEnum):
    """Whether a session may be woken."""

    OPEN = 1
    PAUSED = 2
    ARCHIVED = 3
    ENDED = 4
    USER_CLOSED = 5


class Starter(IntEnum):
    """Who starts a session's first run."""

    DELEGATOR = 1
    WAKE = 2


OUTCOME_STATES = {
    RunState.COMPLETED: SessionState.COMPLETED,
    RunState.FAILED: SessionState.FAILED,
    RunState.INTERRUPTED: SessionState.INTERRUPTED,
    RunState.CANCELLED: SessionState.CANCELLED,
}


@dataclass(slots=True)
class Touched:
    """What changed in a session since it was last stored."""

    session: bool = False
    wake: bool = False
    messages: dict[str, Message] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    claims: dict[int, Claim] = field(default_factory=dict)
    approvals: dict[str, Approval] = field(default_factory=dict)


@dataclass(slots=True)
class Session:
    """A session with its active run, its pending mail in accepted order, and its wake.

    `queued_time` is when a delegator was to start it; 0 once a run has ended, and for what was imported.

    All of it but `host_token_ids`' origin, leases and `due_time` is a fold of the session's log (`fold.py`).
    """

    session_id: str
    root_session_id: str
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
    availability: Availability = Availability.OPEN
    availability_reason: str = ""
    availability_time: int = 0
    until_time: int | None = None
    no_wake: bool = False
    set_by_person: bool = False
    queued_time: int = 0
    host_token_ids: set[str] = field(default_factory=set)
    last_seq: int = 0
    run_count: int = 0
    failing_runs: int = 0
    deleted: bool = False
    run: Run | None = None
    mail: Inbox = field(default_factory=Inbox)
    wake: Wake | None = None
    due_time: int | None = None
    touched: Touched = field(default_factory=Touched)

    @property
    def owes_report(self) -> bool:
        """Whether the end of its first run is reported to its parent: a delegation in the background, not ended yet.

        Its parent's run and tool call began it here; what was imported had its delegator elsewhere.
        """
        return self.queued_time > 0 and self.parent_run_id is not None and self.parent_tool_call_id is not None

    @property
    def may_wake(self) -> bool:
        """Whether mail is delivered to it; otherwise mail is held."""
        if self.deleted:
            return False
        if self.availability is Availability.ARCHIVED:
            return not self.no_wake
        return self.availability in (Availability.OPEN, Availability.ENDED)

    @property
    def wake_due(self) -> bool:
        """Whether it must have exactly one wake: it may wake, nobody runs it, and mail waits."""
        return bool(self.mail) and self.run is None and self.may_wake and self.state != SessionState.QUEUED

    @property
    def recipient_state(self) -> RecipientState:
        """What a sender is told about it."""
        if not self.may_wake:
            return RecipientState.HELD
        if self.run is not None:
            return RecipientState.RUNNING
        if self.state in (SessionState.IDLE, SessionState.QUEUED):
            return RecipientState.QUEUED
        return RecipientState.WAKING_FINISHED

    @property
    def label(self) -> str:
        """Its handle, else its UUID."""
        return self.handle or self.session_id

    def pending_of_agents(self) -> int:
        """Count what the inbox cap counts: agent mail neither consumed nor discarded."""
        return self.mail.agent_count

    def pending_of_others(self) -> int:
        """Count what the producers' cap counts: pending mail that is not an agent's."""
        return self.mail.other_count

    def pending_from(self, sender_session_id: str) -> int:
        """Count what the pair window counts: pending agent mail of one sender."""
        return self.mail.sender_counts.get(sender_session_id, 0)
