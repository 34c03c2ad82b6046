"""Two replicas are one service: each call of a story reaches another one, and what it finds is what was done."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest
from approving import asks, decide, listed
from calls import fresh
from kinpost.v1 import token_pb2
from ledger import Ledger, came, payloads
from mail import by_rpc, two

LONG = {"approval_wait": {"seconds": 60}}


async def test_mail_sent_at_one_is_claimed_and_committed_at_the_other(pair, runtimes):
    parent, child, run = await two(runtimes.a)
    sent = await runtimes.a.send(run, child, "hello", tool_call_id="the call")
    again = await runtimes.b.send(run, child, "hello", tool_call_id="the call")
    assert (again.message_id, again.replayed) == (sent.message_id, True)
    started = await runtimes.b.start(child, client_run_id="the run", attempt_id="first")
    assert [mail.message_id for mail in started.claim.messages] == [sent.message_id]
    same = await runtimes.a.start(child, client_run_id="the run", attempt_id="first")
    assert same == started
    assert await runtimes.a.commit(started.run, started.claim) == [sent.message_id]
    later = await runtimes.b.send(run, child, "more")
    claim = await runtimes.a.claim(started.run)
    assert [mail.message_id for mail in claim.messages] == [later.message_id]
    await runtimes.b.finish(started.run, commit_claim_seq=claim.claim_seq)
    await runtimes.a.finish(run)
    Ledger(await pair.admin.b.log(all=True)).settled(sent.message_id, later.message_id)
    seen = await runtimes.b.messaging.GetSentMessage(session_id=parent.session_id, message_id=later.message_id)
    assert seen == await runtimes.a.messaging.GetSentMessage(session_id=parent.session_id, message_id=later.message_id)


async def test_a_session_made_at_one_is_read_at_the_other_at_once(pair, runtimes):
    for _ in range(20):
        session = await runtimes.a.session()
        assert (await runtimes.b.look(session)) == session
        child = await runtimes.b.session(session)
        assert (await runtimes.a.look(child)) == child


async def test_of_two_starts_at_once_one_wins(pair, runtimes):
    for _ in range(10):
        session = await runtimes.a.session()
        starts = await asyncio.gather(
            *(client.start(session, client_run_id=fresh("run")) for client in runtimes), return_exceptions=True
        )
        assert sorted(isinstance(start, Exception) for start in starts) == [False, True]


async def test_of_two_makers_of_one_token_one_gets_a_secret(pair, refused):
    """And that secret is the token's: it works everywhere until it is revoked, and nowhere after."""
    for _ in range(10):
        token_id = str(uuid4())
        answers = await asyncio.gather(
            *(
                admin.admin.CreateToken(
                    scope=token_pb2.TokenScope(kind=token_pb2.TOKEN_KIND_OBSERVER), client_token_id=token_id
                )
                for admin in pair.admin
            )
        )
        (secret,) = [answer.secret for answer in answers if answer.secret]
        assert {answer.token_id for answer in answers} == {token_id}
        observer = pair.both(pair.running.client(secret, token_id))
        for client in observer:
            await client.log(all=True)
        await pair.admin.b.admin.RevokeToken(token_id=token_id)
        with refused("auth:unauthenticated"):
            await observer.b.log(all=True)
        await came(lambda token_id=token_id: pair.a.engine.tokens.get(token_id).revoke_time is not None)
        with refused("auth:unauthenticated"):
            await observer.a.log(all=True)


async def test_a_token_is_good_at_once_and_no_longer_once_it_is_revoked(pair, refused):
    token = await pair.token("observer")
    await token.b.log(all=True)  # before A has heard of it by any other way
    stream = token.b.subscribe(all=True, from_now=True)
    await stream.next()
    await pair.admin.a.admin.RevokeToken(token_id=token.a.token_id)
    with refused("auth:unauthenticated"):
        await token.a.log(all=True)
    await came(lambda: pair.b.engine.tokens.get(token.a.token_id).revoke_time is not None)
    with refused("auth:unauthenticated"):
        await token.b.log(all=True)


async def test_a_producer_registered_at_one_sends_and_is_renewed_at_the_other(pair, runtimes):
    plugin = await pair.token("plugin", plugin_name="ci")
    session = await runtimes.a.session()
    producer = await plugin.a.register(session, client_producer_id="build")
    sent = await plugin.b.produce(producer, "done", idempotency_key="one")
    again = await plugin.a.produce(producer, "done", idempotency_key="one")
    assert (again.message_id, again.replayed) == (sent.message_id, True)
    renewed = await plugin.b.producers.RenewProducers(producer_ids=[producer.producer_id])
    assert list(renewed.renewed_producer_ids) == [producer.producer_id]
    page = await plugin.b.producers.ListProducers(session_id=session.session_id)
    assert [one.producer_id for one in page.producers] == [producer.producer_id]
    await plugin.b.discard(session, sent)
    await plugin.b.producers.UnregisterProducer(session_id=session.session_id, producer_id=producer.producer_id)
    page = await plugin.a.producers.ListProducers(session_id=session.session_id)
    assert list(page.producers) == []


async def test_an_approval_asked_at_one_is_decided_at_the_other(pair, runtimes):
    approver = await pair.token("approver")
    parent, child, run = await two(runtimes.a, rules={"child": "ask"})
    waiting = asyncio.create_task(by_rpc(runtimes.a, run, child, call="the call", **LONG))
    await came(lambda: len(pair.a.engine._approval_waits) == 1)
    (approval_id,) = await listed(approver.b, parent, "pending")
    await decide(approver.b, parent, approval_id, "once")
    told = await waiting
    assert told.promise[1:] == ("steer", "queued")
    assert not told.replayed
    # A grant for the tree that was given at one serves at the other.
    approval_id = await asks(runtimes.b, run, child)
    await decide(approver.a, parent, approval_id, "tree")
    assert (await by_rpc(runtimes.b, run, child)).promise[1:] == ("steer", "queued")


@pytest.mark.parametrize("end, code", [("deny", "approval:denied"), ("cancel", "approval:cancelled")])
async def test_a_wait_at_one_ends_by_what_is_decided_at_the_other(pair, runtimes, end, code):
    approver = await pair.token("approver")
    parent, child, run = await two(runtimes.a, rules={"child": "ask"})
    waiting = asyncio.create_task(by_rpc(runtimes.a, run, child, call="the call", **LONG))
    await came(lambda: len(pair.a.engine._approval_waits) == 1)
    (approval_id,) = await listed(approver.b, parent, "pending")
    if end == "deny":
        await decide(approver.b, parent, approval_id, "deny")
    else:
        await runtimes.b.runs.CancelRun(session_id=parent.session_id)
    assert (await waiting).code == code


async def test_a_subscription_has_neither_hole_nor_repeat_while_both_write(pair, runtimes):
    """Followed at B from the beginning and from the middle; a cursor of A's goes on at B."""
    sessions = [await client.session() for client in runtimes]
    at_b = pair.admin.b.subscribe(all=True)
    at_a = pair.admin.a.subscribe(all=True)

    async def write(client, session) -> list[str]:
        return [(await client.user(session, str(number))).message_id for number in range(40)]

    writing = asyncio.gather(
        *(write(client, session) for client in runtimes for session in sessions),
    )
    seen_at_a = (await at_a.until(lambda frame: frame.events)).cursor
    resumed = pair.admin.b.subscribe(all=True, after_cursor=seen_at_a)
    sent = {message_id for ids in await writing for message_id in ids}
    log = await pair.admin.a.log(all=True)
    assert {one.message_id for one in payloads(log, "producer_message_accepted")} == sent
    for stream, skip in ((at_b, 0), (at_a, 0), (resumed, _upto(at_a.seen, seen_at_a))):
        seen = [event for frame in stream.seen for event in frame.events]
        while len(seen) < len(log) - skip:
            seen += (await stream.next()).events
        assert [event.position for event in seen] == [event.position for event in log[skip:]]
        assert seen == log[skip:]


def _upto(frames, cursor: str) -> int:
    """How many events came up to the frame of this cursor."""
    count = 0
    for frame in frames:
        count += len(frame.events)
        if frame.cursor == cursor:
            break
    return count
