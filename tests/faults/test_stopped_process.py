"""The server stands still for a while, as on a machine that sleeps or swaps, and goes on as if nothing had been."""

from __future__ import annotations

import asyncio
import signal

import grpc
import pytest
from calls import fresh
from kinpost.v1 import event_service_pb2, event_service_pb2_grpc, run_pb2
from kinpost_client import channel
from running import ServerProcess

SHORT_LEASES = """
[delivery]
run_lease_seconds = 6.0
heartbeat_seconds = 0.3
sweep_seconds = 0.05
"""


@pytest.mark.parametrize("settings", [SHORT_LEASES], ids=["short leases"])
async def test_a_standstill_costs_neither_runs_nor_mail_nor_events(process: ServerProcess) -> None:
    """Calls that ran out of time are repeated: one message each. A run lives on, though its lease is the shorter."""
    admin = process.admin
    child = await admin.session()
    other = await admin.session()
    watching = admin.subscribe(session_id=child.session_id)
    await watching.next()
    ids = {(await admin.user(child, body)).message_id: body for body in map(str, range(10))}
    run = await admin.run(other)
    process.signal(signal.SIGSTOP)
    calls = [{"client_message_id": fresh("user"), "body": fresh("body")} for _ in range(10)]
    impatient = [
        asyncio.ensure_future(admin.messaging.SendUserMessage(session_id=child.session_id, **call, seconds=0.2))
        for call in calls
    ]
    patient = asyncio.create_task(admin.claim(run))
    await asyncio.wait([patient], timeout=8.0)
    await asyncio.wait(impatient)
    assert not patient.done()
    for task in impatient:
        failure = task.exception()
        assert isinstance(failure, grpc.aio.AioRpcError)
        assert failure.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    process.signal(signal.SIGCONT)
    claim = await patient
    finished = await admin.finish(run, commit_claim_seq=claim.claim_seq)
    assert finished.run.state == run_pb2.RUN_STATE_COMPLETED
    for call in calls:
        first, again = await admin.user(child, **call), await admin.user(child, **call)
        assert first.message_id == again.message_id
        ids[first.message_id] = call["body"]
    events = [event for frame in watching.seen for event in frame.events]
    while events[-1].seq < (await admin.look(child)).last_seq:
        events += (await watching.next()).events
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    mail = [event.producer_message_accepted for event in events if event.HasField("producer_message_accepted")]
    assert {message.message_id: message.body for message in mail} == ids
    assert len(mail) == 20


@pytest.mark.parametrize("settings", ["[server]\nclient_ping_seconds_min = 1.0\n"], ids=["pings allowed"])
async def test_a_client_notices_that_the_server_stands_still(
    process: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quiet stream ends when a ping is not answered in time; gRPC alone would wait for a minute."""
    monkeypatch.setattr(channel, "KEEPALIVE_SECONDS", 1)
    monkeypatch.setattr(channel, "KEEPALIVE_TIMEOUT_SECONDS", 5)
    opened = channel.open_channel(process.address, tls=None, root_certificates=None)
    metadata = (("authorization", f"Bearer {process.admin_secret}"),)
    request = event_service_pb2.SubscribeEventsRequest(all=True)
    watching = event_service_pb2_grpc.EventServiceStub(opened).SubscribeEvents(request, metadata=metadata)
    await watching.read()
    process.signal(signal.SIGSTOP)
    async with asyncio.timeout(30):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await watching.read()
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    await opened.close()
