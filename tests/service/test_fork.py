"""A session is continued beside itself, from a point of its log, with the mail that was pending there."""

from __future__ import annotations

import asyncio

import pytest
from calls import fresh
from kinpost.v1 import session_pb2
from ledger import kinds, payloads
from mail import advance, two
from uuid_utils import uuid4

PAUSED = session_pb2.AVAILABILITY_PAUSED


async def fork(client, session, at_seq, **fields):
    """Fork a session; returns the fork."""
    fields.setdefault("new_session_id", str(uuid4()))
    return (await client.sessions.ForkSession(session_id=session.session_id, at_seq=at_seq, **fields)).session


async def acceptances(client, session):
    """What was accepted in a session's log."""
    return payloads(await client.log(session_id=session.session_id), "producer_message_accepted")


@pytest.fixture
async def scene(runtime):
    """A parent with a run and a child, all of one runtime."""
    return await two(runtime, child_rules={"*": "allow"}, agent="explore", description="looks around")


# The steps of one message's life, and after which of them it was pending.
STEPS = ("accept", "start", "claim", "release", "claim", "consume", "finish")
PENDING_AFTER = {"accept", "start", "claim", "release"}


@pytest.mark.parametrize("at", range(len(STEPS)))
@pytest.mark.parametrize("when", ["at once", "later"])
async def test_mail_is_continued_that_was_pending_at_the_point(runtime, scene, at, when):
    """At each step of its life, asked right there or when all is over: the answer is the same."""
    parent, child, sender = scene
    made = None
    run = claim = None
    for index, step in enumerate(STEPS):
        if step == "accept":
            sent = await runtime.send(sender, child, "the mail", tool_call_id="the call")
        elif step == "start":
            run = await runtime.run(child)
        elif step == "claim":
            claim = await runtime.claim(run)
        elif step == "release":
            own = {"session_id": child.session_id, "run_id": run.run_id}
            await runtime.runs.ReleaseClaim(**own, claim_seq=claim.claim_seq)
        elif step == "consume":
            await runtime.commit(run, claim)
        else:
            await runtime.finish(run)
        if index == at:
            point = (await runtime.look(child)).last_seq
            if when == "at once":
                made = await fork(runtime, child, point)
    before = await runtime.log(session_id=child.session_id)
    if made is None:
        made = await fork(runtime, child, point)
    pending = STEPS[at] in PENDING_AFTER
    assert made.pending_count == int(pending)
    log = await runtime.log(session_id=made.session_id)
    expected = ["session_forked", *["producer_message_accepted", "wake_requested"] * pending]
    assert kinds(log) == expected
    assert made.last_seq == len(log)
    if pending:
        copy = log[1].producer_message_accepted
        assert copy.forked_from_message_id == sent.message_id != copy.message_id
        assert (copy.body, copy.sender.session_id) == ("the mail", parent.session_id)
    started = await runtime.start(made, attempt_id="first")
    assert [message.body for message in started.claim.messages] == ["the mail"] * pending
    assert all(parent.handle in message.rendered_text for message in started.claim.messages)
    await runtime.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    assert await runtime.log(session_id=child.session_id) == before  # the original is untouched


async def test_a_fork_is_a_sibling_of_its_own_name(runtime, scene):
    parent, child, _run = scene
    made = await fork(runtime, child, 1)
    same = ("root_session_id", "parent_session_id", "depth", "agent", "description", "message_rules")
    assert [getattr(made, name) for name in same] == [getattr(child, name) for name in same]
    assert made.handle.startswith("explore_")
    assert made.handle != child.handle
    assert (made.state, made.starter) == (session_pb2.SESSION_STATE_IDLE, session_pb2.STARTER_WAKE)
    (first,) = await runtime.log(session_id=made.session_id)
    told = first.session_forked
    assert (told.from_session_id, told.at_seq, told.session.handle) == (child.session_id, 1, made.handle)
    root = await fork(runtime, parent, 1)
    assert (root.root_session_id, root.HasField("parent_session_id"), root.depth) == (root.session_id, False, 0)


async def test_the_same_call_again_returns_the_fork_and_another_is_refused(server, runtime, scene, refused):
    parent, child, run = scene
    await runtime.send(run, child)
    name = str(uuid4())
    answers = await asyncio.gather(*(fork(runtime, child, 2, new_session_id=name) for _ in range(8)))
    assert all(answer == answers[0] for answer in answers)
    assert len(await acceptances(runtime, answers[0])) == 1
    await server.restart()
    runtime = server.client(runtime.secret)
    assert (await fork(runtime, child, 2, new_session_id=name)).handle == answers[0].handle
    for other, at_seq in ((child, 1), (parent, 2)):
        with refused("session:exists"):
            await fork(runtime, other, at_seq, new_session_id=name)
    with refused("session:exists"):
        await fork(runtime, child, 1, new_session_id=child.session_id)
    with refused("request:invalid", field="at_seq"):
        await fork(runtime, child, (await runtime.look(child)).last_seq + 1)
    with refused("session:exists"):
        await runtime.session(session_id=name)
    await server.admin.sessions.DeleteSession(session_id=name)
    with refused("session:exists"):
        await fork(runtime, child, 2, new_session_id=name)


@pytest.mark.parametrize("overrides", [{"messaging": {"max_inflight_per_pair": 1, "max_pending_per_session": 2}}])
async def test_what_is_continued_counts_against_nobody(runtime, scene, refused):
    parent, child, run = scene
    sent = await runtime.send(run, child, tool_call_id="the call")
    made = await fork(runtime, child, 2)
    assert (await runtime.send(run, made, "beside the copy")).message_id
    with refused("send_message:inflight_full"):
        await runtime.send(run, made)
    # The sender sees what it sent, and not the copy: neither in its list, nor by its id, nor in a repeat.
    (copy, _) = await acceptances(runtime, made)
    page = await runtime.messaging.ListSentMessages(session_id=parent.session_id)
    assert copy.message_id not in [view.message_id for view in page.sent_messages]
    own = {"session_id": parent.session_id, "message_id": copy.message_id}
    for call in (runtime.messaging.GetSentMessage, runtime.messaging.RetractMessage):
        with refused("message:not_found"):
            await call(**own)
    assert (await runtime.send(run, child, tool_call_id="the call")).message_id == sent.message_id
    await runtime.finish(run)
    assert (await runtime.send(run, child, tool_call_id="the call")).message_id == sent.message_id


async def test_nobody_is_told_when_a_copy_dies_and_nothing_replaces_it(server, runtime, scene, refused):
    parent, child, run = scene
    sent = await runtime.send(run, child)
    made = await fork(runtime, child, 2)
    (copy,) = await acceptances(runtime, made)
    with refused("message:not_found"):
        await runtime.send(run, made, supersedes_message_id=copy.message_id)
    await server.admin.sessions.DeleteSession(session_id=made.session_id)
    told = payloads(await runtime.log(session_id=parent.session_id), "sent_message_undeliverable")
    assert told == []
    assert (await runtime.look(child)).pending_count == 1
    view = await runtime.messaging.GetSentMessage(session_id=parent.session_id, message_id=sent.message_id)
    assert view.sent_message.message_id == sent.message_id


async def test_what_is_continued_wakes_the_fork(runtime, scene):
    _parent, child, run = scene
    await runtime.send(run, child)
    attached = await runtime.attach()
    await attached.told("wake_offer")
    made = await fork(runtime, child, 2)
    offer = await attached.told("wake_offer")
    assert (offer.session_id, offer.pending_count) == (made.session_id, 1)
    attached.cancel()


async def test_a_person_forks_for_whoever_hosts_the_original(server, runtime, scene):
    _parent, child, _run = scene
    made = await fork(await server.make_token("approver"), child, 1)
    assert (await runtime.look(made)).handle == made.handle
    await server.restart()
    runtime = server.client(runtime.secret)
    assert (await runtime.run(made)).number == 1


async def test_expired_mail_is_continued_dead_and_replaced_mail_is_not(server, runtime, scene):
    _parent, child, run = scene
    await runtime.send(run, child, "soon over", expire_after={"seconds": 1})
    advance(server, 2, sweep=False)
    first = await runtime.send(run, child, "first")
    started = await runtime.start(child, attempt_id="first")
    await runtime.send(run, child, "in its place", supersedes_message_id=first.message_id)
    point = (await runtime.look(child)).last_seq
    made = await fork(runtime, child, point)
    assert made.pending_count == 1
    assert [copy.body for copy in await acceptances(runtime, made)] == ["in its place"]
    early = await fork(runtime, child, 2)
    assert early.pending_count == 0
    assert kinds(await runtime.log(session_id=early.session_id))[1:] == [
        "producer_message_accepted",
        "producer_message_discarded",
    ]
    assert started.claim.messages


async def test_a_point_that_a_revert_undid_can_be_continued(runtime, scene):
    """As it was then: what was pending, not what was consumed, and nothing that the revert brought back."""
    _parent, child, run = scene
    for number in range(3):
        await runtime.send(run, child, f"mail {number}")
        if number == 1:
            kept = (await runtime.look(child)).last_seq
    started = await runtime.start(child, attempt_id=fresh("attempt"), bytes_max=1)
    await runtime.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    undone = (await runtime.look(child)).last_seq
    await runtime.sessions.RevertSession(session_id=child.session_id, to_seq=kept, expected_last_seq=undone)
    now = (await runtime.look(child)).last_seq
    for point, bodies in (
        (undone, ["mail 1", "mail 2"]),
        (undone + 1, ["mail 0", "mail 1"]),  # the revert itself: what it discards next is dead by then
        (now, ["mail 0", "mail 1"]),
        (kept, ["mail 0", "mail 1"]),
    ):
        made = await fork(runtime, child, point)
        assert [copy.body for copy in await acceptances(runtime, made)] == bodies, point


async def test_a_fork_is_reverted_and_forked_like_any_session(runtime, scene):
    _parent, child, run = scene
    await runtime.send(run, child, "the mail")
    made = await fork(runtime, child, 2)
    started = await runtime.start(made, attempt_id="first")
    await runtime.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    last_seq = (await runtime.look(made)).last_seq
    answer = await runtime.sessions.RevertSession(session_id=made.session_id, to_seq=2, expected_last_seq=last_seq)
    assert answer.session.pending_count == 1
    again = await fork(runtime, made, 2)
    (copy,) = await acceptances(runtime, again)
    assert copy.body == "the mail"
    answer = await runtime.sessions.RevertSession(
        session_id=again.session_id, to_seq=1, expected_last_seq=again.last_seq
    )
    assert answer.session.pending_count == 0
