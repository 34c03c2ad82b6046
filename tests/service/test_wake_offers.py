"""Wakes are offered to runtimes: to whom, how many at once, and what becomes of an offer that is not taken.

An offer is made in the commit that makes it due, so the log says at once whether there is one.
"""

from __future__ import annotations

import asyncio

import pytest
from calls import fresh
from kinpost_server.engine.settings import SECOND
from ledger import kinds, payloads
from mail import advance
from together import in_one_batch

ANY = 2
# Nothing comes to the help of an offer that is not made when it should be: no look at everything, no lapse of another.
SLOW = {"offer_seconds": 3600.0, "reconcile_seconds": 3600.0, "sweep_seconds": 0.02}
SLOW |= {"run_lease_seconds": 7200.0, "heartbeat_seconds": 3600.0}
SETTLED, NOT_DUE, EXPIRED = 1, 2, 3


@pytest.fixture
def overrides():
    return {"delivery": {**SLOW, "offer_retry_seconds": 0.05, "offer_retry_max_seconds": 0.3}}


async def is_offered(client, session) -> bool:
    """Whether the session's wake is offered now."""
    told = [name for name in kinds(await client.log(session_id=session.session_id)) if name.startswith("wake_")]
    return bool(told) and told[-1] == "wake_offered"


async def woken(client, session, offer):
    """Take an offer, consume the mail, and return the run."""
    started = await client.start(session, wake_id=offer.wake_id, attempt_id=fresh("attempt"))
    await client.commit(started.run, started.claim)
    return started.run


@pytest.mark.only("sqlite", "postgres", because="which runtime is offered a wake first is each replica's own choice")
async def test_a_runtime_is_offered_as_many_as_it_has_slots(server, runtime):
    attached = await runtime.attach(run_slots_max=2)
    sessions = [await runtime.session() for _ in range(5)]
    for session in sessions:
        await runtime.user(session)
    offers = [await attached.told("wake_offer") for _ in range(2)]
    assert [offer.session_id for offer in offers] == [session.session_id for session in sessions[:2]]
    assert [await is_offered(runtime, session) for session in sessions] == [True, True, False, False, False]
    first = await woken(runtime, sessions[0], offers[0])
    assert not await is_offered(runtime, sessions[2])  # it runs one and is offered another
    await runtime.finish(first)
    third = await attached.told("wake_offer")
    assert third.session_id == sessions[2].session_id  # the longest waiting first
    await runtime.runs.DeclineWake(
        session_id=offers[1].session_id, wake_id=offers[1].wake_id, retry_after={"seconds": 600}
    )
    await attached.told("wake_withdrawn")
    assert (await attached.told("wake_offer")).session_id == sessions[3].session_id
    assert not await is_offered(runtime, sessions[4])
    attached.cancel()


@pytest.mark.only("sqlite", "postgres", because="a replica hears a moment later of runs that another began")
async def test_runs_that_nobody_offered_take_slots_too(runtime):
    attached = await runtime.attach("the-runtime", run_slots_max=1)
    busy, waiting = await runtime.session(), await runtime.session()
    run = await runtime.run(busy, runtime_id="the-runtime")
    await runtime.user(waiting)
    assert not await is_offered(runtime, waiting)
    await runtime.finish(run)
    assert (await attached.told("wake_offer")).session_id == waiting.session_id
    attached.cancel()


async def test_a_runtime_is_offered_what_it_hosts_and_with_any_what_its_agents_are(server, runtime):
    """OWN is the default. Who was offered a session hosts it from then on."""
    own = await (other := await server.make_token("runtime")).attach(agents=["explore"])
    foreign, default = await runtime.session(), await runtime.session(agent="default")
    for session in (foreign, default):
        await runtime.user(session)
        assert not await is_offered(runtime, session)
    own.cancel()
    any_explore = await other.attach(agents=["explore"], session_scope=ANY)
    assert (await any_explore.told("wake_offer")).session_id == foreign.session_id
    assert (await other.look(foreign)).session_id == foreign.session_id
    assert not await is_offered(runtime, default)
    any_agent = await (await server.make_token("runtime")).attach(agents=["*"], session_scope=ANY)
    assert (await any_agent.told("wake_offer")).session_id == default.session_id
    any_agent.cancel()
    hosted = await other.attach()  # OWN again: what it was offered before is its own
    any_explore.cancel()
    assert (await hosted.told("wake_offer")).session_id == foreign.session_id
    hosted.cancel()


@pytest.mark.only("sqlite", "postgres", because="which runtime is offered a wake first is each replica's own choice")
async def test_who_names_the_agent_comes_first_then_who_has_most_room(runtime):
    plain = await runtime.attach("plain", run_slots_max=100)
    small = await runtime.attach("small", agents=["explore"], run_slots_max=2)
    large = await runtime.attach("large", agents=["*"], run_slots_max=4)
    takers = []
    for _ in range(8):
        session = await runtime.session()
        await runtime.user(session)
        (offer,) = payloads(await runtime.log(session_id=session.session_id), "wake_offered")
        takers.append(offer.runtime_id)
    assert takers == ["small", "large", "large", "small", "large", "large", "plain", "plain"]
    for stream in (plain, small, large):
        stream.cancel()


@pytest.mark.only("sqlite", "postgres", because="which runtime is offered a wake first is each replica's own choice")
async def test_who_declines_for_long_holds_the_wake_back_from_nobody_else(runtime):
    """The other has it at once, or as soon as it has a slot; wakes behind it do not wait for it."""
    first = await runtime.attach("first", run_slots_max=1)
    sessions = [await runtime.session() for _ in range(3)]
    for session in sessions:
        await runtime.user(session)
    offer = await first.told("wake_offer")
    assert offer.session_id == sessions[0].session_id
    second = await runtime.attach("second", run_slots_max=1)
    busy = await woken(runtime, sessions[1], await second.told("wake_offer"))
    await runtime.runs.DeclineWake(session_id=offer.session_id, wake_id=offer.wake_id, retry_after={"seconds": 600})
    third = await first.told("wake_offer")
    assert third.session_id == sessions[2].session_id
    late = await runtime.session()
    await runtime.user(late)
    await runtime.finish(await woken(runtime, sessions[2], third))
    assert (await first.told("wake_offer")).session_id == late.session_id
    assert not await is_offered(runtime, sessions[0])
    await runtime.finish(busy)
    again = await second.told("wake_offer")
    assert (again.session_id, again.wake_id) == (sessions[0].session_id, offer.wake_id)
    first.cancel()
    second.cancel()


async def test_who_declined_for_a_while_is_offered_the_wake_again_when_nobody_else_took_it(runtime):
    first = await runtime.attach("first", run_slots_max=1)
    full = await runtime.attach("full", run_slots_max=1)
    await runtime.run(await runtime.session(), runtime_id="full")
    session = await runtime.session()
    await runtime.user(session)
    offer = await first.told("wake_offer")
    await runtime.runs.DeclineWake(
        session_id=offer.session_id, wake_id=offer.wake_id, retry_after={"nanos": 200_000_000}
    )
    again = await first.told("wake_offer")
    assert (again.wake_id, again.offer_number) == (offer.wake_id, 2)
    log = await runtime.log(session_id=session.session_id)
    failed, offered = (next(e for e in reversed(log) if e.HasField(name)) for name in ("wake_failed", "wake_offered"))
    assert (offered.event_time.ToNanoseconds() - failed.event_time.ToNanoseconds()) >= 200_000_000
    first.cancel()
    full.cancel()


@pytest.mark.only("sqlite", "postgres", because="which runtime is offered a wake first is each replica's own choice")
async def test_a_declined_wake_goes_to_another_first_and_waits_longer_each_time(runtime):
    first = await runtime.attach("first")
    second = await runtime.attach("second")
    streams = {"first": first, "second": second}
    session = await runtime.session()
    await runtime.user(session)
    order = []
    for number in range(1, 6):
        log = await runtime.log(session_id=session.session_id)
        taker = payloads(log, "wake_offered")[-1].runtime_id
        order.append(taker)
        offer = await streams[taker].told("wake_offer")
        assert offer.offer_number == number
        await runtime.runs.DeclineWake(session_id=session.session_id, wake_id=offer.wake_id, reason="busy")
        withdrawn = await streams[taker].told("wake_withdrawn")
        assert (withdrawn.wake_id, withdrawn.reason) == (offer.wake_id, EXPIRED)
        watching = runtime.subscribe(session_id=session.session_id)
        await offered(watching, number + 1)
        watching.cancel()
    assert order in (["first", "second"] * 2 + ["first"], ["second", "first"] * 2 + ["second"])
    log = await runtime.log(session_id=session.session_id)
    failed = [event for event in log if event.HasField("wake_failed")]
    assert {event.wake_failed.reason for event in failed} == {"declined: busy"}
    waits = [event.wake_failed.next_offer_time.ToMilliseconds() - event.event_time.ToMilliseconds() for event in failed]
    assert waits == [50, 100, 200, 300, 300]
    for stream in streams.values():
        stream.cancel()


async def offered(watching, number: int) -> None:
    """Read on until the wake was offered so many times."""
    while sum(kinds(frame.events).count("wake_offered") for frame in watching.seen) < number:
        await watching.next()


async def test_a_runtime_that_declines_says_for_how_long(runtime):
    attached = await runtime.attach()
    session = await runtime.session()
    await runtime.user(session)
    offer = await attached.told("wake_offer")
    wake = {"session_id": session.session_id, "wake_id": offer.wake_id}
    await runtime.runs.DeclineWake(**wake, retry_after={"nanos": 250_000_000})
    again = await attached.told("wake_offer")
    assert (again.wake_id, again.offer_number) == (offer.wake_id, 2)
    log = await runtime.log(session_id=session.session_id)
    declined, offered_again = log[-2:]
    assert declined.wake_failed.next_offer_time == declined.event_time  # for any other
    until_time = declined.wake_failed.declined_until_time
    assert until_time.ToMicroseconds() - declined.event_time.ToMicroseconds() == 250_000
    assert offered_again.event_time.ToMicroseconds() >= until_time.ToMicroseconds()
    attached.cancel()


@pytest.mark.parametrize("overrides", [{"delivery": {**SLOW, "offer_seconds": 3600.0, "offer_retry_seconds": 0.05}}])
async def test_an_offer_that_nobody_takes_is_offered_again_to_another_first(server, runtime, refused):
    for engine in server.engines:
        if engine._committer.runtimes.others_first:
            engine._committer.runtimes.others_first = 60 * SECOND  # however slow this machine is
    silent = await runtime.attach("silent", agents=["explore"])
    session = await runtime.session()
    await runtime.user(session)
    offer = await silent.told("wake_offer")
    other = await server.make_token("runtime")
    takes = await other.attach("takes", agents=["*"], session_scope=ANY)
    advance(server, 3601)
    withdrawn = await silent.told("wake_withdrawn")
    assert (withdrawn.wake_id, withdrawn.session_id, withdrawn.reason) == (offer.wake_id, session.session_id, EXPIRED)
    again = await takes.told("wake_offer")
    assert (again.wake_id, again.offer_number) == (offer.wake_id, 2)
    log = await runtime.log(session_id=session.session_id)
    (failed,) = payloads(log, "wake_failed")
    assert (failed.runtime_id, failed.offer_number, failed.reason) == ("silent", 1, "not taken in time")
    with refused("wake:settled"):
        await runtime.start(session, wake_id=offer.wake_id)
    run = await woken(other, session, again)
    await other.finish(run)
    for stream in (silent, takes):
        stream.cancel()


@pytest.mark.parametrize("overrides", [{"delivery": {**SLOW, "offer_seconds": 0.1, "offer_retry_seconds": 60.0}}])
async def test_who_is_late_may_still_start_while_no_offer_stands(runtime):
    attached = await runtime.attach()
    session = await runtime.session()
    await runtime.user(session)
    offer = await attached.told("wake_offer")
    await attached.told("wake_withdrawn")
    run = await woken(runtime, session, offer)
    assert run.wake_id == offer.wake_id
    attached.cancel()


async def test_an_offer_is_withdrawn_when_a_run_took_its_place(server, runtime, refused):
    attached = await runtime.attach()
    session = await runtime.session()
    await runtime.user(session)
    offer = await attached.told("wake_offer")
    run = await server.admin.run(session)
    withdrawn = await attached.told("wake_withdrawn")
    assert (withdrawn.wake_id, withdrawn.session_id, withdrawn.reason) == (offer.wake_id, session.session_id, SETTLED)
    with refused("wake:settled"):
        await runtime.start(session, wake_id=offer.wake_id)
    with refused("wake:settled"):
        await runtime.runs.DeclineWake(session_id=session.session_id, wake_id=offer.wake_id)
    (settled,) = payloads(await runtime.log(session_id=session.session_id), "wake_settled")
    assert (settled.wake_id, settled.run_id) == (offer.wake_id, run.run_id)
    attached.cancel()


@pytest.mark.parametrize("why", ["a pause", "a retraction", "a deletion"])
async def test_an_offer_is_withdrawn_when_no_mail_is_to_be_delivered(server, runtime, refused, why):
    parent = await runtime.session(rules={"child": "allow"})
    session = await runtime.session(parent)
    attached = await runtime.attach()
    sent = await runtime.send(await runtime.run(parent), session)
    offer = await attached.told("wake_offer")
    if why == "a pause":
        await server.admin.sessions.SetAvailability(session_id=session.session_id, availability=2)
    elif why == "a retraction":
        await runtime.messaging.RetractMessage(session_id=parent.session_id, message_id=sent.message_id)
    else:
        await runtime.sessions.DeleteSession(session_id=session.session_id)
    withdrawn = await attached.told("wake_withdrawn")
    assert (withdrawn.wake_id, withdrawn.reason) == (offer.wake_id, NOT_DUE)
    code = {"a pause": "session:not_open", "a retraction": "wake:settled", "a deletion": "session:not_found"}[why]
    with refused(code):
        await runtime.start(session, wake_id=offer.wake_id)
    attached.cancel()


async def test_wakes_that_waited_for_a_runtime_are_offered_when_one_attaches(server, runtime):
    """More than fit into one look at the waiting ones; each is offered, once."""
    sessions = await asyncio.gather(*(runtime.session() for _ in range(300)))
    await asyncio.gather(*(runtime.user(session) for session in sessions))
    attached = await runtime.attach(run_slots_max=1000)
    offers = [await attached.told("wake_offer") for _ in sessions]
    assert {offer.session_id for offer in offers} == {session.session_id for session in sessions}
    attached.cancel()


@pytest.mark.only("sqlite", "postgres", because="what one server decides in one batch")
async def test_wakes_that_waited_are_offered_after_a_restart_too_and_to_everybody_who_has_room(server, runtime):
    """Two runtimes come back at once; that one of them has far more that waits does not hold up the other."""
    other = await server.make_token("runtime")
    many = [await runtime.session() for _ in range(20)]
    few = [await other.session() for _ in range(2)]
    for session in many:
        await runtime.user(session)
    for session in few:
        await other.user(session)
    await server.restart()
    runtime, other = server.client(runtime.secret), server.client(other.secret)
    one, two = await in_one_batch(server, runtime.attach(run_slots_max=3), other.attach(run_slots_max=3))
    assert {(await two.told("wake_offer")).session_id for _ in few} == {session.session_id for session in few}
    found = [(await one.told("wake_offer")).session_id for _ in range(3)]
    assert found == [session.session_id for session in many[:3]]
    one.cancel()
    two.cancel()
