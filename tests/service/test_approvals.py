"""A rule that asks: one durable approval for each tool call, and what a person's answer carries out."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

import grpc
import pytest
from approving import asks, decide, listed, look, state, story
from calls import fresh, read_refusal
from mail import DOORS, PENDING, by_rpc, payloads, read_all, stored, two
from uuid_utils import uuid4

ASK = {"child": "ask"}


@pytest.fixture
async def approver(server):
    """A client that may answer."""
    return await server.make_token("approver")


def named(session_id: str) -> SimpleNamespace:
    """Return a session of which nothing is known but the id, as if it were a root."""
    return SimpleNamespace(session_id=session_id, root_session_id=session_id)


@pytest.mark.parametrize("door", DOORS)
async def test_a_retry_joins_the_same_approval(server, runtime, approver, door):
    """However often and by whichever door the call is made, there is one question, and one message in the end."""
    parent, child, run = await two(runtime, rules=ASK)
    first = await DOORS[door](runtime, run, child, call="the call")
    assert first.code == PENDING
    for again in DOORS.values():
        for _ in range(3):
            retried = await again(runtime, run, child, call="the call")
            assert (retried.code, retried.approval_id) == (PENDING, first.approval_id)
    assert await listed(server.admin, parent) == [first.approval_id]
    assert await story(runtime, parent) == ["requested"]
    await decide(approver, parent, first.approval_id, "once")
    (message,) = await stored(runtime, child)
    for again in DOORS.values():
        assert (await again(runtime, run, child, call="the call")).message_id == message.message_id
    assert await story(runtime, parent) == ["requested", "decided", "used"]


async def test_an_approval_tells_what_a_person_has_to_know(server, runtime, approver, wire):
    parent, child, run = await two(runtime, rules=ASK)
    asked = await runtime.ask(
        run, child.handle, "grüß \U0001f44b", tool_call_id="call", mode=wire.message.MESSAGE_MODE_QUEUE
    )
    found = await look(approver, parent, asked.pending_approval.approval_id)
    assert json.loads(found.arguments_json) == {"to": child.handle, "body": "grüß \U0001f44b", "mode": "queue"}
    assert (found.session_id, found.root_session_id, found.run_id) == (run.session_id, run.session_id, run.run_id)
    assert (found.tool_call_id, found.tool_name, found.recipient_session_id) == (
        "call",
        "send_message",
        child.session_id,
    )
    assert not found.HasField("expire_time")
    assert not found.HasField("decide_time")
    decided = await decide(approver, parent, found.approval_id, "once", reason="go on")
    assert (decided.state, decided.decision, decided.reason) == (3, 1, "go on")
    # Two replicas may have answered, and each has its own clock.
    skew = 0 if len(server.engines) == 1 else 5 * 10**9
    assert decided.decide_time.ToNanoseconds() + skew >= decided.create_time.ToNanoseconds() > 0
    assert await look(runtime, parent, found.approval_id) == decided
    (requested,) = await payloads(runtime, parent, "approval_requested")
    (answered,) = await payloads(runtime, parent, "approval_decided")
    (used,) = await payloads(runtime, parent, "approval_used")
    (message,) = await stored(runtime, child)
    assert requested.approval == found
    assert (answered.decision, answered.reason, answered.token_id) == (1, "go on", approver.token_id)
    assert used.message_id == message.message_id
    assert (message.body, message.mode, message.sender.tool_call_id, message.agent_hop) == (
        "grüß \U0001f44b",
        wire.message.MESSAGE_MODE_QUEUE,
        "call",
        0,
    )


async def test_two_answers_at_once_are_one(runtime, approver, server):
    """Each gets the approval as it stands; the message is stored once."""
    parent, child, run = await two(runtime, rules=ASK)
    approval_id = await asks(runtime, run, child)
    answers = await asyncio.gather(
        *(decide(client, parent, approval_id, "once") for client in (approver, server.admin) for _ in range(5))
    )
    assert all(answer == answers[0] for answer in answers)
    assert len(await stored(runtime, child)) == 1
    assert await story(runtime, parent) == ["requested", "decided", "used"]


async def test_of_two_different_answers_at_once_one_holds(runtime, approver):
    parent, child, run = await two(runtime, rules=ASK)
    approval_id = await asks(runtime, run, child)
    answers = await asyncio.gather(
        decide(approver, parent, approval_id, "once"),
        decide(approver, parent, approval_id, "deny"),
        return_exceptions=True,
    )
    (error,) = [answer for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]
    assert read_refusal(error).code == "idempotency:conflict"
    (kept,) = [answer for answer in answers if answer is not error]
    assert len(await stored(runtime, child)) == (1 if kept.decision == 1 else 0)


async def test_the_same_call_with_another_message_is_a_conflict(runtime, approver, refused):
    """While it waits, and for ever after."""
    parent, child, run = await two(runtime, rules=ASK)
    other = await runtime.session(parent)
    approval_id = await asks(runtime, run, child, "one", call="the call")
    wrong = [(child, "two", {}), (other, "one", {}), (child.handle, "one", {}), (child, "one", {"mode": 2})]
    for step in (lambda: None, lambda: decide(approver, parent, approval_id, "once"), lambda: runtime.finish(run)):
        done = step()
        if done is not None:
            await done
        for to, body, more in wrong:
            with refused("idempotency:conflict", grpc.StatusCode.ALREADY_EXISTS):
                await runtime.ask(run, to, body, tool_call_id="the call", **more)
    (message,) = await stored(runtime, child)
    assert message.body == "one"


async def test_the_same_call_of_another_run_is_another_question(runtime, server):
    parent, child, run = await two(runtime, rules=ASK)
    first = await asks(runtime, run, child, call="the call")
    await runtime.finish(run)
    second = await asks(runtime, await runtime.run(parent), child, call="the call")
    assert first != second
    assert await listed(server.admin, parent, "pending") == [second]
    assert await listed(server.admin, parent) == [second, first]


async def test_a_question_from_the_depth_is_seen_at_the_root(server, runtime, approver):
    """In the stream of the tree, and in its list; and answered from there."""
    root = await runtime.session()
    watching = approver.subscribe(root_session_id=root.session_id, from_now=True)
    await watching.next()
    session = root
    for _ in range(3):
        session = await runtime.session(session, rules={"parent": "ask"})
    assert session.depth == 3
    run = await runtime.run(session)
    approval_id = await asks(runtime, run, session.parent_session_id)
    event = None
    while event is None:
        found = (await watching.next()).events
        event = next((e for e in found if e.WhichOneof("payload") == "approval_requested"), None)
    watching.cancel()
    asked = event.approval_requested.approval
    assert (asked.approval_id, asked.session_id, event.session_id) == (
        approval_id,
        session.session_id,
        session.session_id,
    )
    assert await listed(approver, root, "pending") == [approval_id]
    await decide(approver, asked, approval_id, "once")
    assert len(await stored(runtime, await runtime.look(named(session.parent_session_id)))) == 1


async def test_a_flood_of_questions_is_bounded(server, runtime, approver, refused):
    """At most eight of a session wait; a retry of one of them still joins it, and each answer makes room."""
    parent, child, run = await two(runtime, rules=ASK)
    other = await runtime.session(parent, rules={"parent": "ask"})
    results = await asyncio.gather(*(by_rpc(runtime, run, child, call=f"call {n}") for n in range(40)))
    waiting = [answer.approval_id for answer in results if answer.code == PENDING]
    assert [answer.code for answer in results if answer.code != PENDING] == ["approval:too_many"] * 32
    assert sorted(await listed(server.admin, parent, "pending")) == sorted(waiting)
    assert len(waiting) == 8
    with refused("approval:too_many", grpc.StatusCode.RESOURCE_EXHAUSTED):
        await runtime.ask(run, child, "one more")
    first = next(n for n, answer in enumerate(results) if answer.code == PENDING)
    assert (await by_rpc(runtime, run, child, call=f"call {first}")).approval_id == results[first].approval_id
    await asks(runtime, await runtime.run(other), parent)  # another session's questions are its own
    await decide(approver, parent, waiting[0], "deny")
    await asks(runtime, run, child)
    with refused("approval:too_many"):
        await runtime.ask(run, child)


async def test_what_is_allowed_while_the_inbox_is_full_can_be_repeated(runtime, approver, refused):
    """The call gets the guard's code, keeps its right, and is stored once when there is room."""
    root = await runtime.session()
    parent = await runtime.session(root, rules={"child": "ask"}, agent="default")
    child = await runtime.session(parent)
    run = await runtime.run(parent)
    approval_id = await asks(runtime, run, child, "the message", call="the call")
    fillers = [await runtime.session(child, rules={"parent": "allow"}) for _ in range(8)]
    for filler in fillers:
        filling = await runtime.run(filler)
        for _ in range(4):
            await runtime.send(filling, child)
    decided = await decide(approver, parent, approval_id, "once")
    assert decided.state == 2
    assert await state(runtime, parent, approval_id) == "allowed"
    for door in DOORS.values():
        told = await door(runtime, run, child, "the message", call="the call")
        assert told.code == "send_message:inbox_full"
    assert len(await stored(runtime, child)) == 32
    assert await decide(approver, parent, approval_id, "once") == decided
    await read_all(runtime, child)
    sent = await by_rpc(runtime, run, child, "the message", call="the call")
    assert (sent.code, sent.replayed) == ("", False)
    assert (await by_rpc(runtime, run, child, "the message", call="the call")).promise == sent.promise
    assert len(await stored(runtime, child)) == 33
    assert await story(runtime, parent) == ["requested", "decided", "used"]


async def test_a_right_that_was_not_used_ends_with_its_run(runtime, approver, refused):
    parent, child, run = await two(runtime, rules=ASK)
    approval_id = await asks(runtime, run, child, call="the call")
    await runtime.sessions.DeleteSession(session_id=child.session_id)
    assert (await decide(approver, parent, approval_id, "once")).state == 2
    with refused("send_message:unknown_session"):
        await runtime.ask(run, child, tool_call_id="the call")
    await runtime.finish(run)
    assert await state(runtime, parent, approval_id) == "cancelled"
    with refused("approval:cancelled", grpc.StatusCode.ABORTED):
        await runtime.ask(run, child, tool_call_id="the call")
    assert (await decide(approver, parent, approval_id, "once")).state == 6  # the answer was applied, and stands


async def test_an_answer_counts_under_the_guards_as_they_are_then(server, runtime, approver):
    """What the send itself was asked with is carried out: what it supersedes, and when it expires."""
    parent, child, run = await two(runtime, rules=ASK)
    earlier = await asks(runtime, run, child, "old")
    await decide(approver, parent, earlier, "once")
    (old,) = await stored(runtime, child)
    asked = await runtime.ask(
        run, child, "new", supersedes_message_id=old.message_id, expire_after={"seconds": 60, "nanos": 500_000_000}
    )
    approval_id = asked.pending_approval.approval_id
    arguments = json.loads((await look(approver, parent, approval_id)).arguments_json)
    assert arguments == {
        "to": child.session_id,
        "body": "new",
        "mode": "steer",
        "expire_after_seconds": 60.5,
        "supersedes_message_id": old.message_id,
    }
    decided = await decide(approver, parent, approval_id, "once")
    _, new = await stored(runtime, child)
    assert new.supersedes_message_id == old.message_id
    lasting = new.expire_time.ToNanoseconds() - decided.decide_time.ToNanoseconds()
    assert lasting == 60_500_000_000  # counted from the acceptance, not from the question
    (discarded,) = await payloads(runtime, child, "producer_message_discarded")
    assert discarded.superseded_by_message_id == new.message_id


async def test_who_may_answer_and_look(server, runtime, approver, refused):
    """Only people answer; whoever has nothing to do with the session is told that there is nothing."""
    parent, child, run = await two(runtime, rules=ASK)
    approval_id = await asks(runtime, run, child)
    itself = await server.make_token("session", parent.session_id)
    for client in (runtime, itself, await server.make_token("observer"), await server.make_token("plugin")):
        assert await state(client, parent, approval_id) == "pending"
        with refused("auth:forbidden"):
            await decide(client, parent, approval_id, "once")
    stranger = await server.make_token("runtime")
    own = await stranger.session()
    for client in (stranger, await server.make_token("session", own.session_id)):
        with refused("session:not_found") as theirs:
            await look(client, parent, approval_id)
        with refused("session:not_found") as nobodys:
            await look(client, named(str(uuid4())), str(uuid4()))
        assert theirs.text == nobodys.text
        with refused("approval:not_found") as there:
            await look(client, own, approval_id)
        with refused("approval:not_found") as nowhere:
            await look(client, own, str(uuid4()))
        assert there.text == nowhere.text
        with refused("auth:forbidden"):
            await decide(client, parent, approval_id, "once")
        with refused("auth:forbidden"):
            await listed(client, parent)
    for asker, wrong in ((own, approval_id), (parent, str(uuid4())), (named(str(uuid4())), approval_id)):
        with refused("approval:not_found", grpc.StatusCode.NOT_FOUND):
            await decide(approver, asker, wrong, "once")
    assert await state(approver, parent, approval_id) == "pending"


async def test_anothers_call_does_not_reach_an_approval(server, runtime, refused):
    """A run's id and a call's name, told in another's session, find nothing."""
    _, child, run = await two(runtime, rules=ASK)
    await asks(runtime, run, child, call="the call")
    await runtime.finish(run)
    stranger = await server.make_token("runtime")
    parent, other, _ = await two(stranger, rules=ASK)
    forged = type(run)(session_id=parent.session_id, run_id=run.run_id)
    with refused("run:not_active"):
        await stranger.ask(forged, other, tool_call_id="the call")


async def test_a_list_goes_on_where_its_page_ended(server, runtime, approver, refused):
    parent, child, run = await two(runtime, rules=ASK)
    made = [await asks(runtime, run, child) for _ in range(7)]
    found, token, pages = [], "", 0
    while True:
        page = await approver.approvals.ListApprovals(root_session_id=parent.session_id, page_size=3, page_token=token)
        found += [approval.approval_id for approval in page.approvals]
        pages += 1
        token = page.next_page_token
        if not token:
            break
    assert (found, pages) == (made[::-1], 3)
    for session_id in (child.session_id, str(uuid4())):
        with refused("session:not_found"):
            await listed(approver, named(session_id))


@pytest.mark.parametrize("overrides", [{"messaging": {"max_body_bytes": 600_000}}])
async def test_a_page_of_long_questions_is_short(server, runtime, approver):
    """An answer that a client does not take would help nobody."""
    parent, child, run = await two(runtime, rules=ASK)
    made = [await asks(runtime, run, child, "x" * 600_000) for _ in range(3)]
    found, token = [], ""
    while True:
        page = await approver.approvals.ListApprovals(root_session_id=parent.session_id, page_token=token)
        assert page.ByteSize() < 2 << 20
        found += [approval.approval_id for approval in page.approvals]
        token = page.next_page_token
        if not token:
            break
    assert found == made[::-1]


async def test_a_send_that_is_allowed_by_its_rule_asks_nobody(server, runtime):
    """Rules that ask for others make no difference to it."""
    parent = await runtime.session(rules={"child": "allow", "sibling": "ask", "*": "deny"})
    child = await runtime.session(parent)
    run = await runtime.run(parent)
    assert (await by_rpc(runtime, run, child, call=fresh("call"))).code == ""
    assert await listed(server.admin, parent) == []
