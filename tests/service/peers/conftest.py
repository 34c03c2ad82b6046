"""A server with both doors; each test that takes `door` is tried through each of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from peer_doors import GrpcDoor, HttpDoor

SECOND = 1_000_000


@pytest.fixture
def overrides() -> dict[str, dict[str, Any]]:
    """HTTP too, and a budget that is soon spent where a module says so."""
    return {"http": {"enabled": True}}


@pytest.fixture(params=["grpc", "http"])
async def door(request, server):
    """One of the two ways in."""
    made = GrpcDoor() if request.param == "grpc" else HttpDoor(server.http_address)
    yield made
    await made.close()


@pytest.fixture
async def http(server):
    """The HTTP door alone."""
    made = HttpDoor(server.http_address)
    yield made
    await made.close()


@pytest.fixture
async def scene(server, runtime):
    """Two sessions of different trees, and a token that writes for the first."""
    source, target = await runtime.session(), await runtime.session()
    peer = await server.make_token("peer", source.session_id)
    return SimpleNamespace(source=source, target=target, peer=peer)


@pytest.fixture
def moment(server):
    """The service's clock, held still: `moment.advance(seconds)` moves it."""
    committers = [engine._committer for engine in server.engines]

    class Moment:
        now = committers[0].now()

        def advance(self, seconds: float) -> None:
            self.now += int(seconds * SECOND)

    held = Moment()
    for committer in committers:
        committer.now = lambda: held.now
    return held


@pytest.fixture
def log_of(server):
    """The names of the events of a session, or those of one kind."""

    async def read(session, kind: str = "") -> list[Any]:
        events = await server.admin.log(session_id=session.session_id)
        if not kind:
            return [event.WhichOneof("payload") for event in events]
        return [getattr(event, kind) for event in events if event.HasField(kind)]

    return read
