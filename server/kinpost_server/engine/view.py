"""The view of one batch: what it loaded, overlaid with what its earlier commands did."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from kinpost_server.domain.address import CANDIDATES_MAX
from kinpost_server.domain.approval import Approval, GrantKey
from kinpost_server.domain.event import Event, Origin, Payload, SessionCreated, SessionForked
from kinpost_server.domain.fold import apply, begin
from kinpost_server.domain.identity import Token
from kinpost_server.domain.message import Message
from kinpost_server.domain.permission import within_reach
from kinpost_server.domain.producer import Producer
from kinpost_server.domain.run import Claim, Run
from kinpost_server.domain.session import Session
from kinpost_server.engine.command import Deferred
from kinpost_server.engine.peer_records import PeerRecords
from kinpost_server.engine.ports import (
    Changes,
    ClaimKey,
    HandleKey,
    Peers,
    Replay,
    ReplayKey,
    RunIdentity,
    RunKey,
    Store,
)
from kinpost_server.engine.replica_ports import RuntimeOwner
from kinpost_server.engine.runtimes import Runtimes
from kinpost_server.engine.settings import EngineSettings

ALIKE_MAX = 256  # that one grant carries out at once; the others are served when they are repeated

K = TypeVar("K")
V = TypeVar("V")


class Notice(NamedTuple):
    """What a sender's own log is to be told."""

    sender_session_id: str
    payload: Payload


class View:
    """One batch's world. `want_*` asks for something and returns it once loaded; the rest reads what is loaded."""

    def __init__(
        self,
        store: Store,
        settings: EngineSettings,
        runtimes: Runtimes,
        now: int,
        new_id: Callable[[], str],
        envelope_key: bytes,
        token_of: Callable[[str], Token | None],
        hosted: dict[str, int],
        is_gated: Callable[[str], bool],
    ) -> None:
        self.settings = settings
        self.runtimes = runtimes
        self.now = now
        self.new_id = new_id
        self.envelope_key = envelope_key
        self.is_gated = is_gated  # whether plugins are to judge calls of a tool
        self.changes = Changes()
        self.notices: list[Notice] = []
        self.peer = PeerRecords(store.peer, self.changes.peer)
        self.hold_token = store.hold_token  # lets no other replica make or change a token meanwhile
        self._token_of = token_of
        self._hosted = hosted
        self._store = store
        self._sessions: dict[str, Session | None] = {}
        self._handles: dict[HandleKey, str | None] = {}
        self._replays: dict[ReplayKey, Replay | None] = {}
        self._runs: dict[RunKey | RunIdentity, Run | None] = {}
        self._claims: dict[ClaimKey, Claim | None] = {}
        self._messages: dict[str, Message | None] = {}
        self._approvals: dict[str, Approval | None] = {}
        self._grants: dict[GrantKey, str | None] = {}
        self._alike: dict[GrantKey, list[Approval]] = {}
        self._peers: dict[str, Peers] = {}
        self._children: dict[str, list[str]] = {}
        self._owners: dict[str, RuntimeOwner | None] = {}
        self._offers: dict[str, list[str]] = {}
        self._producers: dict[str, Producer | None] = {}
        self._registered: dict[str, list[Producer] | None] = {}
        self._wanted_sessions: set[str] = set()
        self._wanted_handles: set[HandleKey] = set()
        self._wanted_replays: set[ReplayKey] = set()
        self._wanted_runs: set[RunKey | RunIdentity] = set()
        self._wanted_claims: set[ClaimKey] = set()
        self._wanted_messages: set[str] = set()
        self._wanted_approvals: set[str] = set()
        self._wanted_grants: set[GrantKey] = set()
        self._wanted_alike: set[GrantKey] = set()
        self._wanted_bodies: dict[str, Message] = {}
        self._wanted_peers: dict[str, Session] = {}
        self._wanted_children: set[str] = set()
        self._wanted_owners: set[str] = set()
        self._wanted_producers: set[str] = set()
        self._wanted_registered: set[str] = set()

    # Asking, while loading

    def want_session(self, session_id: str) -> Session | None:
        """Ask for a session."""
        return _want(self._sessions, self._wanted_sessions, session_id)

    def want_handle(self, key: HandleKey) -> str | None:
        """Ask for the session that has a handle."""
        return _want(self._handles, self._wanted_handles, key)

    def want_replay(self, key: ReplayKey) -> Replay | None:
        """Ask for the first answer to a send."""
        return _want(self._replays, self._wanted_replays, key)

    def want_run(self, key: RunKey | RunIdentity) -> Run | None:
        """Ask for a run, which may have ended."""
        return _want(self._runs, self._wanted_runs, key)

    def want_claim(self, key: ClaimKey) -> Claim | None:
        """Ask for a claim, which may be settled."""
        return _want(self._claims, self._wanted_claims, key)

    def want_message(self, message_id: str) -> Message | None:
        """Ask for a message in whatever state."""
        return _want(self._messages, self._wanted_messages, message_id)

    def want_approval(self, approval_id: str) -> Approval | None:
        """Ask for an approval as it is stored, in whatever state."""
        return _want(self._approvals, self._wanted_approvals, approval_id)

    def want_grant(self, key: GrantKey) -> None:
        """Ask for a grant."""
        _want(self._grants, self._wanted_grants, key)

    def want_alike(self, key: GrantKey) -> list[Approval]:
        """Ask for what waits for a person and would be served by the same grant."""
        if key not in self._alike:
            self._wanted_alike.add(key)
        return self._alike.get(key, [])

    def want_body(self, message: Message) -> None:
        """Ask for the body of a message whose body is not at hand."""
        if message.body is None:
            self._wanted_bodies[message.message_id] = message

    def want_peers(self, sender: Session) -> None:
        """Ask for those whom the sender may write to, for the candidates of an unknown reference."""
        if sender.session_id not in self._peers:
            self._wanted_peers[sender.session_id] = sender

    def want_queued_children(self, run_id: str) -> list[str]:
        """Ask for the sessions that wait for this run to start them."""
        if run_id not in self._children:
            self._wanted_children.add(run_id)
        return self._children.get(run_id, [])

    def want_runtime(self, runtime_id: str) -> None:
        """Ask for the token that a runtime id belongs to."""
        _want(self._owners, self._wanted_owners, runtime_id)

    def want_producer(self, producer_id: str) -> Producer | None:
        """Ask for a registration, which may have ended."""
        return _want(self._producers, self._wanted_producers, producer_id)

    def want_registered(self, session_id: str) -> None:
        """Ask for the registrations of a session that have not ended."""
        if session_id not in self._registered:
            self._wanted_registered.add(session_id)

    def want_offers_of(self, runtime_id: str) -> list[str]:
        """Ask for the sessions whose wake is offered to a runtime."""
        if runtime_id not in self._offers:
            self._offers[runtime_id] = [offer.session_id for offer in self._store.offers_of(runtime_id)]
        return self._offers[runtime_id]

    def want_hosted(self, token_id: str) -> int:
        """Return how many sessions a token hosts: counted once, and kept up with what it makes."""
        if token_id not in self._hosted:
            self._hosted[token_id] = self._store.count_hosted(token_id)
        return self._hosted[token_id]

    def fetch(self) -> bool:
        """Load what was asked for; return whether anything was."""
        store = self._store
        fetched = self._fetch_producers() | self.peer.fetch()
        if self._wanted_sessions:
            fetched = True
            _fill(self._sessions, self._wanted_sessions, store.load_sessions(self._wanted_sessions))
        if self._wanted_handles:
            fetched = True
            _fill(self._handles, self._wanted_handles, store.load_handles(self._wanted_handles))
        if self._wanted_replays:
            fetched = True
            _fill(self._replays, self._wanted_replays, store.load_replays(self._wanted_replays))
        if self._wanted_runs:
            fetched = True
            _fill(self._runs, self._wanted_runs, store.load_runs(self._wanted_runs))
        if self._wanted_claims:
            fetched = True
            _fill(self._claims, self._wanted_claims, store.load_claims(self._wanted_claims))
        if self._wanted_messages:
            fetched = True
            _fill(self._messages, self._wanted_messages, store.load_messages(self._wanted_messages))
        if self._wanted_owners:
            fetched = True
            _fill(self._owners, self._wanted_owners, store.load_runtimes(self._wanted_owners))
        if self._wanted_bodies:
            for message_id, body in store.load_bodies(self._wanted_bodies.values()).items():
                self._wanted_bodies[message_id].body = body
            self._wanted_bodies.clear()
        for sender in self._wanted_peers.values():
            fetched = True
            self._peers[sender.session_id] = store.load_peers(
                sender, within_reach(sender.message_rules), CANDIDATES_MAX
            )
        self._wanted_peers.clear()
        if self._wanted_children:
            fetched = True
            children = store.load_queued_children(self._wanted_children)
            self._children.update({run_id: children.get(run_id, []) for run_id in self._wanted_children})
            self._wanted_children.clear()
        return self._fetch_approvals() or fetched

    def _fetch_approvals(self) -> bool:
        fetched = bool(self._wanted_approvals or self._wanted_grants or self._wanted_alike)
        if self._wanted_approvals:
            _fill(self._approvals, self._wanted_approvals, self._store.load_approvals(self._wanted_approvals))
        if self._wanted_grants:
            _fill(self._grants, self._wanted_grants, self._store.load_grants(self._wanted_grants))
        for key in self._wanted_alike:
            self._alike[key] = self._store.load_pending_alike(key, ALIKE_MAX)
        self._wanted_alike.clear()
        return fetched

    def _fetch_producers(self) -> bool:
        """Load registrations: one object each, by whichever way it was asked for."""
        if not (self._wanted_producers or self._wanted_registered):
            return False
        _fill(self._producers, self._wanted_producers, self._store.load_producers(self._wanted_producers))
        loaded = self._store.load_registered(self._wanted_registered)
        for session_id in self._wanted_registered:
            found = loaded.get(session_id, [])
            self._registered[session_id] = [self._producers.setdefault(one.producer_id, one) or one for one in found]
        self._wanted_registered.clear()
        return True

    # Reading, while deciding

    def session(self, session_id: str) -> Session | None:
        """Return a loaded session, None when there is none. Raises Deferred when it was not asked for in time."""
        return _loaded(self._sessions, session_id)

    def handle(self, key: HandleKey) -> str | None:
        """Return the session that has a handle, None when nobody has."""
        return _loaded(self._handles, key)

    def handle_is_free(self, key: HandleKey) -> bool:
        """Whether a handle was looked up and nobody has it."""
        return key in self._handles and self._handles[key] is None

    def replay(self, key: ReplayKey) -> Replay | None:
        """Return the first answer to a send, None when this is the first."""
        return _loaded(self._replays, key)

    def run(self, key: RunKey | RunIdentity) -> Run | None:
        """Return a run, None when there is none."""
        return _loaded(self._runs, key)

    def claim(self, key: ClaimKey) -> Claim | None:
        """Return a claim, None when there is none."""
        return _loaded(self._claims, key)

    def message(self, message_id: str) -> Message | None:
        """Return a message as it was loaded, None when there is none."""
        return _loaded(self._messages, message_id)

    def approval(self, approval_id: str) -> Approval | None:
        """Return an approval as it was loaded, None when there is none."""
        return _loaded(self._approvals, approval_id)

    def granted(self, key: GrantKey) -> bool:
        """Whether a person has allowed this to the whole tree."""
        return _loaded(self._grants, key) is not None

    def alike(self, key: GrantKey) -> list[Approval]:
        """Return what waited for a person, as it was loaded, and is served by the same grant."""
        return self._alike.get(key, [])

    def peers(self, sender: Session) -> Peers:
        """Return those whom the sender may write to."""
        return self._peers.get(sender.session_id) or Peers([], 0)

    def queued_children(self, run_id: str) -> list[str]:
        """Return the sessions that wait for this run to start them."""
        return self._children.get(run_id, [])

    def runtime_owner(self, runtime_id: str) -> RuntimeOwner | None:
        """Return whose a runtime id is, None for a new one."""
        return _loaded(self._owners, runtime_id)

    def producer(self, producer_id: str) -> Producer | None:
        """Return a registration, None when there is none."""
        return _loaded(self._producers, producer_id)

    def registered(self, session_id: str) -> list[Producer]:
        """Return the registrations of a session that have not ended."""
        return [producer for producer in _loaded(self._registered, session_id) or [] if producer.active]

    def token(self, token_id: str) -> Token | None:
        """Return a token, None when there is none."""
        return self.changes.tokens.get(token_id) or self._token_of(token_id)

    # Recording

    def create(
        self, payload: SessionCreated | SessionForked, session_id: str, root_session_id: str, origin: Origin
    ) -> Session:
        """Make a session."""
        event = Event(session_id, root_session_id, 1, self.now, None, origin, payload)
        session = begin(event)
        for token_id in session.host_token_ids & self._hosted.keys():
            self._hosted[token_id] += 1
        self._sessions[session_id] = session
        if session.handle is not None:
            self._handles[HandleKey(root_session_id, session.handle)] = session_id
        self.changes.events.append(event)
        self.changes.sessions[session_id] = session
        self.changes.created.add(session_id)
        return session

    def emit(
        self, session: Session, payload: Payload, *, run_id: str | None = None, origin: Origin = Origin.SERVICE
    ) -> Event:
        """Append an event to a session's log and apply it."""
        event = Event(
            session.session_id, session.root_session_id, session.last_seq + 1, self.now, run_id, origin, payload
        )
        # Recorded first: should the fold refuse it, the batch is known to be broken and the session is read anew.
        self.changes.events.append(event)
        self.changes.sessions[session.session_id] = session
        self.runtimes.observe(session, payload)
        apply(session, event)
        return event

    def touch(self, session: Session) -> None:
        """Have the session looked at by reconciliation, and stored if it changed."""
        self.changes.sessions[session.session_id] = session

    def remember(self, key: ReplayKey, replay: Replay) -> None:
        """Keep the first answer to a send."""
        self._replays[key] = replay
        self.changes.replays[key] = replay

    def grant(self, key: GrantKey, approval_id: str) -> None:
        """Let a grant hold from now on."""
        self._grants[key] = approval_id

    def put_token(self, token: Token) -> None:
        """Make a token, or change it."""
        self.changes.tokens[token.token_id] = token

    def put_producer(self, producer: Producer) -> None:
        """Make a registration, or change it."""
        if self._producers.get(producer.producer_id) is None:
            self._producers[producer.producer_id] = producer
            registered = self._registered.get(producer.session_id)
            if registered is not None:
                registered.append(producer)
        self.changes.producers[producer.producer_id] = producer

    def remember_runtime(self, runtime_id: str, owner: RuntimeOwner) -> None:
        """Let a runtime id belong to a token, and to an attachment, from now on."""
        self._owners[runtime_id] = owner
        self.changes.runtimes[runtime_id] = owner


def _want(known: dict[K, V | None], wanted: set[K], key: K) -> V | None:
    if key in known:
        return known[key]
    wanted.add(key)
    return None


def _fill(known: dict[K, V | None], wanted: set[K], found: dict[K, V]) -> None:
    for key in wanted:
        known[key] = found.get(key)
    wanted.clear()


def _loaded(known: dict[K, V | None], key: K) -> V | None:
    try:
        return known[key]
    except KeyError:
        raise Deferred from None
