"""How a question ends without a message: denied, expired, or cancelled with its run; three different answers."""

from __future__ import annotations

import grpc
import pytest
from approving import asks, decide, listed, look, state, story
from mail import DOORS, advance, by_rpc, stored, two

ASK = {"child": "ask"}


@pytest.fixture
async def approver(server):
    """A client that may answer."""
    return await server.make_token("approver")


async def test_a_denial_is_the_generic_permission_denial(runtime, approver, refused):
    """For ever, by each door, with the person's reason, and also when the run is over."""
    parent, child, run = await two(runtime, rules=ASK)
    approval_id = await asks(runtime, run, child, call="the call")
    denied = await decide(approver, parent, approval_id, "deny", reason="not now")
    assert (denied.state, denied.decision) == (4, 3)
    for over in (False, True):
        if over:
            await runtime.finish(run)
        for door in DOORS.values():
            told = await door(runtime, run, child, call="the call")
            assert (told.code, told.text) == ("approval:denied", "approval:denied: a person refused: not now")
        with refused("approval:denied", grpc.StatusCode.PERMISSION_DENIED):
            await runtime.ask(run, child, tool_call_id="the call")
    assert await decide(approver, parent, approval_id, "deny", reason="not now") == denied
    with refused("idempotency:conflict", grpc.StatusCode.ALREADY_EXISTS):
        await decide(approver, parent, approval_id, "once")
    assert await stored(runtime, child) == []
    assert await story(runtime, parent) == ["requested", "decided"]


async def test_another_call_may_ask_again_after_a_denial(runtime, approver):
    parent, child, run = await two(runtime, rules=ASK)
    first = await asks(runtime, run, child)
    await decide(approver, parent, first, "deny")
    assert await asks(runtime, run, child) != first


@pytest.mark.parametrize(
    "overrides", [{"approvals": {"expire_seconds": 600.0}, "delivery": {"run_lease_seconds": 3600.0}}]
)
@pytest.mark.parametrize("swept", [True, False])
async def test_what_nobody_answers_in_time_expires(server, runtime, approver, refused, swept):
    """The sweep carries it out; before it comes by the answer is the same."""
    parent, child, run = await two(runtime, rules=ASK)
    asked = await runtime.ask(run, child, tool_call_id="the call")
    approval_id = asked.pending_approval.approval_id
    found = await look(approver, parent, approval_id)
    assert asked.pending_approval.expire_time == found.expire_time
    assert found.expire_time.ToNanoseconds() - found.create_time.ToNanoseconds() == 600 * 10**9
    advance(server, 500, sweep=swept)
    await runtime.runs.Heartbeat(runtime_id="r", runs=[{"session_id": parent.session_id, "run_id": run.run_id}])
    assert (await by_rpc(runtime, run, child, call="the call")).code == "approval:pending"
    advance(server, 150, sweep=swept)
    for door in DOORS.values():
        assert (await door(runtime, run, child, call="the call")).code == "approval:expired"
    with refused("approval:expired", grpc.StatusCode.FAILED_PRECONDITION):
        await runtime.ask(run, child, tool_call_id="the call")
    with refused("approval:expired"):
        await decide(approver, parent, approval_id, "once")
    advance(server, 1)
    assert await state(approver, parent, approval_id) == "expired"
    assert await story(runtime, parent) == ["requested", "expired"]
    assert await stored(runtime, child) == []
    again = await asks(runtime, run, child)  # another call is another question
    assert await listed(approver, parent, "pending") == [again]


@pytest.mark.parametrize("overrides", [{"approvals": {"expire_seconds": 30.0, "pending_per_session_max": 2}}])
async def test_what_has_expired_makes_room_before_the_sweep_comes_by(server, runtime, approver):
    parent, child, run = await two(runtime, rules=ASK)
    for _ in range(2):
        await asks(runtime, run, child)
    assert (await by_rpc(runtime, run, child)).code == "approval:too_many"
    advance(server, 31, sweep=False)
    again = await asks(runtime, run, child)
    advance(server, 1)
    assert await listed(approver, parent, "pending") == [again]


@pytest.mark.parametrize("overrides", [{"approvals": {"expire_seconds": 30.0}}])
@pytest.mark.parametrize("end", ["the run ends", "a person stops it", "its lease lapses"])
async def test_what_has_expired_is_not_cancelled_by_the_end_of_its_run(server, runtime, approver, end):
    """Its call was told that nobody answered in time, and is told so for ever, though no sweep came by before."""
    parent, child, run = await two(runtime, rules=ASK)
    approval_id = await asks(runtime, run, child, call="the call")
    advance(server, 1000 if end == "its lease lapses" else 31, sweep=end == "its lease lapses")
    if end == "the run ends":
        assert (await by_rpc(runtime, run, child, call="the call")).code == "approval:expired"
        await runtime.finish(run)
    elif end == "a person stops it":
        await stop(server, runtime, run)
    assert (await by_rpc(runtime, run, child, call="the call")).code == "approval:expired"
    assert await state(approver, parent, approval_id) == "expired"
    assert await story(runtime, parent) == ["requested", "expired"]


@pytest.mark.parametrize("overrides", [{"delivery": {"run_lease_seconds": 86_400.0}}])
async def test_by_default_a_question_waits_for_ever(server, runtime, approver):
    parent, child, run = await two(runtime, rules=ASK)
    approval_id = await asks(runtime, run, child)
    for _ in range(30):
        advance(server, 80_000)
        await runtime.runs.Heartbeat(runtime_id="r", runs=[{"session_id": parent.session_id, "run_id": run.run_id}])
    advance(server, 1)
    assert await state(approver, parent, approval_id) == "pending"
    await decide(approver, parent, approval_id, "once")
    assert len(await stored(runtime, child)) == 1


async def finish(server, runtime, run) -> None:
    await runtime.finish(run)


async def fail(server, runtime, run) -> None:
    await runtime.finish(run, "FAILED")


async def finish_cancelled(server, runtime, run) -> None:
    await runtime.finish(run, "CANCELLED")


async def cancel(server, runtime, run) -> None:
    await runtime.runs.CancelRun(session_id=run.session_id, run_id=run.run_id)


async def stop(server, runtime, run) -> None:
    """A person's stop."""
    await server.admin.runs.CancelRun(session_id=run.session_id)


async def lapse(server, runtime, run) -> None:
    advance(server, 1000)


async def delete(server, runtime, run) -> None:
    """A session is deleted when its run has been cancelled."""
    await cancel(server, runtime, run)
    await server.admin.sessions.DeleteSession(session_id=run.session_id)


@pytest.mark.parametrize("end", [finish, fail, finish_cancelled, cancel, stop, lapse, delete])
async def test_the_end_of_the_asking_run_cancels_what_it_asked(server, runtime, approver, refused, end):
    """In whatever way it ends; the call gets its own answer, and a person can decide nothing any more."""
    parent, child, run = await two(runtime, rules=ASK)
    answered = await asks(runtime, run, child)
    await decide(approver, parent, answered, "deny")
    approval_id = await asks(runtime, run, child, call="the call")
    await end(server, runtime, run)
    if end is delete:
        with refused("session:not_found"):
            await runtime.ask(run, child, tool_call_id="the call")
        with refused("approval:not_found"):
            await decide(approver, parent, approval_id, "once")
    else:
        for door in DOORS.values():
            assert (await door(runtime, run, child, call="the call")).code == "approval:cancelled"
        with refused("approval:cancelled", grpc.StatusCode.ABORTED):
            await decide(approver, parent, approval_id, "once")
        assert await state(approver, parent, approval_id) == "cancelled"
        assert await story(runtime, parent) == ["requested", "decided", "requested", "cancelled"]
    assert await listed(approver, parent, "cancelled") == [approval_id]
    assert await listed(approver, parent, "denied") == [answered]
    assert await stored(runtime, child) == []


async def test_an_end_that_goes_on_cancels_nothing(server, runtime, approver):
    """FinishRun that takes waiting mail leaves the run as it is."""
    parent, child, run = await two(runtime, rules=ASK)
    approval_id = await asks(runtime, run, child)
    await runtime.user(parent, "one thing more")
    answer = await runtime.finish(run, continue_attempt_id="another")
    assert answer.WhichOneof("result") == "claim"
    assert await state(approver, parent, approval_id) == "pending"
