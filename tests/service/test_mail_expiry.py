"""Mail that expires: discarded by the sweep and at a claim, and, when it is before a model, at its release."""

from __future__ import annotations

import pytest
from mail import advance, by_rpc, nothing_written, payloads, read_all, two
from uuid_utils import uuid4

SOON = {"seconds": 30}


async def ends(runtime, session) -> list[tuple[str, str]]:
    """Return what became of a session's mail: consumed, or discarded and why."""
    found = []
    for event in await runtime.log(session_id=session.session_id):
        kind = event.WhichOneof("payload")
        if kind == "producer_message_consumed":
            found.append((event.producer_message_consumed.message_id, "consumed"))
        elif kind == "producer_message_discarded":
            payload = event.producer_message_discarded
            found.append((payload.message_id, {3: "expired", 4: "superseded"}[payload.reason]))
    return found


async def told_sender(runtime, parent) -> list[tuple[str, str, int]]:
    """Return what the sender's log says died undelivered."""
    found = await payloads(runtime, parent, "sent_message_undeliverable")
    return [(p.message_id, p.recipient_session_id, p.reason) for p in found]


async def test_the_sweep_ends_what_nobody_read(server, runtime, wire):
    """Waiting mail ends by itself when its time is up; the sender's log is told, and a wake for nothing goes."""
    parent, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child, expire_after=SOON)
    (accepted,) = await payloads(runtime, child, "producer_message_accepted")
    event = (await runtime.log(session_id=child.session_id))[1]
    assert accepted.expire_time.ToMicroseconds() == event.event_time.ToMicroseconds() + 30_000_000
    advance(server, 12)
    assert await ends(runtime, child) == []
    advance(server, 20)
    assert await ends(runtime, child) == [(sent.message_id, "expired")]
    expired = wire.message.DISCARD_REASON_EXPIRED
    assert await told_sender(runtime, parent) == [(sent.message_id, child.session_id, expired)]
    assert len(await payloads(runtime, child, "wake_withdrawn")) == 1
    assert (await runtime.look(child)).pending_count == 0


@pytest.mark.parametrize("overrides", [{"delivery": {"sweep_seconds": 0.05}}])
async def test_in_real_time(runtime):
    """A second after its acceptance mail that may live for a second is gone, and whoever listens hears of it."""
    parent, child, run = await two(runtime)
    stream = runtime.subscribe(session_id=parent.session_id, from_now=True)
    await stream.until(lambda frame: frame.caught_up)
    sent = await by_rpc(runtime, run, child, expire_after={"seconds": 1})
    (event,) = await stream.events(1)
    assert event.sent_message_undeliverable.message_id == sent.message_id
    lived = event.event_time.ToMicroseconds() - (
        (await payloads(runtime, child, "producer_message_accepted"))[0].expire_time.ToMicroseconds()
    )
    assert 0 <= lived < 60_000_000
    stream.cancel()


async def test_a_claim_does_not_wait_for_the_sweep(server, runtime):
    """What has expired is in no claim, though no sweep came by; the others are, in their order."""
    parent, child, run = await two(runtime)
    first = await by_rpc(runtime, run, child, "first")
    dead = await by_rpc(runtime, run, child, "dead", expire_after=SOON)
    last = await by_rpc(runtime, run, child, "last", expire_after={"seconds": 1000})
    advance(server, 31, sweep=False)
    started = await runtime.start(child, attempt_id="first")
    assert [m.message_id for m in started.claim.messages] == [first.message_id, last.message_id]
    assert await ends(runtime, child) == [(dead.message_id, "expired")]
    assert len(await told_sender(runtime, parent)) == 1


async def test_a_claimed_message_lives_until_it_comes_back(server, runtime):
    """Mail that expires before a model is discarded when it is given back."""
    parent, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child, expire_after=SOON)
    kept = await by_rpc(runtime, run, child)
    started = await runtime.start(child, attempt_id="first")
    advance(server, 31)
    assert await ends(runtime, child) == []
    again = await runtime.claim(started.run, attempt_id="first")
    assert [m.message_id for m in again.messages] == [sent.message_id, kept.message_id]
    await runtime.runs.ReleaseClaim(session_id=child.session_id, run_id=started.run.run_id, claim_seq=again.claim_seq)
    assert await ends(runtime, child) == [(sent.message_id, "expired")]
    assert len(await told_sender(runtime, parent)) == 1
    claim = await runtime.claim(started.run)
    assert [m.message_id for m in claim.messages] == [kept.message_id]


async def test_a_claimed_message_that_a_turn_kept_is_consumed(server, runtime):
    """Mail that expired before a model is consumed all the same when the turn is kept: it was seen."""
    parent, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child, expire_after=SOON)
    started = await runtime.start(child, attempt_id="first")
    advance(server, 31)
    assert await runtime.commit(started.run, started.claim) == [sent.message_id]
    assert await ends(runtime, child) == [(sent.message_id, "consumed")]
    assert await told_sender(runtime, parent) == []


@pytest.mark.parametrize("end", ["FAILED", "lapsed", "overtaken"])
async def test_every_way_back_is_a_release(server, runtime, end):
    """A run that fails or lapses, and an attempt that overtakes, give expired mail back to its end."""
    _, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child, expire_after=SOON)
    started = await runtime.start(child, attempt_id="first")
    if end == "lapsed":
        advance(server, 100)
    else:
        advance(server, 31)
        if end == "overtaken":
            assert list((await runtime.claim(started.run, attempt_id="second")).messages) == []
        else:
            await runtime.finish(started.run, end)
    assert await ends(runtime, child) == [(sent.message_id, "expired")]
    assert (await runtime.look(child)).pending_count == 0


async def test_admitted_and_released_mail_expires_too(server, runtime):
    """Mail that joined a run without a claim, and mail that was given back, end in time."""
    _, child, run = await two(runtime)
    released = await by_rpc(runtime, run, child, "x" * 100, expire_after=SOON)
    admitted = await by_rpc(runtime, run, child, "y" * 100, expire_after=SOON)
    child_run = await runtime.run(child)
    claim = await runtime.claim(child_run, bytes_max=100)
    assert (len(claim.messages), claim.more_pending) == (1, True)
    await runtime.runs.ReleaseClaim(session_id=child.session_id, run_id=child_run.run_id, claim_seq=claim.claim_seq)
    advance(server, 31)
    assert await ends(runtime, child) == [(released.message_id, "expired"), (admitted.message_id, "expired")]


async def test_held_mail_expires(server, runtime):
    """Time passes for held mail too: a person who opens the session later does not get it."""
    parent, child, run = await two(runtime)
    await server.admin.sessions.SetAvailability(session_id=child.session_id, availability=5)
    sent = await by_rpc(runtime, run, child, expire_after=SOON)
    assert sent.recipient_state == "held"
    advance(server, 31)
    await server.admin.sessions.SetAvailability(session_id=child.session_id, availability=1)
    assert await ends(runtime, child) == [(sent.message_id, "expired")]
    assert await payloads(runtime, child, "wake_requested") == []
    assert len(await told_sender(runtime, parent)) == 1


async def test_time_passes_while_the_server_is_down(server, runtime):
    """The end of a message is an instant: after a restart it is where it was."""
    _, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child, expire_after=SOON)
    await server.restart()
    runtime = server.client(runtime.secret)
    advance(server, 31)
    assert await ends(runtime, child) == [(sent.message_id, "expired")]


async def test_how_long_mail_may_live(server, runtime):
    """An expiry is one second to thirty days; less and more is an invalid request."""
    _, child, run = await two(runtime)
    async with nothing_written(server):
        for duration in ({}, {"nanos": 999_999_999}, {"seconds": 2_592_000, "nanos": 1}, {"seconds": -5}):
            answer = await by_rpc(runtime, run, child, expire_after=duration)
            assert (answer.code, answer.refusal.field) == ("request:invalid", "expire_after")
    for bound in (1, 2_592_000):
        assert (await by_rpc(runtime, run, child, expire_after={"seconds": bound})).code == ""


async def test_a_repeat_does_not_lengthen_life(server, runtime):
    """A repeated call leaves the expiry of the first: the id is the same, and so is its end."""
    _, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child, call="same", expire_after=SOON)
    advance(server, 16)
    again = await by_rpc(runtime, run, child, call="same", expire_after=SOON)
    assert again.message_id == sent.message_id
    advance(server, 16)
    assert await ends(runtime, child) == [(sent.message_id, "expired")]


async def test_mail_without_expiry_stays(server, runtime):
    """Without an expiry mail waits for ever."""
    _, child, run = await two(runtime, session_id=str(uuid4()))
    sent = await by_rpc(runtime, run, child)
    advance(server, 10 * 365 * 86_400)
    assert await read_all(runtime, child) == [sent.message_id]
