"""Observe: what other replicas did to sessions that runtimes hold here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kinpost_server.domain import event as e
from kinpost_server.domain.event import Event
from kinpost_server.domain.run import StopReason
from kinpost_server.domain.session import Session
from kinpost_server.engine import turns
from kinpost_server.engine.command import Command
from kinpost_server.engine.heartbeat import ended_reason
from kinpost_server.engine.ports import RunIdentity, RunKey, StoredEvent
from kinpost_server.engine.runtimes import Hold, RunStop, Runtimes
from kinpost_server.engine.settings import SECOND
from kinpost_server.engine.view import View

WAITING = frozenset({e.WakeRequested.TYPE, e.WakeFailed.TYPE})
TAKEN = frozenset({e.WakeOffered.TYPE, e.WakeWithdrawn.TYPE, e.RunStarted.TYPE})
NAMES_RUNTIME = frozenset({e.RunStarted.TYPE, e.WakeOffered.TYPE})
MAKES_SESSIONS = frozenset({e.SessionCreated.TYPE, e.SessionForked.TYPE})
AHEAD_MAX = 5 * SECOND  # clocks that are further apart leave it to the looks at everything, and nothing piles up here


class Declined(NamedTuple):
    """A session that a runtime declined for a while, at another replica: at which time, and until when."""

    session_id: str
    runtime_id: str
    time: int
    until: int


@dataclass(slots=True)
class Observe(Command[None]):
    """See where these sessions stand now, tell runtimes what they lost of them, and count them against their slots.

    It changes nothing, so it may come late; what it could not look at is looked at again.
    """

    session_ids: list[str]

    at_shutdown = None

    def instead(self) -> Sequence[Command[None]]:
        """Each alone, so that one that breaks holds up no other."""
        return [Observe([session_id]) for session_id in self.session_ids] if len(self.session_ids) > 1 else ()

    def load(self, view: View) -> None:
        for session_id in self.session_ids:
            session = view.want_session(session_id)
            if session is None:
                continue
            for hold in view.runtimes.held_or_lost(session_id):
                if hold.run_id is not None:
                    turns.want_run(view, session, hold.run_id)
                else:
                    view.want_run(_taken_up(session, hold))

    def decide(self, view: View) -> None:
        for session_id in self.session_ids:
            session, holds = view.session(session_id), view.runtimes.held_or_lost(session_id)
            view.runtimes.unseen.pop(session_id, None)
            if session is None:
                continue
            for hold in holds:
                if hold.run_id is not None:
                    view.runtimes.settle(session, hold, _stop(view, session, hold.run_id), None)
                else:
                    view.runtimes.settle(session, hold, None, view.run(_taken_up(session, hold)))
            view.runtimes.see(session)


def _taken_up(session: Session, hold: Hold) -> RunIdentity:
    """Return what a run is known by that has begun by the wake which a runtime was offered."""
    return RunIdentity(session.session_id, f"wake:{hold.wake_id}")


def _stop(view: View, session: Session, run_id: str) -> RunStop | None:
    """Return what the runtime of a run is to be told of its end, None if it goes on or ended itself."""
    if session.run is not None and session.run.run_id == run_id:
        return None
    run = view.run(RunKey(session.session_id, run_id))
    reason = ended_reason(run) if run is not None else StopReason.DELETED
    return RunStop(session.session_id, run_id, reason) if reason is not StopReason.NONE else None


def note_unseen(runtimes: Runtimes, stored: Iterable[StoredEvent], decode: Callable[[bytes], Event]) -> None:
    """Note the sessions of these events that runtimes here hold, ran, or are offered, and the runs that they started.

    An offer from elsewhere is to a runtime that attached here when the one who made it had not heard of that.
    """
    for event in stored:
        if runtimes.concerns(event.session_id):
            runtimes.unseen.setdefault(event.session_id, [])
        if event.type not in NAMES_RUNTIME:
            continue
        payload = decode(event.data).payload
        if isinstance(payload, e.RunStarted | e.WakeOffered):
            attachment = runtimes.attached(payload.runtime_id, payload.token_id)
            if attachment is not None:
                lost = runtimes.unseen.setdefault(event.session_id, [])
                if isinstance(payload, e.RunStarted) and (hold := Hold(attachment, run_id=payload.run_id)) not in lost:
                    lost.append(hold)


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


def next_offer_times(stored: Iterable[StoredEvent], decode: Callable[[bytes], Event], now: int) -> list[int]:
    """Return from when on the wakes of these events may be offered, where that is not by now.

    Another replica's clock may be a little ahead: what it lets begin at once begins here when that time has come.
    """
    times: list[int] = []
    for event in map(decode, (one.data for one in stored if one.type in WAITING)):
        match event.payload:
            case e.WakeFailed(next_offer_time=time):
                times.append(time)
            case e.WakeRequested(not_before_time=int(time)):
                times.append(time)
            case e.WakeRequested() if event.event_time - now < AHEAD_MAX:
                times.append(event.event_time)
    return [time for time in times if time > now]
