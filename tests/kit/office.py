"""The engine over a real store, driven step by step in the test's own thread and under the test's own clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from as_file import copy_to_file
from kinpost_server.domain import event as e
from kinpost_server.domain.errors import SessionLogMoved
from kinpost_server.domain.event import Event
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.refold import Refold
from kinpost_server.domain.session import Session
from kinpost_server.engine.attach import Attach, Detach
from kinpost_server.engine.batch import Committer, Outcome
from kinpost_server.engine.command import Command, HistoryCommand
from kinpost_server.engine.gathering import Pending
from kinpost_server.engine.ports import Reader, Scope, Store, StoredEvent
from kinpost_server.engine.runtimes import Attachment, Notice
from kinpost_server.engine.settings import SECOND, EngineSettings
from kinpost_server.engine.sweep import Reconcile
from kinpost_server.engine.tokens import TokenBook
from kinpost_server.engine.upkeep import Upkeep
from kinpost_server.store.examining import Difference, examine
from kinpost_server.store.opening import open_store
from kinpost_server.store.settings import StoreSettings
from kinpost_server.transport.event_codec import decode, decode_body, encode

START_TIME = 1_800_000_000 * SECOND
FIRST_ID = 0x0190_0000_0000_7000_8000_0000_0000_0001
ADMIN = Caller(str(UUID(int=1)), TokenKind.ADMIN)
RUNTIME_1 = Caller(str(UUID(int=2)), TokenKind.RUNTIME)
RUNTIME_2 = Caller(str(UUID(int=3)), TokenKind.RUNTIME)
APPROVER = Caller(str(UUID(int=4)), TokenKind.APPROVER)
PLUGIN = Caller(str(UUID(int=5)), TokenKind.PLUGIN, plugin_name="ci")
PLUGIN_2 = Caller(str(UUID(int=6)), TokenKind.PLUGIN, plugin_name="cd")


class Waiting:
    """Somebody who waits for an answer."""

    def __init__(self) -> None:
        self.gone = False

    def cancelled(self) -> bool:
        """Whether it has gone."""
        return self.gone


@dataclass
class Office:
    """Commands in, answers out; nothing happens by itself."""

    path: Path
    url: str = ""  # of the database, when it is not the SQLite file at `path`
    settings: EngineSettings = field(default_factory=EngineSettings)
    # The log's indexes soon have something in them.
    store_settings: StoreSettings = field(default_factory=lambda: StoreSettings(unindexed_events_max=16))
    time: int = START_TIME
    notices: dict[str, list[Notice | None]] = field(default_factory=dict)
    mended: list[str] = field(default_factory=list)
    logged: list[tuple[str, dict[str, object]]] = field(default_factory=list)
    ids: Iterator[int] = field(default_factory=lambda: count(FIRST_ID))
    tell: Callable[[Outcome], None] = lambda _outcome: None  # called with each commit
    others_first_seconds: float = 0.0  # where there are other replicas
    store: Store = field(init=False)
    reader: Reader = field(init=False)
    committer: Committer = field(init=False)
    upkeep: Upkeep = field(init=False)
    book: TokenBook = field(init=False)
    _answers: dict[int, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._open()

    def _open(self) -> None:
        opened = open_store(
            self.url or f"sqlite:///{self.path}",
            encode=encode,
            decode_body=decode_body,
            settings=self.store_settings,
        )
        self.store, self.reader = opened.store, opened.reader
        self.book = TokenBook(self.store.load_tokens())
        self.committer = Committer(
            store=self.store,
            settings=self.settings,
            now=lambda: self.time,
            new_id=self.new_id,
            envelope_key=b"key of the tests",
            token_of=self.book.get,
            announce=self._announce,
            log=lambda name, values: self.logged.append((name, values)),
        )
        self.committer.runtimes.others_first = int(self.others_first_seconds * SECOND)
        self.upkeep = Upkeep(self.committer, decode)

    def new_id(self) -> str:
        """Return the next id; they rise."""
        return str(UUID(int=next(self.ids)))

    def _announce(self, outcome: Outcome) -> None:
        for token in outcome.tokens.values():
            self.book.put(token)
        for pending, answer in outcome.answers:
            self._answers[id(pending)] = answer
            if isinstance(pending.command, Reconcile):
                self.mended += answer
        for attachment, notice in outcome.notices:
            self.notices.setdefault(attachment.runtime_id, []).append(notice)
        self.tell(outcome)

    def together(self, *commands: Command[Any]) -> list[Any]:
        """Decide commands in one batch; return answers and refusals in order. What looks back does so before."""
        for command in commands:
            if isinstance(command, HistoryCommand):
                command.look_back(self.reader, decode)
        batch = [Pending(command, Waiting()) for command in commands]
        self.committer.process(batch)
        while put_off := self.committer.gathering.take_put_off():
            self.committer.process(put_off)
        self._offer()
        return [self._first(pending.command, self._answers.pop(id(pending))) for pending in batch]

    def _first(self, command: Command[Any], answer: Any) -> Any:
        if isinstance(command, HistoryCommand) and isinstance(answer, SessionLogMoved):
            return command.first_answer(self.reader, decode) or answer
        return answer

    def do(self, command: Command[Any]) -> Any:
        """Decide one command and return its answer. Raises its refusal."""
        return the_one(self.together(command))

    def attach(self, caller: Caller, runtime_id: str, *, any_session: bool = False, slots: int = 100) -> Attachment:
        """Attach a runtime whose notices are kept in `notices`."""
        agents = frozenset({"*"}) if any_session else frozenset()
        attachment = Attachment(runtime_id, caller.token_id, agents, any_session, slots, lambda _notice: None)
        self.do(Attach(caller, attachment, []))
        self.committer.runtimes.slot_freed = True
        self.upkeep.offer_waiting()
        return attachment

    def detach(self, runtime_id: str) -> None:
        """Let a runtime go, if it is attached."""
        attachment = self.committer.runtimes.attachments.get(runtime_id)
        if attachment is not None:
            self.do(Detach(attachment))

    def advance(self, seconds: float) -> None:
        """Let time pass and carry out what falls due."""
        self.time += int(seconds * SECOND)
        self.upkeep.sweep()
        self._offer()

    def observe(self, stored: list[StoredEvent]) -> None:
        """Take in what another replica stored."""
        self.upkeep.observe(stored)
        self._offer()

    def _offer(self) -> None:
        if self.committer.runtimes.slot_freed:
            self.upkeep.offer_waiting()

    def restart(self, *, alone: bool = True) -> None:
        """Close the store and open it anew, as a new process would; runtimes have to attach again.

        Leases begin anew unless another replica lives, since they could be renewed there.
        """
        self.close()
        self._open()
        if alone:
            self.committer.renew_leases()
        self.upkeep.reconcile_all()

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def differences(self) -> list[Difference]:
        """Return what the doctor finds; it examines files, so PostgreSQL's rows are copied into one for it."""
        found: list[Difference] = []
        if not self.url:
            examine(self.path, decode, found.append)
            return found
        with TemporaryDirectory(prefix="kinpost-copy-") as folder:
            copy = Path(folder) / "kinpost.db"
            copy_to_file(self.url, copy)
            examine(copy, decode, found.append)
        return found

    def session(self, session_id: str) -> Session:
        """Return a session as the store has it."""
        self.store.begin()
        try:
            return self.store.load_sessions([session_id])[session_id]
        finally:
            self.store.rollback()

    def stored(self, session_id: str = "") -> list[StoredEvent]:
        """Return the stored events of a session, or all."""
        found: list[StoredEvent] = []
        position = 0
        while True:
            page, upto = self.reader.events_after(Scope(session_id), position, (), 500, 1 << 20)
            found += page
            if upto <= position:
                return found
            position = upto

    def events(self, session_id: str = "") -> list[Event]:
        """Return the events of a session, or all, read back from the log."""
        return [decode(event.data) for event in self.stored(session_id)]

    def folded(self, session_id: str) -> Session:
        """Return the fold of a session's log."""
        return self.refold(session_id).session

    def refold(self, session_id: str, before_position: int = 1 << 62) -> Refold:
        """Return the fold of a session's log up to a position."""
        events = [event for event in self.events(session_id) if event.position < before_position]
        fold = Refold(event.payload for event in events if isinstance(event.payload, e.SessionReverted))
        for event in events:
            payload = event.payload
            if isinstance(payload, e.SessionForked):
                original = self.refold(payload.from_session_id, event.position).session
                payload.host_token_ids = frozenset(original.host_token_ids)
            fold.take(event)
        return fold


def essence(session: Session) -> dict[str, Any]:
    """Return what the log determines of a session, for comparison."""
    run = session.run
    wake = session.wake
    return {
        "session": (
            session.session_id,
            session.root_session_id,
            session.parent_session_id,
            session.depth,
            session.handle,
            session.agent,
            session.description,
            session.message_rules,
            session.starter,
            session.state,
            session.create_time,
            session.request_digest,
        ),
        "availability": (
            session.availability,
            session.availability_reason,
            session.availability_time,
            session.until_time,
            session.no_wake,
            session.set_by_person,
        ),
        "counts": (session.last_seq, session.run_count, session.failing_runs, session.deleted, session.queued_time),
        "hosts": sorted(session.host_token_ids),
        "mail": [
            (
                message.message_id,
                message.accept_seq,
                message.owner,
                message.mode,
                message.sender,
                message.body_bytes,
                message.accept_time,
                message.agent_hop,
                message.expire_time,
                message.state,
                message.run_id,
                message.claim_seq,
                message.delivery_count,
                message.admit_time,
                message.claim_time,
                message.superseded_by,
                message.forked_from,
            )
            for message in session.mail.values()
        ],
        "run": run
        and (
            run.run_id,
            run.number,
            run.token_id,
            run.start_time,
            run.start_seq,
            run.wake_id,
            run.client_run_id,
            run.state,
            run.hop,
            run.admitted_count,
            run.consumed_count,
            run.at_first_boundary,
            run.live_claim and run.live_claim.claim_seq,
            {seq: (c.attempt_id, c.message_ids, c.more_pending, c.state) for seq, c in run.claims.items()},
            run.attempts,
            {
                id_: (
                    a.tool_call_id,
                    a.request_digest,
                    a.create_time,
                    a.expire_time,
                    a.state,
                    a.decision,
                    a.decide_time,
                )
                for id_, a in run.approvals.items()
            },
        ),
        "wake": wake
        and (
            wake.wake_id,
            wake.request_time,
            wake.next_offer_time,
            wake.state,
            wake.offer_number,
            wake.token_id,
            wake.expire_time,
        ),
    }


def the_one(answers: list[Any]) -> Any:
    """Return the only answer. Raises the refusal that it is."""
    (answer,) = answers
    if isinstance(answer, Exception):
        raise answer
    return answer
