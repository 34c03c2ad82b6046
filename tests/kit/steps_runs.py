"""The state machine's steps of runs and claims."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
from delivery import Agent
from hypothesis.stateful import precondition, rule
from kinpost_server.domain.errors import Refusal
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.run import Run, RunState, WakeState
from kinpost_server.engine.cancel_run import CancelRun
from kinpost_server.engine.claim_messages import ClaimMessages
from kinpost_server.engine.finish_run import FinishRun
from kinpost_server.engine.settle_claim import CommitTurn, ReleaseClaim
from kinpost_server.engine.start_run import StartRun
from office import APPROVER, RUNTIME_1, RUNTIME_2
from steps_peers import PeerSteps
from steps_sessions import OUTCOMES, RUNTIMES


class RunSteps(PeerSteps):
    """What runtimes do with mail."""

    @rule(data=st.data(), claims=st.booleans(), runtime=st.sampled_from([RUNTIME_1, RUNTIME_2]))
    def start(self, data: st.DataObject, claims: bool, runtime: Caller) -> None:
        """A runtime starts a session by its own will."""
        agent = self.agent(data)
        hosted = runtime.token_id in self.office.session(agent.session_id).host_token_ids
        attempt = self.next("attempt") if claims else ""
        got = self.code(StartRun(runtime, agent.session_id, "", self.next("run"), attempt))
        if agent.deleted or not hosted:
            assert got == "session:not_found"
        elif agent.run is not None:
            assert got == "run:already_active"
        elif not agent.may_wake:
            assert got == "session:not_open"
        else:
            self._started(agent, got, runtime, attempt, by_wake=False)

    @rule(data=st.data(), claims=st.booleans())
    def start_wake(self, data: st.DataObject, claims: bool) -> None:
        """A runtime takes an offer; the other one loses the race."""
        offered = [
            a
            for a in self.tree.agents.values()
            if (wake := self.office.session(a.session_id).wake) is not None and wake.state is WakeState.OFFERED
        ]
        if not offered:
            return
        agent = data.draw(st.sampled_from(offered))
        wake = self.office.session(agent.session_id).wake
        assert wake is not None
        winner = RUNTIMES[wake.token_id or ""]
        loser = RUNTIME_2 if winner is RUNTIME_1 else RUNTIME_1
        attempt = self.next("attempt") if claims else ""
        first, second, third = self.office.together(
            StartRun(winner, agent.session_id, wake.wake_id, "", attempt),
            StartRun(loser, agent.session_id, wake.wake_id, "", self.next("attempt")),
            StartRun(winner, agent.session_id, wake.wake_id, "", attempt),
        )
        assert isinstance(second, Refusal)
        assert second.code in ("wake:settled", "session:not_found")
        assert first.run.run_id == third.run.run_id
        assert first.claim == third.claim
        self._started(agent, first, winner, attempt, by_wake=True)
        if claims and self.tree.agents[agent.session_id].may_wake:
            assert first.claim.messages, "a wake started a run without input"

    def _started(self, agent: Agent, started: Any, runtime: Caller, attempt: str, *, by_wake: bool) -> None:
        self.tree.start(agent.session_id, started.run.run_id, runtime.token_id, by_wake=by_wake)
        if attempt:
            self._check_claim(agent, started.claim, attempt, 0)
        else:
            assert started.claim is None

    def _check_claim(self, agent: Agent, claim: Any, attempt: str, bytes_max: int) -> None:
        expected = self.tree.claim(agent, attempt, self.office.time, bytes_max, claim.claim_seq)
        assert ([m.message_id for m in claim.messages], claim.more_pending) == expected
        for message in claim.messages:
            mail = self.mail(message.message_id)
            assert (len(message.body), message.delivery_count, message.agent_hop) == (
                mail.size,
                mail.deliveries,
                mail.hop,
            )

    @precondition(lambda self: self.any_running)
    @rule(data=st.data(), commits=st.booleans(), bytes_max=st.sampled_from([0, 21]))
    def claim(self, data: st.DataObject, commits: bool, bytes_max: int) -> None:
        """A boundary: the last claim is committed or overtaken; the same attempt returns the same claim."""
        agent = self.running(data)
        assert agent.run is not None
        live = agent.run.live
        commit_seq = live[0] if live is not None and commits else 0
        attempt = self.next("attempt")
        caller, run_id = self.caller_of(agent), agent.run.run_id
        command = ClaimMessages(caller, agent.session_id, run_id, attempt, commit_seq, bytes_max)
        first, second = self.office.together(command, command)
        if commit_seq:
            self.tree.commit(agent, commit_seq)
        self.tree.release(agent, self.office.time)
        self._check_claim(agent, first.claim, attempt, bytes_max)
        assert first == second
        if live is not None:
            stale = ClaimMessages(caller, agent.session_id, run_id, live[1].attempt_id)
            assert self.code(stale) == "claim:lost"

    @precondition(lambda self: self.any_running)
    @rule(data=st.data(), mine=st.booleans())
    def commit(self, data: st.DataObject, mine: bool) -> None:
        """The model's reply is kept; repeating it is safe; another runtime cannot."""
        agent = self.running(data)
        run = agent.run
        assert run is not None
        if not run.turns:
            return
        seq = data.draw(st.sampled_from(sorted(run.turns)))
        caller = self.caller_of(agent)
        if not mine:
            other = RUNTIME_2 if caller is RUNTIME_1 else RUNTIME_1
            got = self.code(CommitTurn(other, agent.session_id, run.run_id, seq))
            assert got in ("session:not_found", "run:not_active")
            return
        got = self.code(CommitTurn(caller, agent.session_id, run.run_id, seq))
        if run.turns[seq].state == "released":
            assert got == "claim:lost"
            return
        assert list(got) == run.turns[seq].message_ids
        self.tree.commit(agent, seq)
        assert self.code(ReleaseClaim(caller, agent.session_id, run.run_id, seq)) == "claim:lost"

    @precondition(lambda self: self.any_running)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        """The model request failed."""
        agent = self.running(data)
        run = agent.run
        assert run is not None
        live = run.live
        if live is None:
            return
        command = ReleaseClaim(self.caller_of(agent), agent.session_id, run.run_id, live[0])
        assert self.office.together(command, command) == [None, None]
        self.tree.release(agent, self.office.time)

    @precondition(lambda self: self.any_running)
    @rule(data=st.data(), outcome=OUTCOMES, commits=st.booleans(), by_person=st.booleans(), goes_on=st.booleans())
    def finish(self, data: st.DataObject, outcome: RunState, commits: bool, by_person: bool, goes_on: bool) -> None:
        """A run ends, or goes on with what came meanwhile."""
        agent = self.running(data)
        run = agent.run
        assert run is not None
        caller = self.caller_of(agent)
        live = run.live
        commit_seq = live[0] if live is not None and commits else 0
        goes_on = goes_on and outcome is RunState.COMPLETED
        attempt = self.next("attempt") if goes_on else ""
        by_person = by_person and outcome is RunState.CANCELLED
        command = FinishRun(caller, agent.session_id, run.run_id, outcome, "", by_person, commit_seq, attempt)
        got = self.code(command)
        if live is not None and not commit_seq and outcome is RunState.COMPLETED:
            assert got == "claim:outstanding"
            return
        if commit_seq:
            self.tree.commit(agent, commit_seq)
        if goes_on and agent.may_wake and self._waits(agent):
            self._check_claim(agent, got, attempt, 0)
            assert self.office.do(command) == got
            return
        assert isinstance(got, Run)
        assert got.state is outcome
        self.tree.finish(agent, outcome.name, self.office.time, by_person=by_person)
        self.learn_reports()
        again = self.office.do(command)
        assert (again.run_id, again.state, again.end_time) == (got.run_id, got.state, got.end_time)
        late = self.code(ClaimMessages(caller, agent.session_id, got.run_id, self.next("attempt")))
        assert late == self.tree.ended(agent, got.run_id)

    def _waits(self, agent: Agent) -> bool:
        run = agent.run
        assert run is not None
        return any(
            mail.state == "waiting"
            and (mail.expire_time is None or mail.expire_time > self.office.time)
            and (mail.run_id == run.run_id or mail.mode == "STEER" or (run.first and index < run.mail_before))
            for index, mail in enumerate(agent.mail)
        )

    @precondition(lambda self: self.any_running)
    @rule(data=st.data(), by_person=st.booleans())
    def cancel(self, data: st.DataObject, by_person: bool) -> None:
        """A person or a runtime stops a run."""
        agent = self.running(data)
        run = agent.run
        assert run is not None
        caller = APPROVER if by_person else self.caller_of(agent)
        got = self.office.do(CancelRun(caller, agent.session_id, run.run_id))
        assert got.run.state is RunState.CANCELLED
        self.tree.finish(agent, "CANCELLED", self.office.time, by_person=by_person)
        self.learn_reports()
