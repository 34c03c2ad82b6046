"""Mail wakes whoever does not run, once, and is the first thing that the woken run reads."""

from __future__ import annotations

import pytest
from mail import advance, by_rpc, payloads


async def idle(server, runtime, child):
    """It has not run yet."""


async def completed(server, runtime, child):
    await runtime.finish(await runtime.run(child))


async def failed(server, runtime, child):
    await runtime.finish(await runtime.run(child), "FAILED")


async def broken_off(server, runtime, child):
    await runtime.finish(await runtime.run(child), "INTERRUPTED")


async def lapsed(server, runtime, child):
    await runtime.run(child)
    advance(server, 100)


async def gave_up(server, runtime, child):
    await runtime.finish(await runtime.run(child), "CANCELLED")


async def cancelled(server, runtime, child):
    run = await runtime.run(child)
    await runtime.runs.CancelRun(session_id=child.session_id, run_id=run.run_id, reason="no longer needed")


# how its last run ended: what the session is, what the sender is told
ENDS = {
    idle: ("IDLE", "queued"),
    completed: ("COMPLETED", "waking_finished"),
    failed: ("FAILED", "waking_finished"),
    broken_off: ("INTERRUPTED", "waking_finished"),
    lapsed: ("INTERRUPTED", "waking_finished"),
    gave_up: ("CANCELLED", "waking_finished"),
    cancelled: ("CANCELLED", "waking_finished"),
}


@pytest.mark.parametrize("mode", ["steer", "queue"])
@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
async def test_mail_wakes_a_session_once_and_is_its_first_input(server, runtime, wire, end, mode):
    """Mail to a session that does not run wakes it once, with the mail as the run's first input."""
    state, told = ENDS[end]
    attached = await runtime.attach()
    parent = await runtime.session(rules={"child": "allow"})
    child = await runtime.session(parent)
    await end(server, runtime, child)
    assert wire.session.SessionState.Name((await runtime.look(child)).state) == f"SESSION_STATE_{state}"
    run = await runtime.run(parent)
    first = await by_rpc(runtime, run, child, "first", mode)
    second = await by_rpc(runtime, run, child, "second", mode)
    assert (first.recipient_state, second.recipient_state) == (told, told)
    offer = await attached.told("wake_offer")
    assert (offer.session_id, offer.offer_number) == (child.session_id, 1)
    started = await runtime.start(child, wake_id=offer.wake_id, attempt_id="first")
    assert [m.body for m in started.claim.messages] == ["first", "second"]
    assert await runtime.commit(started.run, started.claim) == [first.message_id, second.message_id]
    await runtime.finish(started.run)
    assert len(await payloads(runtime, child, "wake_requested")) == 1
    assert len(await payloads(runtime, child, "wake_offered")) == 1
    assert (await runtime.look(child)).pending_count == 0
    attached.cancel()


async def test_mail_for_a_sleeping_session_waits_for_a_runtime(server, runtime):
    """Without a runtime the wake is durable: whoever attaches later, after a restart too, is offered it."""
    parent = await runtime.session(rules={"child": "allow"})
    child = await runtime.session(parent)
    sent = await by_rpc(runtime, await runtime.run(parent), child)
    (wake,) = await payloads(runtime, child, "wake_requested")
    await server.restart()
    runtime = server.client(runtime.secret)
    attached = await runtime.attach()
    offer = await attached.told("wake_offer")
    assert (offer.wake_id, offer.pending_count) == (wake.wake_id, 1)
    started = await runtime.start(child, wake_id=offer.wake_id, attempt_id="first")
    assert [m.message_id for m in started.claim.messages] == [sent.message_id]
    assert len(await payloads(runtime, child, "wake_requested")) == 1
    attached.cancel()


async def test_a_woken_child_reports_nothing_by_itself(server, runtime):
    """Waking a finished child opens nothing anew at its parent: the parent's log gets no word of it."""
    parent = await runtime.session(rules={"child": "allow"})
    child = await runtime.session(parent)
    await completed(server, runtime, child)
    run = await runtime.run(parent)
    await by_rpc(runtime, run, child)
    before = await runtime.log(session_id=parent.session_id)
    started = await runtime.start(child, attempt_id="first")
    await runtime.commit(started.run, started.claim)
    await runtime.finish(started.run)
    assert await runtime.log(session_id=parent.session_id) == before


async def test_mail_to_a_session_that_a_person_stopped_is_held(server, runtime, wire):
    """A person's stop holds later mail; it is delivered in order, by one wake, when a person opens the session."""
    approver = await server.make_token("approver")
    parent = await runtime.session(rules={"child": "allow"})
    child = await runtime.session(parent)
    stopped = await runtime.run(child)
    await approver.runs.CancelRun(session_id=child.session_id, run_id=stopped.run_id)
    run = await runtime.run(parent)
    sent = [await by_rpc(runtime, run, child, body) for body in ("one", "two")]
    assert [s.recipient_state for s in sent] == ["held", "held"]
    assert await payloads(runtime, child, "wake_requested") == []
    attached = await runtime.attach()
    await approver.sessions.SetAvailability(session_id=child.session_id, availability=wire.session.AVAILABILITY_OPEN)
    offer = await attached.told("wake_offer")
    started = await runtime.start(child, wake_id=offer.wake_id, attempt_id="first")
    assert [m.message_id for m in started.claim.messages] == [s.message_id for s in sent]
    assert len(await payloads(runtime, child, "wake_requested")) == 1
    attached.cancel()
