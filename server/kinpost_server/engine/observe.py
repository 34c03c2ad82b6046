"""Observe: what other replicas did to sessions that runtimes hold here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from kinpost_server.domain import event as e
from kinpost_server.domain.event import Event
from kinpost_server.domain.run import Run, StopReason
from kinpost_server.domain.session import Session
from kinpost_server.engine import turns
from kinpost_server.engine.command import Command
from kinpost_server.engine.heartbeat import ended_reason
from kinpost_server.engine.ports import RunIdentity, RunKey, StoredEvent
from kinpost_server.engine.runtimes import RunStop, Runtimes
from kinpost_server.engine.view import View

WAITING = frozenset({e.WakeRequested.TYPE, e.WakeFailed.TYPE})
TAKEN = frozenset({e.WakeOffered.TYPE, e.WakeWithdrawn.TYPE, e.RunStarted.TYPE})
NAMES_RUNTIME = frozenset({e.RunStarted.TYPE, e.WakeOffered.TYPE})
MAKES_SESSIONS = frozenset({e.SessionCreated.TYPE, e.SessionForked.TYPE})


class Declined(NamedTuple):
    """A session that a runtime declined for a while, at another replica: at which time, and until when."""

    session_id: str
    runtime_id: str
    time: int
    until: int


class StartedHere(NamedTuple):
    """A run that a runtime attached here started at another replica; it may have ended since."""

    run_id: str
    runtime_id: str
    token_id: str


@dataclass(slots=True)
class Observe(Command[None]):
    """See where these sessions stand now. It tells runtimes and changes nothing, so it may come late, and twice."""

    sessions: dict[str, list[StartedHere]]

    at_shutdown = None

    def load(self, view: View) -> None:
        for session_id, started in self.sessions.items():
            session = view.want_session(session_id)
            if session is None:
                continue
            held = view.runtimes.run_held(session_id)
            for run_id in [one.run_id for one in started] + ([held] if held is not None else []):
                turns.want_run(view, session, run_id)
            wake_id = view.runtimes.wake_held(session_id)
            if wake_id is not None:
                view.want_run(RunIdentity(session_id, f"wake:{wake_id}"))

    def decide(self, view: View) -> None:
        for session_id, started in self.sessions.items():
            session = view.session(session_id)
            if session is None:
                continue
            for run in started:
                self._take_up(view, session, run)
            view.runtimes.see(session, _ended(view, session), _settled_by(view, session))

    @staticmethod
    def _take_up(view: View, session: Session, run: StartedHere) -> None:
        runtimes = view.runtimes
        if runtimes.run_held(session.session_id) == run.run_id:
            return
        if runtimes.is_up_to_date(session):  # what it was told of came after this run
            runtimes.tell(run.runtime_id, _stop(view, session, run.run_id))
            return
        runtimes.take_up(session.session_id, *run)
        runtimes.see(session, _ended(view, session))


def _settled_by(view: View, session: Session) -> Run | None:
    """Return the run that has settled the wake which a runtime here was offered."""
    wake_id = view.runtimes.wake_held(session.session_id)
    return view.run(RunIdentity(session.session_id, f"wake:{wake_id}")) if wake_id is not None else None


def _ended(view: View, session: Session) -> RunStop | None:
    held = view.runtimes.run_held(session.session_id)
    return _stop(view, session, held) if held is not None else None


def _stop(view: View, session: Session, run_id: str) -> RunStop | None:
    """Return what the runtime of a run is to be told of its end, None if it goes on or ended itself."""
    if session.run is not None and session.run.run_id == run_id:
        return None
    run = view.run(RunKey(session.session_id, run_id))
    reason = ended_reason(run) if run is not None else StopReason.DELETED
    return RunStop(session.session_id, run_id, reason) if reason is not StopReason.NONE else None


def sessions_concerned(
    runtimes: Runtimes, stored: Iterable[StoredEvent], decode: Callable[[bytes], Event]
) -> dict[str, list[StartedHere]]:
    """Return the sessions of these events that runtimes here hold, ran, or are offered, and the runs that they started.

    An offer from elsewhere is to a runtime that attached here when the one who made it had not heard of that.
    """
    found: dict[str, list[StartedHere]] = {}
    for event in stored:
        if runtimes.concerns(event.session_id):
            found.setdefault(event.session_id, [])
        if event.type not in NAMES_RUNTIME:
            continue
        match decode(event.data).payload:
            case e.RunStarted() as started if runtimes.attached(started.runtime_id, started.token_id):
                run = StartedHere(started.run_id, started.runtime_id or "", started.token_id)
                found.setdefault(event.session_id, []).append(run)
            case e.WakeOffered() as offered if runtimes.attached(offered.runtime_id, offered.token_id):
                found.setdefault(event.session_id, [])
    return found


def wakes_wait(stored: Iterable[StoredEvent]) -> bool:
    """Whether a wake may wait for a runtime that is attached here."""
    waiting: set[str] = set()
    for event in stored:
        if event.type in WAITING:
            waiting.add(event.session_id)
        elif event.type in TAKEN:
            waiting.discard(event.session_id)
    return bool(waiting)


def declines(stored: Iterable[StoredEvent], decode: Callable[[bytes], Event]) -> Iterator[Declined]:
    """Yield what runtimes declined for a while, wherever they are attached."""
    for event in stored:
        if event.type == e.WakeFailed.TYPE:
            failed = decode(event.data)
            match failed.payload:
                case e.WakeFailed(runtime_id=runtime_id, declined_until_time=int(until)):
                    yield Declined(event.session_id, runtime_id, failed.event_time, until)


def next_offer_times(stored: Iterable[StoredEvent], decode: Callable[[bytes], Event]) -> list[int]:
    """Return from when on the wakes of these events may be offered, where that is not at once."""
    times: list[int] = []
    for event in stored:
        if event.type in WAITING:
            match decode(event.data).payload:
                case e.WakeFailed(next_offer_time=time) | e.WakeRequested(not_before_time=int(time)):
                    times.append(time)
    return times
