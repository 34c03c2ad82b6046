"""The Python client with the addresses of both replicas."""

from __future__ import annotations

import threading

import pytest
from kinpost_client import connect
from ledger import came

CALLS = 20


@pytest.fixture
def overrides():
    return {"server": {"health_seconds": 0.5}}


@pytest.mark.parametrize("away", ["a", "b"])
async def test_calls_go_to_the_replica_that_serves(pair, runtimes, away):
    """The other one is reached, and says nothing but that its database does not answer it."""
    served = {"a": pair.b, "b": pair.a}[away]
    hung = {"a": pair.a, "b": pair.b}[away]
    target = f"ipv4:{pair.running.first_address},{pair.b.address}"
    async with connect(target, token=runtimes.a.secret) as client:
        await client.create_session(agent="explore")
        busy = threading.Event()
        hung.engine._committer.gathering.call(busy.wait)

        async def does_not_answer() -> bool:
            return False

        hung.engine.ping = does_not_answer
        hung.transport._health._ping = does_not_answer
        try:
            health = [one.transport._health for one in (hung, served)]
            await came(lambda: [one._serving for one in health] == [False, True])
            for _ in range(3):  # whichever they reach: by now the channel has been told
                await client.create_session(agent="explore")
            taken = hung.transport.door.taken
            for _ in range(CALLS):
                await client.create_session(agent="explore")
            assert hung.transport.door.taken == taken
        finally:
            busy.set()
