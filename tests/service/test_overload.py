"""More callers than the server takes: it says so at once, keeps what it accepted, and is well again."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter

import grpc
import pytest
from calls import fresh, read_refusal


@pytest.mark.parametrize("overrides", [{"server": {"request_bytes_max": 1 << 20, "requests_bytes_max": 4 << 20}}])
async def test_a_token_that_fills_its_share_leaves_others_theirs(server):
    """All that it sends stays with the service, which is busy; what it sends more is refused."""
    admin, runtime = server.admin, await server.make_token("runtime")
    session = await runtime.session()
    busy = threading.Event()
    for engine in server.engines:
        engine._committer.gathering.call(busy.wait)
    try:
        share = 17 * len(server.engines)  # of a MiB at each
        sending = [asyncio.create_task(admin.user(session, "x" * 60_000)) for _ in range(40)]
        refused: list[str] = []
        for each in asyncio.as_completed(sending):
            try:
                await each
            except grpc.aio.AioRpcError as error:
                refused.append(read_refusal(error).code)
            if len(refused) == 40 - share:
                break
        others = asyncio.create_task(runtime.session(description="x" * 1000))
        done, _ = await asyncio.wait({others, *sending}, timeout=0.2, return_when=asyncio.FIRST_EXCEPTION)
        assert others not in done
    finally:
        busy.set()
    assert (await others).session_id
    answers = await asyncio.gather(*sending, return_exceptions=True)
    assert sum(not isinstance(answer, Exception) for answer in answers) == share
    assert set(refused) == {"server:overloaded"}


@pytest.mark.parametrize("overrides", [{"server": {"queue_commands_max": 4, "batch_commands_max": 2}}])
async def test_a_full_queue_turns_callers_away_at_once(server):
    admin = server.admin
    sessions = [await admin.session() for _ in range(4)]
    answers: Counter[str] = Counter()

    async def send(number: int) -> None:
        try:
            await admin.user(sessions[number % 4], fresh("body"))
        except grpc.aio.AioRpcError as error:
            told = read_refusal(error)
            answers[told.code, told.grpc_code, told.retry_seconds] += 1
        else:
            answers["accepted"] += 1

    await asyncio.gather(*(send(number) for number in range(400)))
    accepted = answers.pop("accepted")
    assert accepted > 0
    assert set(answers) == {("server:overloaded", grpc.StatusCode.RESOURCE_EXHAUSTED, 0.5)}
    kinds = Counter(event.WhichOneof("payload") for event in await admin.log(all=True))
    assert kinds["producer_message_accepted"] == accepted
    await admin.user(sessions[0])
