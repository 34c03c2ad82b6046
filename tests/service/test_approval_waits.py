"""A call may wait for a person: it keeps its run alive, stands in nobody's way, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import json

import grpc
import pytest
from approving import asks, decide, listed, state
from calls import fresh
from ledger import came, payloads
from mail import DOORS, PENDING, advance, by_rpc, stored, two

ASK = {"child": "ask"}
LONG = {"approval_wait": {"seconds": 60}}
WAITING_DOORS = ["SendMessage", "CallTool"]


@pytest.fixture
async def approver(server):
    """A client that may answer."""
    return await server.make_token("approver")


async def waiting(server, count: int = 1) -> None:
    """Wait until so many calls wait for a person."""
    await came(lambda: sum(len(engine._approval_waits) for engine in server.engines) == count)


@pytest.mark.parametrize("door", WAITING_DOORS)
async def test_a_call_that_waits_gets_the_answer(server, runtime, approver, door):
    parent, child, run = await two(runtime, rules=ASK)
    call = asyncio.create_task(DOORS[door](runtime, run, child, call="the call", **LONG))
    await waiting(server)
    (approval_id,) = await listed(approver, parent, "pending")
    await decide(approver, parent, approval_id, "once")
    told = await call
    (message,) = await stored(runtime, child)
    assert told.promise == (message.message_id, "steer", "queued")
    assert not told.replayed  # the call was made once
    await waiting(server, 0)


@pytest.mark.parametrize("door", WAITING_DOORS)
@pytest.mark.parametrize("overrides", [{"approvals": {"expire_seconds": 60.0}}])
@pytest.mark.parametrize(
    "end, code",
    [("deny", "approval:denied"), ("cancel", "approval:cancelled"), ("expire", "approval:expired")],
)
async def test_a_call_that_waits_learns_that_nothing_comes_of_it(server, runtime, approver, door, end, code):
    """Denied, the run has ended, nobody answered: each at once, and each with its own code."""
    parent, child, run = await two(runtime, rules=ASK)
    call = asyncio.create_task(DOORS[door](runtime, run, child, call="the call", **LONG))
    await waiting(server)
    (approval_id,) = await listed(approver, parent, "pending")
    if end == "deny":
        await decide(approver, parent, approval_id, "deny")
    elif end == "cancel":
        await runtime.runs.CancelRun(session_id=parent.session_id)
    else:
        advance(server, 59, sweep=False)
        await runtime.runs.Heartbeat(runtime_id="r", runs=[{"session_id": parent.session_id, "run_id": run.run_id}])
        advance(server, 2)
    assert (await call).code == code
    await waiting(server, 0)


async def test_a_call_that_waits_gets_the_guards_code(server, runtime, approver):
    parent, child, run = await two(runtime, rules={"child": "ask", "*": "allow"})
    call = asyncio.create_task(by_rpc(runtime, run, child, call="the call", **LONG))
    await waiting(server)
    (approval_id,) = await listed(approver, parent)
    await runtime.sessions.DeleteSession(session_id=child.session_id)
    assert (await decide(approver, parent, approval_id, "once")).state == 2
    assert (await call).code == "send_message:unknown_session"


async def test_all_that_wait_for_one_call_get_the_same_answer(server, runtime, approver):
    parent, child, run = await two(runtime, rules=ASK)
    calls = [
        asyncio.create_task(DOORS[door](runtime, run, child, call="the call", **LONG)) for door in WAITING_DOORS * 3
    ]
    await waiting(server, 6)
    (approval_id,) = await listed(approver, parent)
    await decide(approver, parent, approval_id, "once")
    answers = await asyncio.gather(*calls)
    assert len({answer.message_id for answer in answers}) == 1
    assert len(await stored(runtime, child)) == 1


async def test_a_grant_lets_go_of_everybody_who_waits_in_the_tree(server, runtime, approver):
    """Also of other sessions than the one whose question was answered; and of nobody elsewhere."""
    rules = {"child": "ask", "sibling": "ask"}
    root, child, run = await two(runtime, rules=rules)
    other = await runtime.session(root, rules=rules)
    _, stranger, elsewhere = await two(runtime, rules=rules)
    first = asyncio.create_task(by_rpc(runtime, run, child, **LONG))
    second = asyncio.create_task(by_rpc(runtime, await runtime.run(other), child, **LONG))
    third = asyncio.create_task(by_rpc(runtime, elsewhere, stranger, **LONG))
    await waiting(server, 3)
    *_, asked = await listed(approver, root)
    await decide(approver, root if asked in await own(approver, root) else other, asked, "tree")
    assert [(await call).code for call in (first, second)] == ["", ""]
    await waiting(server, 1)
    assert not third.done()
    third.cancel()
    await asyncio.wait([third])


async def own(client, session) -> list[str]:
    """Return the approvals that a session asked for itself."""
    log = await client.log(session_id=session.session_id)
    return [payload.approval.approval_id for payload in payloads(log, "approval_requested")]


@pytest.mark.parametrize("door", DOORS)
async def test_a_call_that_does_not_wait_is_answered_at_once(server, runtime, door):
    _, child, run = await two(runtime, rules=ASK)
    more = {} if door == "BatchSendMessages" else {"approval_wait": {"seconds": 0}}
    assert (await DOORS[door](runtime, run, child, **more)).code == PENDING
    await waiting(server, 0)


@pytest.mark.parametrize("door", WAITING_DOORS)
async def test_a_wait_ends_at_its_deadline_with_the_approval_pending(server, runtime, approver, door):
    """The answer is the same as without waiting, and a person can answer still."""
    parent, child, run = await two(runtime, rules=ASK)
    told = await DOORS[door](runtime, run, child, call="the call", approval_wait={"nanos": 50_000_000})
    assert told.code == PENDING
    assert await state(runtime, parent, told.approval_id) == "pending"
    await waiting(server, 0)
    await decide(approver, parent, told.approval_id, "once")
    assert (await by_rpc(runtime, run, child, call="the call")).replayed


SHORT_LEASES = {
    "delivery": {
        "run_lease_seconds": 2.0,
        "heartbeat_seconds": 0.1,
        "sweep_seconds": 0.02,
        "failing_delay_seconds": 0.001,
        "failing_runs_max": 1000,
    }
}


@pytest.mark.parametrize("door", WAITING_DOORS)
@pytest.mark.parametrize("overrides", [SHORT_LEASES])
async def test_a_call_that_waits_keeps_its_run_alive(server, runtime, approver, door):
    """Longer than several runs live that nobody speaks for."""
    parent, child, run = await two(runtime, rules=ASK)
    call = asyncio.create_task(DOORS[door](runtime, run, child, call="the call", **LONG))
    await waiting(server)
    silent = await runtime.session()
    watching = runtime.subscribe(session_id=silent.session_id)
    await watching.events(1)
    for _ in range(2):
        await runtime.run(silent)
        started, finished = await watching.events(2)
        assert (started.WhichOneof("payload"), finished.run_finished.lease_lost) == ("run_started", True)
    watching.cancel()
    assert not call.done()
    assert (await runtime.look(parent)).active_run_id == run.run_id
    (approval_id,) = await listed(approver, parent, "pending")
    await decide(approver, parent, approval_id, "once")
    assert (await call).code == ""


@pytest.mark.parametrize("overrides", [SHORT_LEASES])
async def test_a_wait_of_several_leases_ends_at_its_deadline(runtime):
    """With the run alive and the approval pending; then nobody speaks for the run any more."""
    parent, child, run = await two(runtime, rules=ASK)
    told = await by_rpc(runtime, run, child, approval_wait={"seconds": 6})
    assert told.code == PENDING
    lapsed = [event async for event in until_finished(runtime, parent)]
    assert lapsed[-1].run_finished.lease_lost
    (asked,) = [event for event in lapsed if event.WhichOneof("payload") == "approval_requested"]
    waited = lapsed[-1].event_time.ToNanoseconds() - asked.event_time.ToNanoseconds()
    assert waited > 6 * 10**9
    assert await state(runtime, parent, told.approval_id) == "cancelled"


async def until_finished(client, session):
    """Give the events of a session up to the end of its run."""
    watching = client.subscribe(session_id=session.session_id)
    while True:
        for event in (await watching.next()).events:
            yield event
            if event.WhichOneof("payload") == "run_finished":
                watching.cancel()
                return


async def test_a_call_that_waits_is_in_nobodys_way(server, runtime, approver):
    """The same session, its run and its recipient go on meanwhile."""
    parent, child, run = await two(runtime, rules={"child": "ask", "parent": "allow"})
    grandchild = await runtime.session(child)
    child_rules = await runtime.session(parent, rules={"sibling": "allow"})
    calls = [asyncio.create_task(by_rpc(runtime, run, child, call=f"call {n}", **LONG)) for n in range(8)]
    await waiting(server, 8)
    assert (await by_rpc(runtime, await runtime.run(child_rules), child)).code == ""
    await runtime.user(parent)
    claim = await runtime.claim(run)
    await runtime.commit(run, claim)
    assert (await by_rpc(runtime, run, child)).code == "approval:too_many"
    assert (await runtime.look(grandchild)).pending_count == 0
    assert not any(call.done() for call in calls)
    assert [engine._committer.waiting for engine in server.engines] == [0] * len(server.engines)
    for approval_id in await listed(approver, parent):
        await decide(approver, parent, approval_id, "deny")
    assert [(await call).code for call in calls] == ["approval:denied"] * 8


@pytest.mark.only("sqlite", "postgres", because="it counts the calls and tasks of one server")
async def test_a_caller_who_leaves_leaves_nothing_behind(server, runtime, approver):
    """Neither a call nor a task; and a person's answer is carried out all the same."""
    parent, child, run = await two(runtime, rules=ASK)
    await by_rpc(runtime, run, child, call="the call")
    (approval_id,) = await listed(approver, parent)
    calls, tasks = server.transport.door.calls, len(asyncio.all_tasks())
    request = {"session_id": run.session_id, "run_id": run.run_id, "tool_call_id": "the call"}
    left = [
        runtime.messaging.SendMessage(**request, to=child.session_id, body="hello", **LONG),
        runtime.tools.CallTool(
            **request,
            name="send_message",
            arguments_json=json.dumps({"to": child.session_id, "body": "hello"}),
            **LONG,
        ),
    ]
    timed = runtime.messaging.SendMessage(**request, to=child.session_id, body="hello", **LONG, seconds=0.2)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await timed
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    await came(lambda: sum(len(engine._approval_waits) for engine in server.engines) >= 2)
    for call in left:
        call.cancel()
    await waiting(server, 0)
    await came(lambda: server.transport.door.calls == calls)
    await came(lambda: len(asyncio.all_tasks()) <= tasks)
    await decide(approver, parent, approval_id, "once")
    assert len(await stored(runtime, child)) == 1


@pytest.mark.only("sqlite", "postgres", because="one server is shut down, and every call is with it")
async def test_a_shutdown_does_not_wait_for_people(server, runtime):
    """Those who wait are told to come again; the question stays, and a repeat joins it."""
    parent, child, run = await two(runtime, rules=ASK)
    calls = [asyncio.create_task(DOORS[door](runtime, run, child, call="the call", **LONG)) for door in WAITING_DOORS]
    await waiting(server, 2)
    stopping = asyncio.create_task(server.transport.stop(20.0))
    assert [(await call).code for call in calls] == ["send_message:engine_shutdown"] * 2
    await stopping
    await server.restart()
    runtime = server.client(runtime.secret)
    again = await by_rpc(runtime, run, child, call="the call")
    assert (again.code, await listed(server.admin, parent)) == (PENDING, [again.approval_id])


async def test_what_is_decided_before_the_wait_begins_is_not_missed(server, runtime, approver):
    """Answers and waits that race: each call ends with the message."""
    parent, child, run = await two(runtime, rules=ASK)
    for _ in range(12):
        call_id = fresh("call")
        approval_id = await asks(runtime, run, child, call=call_id)
        call = asyncio.create_task(by_rpc(runtime, run, child, call=call_id, **LONG))
        await decide(approver, parent, approval_id, "once")
        async with asyncio.timeout(10):
            assert (await call).code == ""
        started = await runtime.start(child, attempt_id=fresh("attempt"))
        await runtime.commit(started.run, started.claim)
        await runtime.finish(started.run)


@pytest.mark.only("sqlite", "postgres", because="how many may wait is a bound of each process")
@pytest.mark.parametrize("overrides", [{"approvals": {"waits_max": 3, "waits_per_token_max": 2}}])
async def test_only_so_many_calls_wait_and_the_others_are_answered_at_once(server, runtime, approver):
    """Of one token, and of all; whoever goes makes room."""
    parent, child, run = await two(runtime, rules=ASK)
    other = await server.make_token("runtime")
    _, stranger, elsewhere = await two(other, rules=ASK)
    waits = [asyncio.create_task(by_rpc(runtime, run, child, call="the call", **LONG)) for _ in range(2)]
    await waiting(server, 2)
    assert (await by_rpc(runtime, run, child, call="the call", **LONG)).code == PENDING
    waits.append(asyncio.create_task(by_rpc(other, elsewhere, stranger, call="the call", **LONG)))
    await waiting(server, 3)
    assert (await by_rpc(other, elsewhere, stranger, call="the call", **LONG)).code == PENDING
    for approval_id in await listed(approver, parent):
        await decide(approver, parent, approval_id, "deny")
    await waiting(server, 1)
    waits.append(asyncio.create_task(by_rpc(other, elsewhere, stranger, call="the call", **LONG)))
    await waiting(server, 2)
    for call in waits:
        call.cancel()
    await asyncio.wait(waits)
    await waiting(server, 0)


@pytest.mark.parametrize("overrides", [SHORT_LEASES])
async def test_a_wait_ends_with_its_token(server, runtime):
    parent, child, run = await two(runtime, rules=ASK)
    token = await server.make_token("session", parent.session_id)
    call = asyncio.create_task(by_rpc(token, run, child, **LONG))
    await waiting(server)
    await server.revoke(token.token_id)
    assert (await call).code == "auth:unauthenticated"
    await waiting(server, 0)
