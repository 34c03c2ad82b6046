"""FinishRun: a run ends with an outcome, or goes on with the mail that came meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain.errors import ClaimLost, ClaimOutstanding
from kinpost_server.domain.event import Origin
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.run import ClaimState, Run, RunState
from kinpost_server.domain.session import Session
from kinpost_server.engine import delegation, turns
from kinpost_server.engine.access import own_session, runs
from kinpost_server.engine.command import Command
from kinpost_server.engine.ports import RunKey
from kinpost_server.engine.reading import run_snapshot
from kinpost_server.engine.view import View


@dataclass(slots=True)
class FinishRun(Command[Run | turns.ClaimedMail]):
    """End a run; COMPLETED with `continue_attempt_id` claims waiting mail instead, if there is any."""

    caller: Caller
    session_id: str
    run_id: str
    outcome: RunState
    reason: str = ""
    by_person: bool = False
    commit_claim_seq: int = 0
    continue_attempt_id: str = ""

    def load(self, view: View) -> None:
        session = view.want_session(self.session_id)
        if session is None:
            return
        turns.want_run(view, session, self.run_id)
        delegation.want_parent(view, session)
        if self.commit_claim_seq:
            turns.want_settled_claim(view, session, self.run_id, self.commit_claim_seq)
        if self.continue_attempt_id:
            turns.want_bodies(view, session)

    def decide(self, view: View) -> Run | turns.ClaimedMail:
        session = own_session(view, self.caller, self.session_id)
        if session.run is None or session.run.run_id != self.run_id:
            return self._again(view, session)
        run = turns.active_run(view, self.caller, session, self.run_id)
        continued = self._continued(view, session, run)
        if continued is not None:
            return continued
        known = None
        if self.commit_claim_seq:
            known = turns.check_commit(view, session, run, self.commit_claim_seq)
        live = run.live_claim
        if live is not None and live is not known and self.outcome is RunState.COMPLETED:
            raise ClaimOutstanding(f"claim {live.claim_seq} is neither committed nor released")
        if known is not None:
            turns.commit(view, session, run, known)
        if self.continue_attempt_id and turns.select(view, session, run, 0).claimed:
            return turns.claim(view, session, run, self.continue_attempt_id, 0)
        turns.end_run(
            view,
            session,
            run,
            self.outcome,
            reason=self.reason,
            by_person=self._by_person,
            origin=Origin.PERSON if self._by_person else Origin.RUNTIME,
            token_id=self.caller.token_id,
        )
        return run_snapshot(run)

    def _continued(self, view: View, session: Session, run: Run) -> turns.ClaimedMail | None:
        """Return the claim that an earlier call with the same attempt made."""
        if not self.continue_attempt_id or self.continue_attempt_id not in run.attempts:
            return None
        live = run.live_claim
        if live is None or live.attempt_id != self.continue_attempt_id:
            raise ClaimLost
        return turns.claimed_mail(view, session, live)

    def _again(self, view: View, session: Session) -> Run:
        """Answer a repeat of the call that ended the run; any other late call gets what became of it."""
        earlier = view.run(RunKey(session.session_id, self.run_id))
        if earlier is None or not runs(self.caller, earlier) or earlier.lease_lost or earlier.state is not self.outcome:
            raise turns.ended(self.caller, earlier)
        if self.commit_claim_seq:
            settled = turns.settled_claim(view, session, self.run_id, self.commit_claim_seq)
            if settled is None or settled.state is not ClaimState.COMMITTED:
                raise ClaimLost
        if self._by_person:
            turns.stop_after_cancel(view, self.caller, session, earlier, self.reason)
        return run_snapshot(earlier)

    @property
    def _by_person(self) -> bool:
        return self.outcome is RunState.CANCELLED and (self.by_person or self.caller.is_person)
