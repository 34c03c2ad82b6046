"""A replica that hears nothing of the others, or late because of others' reads, and a log that has lost its end.

The streams of the first would go on saying that nothing is new: they are ended, so that clients go to another replica.
"""

from __future__ import annotations

import asyncio
import threading

import grpc
import pytest
from by_hand import change_by_hand
from gatekeeper import Gatekeeper
from kinpost_server.domain.errors import StorageUnavailable
from kinpost_server.engine.replica_ports import News
from kinpost_server.store.locking import tree_key
from ledger import came, payloads
from postgres_server import connected

often = pytest.mark.parametrize("poll_seconds", [0.1])
WAITS = """
    SELECT waitstart FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND waitstart IS NOT NULL
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


async def away(*_arguments: object) -> None:
    """Read nothing."""
    raise StorageUnavailable(retry_after_seconds=1.0)


@often
async def test_the_streams_of_a_replica_that_hears_nothing_end_and_new_ones_stay_once_it_does(
    pair, runtimes, refused, monkeypatch, service_log
):
    follower = pair.a.engine._follower
    session = await runtimes.a.session()
    plugin = await pair.token("plugin", plugin_name="guard")
    attached = await runtimes.a.attach("the-runtime")
    stream = runtimes.a.subscribe(session_id=session.session_id)
    guard = await Gatekeeper(plugin.a).begin("send_message")
    await stream.next()
    follower.silence_seconds = 0.2
    with monkeypatch.context() as patched:
        patched.setattr(follower, "_read", away)
        for told in (attached.ended(), stream.ended(), guard.told()):
            with refused("storage:unavailable", grpc.StatusCode.UNAVAILABLE):
                await told
    assert "cut_off" in {entry["event"] for entry in service_log}
    await came(lambda: not follower._doubtful)
    follower.silence_seconds = 60.0  # however slow this machine is
    attached = await runtimes.a.attach("the-runtime")
    stream = runtimes.a.subscribe(session_id=session.session_id)
    await runtimes.b.user(session)
    assert (await attached.told("wake_offer")).session_id == session.session_id
    await stream.until(lambda frame: payloads(frame.events, "producer_message_accepted"))


@often
async def test_who_cannot_see_the_plugins_elsewhere_hears_of_a_revocation_all_the_same(pair, monkeypatch):
    """Each look is made, whatever the others come to. No hint helps."""
    pair.b.engine._replicas.tell = lambda _news: None
    monkeypatch.setattr(pair.a.engine._follower._gates, "look", away)
    observer = await pair.token("observer")
    await pair.admin.b.admin.RevokeToken(token_id=observer.a.token_id)
    await came(lambda: pair.a.engine.tokens.get(observer.a.token_id).revoke_time is not None)


@often
async def test_a_plugin_of_which_others_cannot_hear_is_not_taken_in(pair, refused, monkeypatch):
    """It would be told that it sees every call, and calls at the other replica would pass it by."""
    plugin = await pair.token("plugin", plugin_name="guard")
    gates = pair.a.engine._follower._gates
    monkeypatch.setattr(gates, "_show", away)
    guard = Gatekeeper(plugin.a)
    with refused("storage:unavailable", grpc.StatusCode.UNAVAILABLE):
        await (await guard.begin("send_message")).told()
    monkeypatch.undo()
    guard = await Gatekeeper(plugin.a).begin("send_message")
    monkeypatch.setattr(gates, "_show", away)
    monkeypatch.setattr(gates, "_shown_seconds", 0.0)  # as after a long time
    with refused("storage:unavailable", grpc.StatusCode.UNAVAILABLE):
        await guard.told()


@often
async def test_a_fault_in_one_look_does_not_end_the_looking(pair, runtimes, monkeypatch, service_log):
    follower, faults = pair.a.engine._follower, []

    async def fail() -> None:
        faults.append(1)
        raise TypeError("a row of a newer release")

    with monkeypatch.context() as patched:
        patched.setattr(follower, "_take_tokens", fail)
        await came(lambda: faults)
    session = await runtimes.a.session()
    stream = runtimes.a.subscribe(session_id=session.session_id)
    await runtimes.b.user(session)
    await stream.until(lambda frame: payloads(frame.events, "producer_message_accepted"))
    assert "follower_fault" in {entry["event"] for entry in service_log}
    service_log[:] = [entry for entry in service_log if entry["event"] != "follower_fault"]


async def test_long_reads_of_callers_do_not_stand_in_front_of_hearing_and_of_health(pair, runtimes):
    """All threads that read for callers are busy: streams of what has been heard, offers and health do not wait."""
    session = await runtimes.a.session()
    attached = await runtimes.a.attach("the-runtime")
    stream = runtimes.a.subscribe(session_id=session.session_id)
    await stream.next()
    done = threading.Event()
    reads = [asyncio.ensure_future(pair.a.engine._read(done.wait)) for _ in range(16)]
    try:
        await runtimes.b.user(session)
        assert (await attached.told("wake_offer")).session_id == session.session_id
        await stream.until(lambda frame: payloads(frame.events, "producer_message_accepted"))
        assert await pair.a.engine.ping()
    finally:
        done.set()
    await asyncio.gather(*reads)


@often
@pytest.mark.parametrize("how", ["it is shorter", "it went on otherwise"])
async def test_who_was_sent_what_the_log_has_lost_is_told(pair, runtimes, refused, postgres_url, how):
    """As when another server of the database takes over that had not heard of everything. The next ones begin anew."""
    session = await runtimes.a.session()
    other = await runtimes.a.session()
    await runtimes.a.user(session)
    stream = runtimes.a.subscribe(session_id=session.session_id)
    await stream.until(lambda frame: payloads(frame.events, "wake_requested"))
    position = pair.a.engine._hub.last_position
    if how == "it is shorter":
        change_by_hand(postgres_url, f"DELETE FROM event WHERE position = {position}")
    else:
        change_by_hand(
            postgres_url,
            f"UPDATE event SET data = (SELECT data FROM event WHERE position = 1) WHERE position = {position}",
        )
    with refused("events:cursor_out_of_range", grpc.StatusCode.OUT_OF_RANGE):
        await stream.ended()
    again = runtimes.a.subscribe(session_id=other.session_id)
    await again.until(lambda frame: payloads(frame.events, "session_created"))


async def test_a_run_that_ends_elsewhere_while_slots_are_counted_anew_is_told_to_stop(pair, runtimes):
    """As after a batch that was not stored: by the count nobody holds it any more, and nobody has told its runtime."""
    pair.b.engine._replicas.tell = lambda _news: None
    attached = await runtimes.a.attach("the-runtime")
    session = await runtimes.a.session()
    run = await runtimes.a.run(session, runtime_id="the-runtime")
    await runtimes.b.runs.CancelRun(session_id=session.session_id, run_id=run.run_id)
    pair.a.engine._committer._held_unknown = True
    await runtimes.a.runs.Heartbeat(runtime_id="the-runtime")
    stop = await attached.told("run_stop")
    assert (stop.session_id, stop.run_id) == (session.session_id, run.run_id)
    pair.a.engine._follower._take_hint({News.EVENTS})
    await runtimes.a.runs.Heartbeat(runtime_id="the-runtime")
    assert pair.a.engine._committer.runtimes.held_count == 0


@pytest.mark.parametrize("overrides", [{"storage": {"busy_timeout_seconds": 6.0}}])
async def test_a_lock_that_another_holds_for_long_is_waited_for_once_more(pair, runtimes, postgres_url, service_log):
    """That somebody else is slow says nothing of the database: health stands, and no lease begins anew for it."""
    session = await runtimes.a.session()
    key = tree_key(session.session_id)
    with connected(postgres_url) as outside:
        outside.execute("BEGIN")
        outside.execute("SELECT pg_advisory_xact_lock(%s)", [key])
        sending = asyncio.create_task(runtimes.a.user(session))
        waits = set()

        def waited_twice() -> bool:
            waits.update(outside.execute(WAITS).fetchall())
            return len(waits) > 1

        await came(waited_twice)
        outside.execute("ROLLBACK")
        assert (await sending).message_id
    assert "store_failed" not in {entry["event"] for entry in service_log}
    assert pair.a.engine.healthy
