"""Commands of one batch about the end of one message, and a step that cannot be."""

from __future__ import annotations

from typing import Any

import pytest
from kinpost_server.domain.errors import MessageClaimed
from kinpost_server.domain.event import MessageConsumed, MessageDiscarded, Payload
from kinpost_server.domain.message import DiscardReason, MessageState
from kinpost_server.domain.run import RunState
from kinpost_server.engine.command import Command
from kinpost_server.engine.delete_session import DeleteSession
from kinpost_server.engine.finish_run import FinishRun
from kinpost_server.engine.retract_message import RetractMessage
from kinpost_server.engine.settle_claim import CommitTurn
from kinpost_server.engine.view import View
from office import ADMIN, RUNTIME_1

NOBODY = "00000000-0000-4000-8000-000000000000"


class Impossible(Command[None]):
    """Emits what the fold cannot apply."""

    def __init__(self, session_id: str, payload: Payload) -> None:
        self.session_id, self.payload = session_id, payload

    def load(self, view: View) -> None:
        view.want_session(self.session_id)

    def decide(self, view: View) -> None:
        session = view.session(self.session_id)
        assert session is not None
        view.emit(session, self.payload)


@pytest.mark.parametrize(
    "payload", [MessageConsumed(NOBODY, NOBODY, 1), MessageDiscarded(NOBODY, DiscardReason.EXPIRED)], ids=repr
)
def test_a_step_that_cannot_be_leaves_no_hole_in_the_log(tree: Any, payload: Payload) -> None:
    """Whatever the fold refuses undoes only its own command, and the session's log goes on without a gap."""
    answers = tree.office.together(
        tree.send(tree.first, "one"), Impossible(tree.first, payload), tree.send(tree.first, "two")
    )
    assert isinstance(answers[1], KeyError)
    events = tree.office.events(tree.first)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert list(tree.office.session(tree.first).mail) == [answers[0].message_id, answers[2].message_id]


def test_retractions_in_one_batch_are_one(tree: Any) -> None:
    """Each is answered as the first is."""
    sent = tree.office.do(tree.send(tree.first))
    retraction = (RUNTIME_1, tree.root, sent.message_id)
    answers = tree.office.together(*(RetractMessage(*retraction) for _ in range(5)))
    assert {answer.message.state for answer in answers} == {MessageState.DISCARDED}
    assert all(answer == answers[0] for answer in answers)
    kinds = [type(event.payload) for event in tree.office.events(tree.first)]
    assert kinds.count(MessageDiscarded) == 1


@pytest.mark.parametrize("restarted", [False, True])
def test_a_turn_that_is_kept_in_the_same_batch_wins(tree: Any, restarted: bool) -> None:
    """What an earlier command of the batch consumed cannot be taken back."""
    sent = tree.office.do(tree.send(tree.first))
    started = tree.start(tree.first)
    if restarted:
        tree.office.restart()
    kept, retracted = tree.office.together(
        CommitTurn(RUNTIME_1, tree.first, started.run.run_id, started.claim.claim_seq),
        RetractMessage(RUNTIME_1, tree.root, sent.message_id),
    )
    assert not isinstance(kept, Exception)
    assert isinstance(retracted, MessageClaimed)


def test_what_is_given_back_in_the_same_batch_can_be_taken_back(tree: Any) -> None:
    """A run that fails releases the message that the next command retracts."""
    sent = tree.office.do(tree.send(tree.first))
    started = tree.start(tree.first)
    _, retracted = tree.office.together(
        FinishRun(RUNTIME_1, tree.first, started.run.run_id, RunState.FAILED),
        RetractMessage(RUNTIME_1, tree.root, sent.message_id),
    )
    assert retracted.message.discard_reason is DiscardReason.RETRACTED
    assert list(tree.office.session(tree.first).mail) == []


@pytest.mark.parametrize("deleted_first", [True, False])
def test_the_recipients_end_and_a_retraction_in_one_batch(tree: Any, deleted_first: bool) -> None:
    """Whichever came first is why the message ended."""
    sent = tree.office.do(tree.send(tree.first))
    deletion = DeleteSession(ADMIN, tree.first)
    retraction = RetractMessage(RUNTIME_1, tree.root, sent.message_id)
    answers = tree.office.together(*((deletion, retraction) if deleted_first else (retraction, deletion)))
    (seen,) = [answer for answer in answers if answer is not None]
    wanted = DiscardReason.DELETED if deleted_first else DiscardReason.RETRACTED
    assert seen.message.discard_reason is wanted
    reasons = [e.payload.reason for e in tree.office.events(tree.first) if isinstance(e.payload, MessageDiscarded)]
    assert reasons == [wanted]
