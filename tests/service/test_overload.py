"""More callers than the server takes: it says so at once, keeps what it accepted, and is well again."""

from __future__ import annotations

import asyncio
from collections import Counter

import grpc
import pytest
from calls import fresh, read_refusal


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
