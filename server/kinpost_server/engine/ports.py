"""What the engine asks of a store. One implementation serves each database; the conformance suite holds them equal.

The committer's thread alone uses `Store`; `Reader` may be used from any thread.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from kinpost_server.domain.approval import Approval, GrantKey
from kinpost_server.domain.event import Event
from kinpost_server.domain.identity import Token
from kinpost_server.domain.message import Message, Mode, Owner, RecipientState
from kinpost_server.domain.permission import Relationship
from kinpost_server.domain.producer import Producer
from kinpost_server.domain.run import Claim, Run
from kinpost_server.domain.session import Session
from kinpost_server.engine.peer_ports import PeerChanges, PeerReader, PeerStore
from kinpost_server.engine.replica_ports import ActiveRun, GateStream, Replicas, RuntimeOwner, StandingOffer
from kinpost_server.engine.upkeep_ports import Dropped, RetiredPage, StoredFigures


class StoreFailed(Exception):
    """The database did not answer, or refused for a reason of its own; nothing of the transaction is stored."""


class RowRefused(Exception):
    """The database refused a row of the batch; nothing of the transaction is stored."""


class ReplayKey(NamedTuple):
    """The identity of a send: who, in which scope (a run, or the user), under which key."""

    session_id: str
    scope: str
    key: str


class Replay(NamedTuple):
    """The first answer to a send, and the digest of what was asked."""

    message_id: str
    recipient_session_id: str
    digest: bytes
    mode: Mode
    recipient_state: RecipientState


class HandleKey(NamedTuple):
    """A handle within a tree."""

    root_session_id: str
    handle: str


class RunKey(NamedTuple):
    """A run of a session, by its id."""

    session_id: str
    run_id: str


class RunIdentity(NamedTuple):
    """A run of a session, by what makes its start safe to repeat."""

    session_id: str
    identity: str


class ClaimKey(NamedTuple):
    """A claim of a session."""

    session_id: str
    claim_seq: int


class Peer(NamedTuple):
    """A session as the candidates of an unknown reference show it."""

    session_id: str
    parent_session_id: str | None
    handle: str | None
    description: str
    state: str


class Peers(NamedTuple):
    """The sessions of a sender's tree that have certain relationships to it: the nearest, and how many there are."""

    nearest: list[Peer]
    total: int


class StoredEvent(NamedTuple):
    """An event as stored: `data` is the serialised wire event."""

    position: int
    session_id: str
    root_session_id: str
    seq: int
    type: int
    data: bytes


@dataclass(slots=True)
class Changes:
    """What one batch writes."""

    events: list[Event] = field(default_factory=list)
    sessions: dict[str, Session] = field(default_factory=dict)
    created: set[str] = field(default_factory=set)
    replays: dict[ReplayKey, Replay] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    runtimes: dict[str, RuntimeOwner] = field(default_factory=dict)
    producers: dict[str, Producer] = field(default_factory=dict)
    peer: PeerChanges = field(default_factory=PeerChanges)

    def __bool__(self) -> bool:
        return bool(
            self.events or self.sessions or self.replays or self.tokens or self.runtimes or self.producers or self.peer
        )


class Store(Protocol):
    """The writing side. Every method raises StoreFailed when the database does not answer.

    Where other processes write too, a load also locks what it reads until the transaction ends, and may raise
    BeginAgain.
    """

    @property
    def peer(self) -> PeerStore:
        """What is asked for peer mail alone."""

    @property
    def replicas(self) -> Replicas | None:
        """The replicas that share the database, None where this process has it for itself."""

    def begin(self) -> None:
        """Open the transaction that the loads and the write belong to."""

    def clock_offset(self) -> int:
        """Return how far the database's clock is ahead of ours, in microseconds, as transactions have bounded it.

        0 for a database of this machine's own.
        """

    def rollback(self) -> None:
        """Close the transaction; nothing of it is stored. Never raises."""

    def commit(self) -> None:
        """Store the transaction, durably.

        Raises StoreFailed only when nothing of it is stored: a lost answer is resolved first.
        """

    def load_sessions(self, session_ids: Iterable[str]) -> dict[str, Session]:
        """Return the sessions that exist, deleted ones included. The same object is returned until `forget`."""

    def forget(self, session_ids: Iterable[str]) -> None:
        """Drop what is cached of these sessions, after a batch that was not stored."""

    def load_handles(self, keys: Iterable[HandleKey]) -> dict[HandleKey, str]:
        """Return the session id of each handle that exists."""

    def load_replays(self, keys: Iterable[ReplayKey]) -> dict[ReplayKey, Replay]:
        """Return the first answers that exist."""

    def load_runs(self, keys: Iterable[RunKey | RunIdentity]) -> dict[RunKey | RunIdentity, Run]:
        """Return the runs that exist, ended ones included."""

    def load_claims(self, keys: Iterable[ClaimKey]) -> dict[ClaimKey, Claim]:
        """Return the claims that exist, settled ones included, with what they held."""

    def load_messages(self, message_ids: Iterable[str]) -> dict[str, Message]:
        """Return the messages that exist, in whatever state, without bodies."""

    def load_approvals(self, approval_ids: Iterable[str]) -> dict[str, Approval]:
        """Return the approvals that exist, in whatever state, as they are stored and with their arguments."""

    def load_grants(self, keys: Iterable[GrantKey]) -> dict[GrantKey, str]:
        """Return the approval that gave each grant that exists."""

    def load_pending_alike(self, key: GrantKey, limit: int) -> list[Approval]:
        """Return what waits for a person and would be served by a grant, the longest waiting first."""

    def load_bodies(self, messages: Iterable[Message]) -> dict[str, str]:
        """Return the bodies of these messages."""

    def load_peers(self, sender: Session, labels: Collection[Relationship], limit: int) -> Peers:
        """Return the sessions of the sender's tree that are one of these to it, and are not deleted.

        Its parent comes first, then its children, siblings, the others, of each kind the oldest; at most `limit` are
        listed, and all are counted.
        """

    def load_queued_children(self, run_ids: Iterable[str]) -> dict[str, list[str]]:
        """Return, for each delegating run, the sessions that still wait for it to start them."""

    def load_tokens(self) -> list[Token]:
        """Return all tokens, revoked ones included."""

    def count_hosted(self, token_id: str) -> int:
        """Return how many sessions a token hosts, deleted ones included."""

    def gates_elsewhere(self) -> list[GateStream]:
        """Return the plugins' streams at other replicas, as they are now."""

    def find_token(self, token_id: str) -> Token | None:
        """Return a token, None when there is none."""

    def load_runtimes(self, runtime_ids: Iterable[str]) -> dict[str, RuntimeOwner]:
        """Return the token that each runtime id belongs to, and its newest attachment."""

    def load_producers(self, producer_ids: Iterable[str]) -> dict[str, Producer]:
        """Return the registrations that exist, ended ones included."""

    def load_registered(self, session_ids: Iterable[str]) -> dict[str, list[Producer]]:
        """Return, for each session, its registrations that have not ended."""

    def due_producers(self, now: int, limit: int) -> list[str]:
        """Return registrations whose lease is over, the longest first."""

    def due_sessions(self, now: int, limit: int) -> list[str]:
        """Return sessions whose `due_time` has come, the longest waiting first."""

    def wakes_to_offer(self, token_ids: Sequence[str], agents: Sequence[str], now: int, limit: int) -> list[str]:
        """Return sessions with a wake that waits to be offered, hosted by one of the tokens or of one of the agents.

        `*` among the agents stands for every agent.
        """

    def offers_of(self, runtime_id: str) -> list[StandingOffer]:
        """Return the wakes that are offered to this runtime."""

    def hold_token(self, token_id: str) -> None:
        """Keep others from making or changing a token until the transaction ends. May raise BeginAgain."""

    def suspects(self, after_session_id: str, limit: int) -> list[str]:
        """Return sessions, by id, that have a wake, or mail without an active run: those reconciliation looks at."""

    def active_runs(self) -> list[ActiveRun]:
        """Return all sessions with an active run, and who has it."""

    def drop_events(self, root_session_id: str, newest_position: int, limit: int) -> int:
        """Drop so many of a retired tree's oldest events, within the transaction, and return how many there were.

        None are dropped when something lives in the tree by now, or its newest event is another one. The newest event
        of each session stays.
        """

    def renew_leases(self, expire_time: int, producers_expire_time: int) -> int:
        """Let the leases of all active runs, and of all registrations, last at least until then. Outside a batch.

        Returns how many runs there are.
        """

    def write(self, changes: Changes) -> list[StoredEvent]:
        """Write events and projections, giving the events their positions, and return them as stored.

        Raises RowRefused when a row of the batch is at fault.
        """

    def close(self) -> None:
        """Let go of the database."""


class SessionSnapshot(NamedTuple):
    """A session as readers see it, with its counts. A command may answer with the session itself (`reading.py`)."""

    session: Session
    pending_count: int


class SentMessage(NamedTuple):
    """A message as its sender sees it."""

    message: Message
    recipient_handle: str | None
    held: bool
    held_reason: str
    held_time: int | None


class PendingMail(NamedTuple):
    """The ids of a session's pending mail, and the seq of its newest event at the same moment."""

    message_ids: list[str]
    last_seq: int


class Scope(NamedTuple):
    """Whose events: one session's, one tree's, or everybody's when both are empty."""

    session_id: str = ""
    root_session_id: str = ""

    def covers(self, event: StoredEvent) -> bool:
        """Whether the event belongs to it."""
        if self.session_id:
            return event.session_id == self.session_id
        return not self.root_session_id or event.root_session_id == self.root_session_id


class Reader(Protocol):
    """The reading side. Every method raises StoreFailed when the database does not answer."""

    @property
    def peer(self) -> PeerReader:
        """What is asked for peer mail alone."""

    def ping(self) -> None:
        """Return when the database answers."""

    def log_id(self) -> str:
        """Return the id of the log; a restore renews it."""

    def figures(self) -> StoredFigures:
        """Count what waits, at a cost that depends on how much of it there is, never on the length of the log."""

    def retired_trees(self, after: int, limit: int) -> RetiredPage:
        """Return trees with events to drop in which nothing lives, whose root is among a page of sessions.

        Nothing lives where all sessions are archived or deleted, and no run, mail, wake, question, registration or
        parked message is left.
        """

    def dropped(self, scope: Scope) -> Dropped:
        """Return what of a scope's events was dropped."""

    def get_session(self, session_id: str) -> SessionSnapshot | None:
        """Return a session that is not deleted."""

    def list_sessions(
        self, root_session_id: str, states: Sequence[int], availabilities: Sequence[int], after: str, limit: int
    ) -> list[SessionSnapshot]:
        """Return sessions that are not deleted, in the order of their making, after the session `after`."""

    def get_message(self, message_id: str) -> SentMessage | None:
        """Return a message in whatever state."""

    def list_sent(self, session_id: str, states: Sequence[int], before: int, limit: int) -> list[SentMessage]:
        """Return what a session sent, newest first, below the position `before` (0 for the newest)."""

    def get_approval(self, approval_id: str) -> Approval | None:
        """Return an approval in whatever state, with its arguments."""

    def list_approvals(
        self, root_session_id: str, states: Sequence[int], before: int, limit: int, bytes_max: int
    ) -> tuple[list[Approval], bool]:
        """Return a tree's approvals, newest first, below the position `before` (0 for the newest), and if more follow.

        At least one is returned when there is one, then as many as fit under `bytes_max`.
        """

    def list_producers(self, session_id: str) -> list[Producer]:
        """Return a session's registrations that have not ended, in the order of their making."""

    def events_after(
        self, scope: Scope, position: int, types: Sequence[int], limit: int, bytes_max: int
    ) -> tuple[list[StoredEvent], int]:
        """Return events after a position, and the position up to which the log was looked at.

        At least one event is returned when there is one, then as many as fit under `bytes_max`.
        """

    def events_before(self, session_id: str, seq: int, types: Sequence[int], limit: int) -> list[StoredEvent]:
        """Return a session's events of these types with a lower seq, newest first."""

    def pending_mail(self, session_id: str) -> PendingMail:
        """Return what is pending for a session."""

    def acceptances(self, message_ids: Iterable[str]) -> list[StoredEvent]:
        """Return the accepted events of messages, in whatever state these are, in the order of the log."""

    def position_of(self, session_id: str, seq: int) -> int:
        """Return the position of the last event of the session with at most this seq, 0 when there is none."""

    def last_position(self) -> int:
        """Return the newest position, 0 for an empty log."""

    def first_position(self) -> int:
        """Return the oldest position that is kept, 1 for an empty log."""

    def token_version(self) -> object:
        """Return something that is another whenever a token was made or revoked."""

    def all_tokens(self) -> list[Token]:
        """Return all tokens, revoked ones included."""

    def attachments(self, runtime_ids: Sequence[str]) -> dict[str, str]:
        """Return the newest attachment of each runtime id that has one."""

    def root_exists(self, root_session_id: str) -> bool:
        """Whether there is such a tree."""


OWNERS_OF_SENT = (Owner.AGENT, Owner.DELEGATION, Owner.PEER)
