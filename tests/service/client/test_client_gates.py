"""A plugin's gate through the client: it judges, it is opened again, and it says what ended it."""

from __future__ import annotations

import asyncio

import pytest
from gatekeeper import PATIENT
from kinpost_client import Client, GatedCall, Retry
from kinpost_client.errors import Forbidden, InvalidRequest, PluginBlocked, PluginFailed
from ledger import came


@pytest.fixture
def overrides():
    return {"plugins": PATIENT}


@pytest.fixture
async def secret(tree):
    return (await tree.admin.tokens.create("plugin", plugin_name="guard")).secret


@pytest.fixture
async def plugin(server, link, secret) -> Client:
    return await link(server.address, secret)


@pytest.fixture
async def run(tree, runtime):
    """The parent's active run."""
    async with runtime.start(tree.parent.session_id) as run:
        yield run


async def test_a_gate_lets_pass_or_blocks_with_its_reason(tree, server, plugin, run):
    seen: list[GatedCall] = []

    async def judge(call: GatedCall) -> str | None:
        seen.append(call)
        return "not this" if "secret" in call.arguments_json else None

    async with plugin.gate(judge, "send_message"):
        await run.send(tree.child.session_id, "fine")
        with pytest.raises(PluginBlocked, match="plugin guard blocked this call: not this"):
            await run.send(tree.child.session_id, "a secret")
    await came(lambda: not server.engine.gates.here())  # a call that meets one who leaves is blocked
    await run.send(tree.child.session_id, "a secret")
    assert [call.name for call in seen] == ["send_message"] * 2
    assert seen[0].session_id == tree.parent.session_id


async def test_calls_are_judged_side_by_side(tree, plugin, run):
    """And answered at the same moment, which is one message after the other on the wire."""
    all_of_them = asyncio.Barrier(16)

    async def judge(_call: GatedCall) -> str | None:
        await all_of_them.wait()
        return "no"

    async def blocked(number: int) -> None:
        with pytest.raises(PluginBlocked):
            await run.send(tree.child.session_id, f"{number}")

    async with plugin.gate(judge):
        for _ in range(5):
            await asyncio.gather(*map(blocked, range(16)))


@pytest.mark.parametrize("overrides", [{"plugins": {"intercept_timeout_seconds": 2.0}}])
async def test_a_judge_that_raises_answers_nothing(tree, plugin, run, caplog):
    async def judge(_call: GatedCall) -> str | None:
        raise RuntimeError("out of order")

    async with plugin.gate(judge):
        with pytest.raises(PluginFailed):
            await run.send(tree.child.session_id, "hello")
        await came(lambda: "a tool call was not judged" in caplog.text)


async def test_a_broken_stream_is_opened_again(tree, server, wire_to, link, secret, run):
    """While it is away nobody gates, since no configuration names it; then it judges again."""
    wire = await wire_to(server.address)

    async def judge(call: GatedCall) -> str | None:
        return "blocked" if "last" in call.arguments_json else None

    async with (await link(wire.address, secret)).gate(judge) as gate:
        await run.send(tree.child.session_id, "hello")
        cut = set(server.engine.gates.here())
        wire.cut()
        await came(lambda: set(server.engine.gates.here()) - cut)
        assert 2 <= wire.opened < 10
        with pytest.raises(PluginBlocked):
            await run.send(tree.child.session_id, "last")
        assert gate.failure is None


async def test_who_may_not_gate_or_asks_for_nonsense_hears_so(tree, plugin):
    async def judge(_call: GatedCall) -> str | None:
        return None

    with pytest.raises(Forbidden):
        async with tree.host.gate(judge):
            pass
    with pytest.raises(InvalidRequest):
        async with plugin.gate(judge, *(["tool"] * 101)):
            pass


# No heartbeat comes in between that would end the gate before a call is put before it.
@pytest.mark.parametrize("overrides", [{"plugins": PATIENT, "delivery": {"heartbeat_seconds": 59.0}}])
async def test_a_revoked_token_ends_the_gate(tree, plugin, run):
    async def judge(_call: GatedCall) -> str | None:
        return None

    async with plugin.gate(judge) as gate:
        tokens = [token async for token in tree.admin.tokens.list()]
        (token,) = [token for token in tokens if token.plugin_name == "guard"]
        await tree.admin.tokens.revoke(token.token_id)
        with pytest.raises(PluginFailed):
            await run.send(tree.child.session_id, "hello")
        await asyncio.wait([gate._task])
        assert gate.failure is not None
        assert gate.failure.code == "auth:unauthenticated"


async def test_a_gate_is_entered_by_who_repeats_nothing(server, link, secret):
    impatient = await link(server.address, secret, retry=Retry(give_up_seconds=0))
    async with impatient.gate(lambda _call: None):
        pass
