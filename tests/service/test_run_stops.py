"""Stopped means stopped: what a person stops stays stopped until a person opens it; what a parent cancels goes on."""

from __future__ import annotations

import pytest
from calls import fresh
from kinpost.v1 import session_pb2 as words
from ledger import kinds, payloads

CANCELLED = 5
OPEN, PAUSED, USER_CLOSED = words.AVAILABILITY_OPEN, words.AVAILABILITY_PAUSED, words.AVAILABILITY_USER_CLOSED


@pytest.fixture
async def session(runtime):
    return await runtime.session()


def bodies(claim) -> list[str]:
    return [message.body for message in claim.messages]


async def stop(server, runtime, run, how: str) -> None:
    """Stop a run on a person's behalf."""
    fields = {"session_id": run.session_id, "run_id": run.run_id}
    if how == "an approver's token":
        await (await server.make_token("approver")).runs.CancelRun(**fields)
    elif how == "an admin's token":
        await server.admin.runs.CancelRun(**fields, reason="enough")
    elif how == "whichever run is active":
        await server.admin.runs.CancelRun(session_id=run.session_id)
    elif how == "the runtime says so":
        await runtime.runs.CancelRun(**fields, by_person=True)
    else:
        await runtime.finish(run, "CANCELLED", by_person=True)


WAYS = [
    "an approver's token",
    "an admin's token",
    "whichever run is active",
    "the runtime says so",
    "the run's own end",
]


@pytest.mark.parametrize("how", WAYS)
async def test_a_persons_stop_pauses_in_the_same_commit_and_loses_nothing(server, runtime, session, refused, how):
    await runtime.user(session, "mail 0")
    started = await runtime.start(session, attempt_id="first")
    await runtime.user(session, "mail 1")
    await stop(server, runtime, started.run, how)
    log = await runtime.log(session_id=session.session_id)
    assert kinds(log)[-3:] == ["producer_messages_released", "run_finished", "session_availability_changed"]
    finished, changed = log[-2].run_finished, log[-1].session_availability_changed
    assert (finished.outcome, finished.by_person) == (CANCELLED, True)
    assert (changed.availability, changed.by_person) == (PAUSED, True)
    await runtime.user(session, "mail 2")
    assert kinds(await runtime.log(session_id=session.session_id))[-1] == "producer_message_accepted"
    with refused("session:not_open"):
        await runtime.run(session)
    with refused("auth:forbidden"):
        await runtime.sessions.SetAvailability(session_id=session.session_id, availability=OPEN)
    with refused("run:cancelled"):
        await runtime.commit(started.run, started.claim)
    attached = await runtime.attach()
    await server.admin.sessions.SetAvailability(session_id=session.session_id, availability=OPEN)
    offer = await attached.told("wake_offer")
    started = await runtime.start(session, wake_id=offer.wake_id, attempt_id="opened")
    assert bodies(started.claim) == ["mail 0", "mail 1", "mail 2"]
    attached.cancel()


@pytest.mark.parametrize("how", ["its own runtime", "the run's own end"])
async def test_an_agents_cancel_does_not_pause_and_the_mail_wakes_the_session_again(runtime, session, how):
    attached = await runtime.attach("the-runtime")
    run = await runtime.run(session, runtime_id="the-runtime")
    await runtime.user(session, "the mail")
    if how == "its own runtime":
        await runtime.runs.CancelRun(session_id=session.session_id, run_id=run.run_id)
        assert (await attached.told("run_stop")).run_id == run.run_id
    else:
        await runtime.finish(run, "CANCELLED")
    offer = await attached.told("wake_offer")
    look = await runtime.look(session)
    assert (look.state, look.availability) == (words.SESSION_STATE_CANCELLED, OPEN)
    started = await runtime.start(session, wake_id=offer.wake_id, attempt_id="next")
    assert bodies(started.claim) == ["the mail"]
    attached.cancel()


async def test_the_runtime_learns_of_a_stop_by_its_stream_its_heartbeat_and_its_next_call(
    server, runtime, session, refused
):
    attached = await runtime.attach("the-runtime")
    run = await runtime.run(session, runtime_id="the-runtime")
    await server.admin.runs.CancelRun(session_id=session.session_id, run_id=run.run_id, reason="look at the bill")
    told = await attached.told("run_stop")
    assert (told.run_id, told.reason) == (run.run_id, 1)
    reference = {"session_id": session.session_id, "run_id": run.run_id}
    (lease,) = (await runtime.runs.Heartbeat(runtime_id="the-runtime", runs=[reference])).runs
    assert (lease.state, lease.stop_reason) == (CANCELLED, 1)
    for call, fields in (
        (runtime.runs.ClaimMessages, {"attempt_id": "1"}),
        (runtime.runs.FinishRun, {"outcome": 2}),
        (runtime.messaging.SendMessage, {"tool_call_id": "1", "to": session.session_id, "body": "x"}),
    ):
        with refused("run:cancelled") as refusal:
            await call(**reference, **fields)
        assert "look at the bill" in refusal.text
    # Its own CANCELLED is the same end, told again.
    assert (await runtime.finish(run, "CANCELLED")).run.by_person
    attached.cancel()


@pytest.mark.parametrize("how", ["an admin's token", "the runtime says so", "the run's own end"])
async def test_a_persons_stop_that_comes_after_a_parents_cancel_pauses_all_the_same(server, runtime, session, how):
    """Whichever of the two is first: stopped means stopped."""
    await runtime.user(session, "the mail")
    run = await runtime.run(session)
    await runtime.runs.CancelRun(session_id=session.session_id, run_id=run.run_id)
    assert kinds(await runtime.log(session_id=session.session_id))[-1] == "wake_requested"
    await stop(server, runtime, run, how)
    look = await runtime.look(session)
    assert (look.availability, look.pending_count) == (PAUSED, 1)
    assert kinds(await runtime.log(session_id=session.session_id))[-1] == "wake_withdrawn"


@pytest.mark.parametrize("cancelled_before", [False, True])
async def test_a_repeated_stop_does_not_pause_what_a_person_has_opened_since(
    server, runtime, session, cancelled_before
):
    run = await runtime.run(session)
    if cancelled_before:
        await runtime.runs.CancelRun(session_id=session.session_id, run_id=run.run_id)
    for _ in range(2):
        await stop(server, runtime, run, "an admin's token")
        await server.admin.sessions.SetAvailability(session_id=session.session_id, availability=OPEN)
    log = await runtime.log(session_id=session.session_id)
    assert [change.availability for change in payloads(log, "session_availability_changed")] == [PAUSED, OPEN]


async def test_a_stop_of_what_does_not_run_says_so(server, runtime, session, refused):
    run = await runtime.run(session)
    await runtime.finish(run)
    for fields in ({}, {"run_id": run.run_id}, {"run_id": session.session_id}):
        with refused("run:not_active"):
            await server.admin.runs.CancelRun(session_id=session.session_id, **fields)
    assert (await runtime.look(session)).availability == OPEN


async def test_a_stop_names_its_run_and_spares_the_next(server, runtime, session, refused):
    first = await runtime.run(session)
    await runtime.finish(first)
    second = await runtime.run(session)
    with refused("run:not_active"):
        await server.admin.runs.CancelRun(session_id=session.session_id, run_id=first.run_id)
    assert (await runtime.look(session)).active_run_id == second.run_id


async def test_a_stop_of_a_closed_session_leaves_it_closed(server, runtime, session):
    run = await runtime.run(session)
    await server.admin.sessions.SetAvailability(session_id=session.session_id, availability=USER_CLOSED)
    await stop(server, runtime, run, "an admin's token")
    assert (await runtime.look(session)).availability == USER_CLOSED


async def test_stopping_a_parent_leaves_its_children_running(server, runtime):
    parent = await runtime.session()
    run = await runtime.run(parent)
    child = await runtime.session(parent, parent_run_id=run.run_id, first_message="do this")
    running = await runtime.start(child, attempt_id=fresh("attempt"))
    await stop(server, runtime, run, "an admin's token")
    look = await runtime.look(child)
    assert (look.active_run_id, look.availability) == (running.run.run_id, OPEN)
    assert await runtime.commit(running.run, running.claim)
