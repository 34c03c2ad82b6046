"""What the state machine found once, as plain tests."""

from __future__ import annotations

from typing import Any

import pytest
from kinpost_server.domain.approval import ApprovalDecision, ApprovalState, PendingApproval
from kinpost_server.domain.message import Mode
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.run import RunState
from kinpost_server.domain.session import Availability, Starter
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.decide_approval import DecideApproval
from kinpost_server.engine.finish_run import FinishRun
from kinpost_server.engine.fork_session import ForkSession
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.set_availability import SetAvailability
from kinpost_server.engine.settle_claim import ReleaseClaim
from kinpost_server.engine.start_run import StartRun
from office import APPROVER, RUNTIME_1


def test_a_claimed_message_is_not_held_until_it_is_given_back(tree: Any) -> None:
    """A person closes the session while its mail is before a model request."""
    accepted = tree.office.do(tree.send(tree.first))
    started = tree.start(tree.first)
    tree.office.do(SetAvailability(APPROVER, tree.first, Availability.USER_CLOSED))
    sent = tree.office.reader.get_message(accepted.message_id)
    assert (sent.held, sent.held_reason, sent.held_time) == (False, "", None)
    tree.office.do(ReleaseClaim(RUNTIME_1, tree.first, started.run.run_id, started.claim.claim_seq))
    sent = tree.office.reader.get_message(accepted.message_id)
    assert (sent.held, sent.held_reason) == (True, "user_closed")


@pytest.mark.parametrize("availability", [Availability.ARCHIVED, Availability.ENDED])
def test_a_run_that_opens_its_session_is_no_success(tree: Any, availability: Availability) -> None:
    """Only what was consumed, or a person, ends a row of failing runs: else a session that ends each time fails on."""
    tree.office.do(tree.send(tree.first))
    for number in range(1, 4):
        started = tree.start(tree.first)
        tree.office.do(FinishRun(RUNTIME_1, tree.first, started.run.run_id, RunState.FAILED))
        assert tree.office.session(tree.first).failing_runs == number
        tree.office.do(SetAvailability(RUNTIME_1, tree.first, availability))
        tree.office.advance(400)
    tree.office.do(SetAvailability(APPROVER, tree.first, Availability.OPEN))
    assert tree.office.session(tree.first).failing_runs == 0


def test_a_fork_asks_a_person_as_its_original_does(tree: Any) -> None:
    """It has the rules of its original, and no answer that its original's questions got."""
    office = tree.office
    asking, fork = office.new_id(), office.new_id()
    office.do(
        CreateSession(RUNTIME_1, asking, tree.root, None, None, "worker", {"*": Decision.ASK}, starter=Starter.WAKE)
    )
    for session_id in (asking, fork):
        if session_id == fork:
            office.do(ForkSession(APPROVER, asking, 1, fork))
        run_id = office.do(StartRun(RUNTIME_1, session_id, "", "the run")).run.run_id
        asked = office.do(SendMessage(RUNTIME_1, session_id, run_id, "call", tree.first, "hello", Mode.STEER))
        assert isinstance(asked, PendingApproval)
        decision = DecideApproval(APPROVER, session_id, asked.approval_id, ApprovalDecision.ALLOW_ONCE)
        assert office.do(decision).state is ApprovalState.USED
