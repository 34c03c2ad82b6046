"""What one replica did to a session, and the other decides on before it has read of it: no notice is lost over that."""

from __future__ import annotations

import asyncio

import pytest
from calls import fresh
from kinpost.v1 import session_pb2
from kinpost_server.engine.ports import StoreFailed
from kinpost_server.engine.replica_ports import News
from kinpost_server.engine.settings import SECOND
from ledger import came
from postgres_server import connected

# Nothing comes to the help of a notice that is not given when it should be: no lapse, no heartbeat.
SLOW = {"offer_seconds": 3600.0, "reconcile_seconds": 3600.0, "run_lease_seconds": 7200.0, "heartbeat_seconds": 3600.0}
CANCELLED = 1  # of the reasons to stop
SETTLED, NOT_DUE = 1, 2  # of those to withdraw


@pytest.fixture
def overrides():
    return {"delivery": SLOW}


async def deaf(pair, runtimes):
    """Let A hear nothing of B; return a runtime of A with a run that it started there, and the run's session."""
    attached = await runtimes.a.attach("the-runtime")
    session = await runtimes.a.session()
    run = await runtimes.a.run(session, runtime_id="the-runtime")
    pair.b.engine._replicas.tell = lambda _news: None
    return attached, session, run


async def offered(pair, runtimes, runtime_id):
    """Let A hear nothing of B; return a runtime of A, a session that it was offered, and the offer."""
    pair.b.engine._replicas.tell = lambda _news: None
    attached = await runtimes.a.attach(runtime_id)
    session = await runtimes.a.session()
    await runtimes.a.user(session)
    return attached, session, await attached.told("wake_offer")


async def test_a_run_that_ended_elsewhere_is_told_to_stop_though_the_session_is_offered_anew_first(pair, runtimes):
    """A decides on the session before it has read what B did: what its runtime was to be told is not forgotten."""
    attached, session, run = await deaf(pair, runtimes)
    await runtimes.b.runs.CancelRun(session_id=session.session_id, run_id=run.run_id)
    await runtimes.a.user(session)
    offer, stop = await attached.told("wake_offer"), await attached.told("run_stop")
    assert (offer.session_id, stop.run_id, stop.reason) == (session.session_id, run.run_id, CANCELLED)
    started = await runtimes.a.start(session, wake_id=offer.wake_id, attempt_id=fresh("attempt"))
    await runtimes.a.commit(started.run, started.claim)
    await runtimes.a.finish(started.run)
    assert [notice.WhichOneof("message") for notice in attached.seen[1:]] == ["wake_offer", "run_stop"]


async def test_a_run_that_ended_elsewhere_is_told_to_stop_though_another_has_begun_there(pair, runtimes):
    """What ended and what began reach A as one page; and the same where A starts the other run itself."""
    attached, session, run = await deaf(pair, runtimes)
    await runtimes.b.runs.CancelRun(session_id=session.session_id, run_id=run.run_id)
    second = await runtimes.b.run(session, runtime_id="the-runtime")
    pair.a.engine._follower._take_hint({News.EVENTS})
    stop = await attached.told("run_stop")
    assert (stop.run_id, stop.reason) == (run.run_id, CANCELLED)
    await runtimes.b.runs.CancelRun(session_id=session.session_id, run_id=second.run_id)
    await runtimes.a.run(session, runtime_id="the-runtime")
    stop = await attached.told("run_stop")
    assert (stop.run_id, stop.reason) == (second.run_id, CANCELLED)


async def test_an_offer_that_was_settled_elsewhere_is_withdrawn_though_another_is_made_first(pair, runtimes):
    """A person paused the session and opened it again: A offers its next wake before it has read that."""
    attached, session, offer = await offered(pair, runtimes, "the-runtime")
    for availability in (session_pb2.AVAILABILITY_PAUSED, session_pb2.AVAILABILITY_OPEN):
        await pair.admin.b.sessions.SetAvailability(session_id=session.session_id, availability=availability)
    await runtimes.a.user(session)
    again = await attached.told("wake_offer")
    withdrawn = await attached.told("wake_withdrawn")
    assert again.wake_id != offer.wake_id
    assert (withdrawn.wake_id, withdrawn.reason) == (offer.wake_id, NOT_DUE)


async def test_a_stop_that_was_told_is_not_told_again_when_its_events_are_read_with_others(pair, runtimes, monkeypatch):
    """What A did itself waits in the log behind an event of B's: A reads it as it reads B's."""
    attached = await runtimes.a.attach("the-runtime")
    session, other = await runtimes.a.session(), await runtimes.a.session()
    follower, may_look = pair.a.engine._follower, asyncio.Event()
    look = follower._look_at

    async def look_late(news: set[News]) -> None:
        await may_look.wait()
        await look(news)

    monkeypatch.setattr(follower, "_look_at", look_late)
    await runtimes.b.user(other)
    run = await runtimes.a.run(session, runtime_id="the-runtime")
    await runtimes.a.runs.CancelRun(session_id=session.session_id, run_id=run.run_id)
    assert (await attached.told("run_stop")).run_id == run.run_id
    assert (await attached.told("wake_offer")).session_id == other.session_id
    may_look.set()
    await came(lambda: pair.a.engine._hub.last_position >= pair.b.engine._reader.last_position())
    await pair.a.engine._committer_idle()
    await runtimes.a.user(session)
    assert (await attached.told("wake_offer")).session_id == session.session_id
    told = [notice.WhichOneof("message") for notice in attached.seen[1:]]
    assert told == ["run_stop", "wake_offer", "wake_offer"]


@pytest.fixture
def fail_once(pair, monkeypatch):
    """Let A's next batch that writes fail, before or after it is stored."""

    def fail(what: str) -> None:
        store, call = pair.a.engine._committer.store, getattr(pair.a.engine._committer.store, what)

        def fails(*arguments: object) -> None:
            monkeypatch.setattr(store, what, call)
            if what == "commit":
                call(*arguments)
            raise StoreFailed("cut")

        monkeypatch.setattr(store, what, fails)

    return fail


@pytest.mark.parametrize("another_begins", [False, True])
async def test_what_a_batch_that_was_not_stored_let_go_of_is_not_forgotten(
    pair, runtimes, refused, fail_once, another_begins
):
    """The runtime knows of its run still; somebody else ends it before A has counted anew who holds what."""
    attached, session, run = await deaf(pair, runtimes)
    cancel = {"session_id": session.session_id, "run_id": run.run_id}
    fail_once("write")
    with refused("storage:unavailable"):
        await runtimes.a.runs.CancelRun(**cancel)
    await runtimes.b.runs.CancelRun(**cancel)
    if another_begins:
        await runtimes.b.run(session, runtime_id="the-runtime")
    await runtimes.a.runs.Heartbeat(runtime_id="the-runtime")
    stop = await attached.told("run_stop")
    assert (stop.run_id, stop.reason) == (run.run_id, CANCELLED)


async def test_an_offer_whose_start_was_not_stored_is_withdrawn_when_it_ends_elsewhere(
    pair, runtimes, refused, fail_once
):
    attached, session, offer = await offered(pair, runtimes, "the-runtime")
    fail_once("write")
    with refused("storage:unavailable"):
        await runtimes.a.start(session, wake_id=offer.wake_id)
    await pair.admin.b.sessions.SetAvailability(
        session_id=session.session_id, availability=session_pb2.AVAILABILITY_PAUSED
    )
    await runtimes.a.runs.Heartbeat(runtime_id="the-runtime")
    withdrawn = await attached.told("wake_withdrawn")
    assert (withdrawn.wake_id, withdrawn.reason) == (offer.wake_id, NOT_DUE)
    assert [notice.WhichOneof("message") for notice in attached.seen[1:]] == ["wake_offer", "wake_withdrawn"]


async def test_an_offer_that_was_stored_by_a_batch_that_seemed_to_fail_is_told(pair, runtimes, refused, fail_once):
    attached = await runtimes.a.attach("the-runtime")
    session = await runtimes.a.session()
    fail_once("commit")
    with refused("storage:unavailable"):
        await runtimes.a.user(session)
    await runtimes.a.runs.Heartbeat(runtime_id="the-runtime")
    offer = await attached.told("wake_offer")
    assert (offer.session_id, offer.pending_count) == (session.session_id, 1)


async def test_another_runtimes_run_takes_no_slot_of_who_was_offered_its_wake(pair, runtimes):
    """Both have one token. Y's run begins at A, where Y is not attached."""
    x = await runtimes.a.attach("x", run_slots_max=1)
    session, other = await runtimes.a.session(), await runtimes.a.session()
    await runtimes.a.user(session)
    offer = await x.told("wake_offer")
    y = await runtimes.b.attach("y")
    run = await runtimes.a.run(session, runtime_id="y")
    assert (await x.told("wake_withdrawn")).wake_id == offer.wake_id
    await runtimes.a.user(other)
    assert (await x.told("wake_offer")).session_id == other.session_id
    await runtimes.a.runs.CancelRun(session_id=session.session_id, run_id=run.run_id)
    assert (await y.told("run_stop")).run_id == run.run_id
    await runtimes.a.runs.DeclineWake(session_id=other.session_id, wake_id=x.seen[-1].wake_offer.wake_id)
    await x.told("wake_withdrawn")
    told = [notice.WhichOneof("message") for notice in x.seen[1:]]
    assert told == ["wake_offer", "wake_withdrawn", "wake_offer", "wake_withdrawn"]


async def test_an_offer_is_withdrawn_though_who_took_the_session_attaches_beside_it(pair, runtimes):
    """X began a run of its own at B, which settled what Y was offered; it comes to A before A has read of that."""
    y, session, offer = await offered(pair, runtimes, "y")
    run = await runtimes.b.run(session, runtime_id="x")
    await runtimes.a.attach("x", held_runs=[{"session_id": session.session_id, "run_id": run.run_id}])
    withdrawn = await y.told("wake_withdrawn")
    assert (withdrawn.wake_id, withdrawn.reason) == (offer.wake_id, SETTLED)


async def test_a_run_that_went_to_another_runtime_stays_there_whoever_writes_of_it(pair, runtimes, postgres_url):
    """Which runtime has a run changes without an event, as its lease does."""
    await runtimes.b.attach("x")
    session = await runtimes.b.session()
    await runtimes.b.user(session)
    started = await runtimes.b.start(session, runtime_id="x", attempt_id=fresh("attempt"))
    held = {"session_id": session.session_id, "run_id": started.run.run_id}
    await runtimes.a.attach("y", held_runs=[held])
    await runtimes.b.commit(started.run, started.claim)
    with connected(postgres_url) as connection:
        assert connection.execute("SELECT runtime_id FROM run").fetchall() == [("y",)]


@pytest.mark.parametrize(
    "overrides", [{"delivery": {**SLOW, "offer_retry_seconds": 0.001, "sweep_seconds": 10.0}}], ids=["slow sweep"]
)
async def test_a_wake_that_is_held_back_for_others_is_not_in_the_way_of_the_next(pair, runtimes):
    """A's one runtime has just failed it, and the other replicas have twenty seconds to take it."""
    attached = await runtimes.a.attach(run_slots_max=1)
    first, second = await runtimes.a.session(), await runtimes.a.session()
    await runtimes.a.user(first)
    offer = await attached.told("wake_offer")
    await runtimes.a.runs.DeclineWake(session_id=first.session_id, wake_id=offer.wake_id)
    now = pair.a.engine._committer.now
    due = now() + 1000
    await came(lambda: now() > due)
    await runtimes.b.user(second)
    assert (await attached.told("wake_offer")).session_id == second.session_id


@pytest.mark.parametrize("overrides", [{"delivery": {**SLOW, "offer_retry_seconds": 10.0}}], ids=["long retry"])
async def test_what_one_takes_for_past_and_the_other_does_not_yet_is_nothing_to_mend(pair, runtimes, service_log):
    """As when B waits for the tree's lock, and decides by the time at which it began to."""
    attached = await runtimes.a.attach("the-runtime")
    session = await runtimes.a.session()
    await runtimes.a.user(session)
    offer = await attached.told("wake_offer")
    await runtimes.a.runs.DeclineWake(session_id=session.session_id, wake_id=offer.wake_id)
    attached.cancel()
    await came(lambda: not pair.a.engine._committer.runtimes.attachments)
    committer = pair.a.engine._committer
    now = committer.now
    committer.now = lambda: now() + 20 * SECOND
    await runtimes.a.user(session)
    pair.b.engine._committer.gathering.call(pair.b.engine._upkeep.reconcile_all)
    await pair.b.engine._committer_idle()
    assert "reconciliation_mended" not in {entry["event"] for entry in service_log}
