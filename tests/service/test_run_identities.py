"""Every call that changes something may be repeated: the answer is the first one, and nothing happens twice.

Each repeat is made at once and again after a restart of the server.
"""

from __future__ import annotations

import asyncio

import pytest
from calls import fresh
from kinpost.v1 import session_pb2 as words
from ledger import kinds
from uuid_utils import uuid4

BOTH = ["at once", "after a restart"]


@pytest.fixture(params=BOTH)
def later(request, server):
    """Let time pass: nothing, or a restart; returns clients with the same tokens."""

    async def pass_by(*clients):
        if request.param == BOTH[0]:
            return clients
        secrets = [(client.secret, client.token_id) for client in clients]
        await server.restart()
        return [server.client(*secret) for secret in secrets]

    return pass_by


async def history(client, session) -> list[str]:
    return kinds(await client.log(session_id=session.session_id))


async def test_a_client_run_id_starts_one_run(runtime, later):
    session = await runtime.session()
    await runtime.user(session, "the mail")
    first = await runtime.start(session, client_run_id="mine", attempt_id="first")
    before = await history(runtime, session)
    (runtime,) = await later(runtime)
    again = await runtime.start(session, client_run_id="mine", attempt_id="first")
    assert again.claim == first.claim
    assert (again.run.run_id, again.run.number) == (first.run.run_id, 1)
    # An attempt of another name finds the claim that lives: the run has not got past its first boundary.
    assert await history(runtime, session) == before
    await runtime.finish(again.run, commit_claim_seq=again.claim.claim_seq)
    ended = await runtime.start(session, client_run_id="mine", attempt_id="first")
    assert ended.run.run_id == first.run.run_id
    assert ended.run.state == 2
    assert not ended.HasField("claim")
    assert (await history(runtime, session)).count("run_started") == 1


async def test_a_wake_starts_one_run(runtime, later):
    session = await runtime.session()
    attached = await runtime.attach()
    await runtime.user(session, "the mail")
    offer = await attached.told("wake_offer")
    first = await runtime.start(session, wake_id=offer.wake_id, attempt_id="first")
    before = await history(runtime, session)
    (runtime,) = await later(runtime)
    again = await runtime.start(session, wake_id=offer.wake_id, attempt_id="first")
    assert (again.run.run_id, again.claim) == (first.run.run_id, first.claim)
    assert await history(runtime, session) == before
    await runtime.finish(again.run, commit_claim_seq=again.claim.claim_seq)
    ended = await runtime.start(session, wake_id=offer.wake_id, attempt_id="first")
    assert (ended.run.run_id, ended.run.state) == (first.run.run_id, 2)
    attached.cancel()


async def test_twenty_starts_at_once_are_one_run(runtime):
    session = await runtime.session()
    sent = await runtime.user(session)
    answers = await asyncio.gather(
        *(runtime.start(session, client_run_id="mine", attempt_id="first") for _ in range(20))
    )
    assert len({answer.run.run_id for answer in answers}) == 1
    assert {message.message_id for answer in answers for message in answer.claim.messages} == {sent.message_id}
    assert (await history(runtime, session)).count("producer_messages_claimed") == 1


async def test_another_identity_is_another_run(runtime, refused):
    session = await runtime.session()
    await runtime.user(session)
    await runtime.run(session, client_run_id="mine")
    with refused("run:already_active"):
        await runtime.run(session, client_run_id="another")
    with refused("wake:settled"):
        await runtime.start(session, wake_id=str(uuid4()))


async def test_a_run_that_was_cancelled_does_not_start_again(runtime, refused, later):
    session = await runtime.session()
    run = await runtime.run(session, client_run_id="mine")
    await runtime.runs.CancelRun(session_id=session.session_id, run_id=run.run_id, reason="enough")
    (runtime,) = await later(runtime)
    with refused("run:cancelled") as told:
        await runtime.start(session, client_run_id="mine", attempt_id="first")
    assert "enough" in told.text


@pytest.mark.parametrize("mail", [0, 2])
async def test_an_attempt_returns_its_claim(runtime, later, mail):
    """An empty one too: the claim is an event of the log, not what happens to wait."""
    session = await runtime.session()
    for number in range(mail):
        await runtime.user(session, f"mail {number}")
    run = await runtime.run(session)
    claim = await runtime.claim(run, attempt_id="the attempt")
    assert len(claim.messages) == mail
    await runtime.user(session, "came later")
    before = await history(runtime, session)
    (runtime,) = await later(runtime)
    assert await runtime.claim(run, attempt_id="the attempt") == claim
    assert await history(runtime, session) == before


async def test_a_commit_is_one_commit(runtime, later):
    session = await runtime.session()
    sent = await runtime.user(session)
    run = await runtime.run(session)
    claim = await runtime.claim(run)
    empty = None
    assert await runtime.commit(run, claim) == [sent.message_id]
    empty = await runtime.claim(run)
    assert await runtime.commit(run, empty) == []
    before = await history(runtime, session)
    (runtime,) = await later(runtime)
    assert await runtime.commit(run, claim) == [sent.message_id]
    assert await runtime.commit(run, empty) == []
    assert await history(runtime, session) == before
    await runtime.finish(run)
    (runtime,) = await later(runtime)
    # The commit of a run that has ended since was a commit all the same.
    assert await runtime.commit(run, claim) == [sent.message_id]
    assert await runtime.commit(run, empty) == []


async def test_a_release_is_one_release(runtime, later):
    session = await runtime.session()
    await runtime.user(session)
    run = await runtime.run(session)
    claim = await runtime.claim(run)
    fields = {"session_id": session.session_id, "run_id": run.run_id, "claim_seq": claim.claim_seq}
    await runtime.runs.ReleaseClaim(**fields, reason="the model failed")
    before = await history(runtime, session)
    (runtime,) = await later(runtime)
    await runtime.runs.ReleaseClaim(**fields, reason="the model failed")
    assert await history(runtime, session) == before
    second = await runtime.claim(run)
    await runtime.runs.ReleaseClaim(**fields)  # a late repeat gives back nothing of the next claim
    assert await runtime.claim(run, attempt_id=second.attempt_id) == second


@pytest.mark.parametrize("outcome", ["COMPLETED", "FAILED", "INTERRUPTED", "CANCELLED"])
async def test_an_end_is_one_end(runtime, refused, later, outcome):
    session = await runtime.session()
    await runtime.user(session)
    run = await runtime.run(session)
    claim = await runtime.claim(run)
    first = await runtime.finish(run, outcome, commit_claim_seq=claim.claim_seq, reason="done")
    before = await history(runtime, session)
    (runtime,) = await later(runtime)
    assert await runtime.finish(run, outcome, commit_claim_seq=claim.claim_seq, reason="done") == first
    assert await runtime.finish(run, outcome) == first
    for other in {"COMPLETED", "FAILED"} - {outcome}:
        with refused("run:cancelled" if outcome == "CANCELLED" else "run:not_active"):
            await runtime.finish(run, other)
    assert await history(runtime, session) == before


@pytest.mark.parametrize("by_person", [False, True])
async def test_a_cancel_is_one_cancel(server, runtime, later, by_person):
    session = await runtime.session()
    run = await runtime.run(session)
    person = await server.make_token("approver") if by_person else runtime
    fields = {"session_id": session.session_id, "run_id": run.run_id, "reason": "enough"}
    first = await person.runs.CancelRun(**fields)
    assert (first.run.state, first.run.by_person) == (5, by_person)
    before = await history(runtime, session)
    runtime, person = await later(runtime, person)
    assert await person.runs.CancelRun(**fields) == first
    assert await history(runtime, session) == before


CONTENT = {
    "agent": "explore",
    "description": "looks around",
    "first_message": "look around",
    "parent_tool_call_id": "call-1",
    "starter": words.STARTER_WAKE,
}
OTHER_CONTENT = {
    "agent": "default",
    "description": "looks elsewhere",
    "first_message": "look elsewhere",
    "parent_tool_call_id": "call-2",
    "starter": words.STARTER_DELEGATOR,
    "without_handle": True,
}


async def test_a_session_is_made_once(runtime, refused, later):
    parent = await runtime.session()
    content = {**CONTENT, "session_id": str(uuid4()), "parent_session_id": parent.session_id}
    first = await runtime.session(**content, rules={"child": "allow"})
    (runtime,) = await later(runtime)
    again = await runtime.session(**content, rules={"child": "allow"})
    assert again == await runtime.look(first)
    assert (again.handle, again.create_time, again.pending_count) == (first.handle, first.create_time, 1)
    elsewhere = await runtime.session()
    for field, value in {**OTHER_CONTENT, "parent_session_id": elsewhere.session_id}.items():
        with refused("session:exists"):
            await runtime.session(**{**content, field: value}, rules={"child": "allow"})
    for rules in ({"child": "ask"}, {"*": "allow"}, {"child": "allow", "*": "deny"}, {}, None):
        with refused("session:exists"):
            await runtime.session(**content, rules=rules)
    assert await history(runtime, first) == ["session_created", "producer_message_accepted", "wake_requested"]
    # It is returned as it is now, not as it was.
    await runtime.run(first)
    assert (await runtime.session(**content, rules={"child": "allow"})).state == words.SESSION_STATE_RUNNING


async def test_an_id_that_another_runtime_took_is_taken(server, runtime, refused):
    session_id = str(uuid4())
    await runtime.session(session_id=session_id)
    with refused("session:exists"):
        await (await server.make_token("runtime")).session(session_id=session_id)


async def test_a_token_is_made_once_and_its_secret_is_told_once(server, refused, later):
    session = await server.admin.session()
    other = await server.admin.session()
    asked = {"client_token_id": str(uuid4()), "scope": {"kind": 3}, "session_ids": [session.session_id]}
    first = await server.admin.admin.CreateToken(**asked)
    assert first.secret
    (admin,) = await later(server.admin)
    again = await admin.admin.CreateToken(**asked)
    assert (again.token_id, again.secret) == (asked["client_token_id"], "")
    for change in (
        {"scope": {"kind": 2}, "session_ids": []},
        {"scope": {"kind": 7}},
        {"session_ids": [other.session_id]},
        {"expire_time": {"seconds": 4_000_000_000}},
    ):
        with refused("idempotency:conflict"):
            await admin.admin.CreateToken(**{**asked, **change})
    assert await server.client(first.secret).look(session)  # and the first secret is good


async def test_an_availability_is_set_once(server, runtime, later, wire):
    session = await runtime.session()
    fields = {"session_id": session.session_id, "availability": wire.session.AVAILABILITY_PAUSED, "reason": "lunch"}
    first = await server.admin.sessions.SetAvailability(**fields)
    before = await history(server.admin, session)
    (admin,) = await later(server.admin)
    assert await admin.sessions.SetAvailability(**fields) == first
    assert await history(admin, session) == before
    await admin.sessions.SetAvailability(**{**fields, "reason": "dinner"})
    assert (await admin.look(session)).availability_reason == "dinner"


async def test_an_offer_is_declined_once(runtime, later):
    session = await runtime.session()
    attached = await runtime.attach()
    await runtime.user(session)
    offer = await attached.told("wake_offer")
    fields = {"session_id": session.session_id, "wake_id": offer.wake_id, "retry_after": {"seconds": 3000}}
    await runtime.runs.DeclineWake(**fields, reason=fresh("busy"))
    before = await history(runtime, session)
    (runtime,) = await later(runtime)
    await runtime.runs.DeclineWake(**fields)
    assert await history(runtime, session) == before
    attached.cancel()
