"""ClaimMessages: mail for the next model request, after the commit of the last one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kinpost_server.domain.errors import ClaimLost
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.run import ReleaseReason, StopReason
from kinpost_server.engine import turns
from kinpost_server.engine.access import own_session
from kinpost_server.engine.command import Command
from kinpost_server.engine.view import View


class Claimed(NamedTuple):
    """The claim, and why the run should end soon, if it should."""

    claim: turns.ClaimedMail
    stop_reason: StopReason


@dataclass(slots=True)
class ClaimMessages(Command[Claimed]):
    """Commit `commit_claim_seq` (0 for none), then claim under `attempt_id`; `bytes_max` 0 is the service's limit."""

    caller: Caller
    session_id: str
    run_id: str
    attempt_id: str
    commit_claim_seq: int = 0
    bytes_max: int = 0

    def load(self, view: View) -> None:
        session = view.want_session(self.session_id)
        if session is not None:
            turns.want_run(view, session, self.run_id)
            turns.want_bodies(view, session)

    def decide(self, view: View) -> Claimed:
        session = own_session(view, self.caller, self.session_id)
        run = turns.active_run(view, self.caller, session, self.run_id)
        committed = None
        if self.commit_claim_seq:
            committed = turns.check_commit(view, session, run, self.commit_claim_seq)
        live = run.live_claim
        if live is not None and live.attempt_id == self.attempt_id and live is not committed:
            return Claimed(turns.claimed_mail(view, session, live), turns.stop_reason(session))
        if self.attempt_id in run.attempts:
            raise ClaimLost
        if committed is not None:
            turns.commit(view, session, run, committed)
        turns.release(view, session, run, ReleaseReason.OVERTAKEN)
        mail = turns.claim(view, session, run, self.attempt_id, self.bytes_max)
        return Claimed(mail, turns.stop_reason(session))
