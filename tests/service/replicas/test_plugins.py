"""A plugin that is attached to one replica gates the calls that reach the other."""

from __future__ import annotations

import asyncio
import json

import pytest
from gatekeeper import Gatekeeper
from ledger import came
from mail import DOORS, by_rpc, stored, two

PATIENT = {"plugins": {"gates": "guard", "intercept_timeout_seconds": 20.0}}
IMPATIENT = {"plugins": {"gates": "guard", "intercept_timeout_seconds": 0.2}}
LENIENT = {"plugins": {"gates": "guard:allow", "intercept_timeout_seconds": 0.2}}


@pytest.fixture
def overrides():
    return PATIENT


@pytest.fixture
async def guard(pair):
    """A plugin that is attached to A."""
    return await Gatekeeper((await pair.token("plugin", plugin_name="guard")).a).begin()


@pytest.mark.parametrize("door", DOORS)
async def test_it_allows_what_is_called_elsewhere(pair, runtimes, guard, door):
    _, child, run = await two(runtimes.b)
    sending = asyncio.create_task(DOORS[door](runtimes.b, run, child, "hello", call="the call"))
    asked = await guard.told()
    assert (asked.run_id, asked.tool_call_id, json.loads(asked.arguments_json)["body"]) == (
        run.run_id,
        "the call",
        "hello",
    )
    assert await stored(runtimes.b, child) == []
    await guard.allow(asked)
    (message,) = [(await sending).message_id]
    assert [one.message_id for one in await stored(runtimes.a, child)] == [message]
    # A replay is not gated again, wherever it is made.
    assert (await DOORS[door](runtimes.a, run, child, "hello", call="the call")).message_id == message


async def test_it_blocks_what_is_called_elsewhere(pair, runtimes, guard):
    _, child, run = await two(runtimes.b)
    sending = asyncio.create_task(by_rpc(runtimes.b, run, child))
    await guard.block(await guard.told(), "no mail on Sundays")
    told = await sending
    assert told.code == "plugin:blocked"
    assert "no mail on Sundays" in told.text
    assert await stored(runtimes.b, child) == []


@pytest.mark.parametrize("overrides", [{**PATIENT, "messaging": {"max_inflight_per_pair": 0}}], ids=["unguarded"])
async def test_many_calls_are_put_before_it_at_once(pair, runtimes, guard):
    _, child, run = await two(runtimes.b)
    sending = [asyncio.create_task(by_rpc(runtimes.b, run, child, str(number))) for number in range(12)]
    asked = [await guard.told() for _ in sending]
    for one in reversed(asked):
        await guard.allow(one)
    told = await asyncio.gather(*sending)
    assert {one.message_id for one in await stored(runtimes.a, child)} == {one.message_id for one in told}


@pytest.mark.parametrize("how", ["the stream is cancelled", "its side ends"])
async def test_one_that_leaves_before_it_answers_has_failed(pair, runtimes, guard, how):
    _, child, run = await two(runtimes.b)
    sending = asyncio.create_task(by_rpc(runtimes.b, run, child))
    await guard.told()
    if how == "its side ends":
        await guard.call.done_writing()
    else:
        guard.cancel()
    assert (await sending).code == "plugin:no_answer"
    assert await stored(runtimes.b, child) == []


@pytest.mark.parametrize("overrides", [IMPATIENT, LENIENT], ids=["block", "allow"])
async def test_one_that_hangs_counts_as_its_gate_says(pair, runtimes, guard, overrides):
    _, child, run = await two(runtimes.b)
    told = await by_rpc(runtimes.b, run, child)
    assert told.code == ("" if overrides is LENIENT else "plugin:no_answer")
    judging = pair.a.engine._follower._gates._judging
    await came(lambda: not judging)  # nothing of it is kept


async def test_one_that_is_nowhere_counts_as_not_attached(pair, runtimes):
    _, child, run = await two(runtimes.b)
    assert (await by_rpc(runtimes.b, run, child)).code == "plugin:no_answer"
    guard = await Gatekeeper((await pair.token("plugin", plugin_name="guard")).a).begin()
    sending = asyncio.create_task(by_rpc(runtimes.b, run, child))
    await guard.allow(await guard.told())
    assert (await sending).code == ""


@pytest.mark.parametrize("overrides", [{}], ids=["not configured"])
async def test_one_that_is_not_configured_gates_everywhere_once_it_is_attached(pair, runtimes):
    _, child, run = await two(runtimes.b)
    guard = await Gatekeeper((await pair.token("plugin", plugin_name="new")).a).begin("send_message")
    sending = asyncio.create_task(by_rpc(runtimes.b, run, child))
    await guard.allow(await guard.told())
    assert (await sending).code == ""
