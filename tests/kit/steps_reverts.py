"""The state machine's steps of reverts and forks."""

from __future__ import annotations

import branches
import hypothesis.strategies as st
from delivery import Agent, Mail
from hypothesis.stateful import invariant, precondition, rule
from kinpost_server.domain import event as e
from kinpost_server.engine.fork_session import ForkSession
from kinpost_server.engine.revert_session import RevertSession
from office import APPROVER
from steps_faults import FaultSteps
from steps_sessions import RUNTIMES


class RevertSteps(FaultSteps):
    """Who goes back, and who goes on beside."""

    @invariant()
    def points_are_noted(self) -> None:
        """Each state that the log has come to can be gone back to."""
        for agent in self.tree.agents.values():
            branches.note(agent, self.office.session(agent.session_id).last_seq)

    @rule(data=st.data(), pause=st.booleans(), moved=st.integers(0, 5))
    def revert(self, data: st.DataObject, pause: bool, moved: int) -> None:
        """Somebody takes a session back to a point; a repeat answers the same, whatever has happened since."""
        agent = self.agent(data)
        last_seq = self.office.session(agent.session_id).last_seq
        to_seq = data.draw(st.sampled_from(sorted([*agent.points, *agent.undone])))
        caller = APPROVER
        if not pause:
            caller = RUNTIMES[min(self.office.session(agent.session_id).host_token_ids)]
        expected = last_seq if moved else max(to_seq, last_seq - 1)
        command = RevertSession(caller, agent.session_id, to_seq, expected, pause)
        got = self.code(command)
        if agent.deleted:
            assert got == "session:not_found"
        elif expected != last_seq:
            assert got == "session:log_moved" or self._was_reverted(agent, to_seq, expected)
        elif agent.run is not None:
            assert got == "run:already_active"
        elif to_seq in agent.undone:
            assert got == "request:invalid"
        else:
            branches.revert(self.tree, agent, to_seq, self.office.time, pause=pause)
            again = self.office.do(RevertSession(caller, agent.session_id, to_seq, expected, pause))
            assert (again.session.state, again.session.availability, again.pending_count) == (
                got.session.state,
                got.session.availability,
                got.pending_count,
            )

    def _was_reverted(self, agent: Agent, to_seq: int, expected: int) -> bool:
        (at,) = (event for event in self.office.events(agent.session_id) if event.seq == expected + 1)
        return isinstance(at.payload, e.SessionReverted) and at.payload.to_seq == to_seq

    @precondition(lambda self: len(self.tree.agents) < 9)
    @rule(data=st.data(), by_person=st.booleans())
    def fork(self, data: st.DataObject, by_person: bool) -> None:
        """Somebody continues beside, from any point that there ever was."""
        agent = self.agent(data)
        at_seq = data.draw(st.sampled_from(sorted([*agent.points, *agent.undone])))
        hosts = self.office.session(agent.session_id).host_token_ids
        caller = APPROVER if by_person else RUNTIMES[min(hosts)]
        new_id = self.office.new_id()
        command = ForkSession(caller, agent.session_id, at_seq, new_id)
        got = self.code(command)
        if agent.deleted:
            assert got == "session:not_found"
            return
        assert got.session.host_token_ids >= hosts
        root = agent.root if agent.parent is not None else new_id
        fork = Agent(new_id, agent.parent, root, "IDLE", self.office.time, asks=agent.asks)
        self.tree.agents[new_id] = fork
        accepted = [ev.payload for ev in self.office.events(new_id) if isinstance(ev.payload, e.MessageAccepted)]
        continued = branches.continued(agent, at_seq)
        assert [payload.forked_from_message_id for payload in accepted] == [mail.message_id for mail in continued]
        for payload, mail in zip(accepted, continued, strict=True):
            copy = Mail(
                payload.message_id, new_id, None, mail.mode, mail.size, mail.hop, mail.expire_time, owner="COPY"
            )
            self.tree.accept(copy)
        self.tree.expire(fork, self.office.time)
        again = self.office.do(ForkSession(caller, agent.session_id, at_seq, new_id))
        assert (again.session.handle, again.pending_count) == (got.session.handle, got.pending_count)
        other = ForkSession(caller, agent.session_id, at_seq + 1, new_id)
        assert self.code(other) == "session:exists"
