"""A small model of peer mail, beside the one of the tree: written from the rules alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from delivery import SECOND, Agent, Mail, Tree

TRANSIENT = ("session_not_found", "inactive_target_needs_confirmation", "turn_in_flight", "rate_limited", "forbidden")


@dataclass(frozen=True)
class Wish:
    """What is said, and what the sender confirms."""

    text: str
    tldr: str | None = None
    confirms: bool = False
    interrupts: bool = False
    reopens: bool = False
    parks: bool = False


@dataclass(frozen=True)
class Call:
    """A request: whose, by which route, under which key; `waited`: it has a slot kept, `again`: it is a dead letter."""

    token: str
    route: str
    source: str
    targets: tuple[str, ...]
    wish: Wish
    key: str = ""
    waited: bool = False
    again: bool = False


@dataclass(frozen=True)
class Outcome:
    """What must come of a message to one target; an error's name, or where the message is."""

    target: str
    error: str = ""
    delivered: bool = False
    queued: bool = False
    woken_from: str | None = None
    idempotent: bool = False
    mail: Mail | None = None


@dataclass
class Parked:
    """A message that waits for a slot."""

    number: int
    due_time: int
    call: Call


@dataclass
class Dead:
    """A message that is kept; `became` is what its delivery answered in the end."""

    source: str
    target: str
    text: str
    tldr: str | None
    reason: str
    became: Outcome | None = None


@dataclass
class PeerBook:
    """What peer mail remembers beside the sessions. A token acts for its sessions; None: for all, as an admin's."""

    tree: Tree
    calls_max: int
    window_seconds: float
    replay_seconds: float
    tokens: dict[str, frozenset[str] | None] = field(default_factory=dict)
    revoked: set[str] = field(default_factory=set)
    windows: dict[str, list[int]] = field(default_factory=dict)
    parked: list[Parked] = field(default_factory=list)
    answers: dict[tuple[str, str, str], tuple[int, list[Outcome]]] = field(default_factory=dict)
    last_writer: dict[frozenset[str], str] = field(default_factory=dict)
    dead: list[Dead] = field(default_factory=list)
    kept: list[Mail] = field(default_factory=list)  # what a sender can read back
    notes: dict[str, list[str]] = field(default_factory=dict)  # of each sender's log
    landing: set[str] = field(default_factory=set)  # of one batch
    in_flight: set[tuple[str, str, str]] = field(default_factory=set)
    number: int = 0

    def post(self, call: Call, now: int) -> str | list[Outcome]:
        """Return what must come of a request: the refusal of the whole, or one outcome for each target."""
        if not call.again and not self.acts(call.token, call.source):
            return self._refused(call, call.targets, "forbidden")
        if not call.again and call.wish.reopens and self.tokens[call.token] is not None:
            return self._refused(call, call.targets, "forbidden")
        if call.wish.tldr is None and len(call.wish.text) > 1000:
            return "tldr_required"
        identity = (call.token, call.route, call.key)
        if call.key and identity in self.in_flight:
            return "duplicate_in_flight"
        if call.key and identity in self.answers:
            time, first = self.answers[identity]
            if now - time < self.replay_seconds * SECOND:
                return [replace(one, idempotent=True) if not one.error else one for one in first]
        outcomes = [self._to_one(call, target, now) for target in call.targets]
        if call.key and not all(one.error for one in outcomes):
            self.answers[identity] = (now, outcomes)
            self.in_flight.add(identity)
        return outcomes

    def acts(self, token: str, source: str) -> bool:
        """Whether a token writes for a session."""
        sessions = self.tokens[token]
        return not self.tree.agents[source].deleted and (sessions is None or source in sessions)

    def _to_one(self, call: Call, target: str, now: int) -> Outcome:
        error = self._slot(call, target, now)
        if error == "parked":
            return Outcome(target, queued=True)
        error = error or self._judge(call, target)
        if error:
            self._refused(call, (target,), error)
            return Outcome(target, error)
        return self._deliver(call, self.tree.agents[target], now)

    def window(self, token: str, now: int) -> list[int]:
        """Return the calls of a token that count."""
        times = [time for time in self.windows.get(token, []) if now - time < self.window_seconds * SECOND]
        self.windows[token] = times
        return times

    def waiting(self, token: str) -> int:
        """Count the messages of a token that wait for a slot."""
        return sum(parked.call.token == token for parked in self.parked)

    def _slot(self, call: Call, target: str, now: int) -> str:
        times, waiting = self.window(call.token, now), self.waiting(call.token)
        if call.waited or self.calls_max - len(times) > waiting:
            times.append(now)
            return ""
        if not call.wish.parks or waiting >= self.calls_max:
            return "rate_limited"
        self.number += 1
        alone = replace(call, targets=(target,), key="", waited=True)
        self.parked.append(Parked(self.number, self._turn_time(times, waiting, now), alone))
        return "parked"

    def _turn_time(self, times: list[int], place: int, now: int) -> int:
        """Return when the message of a place can have its slot."""
        leaving = place - (self.calls_max - len(times))
        if leaving < 0 or not times:
            return now
        return times[min(leaving, len(times) - 1)] + int(self.window_seconds * SECOND)

    def _judge(self, call: Call, target: str) -> str:
        them = self.tree.agents.get(target)
        if them is None or them.deleted:
            return "session_not_found"
        if call.route != "queue":
            if them.availability == "USER_CLOSED" and not call.wish.reopens:
                return "user_closed"
            if them.availability == "ARCHIVED" and them.no_wake:
                return "user_closed"
            asked = self.last_writer.get(frozenset((call.source, target))) == target
            if dormancy(them) and not (call.wish.confirms or call.source == target or asked):
                return "inactive_target_needs_confirmation"
            if target in self.landing and not call.waited:
                return "turn_in_flight"
        return "send_failed" if self.tree.judge_other(them) else ""

    def _deliver(self, call: Call, target: Agent, now: int) -> Outcome:
        woken_from = dormancy(target) if target.may_wake else None
        if target.availability == "USER_CLOSED" and call.wish.reopens:
            self.tree.set_availability(target, "OPEN", None, no_wake=False)
        if call.wish.interrupts and target.run is not None and target.may_wake:
            self.tree.finish(target, "CANCELLED", now, why="interrupted")
            self.landing.add(target.session_id)
        queued = not target.may_wake or target.run is not None or target.state == "QUEUED"
        mail = Mail("", target.session_id, call.source, "QUEUE", len(call.wish.text), None, None, owner="PEER")
        self.tree.accept(mail)
        self.last_writer[frozenset((call.source, target.session_id))] = call.source
        if call.wish.tldr is not None:
            self.kept.append(mail)
        self._note(call.source, "sent")
        return Outcome(target.session_id, "", True, queued, woken_from, mail=mail)

    def _refused(self, call: Call, targets: tuple[str, ...], error: str) -> str:
        """Keep what nobody will try again: what is terminal, and whatever fails of what nobody waits for."""
        for target in targets:
            gone = error == "session_not_found" and target in self.tree.agents
            reason = "target_gone" if gone else error
            if reason not in ("target_gone", "user_closed"):
                reason = "send_failed" if call.waited or error not in TRANSIENT else ""
            if reason and not call.again:
                self.dead.append(Dead(call.source, target, call.wish.text, call.wish.tldr, reason))
                self._note(call.source, "dead")
        return error

    def _note(self, source: str, what: str) -> None:
        if not self.tree.agents[source].deleted:
            self.notes.setdefault(source, []).append(what)

    def due(self, now: int) -> list[Parked]:
        """Return the messages whose turn has come, the longest waiting first."""
        return sorted((one for one in self.parked if one.due_time <= now), key=lambda one: (one.due_time, one.number))

    def turn(self, parked: Parked, now: int) -> Outcome | None:
        """Give a message its turn; None when it has to wait for longer, or was refused as a whole."""
        call = parked.call
        times = self.window(call.token, now)
        if len(times) >= self.calls_max:
            parked.due_time = self._turn_time(times, 0, now)
            return None
        self.parked.remove(parked)
        if call.token in self.revoked:
            self._refused(call, call.targets, "send_failed")
            return None
        outcomes = self.post(call, now)
        return None if isinstance(outcomes, str) else outcomes[0]

    def redeliver(self, letter: Dead, token: str, now: int) -> str | Outcome:
        """Deliver a dead letter again."""
        sessions = self.tokens[token]
        if sessions is not None and letter.source not in sessions:
            return "message_not_found"
        if letter.became is not None:
            return replace(letter.became, idempotent=True)
        wish = Wish(letter.text, letter.tldr, confirms=True)
        outcomes = self.post(Call(token, "redeliver", letter.source, (letter.target,), wish, again=True), now)
        assert not isinstance(outcomes, str)
        (outcome,) = outcomes
        if outcome.error:
            return outcome.error
        letter.became = outcome
        self._note(letter.source, "redelivered")
        return outcome


def dormancy(agent: Agent) -> str | None:
    """Return what a target that needs a confirmation is."""
    if agent.availability in ("PAUSED", "ARCHIVED", "ENDED"):
        return agent.availability.lower()
    return "error" if agent.run is None and agent.state in ("FAILED", "INTERRUPTED") else None
