"""A small model of a delegation tree: what must become of mail, whatever clients do in whatever order.

Written from the rules alone and sharing no code with the server. Each method changes the model as the service must
change, and returns what the service must answer; a refusal is returned as its code.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from questions import Questions

SECOND = 1_000_000
OUTCOMES = ("COMPLETED", "FAILED", "INTERRUPTED", "CANCELLED")


@dataclass
class Limits:
    """The limits that the model and the service are run with."""

    pending_max: int = 4
    pair_max: int = 2
    hops_max: int = 3
    claim_bytes_max: int = 64
    failing_runs_max: int = 3
    queued_start_seconds: float = 600.0
    questions_max: int = 2
    question_seconds: float = 20.0
    others_max: int = 5  # pending mail that is not an agent's
    producers_max: int = 2  # registrations of a session
    peer_calls_max: int = 4  # of a token in a window
    peer_window_seconds: float = 10.0
    peer_replay_seconds: float = 5.0


@dataclass
class Mail:
    """One message: `state` is waiting, claimed, consumed or discarded."""

    message_id: str
    recipient: str
    sender: str | None
    mode: str
    size: int
    hop: int | None
    expire_time: int | None
    state: str = "waiting"
    run_id: str | None = None
    reason: str = ""
    replaced: bool = False
    replaces: str = ""
    deliveries: int = 0
    consumptions: int = 0
    owner: str = "AGENT"

    @property
    def pending(self) -> bool:
        """Whether it still counts."""
        return self.state in ("waiting", "claimed")


@dataclass
class Turn:
    """A claim."""

    attempt_id: str
    message_ids: list[str]
    state: str = "live"


@dataclass
class Work:
    """A run."""

    run_id: str
    token: str
    by_wake: bool
    mail_before: int
    first: bool = True
    hop: int = -1
    given: bool = False
    consumed: int = 0
    turns: dict[int, Turn] = field(default_factory=dict)
    end: str = ""

    @property
    def live(self) -> tuple[int, Turn] | None:
        """The live claim."""
        for seq, turn in self.turns.items():
            if turn.state == "live":
                return seq, turn
        return None


@dataclass
class Point:
    """How a session stood after some event; `mail` has state and deliveries of each of its messages."""

    state: str
    failing: int
    openings: int
    mail: dict[str, tuple[str, int]]


@dataclass
class Agent:
    """A session."""

    session_id: str
    parent: str | None
    root: str
    state: str
    queued_time: int
    availability: str = "OPEN"
    no_wake: bool = False
    until_time: int | None = None
    mail: list[Mail] = field(default_factory=list)
    run: Work | None = None
    past: dict[str, Work] = field(default_factory=dict)
    failing: int = 0
    deleted: bool = False
    parent_run: str = ""
    asks: bool = False  # a person, before it writes
    background: bool = False  # its first run is reported to the parent
    runs: int = 0
    openings: int = 0
    points: dict[int, Point] = field(default_factory=dict)
    undone: dict[int, Point] = field(default_factory=dict)

    @property
    def pending(self) -> list[Mail]:
        """What still counts, in accepted order."""
        return [mail for mail in self.mail if mail.pending]

    @property
    def may_wake(self) -> bool:
        """Whether mail is delivered."""
        if self.deleted or self.availability in ("PAUSED", "USER_CLOSED"):
            return False
        return not (self.availability == "ARCHIVED" and self.no_wake)

    @property
    def wake_due(self) -> bool:
        """Whether there must be exactly one wake."""
        return bool(self.pending) and self.run is None and self.may_wake and self.state != "QUEUED"

    @property
    def recipient_state(self) -> str:
        """What a sender is told."""
        if not self.may_wake:
            return "HELD"
        if self.run is not None:
            return "RUNNING"
        return "QUEUED" if self.state in ("IDLE", "QUEUED") else "WAKING_FINISHED"


@dataclass
class Registration:
    """A plugin's right to send into a session."""

    producer_id: str
    session_id: str
    client_id: str
    plugin: str
    active: bool = True


@dataclass
class Tree:
    """All sessions of a test."""

    limits: Limits
    agents: dict[str, Agent] = field(default_factory=dict)
    undeliverable: dict[str, list[str]] = field(default_factory=dict)
    questions: Questions = field(init=False)
    registrations: list[Registration] = field(default_factory=list)
    reports: list[Mail] = field(default_factory=list)  # those whose id the service has not told yet

    def __post_init__(self) -> None:
        self.questions = Questions(self.limits.questions_max)

    # Sending

    def judge_address(self, sender: str, run_id: str, to: str) -> str:
        """Return the code of the refusal that a send must get before its permission, empty for none."""
        me = self.agents[sender]
        if me.deleted:
            return "session:not_found"
        ended = self.ended(me, run_id)
        if ended:
            return ended
        them = self.agents[to]
        if them.deleted:
            return "send_message:unknown_session"
        if sender == to:
            return "send_message:self_send"
        if me.root != them.root:
            return "send_message:not_tree_peer"
        return ""

    def judge_guards(self, sender: str, to: str, freed: int) -> str:
        """Return the code of the guard that is against a send, empty for none."""
        me, them = self.agents[sender], self.agents[to]
        if sum(mail.owner == "AGENT" for mail in them.pending) - freed >= self.limits.pending_max:
            return "send_message:inbox_full"
        of_agents = [mail for mail in them.pending if mail.owner == "AGENT"]
        if sum(mail.sender == sender for mail in of_agents) - freed >= self.limits.pair_max:
            return "send_message:inflight_full"
        assert me.run is not None
        return "send_message:max_hops_exceeded" if me.run.hop + 1 > self.limits.hops_max else ""

    def judge_other(self, to: Agent) -> str:
        """Return the code of the refusal that mail of a person or a plugin must get, empty for none."""
        others = sum(mail.owner not in ("AGENT", "COPY") for mail in to.pending)
        return "producer:inbox_full" if others >= self.limits.others_max else ""

    def registered(self, session_id: str) -> list[Registration]:
        """Return the registrations of a session that have not ended."""
        return [one for one in self.registrations if one.session_id == session_id and one.active]

    def ended(self, me: Agent, run_id: str) -> str:
        """Return the code for a call of a run that is not active, empty when it is."""
        if me.run is not None and me.run.run_id == run_id:
            return ""
        past = me.past.get(run_id)
        codes = {"lapsed": "run:lease_lost", "CANCELLED": "run:cancelled"}
        return codes.get(past.end, "run:not_active") if past is not None else "run:not_active"

    def accept(self, mail: Mail) -> None:
        """Store a message."""
        self.agents[mail.recipient].mail.append(mail)

    def discard(self, mail: Mail, reason: str) -> None:
        """End a waiting message."""
        mail.state, mail.reason = "discarded", reason
        own_doing = reason in ("RETRACTED", "SUPERSEDED")
        if mail.sender is not None and not own_doing and not self.agents[mail.sender].deleted:
            self.undeliverable.setdefault(mail.sender, []).append(mail.message_id)

    # Runs

    def start(self, session_id: str, run_id: str, token: str, *, by_wake: bool) -> None:
        """Begin a run."""
        agent = self.agents[session_id]
        agent.availability, agent.no_wake, agent.until_time = "OPEN", False, None
        agent.run = Work(run_id, token, by_wake, len(agent.mail))
        agent.runs += 1
        agent.state = "RUNNING"

    def choose(self, agent: Agent, now: int, bytes_max: int) -> tuple[list[Mail], bool]:
        """Return what the next boundary of the run claims, and whether more waits; expired mail dies here."""
        assert agent.run is not None
        run = agent.run
        chosen: list[Mail] = []
        more = False
        if not agent.may_wake:
            return chosen, more
        used = 0
        for index, mail in enumerate(agent.mail):
            if mail.state != "waiting":
                continue
            if mail.run_id != run.run_id and mail.mode == "QUEUE" and not (run.first and index < run.mail_before):
                continue
            if mail.expire_time is not None and mail.expire_time <= now:
                continue
            mail.run_id = run.run_id
            if mail.hop is not None:
                run.hop = max(run.hop, mail.hop)
            run.given = True
            if chosen and (more or used + mail.size > min(bytes_max or 1 << 30, self.limits.claim_bytes_max)):
                more = True
                continue
            used += mail.size
            chosen.append(mail)
        return chosen, more

    def claim(self, agent: Agent, attempt_id: str, now: int, bytes_max: int, seq: int) -> tuple[list[str], bool]:
        """Open a boundary; `seq` is the name that the service gave the claim."""
        assert agent.run is not None
        if agent.may_wake:
            self.expire(agent, now)
        chosen, more = self.choose(agent, now, bytes_max)
        for mail in chosen:
            mail.state = "claimed"
            mail.deliveries += 1
        agent.run.first = False
        agent.run.turns[seq] = Turn(attempt_id, [mail.message_id for mail in chosen])
        return [mail.message_id for mail in chosen], more

    def commit(self, agent: Agent, seq: int) -> None:
        """Consume a claim."""
        assert agent.run is not None
        turn = agent.run.turns[seq]
        if turn.state == "committed":
            return
        turn.state = "committed"
        for mail in agent.mail:
            if mail.message_id in turn.message_ids:
                mail.state = "consumed"
                mail.consumptions += 1
        agent.run.consumed += len(turn.message_ids)
        if turn.message_ids:
            agent.failing = 0

    def release(self, agent: Agent, now: int) -> None:
        """Give the live claim back, if there is one."""
        assert agent.run is not None
        live = agent.run.live
        if live is None:
            return
        turn = live[1]
        turn.state = "released"
        for mail in agent.mail:
            if mail.message_id in turn.message_ids and mail.state == "claimed":
                mail.state = "waiting"
                if mail.replaced:
                    self.discard(mail, "SUPERSEDED")
                elif mail.expire_time is not None and mail.expire_time <= now:
                    self.discard(mail, "EXPIRED")

    def finish(self, agent: Agent, outcome: str, now: int, *, by_person: bool = False, why: str = "") -> None:
        """End the run; `why` it did: it `lapsed`, or a peer `interrupted` it, which is no failure."""
        run = agent.run
        assert run is not None
        self.release(agent, now)
        if run.consumed:
            agent.failing = 0
        elif (run.by_wake or run.given) and why != "interrupted":
            agent.failing += 1
        self.questions.cancel(run.run_id)
        run.end = why if why == "lapsed" else outcome
        agent.past[run.run_id] = run
        agent.run = None
        agent.state = outcome
        failing = agent.failing >= self.limits.failing_runs_max and agent.availability == "OPEN"
        if by_person or failing:
            self.pause(agent)
        if agent.background and agent.runs == 1:
            self._report(agent, run)

    def _report(self, agent: Agent, run: Work) -> None:
        """Tell the parent of the end of the run that it delegated."""
        parent = self.agents[agent.parent or ""]
        if not parent.deleted:
            hop = run.hop if run.hop >= 0 else None
            mail = Mail("", parent.session_id, agent.session_id, "STEER", 0, hop, None, owner="DELEGATION")
            self.accept(mail)
            self.reports.append(mail)

    def delete(self, agent: Agent) -> None:
        """Bury a session; what it wrote to itself is told to nobody."""
        agent.deleted = True
        for mail in agent.pending:
            self.discard(mail, "DELETED")
        for registration in self.registered(agent.session_id):
            registration.active = False

    def pause(self, agent: Agent) -> None:
        """Hold the session's mail."""
        if agent.availability != "USER_CLOSED":
            agent.availability, agent.until_time, agent.no_wake = "PAUSED", None, False

    def set_availability(self, agent: Agent, availability: str, until_time: int | None, *, no_wake: bool) -> None:
        """Do what a person says."""
        agent.availability, agent.until_time, agent.no_wake = availability, until_time, no_wake
        if availability == "OPEN":
            agent.failing = 0
            agent.openings += 1

    # Time

    def expire(self, agent: Agent, now: int) -> None:
        """End what has expired and is not before a model request."""
        for mail in agent.mail:
            if mail.state == "waiting" and mail.expire_time is not None and mail.expire_time <= now:
                self.discard(mail, "EXPIRED")

    def sweep(self, now: int, lapsed: set[str]) -> None:
        """Carry out what has fallen due; `lapsed` are the sessions whose run's lease is over."""
        self.questions.expire(now)
        for agent in self.agents.values():
            if agent.deleted:
                continue
            if agent.session_id in lapsed and agent.run is not None:
                run_id = agent.run.run_id
                self.finish(agent, "INTERRUPTED", now, why="lapsed")
                for child in self.agents.values():
                    if child.parent_run == run_id and child.state == "QUEUED" and not child.deleted:
                        child.state = "IDLE"
            if agent.availability == "PAUSED" and agent.until_time is not None and agent.until_time <= now:
                self.set_availability(agent, "OPEN", None, no_wake=False)
            queued_until = agent.queued_time + int(self.limits.queued_start_seconds * SECOND)
            if agent.state == "QUEUED" and queued_until <= now:
                agent.state = "IDLE"
            self.expire(agent, now)
