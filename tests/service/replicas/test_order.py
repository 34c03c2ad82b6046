"""The order of positions, and of locks, where two replicas write at once."""

from __future__ import annotations

import asyncio

import pytest
from calls import fresh
from ledger import Ledger, came, payloads
from peer_doors import GrpcDoor
from postgres_server import connected

WAITING_FOR_THE_POSITION = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event IN ('tuple', 'transactionid')
"""
DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"


async def test_positions_become_visible_in_the_order_of_commits(pair, runtimes, postgres_url):
    """While a commit is held back at its position, nothing that came later is shown, and nothing is skipped in the end.

    The row of positions is locked by the test; both replicas' batches wait for it, and are let go at once.
    """
    one, other = await runtimes.a.session(), await runtimes.b.session()
    streams = [client.subscribe(all=True) for client in pair.admin]
    for stream in streams:
        await stream.until(lambda frame: frame.caught_up)
    with connected(postgres_url) as held, connected(postgres_url) as looking:
        for number in range(5):
            with held.transaction():
                held.execute("SELECT * FROM log FOR UPDATE")
                calls = [
                    asyncio.ensure_future(runtimes.a.user(one, f"{number} at a")),
                    asyncio.ensure_future(runtimes.b.user(other, f"{number} at b")),
                ]

                def both_wait() -> bool:
                    return bool(looking.execute(WAITING_FOR_THE_POSITION).fetchone()[0] == 2)

                await came(both_wait)
                # Both have read and decided; neither is to be seen.
                assert not any(call.done() for call in calls)
                before = await pair.admin.a.log(all=True)
            await asyncio.gather(*calls)
            log = await pair.admin.b.log(all=True)
            assert len(payloads(log[len(before) :], "producer_message_accepted")) == 2
    for stream in streams:
        seen = [event for frame in stream.seen for event in frame.events]
        while len(seen) < len(log):
            seen += (await stream.next()).events
        assert seen == log
    assert [event.position for event in log] == list(range(1, len(log) + 1))


async def test_a_subscriber_waits_for_the_commit_that_is_held_back(pair, runtimes, postgres_url):
    """A later position is never shown first, though the later batch is ready and its replica is asked all the time."""
    held_session, quick = await runtimes.a.session(), await runtimes.b.session()
    stream = pair.admin.b.subscribe(all=True)
    await stream.until(lambda frame: frame.caught_up)
    with connected(postgres_url) as holder, connected(postgres_url) as looking:
        with holder.transaction():
            # The event of this session cannot be inserted before the test lets go: its batch has its position by then.
            holder.execute("LOCK TABLE event IN SHARE MODE")
            first = asyncio.ensure_future(runtimes.a.user(held_session, "first"))

            def is_held() -> bool:
                told = looking.execute(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                    "AND wait_event_type = 'Lock' AND wait_event = 'relation'"
                )
                return bool(told.fetchone()[0] == 1)

            await came(is_held)
            second = asyncio.ensure_future(runtimes.b.user(quick, "second"))
            await came(lambda: looking.execute(WAITING_FOR_THE_POSITION).fetchone()[0] == 1)
            assert not second.done()
        await asyncio.gather(first, second)
    bodies: list[str] = []
    while len(bodies) < 2:
        bodies = [one.body for frame in stream.seen for one in payloads(frame.events, "producer_message_accepted")]
        if len(bodies) < 2:
            await stream.next()
    assert bodies == ["first", "second"]


@pytest.mark.parametrize("overrides", [{"messaging": {"max_inflight_per_pair": 0, "max_pending_per_session": 0x7FFF}}])
async def test_mail_both_ways_between_two_trees_meets_no_deadlock(pair, runtimes, postgres_url):
    """Peer mail and tree mail, from both replicas at once; all of it is accepted, once, and no lock is waited for in a
    circle."""
    door = GrpcDoor()
    roots, children, runs = [], [], []
    for client in runtimes:
        root = await client.session(rules={"child": "allow"}, agent="default")
        roots.append(root)
        children.append(await client.session(root))
        runs.append(await client.run(root))
    everybody = [*roots, *children]
    peers = [await pair.token("peer", *(one.session_id for one in everybody)) for _ in range(4)]
    accepted: list[str] = []
    delivered = 0

    async def write_to_peers(number: int) -> None:
        nonlocal delivered
        for turn in range(25):
            source, target = (0, 1) if (turn + number) % 2 else (1, 0)
            told = await door.broadcast(
                peers[number][turn % 2], roots[source], [roots[target], children[target], children[source]]
            )
            assert [result.error for result in told.results] == [""] * 3
            delivered += 3

    async def write_in_the_tree(number: int) -> None:
        for turn in range(20):
            tree = (turn + number) % 2
            client = runtimes[turn // 2 % 2]
            accepted.append((await client.send(runs[tree], children[tree], tool_call_id=fresh("call"))).message_id)

    work = [write_to_peers(number) for number in range(4)] + [write_in_the_tree(number) for number in range(4)]
    await asyncio.gather(*work)
    log = await pair.admin.a.log(all=True)
    Ledger(log)
    stored = [one.message_id for one in payloads(log, "producer_message_accepted")]
    assert len(stored) == delivered + len(accepted)
    assert set(accepted) <= set(stored)
    with connected(postgres_url) as looking:
        assert looking.execute(DEADLOCKS).fetchone()[0] == 0
