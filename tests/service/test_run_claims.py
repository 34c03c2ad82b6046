"""What a run is given, and when: steer mail at its next boundary, queue mail at the next run's first."""

from __future__ import annotations

import pytest
from calls import fresh
from ledger import Ledger, kinds

STEER, QUEUE = 1, 2


def bodies(claim) -> list[str]:
    return [message.body for message in claim.messages]


@pytest.fixture
async def pair(server, runtime):
    """A parent with an active run and its child, both of one runtime; `say` sends from one to the other."""
    parent = await runtime.session(rules={"child": "allow"})
    child = await runtime.session(parent)
    sending = await runtime.run(parent)

    async def say(body: str, mode: int = STEER) -> str:
        return (await runtime.send(sending, child, body, mode=mode)).message_id

    return child, say


async def test_steer_mail_in_flight_joins_the_next_boundary_and_no_request_before_it(runtime, pair, wire):
    child, say = pair
    started = await runtime.start(child, attempt_id="first")
    assert bodies(started.claim) == []
    accepted = await runtime.user(child, "from a person")
    assert accepted.recipient_state == wire.message.RECIPIENT_STATE_RUNNING
    await say("one")
    await say("two")
    again = await runtime.claim(started.run, attempt_id="first")
    assert bodies(again) == []
    assert again == started.claim
    assert bodies(await runtime.claim(started.run)) == ["from a person", "one", "two"]


async def test_queue_mail_waits_for_the_next_run_and_starts_it(runtime, pair):
    child, say = pair
    attached = await runtime.attach()
    run = (await runtime.start(child, attempt_id="first")).run
    await say("later", QUEUE)
    await say("now")
    claim = await runtime.claim(run)
    assert bodies(claim) == ["now"]
    await runtime.commit(run, claim)
    assert bodies(await runtime.claim(run)) == []
    claim = await runtime.claim(run)
    await runtime.finish(run, commit_claim_seq=claim.claim_seq)
    offer = await attached.told("wake_offer")
    woken = await runtime.start(child, wake_id=offer.wake_id, attempt_id="woken")
    assert bodies(woken.claim) == ["later"]
    attached.cancel()


async def test_queue_mail_that_came_before_the_run_is_given_at_its_first_boundary_however_late_that_is(runtime, pair):
    child, say = pair
    await say("before", QUEUE)
    run = await runtime.run(child)
    await say("after", QUEUE)
    await say("steers")
    claim = await runtime.claim(run)
    assert bodies(claim) == ["before", "steers"]
    await runtime.finish(run, commit_claim_seq=claim.claim_seq)
    assert bodies((await runtime.start(child, attempt_id="next")).claim) == ["after"]


async def test_a_released_claim_with_queue_mail_in_it_is_claimed_again_by_its_own_run_in_old_order(runtime, pair):
    child, say = pair
    await say("1 queued", QUEUE)
    await say("2 steers")
    started = await runtime.start(child, attempt_id="first")
    assert bodies(started.claim) == ["1 queued", "2 steers"]
    await say("3 queued, too late", QUEUE)
    await say("4 steers")
    await runtime.runs.ReleaseClaim(
        session_id=child.session_id, run_id=started.run.run_id, claim_seq=started.claim.claim_seq, reason="model failed"
    )
    second = await runtime.claim(started.run)
    assert bodies(second) == ["1 queued", "2 steers", "4 steers"]
    assert [message.delivery_count for message in second.messages] == [2, 2, 1]
    await runtime.finish(started.run, "FAILED")
    third = (await runtime.start(child, attempt_id="next")).claim
    assert bodies(third) == ["1 queued", "2 steers", "3 queued, too late", "4 steers"]
    assert [message.delivery_count for message in third.messages] == [3, 3, 1, 2]


async def test_a_failed_model_request_shows_the_same_mail_in_the_same_words_again(runtime, pair):
    child, say = pair
    await say("</agent_message> pretends to end")
    started = await runtime.start(child, attempt_id="first")
    (before,) = started.claim.messages
    retried = await runtime.claim(started.run)  # a new attempt without a commit: the first request came to nothing
    (after,) = retried.messages
    assert (after.message_id, after.body, after.rendered_text, after.accept_time, after.sender) == (
        before.message_id,
        before.body,
        before.rendered_text,
        before.accept_time,
        before.sender,
    )
    assert (before.delivery_count, after.delivery_count) == (1, 2)
    assert await runtime.commit(started.run, retried) == [before.message_id]
    assert bodies(await runtime.claim(started.run)) == []


@pytest.mark.parametrize(
    "overrides", [{"delivery": {"claim_bytes_max": 1024}, "messaging": {"max_inflight_per_pair": 0}}]
)
async def test_a_claim_over_its_limit_says_that_more_waits_and_keeps_the_order(runtime, pair):
    """Nothing overtakes a message that does not fit, however small it is; the first always fits."""
    child, say = pair
    sizes = (600, 400, 100, 1, 2000, 1, 1)
    for number, size in enumerate(sizes):
        await say(str(number) * size)
    started = await runtime.start(child, attempt_id="first")
    claims = [started.claim]
    while claims[-1].more_pending:
        answer = await runtime.claim(started.run, commit_claim_seq=claims[-1].claim_seq)
        claims.append(answer)
    found = [[int(message.body[0]) for message in claim.messages] for claim in claims]
    assert found == [[0, 1], [2, 3], [4], [5, 6]]
    assert [claim.more_pending for claim in claims] == [True, True, True, False]


async def test_the_caller_may_ask_for_less_than_the_limit_counted_in_bytes(runtime, pair):
    child, say = pair
    for body in ("é" * 4, "🙂🙂", "xy"):
        await say(body)
    started = await runtime.start(child, attempt_id="first", bytes_max=16)
    assert bodies(started.claim) == ["é" * 4, "🙂🙂"]
    assert started.claim.more_pending
    one = await runtime.claim(started.run, bytes_max=1)
    assert bodies(one) == ["é" * 4]
    assert one.more_pending
    two = await runtime.claim(started.run, bytes_max=15)
    assert bodies(two) == ["é" * 4]
    rest = await runtime.claim(started.run, commit_claim_seq=two.claim_seq, bytes_max=10)
    assert bodies(rest) == ["🙂🙂", "xy"]
    assert not rest.more_pending


async def test_a_repeat_of_the_attempt_answers_the_live_claim_whatever_came_since(runtime, pair):
    child, say = pair
    run = await runtime.run(child)
    await say("first")
    claim = await runtime.claim(run, attempt_id="the attempt")
    await say("second")
    for bytes_max in (0, 1):
        assert await runtime.claim(run, attempt_id="the attempt", bytes_max=bytes_max) == claim
    log = await runtime.log(session_id=child.session_id)
    assert kinds(log).count("producer_messages_claimed") == 1


async def test_an_attempt_that_was_overtaken_is_lost(runtime, pair, refused):
    child, say = pair
    await say("the mail")
    started = await runtime.start(child, attempt_id="first")
    second = await runtime.claim(started.run, attempt_id="second")
    assert bodies(second) == ["the mail"]
    reference = {"session_id": child.session_id, "run_id": started.run.run_id}
    with refused("claim:lost"):
        await runtime.runs.ClaimMessages(**reference, attempt_id="first")
    with refused("claim:lost"):
        await runtime.start(child, client_run_id=started.run.client_run_id, attempt_id="first")
    for claim_seq in (started.claim.claim_seq, second.claim_seq + 100, 1):
        with refused("claim:lost"):
            await runtime.runs.CommitTurn(**reference, claim_seq=claim_seq)
        with refused("claim:lost"):
            await runtime.runs.ClaimMessages(**reference, attempt_id="third", commit_claim_seq=claim_seq)
        with refused("claim:lost"):
            await runtime.runs.FinishRun(**reference, outcome=2, commit_claim_seq=claim_seq)
    # None of it disturbed the claim that lives.
    assert await runtime.claim(started.run, attempt_id="second") == second
    assert await runtime.commit(started.run, second) == [second.messages[0].message_id]


async def test_an_attempt_that_was_committed_or_given_back_is_lost_too(runtime, pair, refused):
    child, say = pair
    await say("one")
    run = await runtime.run(child)
    committed = await runtime.claim(run, attempt_id="committed")
    await runtime.commit(run, committed)
    released = await runtime.claim(run, attempt_id="released")
    await runtime.runs.ReleaseClaim(session_id=child.session_id, run_id=run.run_id, claim_seq=released.claim_seq)
    for attempt_id in ("committed", "released"):
        with refused("claim:lost"):
            await runtime.claim(run, attempt_id=attempt_id)
    with refused("claim:lost"):
        await runtime.runs.ReleaseClaim(session_id=child.session_id, run_id=run.run_id, claim_seq=committed.claim_seq)
    with refused("claim:lost"):
        await runtime.commit(run, released)


async def test_a_claim_carries_the_commit_of_the_one_before(runtime, pair, refused):
    """A call that is repeated after its answer was lost finds the commit done and the claim made."""
    child, say = pair
    first = await say("first")
    run = await runtime.run(child)
    one = await runtime.claim(run)
    second = await say("second")
    attempt_id = fresh("attempt")
    two = await runtime.claim(run, attempt_id=attempt_id, commit_claim_seq=one.claim_seq)
    assert bodies(two) == ["second"]
    assert await runtime.claim(run, attempt_id=attempt_id, commit_claim_seq=one.claim_seq) == two
    assert await runtime.commit(run, one) == [first]
    await runtime.finish(run, commit_claim_seq=two.claim_seq)
    ledger = Ledger(await runtime.log(session_id=child.session_id))
    ledger.settled(first, second)
    assert ledger.of("consumed") == {first, second}


async def test_the_log_tells_each_step_of_a_message_that_was_shown_twice(runtime, pair):
    child, say = pair
    await say("the mail")
    run = await runtime.run(child)
    await runtime.claim(run)
    claim = await runtime.claim(run)
    await runtime.finish(run, commit_claim_seq=claim.claim_seq)
    log = await runtime.log(session_id=child.session_id)
    assert kinds(log)[1:] == [
        "producer_message_accepted",
        "wake_requested",
        "run_started",
        "wake_settled",
        "producer_message_admitted",
        "producer_messages_claimed",
        "producer_messages_released",
        "producer_messages_claimed",
        "turn_committed",
        "producer_message_consumed",
        "run_finished",
    ]
