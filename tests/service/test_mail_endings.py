"""How mail ends undelivered: taken back by its sender, or with its recipient; and what the sender is told."""

from __future__ import annotations

import asyncio

import grpc
import pytest
from mail import by_rpc, nothing_written, payloads, read_all, stored, two
from uuid_utils import uuid4

RETRACTED, DELETED = 2, 6


async def retract(client, session, sent):
    """Take a message back; returns it as its sender sees it now."""
    answer = await client.messaging.RetractMessage(
        session_id=session.session_id, message_id=sent if isinstance(sent, str) else sent.message_id
    )
    return answer.sent_message


async def discarded(client, session) -> list[tuple[str, int]]:
    """Return what was discarded from a session's mail, and why."""
    return [(p.message_id, p.reason) for p in await payloads(client, session, "producer_message_discarded")]


# Taking back


@pytest.mark.parametrize("mode", ["steer", "queue"])
async def test_what_waits_can_be_taken_back(runtime, wire, mode):
    """A waiting message is discarded, its wake goes with it, and nobody is told: it was the sender's own doing."""
    parent, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child, mode=mode)
    gone = await retract(runtime, parent, sent)
    assert (gone.message_id, gone.state) == (sent.message_id, wire.message.MESSAGE_STATE_DISCARDED)
    assert gone.discard_reason == wire.message.DISCARD_REASON_RETRACTED
    assert gone.HasField("discard_time")
    assert await discarded(runtime, child) == [(sent.message_id, RETRACTED)]
    assert len(await payloads(runtime, child, "wake_withdrawn")) == 1
    assert await payloads(runtime, parent, "sent_message_undeliverable") == []
    assert await read_all(runtime, child) == []


async def test_taking_back_is_safe_to_repeat(server, runtime):
    """A repeated retraction, after a restart too, answers as the first did and writes nothing."""
    parent, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child)
    first = await retract(runtime, parent, sent)
    async with nothing_written(server):
        assert await retract(runtime, parent, sent) == first
    await server.restart()
    async with nothing_written(server):
        assert await retract(server.client(runtime.secret), parent, sent) == first


async def test_twenty_retractions_at_once(runtime):
    """Twenty retractions of one message at once are one."""
    parent, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child)
    answers = await asyncio.gather(*(retract(runtime, parent, sent) for _ in range(20)))
    assert all(answer == answers[0] for answer in answers)
    assert await discarded(runtime, child) == [(sent.message_id, RETRACTED)]


async def test_what_is_before_a_model_cannot_be_taken_back(server, runtime, refused):
    """A claimed message stays; given back it can be taken back; consumed it never can."""
    parent, child, run = await two(runtime)
    sent, other = [await by_rpc(runtime, run, child) for _ in range(2)]
    child_run = await runtime.run(child)
    claim = await runtime.claim(child_run)
    async with nothing_written(server):
        with refused("message:claimed", grpc.StatusCode.FAILED_PRECONDITION):
            await retract(runtime, parent, sent)
    await runtime.runs.ReleaseClaim(session_id=child.session_id, run_id=child_run.run_id, claim_seq=claim.claim_seq)
    await retract(runtime, parent, sent)
    claim = await runtime.claim(child_run)
    assert [m.message_id for m in claim.messages] == [other.message_id]
    await runtime.commit(child_run, claim)
    async with nothing_written(server):
        with refused("message:claimed", grpc.StatusCode.FAILED_PRECONDITION):
            await retract(runtime, parent, other)


async def test_admitted_and_held_mail_can_be_taken_back(server, runtime):
    """A message that joined a run without being claimed, or that is held, can be taken back."""
    parent, child, run = await two(runtime)
    await by_rpc(runtime, run, child, "x" * 100)
    admitted = await by_rpc(runtime, run, child, "y" * 100)
    child_run = await runtime.run(child)
    assert (await runtime.claim(child_run, bytes_max=100)).more_pending
    await retract(runtime, parent, admitted)
    await server.admin.sessions.SetAvailability(session_id=child.session_id, availability=2)
    held = await by_rpc(runtime, run, child)
    assert (await retract(runtime, parent, held)).held is False
    assert await discarded(runtime, child) == [(admitted.message_id, RETRACTED), (held.message_id, RETRACTED)]


async def test_a_sender_that_does_not_run_takes_back(runtime):
    """Taking back needs no run: it is the session's, whatever has become of the run that sent."""
    parent, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child)
    await runtime.finish(run)
    await retract(runtime, parent, sent)
    assert await discarded(runtime, child) == [(sent.message_id, RETRACTED)]


async def test_another_ones_message(server, runtime, refused):
    """What is not the session's own is not there: the recipient's, a sibling's, a person's, another runtime's."""
    parent, child, run = await two(runtime)
    sibling = await runtime.session(parent, rules={"sibling": "allow"})
    sent = await by_rpc(runtime, run, child)
    person = await server.admin.user(child)
    stranger = await server.make_token("runtime")
    own = await stranger.session()
    async with nothing_written(server):
        for client, session, message_id, code in (
            (runtime, child, sent.message_id, "message:not_found"),
            (runtime, sibling, sent.message_id, "message:not_found"),
            (runtime, parent, person.message_id, "message:not_found"),
            (runtime, parent, str(uuid4()), "message:not_found"),
            (stranger, own, sent.message_id, "message:not_found"),
            (stranger, parent, sent.message_id, "session:not_found"),
        ):
            with refused(code, grpc.StatusCode.NOT_FOUND):
                await retract(client, session, message_id)
    assert len(await read_all(runtime, child)) == 2


# The recipient's end


async def test_the_mail_of_a_deleted_session(server, runtime, wire):
    """Pending mail of a deleted session is discarded, and each sender's own log says so."""
    parent, child, run = await two(runtime, first_message="begin")
    sibling = await runtime.session(parent, rules={"sibling": "allow"})
    read = await by_rpc(runtime, run, child)
    assert len(await read_all(runtime, child)) == 2
    mine = [(await by_rpc(runtime, run, child, mode=mode)).message_id for mode in ("steer", "queue")]
    theirs = (await by_rpc(runtime, await runtime.run(sibling), child)).message_id
    person = (await server.admin.user(child)).message_id
    await runtime.sessions.DeleteSession(session_id=child.session_id, reason="not needed")
    log = await server.admin.log(all=True)
    ended = [e.producer_message_discarded for e in log if e.WhichOneof("payload") == "producer_message_discarded"]
    assert [(p.message_id, p.reason) for p in ended] == [(id_, DELETED) for id_ in (*mine, theirs, person)]
    for session, ids in ((parent, mine), (sibling, [theirs])):
        told = await payloads(runtime, session, "sent_message_undeliverable")
        assert [(p.message_id, p.recipient_session_id, p.reason) for p in told] == [
            (id_, child.session_id, DELETED) for id_ in ids
        ]
    assert read.message_id not in {p.message_id for p in ended}


async def test_a_deleted_session_is_gone(server, runtime, refused, wire):
    """It is neither read nor run nor listed nor written to; deleting it again changes nothing."""
    parent, child, run = await two(runtime)
    await by_rpc(runtime, run, child)
    await runtime.sessions.DeleteSession(session_id=child.session_id)
    async with nothing_written(server):
        await runtime.sessions.DeleteSession(session_id=child.session_id)
        for call in (
            runtime.look(child),
            runtime.start(child),
            runtime.log(session_id=child.session_id),
            server.admin.user(child),
            runtime.session(child),
        ):
            with refused("session:not_found", grpc.StatusCode.NOT_FOUND):
                await call
        with refused("session:exists", grpc.StatusCode.ALREADY_EXISTS):
            await runtime.session(parent, session_id=child.session_id)
    listed = await server.admin.sessions.ListSessions(root_session_id=parent.session_id)
    assert [session.session_id for session in listed.sessions] == [parent.session_id]


async def test_a_running_session_is_not_deleted(server, runtime, refused):
    """A session with an active run is not deleted under it; its mail stays."""
    _, child, run = await two(runtime)
    child_run = await runtime.run(child)
    sent = await by_rpc(runtime, run, child)
    async with nothing_written(server):
        with refused("run:already_active", grpc.StatusCode.FAILED_PRECONDITION):
            await runtime.sessions.DeleteSession(session_id=child.session_id)
    assert [m.message_id for m in (await runtime.claim(child_run)).messages] == [sent.message_id]


async def test_the_children_of_a_deleted_session_stay(runtime):
    """Deleting a session leaves its children where they are, with their mail and their peers."""
    root = await runtime.session(rules={"*": "allow", "child": "allow"})
    child = await runtime.session(root, rules={"child": "allow"})
    grand = await runtime.session(child)
    child_run = await runtime.run(child)
    first = await by_rpc(runtime, child_run, grand)
    await runtime.finish(child_run)
    await runtime.sessions.DeleteSession(session_id=child.session_id)
    second = await by_rpc(runtime, await runtime.run(root), grand)
    assert await read_all(runtime, grand) == [first.message_id, second.message_id]


async def test_the_mail_of_a_deleted_sender_is_delivered(runtime, refused):
    """What a session sent outlives it: it is delivered, and what becomes of it is told to nobody."""
    root = await runtime.session()
    sender = await runtime.session(root, rules={"sibling": "allow"})
    recipient, doomed = [await runtime.session(root, rules={"sibling": "allow"}) for _ in range(2)]
    run = await runtime.run(sender)
    sent = await by_rpc(runtime, run, recipient)
    await by_rpc(runtime, run, doomed)
    await runtime.finish(run)
    await runtime.sessions.DeleteSession(session_id=sender.session_id)
    await runtime.sessions.DeleteSession(session_id=doomed.session_id)
    started = await runtime.start(recipient, attempt_id="first")
    (mail,) = started.claim.messages
    assert (mail.message_id, mail.sender.handle) == (sent.message_id, sender.handle)
    reply = await by_rpc(runtime, started.run, sender.handle)
    assert reply.code == "send_message:unknown_reference"
    with refused("session:not_found", grpc.StatusCode.NOT_FOUND):
        await retract(runtime, sender, sent)


async def test_who_may_delete(server, runtime, refused):
    """A session's own runtime and people delete it; strangers do not find it, observers may not."""
    _, child, run = await two(runtime)
    await by_rpc(runtime, run, child)
    stranger, observer = await server.make_token("runtime"), await server.make_token("observer")
    async with nothing_written(server):
        with refused("session:not_found", grpc.StatusCode.NOT_FOUND):
            await stranger.sessions.DeleteSession(session_id=child.session_id)
        with refused("auth:forbidden", grpc.StatusCode.PERMISSION_DENIED):
            await observer.sessions.DeleteSession(session_id=child.session_id)
    approver = await server.make_token("approver")
    await approver.sessions.DeleteSession(session_id=child.session_id)
    assert await stored(server.admin, run) == []
