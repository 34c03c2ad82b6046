"""The same tool call again gets the first answer, whatever else is true now; with other content it is a conflict."""

from __future__ import annotations

import asyncio
import itertools

import grpc
import pytest
from mail import DOORS, advance, batch, by_rpc, by_tool, nothing_written, payloads, read_all, stored, two

CALL = "the call"
BODY = "only once"


async def first_send(runtime, mode: str = "steer"):
    """Send once, with nothing repeated yet."""
    parent, child, run = await two(runtime)
    sent = await by_rpc(runtime, run, child.handle, BODY, mode, CALL)
    assert sent.replayed is False
    return parent, child, run, sent


async def same_again(server, client, run, child, sent, mode: str = "steer"):
    """Repeat it by each door: it is the first answer, and nothing is written."""
    async with nothing_written(server):
        for door in DOORS.values():
            again = await door(client, run, child.handle, BODY, mode, CALL)
            assert again.promise == sent.promise
            assert again.replayed in (True, None)  # a model is not told


@pytest.mark.parametrize("mode", ["steer", "queue"])
async def test_at_once(server, runtime, mode):
    """A repeat right away is the first answer, by whichever door."""
    _, child, run, sent = await first_send(runtime, mode)
    await same_again(server, runtime, run, child, sent, mode)


@pytest.mark.parametrize("first", DOORS)
async def test_twenty_times_together(runtime, first):
    """Twenty equal calls at once, by all doors mixed, are one message with one id, accepted by one of them."""
    _, child, run = await two(runtime)
    doors = itertools.cycle([DOORS[first], *DOORS.values()])
    answers = await asyncio.gather(
        *(door(runtime, run, child.handle, BODY, call=CALL) for door in itertools.islice(doors, 20))
    )
    assert len({answer.promise for answer in answers}) == 1
    assert [answer.replayed for answer in answers].count(False) <= 1
    (accepted,) = await stored(runtime, child)
    assert accepted.message_id == answers[0].message_id


async def test_twenty_conflicting_calls_together(runtime):
    """Twenty calls at once with one id and twenty bodies are one message and nineteen conflicts."""
    _, child, run = await two(runtime)
    answers = await asyncio.gather(*(by_rpc(runtime, run, child.handle, f"body {n}", call=CALL) for n in range(20)))
    assert sorted(answer.code for answer in answers) == [""] + ["idempotency:conflict"] * 19
    assert len(await stored(runtime, child)) == 1


async def test_after_a_restart(server, runtime):
    """A repeat after a restart is the first answer, and the message is delivered once."""
    _, child, run, sent = await first_send(runtime)
    await server.restart()
    runtime = server.client(runtime.secret)
    await same_again(server, runtime, run, child, sent)
    assert await read_all(runtime, child) == [sent.message_id]
    await same_again(server, runtime, run, child, sent)
    assert await read_all(runtime, child) == []


async def test_after_a_kill(process):
    """A repeat after the server was killed is the first answer."""
    runtime = await process.make_token("runtime")
    _, child, run, sent = await first_send(runtime)
    await process.kill()
    await process.restart()
    assert (await by_rpc(runtime, run, child.handle, BODY, call=CALL)).promise == sent.promise
    assert (await by_rpc(runtime, run, child.handle, "another", call=CALL)).code == "idempotency:conflict"
    assert len(await stored(runtime, child)) == 1


async def test_after_the_runs_lease_lapsed(server, runtime):
    """A repeat for a run whose lease lapsed is the first answer, though a new send of that run is refused."""
    _, child, run, sent = await first_send(runtime)
    advance(server, 100)
    assert (await by_rpc(runtime, run, child)).code == "run:lease_lost"
    await same_again(server, runtime, run, child, sent)


@pytest.mark.parametrize("outcome", ["COMPLETED", "FAILED", "INTERRUPTED", "CANCELLED"])
async def test_after_the_run_ended(server, runtime, outcome):
    """A repeat for a run that has ended is the first answer; the next run's calls are its own."""
    parent, child, run, sent = await first_send(runtime)
    await runtime.finish(run, outcome)
    await same_again(server, runtime, run, child, sent)
    following = await runtime.run(parent)
    other = await by_rpc(runtime, following, child.handle, BODY, call=CALL)
    assert (other.code, other.replayed) == ("", False)
    assert other.message_id != sent.message_id


async def test_after_consumption(server, runtime):
    """A repeat after the message was consumed is the first answer, state and all, and delivers nothing again."""
    _, child, run, sent = await first_send(runtime)
    assert sent.recipient_state == "queued"
    assert await read_all(runtime, child) == [sent.message_id]
    await same_again(server, runtime, run, child, sent)
    assert (await runtime.look(child)).pending_count == 0


@pytest.mark.parametrize("end", ["retracted", "recipient deleted"])
async def test_after_the_message_was_discarded(server, runtime, end):
    """A repeat after the message came to nothing is the first answer still."""
    parent, child, run, sent = await first_send(runtime)
    if end == "retracted":
        await runtime.messaging.RetractMessage(session_id=parent.session_id, message_id=sent.message_id)
    else:
        await runtime.sessions.DeleteSession(session_id=child.session_id)
    await same_again(server, runtime, run, child, sent)


@pytest.mark.parametrize("overrides", [{"messaging": {"max_pending_per_session": 2, "max_inflight_per_pair": 2}}])
async def test_with_inbox_and_window_full(server, runtime):
    """A repeat needs no room in inbox and window."""
    _, child, run, sent = await first_send(runtime)
    assert (await by_rpc(runtime, run, child)).code == ""
    assert (await by_rpc(runtime, run, child)).code == "send_message:inbox_full"
    await same_again(server, runtime, run, child, sent)


NOW_REFUSED = {
    "disabled": ({"enabled": False}, "send_message:disabled"),
    "no body fits": ({"max_body_bytes": 0}, "send_message:invalid_body"),
    "a smaller limit": ({"max_body_bytes": len(BODY) - 1}, "send_message:invalid_body"),
    "no inbox": ({"max_pending_per_session": 0}, "send_message:inbox_full"),
    "no window": ({"max_inflight_per_pair": 1}, "send_message:inflight_full"),
}


@pytest.mark.parametrize("change", NOW_REFUSED)
async def test_with_what_would_be_refused_now(server, runtime, change):
    """A repeat under settings that refuse every send is the first answer; other content is still a conflict."""
    settings, code = NOW_REFUSED[change]
    _, child, run, sent = await first_send(runtime)
    await server.restart(messaging=settings)
    runtime = server.client(runtime.secret)
    assert (await by_rpc(runtime, run, child.handle, BODY)).code == code
    await same_again(server, runtime, run, child, sent)
    assert (await by_rpc(runtime, run, child.handle, "another", call=CALL)).code == "idempotency:conflict"


async def test_beyond_the_hop_limit(server, runtime):
    """A repeat under a hop limit that refuses the run's sends is the first answer."""
    _, child, run = await two(runtime, child_rules={"parent": "allow"})
    await by_rpc(runtime, run, child)
    child_run = await runtime.run(child)
    await runtime.claim(child_run)
    await by_rpc(runtime, child_run, (await runtime.look(child)).parent_session_id)
    await runtime.claim(run)
    sent = await by_rpc(runtime, run, child.handle, BODY, call=CALL)  # hop 2
    await server.restart(messaging={"max_hops": 1})
    runtime = server.client(runtime.secret)
    assert (await by_rpc(runtime, run, child)).code == "send_message:max_hops_exceeded"
    await same_again(server, runtime, run, child, sent)


# what is different in the second call
OTHERWISE = {
    "body": {"body": "something else"},
    "a blank at the end": {"body": BODY + " "},
    "empty body": {"body": ""},
    "mode": {"mode": "queue"},
    "recipient": {"to": "other"},
    "the recipient's id in place of its handle": {"to": "id"},
    "itself": {"to": "self"},
    "nobody": {"to": "nobody"},
}


@pytest.mark.parametrize("door", DOORS)
async def test_other_content_is_a_conflict(server, runtime, door):
    """The same call with another body, mode or recipient as written is a conflict, and writes nothing."""
    parent, child, run, _ = await first_send(runtime)
    other = await runtime.session(parent)
    names = {"other": other.handle, "id": child.session_id, "self": parent.handle, "nobody": "nobody_00000000"}
    told = {}
    async with nothing_written(server):
        for name, change in OTHERWISE.items():
            given = {"to": child.handle, "body": BODY, "mode": "steer", **change}
            to = names.get(given.pop("to"), child.handle)
            answer = await DOORS[door](runtime, run, to, call=CALL, **given)
            told[name] = answer.code
            if answer.refusal is not None:
                assert answer.refusal.grpc_code == grpc.StatusCode.ALREADY_EXISTS
                assert answer.refusal.info.reason == "IDEMPOTENCY_CONFLICT"
    assert told == dict.fromkeys(OTHERWISE, "idempotency:conflict")


async def test_a_conflict_does_not_wait_for_consumption(runtime):
    """Content is compared after consumption too: an id is one message for ever."""
    _, child, run, _ = await first_send(runtime)
    await read_all(runtime, child)
    assert (await by_tool(runtime, run, child.handle, "another", call=CALL)).code == "idempotency:conflict"


async def test_the_identity_is_session_run_and_call(runtime):
    """The same call id of another session, or of another call, is another message."""
    parent, child, run, sent = await first_send(runtime)
    sibling = await runtime.session(parent, rules={"sibling": "allow"})
    others = [
        await by_rpc(runtime, await runtime.run(sibling), child.handle, BODY, call=CALL),
        await by_rpc(runtime, run, child.handle, BODY, call=CALL + " "),
        await by_rpc(runtime, run, child.handle, BODY, call=CALL.upper()),
    ]
    assert len({sent.message_id, *(other.message_id for other in others)}) == 4


async def test_one_batch_with_one_call_twice(runtime):
    """Within one batch a repeat is the first answer, and other content a conflict."""
    _, child, run = await two(runtime)
    send = {"tool_call_id": CALL, "to": child.handle, "body": BODY}
    first, again, other = await batch(runtime, run, send, send, {**send, "body": "another"})
    assert (first.promise, first.replayed, again.replayed) == (again.promise, False, True)
    assert other.code == "idempotency:conflict"
    assert len(await stored(runtime, child)) == 1


async def test_expiry_and_replacement_are_not_part_of_what_is_compared(runtime):
    """A repeat that asks for another expiry or replacement is the first answer: to, body and mode are compared."""
    _, child, run, sent = await first_send(runtime)
    again = await by_rpc(
        runtime, run, child.handle, BODY, call=CALL, expire_after={"seconds": 5}, supersedes_message_id=sent.message_id
    )
    assert (again.promise, again.replayed) == (sent.promise, True)
    assert await payloads(runtime, child, "producer_message_discarded") == []


async def test_a_person_repeats_a_message(server, runtime, refused, wire):
    """A person's message has an identity of its own: repeated it is the first, with other content a conflict."""
    child = await runtime.session()
    sent = await server.admin.user(child, "hello", client_message_id="mine")
    async with nothing_written(server):
        again = await server.admin.user(child, "hello", client_message_id="mine")
        assert (again.message_id, sent.replayed, again.replayed) == (sent.message_id, False, True)
        with refused("idempotency:conflict", grpc.StatusCode.ALREADY_EXISTS):
            await server.admin.user(child, "other", client_message_id="mine")
        with refused("idempotency:conflict"):
            await server.admin.user(child, "hello", client_message_id="mine", mode=wire.message.MESSAGE_MODE_QUEUE)
