"""Peer mail's budget, replays and conversations are one for all replicas."""

from __future__ import annotations

import asyncio

import pytest
from calls import fresh
from ledger import payloads
from peer_doors import GrpcDoor

DOOR = GrpcDoor()


@pytest.fixture
async def scene(pair, runtimes):
    """Two sessions of different trees, and a token that writes for the first."""
    source, target = await runtimes.a.session(), await runtimes.b.session()
    return source, target, await pair.token("peer", source.session_id)


async def test_the_rate_window_is_one(pair, scene):
    """Of 160 calls that reach both at once exactly 120 are delivered."""
    source, target, peer = scene
    calls = [DOOR.send(peer[number % 2], source, target, str(number)) for number in range(160)]
    told = await asyncio.gather(*calls)
    assert sorted(one.error for one in told) == [""] * 120 + ["rate_limited"] * 40
    accepted = payloads(await pair.admin.b.log(session_id=target.session_id), "producer_message_accepted")
    assert len(accepted) == 120


async def test_a_replay_is_answered_wherever_it_is_made(pair, scene):
    """One key at both at once: one message, and the other call is a replay, or told that the first is under way."""
    source, target, peer = scene
    for _ in range(15):
        key = fresh("key")
        told = await asyncio.gather(*(DOOR.send(client, source, target, key=key) for client in peer))
        errors = sorted(one.error for one in told)
        assert errors in (["", ""], ["", "duplicate_in_flight"])
        again = await DOOR.send(peer.a, source, target, key=key)
        assert (again.error, again.idempotent) == ("", True)
    accepted = payloads(await pair.admin.b.log(session_id=target.session_id), "producer_message_accepted")
    assert len(accepted) == 15


@pytest.mark.parametrize("overrides", [{"peer": {"calls_max": 1, "window_seconds": 8.0}}])
async def test_what_waits_for_its_slot_is_delivered_once_by_whichever_replica(pair, scene):
    source, target, peer = scene
    assert (await DOOR.send(peer.a, source, target, "first")).delivered
    parked = await DOOR.send(peer.b, source, target, "second", queue_if_limited=True)
    assert (parked.delivered, parked.queued) == (False, True)
    stream = pair.admin.a.subscribe(session_id=target.session_id)
    bodies: list[str] = []
    while len(bodies) < 2:
        bodies += [one.body for one in payloads((await stream.next()).events, "producer_message_accepted")]
    assert bodies == ["first", "second"]


async def test_a_reply_needs_no_confirmation_whichever_replica_the_question_reached(pair, runtimes, scene):
    source, target, peer = scene
    answering = await pair.token("peer", target.session_id)
    run = await runtimes.a.run(source)
    await runtimes.b.finish(run, "FAILED")
    told = await DOOR.send(answering.a, target, source)
    assert told.error == "inactive_target_needs_confirmation"
    assert (await DOOR.send(peer.b, source, target, "a question")).delivered
    assert (await DOOR.send(answering.a, target, source, "its answer")).delivered
