"""CommitTurn and ReleaseClaim: the two ways a claim is settled while its run goes on."""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain.errors import ClaimLost
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.run import ClaimState, ReleaseReason
from kinpost_server.engine import turns
from kinpost_server.engine.access import own_session
from kinpost_server.engine.command import Command
from kinpost_server.engine.view import View


@dataclass(slots=True)
class CommitTurn(Command[tuple[str, ...]]):
    """Consume a claim's messages and return their ids; a claim committed before answers the same."""

    caller: Caller
    session_id: str
    run_id: str
    claim_seq: int

    def load(self, view: View) -> None:
        session = view.want_session(self.session_id)
        if session is not None:
            turns.want_run(view, session, self.run_id)
            turns.want_settled_claim(view, session, self.run_id, self.claim_seq)

    def decide(self, view: View) -> tuple[str, ...]:
        session = own_session(view, self.caller, self.session_id)
        run = session.run
        ended = run is None or run.run_id != self.run_id
        if ended and not turns.is_anothers(view, self.caller, session, self.run_id):
            settled = turns.settled_claim(view, session, self.run_id, self.claim_seq)
            if settled is not None and settled.state is ClaimState.COMMITTED:
                return settled.message_ids
        run = turns.active_run(view, self.caller, session, self.run_id)
        known = turns.check_commit(view, session, run, self.claim_seq)
        turns.commit(view, session, run, known)
        return known.message_ids


@dataclass(slots=True)
class ReleaseClaim(Command[None]):
    """Give a claim back; one that was given back before stays so."""

    caller: Caller
    session_id: str
    run_id: str
    claim_seq: int
    reason: str = ""

    def load(self, view: View) -> None:
        session = view.want_session(self.session_id)
        if session is not None:
            turns.want_run(view, session, self.run_id)

    def decide(self, view: View) -> None:
        session = own_session(view, self.caller, self.session_id)
        run = turns.active_run(view, self.caller, session, self.run_id)
        known = run.claims.get(self.claim_seq)
        if known is None or known.state is ClaimState.COMMITTED:
            raise ClaimLost
        if known.state is ClaimState.LIVE:
            turns.release(view, session, run, ReleaseReason.RUNTIME, self.reason)
