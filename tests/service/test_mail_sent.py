"""What a sender sees of its mail: where each message stands, since when, and why it is held or gone."""

from __future__ import annotations

import grpc
import pytest
from calls import fresh
from mail import advance, by_rpc, read_all, two

STATES = {1: "accepted", 2: "admitted", 3: "claimed", 4: "released", 5: "consumed", 6: "discarded"}
TIMES = ("admit_time", "claim_time", "consume_time", "discard_time", "expire_time", "held_time")


async def seen(client, session, message_id: str):
    """Return the message as its sender sees it, which must be the same by both calls."""
    sent = (await client.messaging.GetSentMessage(session_id=session.session_id, message_id=message_id)).sent_message
    listed = (await client.messaging.ListSentMessages(session_id=session.session_id)).sent_messages
    assert sent in listed
    return sent


def short(sent) -> tuple[str, set[str], int]:
    """Return its state, which instants it has, and how often it was delivered."""
    return STATES[sent.state], {name for name in TIMES if sent.HasField(name)}, sent.delivery_count


async def test_the_life_of_a_message_as_its_sender_sees_it(runtime, wire):
    """Each step of a message is seen as it comes, with its instant, which never goes back."""
    parent, child, run = await two(runtime)
    first = await by_rpc(runtime, run, child, "x" * 100, call="the call")
    second = await by_rpc(runtime, run, child, "y" * 100, "queue")
    accepted = await seen(runtime, parent, first.message_id)
    assert short(accepted) == ("accepted", set(), 0)
    assert (accepted.recipient_session_id, accepted.recipient_handle) == (child.session_id, child.handle)
    assert (accepted.owner, accepted.mode) == (
        wire.message.PRODUCER_OWNER_AGENT,
        wire.message.MESSAGE_MODE_STEER,
    )
    assert (accepted.run_id, accepted.tool_call_id) == (run.run_id, "the call")
    child_run = await runtime.run(child)
    claim = await runtime.claim(child_run, bytes_max=100)
    claimed = await seen(runtime, parent, first.message_id)
    assert short(claimed) == ("claimed", {"admit_time", "claim_time"}, 1)
    assert short(await seen(runtime, parent, second.message_id)) == ("admitted", {"admit_time"}, 0)
    await runtime.runs.ReleaseClaim(session_id=child.session_id, run_id=child_run.run_id, claim_seq=claim.claim_seq)
    assert short(await seen(runtime, parent, first.message_id)) == ("released", {"admit_time", "claim_time"}, 1)
    claim = await runtime.claim(child_run)
    await runtime.commit(child_run, claim)
    consumed = await seen(runtime, parent, first.message_id)
    assert short(consumed) == ("consumed", {"admit_time", "claim_time", "consume_time"}, 2)
    times = [consumed.accept_time, consumed.admit_time, consumed.claim_time, consumed.consume_time]
    assert [t.ToMicroseconds() for t in times] == sorted(t.ToMicroseconds() for t in times)
    assert (consumed.held, consumed.discard_reason) == (False, 0)


@pytest.mark.parametrize("why", ["RETRACTED", "EXPIRED", "SUPERSEDED", "DELETED"])
async def test_why_a_message_is_gone(server, runtime, wire, why):
    """A discarded message says since when and why, for good."""
    parent, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child, expire_after={"seconds": 30})
    if why == "RETRACTED":
        await runtime.messaging.RetractMessage(session_id=parent.session_id, message_id=sent.message_id)
    elif why == "EXPIRED":
        advance(server, 31)
    elif why == "SUPERSEDED":
        await by_rpc(runtime, run, child, supersedes_message_id=sent.message_id)
    else:
        await runtime.sessions.DeleteSession(session_id=child.session_id)
    gone = await seen(runtime, parent, sent.message_id)
    assert short(gone) == ("discarded", {"discard_time", "expire_time"}, 0)
    assert wire.message.DiscardReason.Name(gone.discard_reason) == f"DISCARD_REASON_{why}"
    assert gone.held is False
    await server.restart()
    assert await seen(server.client(runtime.secret), parent, sent.message_id) == gone


async def test_what_is_held_and_why(server, runtime, wire):
    """Mail to a session that may not wake is seen as held, why and since when, until a person opens the session."""
    parent, child, run = await two(runtime)

    async def set_to(**fields):
        fields["availability"] = wire.session.Availability.Value(f"AVAILABILITY_{fields['availability']}")
        await server.admin.sessions.SetAvailability(session_id=child.session_id, **fields)

    before = await by_rpc(runtime, run, child)
    assert (await seen(runtime, parent, before.message_id)).held is False
    await set_to(availability="PAUSED", reason="needs a look")
    paused_event = (await runtime.log(session_id=child.session_id))[-2]
    assert paused_event.WhichOneof("payload") == "session_availability_changed"
    held = await seen(runtime, parent, before.message_id)
    assert (held.held, held.held_reason, held.held_time) == (True, "needs a look", paused_event.event_time)
    later = await seen(runtime, parent, (await by_rpc(runtime, run, child)).message_id)
    assert (later.held, later.held_time) == (True, later.accept_time)  # since it came
    for availability, held_now, reason in (
        ({"availability": "USER_CLOSED"}, True, "user_closed"),
        ({"availability": "ARCHIVED", "no_wake": True}, True, "archived"),
        ({"availability": "ARCHIVED"}, False, ""),
        ({"availability": "ENDED"}, False, ""),
        ({"availability": "OPEN"}, False, ""),
    ):
        await set_to(**availability)
        now = await seen(runtime, parent, before.message_id)
        assert (now.held, now.held_reason, now.HasField("held_time")) == (held_now, reason, held_now)


async def test_what_is_before_a_model_is_not_held(server, runtime):
    """A claimed message of a session that was paused meanwhile is not held: it is being read."""
    parent, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child)
    started = await runtime.start(child, attempt_id="first")
    await server.admin.sessions.SetAvailability(session_id=child.session_id, availability=2)
    assert (await seen(runtime, parent, sent.message_id)).held is False
    await runtime.runs.ReleaseClaim(
        session_id=child.session_id, run_id=started.run.run_id, claim_seq=started.claim.claim_seq
    )
    assert (await seen(runtime, parent, sent.message_id)).held is True


async def test_the_list_is_newest_first_in_pages(server, runtime, refused):
    """Pages of any size hold every message of the session once, newest first, while more is being sent."""
    parent, child, run = await two(runtime)
    sent = []
    for number in range(10):
        sent.append((await by_rpc(runtime, run, child, f"body {number}")).message_id)
        if number % 4 == 3:
            await read_all(runtime, child)
    newest_first = sent[::-1]

    async def pages(client, size):
        token, found = "", []
        while True:
            page = await client.messaging.ListSentMessages(
                session_id=parent.session_id, page_size=size, page_token=token
            )
            assert len(page.sent_messages) <= (size or 100)
            found.append([m.message_id for m in page.sent_messages])
            token = page.next_page_token
            if not token:
                return found

    assert await pages(runtime, 0) == [newest_first]
    assert await pages(runtime, 10) == [newest_first]
    assert await pages(runtime, 1000) == [newest_first]
    for size in (1, 3, 4, 9):
        found = await pages(runtime, size)
        assert [len(page) for page in found[:-1]] == [size] * (len(found) - 1)
        assert [message_id for page in found for message_id in page] == newest_first
    page = await runtime.messaging.ListSentMessages(session_id=parent.session_id, page_size=4)
    await by_rpc(runtime, run, child)  # what comes later is not in the pages that follow
    rest = await runtime.messaging.ListSentMessages(session_id=parent.session_id, page_token=page.next_page_token)
    assert [m.message_id for m in rest.sent_messages] == newest_first[4:]
    for wrong in ({"page_token": "x"}, {"page_size": 1001}, {"page_token": page.next_page_token[:-1]}):
        with refused("request:invalid", field=next(iter(wrong))):
            await runtime.messaging.ListSentMessages(session_id=parent.session_id, **wrong)
    await server.restart()
    assert (await pages(server.client(runtime.secret), 3))[0][1:] == newest_first[:2]


async def test_the_list_by_state(runtime, refused):
    """Chosen states give exactly those messages; an unknown state is an invalid request."""
    parent, child, run = await two(runtime)
    consumed = await by_rpc(runtime, run, child)
    await read_all(runtime, child)
    retracted = await by_rpc(runtime, run, child)
    await runtime.messaging.RetractMessage(session_id=parent.session_id, message_id=retracted.message_id)
    claimed = await by_rpc(runtime, run, child)
    await runtime.start(child, attempt_id=fresh("attempt"))
    accepted = await by_rpc(runtime, run, child)

    async def listed(*states):
        answer = await runtime.messaging.ListSentMessages(session_id=parent.session_id, states=states)
        return [m.message_id for m in answer.sent_messages]

    assert await listed() == [m.message_id for m in (accepted, claimed, retracted, consumed)]
    assert await listed(1) == [accepted.message_id]
    assert await listed(3, 3) == [claimed.message_id]
    assert await listed(5) == [consumed.message_id]
    assert await listed(6, 1) == [accepted.message_id, retracted.message_id]
    assert await listed(2, 4) == []
    for wrong in (0, 7):
        with refused("request:invalid", field="states[0]"):
            await listed(wrong)


async def test_only_the_sender_sees_it(server, runtime, refused, wire):
    """Neither the recipient, nor a sibling, nor another runtime sees what a session sent; an observer does."""
    parent, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child)
    stranger, observer = await server.make_token("runtime"), await server.make_token("observer")
    own = await stranger.session()
    for client, session, code in (
        (runtime, child, "message:not_found"),
        (stranger, own, "message:not_found"),
        (stranger, parent, "session:not_found"),
    ):
        with refused(code, grpc.StatusCode.NOT_FOUND):
            await client.messaging.GetSentMessage(session_id=session.session_id, message_id=sent.message_id)
    with refused("session:not_found", grpc.StatusCode.NOT_FOUND):
        await stranger.messaging.ListSentMessages(session_id=parent.session_id)
    assert list((await runtime.messaging.ListSentMessages(session_id=child.session_id)).sent_messages) == []
    assert (await seen(observer, parent, sent.message_id)).message_id == sent.message_id
    person = await server.admin.user(child)
    with refused("message:not_found", grpc.StatusCode.NOT_FOUND):
        await runtime.messaging.GetSentMessage(session_id=parent.session_id, message_id=person.message_id)


async def test_a_delegation_is_among_what_its_parent_sent(runtime, wire):
    """A child's first message is seen by the session that delegated it."""
    parent = await runtime.session()
    run = await runtime.run(parent)
    child = await runtime.session(
        parent, first_message="begin", parent_run_id=run.run_id, parent_tool_call_id="the call"
    )
    (sent,) = (await runtime.messaging.ListSentMessages(session_id=parent.session_id)).sent_messages
    assert (sent.owner, sent.recipient_session_id) == (wire.message.PRODUCER_OWNER_DELEGATION, child.session_id)
    assert (sent.run_id, sent.tool_call_id) == (run.run_id, "the call")
