"""Peer mail and tree mail share one life, one log and one subscription."""

from __future__ import annotations

import pytest
from ledger import kind

PAUSED, OPEN = 2, 1
SMALL_INBOX = {"http": {"enabled": True}, "messaging": {"max_pending_per_session": 1, "max_inflight_per_pair": 1}}
LIFE = ["message_accepted", "message_admitted", "messages_claimed", "message_consumed"]


def steps(events, message_id: str) -> list[str]:
    """What happened to a message, in order."""
    found = []
    for event in events:
        payload = getattr(event, kind(event))
        if message_id in (getattr(payload, "message_id", ""), *getattr(payload, "message_ids", ())):
            found.append(kind(event).removeprefix("producer_"))
    return found


@pytest.mark.parametrize("route", ["peer-message", "message", "queue"])
async def test_a_message_is_seen_claimed_at_the_boundary_and_consumed_by_the_turn(door, server, runtime, scene, route):
    session_id = scene.target.session_id
    streams = [
        server.admin.subscribe(all=True, from_now=True),
        server.admin.subscribe(root_session_id=session_id, from_now=True),
        runtime.subscribe(session_id=session_id, from_now=True),
    ]
    for stream in streams:
        await stream.until(lambda frame: frame.caught_up)
    busy = await runtime.run(scene.target)
    await door.send(scene.peer, scene.source, scene.target, route=route)
    assert not (await runtime.claim(busy)).messages  # it waits for the turn boundary between two runs
    await runtime.finish(busy, "FAILED")
    started = await runtime.start(scene.target, attempt_id="a")
    (message,) = started.claim.messages
    assert (message.body, message.owner, message.HasField("agent_hop")) == ("hello", 5, False)
    assert await runtime.commit(started.run, started.claim) == [message.message_id]
    await runtime.finish(started.run)
    logged = [event for event in await server.admin.log(session_id=session_id) if kind(event) != "session_created"]
    assert steps(logged, message.message_id) == LIFE
    for stream in streams:
        seen = []
        while len(seen) < len(logged):
            seen += [event for event in await stream.events(1) if event.session_id == session_id]
        assert seen == logged
        stream.cancel()


async def test_a_turn_that_is_not_kept_gives_it_back(door, runtime, scene, log_of):
    await door.send(scene.peer, scene.source, scene.target)
    started = await runtime.start(scene.target, attempt_id="a")
    await runtime.finish(started.run, "FAILED")
    again = await runtime.start(scene.target, attempt_id="b")
    assert [(m.body, m.delivery_count) for m in again.claim.messages] == [("hello", 2)]
    await runtime.finish(again.run, commit_claim_seq=again.claim.claim_seq)
    assert len(await log_of(scene.target, "producer_message_consumed")) == 1


async def test_for_a_paused_target_it_is_held_and_its_sender_can_look(door, server, runtime, scene):
    await server.admin.sessions.SetAvailability(session_id=scene.target.session_id, availability=PAUSED)
    for text in ("first", "second"):
        await door.send(scene.peer, scene.source, scene.target, text, confirm_inactive_target=True)
    sent = (await runtime.messaging.ListSentMessages(session_id=scene.source.session_id)).sent_messages
    assert [(one.owner, one.held, one.held_reason) for one in sent] == [(5, True, "paused")] * 2
    await server.admin.sessions.SetAvailability(session_id=scene.target.session_id, availability=OPEN)
    started = await runtime.start(scene.target, attempt_id="a")
    assert [message.body for message in started.claim.messages] == ["first", "second"]
    await runtime.commit(started.run, started.claim)
    one = await runtime.messaging.GetSentMessage(
        session_id=scene.source.session_id, message_id=started.claim.messages[0].message_id
    )
    assert (one.sent_message.held, one.sent_message.HasField("consume_time")) == (False, True)


@pytest.mark.parametrize("overrides", [SMALL_INBOX])
async def test_it_never_counts_against_the_agents_inbox_and_pair(door, server, runtime, refused, log_of):
    parent = await runtime.session(rules={"*": "allow"})
    child = await runtime.session(parent)
    run = await runtime.run(parent)
    peer = await server.make_token("peer", parent.session_id)
    for _ in range(3):
        assert (await door.send(peer, parent, child)).delivered
    await runtime.send(run, child)  # the inbox of agents is empty still
    with refused("send_message:inbox_full"):
        await runtime.send(run, child)
    assert (await door.send(peer, parent, child)).delivered  # a full one holds up no peer
    assert len(await log_of(child, "producer_message_accepted")) == 5


async def test_what_a_peer_starts_has_no_hops(door, server, runtime, log_of):
    """A run that peer mail alone has come to is at the beginning of a chain."""
    parent = await runtime.session(rules={"*": "allow"})
    child = await runtime.session(parent)
    peer = await server.make_token("peer", child.session_id)
    await door.send(peer, child, parent)
    started = await runtime.start(parent, attempt_id="a")
    await runtime.send(started.run, child)
    (accepted,) = await log_of(child, "producer_message_accepted")
    assert accepted.agent_hop == 0


async def test_a_token_acts_for_all_the_sessions_it_was_made_for_and_no_other(door, server, runtime):
    first, second, third = [await runtime.session() for _ in range(3)]
    peer = await server.make_token("peer", first.session_id, second.session_id)
    assert (await door.send(peer, first, third)).delivered
    assert (await door.send(peer, second, third)).delivered
    assert (await door.send(peer, third, first)).error == "forbidden"
    assert not (await door.sent(peer, second)).error
    assert (await door.sent(peer, third)).error == "not_your_messages"
