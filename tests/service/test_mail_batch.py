"""Many sends of one run in one call: each is judged and answered on its own, in order."""

from __future__ import annotations

import grpc
import pytest
from mail import MODES, batch, by_rpc, nothing_written, read_all, stored, two
from uuid_utils import uuid4


async def answers(client, run, *sends):
    """Return the results as they are on the wire."""
    response = await client.messaging.BatchSendMessages(session_id=run.session_id, run_id=run.run_id, sends=sends)
    return list(response.results)


async def test_each_is_answered_on_its_own(server, runtime):
    """A refused send neither stops nor changes those beside it; results come in the order of the sends."""
    parent, child, run = await two(runtime)
    idle = await runtime.session(parent)
    mute = await runtime.session(child)
    await runtime.run(child)
    sends = [
        {"to": child.handle, "body": "one"},
        {"to": "nobody_00000000"},
        {"to": idle.session_id, "body": "two", "mode": MODES["queue"]},
        {"to": parent.handle},
        {"to": child.handle, "body": ""},
        {"to": str(uuid4())},
        {"to": mute.handle},
        {"to": child.handle, "body": "three"},
    ]
    told = await batch(runtime, run, *sends)
    assert [answer.code for answer in told] == [
        "",
        "send_message:unknown_reference",
        "",
        "send_message:self_send",
        "send_message:invalid_body",
        "send_message:unknown_session",
        "permission:denied",
        "",
    ]
    assert [a.promise[1:] for a in told if not a.code] == [
        ("steer", "running"),
        ("queue", "queued"),
        ("steer", "running"),
    ]
    assert [m.body for m in await stored(runtime, child)] == ["one", "three"]
    assert [m.message_id for m in await stored(runtime, idle)] == [told[2].message_id]


async def test_the_order_is_the_order_of_delivery(runtime):
    """Mail of one batch to one recipient is read in the order of its sends."""
    _, child, run = await two(runtime)
    told = await batch(runtime, run, *({"to": child.handle, "body": f"body {n}"} for n in range(4)))
    assert await read_all(runtime, child) == [answer.message_id for answer in told]


async def test_a_refusal_says_when_repeating_may_help(runtime):
    """A refusal carries code and text of the single call, and the delay where waiting helps."""
    _, child, run = await two(runtime)
    sends = [{"tool_call_id": f"call {n}", "to": child.handle, "body": "hello"} for n in range(5)]
    *accepted, refusal = await answers(runtime, run, *sends, {"tool_call_id": "self", "to": "x", "body": ""})
    assert [result.WhichOneof("result") for result in accepted] == ["accepted"] * 4 + ["error"]
    assert accepted[-1].error.code == "send_message:inflight_full"
    assert accepted[-1].error.retry_delay.seconds == 1
    assert (refusal.error.code, refusal.error.HasField("retry_delay")) == ("send_message:invalid_body", False)
    single = await by_rpc(runtime, run, child)
    assert accepted[-1].error.message == single.text


@pytest.mark.parametrize("overrides", [{"messaging": {"max_pending_per_session": 2000, "max_inflight_per_pair": 0}}])
async def test_a_thousand(server, runtime, refused):
    """A batch holds one to a thousand sends; none, and one more, is an invalid request."""
    _, child, run = await two(runtime)
    sends = [{"tool_call_id": f"call {n}", "to": child.handle, "body": f"body {n}"} for n in range(1001)]
    told = await batch(runtime, run, *sends[:1000])
    assert len({answer.message_id for answer in told}) == 1000
    assert {answer.code for answer in told} == {""}
    async with nothing_written(server):
        with refused("request:invalid", field="sends"):
            await answers(runtime, run)
        with refused("request:invalid", field="sends"):
            await answers(runtime, run, *sends)
        again = await batch(runtime, run, *sends[:1000])
    assert [a.promise for a in again] == [a.promise for a in told]
    assert {a.replayed for a in again} == {True}
    assert (await runtime.look(child)).pending_count == 1000


async def test_an_invalid_send_makes_the_request_invalid(server, runtime, refused):
    """A send that is not well formed is a fault of the runtime's: it is named by its index, and nothing is sent."""
    _, child, run = await two(runtime)
    good = {"tool_call_id": "good", "to": child.handle, "body": "hello"}
    async with nothing_written(server):
        for field, value in (
            ("tool_call_id", ""),
            ("tool_call_id", "x" * 257),
            ("to", ""),
            ("to", "x" * 257),
            ("mode", 99),
            ("expire_after", {"nanos": 999_999_999}),
            ("supersedes_message_id", "x"),
        ):
            with refused("request:invalid", grpc.StatusCode.INVALID_ARGUMENT, field=f"sends[1].{field}"):
                await answers(runtime, run, good, {**good, "tool_call_id": "bad", field: value})


async def test_what_refuses_the_whole_call(server, runtime, refused):
    """A session that is not the caller's refuses the call; a run that is over refuses each send."""
    _, child, run = await two(runtime)
    stranger = await server.make_token("runtime")
    send = {"tool_call_id": "call", "to": child.handle, "body": "hello"}
    async with nothing_written(server):
        with refused("session:not_found", grpc.StatusCode.NOT_FOUND):
            await answers(stranger, run, send)
    sent = (await batch(runtime, run, send))[0]
    await runtime.finish(run)
    again, new = await batch(runtime, run, send, {**send, "tool_call_id": "new"})
    assert (again.promise, again.replayed) == (sent.promise, True)
    assert new.code == "run:not_active"


async def test_a_batch_in_a_batch_of_others(server, runtime):
    """A rule that asks a person is answered for its own send alone."""
    parent = await runtime.session(rules={"child": "allow", "sibling": "ask"})
    child = await runtime.session(parent, rules={"sibling": "ask", "parent": "allow"})
    sibling = await runtime.session(parent)
    told = await batch(runtime, await runtime.run(child), {"to": sibling.handle}, {"to": parent.handle})
    assert [answer.code for answer in told] == ["approval:pending", ""]


async def test_mail_of_a_batch_wakes_each_recipient_once(runtime):
    """Recipients of a batch are woken once each, however many messages they got."""
    parent, child, run = await two(runtime)
    other = await runtime.session(parent)
    attached = await runtime.attach()
    await batch(runtime, run, *[{"to": child.handle}] * 3, {"to": other.handle})
    offers = [await attached.told("wake_offer") for _ in range(2)]
    assert {(offer.session_id, offer.pending_count) for offer in offers} == {
        (child.session_id, 3),
        (other.session_id, 1),
    }
    attached.cancel()
