"""The committer: one thread that takes all commands that wait, decides them on one view, and commits once.

A refusal affects only its own command. A batch that fails for a fault of its own is run again one by one, so that only
the culprit fails. A failure of the store answers every command of the batch with `storage:unavailable`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from kinpost_server.domain.errors import Refusal, StorageUnavailable
from kinpost_server.domain.identity import Token
from kinpost_server.engine.accident import facts_of
from kinpost_server.engine.command import Deferred, GateNeeded
from kinpost_server.engine.gathering import Gathering, Pending
from kinpost_server.engine.ports import Changes, Store, StoredEvent, StoreFailed
from kinpost_server.engine.reading import sealed
from kinpost_server.engine.reconcile import reconcile
from kinpost_server.engine.replica_ports import BeginAgain, GateStream, News
from kinpost_server.engine.runtimes import Attachment, Notice, Runtimes
from kinpost_server.engine.settings import SECOND, EngineSettings
from kinpost_server.engine.tally import GONE, Tally
from kinpost_server.engine.tracing import BatchTracer
from kinpost_server.engine.view import View

Value = TypeVar("Value")

LOAD_ROUNDS_MAX = 8
RETRY_SECONDS = 1.0
BEGINNINGS_MAX = 4  # each with all locks that the one before had learnt of


class Outcome(NamedTuple):
    """What a batch came to: answers or exceptions, and what others are to be told."""

    answers: list[tuple[Pending, Any]]
    stored: list[StoredEvent]
    notices: list[tuple[Attachment, Notice | None]]
    tokens: dict[str, Token]
    news: frozenset[News] = frozenset()  # what other replicas are to look at


class BrokenBatch(Exception):
    """A command failed after it had emitted: the batch cannot be stored as it is."""


@dataclass(slots=True, eq=False)
class Committer:
    """Owns the writing side of the store. `announce` is called in this thread after each commit, with its outcome."""

    store: Store
    settings: EngineSettings
    now: Callable[[], int]
    new_id: Callable[[], str]
    envelope_key: bytes
    token_of: Callable[[str], Token | None]
    announce: Callable[[Outcome], None]
    log: Callable[[str, dict[str, object]], None]
    is_gated: Callable[[str], bool] = lambda _tool_name: False
    runtimes: Runtimes = field(default_factory=Runtimes)
    slot_freed: Callable[[], None] = lambda: None  # called between two batches when a runtime has room again
    tally: Tally = field(default_factory=Tally)
    tracer: BatchTracer | None = None
    gathering: Gathering = field(init=False)
    waiting: int = 0
    healthy: bool = True
    failure: StoreFailed | None = None  # the last one
    _hosted: dict[str, int] = field(default_factory=dict)  # how many sessions each token that makes some hosts
    _held_unknown: bool = True
    _thread: threading.Thread | None = None

    def __post_init__(self) -> None:
        self.gathering = Gathering(self.settings.batch)

    def start(self) -> None:
        """Begin to work."""
        self._thread = threading.Thread(target=self._work, name="committer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Commit what waits, then end. Blocks."""
        self.gathering.end()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while gathered := self.gathering.take():
            for work in gathered.calls:
                self._guarded(work)
            if gathered.batch:
                self.process(gathered.batch)
            del gathered  # nothing of it is kept while nobody calls
            if self.runtimes.slot_freed:
                self._guarded(self.slot_freed)

    def process(self, batch: list[Pending]) -> None:
        """Commit a batch and announce its outcome; never raises."""
        live = [pending for pending in batch if pending.waiter is None or not pending.waiter.cancelled()]
        gone = [(pending, GONE) for pending in batch if pending not in live] if len(live) < len(batch) else []
        if gone:
            self.announce(Outcome(gone, [], [], {}))
        if not live:
            return
        began = time.time_ns() if self.tracer is not None else 0
        try:
            outcome = self._commit_at_last(live)
        except StoreFailed as failure:
            self._trace(live, began, 0, StorageUnavailable.code)
            self._store_failed(live, failure)
            return
        except Exception as failure:  # noqa: BLE001 - whatever it is, only its own command may suffer
            if len(live) > 1:
                for pending in live:
                    self.process([pending])
                return
            told = failure.__cause__ if isinstance(failure, BrokenBatch) else failure
            outcome = Outcome([(live[0], told)], [], [], {})
        self._trace(live, began, len(outcome.stored), "")
        self.announce(outcome)
        for answered, answer in outcome.answers if len(live) == 1 else ():
            if isinstance(answer, Exception) and not isinstance(answer, (Refusal, GateNeeded)):
                for command in answered.command.instead():
                    self.process([Pending(command)])

    def renew_leases(self) -> None:
        """Let all leases begin anew, of runs and of producers: after a start, and after the store was away."""
        runs = int(self.settings.delivery.run_lease_seconds * SECOND)
        producers = int(self.settings.producers.lease_seconds * SECOND)
        now = self.now()
        self.store.renew_leases(now + runs + runs // 4, now + producers + producers // 4)

    def _guarded(self, work: Callable[[], object]) -> None:
        try:
            work()
        except StoreFailed as failure:
            self._store_failed([], failure)
        except BeginAgain:
            self.runtimes.slot_freed = True  # timers come again by themselves; offers that were to be made do not
        except Exception as failure:  # noqa: BLE001 - the committer outlives every fault of its timers
            self.log("committer_fault", facts_of(failure))

    def read(self, load: Callable[[], Value]) -> Value:
        """Read in a transaction of its own. Raises StoreFailed."""
        self.begin()
        try:
            return load()
        finally:
            self.store.rollback()

    def count_hosted_anew(self) -> None:
        """Count how many sessions tokens host when it is asked next: others make sessions too."""
        self._hosted.clear()

    def begin(self) -> None:
        """Begin a transaction; after the store was away, all leases begin anew. Raises StoreFailed."""
        self.store.begin()
        if not self.healthy:
            self.store.rollback()
            self.renew_leases()
            self.healthy = True
            self._held_unknown = True
            self.runtimes.slot_freed = True  # what was to be offered meanwhile was not
            self.log("store_recovered", {})
            self.store.begin()

    def _commit_at_last(self, batch: list[Pending]) -> Outcome:
        """Commit a batch, beginning again while the store has to take its locks in another order."""
        for _ in range(BEGINNINGS_MAX):
            try:
                return self._commit(batch)
            except BeginAgain:
                continue
        raise StorageUnavailable(retry_after_seconds=RETRY_SECONDS)  # of several commands, each is tried alone

    def _commit(self, batch: list[Pending]) -> Outcome:
        began = time.perf_counter()
        self.begin()
        view = View(
            self.store,
            self.settings,
            self.runtimes,
            self.now(),
            self.new_id,
            self.envelope_key,
            self.token_of,
            self._hosted,
            self.is_gated if self.store.replicas is None else self._is_gated_anywhere(),
        )
        try:
            if self._held_unknown:
                self._count_held()
            answers, put_off = self._decide(view, batch)
            self._settle(view)
            answers = [(pending, sealed(answer)) for pending, answer in answers]
            stored = self.store.write(view.changes) if view.changes else []
            if view.changes:
                committing = time.perf_counter()
                self.store.commit()
                self.tally.commit_seconds.observe(time.perf_counter() - committing)
            else:
                self.store.rollback()
        except BaseException as failure:
            self.store.rollback()
            self.store.forget(view.changes.sessions)
            if view.changes or not isinstance(failure, BeginAgain):  # else nothing had been decided
                self._held_unknown = True
                self._hosted.clear()
            raise
        self.gathering.put_off(put_off)  # of a batch that failed, all are answered or run again
        notices = self.runtimes.take_outbox()
        self.tally.batch_commands.observe(len(batch))
        self.tally.batch_seconds.observe(time.perf_counter() - began)
        return Outcome(answers, stored, notices, view.changes.tokens, _news(view.changes))

    def _is_gated_anywhere(self) -> Callable[[str], bool]:
        """Return whether any plugin sees calls of a tool, those at other replicas as they are in this transaction."""
        elsewhere: list[GateStream] | None = None

        def is_gated(tool_name: str) -> bool:
            nonlocal elsewhere
            if elsewhere is None:
                elsewhere = self.store.gates_elsewhere()
            return self.is_gated(tool_name) or any(stream.sees(tool_name) for stream in elsewhere)

        return is_gated

    def _decide(self, view: View, batch: list[Pending]) -> tuple[list[tuple[Pending, Any]], list[Pending]]:
        """Return the answers, and what has to be decided in the next batch."""
        answers: list[tuple[Pending, Any]] = []
        put_off: list[Pending] = []
        sound = batch
        for _ in range(LOAD_ROUNDS_MAX):
            sound = self._load(view, sound, answers)
            if not view.fetch():
                break
        for pending in sound:
            emitted = len(view.changes.events)
            try:
                answers.append((pending, pending.command.decide(view)))
            except (StoreFailed, BeginAgain):
                raise  # of the batch, not of this command
            except Exception as failure:
                if len(view.changes.events) != emitted:
                    raise BrokenBatch from failure
                if isinstance(failure, Deferred):
                    if len(batch) == 1:
                        raise
                    put_off.append(pending)
                else:
                    answers.append((pending, _bare(failure)))
        return answers, put_off

    @staticmethod
    def _load(view: View, batch: list[Pending], answers: list[tuple[Pending, Any]]) -> list[Pending]:
        sound = []
        for pending in batch:
            try:
                pending.command.load(view)
                sound.append(pending)
            except (StoreFailed, BeginAgain):
                raise
            except Exception as failure:  # noqa: BLE001 - whatever it is, only its own command may suffer
                answers.append((pending, _bare(failure)))
        return sound

    def _settle(self, view: View) -> None:
        """Reconcile what the batch touched, and tell the senders whose mail died."""
        for notice in view.notices:
            view.want_session(notice.sender_session_id)
        view.fetch()
        for notice in view.notices:
            sender = view.session(notice.sender_session_id)
            if sender is not None and not sender.deleted:
                view.emit(sender, notice.payload)
        for session in list(view.changes.sessions.values()):
            reconcile(view, session)

    def _count_held(self) -> None:
        """Count anew which runtime holds which session, after a start or a batch that was not stored.

        What ended at another replica meanwhile is looked at afterwards: whoever held it has not been told.
        """
        before = self.runtimes.forget_held()
        attachments = self.runtimes.attachments
        if attachments:
            for run in self.store.active_runs():
                attachment = self.runtimes.attached(run.runtime_id, run.token_id)
                if attachment is not None:
                    self.runtimes.hold(run.session_id, attachment, run_id=run.run_id)
            for attachment in attachments.values():
                for offer in self.store.offers_of(attachment.runtime_id):
                    self.runtimes.hold(offer.session_id, attachment, wake_id=offer.wake_id)
        self.runtimes.doubt(before)
        self._held_unknown = False

    def _trace(self, batch: list[Pending], began: int, events: int, code: str) -> None:
        if self.tracer is not None:
            calls = [pending.call for pending in batch if pending.call is not None]
            self.tracer.batch(calls, began, len(batch), events, code)

    def _store_failed(self, batch: list[Pending], failure: StoreFailed) -> None:
        if self.healthy:
            self.log("store_failed", {"fault": str(failure)})
        self.healthy = False
        self.failure = failure
        refusal: Refusal = StorageUnavailable(retry_after_seconds=RETRY_SECONDS)
        if batch:
            self.announce(Outcome([(pending, refusal) for pending in batch], [], [], {}))


def _news(changes: Changes) -> frozenset[News]:
    kinds = ((News.EVENTS, changes.events), (News.TOKENS, changes.tokens), (News.RUNTIMES, changes.runtimes))
    return frozenset(news for news, changed in kinds if changed)


def _bare(failure: Exception) -> Exception:
    """Take from what is an answer and no accident what leads to where it was raised.

    It would hold the view and the whole batch, with all bodies, until the collector comes by.
    """
    return failure.with_traceback(None) if isinstance(failure, (Refusal, GateNeeded)) else failure
