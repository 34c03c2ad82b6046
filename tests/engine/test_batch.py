"""One batch, one commit: what a command's fault does to the others, and what a failing store does to all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from by_hand import change_by_hand
from kinpost_server.domain.errors import Refusal
from kinpost_server.domain.event import (
    MessageAccepted,
    SessionAvailabilityChanged,
    SessionUnqueued,
    WakeRequested,
    WakeWithdrawn,
)
from kinpost_server.domain.message import Acceptance
from kinpost_server.domain.session import Availability
from kinpost_server.engine.attach import DeclineWake
from kinpost_server.engine.command import Command
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.gathering import Pending
from kinpost_server.engine.ports import StoreFailed
from kinpost_server.engine.runtimes import WakeOffer
from kinpost_server.engine.set_availability import SetAvailability
from kinpost_server.engine.settings import SECOND
from kinpost_server.engine.view import View
from office import APPROVER, RUNTIME_1, Office, Waiting


class Faulty(Command[None]):
    """Does something, and then breaks."""

    def __init__(self, session_id: str, fault: Exception) -> None:
        self.session_id = session_id
        self.fault = fault

    def load(self, view: View) -> None:
        view.want_session(self.session_id)

    def decide(self, view: View) -> None:
        session = view.session(self.session_id)
        assert session is not None
        view.emit(session, SessionUnqueued("half done"))
        raise self.fault


class Unstorable(Command[None]):
    """Records what no database takes: text that is half a surrogate pair."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id

    def load(self, view: View) -> None:
        view.want_session(self.session_id)

    def decide(self, view: View) -> None:
        session = view.session(self.session_id)
        assert session is not None
        view.emit(session, SessionUnqueued("\ud800"))


def bodies(office: Office, session_id: str) -> list[str]:
    """The bodies that wait for a session, from the log: a session in memory need not hold them."""
    accepted = [event.payload for event in office.events(session_id) if isinstance(event.payload, MessageAccepted)]
    told = {payload.message_id: payload.body for payload in accepted}
    return [told[message_id] for message_id in office.session(session_id).mail]


def test_a_refusal_affects_only_its_own_command(tree: Any) -> None:
    """The send before it and the send after it are stored."""
    answers = tree.office.together(tree.send(tree.first, "one"), tree.send(tree.root), tree.send(tree.first, "two"))
    assert isinstance(answers[0], Acceptance)
    assert answers[1].code == "send_message:self_send"
    assert isinstance(answers[2], Acceptance)
    assert bodies(tree.office, tree.first) == ["one", "two"]


@pytest.mark.parametrize("fault", [RuntimeError("a fault of ours"), KeyError("another")])
def test_a_fault_after_something_was_done_undoes_only_its_own_command(tree: Any, fault: Exception) -> None:
    """The batch is run again one by one; what the culprit had done is gone."""
    before = len(tree.office.stored(tree.second))
    answers = tree.office.together(
        tree.send(tree.first, "one"), Faulty(tree.second, fault), tree.send(tree.first, "two")
    )
    assert answers[1] is fault
    assert bodies(tree.office, tree.first) == ["one", "two"]
    assert len(tree.office.stored(tree.second)) == before


def test_a_row_that_the_database_refuses_fails_only_its_own_command(tree: Any) -> None:
    """And the log goes on without a hole."""
    answers = tree.office.together(tree.send(tree.first, "one"), Unstorable(tree.second), tree.send(tree.first, "two"))
    assert isinstance(answers[1], Exception)
    assert bodies(tree.office, tree.first) == ["one", "two"]
    positions = [event.position for event in tree.office.stored()]
    assert positions == list(range(1, len(positions) + 1))


def test_a_command_whose_caller_has_gone_is_dropped(tree: Any) -> None:
    """Nothing of it is written."""
    waiter = Waiting()
    waiter.gone = True
    tree.office.committer.process([Pending(tree.send(tree.first, "never"), waiter)])
    assert bodies(tree.office, tree.first) == []


def test_a_batch_sees_what_its_earlier_commands_did(
    tree: Any, create: Callable[[Office, str | None], CreateSession]
) -> None:
    """A session that is made and written to in one batch gets its mail."""
    creation = create(tree.office, tree.root)
    made, sent = tree.office.together(creation, tree.send(creation.session_id, "welcome"))
    assert made.session.session_id == creation.session_id
    assert isinstance(sent, Acceptance)
    assert bodies(tree.office, creation.session_id) == ["welcome"]


def test_twenty_repeats_of_a_call_in_one_batch_are_one_message(tree: Any) -> None:
    """All get the first id."""
    answers = tree.office.together(*(tree.send(tree.first, "once", call="the same") for _ in range(20)))
    assert len({answer.message_id for answer in answers}) == 1
    assert [answer.replayed for answer in answers] == [False] + [True] * 19
    assert bodies(tree.office, tree.first) == ["once"]


def test_guards_count_within_a_batch(tree: Any) -> None:
    """The window of a pair is four, also when all sends come at once."""
    answers = tree.office.together(*(tree.send(tree.first) for _ in range(6)))
    codes = [answer.code if isinstance(answer, Refusal) else "" for answer in answers]
    assert codes == [""] * 4 + ["send_message:inflight_full"] * 2


def test_a_store_that_fails_answers_all_and_writes_nothing(tree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """And when it is back, the same calls go through, and the leases begin anew."""

    def fail() -> None:
        raise StoreFailed("the disk is gone")

    sends = [tree.send(tree.first, "one"), tree.send(tree.second, "two")]
    with monkeypatch.context() as patch:
        patch.setattr(type(tree.office.store), "commit", lambda _store: fail())
        answers = tree.office.together(*sends)
        assert [answer.code for answer in answers] == ["storage:unavailable"] * 2
        assert not tree.office.committer.healthy
    tree.office.time += 1000 * SECOND
    again = tree.office.together(*sends)
    assert all(isinstance(answer, Acceptance) and not answer.replayed for answer in again)
    assert tree.office.committer.healthy
    tree.office.advance(1)
    assert tree.office.session(tree.root).run is not None


def test_reconciliation_mends_a_wake_that_is_missing_and_says_so(tree: Any) -> None:
    """As a bug, or a hand in the database, might leave it."""
    tree.office.do(tree.send(tree.first))
    assert tree.office.session(tree.first).wake is not None
    tree.office.store.close()
    change_by_hand(tree.office.url or tree.office.path, "DELETE FROM wake")
    tree.office.restart()
    assert tree.office.session(tree.first).wake is not None
    assert tree.office.mended == [tree.first]


def test_another_runtime_is_offered_what_the_first_declined(tree: Any) -> None:
    """Before the one that declined it gets it again."""
    tree.office.attach(RUNTIME_1, "one")
    tree.office.attach(RUNTIME_1, "two")
    tree.office.do(tree.send(tree.first))
    wake = tree.office.session(tree.first).wake
    assert wake is not None
    declined_by = wake.runtime_id
    tree.office.do(DeclineWake(RUNTIME_1, tree.first, wake.wake_id, "busy"))
    tree.office.advance(2)
    offers = [notice for notice in tree.office.notices["two" if declined_by == "one" else "one"] if notice]
    assert [type(offer) for offer in offers] == [WakeOffer]


def test_a_token_hosts_only_so_many_sessions(
    tree: Any, create: Callable[[Office, str | None], CreateSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit counts within a batch, over a restart, and not the sessions of a batch that failed."""
    office = tree.office
    monkeypatch.setattr(office, "settings", replace(office.settings, sessions_per_token_max=5))
    office.restart()
    answers = office.together(*(create(office, tree.root) for _ in range(4)), Faulty(tree.first, KeyError("fault")))
    codes = [answer.code if isinstance(answer, Refusal) else "" for answer in answers[:4]]
    assert codes == ["", "", "session:too_many", "session:too_many"]


def test_an_answer_is_of_its_commit(tree: Any) -> None:
    """With the wake that the commit brought, and without what came after it."""
    office = tree.office
    office.do(tree.send(tree.first))
    paused = office.do(SetAvailability(APPROVER, tree.first, Availability.PAUSED))
    opened = office.do(SetAvailability(APPROVER, tree.first, Availability.OPEN))
    log = office.events(tree.first)
    assert [type(event.payload) for event in log[-4:]] == [
        SessionAvailabilityChanged,
        WakeWithdrawn,
        SessionAvailabilityChanged,
        WakeRequested,
    ]
    seen = [(answer.session.last_seq, answer.session.availability) for answer in (paused, opened)]
    assert seen == [(len(log) - 2, Availability.PAUSED), (len(log), Availability.OPEN)]


def test_whoever_was_not_first_with_a_wake_looks_for_others(tree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another replica has offered it between the look and the offer; a slot is free and another wake waits."""
    office = tree.office
    office.attach(RUNTIME_1, "one", slots=1)
    office.do(tree.send(tree.first))
    office.do(tree.send(tree.second))
    usual, found = office.store.wakes_to_offer, []

    def late(*arguments: Any) -> list[str]:
        found.append(usual(*arguments) if found else [tree.first])
        return found[-1]

    monkeypatch.setattr(office.store, "wakes_to_offer", lambda *_arguments: [])
    office.attach(RUNTIME_1, "two", slots=1)
    monkeypatch.setattr(office.store, "wakes_to_offer", late)
    office.upkeep.offer_waiting()
    assert found[:2] == [[tree.first], [tree.second]]
    wakes = [office.session(session_id).wake for session_id in (tree.first, tree.second)]
    assert [wake.runtime_id for wake in wakes if wake is not None] == ["one", "two"]
