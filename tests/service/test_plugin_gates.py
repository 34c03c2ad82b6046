"""Plugins gate tool calls: each call is put before them in order, before it is judged, and once."""

from __future__ import annotations

import asyncio
import json

import grpc
import pytest
from approving import decide, listed
from by_hand import rows_by_hand
from calls import fresh
from gatekeeper import Gatekeeper
from ledger import came
from mail import DOORS, PENDING, batch, by_rpc, by_tool, stored, tool, two

PATIENT = {"intercept_timeout_seconds": 60.0}
PROMPT = {"intercept_timeout_seconds": 5.0}


@pytest.fixture
def overrides():
    return {"plugins": PATIENT}


def gated(gates: str, **more: object) -> dict[str, dict[str, object]]:
    return {"plugins": {"gates": gates, **PATIENT, **more}}


async def let_go(server, count: int) -> None:
    """Return when no more than so many streams of plugins are known, by whichever replica."""
    query = "SELECT count(*) FROM gate_stream"
    await came(lambda: len(server.engines) == 1 or rows_by_hand(server.database, query)[0][0] <= count)


async def plugin(server, name: str = "guard", *tool_names: str) -> Gatekeeper:
    """Attach a plugin."""
    return await Gatekeeper(await server.make_token("plugin", plugin_name=name)).begin(*tool_names)


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


FAILURES = [("guard", "plugin:no_answer"), ("guard:block", "plugin:no_answer"), ("guard:allow", "")]


@pytest.mark.parametrize("overrides, code", [(gated(gates, **PROMPT), code) for gates, code in FAILURES], ids=str)
class TestFailures:
    """What counts when a plugin of the configuration does not answer."""

    async def test_not_attached(self, server, runtime, code):
        _, child, run = await two(runtime)
        answer = await by_rpc(runtime, run, child)
        assert answer.code == code
        if code:
            assert answer.refusal is not None
            assert answer.refusal.grpc_code is grpc.StatusCode.UNAVAILABLE
            assert answer.refusal.retry_seconds
            assert "is not attached" in answer.text
        assert len(await stored(runtime, child)) == (0 if code else 1)

    async def test_hangs(self, server, runtime, code):
        _, child, run = await two(runtime)
        guard = await plugin(server)
        sending = asyncio.create_task(by_rpc(runtime, run, child))
        asked = await guard.told()
        answer = await sending
        assert answer.code == code
        assert not code or "did not answer within 5 seconds" in answer.text
        # What comes too late changes nothing, and is no fault.
        await guard.allow(asked)
        passed = False
        telling: asyncio.Task | None = None
        async with asyncio.timeout(100):
            while not passed:  # on a slow machine the next answer may be late as well, or the question
                sending = asyncio.create_task(by_rpc(runtime, run, child, "next"))
                telling = telling or asyncio.create_task(guard.told())
                await asyncio.wait((sending, telling), return_when=asyncio.FIRST_COMPLETED)
                if telling.done():
                    await guard.allow(telling.result())
                    telling = None
                passed = (await sending).code == ""
        guard.cancel()
        if telling is not None:
            telling.cancel()
            await asyncio.wait((telling,))

    async def test_dies_in_the_middle(self, server, runtime, code):
        _, child, run = await two(runtime)
        guard = await plugin(server)
        sending = asyncio.create_task(by_rpc(runtime, run, child))
        await guard.told()
        guard.cancel()
        answer = await sending
        assert answer.code == code
        assert len(await stored(runtime, child)) == (0 if code else 1)

    async def test_reads_nothing(self, server, runtime, code):
        """Nothing is kept for it once nobody waits for its answer."""
        _, child, run = await two(runtime)
        await plugin(server)
        answers = await asyncio.gather(*(by_rpc(runtime, run, child, "x" * 20_000) for _ in range(4)))
        assert {answer.code for answer in answers} == {code}
        (attached,) = [one for engine in server.engines for one in engine.gates._attached.get("guard", ())]
        assert (attached._unsent, attached._waiting) == ({}, {})

    async def test_its_token_is_revoked(self, server, runtime, refused, code):
        _, child, run = await two(runtime)
        client = await server.make_token("plugin", plugin_name="guard")
        guard = await Gatekeeper(client).begin()
        await server.revoke(client.token_id)
        assert (await by_rpc(runtime, run, child)).code == code
        with refused("auth:unauthenticated"):
            await guard.status()


async def test_who_is_not_configured_gates_only_while_attached(server, runtime):
    _, child, run = await two(runtime)
    guard = await plugin(server)
    sending = asyncio.create_task(by_rpc(runtime, run, child))
    await guard.told()
    guard.cancel()
    assert (await sending).code == "plugin:no_answer"
    await let_go(server, 0)
    assert (await by_rpc(runtime, run, child)).message_id


async def test_of_two_streams_of_a_plugin_the_newest_is_asked(server, runtime):
    _, child, run = await two(runtime)
    client = await server.make_token("plugin", plugin_name="guard")
    old = await Gatekeeper(client).begin()
    new = await Gatekeeper(client).begin()
    sending = asyncio.create_task(by_rpc(runtime, run, child))
    await new.allow(await new.told())
    assert (await sending).message_id
    sending = asyncio.create_task(by_rpc(runtime, run, child))
    await new.told()
    new.cancel()
    assert (await sending).code == "plugin:no_answer"
    await let_go(server, 1)
    sending = asyncio.create_task(by_rpc(runtime, run, child))
    await old.allow(await old.told())
    assert (await sending).message_id


@pytest.mark.parametrize(
    "verdicts, field",
    [
        ([{"intercept_id": "made-up.1", "decision": 1}], "verdict.intercept_id"),
        ([{"intercept_id": "{tag}.99999999999999999999999", "decision": 1}], "verdict.intercept_id"),
        ([{"intercept_id": "{tag}.-1", "decision": 1}], "verdict.intercept_id"),
        ([{"intercept_id": "{tag}.", "decision": 1}], "verdict.intercept_id"),
        ([{"intercept_id": "", "decision": 1}], "verdict.intercept_id"),
        ([{"intercept_id": "x" * 129, "decision": 1}], "verdict.intercept_id"),
        ([{"intercept_id": "{id}"}], "verdict.decision"),
        ([{"intercept_id": "{id}", "decision": 77}], "verdict.decision"),
        ([{"intercept_id": "{id}", "decision": 1, "reason": "fine"}], "verdict.reason"),
        ([{"intercept_id": "{id}", "decision": 2, "reason": "x" * 1025}], "verdict.reason"),
        ([None], "verdict"),
    ],
    ids=str,
)
async def test_a_plugin_that_answers_nonsense_is_cut_off(server, runtime, refused, verdicts, field):
    """The call that waits for it counts as not answered; the service goes on."""
    _, child, run = await two(runtime)
    guard = await plugin(server)
    sending = asyncio.create_task(by_rpc(runtime, run, child))
    asked = await guard.told()
    names = {"id": asked.intercept_id, "tag": asked.intercept_id.rpartition(".")[0]}
    for verdict in verdicts:
        if verdict is None:
            await guard.write()
        else:
            await guard.verdict(**{**verdict, "intercept_id": verdict["intercept_id"].format(**names)})
    with refused("request:invalid", field=field):
        await guard.status()
    assert (await sending).code == "plugin:no_answer"
    await let_go(server, 0)
    assert (await by_rpc(runtime, run, child)).message_id


async def test_a_flood_of_verdicts_changes_nothing(server, runtime):
    """The first counts, however many follow; and others are served meanwhile."""
    _, child, run = await two(runtime)
    guard = await plugin(server)
    sending = asyncio.create_task(by_rpc(runtime, run, child))
    asked = await guard.told()
    await guard.allow(asked)
    for _ in range(2000):
        await guard.block(asked, "x" * 1000)
    assert (await sending).message_id
    sending = asyncio.create_task(by_rpc(runtime, run, child))
    await guard.allow(await guard.told())
    assert (await sending).message_id


@pytest.mark.parametrize(
    "first, field",
    [
        ({}, "filter"),
        ({"verdict": {"intercept_id": "a.1", "decision": 1}}, "filter"),
        ({"filter": {"tool_names": ["x"] * 101}}, "filter.tool_names"),
        ({"filter": {"tool_names": ["fine", ""]}}, "filter.tool_names[1]"),
        ({"filter": {"tool_names": ["x" * 129]}}, "filter.tool_names[0]"),
    ],
    ids=str,
)
async def test_a_beginning_that_is_none_is_refused(server, refused, first, field):
    guard = Gatekeeper(await server.make_token("plugin", plugin_name="guard"))
    await guard.write(**first)
    with refused("request:invalid", field=field):
        await guard.status()
    assert not any(engine.gates._attached for engine in server.engines)


@pytest.mark.parametrize("kind", ["admin", "runtime", "session", "observer", "approver", "peer"])
async def test_only_a_plugin_may_gate(server, refused, kind):
    bound = [(await server.admin.session()).session_id] if kind in ("session", "peer") else []
    guard = Gatekeeper(await server.make_token(kind, *bound))
    await guard.write(filter={})
    with refused("auth:forbidden"):
        await guard.status()


async def test_a_caller_who_leaves_at_the_gate_sends_nothing(server, runtime):
    _, child, run = await two(runtime)
    guard = await plugin(server)
    before = server.calls
    sending = asyncio.create_task(runtime.send(run, child, tool_call_id="the call"))
    asked = await guard.told()
    sending.cancel()
    await asyncio.wait([sending])
    await came(lambda: server.calls == before)  # it has left, and is not only on its way out
    await guard.allow(asked)
    sending = asyncio.create_task(by_rpc(runtime, run, child, call="the call"))
    await guard.allow(await guard.told())
    assert (await sending).message_id
    assert len(await stored(runtime, child)) == 1


async def test_a_plugin_that_has_no_more_to_say_is_let_go_and_comes_again(server, runtime):
    _, child, run = await two(runtime)
    guard = await plugin(server)
    await guard.call.done_writing()
    await guard.status()
    assert (await by_rpc(runtime, run, child)).message_id
    guard = await plugin(server)
    sending = asyncio.create_task(by_rpc(runtime, run, child))
    await guard.allow(await guard.told())
    assert (await sending).message_id


async def test_a_shutdown_ends_its_stream_and_says_why(server, runtime, refused):
    _, child, run = await two(runtime)
    guard = await plugin(server)
    sending = asyncio.create_task(by_rpc(runtime, run, child))
    await guard.told()
    for engine in server.engines:
        engine.begin_shutdown()
    with refused("server:shutting_down"):
        await guard.status()
    assert (await sending).code in ("plugin:no_answer", "send_message:engine_shutdown")


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
