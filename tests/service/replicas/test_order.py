"""The order of positions, and of locks, where two replicas write at once."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Iterator
from typing import Any, Self

import pytest
from calls import CALL_SECONDS, Stream, fresh
from ledger import Ledger, came, payloads
from peer_doors import GrpcDoor
from postgres_server import connected
from psycopg.errors import DeadlockDetected
from running import LocalServer

WAITING_FOR_THE_POSITION = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event IN ('tuple', 'transactionid')
"""
WRITING_SECONDS = 15


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


class HeldCommit:
    """A replica's next batch is written as a whole, and its COMMIT not sent before the test lets go of it."""

    def __init__(self, server: LocalServer) -> None:
        self.is_held = threading.Event()
        self._let_go = threading.Event()
        self._connection = server.opened.store._transaction._connection

    def __enter__(self) -> Self:
        execute = self._connection.execute

        def hold(sql: str, *parameters: object) -> object:
            if sql == "COMMIT":
                # The database ends who is silent for long within a transaction.
                self._connection.execute_plainly("SET LOCAL idle_in_transaction_session_timeout = 0")
                self.is_held.set()
                self._let_go.wait(CALL_SECONDS)
            return execute(sql, *parameters)

        self._connection.execute = hold
        return self

    def __exit__(self, *_why: object) -> None:
        self._let_go.set()
        del self._connection.execute


async def seen_by(stream: Stream, count: int) -> list[Any]:
    """Return all events that a subscriber has been sent, once there are so many."""
    while len(seen := [event for frame in stream.seen for event in frame.events]) < count:
        await stream.next()
    return seen


@pytest.mark.parametrize(
    "overrides", [{"storage": {"busy_timeout_seconds": CALL_SECONDS}, "events": {"heartbeat_seconds": 0.05}}]
)
async def test_nobody_sees_what_comes_after_a_commit_that_is_held_back(pair, runtimes, postgres_url):
    """The later batch is ready, and its replica is asked all the time: neither the log, nor who subscribes, nor any
    cursor goes on before the earlier one is stored, and then both come in their order."""
    sessions = [await client.session() for client in runtimes]
    before = await pair.admin.b.events.ListEvents(all=True)
    streams = [client.subscribe(all=True) for client in pair.admin]
    for stream in streams:
        assert await seen_by(stream, len(before.events)) == list(before.events)
    with HeldCommit(pair.a) as commit, connected(postgres_url) as looking:
        first = asyncio.ensure_future(runtimes.a.user(sessions[0], "first"))
        await came(commit.is_held.is_set)
        second = asyncio.ensure_future(runtimes.b.user(sessions[1], "second"))
        await came(lambda: second.done() or looking.execute(WAITING_FOR_THE_POSITION).fetchone()[0] == 1)
        for client, server in zip(pair.admin, (pair.a, pair.b), strict=True):
            assert await client.events.ListEvents(all=True) == before
            await server.engine._follower.catch_up()
            hub = server.engine._hub
            assert hub.last_position == before.events[-1].position
            assert max(place.position for place in hub._places.values()) == hub.last_position
            late = client.subscribe(all=True)
            frame = await late.until(lambda frame: frame.heartbeat)
            assert (await seen_by(late, 0), frame.cursor) == (list(before.events), before.cursor)
        for stream in streams:
            frame = await stream.until(lambda frame: frame.heartbeat)
            assert (await seen_by(stream, 0), frame.cursor) == (list(before.events), before.cursor)
        assert not first.done()
        assert not second.done()
    await asyncio.gather(first, second)
    log = await pair.admin.a.log(all=True)
    assert [one.body for one in payloads(log, "producer_message_accepted")] == ["first", "second"]
    for stream in streams:
        assert await seen_by(stream, len(log)) == log


@pytest.fixture
def deadlocks(monkeypatch) -> list[object]:
    """Those that the database told this process of, both replicas' and the test's own: the store tries again by itself.

    The database's own count is written down late.
    """
    met: list[object] = []
    make = DeadlockDetected.__init__

    def count(error: DeadlockDetected, *arguments: object, **fields: object) -> None:
        met.append(arguments)
        make(error, *arguments, **fields)

    monkeypatch.setattr(DeadlockDetected, "__init__", count)
    return met


async def test_a_deadlock_would_be_counted(deadlocks, postgres_url):
    with connected(postgres_url) as one, connected(postgres_url) as other:
        for number, connection in enumerate((one, other)):
            connection.execute("BEGIN")
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [number])
        told = await asyncio.gather(
            asyncio.to_thread(one.execute, "SELECT pg_advisory_xact_lock(1)"),
            asyncio.to_thread(other.execute, "SELECT pg_advisory_xact_lock(0)"),
            return_exceptions=True,
        )
    assert len(deadlocks) == len([each for each in told if isinstance(each, DeadlockDetected)]) == 1


@pytest.mark.parametrize(
    "overrides",
    [
        {
            "messaging": {"max_inflight_per_pair": 0, "max_pending_per_session": 0x7FFF},
            "peer": {"calls_max": 1_000_000},
            "producers": {"pending_per_session_max": 1_000_000},  # of other mail than agents'
        }
    ],
)
async def test_mail_both_ways_between_two_trees_meets_no_deadlock(pair, runtimes, deadlocks):
    """Peer mail and tree mail, from both replicas at once, for a while; all of it is accepted, once, and no lock is
    waited for in a circle."""
    loop = asyncio.get_running_loop()
    end_time = loop.time() + WRITING_SECONDS
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

    def turns() -> Iterator[int]:
        return itertools.takewhile(lambda _turn: loop.time() < end_time, itertools.count())

    async def write_to_peers(number: int) -> None:
        nonlocal delivered
        for turn in turns():
            source, target = (0, 1) if (turn + number) % 2 else (1, 0)
            told = await door.broadcast(
                peers[number][turn % 2], roots[source], [roots[target], children[target], children[source]]
            )
            assert [result.error for result in told.results] == [""] * 3
            delivered += 3

    async def write_in_the_tree(number: int) -> None:
        for turn in turns():
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
    assert deadlocks == []
