"""Commands in one batch, in a given order; and the end of a race, when all mail is run down."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from calls import Client, fresh
from grpc.aio import AioRpcError
from kinpost.v1 import run_pb2, session_pb2
from ledger import came
from running import LocalServer


async def in_one_batch(server: LocalServer, *calls: Coroutine[Any, Any, Any]) -> list[Any]:
    """Have calls decided in one batch, in their order; return answers and errors. Each must be a single command.

    The committer of the server, which runs in this process, is held until all of them wait.
    """
    committer = server.engine._committer
    held, gate = threading.Event(), threading.Event()

    def hold() -> None:
        held.set()
        gate.wait()

    committer.gathering.call(hold)
    tasks: list[asyncio.Task[Any]] = []
    try:
        await came(held.is_set)  # or it would gather the first of them with this
        for call in calls:
            before = committer.waiting
            task = asyncio.ensure_future(call)
            tasks.append(task)
            await came(lambda before=before, task=task: committer.waiting > before or task.done())
        server.engine._hand_over()  # the last ones, which the loop would hand over in its next round
    finally:
        gate.set()
    return await asyncio.gather(*tasks, return_exceptions=True)


@contextmanager
def _may_have_lapsed() -> Iterator[None]:
    """Where leases are short on purpose, one may lapse before its run is ended."""
    try:
        yield
    except AioRpcError as error:
        if not (error.details() or "").startswith("run:lease_lost"):
            raise


async def drain(client: Client, *sessions: Any) -> None:
    """Open each session, end what runs, and run it until it has no mail left."""
    for session in sessions:
        own = {"session_id": session.session_id}
        look = (await client.sessions.SetAvailability(**own, availability=session_pb2.AVAILABILITY_OPEN)).session
        if look.HasField("active_run_id"):
            with _may_have_lapsed():
                await client.runs.FinishRun(**own, run_id=look.active_run_id, outcome=run_pb2.RUN_STATE_FAILED)
        while (await client.look(session)).pending_count:
            started = await client.start(session, attempt_id=fresh("attempt"))
            with _may_have_lapsed():
                await client.finish(started.run, commit_claim_seq=started.claim.claim_seq)
