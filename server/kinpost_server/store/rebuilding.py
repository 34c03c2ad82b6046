"""The rows that a session's log makes, one event after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from kinpost_server.domain import event as e
from kinpost_server.domain.message import PENDING, Message, Owner
from kinpost_server.domain.producer import Producer
from kinpost_server.domain.refold import Refold
from kinpost_server.domain.run import Claim, ClaimState, Run, RunState, WakeState
from kinpost_server.domain.session import Session
from kinpost_server.engine.ports import Replay, ReplayKey
from kinpost_server.store.columns import id_to_bytes
from kinpost_server.store.dialect import Database, Row
from kinpost_server.store.rows import RowMaker


class _Acceptance(NamedTuple):
    """What of an accepted event goes into its message's row and is not with the message."""

    position: int
    payload: e.MessageAccepted


@dataclass(slots=True)
class RowsMade:
    """Rows of what has met its end: nothing that is still to come changes them."""

    messages: list[Row] = field(default_factory=list)
    runs: list[Row] = field(default_factory=list)
    claims: list[Row] = field(default_factory=list)
    approvals: list[Row] = field(default_factory=list)
    producers: list[Row] = field(default_factory=list)
    replays: list[Row] = field(default_factory=list)


class Rebuilt:
    """One session's rows. `take` gives those that are final; `left` and the others those of what goes on."""

    def __init__(self, database: Database, refold: Refold) -> None:
        self._make = RowMaker(database)
        self._refold = refold
        self._position = 0
        self._acceptances: dict[str, _Acceptance] = {}
        self._coming_back: dict[str, Message] = {}
        self._runs: dict[str, int] = {}  # where each run began that has not ended
        self._producers: dict[str, Producer] = {}  # registered, and not ended
        self._asked: dict[str, e.ApprovalRequested] = {}  # by the active run
        self.begun = False

    @property
    def session(self) -> Session:
        """The session as it has come to be."""
        return self._refold.session

    def take(self, event: e.Event) -> RowsMade:
        """Apply the next event and return the rows that are final now."""
        payload = event.payload
        made = RowsMade()
        if not self.begun:
            self._position = event.position
        self._refold.take(event)
        self.begun = True
        if isinstance(payload, e.RunStarted):
            self._runs[payload.run_id] = event.position
        elif isinstance(payload, e.MessageAccepted):
            self._accepted(event, payload, made)
        elif isinstance(payload, e.ApprovalRequested):
            self._asked[payload.approval_id] = payload
            self.session.touched.approvals[payload.approval_id].position = event.position
        else:
            self._registration(event, made)
        touched = self.session.touched
        for message in touched.messages.values():
            self._touched(message, made)
        for run in touched.runs.values():
            if run.state is not RunState.ACTIVE:
                made.runs.append(self._run(run, event.position))
                made.approvals += self._approvals(run)
                del self._runs[run.run_id]
        for claim in touched.claims.values():
            if claim.state is not ClaimState.LIVE:
                made.claims.append(self._claim(claim))
        touched.messages.clear()
        touched.runs.clear()
        touched.claims.clear()
        touched.approvals.clear()
        return made

    def left(self) -> RowsMade:
        """Return the rows of what has not met its end when the log ends."""
        session = self.session
        consumed = [m for m in self._coming_back.values() if m.state not in PENDING]
        made = RowsMade([self._message(message) for message in (*session.mail.values(), *consumed)])
        made.producers += [self._make.producer(producer) for producer in self._producers.values()]
        if session.run is not None:
            made.runs.append(self._run(session.run, None))
            made.approvals += self._approvals(session.run)
            if session.run.live_claim is not None:
                made.claims.append(self._claim(session.run.live_claim))
        return made

    def session_row(self) -> Row:
        """Return the session's row."""
        return self._make.session(self.session, self._position)

    def wake_rows(self) -> list[Row]:
        """Return the wake's row, if one stands."""
        session = self.session
        return [] if session.wake is None else [self._make.wake(session.session_id, session.wake)]

    def host_rows(self) -> list[Row]:
        """Return the rows of the session's hosts."""
        key = id_to_bytes(self.session.session_id)
        return [(key, token_id) for token_id in self.session.host_token_ids]

    def route_rows(self) -> list[Row]:
        """Return the rows of the ways by which the wake finds a runtime, if it waits for one."""
        wake = self.session.wake
        if wake is None or wake.state is not WakeState.REQUESTED:
            return []
        return self._make.wake_routes(self.session, wake)

    def _accepted(self, event: e.Event, payload: e.MessageAccepted, made: RowsMade) -> None:
        message = self.session.mail[payload.message_id]
        message.position = event.position
        if payload.owner is Owner.USER and payload.idempotency_key is not None:
            key = ReplayKey(event.session_id, "user", payload.idempotency_key)
            replay = Replay(
                payload.message_id, event.session_id, payload.request_digest, payload.mode, payload.recipient_state
            )
            made.replays.append(self._make.replay(key, replay))
        message.body = None
        payload.body = ""  # it is as long as the message says, and no longer needed
        self._acceptances[payload.message_id] = _Acceptance(event.position, payload)

    def _registration(self, event: e.Event, made: RowsMade) -> None:
        payload = event.payload
        if isinstance(payload, e.ProducerRegistered):
            self._producers[payload.producer_id] = Producer(
                payload.producer_id,
                event.session_id,
                payload.owner,
                payload.owner_name,
                payload.client_producer_id,
                payload.description,
                payload.create_time,
                payload.lease_expire_time,
            )
        elif isinstance(payload, e.ProducerUnregistered):
            producer = self._producers.pop(payload.producer_id)
            producer.end_time = event.event_time
            made.producers.append(self._make.producer(producer))

    def _touched(self, message: Message, made: RowsMade) -> None:
        if message.state in PENDING:
            self._coming_back.pop(message.message_id, None)
        elif self._refold.comes_back(message.message_id):
            self._coming_back[message.message_id] = message
        else:
            made.messages.append(self._message(message))
            del self._acceptances[message.message_id]

    def _message(self, message: Message) -> Row:
        return self._make.message(message, self._acceptances[message.message_id].payload)

    def _run(self, run: Run, end_position: int | None) -> Row:
        return self._make.run(run, self._runs[run.run_id], end_position)

    def _claim(self, claim: Claim) -> Row:
        return self._make.claim(self.session.session_id, claim)

    def _approvals(self, run: Run) -> list[Row]:
        """Return the rows of a run's questions: nothing comes of them any more once it has ended."""
        return [
            self._make.approval(approval, self._asked.pop(approval.approval_id)) for approval in run.approvals.values()
        ]
