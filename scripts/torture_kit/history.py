"""The log against itself: whether the events, one after the other, tell a story that can have happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kinpost.v1 import approval_pb2, event_pb2, message_pb2

from torture_kit.journal import PEER, PLUGIN, USER, Identity, body_of, key_of

Report = Callable[[str, str], None]
WAITING = ("accepted", "admitted", "released")
# Whose mail is known by a key in place of a tool call.
BY_KEY = {
    message_pb2.PRODUCER_OWNER_USER: USER,
    message_pb2.PRODUCER_OWNER_PLUGIN: PLUGIN,
    message_pb2.PRODUCER_OWNER_PEER: PEER,
}


@dataclass(slots=True)
class Mail:
    """A message as the log tells of it."""

    message_id: str
    session_id: str
    root_session_id: str
    accept_seq: int
    identity: Identity
    mode: int
    body_is_right: bool
    expires: bool
    state: str = "accepted"
    run_id: str = ""
    claim_seq: int = 0
    reason: int = 0
    superseded_by: str = ""
    consumptions: int = 0
    undeliverable_notices: int = 0
    peer_notices: int = 0


@dataclass(slots=True)
class Claim:
    """A claim as the log tells of it."""

    run_id: str
    attempt_id: str
    message_ids: tuple[str, ...]
    state: str = "live"


@dataclass(slots=True)
class Question:
    """An approval as the log tells of it."""

    identity: Identity
    state: str = "pending"
    message_id: str = ""


@dataclass(slots=True)
class Session:
    """A session as the log tells of it."""

    seq: int = 0
    run_id: str = ""
    claim_seq: int = 0
    wake_id: str = ""
    pending: int = 0


@dataclass(slots=True)
class History:
    """Takes all events in order; `report` is told of each that cannot follow what was before."""

    report: Report
    position: int = 0
    sessions: dict[str, Session] = field(default_factory=dict)
    mail: dict[str, Mail] = field(default_factory=dict)
    claims: dict[tuple[str, int], Claim] = field(default_factory=dict)
    runs: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    by_identity: dict[Identity, list[Mail]] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    asked: set[Identity] = field(default_factory=set)
    grants: set[str] = field(default_factory=set)  # the trees with an allow for all of it
    counts: Counter[str] = field(default_factory=Counter)

    def take(self, event: event_pb2.Event) -> None:
        """Add the next event."""
        if event.position <= self.position:
            self.report("order", f"position {event.position} after {self.position}")
        self.position = event.position
        session = self.sessions.setdefault(event.session_id, Session())
        if event.seq != session.seq + 1:
            self.report("order", f"seq {event.seq} of {event.session_id} after {session.seq}")
        session.seq = event.seq
        name = event.WhichOneof("payload") or "nothing"
        self.counts[name] += 1
        step = getattr(self, f"_{name}", None)
        if step is not None:
            step(event, session, getattr(event, name))

    def finish(self) -> None:
        """Say what must not be left over once everything is drained."""
        for session_id, session in self.sessions.items():
            if session.pending:
                self.report("not delivered", f"{session.pending} messages still wait in {session_id}")
            if session.run_id:
                self.report("not drained", f"{session_id} still runs {session.run_id}")
            if session.wake_id and not session.pending:
                self.report("wakes", f"{session_id} has a wake and no mail")
        for approval_id, question in self.questions.items():
            if question.state in ("pending", "allowed"):
                self.report("approvals", f"{approval_id} is {question.state} in the end")

    # Runs

    def _run_started(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        if session.run_id:
            self.report("two runs", f"{payload.run_id} of {event.session_id} starts while {session.run_id} is active")
        session.run_id = payload.run_id
        identity = f"wake:{payload.wake_id}" if payload.wake_id else f"client:{payload.client_run_id}"
        self.runs.setdefault((event.session_id, identity), []).append(payload.run_id)

    def _run_finished(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        if session.run_id != payload.run_id:
            self.report("two runs", f"{payload.run_id} of {event.session_id} ends while {session.run_id} is active")
        if session.claim_seq:
            self.report("claims", f"{payload.run_id} ends with the live claim {session.claim_seq}")
        session.run_id = ""
        self.counts["lapsed runs"] += payload.lease_lost

    # Mail

    def _producer_message_accepted(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        identity = _identity_of(event.session_id, payload)
        right = payload.body == body_of(identity)
        if payload.message_id in self.mail:
            self.report("stored twice", f"{payload.message_id} is accepted twice")
        mail = Mail(
            payload.message_id,
            event.session_id,
            event.root_session_id,
            event.seq,
            identity,
            payload.mode,
            right,
            payload.HasField("expire_time"),
        )
        self.mail[mail.message_id] = mail
        self.by_identity.setdefault(identity, []).append(mail)
        session.pending += 1

    def _producer_message_admitted(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        mail = self._known(event, payload.message_id)
        if mail is not None:
            again = mail.run_id == payload.run_id
            if mail.state not in WAITING or again or payload.run_id != session.run_id:
                self.report("steps", f"{mail.message_id}, {mail.state}, is admitted to {payload.run_id}")
            mail.state, mail.run_id = "admitted", payload.run_id

    def _producer_messages_claimed(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        if session.claim_seq or payload.run_id != session.run_id:
            self.report("claims", f"claim {event.seq} of {event.session_id} while {session.claim_seq} is live")
        session.claim_seq = event.seq
        last = 0
        for message_id in payload.message_ids:
            mail = self._known(event, message_id)
            if mail is None:
                continue
            if mail.state not in ("admitted", "released") or mail.run_id != payload.run_id:
                self.report("steps", f"{message_id}, {mail.state}, is claimed by {payload.run_id}")
            if mail.accept_seq <= last:
                self.report("order", f"claim {event.seq} of {event.session_id} is not in accepted order")
            last = mail.accept_seq
            mail.state, mail.claim_seq = "claimed", event.seq
        claim = Claim(payload.run_id, payload.attempt_id, tuple(payload.message_ids))
        self.claims[event.session_id, event.seq] = claim

    def _producer_messages_released(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        claim = self._settled(event, session, payload.claim_seq, "released")
        if claim is not None and claim.message_ids != tuple(payload.message_ids):
            self.report("claims", f"claim {payload.claim_seq} of {event.session_id} gives back other mail than it took")
        for message_id in payload.message_ids:
            mail = self._known(event, message_id)
            if mail is not None:
                if mail.state != "claimed":
                    self.report("steps", f"{message_id}, {mail.state}, is released")
                mail.state = "released"

    def _turn_committed(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        claim = self._settled(event, session, payload.claim_seq, "committed")
        if claim is not None and payload.consumed_count != len(claim.message_ids):
            self.report(
                "claims", f"claim {payload.claim_seq} of {event.session_id} consumes another count than it took"
            )

    def _producer_message_consumed(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        mail = self._known(event, payload.message_id)
        if mail is None:
            return
        claim = self.claims.get((event.session_id, payload.claim_seq))
        mail.consumptions += 1
        if mail.consumptions > 1:
            self.report("consumed twice", f"{mail.message_id} by {mail.claim_seq} and {payload.claim_seq}")
        elif mail.state != "claimed" or mail.claim_seq != payload.claim_seq:
            self.report("steps", f"{mail.message_id}, {mail.state}, is consumed by claim {payload.claim_seq}")
        else:
            session.pending -= 1
        if claim is None or claim.state != "committed":
            self.report("claims", f"{mail.message_id} is consumed by a claim that is not committed")
        mail.state = "consumed"

    def _producer_message_discarded(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        mail = self._known(event, payload.message_id)
        if mail is None:
            return
        if mail.state not in WAITING:
            self.report("steps", f"{mail.message_id}, {mail.state}, is discarded")
        else:
            session.pending -= 1
        mail.state, mail.reason, mail.superseded_by = "discarded", payload.reason, payload.superseded_by_message_id
        self.counts[f"discarded: {message_pb2.DiscardReason.Name(payload.reason)[15:].lower()}"] += 1

    def _sent_message_undeliverable(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        mail = self.mail.get(payload.message_id)
        if mail is None or mail.identity.session_id != event.session_id or mail.reason != payload.reason:
            self.report("notices", f"{event.session_id} is told of {payload.message_id}, which is not so")
        else:
            mail.undeliverable_notices += 1

    def _peer_message_sent(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        mail = self.mail.get(payload.message_id)
        if mail is None or mail.identity.scope != PEER or mail.identity.session_id != event.session_id:
            self.report("notices", f"{event.session_id} is told that it sent {payload.message_id}, which is not so")
        else:
            mail.peer_notices += 1

    # Approvals

    def _approval_requested(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        asked = payload.approval
        identity = Identity(asked.session_id, asked.run_id, asked.tool_call_id)
        if identity in self.asked:
            self.report("approvals", f"a person is asked twice of {identity}")
        if asked.run_id != session.run_id:
            self.report("approvals", f"{asked.approval_id} is asked for {asked.run_id}, which is not active")
        self.asked.add(identity)
        self.questions[asked.approval_id] = Question(identity)

    def _approval_decided(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        denied = payload.decision == approval_pb2.APPROVAL_DECISION_DENY
        if payload.decision == approval_pb2.APPROVAL_DECISION_ALLOW_FOR_TREE:
            self.grants.add(event.root_session_id)
        self._answered(payload.approval_id, "denied" if denied else "allowed", "pending")

    def _approval_used(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        question = self._answered(payload.approval_id, "used", "pending", "allowed")
        if question is not None:
            question.message_id = payload.message_id

    def _approval_expired(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        self._answered(payload.approval_id, "expired", "pending")

    def _approval_cancelled(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        self._answered(payload.approval_id, "cancelled", "pending", "allowed")

    def _answered(self, approval_id: str, state: str, *before: str) -> Question | None:
        question = self.questions.get(approval_id)
        if question is None or question.state not in before:
            found = question.state if question is not None else "unknown"
            self.report("approvals", f"{approval_id}, {found}, is {state}")
        else:
            question.state = state
            self.counts[f"approvals: {state}"] += 1
        return question

    # Wakes

    def _wake_requested(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        if session.wake_id or session.run_id or not session.pending:
            self.report("wakes", f"{payload.wake_id} of {event.session_id} is not due")
        session.wake_id = payload.wake_id

    def _wake_settled(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        if session.wake_id != payload.wake_id or session.run_id != payload.run_id:
            self.report("wakes", f"{payload.wake_id} of {event.session_id} is settled, which is not there")
        session.wake_id = ""

    def _wake_withdrawn(self, event: event_pb2.Event, session: Session, payload: Any) -> None:
        if session.wake_id != payload.wake_id:
            self.report("wakes", f"{payload.wake_id} of {event.session_id} is withdrawn, which is not there")
        session.wake_id = ""

    def _known(self, event: event_pb2.Event, message_id: str) -> Mail | None:
        mail = self.mail.get(message_id)
        if mail is None or mail.session_id != event.session_id:
            self.report("steps", f"{message_id} was never accepted in {event.session_id}")
            return None
        return mail

    def _settled(self, event: event_pb2.Event, session: Session, claim_seq: int, state: str) -> Claim | None:
        claim = self.claims.get((event.session_id, claim_seq))
        if claim is None or claim.state != "live" or session.claim_seq != claim_seq:
            self.report("claims", f"claim {claim_seq} of {event.session_id} is {state} and was not live")
        session.claim_seq = 0
        if claim is not None:
            claim.state = state
        return claim


def _identity_of(session_id: str, payload: event_pb2.ProducerMessageAccepted) -> Identity:
    sender, scope = payload.sender, BY_KEY.get(payload.owner)
    if scope is None:
        return Identity(sender.session_id, sender.run_id, sender.tool_call_id)
    if scope == PEER:
        return Identity(sender.session_id, scope, payload.idempotency_key or key_of(payload.body))
    return Identity(session_id, scope, payload.idempotency_key)
