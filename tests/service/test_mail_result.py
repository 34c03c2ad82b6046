"""What a sender is promised: the id of the stored message, the mode as requested, and where the recipient stands."""

from __future__ import annotations

import json

import pytest
from mail import DOORS, MODES, by_rpc, stored, tool, two

AVAILABILITIES = {
    "open": {"availability": 1},
    "paused": {"availability": 2, "reason": "for lunch"},
    "archived": {"availability": 3},
    "archived, not to be woken": {"availability": 3, "no_wake": True},
    "ended": {"availability": 4},
    "closed": {"availability": 5},
}
OUTCOMES = ("COMPLETED", "FAILED", "INTERRUPTED", "CANCELLED")
# how it may be woken: what is told of a session that is idle, and of one whose last run has ended
TOLD = {
    "open": ("queued", "waking_finished"),
    "paused": ("held", "held"),
    "archived": ("queued", "waking_finished"),
    "archived, not to be woken": ("held", "held"),
    "ended": ("queued", "waking_finished"),
    "closed": ("held", "held"),
}


async def test_the_states_of_those_who_do_not_run(server, runtime):
    """Idle is `queued`, an outcome `waking_finished`, and whoever may not wake `held`, whatever its state."""
    parent = await runtime.session(rules={"child": "allow"})
    run = await runtime.run(parent)
    told = {}
    for name, fields in AVAILABILITIES.items():
        answers = []
        for outcome in (None, *OUTCOMES):
            child = await runtime.session(parent)
            if outcome is not None:
                await runtime.finish(await runtime.run(child), outcome)
            await server.admin.sessions.SetAvailability(session_id=child.session_id, **fields)
            answers.append((await by_rpc(runtime, run, child)).recipient_state)
        assert len(set(answers[1:])) == 1
        told[name] = (answers[0], answers[1])
    assert told == TOLD


async def test_the_states_of_those_who_run(server, runtime):
    """An active run is `running`, and `held` once a person has paused its session."""
    _, child, run = await two(runtime)
    await runtime.run(child)
    assert (await by_rpc(runtime, run, child)).recipient_state == "running"
    await server.admin.sessions.SetAvailability(session_id=child.session_id, **AVAILABILITIES["paused"])
    assert (await by_rpc(runtime, run, child)).recipient_state == "held"


async def test_a_delegated_session_is_queued(runtime, wire):
    """A session that its delegator has yet to start is `queued`."""
    _, child, run = await two(runtime, starter=wire.session.STARTER_DELEGATOR)
    assert (await by_rpc(runtime, run, child)).recipient_state == "queued"


@pytest.mark.parametrize("door", DOORS)
async def test_what_was_promised_is_what_is_stored(runtime, wire, door):
    """By each door the answer carries id, mode and state of the acceptance in the recipient's log."""
    _, child, run = await two(runtime)
    for mode, number in MODES.items():
        sent = await DOORS[door](runtime, run, child.handle, f"by {mode}", mode)
        accepted = (await stored(runtime, child))[-1]
        assert sent.promise == (accepted.message_id, mode, "queued")
        assert (accepted.mode, accepted.body, accepted.to) == (number, f"by {mode}", child.handle)
        assert accepted.owner == wire.message.PRODUCER_OWNER_AGENT
        assert accepted.recipient_state == wire.message.RECIPIENT_STATE_QUEUED


async def test_the_mode_is_steer_where_nothing_is_said(runtime, wire):
    """A send without a mode is a steer, by each door."""
    _, child, run = await two(runtime)
    assert (await runtime.send(run, child)).mode == wire.message.MESSAGE_MODE_STEER
    await tool(runtime, run, {"to": child.handle, "body": "hello"})
    assert [m.mode for m in await stored(runtime, child)] == [wire.message.MESSAGE_MODE_STEER] * 2


async def test_what_the_model_is_told(server, runtime):
    """A tool's result says in words and as JSON the id, the mode, and what the recipient will do with it."""
    parent, child, run = await two(runtime)
    texts = {}
    finished = await runtime.session(parent)
    await runtime.finish(await runtime.run(finished))
    held = await runtime.session(parent)
    await server.admin.sessions.SetAvailability(session_id=held.session_id, **AVAILABILITIES["closed"])
    running = await runtime.session(parent)
    await runtime.run(running)
    for session in (child, finished, held, running):
        result = await tool(runtime, run, {"to": session.handle, "body": "hello", "mode": "queue"})
        (accepted,) = await stored(runtime, session)
        structured = json.loads(result.structured_json)
        assert set(structured) == {"message_id", "mode", "recipient_state"}
        assert (structured["message_id"], structured["mode"]) == (accepted.message_id, "queue")
        assert (result.is_error, result.code) == (False, "")
        assert result.text.startswith(f"Accepted as {accepted.message_id} (queue) for {session.handle}: ")
        texts[structured["recipient_state"]] = result.text.partition(": ")[2]
    assert texts.keys() == {"queued", "waking_finished", "held", "running"}
    steered = await tool(runtime, run, {"to": running.handle, "body": "hello", "mode": "steer"})
    texts["running, steered"] = steered.text.partition(": ")[2]
    assert len(set(texts.values())) == 5
    assert texts["running"] == "it is running and reads the message when its next run begins."
    assert texts["running, steered"] == "it is running and reads the message at its next step."


async def test_a_send_renews_the_lease_and_nothing_else_of_the_sender(runtime):
    """A send writes to the recipient's log alone: the sender's stays as it was."""
    parent, child, run = await two(runtime)
    before = await runtime.log(session_id=parent.session_id)
    await by_rpc(runtime, run, child)
    assert await runtime.log(session_id=parent.session_id) == before
