"""What one replica drops of the log is missing to nobody at another without a word."""

from __future__ import annotations

import asyncio

import grpc
import pytest
from kinpost.v1 import session_pb2


@pytest.fixture
def overrides():
    """No look at what is to be dropped comes by itself."""
    return {"retention": {"events_seconds": 0.000001}, "delivery": {"reconcile_seconds": 3600.0}}


async def archived(pair, runtime):
    """Return a tree that has had a life at A, of which nothing waits any more, and which was archived."""
    session = await runtime.session()
    await runtime.user(session)
    started = await runtime.start(session, attempt_id="first")
    await runtime.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    await pair.admin.a.sessions.SetAvailability(
        session_id=session.session_id, availability=session_pb2.AVAILABILITY_ARCHIVED
    )
    return session


async def test_a_subscriber_hears_of_what_was_dropped_before_its_replica_had_read_it(pair, runtimes, unheard, refused):
    """The events lie in the middle of what B reads at once. Who follows another tree goes on."""
    kept = await runtimes.a.session()
    follower = pair.b.engine._follower
    await follower.catch_up()
    whole, one = pair.admin.b.subscribe(all=True), pair.admin.b.subscribe(session_id=kept.session_id)
    for stream in (whole, one):
        await stream.until(lambda frame: frame.caught_up)
    await runtimes.a.user(kept)
    await archived(pair, runtimes.a)
    await runtimes.a.user(kept)
    assert await pair.a.engine.retention.step() > 3
    await follower.catch_up()
    with refused("events:cursor_expired", grpc.StatusCode.OUT_OF_RANGE):
        await whole.ended()
    last_seq = (await runtimes.b.look(kept)).last_seq
    await one.until(lambda frame: frame.events and frame.events[-1].seq == last_seq)
    events = [event for frame in one.seen for event in frame.events]
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    one.cancel()


async def test_two_replicas_drop_the_same_tree_at_once(pair, runtimes):
    """One of them does; what is left of it is whole, and so is what is read of it at either."""
    trees = [await archived(pair, runtimes.a) for _ in range(5)]
    dropped = await asyncio.gather(*(server.engine.retention.step() for server in (pair.a, pair.b)))
    dropped += await asyncio.gather(*(server.engine.retention.step() for server in (pair.a, pair.b)))
    logs = [[await client.log(session_id=tree.session_id) for tree in trees] for client in pair.admin]
    assert logs[0] == logs[1]
    for log, tree in zip(logs[0], trees, strict=True):
        last_seq = (await runtimes.b.look(tree)).last_seq
        assert [event.seq for event in log] == list(range(log[0].seq, last_seq + 1))
        assert log[0].seq > 1
    assert sum(dropped) == sum(log[0].seq - 1 for log in logs[0])
