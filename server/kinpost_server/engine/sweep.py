"""Sweep, OfferWakes, Reconcile: what falls due by itself, and the search for what reconciliation missed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kinpost_server.domain import event as e
from kinpost_server.domain.run import RunState, StopReason, WakeState
from kinpost_server.domain.session import Availability, Session, SessionState
from kinpost_server.engine import approvals, delegation, turns
from kinpost_server.engine.command import Command
from kinpost_server.engine.deliver_parked import DeliverParked
from kinpost_server.engine.ports import Store
from kinpost_server.engine.reconcile import next_due_time, offer_delay
from kinpost_server.engine.register_producer import LapseProducers
from kinpost_server.engine.settings import SECOND
from kinpost_server.engine.view import View

DUE_MAX = 256  # of one commit


@dataclass(slots=True)
class Sweep(Command[None]):
    """Carry out what has fallen due in these sessions: leases, pauses, offers, expiry, queued starts.

    Of leases those that lapsed until `until`, the last moment up to which the service is known not to have stood still.
    """

    session_ids: list[str]
    until: int

    at_shutdown = None

    def instead(self) -> Sequence[Command[None]]:
        """Each alone, so that one that breaks holds up no other."""
        ids = self.session_ids
        return [Sweep([session_id], self.until) for session_id in ids] if len(ids) > 1 else ()

    def load(self, view: View) -> None:
        for session_id in self.session_ids:
            session = view.want_session(session_id)
            if session is None or session.run is None or session.run.lease_expire_time > self.until:
                continue
            delegation.want_parent(view, session)
            for child_id in view.want_queued_children(session.run.run_id):
                view.want_session(child_id)

    def decide(self, view: View) -> None:
        for session_id in self.session_ids:
            session = view.session(session_id)
            if session is None or session.deleted:
                continue
            if session.run is not None and session.run.approvals:
                approvals.expire_due(view, session, session.run)
            self._lapse(view, session)
            self._reopen(view, session)
            self._unqueue(view, session)
            self._withdraw_offer(view, session)
            if session.mail.expiring_count:
                for message in [m for m in session.mail.values() if m.waiting and _expired(m.expire_time, view.now)]:
                    turns.discard_dead(view, session, message)
            view.touch(session)

    def _lapse(self, view: View, session: Session) -> None:
        run = session.run
        if run is None or run.lease_expire_time > self.until:
            return
        view.runtimes.stop(session, run.run_id, StopReason.LEASE_LOST)
        turns.end_run(
            view,
            session,
            run,
            RunState.INTERRUPTED,
            reason="the lease lapsed",
            lease_lost=True,
            origin=e.Origin.SERVICE,
        )
        for child_id in view.queued_children(run.run_id):
            child = view.session(child_id)
            if child is not None and child.state is SessionState.QUEUED:
                view.emit(child, e.SessionUnqueued("the delegating run lapsed"))

    def _reopen(self, view: View, session: Session) -> None:
        if session.availability is Availability.PAUSED and _expired(session.until_time, view.now):
            view.emit(session, e.SessionAvailabilityChanged(Availability.OPEN, "the pause has ended"))

    def _unqueue(self, view: View, session: Session) -> None:
        seconds = view.settings.delivery.queued_start_seconds
        if session.state is SessionState.QUEUED and session.queued_time + int(seconds * SECOND) <= view.now:
            view.emit(session, e.SessionUnqueued("its delegator did not start it in time"))

    def _withdraw_offer(self, view: View, session: Session) -> None:
        wake = session.wake
        if wake is None or wake.state is not WakeState.OFFERED or not _expired(wake.expire_time, view.now):
            return
        next_offer_time = view.now + offer_delay(view, wake.offer_number)
        payload = e.WakeFailed(
            wake.wake_id, wake.runtime_id or "", wake.offer_number, "not taken in time", next_offer_time
        )
        view.emit(session, payload)


class Due(NamedTuple):
    """What has fallen due: a page of each kind."""

    session_ids: list[str]
    producer_ids: list[str]
    parked_ids: list[str]

    @classmethod
    def of(cls, store: Store, now: int) -> Due:
        """Ask the store."""
        return cls(
            store.due_sessions(now, DUE_MAX), store.due_producers(now, DUE_MAX), store.peer.due_parked(now, DUE_MAX)
        )

    @property
    def is_full(self) -> bool:
        """Whether there may be more."""
        return max(map(len, self)) >= DUE_MAX

    def commands(self, until: int) -> list[Command[None]]:
        """Return what carries it out; `until` is when it was due by."""
        commands: list[Command[None]] = []
        if self.producer_ids:
            commands.append(LapseProducers(self.producer_ids))
        if self.session_ids:
            commands.append(Sweep(self.session_ids, until))
        if self.parked_ids:
            commands.append(DeliverParked(self.parked_ids))
        return commands


@dataclass(slots=True)
class OfferWakes(Command[None]):
    """Look at these sessions again, now that a runtime has room."""

    session_ids: list[str]

    at_shutdown = None

    def instead(self) -> Sequence[Command[None]]:
        """Each alone, so that one that breaks holds up no other."""
        return [OfferWakes([session_id]) for session_id in self.session_ids] if len(self.session_ids) > 1 else ()

    def load(self, view: View) -> None:
        for session_id in self.session_ids:
            view.want_session(session_id)

    def decide(self, view: View) -> None:
        for session_id in self.session_ids:
            session = view.session(session_id)
            if session is not None:
                view.touch(session)


@dataclass(slots=True)
class Reconcile(Command[list[str]]):
    """Look whether these sessions are as reconciliation leaves them; return those that had to be mended."""

    session_ids: list[str]

    at_shutdown = None

    def load(self, view: View) -> None:
        for session_id in self.session_ids:
            view.want_session(session_id)

    def decide(self, view: View) -> list[str]:
        mended = []
        for session_id in self.session_ids:
            session = view.session(session_id)
            if session is None or session_id in view.changes.sessions:
                continue  # what the batch touched is reconciled with it
            wrong_wake = session.wake_due != (session.wake is not None)
            due_time = next_due_time(view, session)
            missed_time = due_time is not None and (session.due_time is None or session.due_time > due_time)
            if wrong_wake or (missed_time and not _may_have_come(view, session, due_time)):
                mended.append(session_id)
            view.touch(session)
        return mended


def _may_have_come(view: View, session: Session, due_time: int | None) -> bool:
    """Whether the time is that of the next offer, and another replica, by a later look at the clock, may be past it.

    Once it has come the wake is looked for by whoever has room, and is due at no time.
    """
    return bool(view.runtimes.others_first) and session.wake is not None and session.wake.next_offer_time == due_time


def _expired(time: int | None, now: int) -> bool:
    return time is not None and time <= now
