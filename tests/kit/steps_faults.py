"""The state machine's steps of time, lost streams and restarts."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis.stateful import rule
from kinpost_server.domain.run import RunState, WakeState
from kinpost_server.engine.attach import DeclineWake
from kinpost_server.engine.heartbeat import Heartbeat
from kinpost_server.engine.settings import SECOND
from office import RUNTIME_1, RUNTIME_2, essence
from steps_runs import RunSteps
from steps_sessions import RUNTIMES


class FaultSteps(RunSteps):
    """What happens to everybody."""

    @rule(seconds=st.sampled_from([0.3, 2.5, 11.0, 40.0, 80.0]), beats=st.booleans())
    def time_passes(self, seconds: float, beats: bool) -> None:
        """Leases, pauses, offers, expiry and queued starts fall due; heartbeats keep runs alive."""
        self.office.time += int(seconds * SECOND)
        if beats:
            for runtime, name in ((RUNTIME_1, "one"), (RUNTIME_2, "two")):
                runs = [
                    (a.session_id, a.run.run_id)
                    for a in self.tree.agents.values()
                    if a.run is not None and a.run.token == runtime.token_id
                ]
                leases = self.office.do(Heartbeat(runtime, name, runs)).runs
                assert [RunState.ACTIVE] * len(runs) == [lease.state for lease in leases]
        lapsed = set()
        for agent in self.tree.agents.values():
            run = self.office.session(agent.session_id).run
            if run is not None and run.lease_expire_time <= self.office.time:
                lapsed.add(agent.session_id)
        assert not (beats and lapsed)
        self.office.advance(0)
        self.tree.sweep(self.office.time, lapsed)
        self.learn_reports()
        self.parked_turns()
        self.registrations_lapse()

    @rule(data=st.data(), retry_seconds=st.sampled_from([0, 3]))
    def decline(self, data: st.DataObject, retry_seconds: int) -> None:
        """A runtime gives an offer back."""
        agent = self.agent(data)
        wake = self.office.session(agent.session_id).wake
        if wake is None or wake.state is not WakeState.OFFERED:
            return
        caller = RUNTIMES[wake.token_id or ""]
        self.office.do(DeclineWake(caller, agent.session_id, wake.wake_id, "busy", retry_seconds * SECOND))

    @rule(name=st.sampled_from(["one", "two"]))
    def runtime_comes_back(self, name: str) -> None:
        """A runtime's stream is cut, and it attaches anew; its runs go on."""
        self.office.detach(name)
        if name == "one":
            self.office.attach(RUNTIME_1, "one", slots=2)
        else:
            self.office.attach(RUNTIME_2, "two", any_session=True, slots=2)

    @rule()
    def restart(self) -> None:
        """The server dies and starts again."""
        before = {session_id: essence(self.office.session(session_id)) for session_id in self.tree.agents}
        self.office.restart()
        assert before == {session_id: essence(self.office.session(session_id)) for session_id in self.tree.agents}
        assert self.office.mended == []
        self.office.attach(RUNTIME_1, "one", slots=2)
        self.office.attach(RUNTIME_2, "two", any_session=True, slots=2)
