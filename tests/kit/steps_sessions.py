"""The state machine's ground: two runtimes, two trees, a person; and the steps that concern sessions."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from delivery import Agent, Limits, Tree
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from kinpost_server.domain.approval import ApprovalLimits
from kinpost_server.domain.errors import Refusal
from kinpost_server.domain.guards import MessagingLimits
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.message import MessageState, Mode
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.rate_window import PeerLimits
from kinpost_server.domain.run import RunState
from kinpost_server.domain.session import Availability, Starter
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.delete_session import DeleteSession
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.send_producer_message import SendProducerMessage
from kinpost_server.engine.set_availability import SetAvailability
from kinpost_server.engine.settings import SECOND, DeliveryLimits, EngineSettings, ProducerLimits
from office import ADMIN, APPROVER, RUNTIME_1, RUNTIME_2, Office, essence
from postgres_server import PostgresServer
from two_offices import ORDERS, TwoOffices

LIMITS = Limits()
SETTINGS = EngineSettings(
    messaging=MessagingLimits(
        max_hops=LIMITS.hops_max,
        max_pending_per_session=LIMITS.pending_max,
        max_inflight_per_pair=LIMITS.pair_max,
        max_body_bytes=LIMITS.claim_bytes_max,
    ),
    approvals=ApprovalLimits(expire_seconds=LIMITS.question_seconds, pending_per_session_max=LIMITS.questions_max),
    delivery=DeliveryLimits(
        claim_bytes_max=LIMITS.claim_bytes_max,
        failing_runs_max=LIMITS.failing_runs_max,
        queued_start_seconds=LIMITS.queued_start_seconds,
    ),
    producers=ProducerLimits(
        pending_per_session_max=LIMITS.others_max,
        registered_per_session_max=LIMITS.producers_max,
        lease_seconds=30.0,
    ),
    peer=PeerLimits(LIMITS.peer_calls_max, LIMITS.peer_window_seconds, LIMITS.peer_replay_seconds),
)
MODES = st.sampled_from([Mode.STEER, Mode.QUEUE])
OUTCOMES = st.sampled_from([RunState.COMPLETED, RunState.FAILED, RunState.INTERRUPTED, RunState.CANCELLED])
STATES = {
    MessageState.ACCEPTED: "waiting",
    MessageState.ADMITTED: "waiting",
    MessageState.RELEASED: "waiting",
    MessageState.CLAIMED: "claimed",
    MessageState.CONSUMED: "consumed",
    MessageState.DISCARDED: "discarded",
}
RUNTIMES = {RUNTIME_1.token_id: RUNTIME_1, RUNTIME_2.token_id: RUNTIME_2}


class TreeSteps(RuleBasedStateMachine):
    """Two runtimes, two trees, a person, and time."""

    def __init__(self, server: PostgresServer | None = None) -> None:
        super().__init__()
        self.server = server  # for a database of each life's own; without it, that is a file
        self.folder = Path(tempfile.mkdtemp())
        self.url = server.make_database() if server is not None else ""
        # There, each step is carried out by one or the other of two replicas.
        self.office: Any = (TwoOffices if self.url else Office)(self.folder / "kinpost.db", self.url, SETTINGS)
        self.tree = Tree(LIMITS)
        self.sent: list[tuple[SendMessage, str]] = []
        self.produced: list[tuple[SendProducerMessage, str]] = []
        self.counter = 0
        self.last_position = 0

    def teardown(self) -> None:
        """The end: a new process sees the same sessions."""
        before = {session_id: essence(self.office.session(session_id)) for session_id in self.tree.agents}
        differences = self.office.differences()
        faults = [entry for entry in self.office.logged if entry[0] == "committer_fault"]
        self.office.close()
        again = Office(self.folder / "kinpost.db", self.url, SETTINGS, time=self.office.time)
        after = {session_id: essence(again.session(session_id)) for session_id in self.tree.agents}
        again.store.close()
        shutil.rmtree(self.folder)
        if self.server is not None:
            self.server.drop_database(self.url)
        assert before == after
        assert faults == []
        assert differences == []

    # What the rules draw from

    def next(self, prefix: str) -> str:
        """Return a new client id."""
        self.counter += 1
        return f"{prefix}{self.counter}"

    def agent(self, data: st.DataObject) -> Agent:
        """Return any session."""
        return self.tree.agents[data.draw(st.sampled_from(sorted(self.tree.agents)))]

    def running(self, data: st.DataObject) -> Agent:
        """Return a session with an active run."""
        running = sorted(a.session_id for a in self.tree.agents.values() if a.run is not None)
        return self.tree.agents[data.draw(st.sampled_from(running))]

    @property
    def any_running(self) -> bool:
        """Whether a session has an active run."""
        return any(agent.run is not None for agent in self.tree.agents.values())

    @property
    def any_free(self) -> bool:
        """Whether a session whose rules ask nobody has an active run."""
        return any(agent.run is not None and not agent.asks for agent in self.tree.agents.values())

    def free(self, data: st.DataObject) -> Agent:
        """Return a session with an active run whose rules ask nobody."""
        free = sorted(a.session_id for a in self.tree.agents.values() if a.run is not None and not a.asks)
        return self.tree.agents[data.draw(st.sampled_from(free))]

    def code(self, command: Any) -> Any:
        """Return a command's answer, or the code of its refusal."""
        try:
            return self.office.do(command)
        except Refusal as refusal:
            return refusal.code

    def caller_of(self, agent: Agent) -> Caller:
        """Return the runtime of the active run."""
        assert agent.run is not None
        return RUNTIMES[agent.run.token]

    # Sessions

    @initialize(order=st.integers(0, ORDERS - 1))
    def begin(self, order: int) -> None:
        """Two trees, the first with a child that writes freely and one that asks before."""
        self.office.order = order  # who does what, where there are two
        self.office.attach(RUNTIME_1, "one", slots=2)
        self.office.attach(RUNTIME_2, "two", any_session=True, slots=2)
        root = self._create(None, Starter.WAKE)
        self._create(root, Starter.WAKE, asks=True)
        self._create(root, Starter.DELEGATOR)
        self._create(None, Starter.WAKE)

    @precondition(lambda self: len(self.tree.agents) < 7)
    @rule(
        data=st.data(),
        starter=st.sampled_from([Starter.WAKE, Starter.DELEGATOR]),
        asks=st.booleans(),
        background=st.booleans(),
    )
    def delegate(self, data: st.DataObject, starter: Starter, asks: bool, background: bool) -> None:
        """A child of some session, delegated by its run if it has one, in the background or not."""
        parent = self.agent(data)
        if not parent.deleted:
            self._create(parent.session_id, starter, asks=asks, background=background)

    def _create(self, parent_id: str | None, starter: Starter, *, asks: bool = False, background: bool = False) -> str:
        session_id = self.office.new_id()
        parent = self.tree.agents[parent_id] if parent_id is not None else None
        run = parent.run if parent is not None else None
        caller = RUNTIME_1
        if run is not None:
            caller = RUNTIMES[run.token]
        elif parent is not None:
            caller = RUNTIMES[min(self.office.session(parent.session_id).host_token_ids)]
        self.office.do(
            CreateSession(
                caller,
                session_id,
                parent_id,
                run.run_id if run is not None else None,
                "call" if background else None,
                "worker",
                {"*": Decision.ASK if asks else Decision.ALLOW},
                starter=starter,
            )
        )
        self.tree.agents[session_id] = Agent(
            session_id,
            parent_id,
            parent.root if parent is not None else session_id,
            "QUEUED" if starter is Starter.DELEGATOR else "IDLE",
            self.office.time,
            parent_run=run.run_id if run is not None else "",
            asks=asks,
            background=background and run is not None,
        )
        return session_id

    @rule(
        data=st.data(),
        availability=st.sampled_from(list(Availability)),
        until_seconds=st.sampled_from([0, 5]),
        no_wake=st.booleans(),
    )
    def set_availability(
        self, data: st.DataObject, availability: Availability, until_seconds: int, no_wake: bool
    ) -> None:
        """A person opens, pauses, archives, ends or closes a session."""
        agent = self.agent(data)
        until = self.office.time + until_seconds * SECOND if until_seconds else None
        until = until if availability is Availability.PAUSED else None
        no_wake = no_wake and availability is Availability.ARCHIVED
        got = self.code(SetAvailability(APPROVER, agent.session_id, availability, "", until, no_wake))
        if agent.deleted:
            assert got == "session:not_found"
        else:
            self.tree.set_availability(agent, availability.name, until, no_wake=no_wake)

    @rule(data=st.data(), sure=st.integers(0, 5))
    def delete(self, data: st.DataObject, sure: int) -> None:
        """A person deletes a session, now and then."""
        agent = self.agent(data)
        if sure:
            return
        got = self.code(DeleteSession(ADMIN, agent.session_id))
        if agent.run is not None:
            assert got == "run:already_active"
            return
        assert got is None
        if not agent.deleted:
            self.tree.delete(agent)
