"""Two calls that meet at full speed: nobody arranges which is first, and each order has its own right outcome.

The pairs of `test_races.py`, over many sessions of a real server, until chance has brought each outcome about.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from calls import fresh, read_refusal
from kinpost.v1 import message_pb2
from kinpost.v1 import session_pb2 as words
from ledger import Ledger
from load import SETTINGS
from together import drain

CHANCE = random.Random(31)
PAIRS = 40  # of calls that are under way at a time
SPREAD_SECONDS = 0.02

Call = Callable[[], Coroutine[Any, Any, Any]]


@pytest.fixture
def overrides():
    return SETTINGS


@pytest.fixture
async def parent(runtime):
    """A session with a run, which may write to its children."""
    session = await runtime.session(rules={"child": "allow"})
    return SimpleNamespace(session=session, run=await runtime.run(session))


async def answer(call: Call) -> Any:
    """Make a call at a random instant of the next moment; return its answer, or the code of its refusal."""
    loop = asyncio.get_running_loop()
    begin = loop.create_future()
    loop.call_later(CHANCE.uniform(0, SPREAD_SECONDS), begin.set_result, None)
    await begin
    try:
        return await call()
    except grpc.aio.AioRpcError as error:
        return read_refusal(error).code


async def meet(first: Call, second: Call) -> list[Any]:
    """Let two calls meet; return both answers, or codes of refusals."""
    return await asyncio.gather(answer(first), answer(second))


async def until_all(outcomes: set[str], one_pair: Callable[[], Awaitable[str]]) -> None:
    """Let pairs meet, many at a time, until each outcome has come about; no other ever may."""
    found: Counter[str] = Counter()
    async with asyncio.timeout(90):
        while set(found) != outcomes:
            found.update(await asyncio.gather(*(one_pair() for _ in range(PAIRS))))
            assert set(found) <= outcomes


@pytest.fixture
async def story(server, parent) -> AsyncIterator[SimpleNamespace]:
    """What became of mail, checked when the test is over: all that was accepted, and nothing else, has its one end."""
    kept = SimpleNamespace(sessions=[], accepted=set(), consumed=set(), discarded={})
    yield kept
    await drain(server.admin, *kept.sessions, parent.session)
    ledger = Ledger(await server.admin.log(all=True))
    ledger.settled(*kept.accepted)
    assert set(ledger.state) == kept.accepted
    assert ledger.reason == kept.discarded
    assert ledger.of("consumed") == kept.accepted - set(kept.discarded)


def ids(claim) -> list[str]:
    return [message.message_id for message in claim.messages]


async def test_retractions_and_claims(runtime, parent, story):
    async def one() -> str:
        child = await runtime.session(parent.session)
        story.sessions.append(child)
        sent = (await runtime.send(parent.run, child)).message_id
        story.accepted.add(sent)
        run = await runtime.run(child)
        own = {"session_id": parent.session.session_id, "message_id": sent}
        retracted, claim = await meet(
            lambda: runtime.messaging.RetractMessage(**own), lambda: runtime.claim(run, attempt_id="first")
        )
        await runtime.finish(run, commit_claim_seq=claim.claim_seq)
        if retracted == "message:claimed":
            assert ids(claim) == [sent]
            return "claimed"
        assert ids(claim) == []
        story.discarded[sent] = "retracted"
        return "retracted"

    await until_all({"claimed", "retracted"}, one)


async def test_replacements_and_claims(runtime, parent, story):
    """A replaced message is discarded at once, or when it comes back; one that a turn keeps is consumed."""

    async def one() -> str:
        child = await runtime.session(parent.session)
        story.sessions.append(child)
        old = (await runtime.send(parent.run, child, "old")).message_id
        run = await runtime.run(child)
        new, claim = await meet(
            lambda: runtime.send(parent.run, child, "new", supersedes_message_id=old),
            lambda: runtime.claim(run, attempt_id="first"),
        )
        story.accepted |= {old, new.message_id}
        keeps = CHANCE.random() < 0.5
        await runtime.finish(run, "FAILED", **({"commit_claim_seq": claim.claim_seq} if keeps else {}))
        if ids(claim) == [old] and keeps:
            return "the old one kept"
        story.discarded[old] = "superseded"
        if ids(claim) == [old]:
            own = {"session_id": parent.session.session_id, "message_id": old}
            given_back = (await runtime.messaging.GetSentMessage(**own)).sent_message
            assert given_back.state == message_pb2.MESSAGE_STATE_DISCARDED
            return "the old one given back"
        assert ids(claim) == [new.message_id]
        return "the new one"

    await until_all({"the old one kept", "the old one given back", "the new one"}, one)


async def test_cancels_and_claims(server, runtime, story):
    """The claim is too late, or its mail is given back by the cancel; the next run has it."""

    async def one() -> str:
        session = await runtime.session()
        story.sessions.append(session)
        sent = (await runtime.user(session)).message_id
        story.accepted.add(sent)
        run = await runtime.run(session)
        own = {"session_id": session.session_id, "run_id": run.run_id}
        cancelled, claim = await meet(
            lambda: server.admin.runs.CancelRun(**own), lambda: runtime.claim(run, attempt_id="first")
        )
        assert (cancelled.run.state, cancelled.session.pending_count) == (5, 1)
        if claim == "run:cancelled":
            return "cancelled first"
        assert ids(claim) == [sent]
        return "claimed first"

    await until_all({"cancelled first", "claimed first"}, one)


@pytest.mark.parametrize("overrides", [{"delivery": {"offer_seconds": 3600.0}}])
async def test_pauses_and_the_mail_that_is_offered(server, runtime, story):
    """Mail is held, or its offer is taken back; a paused session has no wake, and one that is opened has one."""
    attached = await runtime.attach(run_slots_max=10_000)

    async def one() -> str:
        session = await runtime.session()
        story.sessions.append(session)
        _, sent = await meet(lambda: set_availability(server, session, "PAUSED"), lambda: runtime.user(session))
        story.accepted.add(sent.message_id)
        log = await runtime.log(session_id=session.session_id)
        assert Ledger(log).wakes == {}
        return "held" if sent.recipient_state == 4 else "taken back"

    await until_all({"held", "taken back"}, one)
    for session in story.sessions:
        await set_availability(server, session, "OPEN")
    wakes = Ledger(await server.admin.log(all=True)).wakes
    assert wakes.keys() == {session.session_id for session in story.sessions}
    standing: dict[str, str] = {}  # wake to session
    offered: set[str] = set()
    while standing != {wake_id: session_id for session_id, wake_id in wakes.items()}:
        told = await attached.next()
        if told.HasField("wake_offer"):
            # Of two replicas the one that offers a session's next wake may hear of the end of the last one only then.
            assert len(server.engines) > 1 or told.wake_offer.session_id not in standing.values()
            assert told.wake_offer.wake_id not in offered
            offered.add(told.wake_offer.wake_id)
            standing[told.wake_offer.wake_id] = told.wake_offer.session_id
        elif told.HasField("wake_withdrawn"):
            del standing[told.wake_withdrawn.wake_id]
    attached.cancel()


@pytest.mark.parametrize("overrides", [{"delivery": {"offer_seconds": 3600.0}}])
async def test_pauses_and_the_starts_that_take_up_an_offer(server, runtime, story):
    attached = await runtime.attach(run_slots_max=10_000)
    offers: dict[str, asyncio.Future[str]] = {}

    async def listen() -> None:
        while True:
            offer = await attached.told("wake_offer")
            offers[offer.session_id].set_result(offer.wake_id)

    listening = asyncio.create_task(listen())

    async def one() -> str:
        session = await runtime.session()
        story.sessions.append(session)
        offers[session.session_id] = asyncio.get_running_loop().create_future()
        sent = (await runtime.user(session)).message_id
        story.accepted.add(sent)
        wake_id = await offers[session.session_id]
        _, started = await meet(
            lambda: set_availability(server, session, "PAUSED"),
            lambda: runtime.start(session, wake_id=wake_id, attempt_id=fresh("attempt")),
        )
        if started == "session:not_open":
            assert Ledger(await runtime.log(session_id=session.session_id)).wakes == {}
            return "paused first"
        assert ids(started.claim) == [sent]
        return "started first"

    await until_all({"paused first", "started first"}, one)
    listening.cancel()
    attached.cancel()


async def set_availability(server, session, word: str) -> None:
    availability = words.Availability.Value(f"AVAILABILITY_{word}")
    await server.admin.sessions.SetAvailability(session_id=session.session_id, availability=availability)
