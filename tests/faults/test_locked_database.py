"""Another has locked the database: whoever sends waits, or is told to come again; nothing is half done.

SQLite's file has one lock. Of PostgreSQL's two are held here: that of all writers, and the last one of every commit.
One that is waited for in vain is waited for once more there, over a new connection, before a call is refused.
"""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest
from calls import Client, fresh, read_refusal
from grpc_health.v1 import health_pb2, health_pb2_grpc
from locked import BEGINNING, END, Locked
from running import ServerProcess

LAST_OF_POSTGRES = pytest.mark.only("postgres", because="SQLite has one lock, which a writer takes first")
HELD = pytest.mark.parametrize("held", [BEGINNING, pytest.param(END, marks=LAST_OF_POSTGRES)])

IMPATIENT = """
[storage]
busy_timeout_seconds = 0.1
[server]
health_seconds = 0.1
[delivery]
run_lease_seconds = 6.0
heartbeat_seconds = 0.5
sweep_seconds = 0.05
"""

PATIENT = IMPATIENT.replace("busy_timeout_seconds = 0.1", "busy_timeout_seconds = 20.0")


async def accepted(admin: Client) -> list[str]:
    """The ids of all messages in the log."""
    events = await admin.log(all=True)
    return [e.producer_message_accepted.message_id for e in events if e.HasField("producer_message_accepted")]


async def is_serving(process: ServerProcess, serving: bool) -> None:
    """Wait until health says so."""
    stub = health_pb2_grpc.HealthStub(process.admin.channel)
    expected = health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING
    watch = stub.Watch(health_pb2.HealthCheckRequest())
    async with asyncio.timeout(30):
        async for answer in watch:
            if answer.status == expected:
                break
    watch.cancel()


async def claim_at_last(admin: Client, run: Any) -> set[str]:
    """Claim, and come again until that was done; return the codes of the refusals."""
    told = set()
    while True:
        try:
            await admin.claim(run)
        except grpc.aio.AioRpcError as error:
            told.add(read_refusal(error).code)
            if told != {"storage:unavailable"}:
                raise
        else:
            return told


@pytest.mark.parametrize("settings", ["[storage]\nbusy_timeout_seconds = 20.0\n"], ids=["patient"])
@HELD
async def test_a_lock_of_three_seconds_is_waited_out(process: ServerProcess, held: str) -> None:
    """Sends take longer, and succeed within their deadline; reading goes on meanwhile."""
    admin = process.admin
    session = await admin.session(rules={"child": "allow"})
    child = await admin.session(session)
    run = await admin.run(session)
    async with Locked(process.database, held):
        sends = [asyncio.create_task(admin.user(child)) for _ in range(20)]
        sends += [asyncio.create_task(admin.send(run, child))]
        done, _ = await asyncio.wait(sends, timeout=3.0)
        assert not done
        assert await accepted(admin) == []
        assert (await admin.look(child)).pending_count == 0
    ids = [answer.message_id for answer in await asyncio.gather(*sends)]
    assert sorted(ids) == sorted(await accepted(admin))


@pytest.mark.parametrize("settings", [IMPATIENT], ids=["impatient"])
@HELD
async def test_a_lock_that_outlasts_the_patience_fails_retryably(process: ServerProcess, held: str) -> None:
    """Each refusal says when to come again, and nothing of it is stored; repeated, each call is one message.

    Health asks whether somebody can begin to write; that a commit cannot end is found by whoever has something to say.
    """
    admin = process.admin
    child = await admin.session()
    calls = [{"client_message_id": fresh("user"), "body": fresh("body")} for _ in range(20)]
    async with Locked(process.database, held):
        results = await asyncio.gather(*(admin.user(child, **call) for call in calls), return_exceptions=True)
        for result in results:
            told = read_refusal(result)
            assert (told.code, told.grpc_code) == ("storage:unavailable", grpc.StatusCode.UNAVAILABLE)
            assert told.retry_seconds
        assert await accepted(admin) == []
        if held == BEGINNING:
            await is_serving(process, serving=False)
    await is_serving(process, serving=True)
    repeated = [await admin.user(child, **call) for call in calls]
    assert [answer.replayed for answer in repeated] == [False] * 20
    assert [answer.message_id for answer in repeated] == await accepted(admin)


@pytest.mark.parametrize("settings", [IMPATIENT, PATIENT], ids=["impatient", "patient"])
@HELD
async def test_leases_do_not_run_while_the_store_is_away(process: ServerProcess, settings: str, held: str) -> None:
    """A lease of 6 s outlives a lock of 8 s, be it refused or waited out: no runtime could renew it."""
    admin = process.admin
    sessions = [await admin.session() for _ in range(2)]
    lock = Locked(process.database, held)
    await lock.prepare()
    run, other = [await admin.run(session) for session in sessions]
    async with lock:
        waiting = asyncio.create_task(claim_at_last(admin, run))
        done, _ = await asyncio.wait([waiting], timeout=8.0)
        assert not done
    assert await waiting == ({"storage:unavailable"} if settings == IMPATIENT else set())
    await admin.claim(run)
    # Nobody asks for the other one any more: its lease begins anew, and lapses.
    log = admin.subscribe(session_id=other.session_id)
    finished = await log.until(lambda frame: any(event.HasField("run_finished") for event in frame.events))
    assert finished.events[-1].run_finished.lease_lost


@HELD
async def test_a_deadline_against_a_stalled_store_then_a_repeat_is_one_message(
    process: ServerProcess, held: str
) -> None:
    """Whether the call that ran out of time was on its way into a batch or still waited, its repeat decides."""
    admin = process.admin
    parent = await admin.session(rules={"child": "allow"})
    child = await admin.session(parent)
    run = await admin.run(parent)

    def call(number: int, seconds: float) -> Any:
        if number % 2:
            return admin.messaging.SendUserMessage(
                session_id=child.session_id, client_message_id=f"user-{number}", body="hello", seconds=seconds
            )
        return admin.messaging.SendMessage(
            session_id=parent.session_id,
            run_id=run.run_id,
            tool_call_id=f"call-{number}",
            to=child.session_id,
            body="hello",
            seconds=seconds,
        )

    async with Locked(process.database, held):
        # One after the other, so that some find the committer free and others find it stalled.
        for number in range(8):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(number, 0.05)
            assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert await accepted(admin) == []
    first = [(await call(number, 20.0)).accepted for number in range(8)]
    again = [(await call(number, 20.0)).accepted for number in range(8)]
    ids = [answer.message_id for answer in first]
    assert ids == [answer.message_id for answer in again]
    assert sorted(ids) == sorted(await accepted(admin))
    assert sum(answer.replayed for answer in first) <= 1  # those that still waited when their caller left were dropped
    assert all(answer.replayed for answer in again)
