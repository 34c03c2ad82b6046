"""Replicas that start together after an outage: leases run only while the service can answer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from ledger import kinds
from postgres_server import connected
from running import LocalServer

SETTINGS: dict[str, Any] = {"delivery": {"sweep_seconds": 0.02}}


@pytest.fixture
async def servers(tmp_path: Path, postgres_url: str, service_log: Any):
    """Two servers that are not started."""
    return [LocalServer(tmp_path / name, SETTINGS, postgres_url) for name in ("one", "other")]


async def test_of_replicas_that_start_together_one_gives_the_leases_anew(servers, postgres_url):
    """The leases lapsed while nobody served, and who started second found somebody who lived: no run is lost by it."""
    one, other = servers
    await one.start()
    runtime = await one.make_token("runtime")
    session = await runtime.session()
    run = await runtime.run(session)
    secret = runtime.secret
    other.folder.mkdir()
    (other.folder / "admin.token").write_text(one.admin_secret)  # as it would have, had it been the first
    for _ in range(3):
        await one.stop()
        with connected(postgres_url) as connection:
            connection.execute("UPDATE run SET lease_expire_time = 1")
            connection.execute("UPDATE session SET due_time = 1 WHERE due_time IS NOT NULL")
        # The engines are told to start in one moment, so that each may see the other before it has done anything.
        await asyncio.gather(one.start(), other.start())
        client = one.client(secret)
        claim = await client.claim(run)
        await client.commit(run, claim)
        assert "run_finished" not in kinds(await client.log(session_id=session.session_id))
        await other.stop()
    await one.stop()
