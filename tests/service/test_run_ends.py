"""How a run ends, goes on instead, or comes to nothing again and again."""

from __future__ import annotations

import pytest
from calls import fresh
from kinpost.v1 import event_pb2
from ledger import Ledger, kinds

QUEUE = 2
OUTCOMES = ("COMPLETED", "FAILED", "INTERRUPTED", "CANCELLED")


@pytest.fixture
async def session(runtime):
    return await runtime.session()


@pytest.mark.parametrize("mail", [0, 1])
async def test_a_finish_leaves_no_claim_in_the_air(runtime, session, refused, mail):
    """COMPLETED says that all was done: a claim that is neither committed nor released stands against it."""
    for _ in range(mail):
        await runtime.user(session, "the mail")
    started = await runtime.start(session, attempt_id="first")
    with refused("claim:outstanding"):
        await runtime.finish(started.run)
    with refused("claim:outstanding"):
        await runtime.finish(started.run, continue_attempt_id="more")
    assert (await runtime.look(session)).active_run_id == started.run.run_id
    assert await runtime.claim(started.run, attempt_id="first") == started.claim
    ended = await runtime.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    assert ended.run.consumed_count == mail


@pytest.mark.parametrize("outcome", OUTCOMES[1:])
async def test_the_other_outcomes_give_the_claim_back_and_the_mail_wakes_the_session(
    runtime, session, wire, refused, outcome
):
    sent = await runtime.user(session, "the mail")
    started = await runtime.start(session, attempt_id="first")
    ended = await runtime.finish(started.run, outcome, reason="it broke")
    assert (ended.run.state, ended.run.reason, ended.run.consumed_count, ended.run.by_person) == (
        wire.run.RunState.Value(f"RUN_STATE_{outcome}"),
        "it broke",
        0,
        False,
    )
    look = await runtime.look(session)
    assert look.state == wire.session.SessionState.Value(f"SESSION_STATE_{outcome}")
    assert look.availability == wire.session.AVAILABILITY_OPEN
    assert look.pending_count == 1
    log = await runtime.log(session_id=session.session_id)
    assert kinds(log)[-3:] == ["producer_messages_released", "run_finished", "wake_requested"]
    assert log[-3].producer_messages_released.reason == wire.run.RELEASE_REASON_RUN_ENDED
    again = await runtime.start(session, attempt_id="next")
    assert [message.message_id for message in again.claim.messages] == [sent.message_id]
    code = "run:cancelled" if outcome == "CANCELLED" else "run:not_active"
    with refused(code):
        await runtime.commit(started.run, started.claim)
    with refused(code):
        await runtime.claim(started.run)


async def test_mail_that_came_during_the_last_turn_continues_the_run(runtime, session):
    run = await runtime.run(session)
    claim = await runtime.claim(run)
    sent = await runtime.user(session, "wait, one more thing")
    answer = await runtime.finish(run, commit_claim_seq=claim.claim_seq, continue_attempt_id="more")
    assert answer.WhichOneof("result") == "claim"
    assert [message.message_id for message in answer.claim.messages] == [sent.message_id]
    repeated = await runtime.finish(run, commit_claim_seq=claim.claim_seq, continue_attempt_id="more")
    assert repeated == answer
    assert (await runtime.look(session)).active_run_id == run.run_id
    ended = await runtime.finish(run, commit_claim_seq=answer.claim.claim_seq, continue_attempt_id="still more")
    assert ended.run.consumed_count == 1
    assert (await runtime.look(session)).pending_count == 0
    assert await runtime.finish(run, commit_claim_seq=answer.claim.claim_seq, continue_attempt_id="still more") == ended


@pytest.mark.parametrize("mail", [[], [QUEUE]])
async def test_without_steer_mail_there_is_nothing_to_continue_for(runtime, session, wire, mail):
    """Queue mail is the next run's: it wakes the session in the same commit."""
    run = await runtime.run(session)
    for mode in mail:
        await runtime.user(session, "later", mode=mode)
    ended = await runtime.finish(run, continue_attempt_id="more")
    assert ended.run.state == wire.run.RUN_STATE_COMPLETED
    assert kinds(await runtime.log(session_id=session.session_id))[-1] == ("wake_requested" if mail else "run_finished")


async def test_a_continuation_that_was_overtaken_is_lost(runtime, session, refused):
    run = await runtime.run(session)
    await runtime.user(session, "one more thing")
    await runtime.finish(run, continue_attempt_id="more")
    second = await runtime.claim(run, attempt_id="second")
    with refused("claim:lost"):
        await runtime.finish(run, continue_attempt_id="more")
    await runtime.finish(run, commit_claim_seq=second.claim_seq)


async def come_to_nothing(runtime, session) -> None:
    """Run once, with the mail and without consuming it."""
    started = await runtime.start(session, attempt_id=fresh("attempt"))
    assert started.claim.messages
    await runtime.finish(started.run, "FAILED")


def delays(log) -> list[int]:
    """Return how many milliseconds each wake was held back."""
    return [
        (event.wake_requested.not_before_time.ToMilliseconds() - event.event_time.ToMilliseconds())
        if event.wake_requested.HasField("not_before_time")
        else 0
        for event in log
        if event.HasField("wake_requested")
    ]


@pytest.mark.parametrize("overrides", [{"delivery": {"failing_delay_seconds": 1.0, "failing_delay_max_seconds": 20.0}}])
async def test_runs_that_consume_nothing_wait_longer_each_time_and_then_pause_the_session(
    server, runtime, wire, refused
):
    parent = await runtime.session(rules={"child": "allow"})
    session = await runtime.session(parent)
    sending = await runtime.run(parent)
    sent = await runtime.send(sending, session, "the mail")
    for number in range(1, 9):
        await come_to_nothing(runtime, session)
        assert (await runtime.look(session)).failing_runs == number
    log = await runtime.log(session_id=session.session_id)
    assert delays(log) == [0, 1000, 2000, 4000, 8000, 16000, 20000, 20000]
    # People see it: in the session, in its log, and in what its senders are told.
    look = await runtime.look(session)
    assert (look.availability, look.availability_reason) == (wire.session.AVAILABILITY_PAUSED, "failing")
    (paused,) = [event for event in log if event.HasField("session_availability_changed")]
    assert paused.origin == event_pb2.EVENT_ORIGIN_SERVICE
    assert not paused.session_availability_changed.by_person
    view = await runtime.messaging.GetSentMessage(session_id=parent.session_id, message_id=sent.message_id)
    assert (view.sent_message.held, view.sent_message.held_reason) == (True, "failing")
    held = await runtime.send(sending, session, "more")
    assert held.recipient_state == wire.message.RECIPIENT_STATE_HELD
    with refused("auth:forbidden"):  # it is for a person to say that it may try again
        await runtime.sessions.SetAvailability(
            session_id=session.session_id, availability=wire.session.AVAILABILITY_OPEN
        )
    # A person opens it: it starts anew, at once, with all of its mail in order.
    await server.admin.sessions.SetAvailability(
        session_id=session.session_id, availability=wire.session.AVAILABILITY_OPEN
    )
    assert (await runtime.look(session)).failing_runs == 0
    assert delays(await runtime.log(session_id=session.session_id))[-1] == 0
    started = await runtime.start(session, attempt_id="opened")
    assert [message.message_id for message in started.claim.messages] == [sent.message_id, held.message_id]


@pytest.mark.parametrize("overrides", [{"delivery": {"failing_delay_seconds": 1.0, "failing_delay_max_seconds": 20.0}}])
async def test_consumption_resets_the_count(runtime, session):
    await runtime.user(session, "first")
    for _ in range(3):
        await come_to_nothing(runtime, session)
    started = await runtime.start(session, attempt_id="a good turn")
    await runtime.commit(started.run, started.claim)
    await runtime.user(session, "second")
    assert (await runtime.look(session)).failing_runs == 0
    await runtime.finish(started.run, "FAILED")  # it failed, and yet it consumed something
    assert (await runtime.look(session)).failing_runs == 0
    await come_to_nothing(runtime, session)
    assert delays(await runtime.log(session_id=session.session_id)) == [0, 1000, 2000, 4000, 0, 1000]


async def test_a_run_without_mail_is_no_failing_run(runtime, session):
    """A run of the client's own, that nobody wrote to, does not hold back the mail that comes later."""
    for outcome in OUTCOMES:
        run = await runtime.run(session)
        claim = await runtime.claim(run)
        await runtime.runs.ReleaseClaim(session_id=session.session_id, run_id=run.run_id, claim_seq=claim.claim_seq)
        await runtime.finish(run, outcome)
    assert (await runtime.look(session)).failing_runs == 0
    await runtime.user(session)
    assert delays(await runtime.log(session_id=session.session_id)) == [0]


@pytest.mark.parametrize("overrides", [{"delivery": {"failing_delay_seconds": 0.05, "failing_delay_max_seconds": 0.4}}])
async def test_a_delayed_wake_is_offered_when_its_time_has_come_and_not_before(server, runtime, session):
    attached = await runtime.attach()
    await runtime.user(session, "the mail")
    for _ in range(3):
        offer = await attached.told("wake_offer")
        started = await runtime.start(session, wake_id=offer.wake_id, attempt_id=fresh("attempt"))
        await runtime.finish(started.run, "FAILED")
    offer = await attached.told("wake_offer")
    started = await runtime.start(session, wake_id=offer.wake_id, attempt_id="good")
    await runtime.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    log = await runtime.log(session_id=session.session_id)
    assert delays(log) == [0, 50, 100, 200]
    due = None
    for event in log:
        if event.HasField("wake_requested"):
            requested = event.wake_requested
            due = requested.not_before_time if requested.HasField("not_before_time") else event.event_time
        if event.HasField("wake_offered"):
            assert event.event_time.ToMicroseconds() >= due.ToMicroseconds()
    Ledger(log).settled()
    attached.cancel()
