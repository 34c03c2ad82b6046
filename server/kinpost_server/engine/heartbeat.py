"""Heartbeat: one call renews the leases of all runs of a runtime."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.run import Run, RunState, StopReason
from kinpost_server.engine import turns
from kinpost_server.engine.access import hosts, own_runtime, require, runs
from kinpost_server.engine.command import Command
from kinpost_server.engine.ports import RunKey
from kinpost_server.engine.settings import SECOND
from kinpost_server.engine.view import View


class RunLease(NamedTuple):
    """Where one run stands; `state` is None for a run that is not the caller's."""

    session_id: str
    run_id: str
    state: RunState | None
    stop_reason: StopReason


class HeartbeatAnswer(NamedTuple):
    """In the order of the request; the active ones last at least until `lease_expire_time`."""

    runs: list[RunLease]
    lease_expire_time: int


@dataclass(slots=True)
class Heartbeat(Command[HeartbeatAnswer]):
    """Renew the leases of these (session, run) pairs."""

    caller: Caller
    runtime_id: str
    runs: list[tuple[str, str]]

    def load(self, view: View) -> None:
        view.want_runtime(self.runtime_id)
        for session_id, run_id in self.runs:
            session = view.want_session(session_id)
            if session is not None:
                turns.want_run(view, session, run_id)

    def decide(self, view: View) -> HeartbeatAnswer:
        require(self.caller, TokenKind.RUNTIME)
        own_runtime(view, self.caller, self.runtime_id)
        leases = [self._renew(view, session_id, run_id) for session_id, run_id in self.runs]
        lease = int(view.settings.delivery.run_lease_seconds * SECOND)
        return HeartbeatAnswer(leases, view.now + lease)

    def _renew(self, view: View, session_id: str, run_id: str) -> RunLease:
        session = view.session(session_id)
        if session is None or session.deleted or not hosts(self.caller, session):
            return RunLease(session_id, run_id, None, StopReason.NONE)
        run = session.run
        if run is not None and run.run_id == run_id and runs(self.caller, run):
            turns.renew(view, session, run)
            return RunLease(session_id, run_id, run.state, turns.stop_reason(session))
        earlier = view.run(RunKey(session_id, run_id)) if run is None or run.run_id != run_id else None
        if earlier is None or not runs(self.caller, earlier):
            return RunLease(session_id, run_id, None, StopReason.NONE)
        return RunLease(session_id, run_id, earlier.state, ended_reason(earlier))


def ended_reason(run: Run) -> StopReason:
    """Return why an ended run must stop; NONE when its own runtime ended it."""
    if run.lease_lost:
        return StopReason.LEASE_LOST
    return StopReason.CANCELLED if run.state is RunState.CANCELLED else StopReason.NONE
