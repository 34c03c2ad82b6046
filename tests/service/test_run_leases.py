"""A run lives as long as somebody speaks for it; when nobody does, its mail waits again and wakes the session.

Time passes for real here, in leases of two seconds: who speaks every quarter of a second keeps them through any stall
that the service does not see itself. Tests wait for what the log says, never for time.
"""

from __future__ import annotations

import asyncio

import grpc
import pytest
from by_hand import change_by_hand
from calls import fresh
from ledger import Ledger, kinds, payloads
from mail import advance
from uuid_utils import uuid4

LEASE = 2.0


@pytest.fixture
def overrides():
    return {
        "delivery": {
            "run_lease_seconds": LEASE,
            "heartbeat_seconds": 0.1,
            "sweep_seconds": 0.02,
            "failing_delay_seconds": 0.001,
            "failing_runs_max": 1000,
        }
    }


async def until(client, session, name: str, count: int = 1) -> list:
    """Wait until the session's log tells of something so often; return what it then says of it."""
    watching = client.subscribe(session_id=session.session_id)
    seen: list = []
    while kinds(seen).count(name) < count:
        seen += (await watching.next()).events
    watching.cancel()
    return payloads(seen, name)


def reference(run) -> dict[str, str]:
    return {"session_id": run.session_id, "run_id": run.run_id}


async def outlive(client, other, speak) -> None:
    """Speak for a run for twice as long as another lives that nobody speaks for."""
    for _ in range(2):
        silent = await client.run(other)
        watching = client.subscribe(session_id=other.session_id, after_seq=(await client.look(other)).last_seq)
        ended = asyncio.create_task(watching.events(1))
        while not ended.done():
            await speak()
            await asyncio.wait((ended,), timeout=LEASE / 8)
        (finished,) = payloads(ended.result(), "run_finished")
        assert (finished.run_id, finished.lease_lost) == (silent.run_id, True)
        watching.cancel()


async def test_heartbeats_keep_all_runs_of_a_runtime_alive(runtime):
    runs = [await runtime.run(await runtime.session()) for _ in range(3)]

    async def speak() -> None:
        answer = await runtime.runs.Heartbeat(runtime_id="the-runtime", runs=[reference(run) for run in runs])
        assert [(lease.run_id, lease.state, lease.stop_reason) for lease in answer.runs] == [
            (run.run_id, 1, 0) for run in runs
        ]

    await outlive(runtime, await runtime.session(), speak)


CALLS = {
    "a claim": lambda runtime, run, _child: runtime.claim(run, attempt_id="again and again"),
    "a send": lambda runtime, run, child: runtime.messaging.BatchSendMessages(
        **reference(run), sends=[{"tool_call_id": fresh("call"), "to": child.session_id, "body": "x"}]
    ),
    "a send that is refused": lambda runtime, run, child: runtime.messaging.BatchSendMessages(
        **reference(run), sends=[{"tool_call_id": "1", "to": child.session_id, "body": ""}]
    ),
    "a tool call that says nothing": lambda runtime, run, _child: runtime.tools.CallTool(
        **reference(run), tool_call_id=fresh("call"), name="send_message", arguments_json="{}"
    ),
    "a repeated start": lambda runtime, run, _child: runtime.start(run, client_run_id=run.client_run_id),
    "a delegation": lambda runtime, run, _child: runtime.session(run, parent_run_id=run.run_id),
}


@pytest.mark.parametrize("what", CALLS)
async def test_any_call_for_a_run_keeps_it_alive(runtime, what):
    parent = await runtime.session(rules={"child": "allow"})
    child = await runtime.session(parent)
    run = await runtime.run(parent)
    await outlive(runtime, await runtime.session(), lambda: CALLS[what](runtime, run, child))
    assert (await runtime.look(parent)).active_run_id == run.run_id


async def test_calls_that_name_no_run_keep_none_alive(runtime):
    """Reads of a session, people's mail to it, and an attached stream speak for nobody's run."""
    session = await runtime.session()
    attached = await runtime.attach("the-runtime")
    run = await runtime.run(session, runtime_id="the-runtime")
    told = asyncio.create_task(attached.told("run_stop"))
    while not told.done():
        await runtime.look(session)
        await runtime.user(session)
        await runtime.log(session_id=session.session_id)
        await asyncio.wait((told,), timeout=LEASE / 8)
    assert (told.result().run_id, told.result().reason) == (run.run_id, 2)
    attached.cancel()


async def test_a_lapse_interrupts_the_run_gives_its_mail_back_and_wakes_the_session(runtime, wire, refused):
    session = await runtime.session()
    sent = await runtime.user(session)
    started = await runtime.start(session, attempt_id="first")
    (finished,) = await until(runtime, session, "run_finished")
    assert (finished.outcome, finished.lease_lost, finished.by_person) == (wire.run.RUN_STATE_INTERRUPTED, True, False)
    log = await runtime.log(session_id=session.session_id)
    assert kinds(log)[-3:] == ["producer_messages_released", "run_finished", "wake_requested"]
    assert log[-3].producer_messages_released.reason == wire.run.RELEASE_REASON_LEASE_LOST
    look = await runtime.look(session)
    assert look.state == wire.session.SESSION_STATE_INTERRUPTED
    assert look.availability == wire.session.AVAILABILITY_OPEN
    # Whatever the lapsed run says now, it is too late, and it is told why.
    run = reference(started.run)
    claim_seq = started.claim.claim_seq
    for call, fields in (
        (runtime.runs.ClaimMessages, {"attempt_id": "first"}),
        (runtime.runs.CommitTurn, {"claim_seq": claim_seq}),
        (runtime.runs.ReleaseClaim, {"claim_seq": claim_seq}),
        (runtime.runs.FinishRun, {"outcome": wire.run.RUN_STATE_COMPLETED, "commit_claim_seq": claim_seq}),
        (runtime.runs.FinishRun, {"outcome": wire.run.RUN_STATE_INTERRUPTED}),
        (runtime.messaging.SendMessage, {"tool_call_id": "1", "to": str(uuid4()), "body": "x"}),
    ):
        with refused("run:lease_lost", grpc.StatusCode.FAILED_PRECONDITION):
            await call(**run, **fields)
    with refused("run:lease_lost"):
        await runtime.start(session, client_run_id=started.run.client_run_id, attempt_id="first")
    answer = await runtime.runs.Heartbeat(runtime_id="the-runtime", runs=[run])
    assert [(lease.state, lease.stop_reason) for lease in answer.runs] == [
        (wire.run.RUN_STATE_INTERRUPTED, wire.run.STOP_REASON_LEASE_LOST)
    ]
    again = await runtime.start(session, attempt_id="next")
    assert [message.message_id for message in again.claim.messages] == [sent.message_id]


async def test_a_lapse_without_mail_wakes_nobody(runtime):
    session = await runtime.session()
    await runtime.run(session)
    await until(runtime, session, "run_finished")
    assert kinds(await runtime.log(session_id=session.session_id)) == ["session_created", "run_started", "run_finished"]


async def test_a_committed_turn_stays_committed_when_its_run_lapses(runtime):
    session = await runtime.session()
    sent = await runtime.user(session)
    started = await runtime.start(session, attempt_id="first")
    await runtime.commit(started.run, started.claim)
    await until(runtime, session, "run_finished")
    assert await runtime.commit(started.run, started.claim) == [sent.message_id]  # its answer may have been lost
    Ledger(await runtime.log(session_id=session.session_id)).settled(sent.message_id)


@pytest.mark.parametrize("overrides", [{"delivery": {"run_lease_seconds": 60.0, "heartbeat_seconds": 0.1}}])
async def test_leases_begin_anew_after_a_restart(server, runtime):
    """The server was away for longer than the lease: that is nobody's silence. From then on it counts again."""
    session = await runtime.session()
    started = await runtime.start(session, attempt_id="first")
    await server.stop()
    assert change_by_hand(server.database, "UPDATE run SET lease_expire_time = 1") == 1  # long ago
    assert change_by_hand(server.database, "UPDATE session SET due_time = 1 WHERE due_time IS NOT NULL") == 1
    await server.start()
    runtime = server.client(runtime.secret)
    assert await runtime.claim(started.run, attempt_id="first") == started.claim
    advance(server, 100)
    (finished,) = await until(runtime, session, "run_finished")
    assert (finished.run_id, finished.lease_lost) == (started.run.run_id, True)


async def test_a_queued_child_becomes_wakeable_when_the_run_that_delegated_it_lapses(runtime, wire):
    """Nobody waits for a dead delegator; a child that another run delegated waits on."""
    parent, other = await runtime.session(), await runtime.session()
    run, living = await runtime.run(parent), await runtime.run(other)
    child = await runtime.session(
        parent, parent_run_id=run.run_id, starter=wire.session.STARTER_DELEGATOR, first_message="do this"
    )
    waits = await runtime.session(
        other, parent_run_id=living.run_id, starter=wire.session.STARTER_DELEGATOR, first_message="do that"
    )
    assert child.state == wire.session.SESSION_STATE_QUEUED
    assert kinds(await runtime.log(session_id=child.session_id)) == ["session_created", "producer_message_accepted"]
    attached = await runtime.attach()
    told = asyncio.create_task(attached.told("wake_offer"))
    while not told.done():
        await runtime.claim(living, attempt_id="speaks on")
        await asyncio.wait((told,), timeout=LEASE / 8)
    assert told.result().session_id == child.session_id
    (unqueued,) = payloads(await runtime.log(session_id=child.session_id), "session_unqueued")
    assert unqueued.reason == "the delegating run lapsed"
    assert (await runtime.look(waits)).state == wire.session.SESSION_STATE_QUEUED
    attached.cancel()


@pytest.mark.parametrize("overrides", [{"delivery": {"queued_start_seconds": 600.0, "run_lease_seconds": 7200.0}}])
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_queued_child_becomes_wakeable_when_its_delegator_takes_too_long(server, runtime, wire, restarted):
    parent = await runtime.session()
    run = await runtime.run(parent)
    delegated = {"parent_run_id": run.run_id, "starter": wire.session.STARTER_DELEGATOR}
    child = await runtime.session(parent, **delegated, first_message="do this")
    started = await runtime.session(parent, **delegated)
    await runtime.run(started)
    if restarted:
        await server.restart()
        runtime = server.client(runtime.secret)
    advance(server, 601)
    await until(runtime, child, "wake_requested")
    assert kinds(await runtime.log(session_id=child.session_id))[1:] == [
        "producer_message_accepted",
        "session_unqueued",
        "wake_requested",
    ]
    # One that was started in time is not touched.
    assert "session_unqueued" not in kinds(await runtime.log(session_id=started.session_id))


@pytest.mark.parametrize(
    "overrides",
    [{"delivery": {"queued_start_seconds": 2.0, "run_lease_seconds": 2.5, "heartbeat_seconds": 1.0}}],
)
async def test_deleted_sessions_do_not_stand_in_front_of_what_falls_due(runtime, wire):
    parent = await runtime.session()
    queued = [runtime.session(parent, starter=wire.session.STARTER_DELEGATOR) for _ in range(300)]
    children = await asyncio.gather(*queued)
    await asyncio.gather(*(runtime.sessions.DeleteSession(session_id=child.session_id) for child in children))
    session = await runtime.session()
    await runtime.run(session)
    (finished,) = await until(runtime, session, "run_finished")
    assert finished.lease_lost
