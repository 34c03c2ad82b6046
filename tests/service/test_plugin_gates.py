"""Plugins gate tool calls: each call is put before them in order, before it is judged, and once."""

from __future__ import annotations

import asyncio
import json

import grpc
import pytest
from approving import decide, listed
from calls import fresh
from gatekeeper import PATIENT, gated, plugin
from mail import DOORS, PENDING, batch, by_rpc, by_tool, stored, tool, two


@pytest.fixture
def overrides():
    return {"plugins": PATIENT}


@pytest.mark.parametrize("door", DOORS)
async def test_a_plugin_sees_a_send_by_every_door_before_it_is_judged(server, runtime, door):
    """The very arguments that the model gave, even such as will be refused; and it is stored once it may pass."""
    parent, child, run = await two(runtime)
    guard = await plugin(server)
    sending = asyncio.create_task(DOORS[door](runtime, run, child, "", call="the call"))
    asked = await guard.told()
    assert (asked.session_id, asked.root_session_id, asked.run_id) == (
        parent.session_id,
        parent.session_id,
        run.run_id,
    )
    assert (asked.tool_call_id, asked.name) == ("the call", "send_message")
    assert json.loads(asked.arguments_json) == {"to": child.session_id, "body": "", "mode": "steer"}
    await guard.allow(asked)
    assert (await sending).code == "send_message:invalid_body"
    sending = asyncio.create_task(DOORS[door](runtime, run, child, "körper", "queue", call="another"))
    asked = await guard.told()
    assert json.loads(asked.arguments_json) == {"to": child.session_id, "body": "körper", "mode": "queue"}
    assert await stored(runtime, child) == []
    await guard.allow(asked)
    answer = await sending
    (message,) = await stored(runtime, child)
    assert answer.message_id == message.message_id


@pytest.mark.parametrize("door", DOORS)
async def test_a_blocked_send_tells_the_model_why_and_stores_nothing(server, runtime, door):
    _, child, run = await two(runtime)
    guard = await plugin(server)
    sending = asyncio.create_task(DOORS[door](runtime, run, child, call="the call"))
    await guard.block(await guard.told(), "no mail on Sundays")
    answer = await sending
    assert answer.code == "plugin:blocked"
    assert answer.text == "plugin:blocked: plugin guard blocked this call: no mail on Sundays"
    if answer.refusal is not None:
        assert answer.refusal.grpc_code is grpc.StatusCode.PERMISSION_DENIED
    assert await stored(runtime, child) == []
    # The call may be made again: it was not judged, and is put before the plugin anew.
    sending = asyncio.create_task(DOORS[door](runtime, run, child, call="the call"))
    await guard.allow(await guard.told())
    assert (await sending).message_id


@pytest.mark.parametrize("door", DOORS)
async def test_a_replay_is_not_gated_again(server, runtime, door):
    _, child, run = await two(runtime)
    first = await by_rpc(runtime, run, child, call="the call")
    guard = await plugin(server)
    again = await DOORS[door](runtime, run, child, call="the call")
    assert again.message_id == first.message_id
    assert (await DOORS[door](runtime, run, child, "other", call="the call")).code == "idempotency:conflict"
    sending = asyncio.create_task(by_rpc(runtime, run, child, "new"))
    assert json.loads((await guard.told()).arguments_json)["body"] == "new"
    sending.cancel()


async def test_each_send_of_a_batch_is_gated_on_its_own(server, runtime):
    _, child, run = await two(runtime)
    replayed = await by_rpc(runtime, run, child, "old", call="call 0")
    guard = await plugin(server)
    sends = [{"to": child.session_id, "body": "old", "tool_call_id": "call 0"}]
    sends += [{"to": child.session_id, "body": f"body {n}", "tool_call_id": f"call {n}"} for n in range(1, 6)]
    sending = asyncio.create_task(batch(runtime, run, *sends))
    asked = [await guard.told() for _ in range(5)]
    assert [one.tool_call_id for one in asked] == [f"call {n}" for n in range(1, 6)]
    for one in reversed(asked):
        await (guard.block(one, "no") if one.tool_call_id in ("call 2", "call 4") else guard.allow(one))
    answers = await sending
    assert answers[0].message_id == replayed.message_id
    assert [answer.code for answer in answers] == ["", "", "plugin:blocked", "", "plugin:blocked", ""]
    assert [message.body for message in await stored(runtime, child)] == ["old", "body 1", "body 3", "body 5"]


async def test_any_tool_is_put_before_a_plugin_with_what_the_model_wrote(server, runtime):
    _, child, run = await two(runtime)
    guard = await plugin(server)
    calling = asyncio.create_task(tool(runtime, run, "{not json", name="rm_rf"))
    asked = await guard.told()
    assert (asked.name, asked.arguments_json) == ("rm_rf", "{not json")
    await guard.block(asked, "certainly not")
    result = await calling
    assert (result.is_error, result.code) == (True, "plugin:blocked")
    assert result.text.endswith("certainly not")
    calling = asyncio.create_task(tool(runtime, run, {}, name="rm_rf"))
    await guard.allow(await guard.told())
    assert (await calling).code == "tool:unknown"
    # Arguments that are none are no call of send_message yet.
    assert (await tool(runtime, run, {"to": child.session_id})).code == "send_message:invalid_arguments"


@pytest.mark.parametrize("overrides", [{"messaging": {"enabled": False}}], ids=["disabled"])
async def test_what_is_disabled_asks_nobody(server, runtime):
    _, child, run = await two(runtime)
    await plugin(server)
    assert (await by_rpc(runtime, run, child)).code == "send_message:disabled"


async def test_a_plugin_sees_the_tools_that_it_asked_for(server, runtime):
    _, child, run = await two(runtime)
    guard = await plugin(server, "guard", "rm_rf", "format_disk")
    assert (await by_tool(runtime, run, child)).message_id
    calling = asyncio.create_task(tool(runtime, run, {}, name="format_disk"))
    assert (await guard.told()).name == "format_disk"
    calling.cancel()


@pytest.mark.parametrize("overrides", [gated("second, first")], ids=["two configured"])
async def test_plugins_are_asked_in_the_stated_order(server, runtime):
    """Those of the configuration first, as they stand there, then the others by name; who blocks ends it."""
    _, child, run = await two(runtime)
    keepers = {name: await plugin(server, name) for name in ("b-third", "first", "a-third", "second")}
    sending = asyncio.create_task(by_rpc(runtime, run, child))
    order = ["second", "first", "a-third", "b-third"]
    for name in order:
        assert not sending.done()
        await keepers[name].allow(await keepers[name].told())
    assert (await sending).message_id
    sending = asyncio.create_task(by_rpc(runtime, run, child))
    await keepers["second"].allow(await keepers["second"].told())
    await keepers["first"].block(await keepers["first"].told())
    assert (await sending).text == "plugin:blocked: plugin first blocked this call"
    sending = asyncio.create_task(by_rpc(runtime, run, child, call="later"))
    for name in order:
        asked = await keepers[name].told()
        assert asked.tool_call_id == "later"  # the blocked call came to nobody else
        await keepers[name].allow(asked)
    await sending


@pytest.mark.parametrize("door", DOORS)
async def test_a_call_that_waits_for_a_person_is_gated_once(server, runtime, door):
    """The plugin lets it pass, then a person is asked; neither its repeats nor the answer come to the plugin again."""
    parent, child, run = await two(runtime, rules={"child": "ask"})
    guard = await plugin(server)
    sending = asyncio.create_task(DOORS[door](runtime, run, child, call="the call"))
    await guard.allow(await guard.told())
    asked = await sending
    assert asked.code == PENDING
    assert (await DOORS[door](runtime, run, child, call="the call")).approval_id == asked.approval_id
    assert await listed(server.admin, parent) == [asked.approval_id]
    await decide(server.admin, parent, asked.approval_id, "once")
    assert (await DOORS[door](runtime, run, child, call="the call")).message_id
    sending = asyncio.create_task(by_rpc(runtime, run, child, "new", call=fresh("call")))
    assert json.loads((await guard.told()).arguments_json)["body"] == "new"
    sending.cancel()


async def test_a_blocked_call_asks_no_person(server, runtime):
    parent, child, run = await two(runtime, rules={"child": "ask"})
    guard = await plugin(server)
    sending = asyncio.create_task(by_rpc(runtime, run, child))
    await guard.block(await guard.told())
    assert (await sending).code == "plugin:blocked"
    assert await listed(server.admin, parent) == []


async def test_people_and_producers_pass_no_gate(server, runtime):
    """Mail that is no tool call comes to no plugin."""
    _, child, _run = await two(runtime)
    await plugin(server)
    await server.admin.user(child, "from a person")
    sender = await server.make_token("plugin", plugin_name="sender")
    await sender.produce(await sender.register(child), "from a plugin")
    assert len(await stored(server.admin, child)) == 2
