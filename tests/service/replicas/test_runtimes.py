"""A runtime is attached to one replica; what reaches the other concerns it all the same."""

from __future__ import annotations

import threading

import pytest
from calls import fresh
from kinpost.v1 import session_pb2
from kinpost_server.engine.gathering import Pending
from kinpost_server.engine.observe import Observe
from kinpost_server.engine.replica_ports import News
from kinpost_server.engine.settings import SECOND
from kinpost_server.engine.sweep import OfferWakes
from ledger import Ledger, came, kinds, payloads

# Nothing comes to the help of an offer that is not made when it should be: no look at everything, no lapse.
SLOW = {"offer_seconds": 3600.0, "reconcile_seconds": 3600.0, "sweep_seconds": 0.02}
SLOW |= {"run_lease_seconds": 7200.0, "heartbeat_seconds": 3600.0, "offer_retry_seconds": 0.05}
SETTLED, NOT_DUE, EXPIRED = 1, 2, 3


@pytest.fixture
def overrides():
    return {"delivery": SLOW}


async def is_offered(client, session) -> bool:
    told = [name for name in kinds(await client.log(session_id=session.session_id)) if name.startswith("wake_")]
    return bool(told) and told[-1] == "wake_offered"


async def consumed(client, session, offer):
    """Take an offer and consume the mail; return the run."""
    started = await client.start(session, wake_id=offer.wake_id, attempt_id=fresh("attempt"))
    await client.commit(started.run, started.claim)
    return started.run


async def test_mail_accepted_at_one_wakes_a_runtime_of_the_other(pair, runtimes):
    """Told at A, started and ended at B, and all of it without A being asked."""
    attached = await runtimes.a.attach()
    session = await runtimes.b.session()
    for _ in range(5):
        sent = await runtimes.b.user(session)
        offer = await attached.told("wake_offer")
        assert (offer.session_id, offer.pending_count) == (session.session_id, 1)
        started = await runtimes.b.start(session, wake_id=offer.wake_id, attempt_id=fresh("attempt"))
        assert started.run.runtime_id
        assert await runtimes.b.commit(started.run, started.claim) == [sent.message_id]
        await runtimes.b.finish(started.run)
    # That the offers were taken up is no withdrawal.
    assert [notice.WhichOneof("message") for notice in attached.seen[1:]] == ["wake_offer"] * 5


async def test_what_a_runtime_was_told_already_is_not_told_again_when_an_earlier_run_becomes_known(pair, runtimes):
    """A run that ended at B becomes known to A only after A has offered what came next."""
    attached, session, late = await ended_unheard(pair, runtimes)
    await runtimes.b.user(session)
    pair.a.engine._committer.gathering.call(pair.a.engine._upkeep.offer_waiting)
    offer = await attached.told("wake_offer")
    assert offer.session_id == session.session_id
    await came(lambda: pair.a.engine._hub.last_position >= newest_position(pair))
    await runtimes.a.user(late)
    assert (await attached.told("wake_offer")).session_id == late.session_id
    assert [notice.WhichOneof("message") for notice in attached.seen[1:]] == ["wake_offer"] * 3
    run = await consumed(runtimes.b, session, offer)
    await runtimes.b.runs.CancelRun(session_id=session.session_id, run_id=run.run_id)
    pair.a.engine._follower._take_hint({News.EVENTS})
    assert (await attached.told("run_stop")).run_id == run.run_id


async def ended_unheard(pair, runtimes):
    """Let a run of A's runtime begin and end at B, which tells A nothing; return the runtime and two sessions."""
    pair.b.engine._replicas.tell = lambda _news: None
    attached = await runtimes.a.attach("the-runtime")
    session, late = await runtimes.a.session(), await runtimes.a.session()
    await runtimes.a.user(session)
    await runtimes.b.finish(await consumed(runtimes.b, session, await attached.told("wake_offer")))
    return attached, session, late


def newest_position(pair) -> int:
    """Return the newest position in the log."""
    return pair.b.engine._reader.last_position()


async def test_an_offer_that_was_taken_up_elsewhere_is_not_withdrawn(pair, runtimes):
    """Though the run is over before A has read of it, and A looks at the session for another reason."""
    attached, session, late = await ended_unheard(pair, runtimes)
    committer = pair.a.engine._committer
    committer.gathering.call(lambda: committer.process([Pending(Observe([session.session_id]))]))
    await runtimes.a.user(late)
    assert (await attached.told("wake_offer")).session_id == late.session_id
    assert [notice.WhichOneof("message") for notice in attached.seen[1:]] == ["wake_offer"] * 2


async def test_slots_are_counted_over_both(pair, runtimes):
    attached = await runtimes.a.attach(run_slots_max=2)
    sessions = [await runtimes.b.session() for _ in range(4)]
    for session in sessions:
        await runtimes.b.user(session)
    offers = [await attached.told("wake_offer") for _ in range(2)]
    of = {offer.session_id: offer for offer in offers}
    taken = [session for session in sessions if session.session_id in of]
    rest = [session for session in sessions if session.session_id not in of]
    first = await consumed(runtimes.b, taken[0], of[taken[0].session_id])
    second = await consumed(runtimes.a, taken[1], of[taken[1].session_id])
    assert not any([await is_offered(runtimes.a, session) for session in rest])
    await runtimes.b.finish(first)
    third = await attached.told("wake_offer")
    assert third.session_id in {session.session_id for session in rest}
    # A run that is started at B in this runtime's name takes a slot of it too.
    await runtimes.b.finish(second)
    await attached.told("wake_offer")
    assert pair.a.engine._committer.runtimes.held_count == 2


async def test_a_run_that_the_runtime_starts_elsewhere_takes_its_slot(pair, runtimes):
    attached = await runtimes.a.attach("the-runtime", run_slots_max=1)
    own, other = await runtimes.b.session(), await runtimes.b.session()
    run = await runtimes.b.run(own, runtime_id="the-runtime")
    await came(lambda: pair.a.engine._committer.runtimes.held_count == 1)
    await runtimes.b.user(other)
    await runtimes.a.user(other)
    assert not await is_offered(runtimes.a, other)
    await runtimes.b.finish(run)
    assert (await attached.told("wake_offer")).session_id == other.session_id


@pytest.mark.parametrize("by", ["an approver", "the run's end as cancelled"])
async def test_a_run_that_is_cancelled_at_one_is_told_to_stop_at_the_other(pair, runtimes, by):
    attached = await runtimes.a.attach("the-runtime")
    session = await runtimes.a.session()
    run = await runtimes.a.run(session, runtime_id="the-runtime")
    if by == "an approver":
        approver = await pair.token("approver")
        await approver.b.runs.CancelRun(session_id=session.session_id, run_id=run.run_id)
    else:
        await runtimes.b.runs.CancelRun(session_id=session.session_id, run_id=run.run_id)
    stop = await attached.told("run_stop")
    assert (stop.session_id, stop.run_id) == (session.session_id, run.run_id)


@pytest.mark.parametrize("by", ["its offer", "its name"])
async def test_a_run_that_is_over_before_the_other_replica_looks_is_told_to_stop(pair, runtimes, by):
    """Started and cancelled at B, while A is busy: the runtime, which is attached there, carries it out."""
    attached = await runtimes.a.attach("the-runtime")
    session = await runtimes.a.session()
    await runtimes.a.user(session)
    offer = await attached.told("wake_offer")
    busy = threading.Event()
    pair.a.engine._committer.gathering.call(busy.wait)
    try:
        named = {"wake_id": offer.wake_id} if by == "its offer" else {"runtime_id": "the-runtime"}
        started = await runtimes.b.start(session, **named)
        await runtimes.b.runs.CancelRun(session_id=session.session_id, run_id=started.run.run_id)
        position = (await pair.admin.b.log(session_id=session.session_id))[-1].position
        await came(lambda: pair.a.engine._hub.last_position >= position)
    finally:
        busy.set()
    assert (await attached.told("run_stop")).run_id == started.run.run_id


@pytest.mark.parametrize("overrides", [{"delivery": {**SLOW, "offer_seconds": 0.2}}])
@pytest.mark.parametrize("how", ["not taken", "declined"])
async def test_an_offer_that_came_to_nothing_goes_first_to_a_runtime_of_the_other(pair, runtimes, how):
    """And does so when its time has come, although nobody tells B of that: it looks by itself only every minute."""
    pair.a.engine._committer.runtimes.others_first = 60 * SECOND  # however slow this machine is
    failing = await runtimes.a.attach("failing")
    session = await runtimes.a.session()
    await runtimes.a.user(session)
    offer = await failing.told("wake_offer")
    taking = await runtimes.b.attach("taking")
    if how == "declined":
        await runtimes.a.runs.DeclineWake(session_id=session.session_id, wake_id=offer.wake_id)
    again = await taking.told("wake_offer")
    assert (again.wake_id, again.offer_number) == (offer.wake_id, 2)
    await consumed(runtimes.b, session, again)


@pytest.mark.parametrize("overrides", [{"delivery": {**SLOW, "offer_seconds": 0.2}}])
async def test_an_offer_that_came_to_nothing_comes_back_where_nobody_else_takes_it(pair, runtimes):
    failing = await runtimes.a.attach("failing")
    await (await pair.token("runtime")).b.attach("another")
    session = await runtimes.a.session()
    await runtimes.a.user(session)
    offer = await failing.told("wake_offer")
    await failing.told("wake_withdrawn")
    # B looks at it too, and finds nothing to wait for, with nobody there who takes it.
    pair.b.engine._committer.gathering.call(
        lambda: pair.b.engine._committer.process([Pending(OfferWakes([session.session_id]))])
    )
    again = await failing.told("wake_offer")
    assert (again.wake_id, again.offer_number) == (offer.wake_id, 2)


async def test_an_offer_to_a_runtime_that_has_just_moved_reaches_it(pair, runtimes):
    """B offers to the attachment that it knows of; the runtime is at A by then."""
    before = await runtimes.b.attach("the-runtime")
    pair.a.engine._replicas.tell = lambda _news: None
    now = await runtimes.a.attach("the-runtime")
    session = await runtimes.b.session()
    await runtimes.b.user(session)
    offer = await now.told("wake_offer")
    assert offer.session_id == session.session_id
    await consumed(runtimes.a, session, offer)
    before.cancel()


async def test_an_offer_is_withdrawn_though_who_holds_what_was_counted_anew(pair, runtimes):
    """As it is after a batch that was not stored."""
    attached = await runtimes.a.attach("the-runtime")
    session = await runtimes.a.session()
    await runtimes.a.user(session)
    offer = await attached.told("wake_offer")
    counted = threading.Event()
    pair.a.engine._committer.gathering.call(pair.a.engine._committer._count_held)
    pair.a.engine._committer.gathering.call(counted.set)
    await came(counted.is_set)
    await pair.admin.b.sessions.SetAvailability(
        session_id=session.session_id, availability=session_pb2.AVAILABILITY_PAUSED, reason="later"
    )
    withdrawn = await attached.told("wake_withdrawn")
    assert (withdrawn.wake_id, withdrawn.reason) == (offer.wake_id, NOT_DUE)


@pytest.mark.parametrize("how", ["closed", "deleted", "started by another"])
async def test_an_offer_that_ends_at_one_is_withdrawn_at_the_other(pair, runtimes, wire, how):
    attached = await runtimes.a.attach("the-runtime")
    session = await runtimes.a.session()
    await runtimes.a.user(session)
    offer = await attached.told("wake_offer")
    if how == "closed":
        await pair.admin.b.sessions.SetAvailability(
            session_id=session.session_id, availability=wire.session.AVAILABILITY_USER_CLOSED
        )
    elif how == "deleted":
        await pair.admin.b.sessions.DeleteSession(session_id=session.session_id)
    else:
        await runtimes.b.run(session)
    withdrawn = await attached.told("wake_withdrawn")
    assert withdrawn.wake_id == offer.wake_id
    assert withdrawn.reason == (SETTLED if how == "started by another" else NOT_DUE)


async def test_a_runtime_that_comes_to_the_other_replica_is_let_go_by_the_first(pair, runtimes, refused):
    """Its offers and its runs are told it there; none of them was offered to somebody else meanwhile."""
    first = await runtimes.a.attach("the-runtime")
    waking, running = await runtimes.a.session(), await runtimes.a.session()
    await runtimes.a.user(waking)
    offer = await first.told("wake_offer")
    run = await runtimes.a.run(running, runtime_id="the-runtime")
    held = [{"session_id": running.session_id, "run_id": run.run_id}]
    second = await runtimes.b.attach("the-runtime", held_runs=held)
    again = await second.told("wake_offer")
    assert (again.wake_id, again.offer_number) == (offer.wake_id, offer.offer_number)
    with refused("runtime:replaced"):
        await first.ended()
    # A knows nothing of it any more, and B everything.
    await runtimes.a.runs.CancelRun(session_id=running.session_id, run_id=run.run_id)
    assert (await second.told("run_stop")).run_id == run.run_id
    await consumed(runtimes.a, waking, again)
    log = await runtimes.b.log(session_id=waking.session_id)
    assert payloads(log, "wake_failed", "wake_withdrawn") == []
    Ledger(await pair.admin.a.log(all=True))


SHORT_LEASES = {
    "delivery": {"run_lease_seconds": 2.0, "heartbeat_seconds": 0.3, "sweep_seconds": 0.02},
    "events": {"heartbeat_seconds": 0.1},
}


@pytest.mark.parametrize("overrides", [SHORT_LEASES], ids=["short leases"])
async def test_a_heartbeat_at_one_keeps_the_runs_that_were_started_at_the_other(pair, runtimes, refused):
    kept, lapsed = await runtimes.a.session(), await runtimes.a.session()
    run = await runtimes.a.run(kept, runtime_id="the-runtime")
    left = await runtimes.a.run(lapsed)
    watching = runtimes.b.subscribe(session_id=lapsed.session_id)
    while not any(event.HasField("run_finished") for frame in watching.seen for event in frame.events):
        leases = await runtimes.b.runs.Heartbeat(
            runtime_id="the-runtime", runs=[{"session_id": kept.session_id, "run_id": run.run_id}]
        )
        await watching.next()
    assert leases.runs[0].run_id == run.run_id
    await runtimes.a.finish(run)
    with refused("run:lease_lost"):
        await runtimes.b.finish(left)


async def test_who_leaves_one_replica_leaves_its_offers_to_the_other(pair, runtimes):
    first = await runtimes.a.attach("first")
    session = await runtimes.a.session()
    await runtimes.b.user(session)
    offer = await first.told("wake_offer")
    second = await runtimes.b.attach("second")
    first.cancel()
    again = await second.told("wake_offer")
    assert (again.wake_id, again.offer_number) == (offer.wake_id, offer.offer_number + 1)


async def test_a_wake_declined_at_one_goes_to_a_runtime_of_the_other(pair, runtimes):
    """Declined where the runtime is not attached, with a time: another one has it at once, this one after that time."""
    first = await runtimes.a.attach("first")
    session = await runtimes.a.session()
    await runtimes.b.user(session)
    offer = await first.told("wake_offer")
    second = await runtimes.b.attach("second")
    await runtimes.b.runs.DeclineWake(
        session_id=session.session_id, wake_id=offer.wake_id, reason="busy", retry_after={"seconds": 3600}
    )
    again = await second.told("wake_offer")
    assert again.wake_id == offer.wake_id
    offered = payloads(await runtimes.a.log(session_id=session.session_id), "wake_offered")
    assert [one.runtime_id for one in offered] == ["first", "second"]


async def test_who_declined_at_one_is_not_offered_the_wake_before_its_time_at_the_other(pair, runtimes):
    """However long ago it failed: B, which heard it, has nobody else for the wake; A knows for how long it waits."""
    pair.a.engine._committer.runtimes.others_first = 1
    attached = await runtimes.a.attach()
    session, late = await runtimes.a.session(), await runtimes.a.session()
    await runtimes.a.user(session)
    offer = await attached.told("wake_offer")
    await runtimes.b.runs.DeclineWake(
        session_id=session.session_id, wake_id=offer.wake_id, retry_after={"seconds": 3600}
    )
    (failed,) = payloads(await runtimes.a.log(session_id=session.session_id), "wake_failed")
    assert failed.declined_until_time.seconds - failed.next_offer_time.seconds == 3600
    await runtimes.b.user(late)
    assert (await attached.told("wake_offer")).session_id == late.session_id
    another = await runtimes.a.attach("another")
    assert (await another.told("wake_offer")).wake_id == offer.wake_id  # nobody else waits for that time
    offered = payloads(await runtimes.a.log(session_id=session.session_id), "wake_offered")
    assert [one.offer_number for one in offered] == [1, 2]


async def test_what_holds_a_wake_back_at_one_is_nothing_to_mend(pair, runtimes, service_log):
    attached = await runtimes.a.attach()
    session = await runtimes.a.session()
    await runtimes.a.user(session)
    offer = await attached.told("wake_offer")
    await runtimes.b.runs.DeclineWake(
        session_id=session.session_id, wake_id=offer.wake_id, retry_after={"seconds": 3600}
    )
    await came(lambda: any(one.declined for one in pair.a.engine._committer.runtimes.attachments.values()))
    for server in (pair.b, pair.a):
        server.engine._committer.gathering.call(server.engine._upkeep.reconcile_all)
        await server.engine._committer_idle()
    assert "reconciliation_mended" not in {entry["event"] for entry in service_log}


async def test_who_declined_at_one_is_offered_the_wake_in_its_time_at_the_other(pair, runtimes):
    attached = await runtimes.a.attach()
    session = await runtimes.a.session()
    await runtimes.a.user(session)
    offer = await attached.told("wake_offer")
    await runtimes.b.runs.DeclineWake(
        session_id=session.session_id, wake_id=offer.wake_id, retry_after={"nanos": 200_000_000}
    )
    again = await attached.told("wake_offer")
    assert (again.wake_id, again.offer_number) == (offer.wake_id, 2)
    log = await runtimes.a.log(session_id=session.session_id)
    (failed,) = payloads(log, "wake_failed")
    assert log[-1].event_time.ToMicroseconds() >= failed.declined_until_time.ToMicroseconds()
    await consumed(runtimes.b, session, again)


async def test_a_runtime_that_came_back_has_declined_nothing(pair, runtimes):
    """What its predecessor declined at B is heard at A only after it has attached there."""
    pair.a.engine._committer.runtimes.others_first = 1
    pair.b.engine._replicas.tell = lambda _news: None
    before = await runtimes.a.attach("the-runtime")
    session = await runtimes.a.session()
    await runtimes.a.user(session)
    offer = await before.told("wake_offer")
    await runtimes.b.runs.DeclineWake(
        session_id=session.session_id, wake_id=offer.wake_id, retry_after={"seconds": 3600}
    )
    now = await runtimes.a.attach("the-runtime")
    assert (await now.told("wake_offer")).offer_number == 2
    position = (await runtimes.a.log(session_id=session.session_id))[-1].position
    await came(lambda: pair.a.engine._hub.last_position >= position)
    await runtimes.a.runs.Heartbeat(runtime_id="the-runtime")  # what was heard before has been taken in
    assert not pair.a.engine._committer.runtimes.attachments["the-runtime"].declined
