"""Plugins come, go, hang and say nonsense: what counts of the calls that wait for them, and who may gate at all."""

from __future__ import annotations

import asyncio

import grpc
import pytest
from by_hand import rows_by_hand
from gatekeeper import PATIENT, Gatekeeper, gated, plugin
from ledger import came
from mail import by_rpc, stored, two

PROMPT = {"intercept_timeout_seconds": 5.0}


@pytest.fixture
def overrides():
    return {"plugins": PATIENT}


async def let_go(server, count: int) -> None:
    """Return when no more than so many streams of plugins are known, by whichever replica."""
    query = "SELECT count(*) FROM gate_stream"
    await came(lambda: len(server.engines) == 1 or rows_by_hand(server.database, query)[0][0] <= count)


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

    async def test_reads_nothing(self, server, runtime, code):
        """Nothing is kept for it once nobody waits for its answer."""
        _, child, run = await two(runtime)
        guard = await plugin(server)
        answers = await asyncio.gather(*(by_rpc(runtime, run, child, "x" * 20_000) for _ in range(4)))
        assert {answer.code for answer in answers} == {code}
        (attached,) = [one for engine in server.engines for one in engine.gates._attached.get("guard", ())]
        # A replica that asked for another lets go by its own clock.
        await came(lambda: (attached._unsent, attached._waiting) == ({}, {}))
        guard.cancel()


@pytest.mark.parametrize("overrides, code", [(gated(gates), code) for gates, code in FAILURES], ids=str)
class TestEndings:
    """What counts when a plugin of the configuration goes while it is asked."""

    async def test_dies_in_the_middle(self, server, runtime, code):
        _, child, run = await two(runtime)
        guard = await plugin(server)
        sending = asyncio.create_task(by_rpc(runtime, run, child))
        await guard.told()
        guard.cancel()
        answer = await sending
        assert answer.code == code
        assert len(await stored(runtime, child)) == (0 if code else 1)

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
