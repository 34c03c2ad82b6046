"""What is answered is let go of at once: a refusal keeps neither its request nor its batch in memory."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import grpc
import pytest
from calls import read_refusal
from kinpost_server.engine.command import Command
from ledger import came
from running import LocalServer


@pytest.fixture
async def server(tmp_path: Path, storage_url: str) -> AsyncIterator[LocalServer]:
    """A server in this process, whose memory can be looked into."""
    made = LocalServer(tmp_path / "data", {"producers": {"pending_per_session_max": 5}}, storage_url)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
def without_collector() -> Iterator[None]:
    """Memory that only reference counting gives back: the collector may come late."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


async def test_refused_requests_are_gone_when_they_are_answered(server: LocalServer, without_collector: None) -> None:
    admin = server.admin
    session = await admin.session()
    run = await admin.run(session)
    codes: list[str] = []

    async def refused(call: object) -> None:
        try:
            await call
        except grpc.aio.AioRpcError as error:
            codes.append(read_refusal(error).code)

    for _ in range(20):
        await refused(admin.user(session, "x" * 300_000))
        await refused(admin.user(session))
        await refused(admin.send(run, session))
        await refused(admin.claim(run, commit_claim_seq=700))
    assert sorted(set(codes)) == ["claim:lost", "producer:inbox_full", "request:invalid", "send_message:self_send"]

    def are_gone() -> bool:
        commands = [kept for kept in gc.get_objects() if isinstance(kept, Command)]
        return not any(getattr(command, "session_id", "") == session.session_id for command in commands)

    # The committer lets go of its batch when it has answered; what is kept for good never goes, without a collector.
    await came(are_gone)
