"""Attach, Detach, DeclineWake: a runtime comes, goes, and gives offers back."""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain import event as e
from kinpost_server.domain.errors import WakeSettled
from kinpost_server.domain.identity import SERVICE, Caller, TokenKind
from kinpost_server.domain.run import StopReason, WakeState
from kinpost_server.domain.session import Session
from kinpost_server.engine import turns
from kinpost_server.engine.access import hosts, own_runtime, own_session, require, runs
from kinpost_server.engine.command import Command
from kinpost_server.engine.heartbeat import ended_reason
from kinpost_server.engine.ports import RunKey
from kinpost_server.engine.reconcile import offer_delay
from kinpost_server.engine.replica_ports import RuntimeOwner
from kinpost_server.engine.runtimes import Attachment, RunStop
from kinpost_server.engine.view import View


@dataclass(slots=True)
class Attach(Command[list[RunStop]]):
    """Take a runtime in, with the runs it holds; return those of them that are not active any more."""

    caller: Caller
    attachment: Attachment
    held_runs: list[tuple[str, str]]

    def load(self, view: View) -> None:
        view.want_runtime(self.attachment.runtime_id)
        for session_id, run_id in self.held_runs:
            session = view.want_session(session_id)
            if session is not None:
                turns.want_run(view, session, run_id)
        for session_id in view.want_offers_of(self.attachment.runtime_id):
            view.want_session(session_id)

    def decide(self, view: View) -> list[RunStop]:
        require(self.caller, TokenKind.RUNTIME)
        attachment = self.attachment
        own_runtime(view, self.caller, attachment.runtime_id)
        attachment.attach_time = view.now
        view.remember_runtime(attachment.runtime_id, RuntimeOwner(self.caller.token_id, attachment.attachment_id))
        view.runtimes.attach(attachment)
        stopped = []
        for session_id, run_id in self.held_runs:
            stop = self._take_up(view, session_id, run_id)
            if stop is not None:
                stopped.append(stop)
        for session_id in view.want_offers_of(attachment.runtime_id):
            session = view.session(session_id)
            if session is not None and _is_offered_to(session, attachment.runtime_id):
                view.runtimes.overtake(session)
                view.runtimes.offer_to(attachment, session)
        return stopped

    def _take_up(self, view: View, session_id: str, run_id: str) -> RunStop | None:
        session = view.session(session_id)
        if session is None or session.deleted or not hosts(self.caller, session):
            return RunStop(session_id, run_id, StopReason.DELETED)
        run = session.run
        if run is not None and run.run_id == run_id and run.token_id == self.caller.token_id:
            turns.renew(view, session, run)
            run.runtime_id = self.attachment.runtime_id
            session.touched.runs[run_id] = run
            view.touch(session)
            view.runtimes.overtake(session)
            view.runtimes.hold(session_id, self.attachment, run_id=run_id)
            return None
        earlier = view.run(RunKey(session_id, run_id)) if run is None or run.run_id != run_id else None
        if earlier is None or not runs(self.caller, earlier):
            return RunStop(session_id, run_id, StopReason.NONE)
        return RunStop(session_id, run_id, ended_reason(earlier))


@dataclass(slots=True)
class Detach(Command[None]):
    """Let a runtime go: its offers go to others at once; its runs live on under their leases."""

    attachment: Attachment
    caller: Caller = SERVICE

    at_shutdown = None

    def load(self, view: View) -> None:
        view.want_runtime(self.attachment.runtime_id)
        for session_id in view.want_offers_of(self.attachment.runtime_id):
            view.want_session(session_id)

    def decide(self, view: View) -> None:
        if view.runtimes.is_replaced(self.attachment):
            return
        view.runtimes.detach(self.attachment)
        owner = view.runtime_owner(self.attachment.runtime_id)
        if owner is None or owner.attachment_id != self.attachment.attachment_id:
            return  # it was never stored, or the runtime has gone to another replica: the offers are that one's
        for session_id in view.want_offers_of(self.attachment.runtime_id):
            session = view.session(session_id)
            if session is None or not _is_offered_to(session, self.attachment.runtime_id):
                continue
            wake = session.wake
            assert wake is not None
            view.emit(
                session,
                e.WakeFailed(
                    wake.wake_id, self.attachment.runtime_id, wake.offer_number, "the runtime is gone", view.now
                ),
            )


@dataclass(slots=True)
class DeclineWake(Command[None]):
    """Give an offer back; another runtime may have it at once, this one after `retry_after` microseconds.

    Without one everybody waits for a growing delay.
    """

    caller: Caller
    session_id: str
    wake_id: str
    reason: str = ""
    retry_after: int = 0

    def load(self, view: View) -> None:
        view.want_session(self.session_id)

    def decide(self, view: View) -> None:
        require(self.caller, TokenKind.RUNTIME)
        session = own_session(view, self.caller, self.session_id)
        wake = session.wake
        if wake is None or wake.wake_id != self.wake_id:
            raise WakeSettled
        if wake.state is not WakeState.OFFERED or wake.token_id != self.caller.token_id:
            return  # it was given back, or lapsed, before
        reason = f"declined: {self.reason}" if self.reason else "declined"
        failed = e.WakeFailed(wake.wake_id, wake.runtime_id or "", wake.offer_number, reason, view.now)
        if self.retry_after:
            failed.declined_until_time = view.now + self.retry_after
            view.runtimes.decline(session.session_id, failed.runtime_id, view.now, failed.declined_until_time)
        else:
            failed.next_offer_time += offer_delay(view, wake.offer_number)
        view.emit(session, failed, origin=e.Origin.RUNTIME)


def _is_offered_to(session: Session, runtime_id: str) -> bool:
    wake = session.wake
    return wake is not None and wake.state is WakeState.OFFERED and wake.runtime_id == runtime_id
