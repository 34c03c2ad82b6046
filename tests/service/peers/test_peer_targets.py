"""What state the target is in: confirmation, holding, closing, both exemptions, interruption."""

from __future__ import annotations

import pytest

OPEN, PAUSED, ARCHIVED, ENDED, USER_CLOSED = range(1, 6)
CONFIRM = {"confirm_inactive_target": True}
NEEDED = "inactive_target_needs_confirmation"
ROUTES = ["peer-message", "message"]


@pytest.fixture
def put(server, runtime):
    """Bring a session into one of the contract's states."""

    async def into(session, state: str) -> None:
        if state in ("failed", "interrupted", "completed", "cancelled"):
            await runtime.finish(await runtime.run(session), state.upper())
            return
        number = {"open": OPEN, "paused": PAUSED, "archived": ARCHIVED, "ended": ENDED, "closed": USER_CLOSED}
        no_wake = state == "no wake"
        availability = ARCHIVED if no_wake else number[state]
        await server.admin.sessions.SetAvailability(
            session_id=session.session_id, availability=availability, no_wake=no_wake
        )

    return into


@pytest.mark.parametrize(
    "state, word",
    [("archived", "archived"), ("ended", "ended"), ("failed", "error"), ("interrupted", "error")],
)
@pytest.mark.parametrize("route", ROUTES)
async def test_who_sleeps_is_woken_when_the_sender_confirms(door, scene, put, runtime, log_of, state, word, route):
    await put(scene.target, state)
    told = await door.send(scene.peer, scene.source, scene.target, route=route, key="k")
    assert told.error == NEEDED
    assert word in told.detail
    assert scene.target.handle in told.detail
    assert "confirmInactiveTarget" in told.detail
    assert {"archived": "out of the archive", "ended": "started anew"}.get(state, "is woken") in told.detail
    told = await door.send(scene.peer, scene.source, scene.target, route=route, key="k", **CONFIRM)
    assert (told.delivered, told.queued, told.woken_from) == (True, False, word)
    assert "wake_requested" in await log_of(scene.target)
    started = await runtime.start(scene.target, attempt_id="a")
    assert [message.body for message in started.claim.messages] == ["hello"]


@pytest.mark.parametrize("state", ["completed", "cancelled", "open"])
async def test_who_only_has_nothing_to_do_needs_no_confirmation(door, scene, put, state):
    await put(scene.target, state)
    told = await door.send(scene.peer, scene.source, scene.target)
    assert (told.delivered, told.queued, told.woken_from) == (True, False, None)


@pytest.mark.parametrize("route", ROUTES)
async def test_a_paused_target_is_held(door, server, scene, put, runtime, log_of, route):
    await put(scene.target, "paused")
    told = await door.send(scene.peer, scene.source, scene.target, route=route)
    assert told.error == NEEDED
    for words in ("is paused", scene.target.handle, "held until a person", "confirmInactiveTarget"):
        assert words in told.detail
    told = await door.send(scene.peer, scene.source, scene.target, route=route, **CONFIRM)
    assert (told.delivered, told.queued, told.woken_from) == (True, True, None)
    assert (await runtime.look(scene.target)).availability == PAUSED
    assert "wake_requested" not in await log_of(scene.target)
    await put(scene.target, "open")
    assert "wake_requested" in await log_of(scene.target)


@pytest.mark.parametrize("state", ["closed", "no wake"])
@pytest.mark.parametrize("route", ROUTES)
async def test_a_persons_closing_beats_any_confirmation(door, scene, put, log_of, state, route):
    await door.send(scene.peer, scene.source, scene.source)  # an exemption would not help either
    await put(scene.target, state)
    told = await door.send(scene.peer, scene.source, scene.target, route=route, **CONFIRM)
    assert told.error == "user_closed"
    assert ("closed" if state == "closed" else "archived") in told.detail
    assert "producer_message_accepted" not in await log_of(scene.target)


async def test_closing_and_no_wake_beat_both_exemptions(door, server, scene, put):
    asker = await server.make_token("peer", scene.target.session_id)
    assert (await door.send(asker, scene.target, scene.source, "a question")).delivered
    for state in ("closed", "no wake"):
        await put(scene.target, state)
        assert (await door.send(scene.peer, scene.source, scene.target, "the answer")).error == "user_closed"
        await put(scene.source, state)
        assert (await door.send(scene.peer, scene.source, scene.source)).error == "user_closed"
        await put(scene.source, "open")


@pytest.mark.parametrize("state", ["paused", "archived", "ended", "failed"])
async def test_to_itself_a_session_writes_without_confirming(door, scene, put, state):
    await put(scene.source, state)
    assert (await door.send(scene.peer, scene.source, scene.source)).delivered


@pytest.mark.parametrize("state", ["paused", "archived", "ended", "failed"])
async def test_the_answer_to_a_question_needs_no_confirmation_once(door, server, scene, put, state):
    asker = await server.make_token("peer", scene.target.session_id)
    assert (await door.send(asker, scene.target, scene.source, "a question")).delivered
    await put(scene.target, state)
    assert (await door.send(scene.peer, scene.source, scene.target, "the answer")).delivered
    assert (await door.send(scene.peer, scene.source, scene.target, "and more")).error == NEEDED


async def test_a_question_to_somebody_else_exempts_nobody(door, server, runtime, scene, put):
    third = await runtime.session()
    asker = await server.make_token("peer", scene.target.session_id)
    await door.send(asker, scene.target, third, "a question")
    await put(scene.target, "ended")
    assert (await door.send(scene.peer, scene.source, scene.target)).error == NEEDED


async def test_an_admin_opens_what_a_person_closed(door, server, scene, put, log_of):
    await put(scene.target, "closed")
    told = await door.send(scene.peer, scene.source, scene.target, allow_reopen_user_closed=True)
    assert told.error == "forbidden"
    told = await door.send(server.admin, scene.source, scene.target, allow_reopen_user_closed=True)
    assert (told.delivered, told.queued, told.woken_from) == (True, False, None)
    assert (await server.admin.look(scene.target)).availability == OPEN
    *_, opened = await log_of(scene.target, "session_availability_changed")
    assert opened.by_person


async def test_no_wake_is_not_opened_by_it(door, server, scene, put):
    await put(scene.target, "no wake")
    told = await door.send(server.admin, scene.source, scene.target, allow_reopen_user_closed=True)
    assert told.error == "user_closed"


async def test_an_interrupted_turn_ends_and_the_message_starts_the_next(door, runtime, scene, log_of, wire):
    attached = await runtime.attach()
    run = await runtime.run(scene.target)
    await runtime.user(scene.target, "seen by the run that is ended")
    await runtime.claim(run)
    told = await door.send(scene.peer, scene.source, scene.target, "listen", confirm_interrupt_turn=True)
    assert (told.delivered, told.queued, told.woken_from) == (True, False, None)
    session = await runtime.look(scene.target)
    assert (session.availability, session.active_run_id) == (OPEN, "")
    started = await runtime.start(scene.target, attempt_id="a")
    assert [message.body for message in started.claim.messages] == ["seen by the run that is ended", "listen"]
    attached.cancel()


@pytest.mark.parametrize("overrides", [{"delivery": {"failing_runs_max": 2}, "http": {"enabled": True}}])
async def test_a_turn_that_was_interrupted_has_not_failed(door, runtime, scene):
    """However often, and although it consumed nothing: no wake waits for it, and nothing is paused."""
    for number in range(4):
        started = await runtime.start(scene.target, attempt_id=f"attempt {number}")
        assert len(started.claim.messages) == number
        assert (
            await door.send(scene.peer, scene.source, scene.target, str(number), confirm_interrupt_turn=True)
        ).delivered
        session = await runtime.look(scene.target)
        assert (session.availability, session.active_run_id) == (OPEN, "")


async def test_without_a_run_to_end_it_is_a_message_like_any(door, scene, put):
    told = await door.send(scene.peer, scene.source, scene.target, confirm_interrupt_turn=True)
    assert (told.delivered, told.queued) == (True, False)
    await put(scene.target, "ended")
    assert (await door.send(scene.peer, scene.source, scene.target, confirm_interrupt_turn=True)).error == NEEDED


async def test_a_paused_targets_run_is_not_ended(door, runtime, scene, put):
    run = await runtime.run(scene.target)
    await put(scene.target, "paused")
    told = await door.send(scene.peer, scene.source, scene.target, confirm_interrupt_turn=True, **CONFIRM)
    assert (told.delivered, told.queued) == (True, True)
    assert (await runtime.look(scene.target)).active_run_id == run.run_id


@pytest.mark.parametrize("state", ["paused", "archived", "ended", "failed", "closed", "no wake", "open"])
async def test_a_message_is_left_whatever_the_target_does(door, runtime, scene, put, log_of, state):
    await put(scene.target, state)
    told = await door.send(scene.peer, scene.source, scene.target, route="queue")
    assert told.delivered
    assert told.queued is (state in ("paused", "closed", "no wake"))
    assert len(await log_of(scene.target, "producer_message_accepted")) == 1
    held = state in ("paused", "closed", "no wake")
    assert ("wake_requested" in await log_of(scene.target)) is not held


async def test_a_session_that_waits_for_its_delegator_gets_it_later(door, runtime, scene, wire):
    parent = await runtime.session()
    run = await runtime.run(parent)
    child = await runtime.session(
        parent,
        starter=wire.session.STARTER_DELEGATOR,
        parent_run_id=run.run_id,
        parent_tool_call_id="delegate",
    )
    told = await door.send(scene.peer, scene.source, child)
    assert (told.delivered, told.queued) == (True, True)
