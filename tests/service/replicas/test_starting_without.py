"""A server whose database goes away while it starts says so, and ends as one that never had it."""

from __future__ import annotations

import pytest
from kinpost_server.domain.errors import StorageUnavailable
from kinpost_server.engine.ports import StoreFailed
from running import LocalServer


async def test_a_database_that_goes_away_while_a_replica_starts_is_a_store_that_failed(
    tmp_path, postgres_url, monkeypatch
):
    server = LocalServer(tmp_path / "data", {}, postgres_url)

    async def away(_self):
        raise StorageUnavailable(retry_after_seconds=1.0) from StoreFailed("the line went dead")

    monkeypatch.setattr("kinpost_server.engine.follow.Follower.look_for_tokens", away)
    monkeypatch.setattr("kinpost_server.engine.follow.Follower._take_tokens", away)
    with pytest.raises(StoreFailed, match="the line went dead"):
        await server.start()
