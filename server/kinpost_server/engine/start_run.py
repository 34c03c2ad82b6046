"""StartRun: a session gets its one active run, and its first mail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kinpost_server.domain import event as e
from kinpost_server.domain.errors import (
    ClaimLost,
    RunAlreadyActive,
    SessionNotOpen,
    WakeSettled,
)
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.run import Run, RunState, WakeState
from kinpost_server.domain.session import Availability, Session
from kinpost_server.engine import turns
from kinpost_server.engine.access import own_runtime, own_session, runs
from kinpost_server.engine.command import Command
from kinpost_server.engine.ports import RunIdentity
from kinpost_server.engine.reading import run_snapshot
from kinpost_server.engine.view import View


class Started(NamedTuple):
    """A run, and its claim if one was asked for."""

    run: Run
    claim: turns.ClaimedMail | None


@dataclass(slots=True)
class StartRun(Command[Started]):
    """Start a run by a wake or by the client's own id, exactly one of which is set; repeating it returns the run."""

    caller: Caller
    session_id: str
    wake_id: str
    client_run_id: str
    attempt_id: str = ""
    runtime_id: str = ""
    bytes_max: int = 0

    def load(self, view: View) -> None:
        session = view.want_session(self.session_id)
        if session is None:
            return
        if self.runtime_id:
            view.want_runtime(self.runtime_id)
        if session.run is None or session.run.identity != self._identity:
            view.want_run(RunIdentity(self.session_id, self._identity))
        turns.want_bodies(view, session)

    def decide(self, view: View) -> Started:
        session = own_session(view, self.caller, self.session_id)
        if self.runtime_id:
            own_runtime(view, self.caller, self.runtime_id)
        run = session.run
        if run is not None and run.identity == self._identity:
            return self._again(view, session, run)
        earlier = view.run(RunIdentity(self.session_id, self._identity))
        if earlier is not None:
            return self._ended(earlier)
        if run is not None:
            raise WakeSettled if self.wake_id else RunAlreadyActive
        if not session.may_wake:
            raise SessionNotOpen(f"the session is {session.availability.name.lower()}")
        if self.wake_id:
            self._check_wake(session)
        return self._start(view, session)

    @property
    def _identity(self) -> str:
        return f"wake:{self.wake_id}" if self.wake_id else f"client:{self.client_run_id}"

    def _again(self, view: View, session: Session, run: Run) -> Started:
        if not self._is_mine(run):
            raise WakeSettled if self.wake_id else RunAlreadyActive
        live = run.live_claim
        if self.attempt_id and (live is None or live.attempt_id != self.attempt_id) and run.attempts:
            raise ClaimLost("the run has made other claims since; call ClaimMessages")
        turns.renew(view, session, run)
        return Started(run_snapshot(run), self._claim(view, session, run))

    def _ended(self, earlier: Run) -> Started:
        if not self._is_mine(earlier):
            raise WakeSettled
        if earlier.lease_lost or earlier.state is RunState.CANCELLED:
            raise turns.ended(self.caller, earlier)
        return Started(run_snapshot(earlier), None)

    def _is_mine(self, run: Run) -> bool:
        same_runtime = not (self.runtime_id and run.runtime_id) or self.runtime_id == run.runtime_id
        return runs(self.caller, run) and same_runtime

    def _check_wake(self, session: Session) -> None:
        """A wake is started by the runtime that it is offered to; one that waits, by any that hosts the session."""
        wake = session.wake
        if wake is None or wake.wake_id != self.wake_id:
            raise WakeSettled
        if wake.state is WakeState.OFFERED and wake.token_id != self.caller.token_id:
            raise WakeSettled("the wake is offered to another runtime")
        if wake.state is WakeState.OFFERED and self.runtime_id and wake.runtime_id != self.runtime_id:
            raise WakeSettled("the wake is offered to another runtime")

    def _start(self, view: View, session: Session) -> Started:
        wake = session.wake
        run_id = view.new_id()
        offered = wake is not None and wake.state is WakeState.OFFERED and bool(self.wake_id)
        runtime_id = self.runtime_id or (wake.runtime_id if wake is not None and offered else None)
        if session.availability is not Availability.OPEN:
            view.emit(session, e.SessionAvailabilityChanged(Availability.OPEN, "woken"), origin=e.Origin.RUNTIME)
        view.emit(
            session,
            e.RunStarted(
                run_id,
                session.run_count + 1,
                self.wake_id or None,
                self.client_run_id or None,
                runtime_id,
                self.caller.token_id,
            ),
            run_id=run_id,
            origin=e.Origin.RUNTIME,
        )
        if wake is not None:
            view.emit(session, e.WakeSettled(wake.wake_id, run_id), run_id=run_id)
        run = session.run
        assert run is not None
        turns.renew(view, session, run)
        return Started(run_snapshot(run), self._claim(view, session, run))

    def _claim(self, view: View, session: Session, run: Run) -> turns.ClaimedMail | None:
        if not self.attempt_id:
            return None
        live = run.live_claim
        if live is not None:
            return turns.claimed_mail(view, session, live)
        return turns.claim(view, session, run, self.attempt_id, self.bytes_max)
