"""The engine's part over a store, in a few words: batches of events that the fold applies, and what must come of them.

Nothing here judges: a scribe writes whatever it is told, or whatever is possible next when it plays at random.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from typing import Any
from uuid import UUID

from kinpost_server.domain import event as e
from kinpost_server.domain.approval import (
    Approval,
    ApprovalDecision,
    ApprovalState,
    SendRequest,
    approval_id_of,
    arguments_json_of,
)
from kinpost_server.domain.fold import apply, begin
from kinpost_server.domain.message import DiscardReason, Message, MessageState, Mode, Owner, RecipientState, Sender
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.run import ReleaseReason, Run, RunState, WakeState
from kinpost_server.domain.session import Availability, Session, SessionState, Starter
from kinpost_server.domain.tools import SEND_MESSAGE
from kinpost_server.engine.ports import Changes, Replay, ReplayKey, Store, StoredEvent

TIME = 1_800_000_000_000_000
TOKEN = "token of the runtime"


def whole(session: Session) -> dict[str, Any]:
    """Everything that belongs to a session but message bodies, for comparison; the order of its mail counts."""
    known = {field.name: copy.deepcopy(getattr(session, field.name)) for field in fields(session)}
    del known["touched"]
    known["run"] = session.run and asdict(session.run)
    known["mail"] = [asdict(message) | {"body": None} for message in session.mail.values()]
    known["counts"] = (session.pending_of_agents(), session.pending_of_others(), dict(session.mail.sender_counts))
    if session.run is not None and session.run.live_claim is not None:
        assert session.run.claims[session.run.live_claim.claim_seq] is session.run.live_claim
    return known


class Batch:
    """One batch's changes."""

    def __init__(self, scribe: Scribe) -> None:
        self.scribe = scribe
        self.changes = Changes()
        self.time = scribe.next_time()

    def session(self, session_id: str) -> Session:
        """Return a session as the store has it."""
        return self.scribe.store.load_sessions([session_id])[session_id]

    def create(self, parent: Session | None = None, **given: Any) -> Session:
        """Make a session."""
        session_id = given.pop("session_id", None) or self.scribe.new_id()
        root_session_id = parent.root_session_id if parent is not None else session_id
        payload = e.SessionCreated(
            parent_session_id=parent and parent.session_id,
            parent_run_id=parent and parent.run and parent.run.run_id,
            parent_tool_call_id="delegate",
            depth=parent.depth + 1 if parent is not None else 0,
            handle=given.pop("handle", f"agent_{self.scribe.number():08x}"),
            agent=given.pop("agent", "explore"),
            description="looks around – überall",
            message_rules={"child": Decision.ALLOW, "*": Decision.ASK},
            starter=given.pop("starter", Starter.WAKE),
            state=given.pop("state", SessionState.IDLE),
            create_time=self.time,
            request_digest=b"digest",
            host_token_id=given.pop("host_token_id", TOKEN),
        )
        assert not given
        event = e.Event(session_id, root_session_id, 1, self.time, None, e.Origin.RUNTIME, payload)
        session = begin(event)
        self.changes.events.append(event)
        self.changes.sessions[session_id] = session
        self.changes.created.add(session_id)
        return session

    def emit(self, session: Session, payload: e.Payload) -> e.Event:
        """Append an event to a session's log and apply it."""
        run_id = session.run.run_id if session.run is not None else None
        event = e.Event(
            session.session_id,
            session.root_session_id,
            session.last_seq + 1,
            self.time,
            run_id,
            e.Origin.SERVICE,
            payload,
        )
        apply(session, event)
        self.changes.events.append(event)
        self.changes.sessions[session.session_id] = session
        return event

    def touch(self, session: Session, due_time: int | None) -> None:
        """Set when a session is to be looked at again."""
        session.due_time = due_time
        session.touched.session = True
        self.changes.sessions[session.session_id] = session

    def run(self, session: Session, client_run_id: str = "", runtime_id: str | None = None) -> Run:
        """Start a run."""
        wake_id = session.wake.wake_id if session.wake is not None and not client_run_id else None
        run_id = self.scribe.new_id()
        if session.wake is not None:
            self.emit(session, e.WakeSettled(session.wake.wake_id, run_id))
        client = client_run_id or (None if wake_id else f"client {run_id}")
        self.emit(session, e.RunStarted(run_id, session.run_count + 1, wake_id, client, runtime_id, TOKEN))
        assert session.run is not None
        session.run.lease_expire_time = self.time + 60_000_000
        return session.run

    def finish(self, session: Session, outcome: RunState = RunState.COMPLETED) -> None:
        """End the active run."""
        assert session.run is not None
        self.emit(session, e.RunFinished(session.run.run_id, outcome, "done", failing_runs=1))

    def send(self, sender: Session, recipient: Session, call: str = "", body: str = "hello", **fields: Any) -> Message:
        """Accept an agent's message, with the answer to its repeats."""
        assert sender.run is not None
        call = call or f"call {self.scribe.number()}"
        origin = Sender(sender.session_id, sender.handle, sender.run.run_id, call)
        message = self.accept(recipient, origin, Owner.AGENT, body, agent_hop=sender.run.hop + 1, **fields)
        state = RecipientState.RUNNING
        self.changes.replays[ReplayKey(sender.session_id, sender.run.run_id, call)] = Replay(
            message.message_id, recipient.session_id, body.encode()[:16], message.mode, state
        )
        return message

    def tell(self, recipient: Session, key: str = "", body: str = "hello", **fields: Any) -> Message:
        """Accept a person's message, with the answer to its repeats."""
        message = self.accept(recipient, Sender(name="Ada"), Owner.USER, body, **fields)
        self.changes.replays[ReplayKey(recipient.session_id, "user", key or f"key {self.scribe.number()}")] = Replay(
            message.message_id, recipient.session_id, body.encode()[:16], message.mode, RecipientState.RUNNING
        )
        return message

    def accept(self, recipient: Session, sender: Sender, owner: Owner, body: str, **fields: Any) -> Message:
        """Accept a message."""
        message_id = self.scribe.new_id()
        mode = fields.pop("mode", Mode.STEER)
        self.emit(
            recipient,
            e.MessageAccepted(
                message_id,
                owner,
                mode,
                body,
                sender,
                RecipientState.RUNNING,
                recipient.label,
                body.encode()[:16],
                **fields,
            ),
        )
        return recipient.mail[message_id]

    def claim(self, session: Session, attempt_id: str = "") -> int:
        """Admit and claim all mail that waits; return the claim's seq."""
        run = session.run
        assert run is not None
        waiting = [m.message_id for m in session.mail.values() if m.waiting]
        for message_id in waiting:
            self.emit(session, e.MessageAdmitted(message_id, run.run_id))
        attempt_id = attempt_id or f"attempt {self.scribe.number()}"
        return self.emit(session, e.MessagesClaimed(run.run_id, attempt_id, tuple(waiting), more_pending=False)).seq

    def commit(self, session: Session) -> None:
        """Consume the live claim."""
        run = session.run
        assert run is not None
        assert run.live_claim is not None
        claim = run.live_claim
        for message_id in claim.message_ids:
            self.emit(session, e.MessageConsumed(message_id, run.run_id, claim.claim_seq))
        self.emit(session, e.TurnCommitted(run.run_id, claim.claim_seq, len(claim.message_ids)))

    def release(self, session: Session) -> None:
        """Give the live claim back."""
        run = session.run
        assert run is not None
        assert run.live_claim is not None
        claim = run.live_claim
        self.emit(
            session, e.MessagesReleased(claim.claim_seq, run.run_id, claim.message_ids, ReleaseReason.RUNTIME, "why")
        )

    def ask(self, session: Session, recipient: Session, call: str = "", expire_time: int | None = None) -> Approval:
        """Put a send before a person."""
        run = session.run
        assert run is not None
        call = call or f"call {self.scribe.number()}"
        arguments = arguments_json_of(SendRequest(recipient.label, f"body {self.scribe.number()} ü", Mode.STEER))
        id_ = approval_id_of(run.run_id, call)
        asked = e.ApprovalRequested(id_, run.run_id, call, SEND_MESSAGE, recipient.session_id, arguments, expire_time)
        self.emit(session, asked)
        return run.approvals[id_]

    def wake(self, session: Session, not_before_time: int | None = None) -> None:
        """Ask for a run."""
        self.emit(session, e.WakeRequested(self.scribe.new_id(), not_before_time))

    def offer(self, session: Session, runtime_id: str = "runtime", token_id: str = TOKEN) -> None:
        """Offer the session's wake."""
        wake = session.wake
        assert wake is not None
        self.emit(
            session,
            e.WakeOffered(wake.wake_id, runtime_id, token_id, wake.offer_number + 1, self.time + 10_000_000),
        )


class Scribe:
    """Writes batches into a store, with ids and instants of its own."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._number = 0

    def number(self) -> int:
        """Return the next number."""
        self._number += 1
        return self._number

    def new_id(self) -> str:
        """Return the next id; they rise."""
        return str(UUID(int=(0x0190_0000_0000_7000_8000 << 48) + self.number()))

    def next_time(self) -> int:
        """Return the next instant."""
        return TIME + self.number()

    @contextmanager
    def batch(self, stored: list[StoredEvent] | None = None) -> Iterator[Batch]:
        """Give a batch, then write and commit it; a failure rolls it back, as the engine does."""
        self.store.begin()
        batch = Batch(self)
        try:
            yield batch
            events = self.store.write(batch.changes)
            self.store.commit()
        except BaseException:
            self.store.rollback()
            self.store.forget(batch.changes.sessions)
            raise
        if stored is not None:
            stored += events

    def load(self, *session_ids: str) -> dict[str, Session]:
        """Return sessions as the store has them."""
        self.store.begin()
        try:
            return self.store.load_sessions(session_ids)
        finally:
            self.store.rollback()


class Player:
    """Plays at random: at each step something that is possible for a session."""

    def __init__(self, scribe: Scribe, seed: int) -> None:
        self.scribe = scribe
        self.random = random.Random(seed)
        self.session_ids: list[str] = []
        self.replays: dict[ReplayKey, Replay] = {}
        self.ended: dict[str, Message] = {}

    def play(self, steps: int) -> None:
        """Write one batch of so many steps."""
        with self.scribe.batch() as batch:
            loaded = self.scribe.store.load_sessions(self.session_ids)
            sessions = [*loaded.values()]
            for _ in range(steps):
                if len(sessions) < 3 or self.random.random() < 0.05:
                    parent = self.random.choice(sessions) if sessions and self.random.random() < 0.8 else None
                    state = self.random.choice([SessionState.IDLE, SessionState.QUEUED])
                    sessions.append(batch.create(parent, state=state))
                    continue
                session = self.random.choice(sessions)
                self.random.choice([*self._possible(batch, session, sessions)])()
            ended = [
                message
                for session in batch.changes.sessions.values()
                for message in session.touched.messages.values()
                if message.state in (MessageState.CONSUMED, MessageState.DISCARDED)
            ]
        self.session_ids = [session.session_id for session in sessions]
        self.replays.update(batch.changes.replays)
        self.ended.update({message.message_id: copy.deepcopy(message) for message in ended})

    def _possible(self, batch: Batch, session: Session, sessions: list[Session]) -> Iterator[Callable[[], object]]:
        """Give what may happen to a session now."""
        pick = self.random.choice
        if session.deleted:
            yield lambda: None
            return
        live = [other for other in sessions if not other.deleted]
        yield lambda: batch.tell(session, expire_time=pick([None, batch.time + 5]), mode=pick([*Mode]))
        yield lambda: batch.touch(session, pick([None, batch.time, batch.time + 100]))
        waiting = [message for message in session.mail.values() if message.waiting]
        if waiting:
            reason = pick([*DiscardReason])
            by = self.scribe.new_id() if reason is DiscardReason.SUPERSEDED else None
            yield lambda: batch.emit(session, e.MessageDiscarded(pick(waiting).message_id, reason, by))
        yield lambda: batch.emit(
            session,
            e.SessionAvailabilityChanged(pick([*Availability]), "why", pick([None, batch.time]), by_person=True),
        )
        if session.state is SessionState.QUEUED:
            yield lambda: batch.emit(session, e.SessionUnqueued("why"))
        if session.run is not None:
            yield from self._while_running(batch, session, live)
        else:
            yield lambda: batch.run(session)
            yield from self._while_asleep(batch, session)

    def _while_running(self, batch: Batch, session: Session, live: list[Session]) -> Iterator[Callable[[], object]]:
        run = session.run
        assert run is not None
        for _ in range(4):  # sends are the most frequent
            yield lambda: batch.send(session, self.random.choice(live), body="b" * self.random.randrange(40))
        pending = [message.message_id for message in session.mail.values()]
        if pending:
            replaced = self.random.choice(pending)
            yield lambda: batch.send(session, session, supersedes_message_id=replaced)
        yield lambda: batch.ask(session, self.random.choice(live), expire_time=self.random.choice([None, 5]))
        for approval in run.approvals.values():
            yield from self._while_asked(batch, session, approval)
        if run.live_claim is None:
            yield lambda: batch.claim(session)
            yield lambda: batch.claim(session)
            yield lambda: batch.finish(session, self.random.choice([*RunState][1:]))
        else:
            yield lambda: batch.commit(session)
            yield lambda: batch.release(session)

    def _while_asked(self, batch: Batch, session: Session, approval: Approval) -> Iterator[Callable[[], object]]:
        id_ = approval.approval_id
        decision = self.random.choice([*ApprovalDecision])
        if approval.state is ApprovalState.PENDING:
            yield lambda: batch.emit(session, e.ApprovalDecided(id_, decision, "why", TOKEN))
            yield lambda: batch.emit(session, e.ApprovalExpired(id_))
        if approval.open:
            yield lambda: batch.emit(session, e.ApprovalUsed(id_, self.scribe.new_id()))
            yield lambda: batch.emit(session, e.ApprovalCancelled(id_))

    def _while_asleep(self, batch: Batch, session: Session) -> Iterator[Callable[[], object]]:
        wake = session.wake
        if wake is None:
            yield lambda: batch.wake(session, self.random.choice([None, batch.time + 7]))
            if not session.mail:
                yield lambda: batch.emit(session, e.SessionDeleted("gone"))
        elif wake.state is WakeState.REQUESTED:
            yield lambda: batch.offer(session, token_id=self.random.choice([TOKEN, "another token"]))
            yield lambda: batch.emit(session, e.WakeWithdrawn(wake.wake_id, "why"))
        else:
            yield lambda: batch.emit(
                session, e.WakeFailed(wake.wake_id, "runtime", wake.offer_number, "declined", batch.time + 9)
            )
