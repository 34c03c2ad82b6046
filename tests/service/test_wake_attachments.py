"""A runtime's attachment: what it is told first, what it takes along, and what becomes of its offers when it goes."""

from __future__ import annotations

import asyncio
import contextlib
import time

import grpc
import pytest
from calls import fresh
from kinpost_server.engine.ports import StoreFailed
from ledger import Ledger, came, kinds, payloads
from locked import Locked
from mail import advance

CANCELLED, LEASE_LOST, NOT_OPEN, DELETED = 1, 2, 3, 4
# Nothing comes to the help of an offer that is not made when it should be: no look at everything, no lapse of another.
SLOW = {"offer_seconds": 3600.0, "reconcile_seconds": 3600.0, "sweep_seconds": 0.02}
SLOW |= {"run_lease_seconds": 7200.0, "heartbeat_seconds": 3600.0}


@pytest.fixture
def overrides():
    return {"delivery": dict(SLOW)}


@pytest.fixture
async def session(runtime):
    return await runtime.session()


async def answered(client) -> None:
    """Have the service do a command, and so all that it does of itself before the next one, as offering wakes."""
    await client.runs.Heartbeat(runtime_id=fresh("nobody"))


def reference(run) -> dict[str, str]:
    return {"session_id": run.session_id, "run_id": run.run_id}


@pytest.mark.parametrize("overrides", [{"delivery": {"run_lease_seconds": 127.5, "heartbeat_seconds": 42.5}}])
async def test_the_first_that_a_runtime_is_told_is_that_it_is_attached(runtime, session):
    """Also when offers wait for it; it learns how often to report, and how long its leases are."""
    await runtime.user(session)
    attached = await runtime.attach()
    await attached.told("wake_offer")
    assert [frame.WhichOneof("message") for frame in attached.seen] == ["attached", "wake_offer"]
    assert attached.attached.heartbeat_interval.ToMilliseconds() == 42500
    assert attached.attached.run_lease.ToMilliseconds() == 127500
    attached.cancel()


async def test_a_runtime_that_attaches_anew_is_told_of_its_offers_again(runtime, session, refused):
    first = await runtime.attach("the-runtime")
    await runtime.user(session)
    offer = await first.told("wake_offer")
    second = await runtime.attach("the-runtime")
    with refused("runtime:replaced", grpc.StatusCode.ABORTED):
        await first.ended()
    again = await second.told("wake_offer")
    assert (again.wake_id, again.offer_number, again.expire_time) == (offer.wake_id, 1, offer.expire_time)
    run = (await runtime.start(session, wake_id=offer.wake_id)).run
    await runtime.finish(run, "FAILED")
    assert kinds(await runtime.log(session_id=session.session_id)).count("wake_failed") == 0
    second.cancel()


async def test_held_runs_take_slots_and_are_stopped_through_the_new_attachment(server, runtime, session):
    first = await runtime.attach("the-runtime", run_slots_max=1)
    run = await runtime.run(session, runtime_id="the-runtime")
    waiting = await runtime.session()
    await runtime.user(waiting)
    second = await runtime.attach("the-runtime", run_slots_max=1, held_runs=[reference(run)])
    assert list(second.attached.stopped_runs) == []
    await answered(runtime)
    assert kinds(await runtime.log(session_id=waiting.session_id))[-1] == "wake_requested"
    await server.admin.runs.CancelRun(session_id=session.session_id)
    stop = await second.told("run_stop")
    assert (stop.session_id, stop.run_id, stop.reason) == (session.session_id, run.run_id, CANCELLED)
    assert (await second.told("wake_offer")).session_id == waiting.session_id
    first.cancel()
    second.cancel()


async def test_a_run_that_was_taken_along_takes_its_slot_when_slots_are_counted_anew(server, runtime, session):
    """As they are after a batch that was not stored."""
    run = await runtime.run(session, runtime_id="before")
    attached = await runtime.attach("after", run_slots_max=1, held_runs=[reference(run)])
    for engine in server.engines:
        engine._committer._held_unknown = True
    waiting = await runtime.session()
    await runtime.user(waiting)
    await answered(runtime)
    assert kinds(await runtime.log(session_id=waiting.session_id))[-1] == "wake_requested"
    await runtime.finish(run)
    assert (await attached.told("wake_offer")).session_id == waiting.session_id
    attached.cancel()


@pytest.mark.only("sqlite", "postgres", because="what is not stored at one replica replaces nobody at the other")
async def test_who_is_replaced_in_a_batch_that_is_not_stored_is_told_all_the_same(
    server, runtime, session, refused, monkeypatch, service_log
):
    """It would wait for offers that nobody makes it: the place is its successor's, who comes again."""
    first = await runtime.attach("the-runtime")
    with monkeypatch.context() as patched:
        for engine in server.engines:
            patched.setattr(type(engine._committer.store), "commit", out_of_order)
        with refused("storage:unavailable", grpc.StatusCode.UNAVAILABLE):
            await runtime.attach("the-runtime")
    await runtime.user(session)
    service_log[:] = [entry for entry in service_log if entry["event"] != "service_command_failed"]
    with refused("runtime:replaced", grpc.StatusCode.ABORTED):
        await first.ended()
    second = await runtime.attach("the-runtime")
    assert (await second.told("wake_offer")).session_id == session.session_id
    second.cancel()


def out_of_order(_store: object) -> None:
    raise StoreFailed("the disk is gone")


@pytest.mark.parametrize("held", [True, False])
async def test_after_a_restart_the_runs_that_a_runtime_holds_are_those_it_names(server, runtime, session, held):
    """One that comes back without a run has lost it: the lease will tell, and no slot waits for that."""
    run = await runtime.run(session, runtime_id="the-runtime")
    waiting = await runtime.session()
    await runtime.user(waiting)
    await server.restart()
    runtime = server.client(runtime.secret)
    held_runs = [reference(run)] if held else []
    attached = await runtime.attach("the-runtime", run_slots_max=1, held_runs=held_runs)
    if held:
        await answered(runtime)
        assert kinds(await runtime.log(session_id=waiting.session_id))[-1] == "wake_requested"
        await runtime.finish(run)
    assert (await attached.told("wake_offer")).session_id == waiting.session_id
    assert (await runtime.look(session)).active_run_id == ("" if held else run.run_id)
    attached.cancel()


async def test_held_runs_that_are_over_are_told_at_once_with_the_reason(server, runtime):
    cancelled, finished, deleted = [await runtime.run(await runtime.session()) for _ in range(3)]
    foreign = await (other := await server.make_token("runtime")).run(await other.session())
    await runtime.runs.CancelRun(session_id=cancelled.session_id)
    await runtime.finish(finished)
    await runtime.finish(deleted)
    await runtime.sessions.DeleteSession(session_id=deleted.session_id)
    held = [reference(run) for run in (cancelled, finished, deleted, foreign)]
    attached = await runtime.attach(held_runs=held)
    stopped = {stop.run_id: stop.reason for stop in attached.attached.stopped_runs}
    assert stopped == {
        cancelled.run_id: CANCELLED,
        finished.run_id: 0,
        deleted.run_id: DELETED,
        foreign.run_id: DELETED,
    }
    attached.cancel()


LAPSING = {**SLOW, "run_lease_seconds": 0.2, "heartbeat_seconds": 0.1, "failing_delay_seconds": 0.01}


@pytest.mark.parametrize("overrides", [{"delivery": LAPSING}])
async def test_a_lapse_is_told_on_the_stream_and_the_mail_is_offered_again(runtime, session):
    attached = await runtime.attach("the-runtime")
    await runtime.user(session)
    offer = await attached.told("wake_offer")
    run = (await runtime.start(session, wake_id=offer.wake_id, attempt_id="first")).run
    stop = await attached.told("run_stop")
    assert (stop.session_id, stop.run_id, stop.reason) == (session.session_id, run.run_id, LEASE_LOST)
    anew = await runtime.attach("the-runtime", held_runs=[reference(run)])
    assert anew.attached.stopped_runs[0] == stop
    again = await anew.told("wake_offer")
    assert again.session_id == session.session_id
    assert again.wake_id != offer.wake_id
    anew.cancel()
    attached.cancel()


@pytest.mark.only("sqlite", "postgres", because="which runtime is offered a wake first is each replica's own choice")
@pytest.mark.parametrize("how", ["cancel", "drop"])
async def test_a_runtime_whose_stream_is_cut_loses_its_offers_to_another_at_once(server, runtime, how):
    """The offers would stand for an hour, and a look at everything is as far away."""
    leaving = server.client(runtime.secret)
    gone = await leaving.attach("gone", agents=["explore"])
    stays = await runtime.attach("stays", run_slots_max=3)
    sessions = [await runtime.session() for _ in range(3)]
    for session in sessions:
        await runtime.user(session)
        assert (await gone.told("wake_offer")).session_id == session.session_id
    taken = await leaving.start(sessions[0], wake_id=gone.seen[-3].wake_offer.wake_id)
    if how == "cancel":
        gone.cancel()
    else:
        await leaving.close()
        server.clients.remove(leaving)
    found = {offer.session_id: offer.offer_number for offer in [await stays.told("wake_offer") for _ in range(2)]}
    assert found == dict.fromkeys([session.session_id for session in sessions[1:]], 2)
    (failed,) = payloads(await runtime.log(session_id=sessions[1].session_id), "wake_failed")
    assert (failed.runtime_id, failed.reason) == ("gone", "the runtime is gone")
    # What it runs lives on under its lease: the runtime may come back, under any connection.
    await runtime.finish(taken.run, "FAILED")
    assert (await stays.told("wake_offer")).session_id == sessions[0].session_id
    stays.cancel()


@pytest.mark.parametrize("overrides", [{"delivery": SLOW, "storage": {"busy_timeout_seconds": 1.0}}])
async def test_a_runtime_that_leaves_while_the_store_is_away_is_offered_nothing_later(
    server, runtime, session, service_log
):
    gone = await runtime.attach("gone", agents=["explore"])
    async with Locked(server.database):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await runtime.user(session)
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
        gone.cancel()
        await came(lambda: not any(engine._attached for engine in server.engines))
        with pytest.raises(grpc.aio.AioRpcError):
            await runtime.user(session)
    await came(lambda: not any(engine._committer.runtimes.attachments for engine in server.engines))
    await came(lambda: all(engine.healthy for engine in server.engines))
    await runtime.user(session)
    await answered(runtime)
    assert kinds(await runtime.log(session_id=session.session_id))[-1] == "wake_requested"
    stays = await runtime.attach("stays")
    assert (await stays.told("wake_offer")).session_id == session.session_id
    stays.cancel()
    service_log[:] = [entry for entry in service_log if entry["event"] != "service_command_failed"]


async def test_runtimes_that_come_and_go_all_the_time_lose_no_wake(server, runtime):
    """Thirty sessions, two runtimes that leave after each run, with offers in hand: all mail is consumed, once."""
    sessions = [await runtime.session() for _ in range(30)]
    left = {(await runtime.user(session)).message_id for session in sessions}
    sent, done = set(left), asyncio.Event()

    async def host(name: str) -> None:
        while not done.is_set():
            attached = await runtime.attach(name, run_slots_max=3)
            told = asyncio.create_task(attached.told("wake_offer"))
            over = asyncio.create_task(done.wait())
            await asyncio.wait((told, over), return_when=asyncio.FIRST_COMPLETED)
            if told.done():
                await work(told.result())
            attached.cancel()
            told.cancel()
            over.cancel()

    async def work(offer) -> None:
        wake = {"session_id": offer.session_id, "wake_id": offer.wake_id}
        started = await runtime.runs.StartRun(**wake, attempt_id=fresh("attempt"))
        left.difference_update(await runtime.commit(started.run, started.claim))
        await runtime.finish(started.run)
        if not left:
            done.set()

    await asyncio.gather(host("one"), host("two"))
    ledger = Ledger(await server.admin.log(all=True))
    ledger.settled(*sent)
    assert ledger.of("consumed") == sent


@pytest.mark.only(
    "sqlite",
    "postgres",
    because="a replica that offers nothing ends the stream with its heartbeat, as in the next test",
)
@pytest.mark.parametrize("how", ["revoked", "expired"])
async def test_a_runtime_whose_token_ends_is_told_nothing_more_and_its_offers_go_to_another(
    server, runtime, session, refused, how
):
    """Its own calls are refused from then on: what it is offered would only be lost time."""
    other = await server.make_token("runtime")
    more = {"expire_time": {"seconds": int(time.time()) + 600}} if how == "expired" else {}
    ending = await server.make_token("runtime", **more)
    attached = await ending.attach("ending", agents=["explore"], session_scope=2)
    waits = await other.attach("waits", agents=["*"], session_scope=2, run_slots_max=1)
    ended = asyncio.create_task(attached.ended())
    if how == "revoked":
        await server.revoke(ending.token_id)
    else:
        advance(server, 601)
        with contextlib.suppress(grpc.aio.AioRpcError):
            while True:
                await ending.runs.Heartbeat(runtime_id="ending")
                await asyncio.wait((ended,), timeout=0.05)
    await runtime.user(session)
    assert (await waits.told("wake_offer")).session_id == session.session_id
    with refused("auth:unauthenticated", grpc.StatusCode.UNAUTHENTICATED):
        await ended
    assert [frame.WhichOneof("message") for frame in attached.seen] == ["attached"]
    waits.cancel()


@pytest.mark.parametrize("overrides", [{"delivery": {"heartbeat_seconds": 0.1}}])
async def test_a_quiet_attachment_ends_with_its_token_too(server, refused):
    ending = await server.make_token("runtime")
    attached = await ending.attach()
    await server.revoke(ending.token_id)
    with refused("auth:unauthenticated", grpc.StatusCode.UNAUTHENTICATED):
        await attached.ended()
