"""Every failed delivery passes one point: what must not be lost is kept, whichever step it fails in."""

from __future__ import annotations

from uuid import UUID

import pytest
from kinpost_server.domain import peer_errors
from kinpost_server.domain.dead_letter import REASONS, TRANSIENT, DeadLetterReason, classify
from kinpost_server.domain.errors import Forbidden, Refusal
from kinpost_server.domain.event import MessageAccepted
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.peer import Delivery, Letter, Route
from kinpost_server.domain.session import Starter
from kinpost_server.engine import peer_delivery, peer_ladder
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.peer_funnel import HalfDelivered
from kinpost_server.engine.peer_post import Post
from kinpost_server.engine.send_peer_message import BroadcastPeerMessage, SendPeerMessage
from kinpost_server.engine.settings import SECOND
from kinpost_server.engine.start_run import StartRun
from kinpost_server.engine.tokens import CreateToken
from office import ADMIN, Office

STEPS = [
    "check_targets_and_key",
    "acting_source",
    "known_answer",
    "take_slot",
    "existing",
    "check_not_closed",
    "check_may_wake",
    "check_confirmed",
    "check_nobody_lands",
    "deliver",
]


class NewWayToFail(Refusal):
    """Somebody added a step, and thought of nothing else."""

    code = "peer:new_way_to_fail"


def session(office: Office, number: int) -> str:
    id_ = str(UUID(int=number))
    office.do(CreateSession(ADMIN, id_, None, None, None, "explore", {}, starter=Starter.WAKE))
    return id_


def post(source: str, *targets: str, route: Route = Route.MESSAGE, **more) -> Post:
    return Post(ADMIN, route, source, targets, Letter("precious", "a summary"), **more)


def letters(office: Office):
    return office.reader.peer.dead_letters(None, "", 100)


@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_somebody_adds_can_not_fail_past_it(office, monkeypatch, step):
    source, target = session(office, 101), session(office, 102)
    before = getattr(peer_ladder, step)

    def with_the_new_step(*arguments):
        before(*arguments) if step != "deliver" else None
        raise NewWayToFail

    monkeypatch.setattr(peer_ladder, step, with_the_new_step)
    (answer,) = office.together(SendPeerMessage(post(source, target)))
    assert type(answer) is NewWayToFail
    (letter,) = letters(office)
    assert (letter.text, letter.tldr, letter.target_session_id) == ("precious", "a summary", target)
    assert letter.reason is DeadLetterReason.SEND_FAILED
    assert [type(event.payload).__name__ for event in office.events(source)] == [
        "SessionCreated",
        "PeerDeadLetterRecorded",
    ]


def test_in_a_broadcast_only_the_targets_that_failed_are_kept(office, monkeypatch):
    source, first, second = session(office, 101), session(office, 102), session(office, 103)
    before = peer_ladder.check_confirmed

    def fail_for_the_first(view, sent, sender, target):
        before(view, sent, sender, target)
        if target.session_id == first:
            raise NewWayToFail

    monkeypatch.setattr(peer_ladder, "check_confirmed", fail_for_the_first)
    failed, delivered = office.do(BroadcastPeerMessage(post(source, first, second, route=Route.BROADCAST)))
    assert (failed.error, failed.delivery) == ("new_way_to_fail", None)
    assert isinstance(delivered.delivery, Delivery)
    assert [letter.target_session_id for letter in letters(office)] == [first]


def test_what_was_begun_is_not_told_as_a_refusal(office, monkeypatch):
    """A step that refuses after it has written would leave half a delivery: nothing of it is stored."""
    source, target = session(office, 101), session(office, 102)

    def refuse_late(*_arguments):
        raise NewWayToFail

    monkeypatch.setattr(peer_delivery, "_note", refuse_late)
    with pytest.raises(HalfDelivered):
        office.do(SendPeerMessage(post(source, target)))
    assert [type(event.payload).__name__ for event in office.events()] == ["SessionCreated"] * 2
    assert letters(office) == []


def test_each_refusal_of_peer_mail_is_classified_on_purpose():
    kinds = {kind for kind in vars(peer_errors).values() if isinstance(kind, type) and issubclass(kind, Refusal)}
    kinds -= {Refusal}
    kept = {kind: classify(kind.__new__(kind)) for kind in kinds}
    reads = {peer_errors.NotYourMessages, peer_errors.Retired}  # of no delivery
    assert {kind for kind, reason in kept.items() if reason is None} == {*TRANSIENT} - {Forbidden}
    assert {kind: reason for kind, reason in kept.items() if reason is not None and kind not in reads} == {
        **REASONS,
        peer_errors.SendFailed: DeadLetterReason.SEND_FAILED,
    }


def test_of_what_nobody_waits_for_everything_is_kept():
    for kind in TRANSIENT:
        assert classify(kind.__new__(kind), heard=False) is DeadLetterReason.SEND_FAILED


def test_answers_and_letters_are_kept_no_longer_than_the_configuration_says(office):
    source, target = session(office, 101), session(office, 102)
    office.do(SendPeerMessage(post(source, target, key="k")))

    def answers() -> int:
        office.store.begin()
        found = office.store.peer.expired(office.time + 1, 0).any
        office.store.rollback()
        return found

    office.time += 599_000_000
    office.upkeep.expire_peer_records()
    assert answers()
    office.time += 2_000_000
    office.upkeep.expire_peer_records()
    assert not answers()


def test_of_two_that_waited_for_one_target_the_second_lands_behind_the_first(office):
    """Though the first one ends the target's run: nobody is left who could send the second one again."""
    source, target, other = session(office, 101), session(office, 102), session(office, 103)
    token_id = str(UUID(int=201))
    office.do(CreateToken(ADMIN, token_id, TokenKind.ADMIN))
    caller = Caller(token_id, TokenKind.ADMIN)
    for _ in range(office.settings.peer.calls_max):
        office.do(SendPeerMessage(Post(caller, Route.MESSAGE, source, (other,), Letter("now"))))
    for text in ("ends the turn", "comes behind"):
        parked = Letter(text, queue_if_limited=True, confirm_interrupt_turn=True)
        assert not office.do(SendPeerMessage(Post(caller, Route.MESSAGE, source, (target,), parked))).delivered
    office.time += 3_595 * SECOND
    office.do(StartRun(ADMIN, target, "", "run", "first"))
    office.advance(6)
    assert letters(office) == []
    bodies = [ev.payload.body for ev in office.events(target) if isinstance(ev.payload, MessageAccepted)]
    assert bodies == ["ends the turn", "comes behind"]


def test_one_that_breaks_before_anything_happened_is_kept_too(office, monkeypatch):
    """And outside of the funnel."""
    source, target, other = session(office, 101), session(office, 102), session(office, 103)
    for _ in range(office.settings.peer.calls_max):
        office.do(SendPeerMessage(Post(ADMIN, Route.MESSAGE, source, (other,), Letter("now"))))
    parked = Letter("later", queue_if_limited=True)
    office.do(SendPeerMessage(Post(ADMIN, Route.MESSAGE, source, (target,), parked)))

    def break_at_once(*_arguments):
        raise RuntimeError

    monkeypatch.setattr(peer_ladder, "in_order", break_at_once)
    office.advance(3601)
    (letter,) = letters(office)
    assert (letter.target_session_id, letter.text) == (target, "later")


@pytest.mark.parametrize("failure", [RuntimeError, NewWayToFail])
def test_one_that_breaks_at_its_turn_holds_up_no_other_and_is_kept(office, monkeypatch, failure):
    """Nobody waits for a message that was parked: broken for a fault of the service's own, it is a dead letter."""
    source, first, second = session(office, 101), session(office, 102), session(office, 103)
    token_id = str(UUID(int=201))
    office.do(CreateToken(ADMIN, token_id, TokenKind.ADMIN))
    caller = Caller(token_id, TokenKind.ADMIN)
    for _ in range(office.settings.peer.calls_max):
        office.do(SendPeerMessage(Post(caller, Route.MESSAGE, source, (second,), Letter("now"))))
    for target in (first, second):
        parked = Letter("later", queue_if_limited=True)
        assert not office.do(SendPeerMessage(Post(caller, Route.MESSAGE, source, (target,), parked))).delivered
    accept = peer_delivery.accept

    def break_for_the_first(view, target, *more):
        accept(view, target, *more)
        if target.session_id == first:
            raise failure

    monkeypatch.setattr(peer_delivery, "accept", break_for_the_first)
    office.advance(3601)
    (letter,) = letters(office)
    assert (letter.target_session_id, letter.text, letter.reason) == (first, "later", DeadLetterReason.SEND_FAILED)
    bodies = [ev.payload.body for ev in office.events(second) if isinstance(ev.payload, MessageAccepted)]
    assert bodies[-1] == "later"
    assert [ev for ev in office.events(first) if isinstance(ev.payload, MessageAccepted)] == []
    monkeypatch.undo()
    office.advance(1)
    assert office.do(SendPeerMessage(Post(caller, Route.MESSAGE, source, (first,), Letter("again")))).delivered
    assert len(letters(office)) == 1
