"""A message that takes the place of an earlier one of the same sender to the same recipient."""

from __future__ import annotations

import grpc
import pytest
from mail import advance, batch, by_batch, by_rpc, nothing_written, payloads, read_all, stored, two
from uuid_utils import uuid4

SUPERSEDED = 4


async def replaced(runtime, session) -> list[tuple[str, str]]:
    """Return what was discarded as superseded, and by what; nothing may be discarded for another reason."""
    found = await payloads(runtime, session, "producer_message_discarded")
    assert {p.reason for p in found} <= {SUPERSEDED}
    return [(p.message_id, p.superseded_by_message_id) for p in found]


@pytest.mark.parametrize("door", [by_rpc, by_batch])
async def test_a_waiting_message_is_replaced(runtime, door):
    """The earlier message is discarded in the step that accepts the later one, which is all that is delivered."""
    parent, child, run = await two(runtime)
    first = await by_rpc(runtime, run, child, "at ten")
    between = await by_rpc(runtime, run, child, "bring pens")
    second = await door(runtime, run, child, "at eleven", supersedes_message_id=first.message_id)
    assert await replaced(runtime, child) == [(first.message_id, second.message_id)]
    assert (await stored(runtime, child))[-1].supersedes_message_id == first.message_id
    assert await read_all(runtime, child) == [between.message_id, second.message_id]
    assert await payloads(runtime, parent, "sent_message_undeliverable") == []  # it was the sender's own doing


@pytest.mark.parametrize("overrides", [{"messaging": {"max_pending_per_session": 2, "max_inflight_per_pair": 0}}])
async def test_its_slot_in_the_inbox_is_free_before_the_cap_is_judged(server, runtime):
    """In a full inbox a message can be replaced, again and again, and no other be added."""
    _, child, run = await two(runtime)
    last = [await by_rpc(runtime, run, child, f"body {n}") for n in range(2)][1]
    for number in range(3):
        assert (await by_rpc(runtime, run, child)).code == "send_message:inbox_full"
        last = await by_rpc(runtime, run, child, f"new {number}", supersedes_message_id=last.message_id)
        assert last.code == ""
    assert [m.body for m in (await runtime.start(child, attempt_id="a")).claim.messages] == ["body 0", "new 2"]


@pytest.mark.parametrize("overrides", [{"messaging": {"max_inflight_per_pair": 1}}])
async def test_its_slot_in_the_window_is_free_before_the_window_is_judged(runtime):
    """With a full window the one unread message can be replaced."""
    _, child, run = await two(runtime)
    first = await by_rpc(runtime, run, child, "first")
    assert (await by_rpc(runtime, run, child)).code == "send_message:inflight_full"
    second = await by_rpc(runtime, run, child, "second", supersedes_message_id=first.message_id)
    assert second.code == ""
    assert (await by_rpc(runtime, run, child)).code == "send_message:inflight_full"
    assert await read_all(runtime, child) == [second.message_id]


async def test_a_refused_send_discards_nothing(server, runtime):
    """Whatever refuses the later message leaves the earlier one as it was."""
    parent, child, run = await two(runtime)
    first = await by_rpc(runtime, run, child, call="first")
    other = await runtime.session(parent)
    refused = {
        "send_message:invalid_body": {"to": child, "body": ""},
        "idempotency:conflict": {"to": child, "body": "other", "call": "first"},
        "send_message:unknown_reference": {"to": "nobody_00000000"},
        "message:not_found": {"to": other},
        "send_message:self_send": {"to": parent},
    }
    async with nothing_written(server):
        for code, fields in refused.items():
            assert (await by_rpc(runtime, run, supersedes_message_id=first.message_id, **fields)).code == code
    await server.restart(messaging={"max_pending_per_session": 0})
    runtime = server.client(runtime.secret)
    async with nothing_written(server):
        answer = await by_rpc(runtime, run, child, supersedes_message_id=first.message_id)
        assert answer.code == "send_message:inbox_full"
    assert await read_all(runtime, child) == [first.message_id]


@pytest.mark.parametrize("overrides", [{"messaging": {"max_hops": 1}}])
async def test_beyond_the_hop_limit_nothing_is_replaced(server, runtime):
    """The last of the guards refuses a replacement too, after slots were counted."""
    parent, child, run = await two(runtime, child_rules={"parent": "allow"})
    first = await by_rpc(runtime, run, child)
    child_run = await runtime.run(child)
    await runtime.commit(child_run, await runtime.claim(child_run))
    waiting = await by_rpc(runtime, run, child)
    await by_rpc(runtime, child_run, parent)  # hop 1
    await runtime.claim(run)
    async with nothing_written(server):
        answer = await by_rpc(runtime, run, child, supersedes_message_id=waiting.message_id)
        assert answer.code == "send_message:max_hops_exceeded"
    assert first.code == ""


async def test_a_claimed_message_is_replaced_when_it_comes_back(runtime):
    """What is before a model stays there: it is discarded at its release, and the later one takes its place."""
    _, child, run = await two(runtime)
    first = await by_rpc(runtime, run, child, "first")
    started = await runtime.start(child, attempt_id="first")
    second = await by_rpc(runtime, run, child, "second", supersedes_message_id=first.message_id)
    assert await replaced(runtime, child) == []
    assert (await runtime.claim(started.run, attempt_id="first")) == started.claim
    await runtime.runs.ReleaseClaim(
        session_id=child.session_id, run_id=started.run.run_id, claim_seq=started.claim.claim_seq
    )
    assert await replaced(runtime, child) == [(first.message_id, second.message_id)]
    claim = await runtime.claim(started.run)
    assert [m.message_id for m in claim.messages] == [second.message_id]


async def test_a_claimed_message_that_a_turn_kept_is_consumed(runtime):
    """When the turn is kept both were read: the earlier is consumed, the later comes next."""
    _, child, run = await two(runtime)
    first = await by_rpc(runtime, run, child)
    started = await runtime.start(child, attempt_id="first")
    second = await by_rpc(runtime, run, child, supersedes_message_id=first.message_id)
    assert await runtime.commit(started.run, started.claim) == [first.message_id]
    assert await replaced(runtime, child) == []
    assert [m.message_id for m in (await runtime.claim(started.run)).messages] == [second.message_id]


@pytest.mark.parametrize("end", ["FAILED", "lapsed", "overtaken", "restarted and overtaken"])
async def test_every_way_back_is_a_release(server, runtime, end):
    """A run that fails or lapses, and an attempt that overtakes, after a restart too, end what was replaced."""
    _, child, run = await two(runtime)
    first = await by_rpc(runtime, run, child)
    started = await runtime.start(child, attempt_id="first")
    second = await by_rpc(runtime, run, child, supersedes_message_id=first.message_id)
    if end == "restarted and overtaken":
        await server.restart()
        runtime = server.client(runtime.secret)
    if end.endswith("overtaken"):
        claim = await runtime.claim(started.run, attempt_id="second")
        assert [m.message_id for m in claim.messages] == [second.message_id]
    elif end == "lapsed":
        advance(server, 100)
    else:
        await runtime.finish(started.run, end)
    assert await replaced(runtime, child) == [(first.message_id, second.message_id)]
    assert (await runtime.look(child)).pending_count == 1


@pytest.mark.parametrize("overrides", [{"messaging": {"max_inflight_per_pair": 1}}])
async def test_a_claimed_message_frees_no_slot(server, runtime):
    """A claimed message counts until it is settled: under a full window it cannot be replaced."""
    _, child, run = await two(runtime)
    first = await by_rpc(runtime, run, child)
    await runtime.start(child, attempt_id="first")
    async with nothing_written(server):
        answer = await by_rpc(runtime, run, child, supersedes_message_id=first.message_id)
        assert answer.code == "send_message:inflight_full"


async def test_a_chain_of_replacements(runtime):
    """Each later message replaces the one before; of three only the last is delivered."""
    _, child, run = await two(runtime)
    first = await by_rpc(runtime, run, child, "1")
    second = await by_rpc(runtime, run, child, "2", supersedes_message_id=first.message_id)
    third = await by_rpc(runtime, run, child, "3", supersedes_message_id=second.message_id)
    assert await replaced(runtime, child) == [
        (first.message_id, second.message_id),
        (second.message_id, third.message_id),
    ]
    assert await read_all(runtime, child) == [third.message_id]


async def test_within_one_batch(runtime):
    """In one batch the first send that names an earlier message replaces it; for the second it is gone."""
    _, child, run = await two(runtime)
    (first,) = await batch(runtime, run, {"to": child.handle, "body": "1"})
    told = await batch(
        runtime,
        run,
        {"to": child.handle, "body": "2", "supersedes_message_id": first.message_id},
        {"to": child.handle, "body": "3", "supersedes_message_id": first.message_id},
    )
    assert [answer.code for answer in told] == ["", "message:not_found"]
    assert await read_all(runtime, child) == [told[0].message_id]


async def test_what_cannot_be_replaced(server, runtime):
    """Nobody's, another sender's, another recipient's, a person's, and what has ended: there is no such message."""
    parent, child, run = await two(runtime)
    sibling = await runtime.session(parent, rules={"sibling": "allow"})
    read = await by_rpc(runtime, run, child)
    await read_all(runtime, child)
    retracted = await by_rpc(runtime, run, child)
    await runtime.messaging.RetractMessage(session_id=parent.session_id, message_id=retracted.message_id)
    others = {
        "nobody's": str(uuid4()),
        "another sender's": (await by_rpc(runtime, await runtime.run(sibling), child)).message_id,
        "to another recipient": (await by_rpc(runtime, run, sibling)).message_id,
        "a person's": (await server.admin.user(child)).message_id,
        "consumed": read.message_id,
        "retracted": retracted.message_id,
        "the recipient itself": child.session_id,
    }
    async with nothing_written(server):
        for message_id in others.values():
            answer = await by_rpc(runtime, run, child, supersedes_message_id=message_id)
            assert (answer.code, answer.refusal.grpc_code) == ("message:not_found", grpc.StatusCode.NOT_FOUND)
        answer = await by_rpc(runtime, run, child, supersedes_message_id="x")
        assert (answer.code, answer.refusal.field) == ("request:invalid", "supersedes_message_id")


async def test_a_repeat_replaces_nothing_more(runtime):
    """The repeated call is the first answer, also when what it replaced is long gone."""
    _, child, run = await two(runtime)
    first = await by_rpc(runtime, run, child)
    second = await by_rpc(runtime, run, child, call="same", supersedes_message_id=first.message_id)
    again = await by_rpc(runtime, run, child, call="same", supersedes_message_id=first.message_id)
    assert (again.promise, again.replayed) == (second.promise, True)
    assert len(await replaced(runtime, child)) == 1
