"""CancelRun: a person, a parent's runtime, or the session's own runtime stops a run."""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain.errors import RunNotActive, SessionNotFound
from kinpost_server.domain.event import Origin
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.run import RunState, StopReason
from kinpost_server.domain.session import Session
from kinpost_server.engine import turns
from kinpost_server.engine.access import any_session, hosts, require
from kinpost_server.engine.command import Command
from kinpost_server.engine.ports import RunKey
from kinpost_server.engine.reading import Cancelled, run_snapshot, snapshot
from kinpost_server.engine.view import View


@dataclass(slots=True)
class CancelRun(Command[Cancelled]):
    """Cancel the named run, or with an empty `run_id` whichever is active; a person's cancel pauses the session."""

    caller: Caller
    session_id: str
    run_id: str = ""
    reason: str = ""
    by_person: bool = False

    def load(self, view: View) -> None:
        session = view.want_session(self.session_id)
        if session is None:
            return
        if session.parent_session_id is not None:
            view.want_session(session.parent_session_id)
        if self.run_id:
            turns.want_run(view, session, self.run_id)

    def decide(self, view: View) -> Cancelled:
        require(self.caller, TokenKind.APPROVER, TokenKind.RUNTIME)
        session = any_session(view, self.session_id)
        self._check_caller(view, session)
        run = session.run
        if run is None or (self.run_id and run.run_id != self.run_id):
            return self._again(view, session)
        by_person = self.by_person or self.caller.is_person
        view.runtimes.stop(session, run.run_id, StopReason.CANCELLED)
        turns.end_run(
            view,
            session,
            run,
            RunState.CANCELLED,
            reason=self.reason,
            by_person=by_person,
            origin=Origin.PERSON if by_person else Origin.RUNTIME,
            token_id=self.caller.token_id,
        )
        return Cancelled(run_snapshot(run), snapshot(session))

    def _check_caller(self, view: View, session: Session) -> None:
        if self.caller.kind is not TokenKind.RUNTIME or hosts(self.caller, session):
            return
        parent = view.session(session.parent_session_id) if session.parent_session_id is not None else None
        if parent is None or not hosts(self.caller, parent):
            raise SessionNotFound

    def _again(self, view: View, session: Session) -> Cancelled:
        if not self.run_id:
            raise RunNotActive
        earlier = view.run(RunKey(session.session_id, self.run_id))
        if earlier is None or earlier.state is not RunState.CANCELLED:
            raise turns.ended(self.caller, earlier)
        if self.by_person or self.caller.is_person:
            turns.stop_after_cancel(view, self.caller, session, earlier, self.reason)
        return Cancelled(run_snapshot(earlier), snapshot(session))
