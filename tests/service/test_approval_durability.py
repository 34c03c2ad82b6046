"""What a person is asked, and what they answered, survives a restart and a kill."""

from __future__ import annotations

import asyncio

from approving import asks, decide, listed, look, story
from mail import PENDING, by_rpc, stored, two


async def test_a_question_survives_a_restart(server, runtime):
    """It is the same one for a retry and for people, and can be answered."""
    parent, child, run = await two(runtime, rules={"child": "ask"})
    other = await asks(runtime, run, child, "no", call="another call")
    await decide(server.admin, parent, other, "deny", reason="no")
    approval_id = await asks(runtime, run, child, call="the call")
    before = await look(runtime, parent, approval_id)
    await server.restart()
    runtime = server.client(runtime.secret)
    assert await look(runtime, parent, approval_id) == before
    again = await by_rpc(runtime, run, child, call="the call")
    assert (again.code, again.approval_id) == (PENDING, approval_id)
    denied = await by_rpc(runtime, run, child, "no", call="another call")
    assert (denied.code, denied.text) == ("approval:denied", "approval:denied: a person refused: no")
    assert (await by_rpc(runtime, run, child, "other", call="the call")).code == "idempotency:conflict"
    await decide(server.admin, parent, approval_id, "once")
    (message,) = await stored(runtime, child)
    await server.restart()
    runtime = server.client(runtime.secret)
    assert (await by_rpc(runtime, run, child, call="the call")).message_id == message.message_id
    assert await story(runtime, parent) == ["requested", "decided", "requested", "decided", "used"]


async def test_a_right_survives_a_restart(server, runtime):
    """What was allowed while a guard was against it."""
    root = await runtime.session()
    parent = await runtime.session(root, rules={"child": "ask"})
    child = await runtime.session(parent)
    run = await runtime.run(parent)
    for n in range(4):
        await decide(server.admin, parent, await asks(runtime, run, child, f"{n}"), "once")
    approval_id = await asks(runtime, run, child, call="the call")
    assert (await decide(server.admin, parent, approval_id, "once")).state == 2
    await server.restart()
    runtime = server.client(runtime.secret)
    assert (await by_rpc(runtime, run, child, call="the call")).code == "send_message:inflight_full"
    started = await runtime.start(child, attempt_id="first")
    await runtime.commit(started.run, started.claim)
    assert (await by_rpc(runtime, run, child, call="the call")).code == ""
    assert (await look(runtime, parent, approval_id)).state == 3


async def test_a_question_survives_a_kill(process):
    """Also one that a call waits for; its repeat joins it, and the answer after the kill reaches it."""
    runtime = await process.make_token("runtime")
    parent, child, run = await two(runtime, rules={"child": "ask"})
    approval_id = await asks(runtime, run, child, call="the call")
    waits = asyncio.create_task(by_rpc(runtime, run, child, call="the call", approval_wait={"seconds": 60}))
    await process.kill()
    assert (await waits).refusal is not None
    await process.start()
    assert await listed(process.admin, parent, "pending") == [approval_id]
    waits = asyncio.create_task(by_rpc(runtime, run, child, call="the call", approval_wait={"seconds": 60}))
    await decide(process.admin, parent, approval_id, "once")
    (message,) = await stored(process.admin, child)
    assert (await waits).message_id == message.message_id
    await process.kill()
    await process.start()
    assert (await by_rpc(runtime, run, child, call="the call")).message_id == message.message_id
    assert len(await stored(process.admin, child)) == 1
    assert await story(process.admin, parent) == ["requested", "decided", "used"]
