"""Calls that wait for a person, and the person who answers, through the client."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from kinpost_client import Accepted, ApprovalDecision, ApprovalState, Run
from kinpost_client.errors import (
    ApprovalCancelled,
    ApprovalDenied,
    ApprovalNotFound,
    ApprovalPending,
    Forbidden,
    IdempotencyConflict,
    PermissionDenied,
    RunCancelled,
)
from uuid_utils import uuid4


@pytest.fixture
async def asker(tree) -> Any:
    """An agent that asks before it writes to its parent."""
    return await tree.host.create_session(
        "explore", parent_session_id=tree.parent.session_id, starter="wake", message_rules={"parent": "ask"}
    )


async def asked(tree) -> str:
    """Wait for what is asked in the tree, and return its id."""
    async with tree.approver.subscribe(root_session_id=tree.parent.session_id) as events:
        async for event in events:
            if event.type == "approval_requested":
                found = [approval.approval_id async for approval in tree.approver.approvals.list(event.root_session_id)]
                if found:
                    return found[0]
    raise AssertionError("a subscription does not end")


async def sends(run: Run, to: Any) -> str:
    """Send by `send`; returns the message."""
    accepted: Accepted = await run.send(to.session_id, "may I?", tool_call_id="call")
    return accepted.message_id


async def calls(run: Run, to: Any) -> str:
    """Send by the tool; returns the message."""
    given = {"to": to.session_id, "body": "may I?"}
    result = await run.call_tool("send_message", given, tool_call_id="call")
    assert not result.is_error, result.text
    return result.structured["message_id"]


@pytest.mark.parametrize("by", [sends, calls])
async def test_a_call_waits_for_the_answer(tree, runtime, asker, soon, by):
    async with runtime.start(asker.session_id) as run:
        async for _ in run.turns():
            sending = asyncio.create_task(by(run, tree.parent))
            approval_id = await soon(asked(tree))
            decided = await tree.approver.approvals.decide(asker.session_id, approval_id, "allow_once", reason="yes")
            (used,) = [event.payload for event in await tree.log(asker) if event.type == "approval_used"]
            assert await soon(sending) == used.message_id

    assert (decided.state, decided.decision, decided.reason) == (ApprovalState.USED, ApprovalDecision.ALLOW_ONCE, "yes")
    assert decided.arguments == {"to": tree.parent.session_id, "body": "may I?", "mode": "steer"}
    assert (decided.run_id, decided.recipient_session_id) == (run.run_id, tree.parent.session_id)
    assert await tree.host.approvals.get(asker.session_id, approval_id) == decided
    assert [a async for a in tree.approver.approvals.list(tree.parent.session_id)] == []
    assert [a async for a in tree.approver.approvals.list(tree.parent.session_id, states=())] == [decided]


async def test_who_does_not_wait_is_told_what_waits(tree, runtime, asker):
    async with runtime.start(asker.session_id) as run:
        async for _ in run.turns():
            for wait in (0, 0.05):
                with pytest.raises(ApprovalPending) as pending:
                    await run.send(tree.parent.session_id, "x", tool_call_id="call", approval_wait_seconds=wait)
            given = {"to": tree.parent.session_id, "body": "x"}
            told = await run.call_tool("send_message", given, tool_call_id="call", approval_wait_seconds=0)
            assert (told.is_error, told.code) == (False, "approval:pending")
            assert told.structured["approval_id"] == pending.value.approval_id
            assert pending.value.expire_time is None


async def test_a_wait_is_longer_than_one_request(tree, runtime, asker, soon, monkeypatch):
    """The call is made again and again, under the same identity."""
    monkeypatch.setattr("kinpost_client.approvals.WAIT_SECONDS_MAX", 0.05)
    async with runtime.start(asker.session_id) as run:
        async for _ in run.turns():
            sending = asyncio.create_task(sends(run, tree.parent))
            approval_id = await soon(asked(tree))
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3):
                    await asyncio.shield(sending)
            await tree.approver.approvals.decide(asker.session_id, approval_id, "allow_for_tree")
            assert await soon(sending)
            assert await run.send(tree.parent.session_id, "nobody is asked any more", approval_wait_seconds=0)


async def test_a_denial_is_a_permission_denial(tree, runtime, asker, soon):
    async with runtime.start(asker.session_id) as run:
        async for _ in run.turns():
            sending = asyncio.create_task(sends(run, tree.parent))
            approval_id = await soon(asked(tree))
            await tree.approver.approvals.decide(asker.session_id, approval_id, "deny", reason="not now")
            with pytest.raises(ApprovalDenied, match="a person refused: not now") as denied:
                await soon(sending)
            assert isinstance(denied.value, PermissionDenied)
            with pytest.raises(IdempotencyConflict):
                await tree.approver.approvals.decide(asker.session_id, approval_id, "allow_once")
            with pytest.raises(Forbidden):
                await tree.host.approvals.decide(asker.session_id, approval_id, "deny")
            with pytest.raises(ApprovalNotFound):
                await tree.approver.approvals.decide(asker.session_id, str(uuid4()), "deny")


async def test_a_run_that_is_stopped_waits_for_nobody(tree, runtime, asker, soon):
    async def works() -> None:
        async with runtime.start(asker.session_id) as run:
            async for _ in run.turns():
                await sends(run, tree.parent)

    working = asyncio.create_task(works())
    approval_id = await soon(asked(tree))
    await tree.approver.cancel_run(asker.session_id)
    with pytest.raises((RunCancelled, ApprovalCancelled)):
        await soon(working)
    assert (await tree.host.approvals.get(asker.session_id, approval_id)).state is ApprovalState.CANCELLED
