"""Everything a client can do, in any order, against a small model, over the real store.

After each step: nothing accepted is lost, nothing is consumed twice, no session has two active runs, exactly one wake
stands where one is due and none elsewhere, order is kept, each delegated run is reported once, registrations stand and
end as they should, `seq` is gapless, positions rise, the guards hold, the fold of the log equals the projections, and a
sender's view equals the message.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest
from deployments import POSTGRES
from hypothesis import HealthCheck, settings
from hypothesis.stateful import invariant, run_state_machine_as_test
from kinpost_server.domain import event as e
from kinpost_server.domain.run import WakeState
from office import essence
from questions import OPEN
from steps_reverts import RevertSteps
from steps_sessions import LIMITS, STATES

EXAMPLES = int(os.environ.get("STATE_MACHINE_EXAMPLES", "25"))  # set it higher for a night's search


class TreeMachine(RevertSteps):
    """Every step, and what must hold after each."""

    @invariant()
    def mail_is_where_the_model_says(self) -> None:
        """Nothing accepted is lost, nothing is consumed twice, order is kept, and the sender sees the same."""
        for agent in self.tree.agents.values():
            session = self.office.session(agent.session_id)
            assert [m.message_id for m in agent.pending] == list(session.mail)
            assert agent.deleted or (agent.state, agent.availability) == (session.state.name, session.availability.name)
            assert agent.failing == session.failing_runs
            for mail in agent.mail:
                sent = self.office.reader.get_message(mail.message_id)
                assert sent is not None
                assert (mail.state, mail.deliveries) == (STATES[sent.message.state], sent.message.delivery_count)
                assert mail.reason == (sent.message.discard_reason.name if sent.message.discard_reason else "")
                assert mail.consumptions == (1 if mail.state == "consumed" else 0)
                assert sent.held == (mail.state == "waiting" and not agent.may_wake)
                cached = session.mail.get(mail.message_id)
                if cached is not None:
                    assert (cached.state, cached.run_id) == (sent.message.state, sent.message.run_id)

    @invariant()
    def one_wake_where_one_is_due(self) -> None:
        """Exactly one, and none elsewhere; and never more offers and runs than a runtime has slots."""
        held: Counter[str] = Counter()
        for agent in self.tree.agents.values():
            session = self.office.session(agent.session_id)
            assert agent.wake_due == (session.wake is not None)
            if session.wake is not None and session.wake.state is WakeState.OFFERED:
                held[session.wake.runtime_id or ""] += 1
        assert all(count <= 2 for count in held.values())

    @invariant()
    def guards_hold(self) -> None:
        """No inbox and no pair window is ever over its limit, no hop too deep."""
        for agent in self.tree.agents.values():
            senders = Counter(mail.sender for mail in agent.pending if mail.owner == "AGENT")
            assert senders.total() <= LIMITS.pending_max
            assert all(count <= LIMITS.pair_max for count in senders.values())
            asked = [mail for mail in agent.pending if mail.owner not in ("AGENT", "DELEGATION", "COPY")]
            assert len(asked) <= LIMITS.others_max
            assert all((mail.hop or 0) <= LIMITS.hops_max for mail in agent.mail)

    @invariant()
    def questions_stand_where_the_model_says(self) -> None:
        """Nothing that was asked is lost, nothing is used twice, and no session has more before people than it may."""
        waiting: Counter[str] = Counter()
        for question in self.tree.questions.known.values():
            approval = self.office.reader.get_approval(question.approval_id)
            assert approval is not None
            decision = approval.decision.name if approval.decision is not None else ""
            assert (approval.state.name.lower(), decision) == (question.state, question.decision)
            assert approval.open == (question.state in OPEN)
            waiting[question.session_id] += question.state == "pending"
        assert all(count <= LIMITS.questions_max for count in waiting.values())

    @invariant()
    def registrations_are_what_the_model_says(self) -> None:
        """Those that have not ended, in the order of their making; each told in the log, and each end once."""
        for session_id in self.tree.agents:
            standing = [one.producer_id for one in self.tree.registered(session_id)]
            assert [producer.producer_id for producer in self.office.reader.list_producers(session_id)] == standing
            payloads = [event.payload for event in self.office.events(session_id)]
            made = [p.producer_id for p in payloads if isinstance(p, e.ProducerRegistered)]
            ended = [p.producer_id for p in payloads if isinstance(p, e.ProducerUnregistered)]
            assert made == [one.producer_id for one in self.tree.registrations if one.session_id == session_id]
            assert sorted(ended + standing) == sorted(made)

    @invariant()
    def the_log_is_the_truth(self) -> None:
        """`seq` is gapless, positions rise, the fold equals the projections, consumption happens once."""
        stored = self.office.stored()
        positions = [event.position for event in stored]
        assert positions == sorted(set(positions))
        consumed: Counter[str] = Counter()
        for session_id in self.tree.agents:
            events = self.office.events(session_id)
            assert [event.seq for event in events] == list(range(1, len(events) + 1))
            active = 0
            for event in events:
                if isinstance(event.payload, e.MessageConsumed):
                    consumed[event.payload.message_id] += 1
                    assert consumed[event.payload.message_id] == 1
                elif isinstance(event.payload, e.SessionReverted):
                    consumed.subtract(event.payload.restored_message_ids)
                    assert active == 0
                active += isinstance(event.payload, e.RunStarted)
                active -= isinstance(event.payload, e.RunFinished)
                assert active in (0, 1)
            told = [ev.payload.message_id for ev in events if isinstance(ev.payload, e.SentMessageUndeliverable)]
            assert told == self.tree.undeliverable.get(session_id, [])
            assert essence(self.office.folded(session_id)) == essence(self.office.session(session_id))
        for agent in self.tree.agents.values():
            assert all(mail.consumptions == consumed[mail.message_id] for mail in agent.mail)


@pytest.mark.timeout(1200)
def test_whatever_is_done_in_whatever_order_keeps_every_rule(deployment: str, request: pytest.FixtureRequest) -> None:
    server = request.getfixturevalue("postgres_server") if deployment == POSTGRES else None
    run_state_machine_as_test(
        lambda: TreeMachine(server),
        settings=settings(
            # A step is some ten times as dear there, and what it decides is decided by the same code.
            max_examples=max(1, EXAMPLES // 5) if server is not None else EXAMPLES,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=[
                HealthCheck.too_slow,
                HealthCheck.filter_too_much,
                HealthCheck.function_scoped_fixture,
            ],
        ),
    )
