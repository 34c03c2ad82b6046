"""Two servers on one PostgreSQL database, and clients that say which of them a call goes to.

They look for news so rarely that only hints can be in time; a test of lost hints replaces `poll_seconds`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from calls import Client
from running import LocalServer, Replicas

POLL_SECONDS_MAX = 60.0


class At(NamedTuple):
    """One token's clients: `a` calls the one replica, `b` the other."""

    a: Client
    b: Client


class Pair:
    """Two replicas."""

    def __init__(self, running: Replicas) -> None:
        self.running = running
        self.a: LocalServer = running
        self.b: LocalServer = running.second
        self.admin = self.both(running.admin)
        running.admin = self.admin.a  # so that tokens are made at A

    def both(self, client: Client) -> At:
        """Return this token's clients."""
        addresses = (self.running.first_address, self.b.address)
        found = [Client(address, client.secret, client.token_id) for address in addresses]
        self.running.clients += found
        return At(*found)

    async def token(self, kind: str, *session_ids: str, **fields: Any) -> At:
        """Make a token at A, and return its clients."""
        return self.both(await self.running.make_token(kind, *session_ids, **fields))


@pytest.fixture
def poll_seconds() -> float:
    """How often the replicas look without being told."""
    return POLL_SECONDS_MAX


@pytest.fixture
async def pair(
    tmp_path: Path, overrides: dict[str, Any], service_log: Any, postgres_url: str, poll_seconds: float
) -> AsyncIterator[Pair]:
    """Two replicas in this process."""
    settings = {**overrides, "events": {"poll_seconds": poll_seconds, **overrides.get("events", {})}}
    made = Replicas(tmp_path / "data", settings, postgres_url)
    await made.start()
    yield Pair(made)
    await made.stop()


@pytest.fixture
async def runtimes(pair: Pair) -> At:
    """A runtime's token at both."""
    return await pair.token("runtime")


@pytest.fixture
def unheard(pair: Pair) -> None:
    """Neither replica tells the other anything."""
    for server in (pair.a, pair.b):
        server.engine._replicas.tell = lambda _news: None
