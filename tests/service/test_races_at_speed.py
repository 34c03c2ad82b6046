"""Races at full speed: nobody arranges who comes first. Whoever does, all accepted mail is consumed exactly once.

Chance spreads the calls over a stretch of time around the moment that matters; the log is the judge.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from typing import Any

import grpc
import pytest
from calls import fresh, read_refusal
from ledger import Ledger, came, kinds, payloads
from load import SETTINGS
from together import drain

STEER, QUEUE = 1, 2
CHANCE = random.Random(20)
FAST = {"failing_delay_seconds": 0.001, "failing_delay_max_seconds": 0.01, "failing_runs_max": 1_000_000}


@pytest.fixture
def overrides():
    return {**SETTINGS, "delivery": {**SETTINGS["delivery"], **FAST, "sweep_seconds": 0.01}}


async def spread(
    moment: float, seconds: float, count: int, call: Callable[[int], Coroutine[Any, Any, Any]]
) -> list[asyncio.Task[Any]]:
    """Make calls at random instants around a moment of the loop's time; return their tasks when all have begun."""
    loop = asyncio.get_running_loop()
    tasks: list[asyncio.Task[Any]] = []
    begun = asyncio.Event()

    def begin(number: int) -> None:
        tasks.append(loop.create_task(call(number)))
        if len(tasks) == count:
            begun.set()

    for number in range(count):
        loop.call_at(moment + CHANCE.uniform(-seconds, seconds), begin, number)
    await begun.wait()
    return tasks


async def refusal(call: Coroutine[Any, Any, Any]) -> str:
    """Make a call and return the code of its refusal, empty for none."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return read_refusal(error).code
    return ""


async def until_all(outcomes: set[str], one: Callable[[], Coroutine[Any, Any, str]], count: int) -> None:
    """Try so many at a time until each outcome has come about; no other ever may."""
    found: set[str] = set()
    async with asyncio.timeout(120):
        while found != outcomes:
            found |= set(await asyncio.gather(*(one() for _ in range(count))))
            assert found <= outcomes


class Host:
    """Runs one session whenever it is offered, one turn after the other."""

    def __init__(self, client, session) -> None:
        self.client, self.session = client, session
        self.consumed: list[str] = []
        self.ending = asyncio.Event()
        self.ending.set()
        self.works = asyncio.Event()  # whether it took a turn since `again`
        self.sleeps = True

    def again(self) -> None:
        """Work on until `ending` is set again."""
        self.ending.clear()
        self.works.clear()

    async def serve(self, attached) -> None:
        while True:
            offer = await attached.told("wake_offer")
            self.sleeps = False
            started = await self.client.start(self.session, wake_id=offer.wake_id, attempt_id=fresh("attempt"))
            await self.work(started.run, started.claim)
            self.sleeps = True

    async def work(self, run, claim) -> None:
        """Take turns until the run is to end; then end it, or go on as long as there is mail, as chance has it."""
        while not self.ending.is_set():
            self.works.set()
            self.consumed += [message.message_id for message in claim.messages]
            claim = await self.client.claim(run, commit_claim_seq=claim.claim_seq)
        goes_on = CHANCE.random() < 0.5
        while True:
            self.consumed += [message.message_id for message in claim.messages]
            more = {"continue_attempt_id": fresh("attempt")} if goes_on else {}
            answer = await self.client.finish(run, commit_claim_seq=claim.claim_seq, **more)
            if answer.WhichOneof("result") == "run":
                return
            claim = answer.claim


@pytest.mark.parametrize("rounds", [8])
async def test_two_hundred_sends_around_the_end_of_a_run(server, runtime, rounds):
    """In both modes, over 50 ms before and after, again and again: none is lost, and none is given twice."""
    parent = await runtime.session(rules={"child": "allow"})
    child = await runtime.session(parent)
    sending = await runtime.run(parent)
    attached = await runtime.attach()
    host = Host(runtime, child)
    serving = asyncio.create_task(host.serve(attached))
    accepted: list[str] = []

    async def send(number: int) -> None:
        sent = await runtime.send(sending, child, f"mail {number}", mode=CHANCE.choice((STEER, QUEUE)))
        accepted.append(sent.message_id)

    loop = asyncio.get_running_loop()
    for _ in range(rounds):
        host.again()
        await send(0)  # wakes it
        async with asyncio.timeout(60):
            await host.works.wait()
            moment = loop.time() + 0.08
            loop.call_at(moment, host.ending.set)
            await asyncio.gather(*await spread(moment, 0.05, 199, send))
        await came(lambda: host.sleeps and len(host.consumed) == len(accepted), 60)
    watching = runtime.subscribe(session_id=child.session_id)
    seen: list[Any] = []
    while kinds(seen).count("producer_message_consumed") < len(accepted):
        seen += (await watching.next()).events
    await until_idle(watching, seen)
    serving.cancel()
    attached.cancel()
    assert len(accepted) == len(set(accepted)) == 200 * rounds
    assert sorted(host.consumed) == sorted(accepted)
    await drain(server.admin, parent)
    ledger = Ledger(await server.admin.log(all=True))
    ledger.settled(*accepted)
    assert ledger.of("consumed") == set(accepted)
    assert len(ledger.runs[child.session_id]) >= rounds


async def until_idle(watching, seen: list[Any]) -> None:
    """Read on until the session's last run has ended."""
    while kinds(seen).count("run_started") > kinds(seen).count("run_finished"):
        seen += (await watching.next()).events
    watching.cancel()


@pytest.mark.parametrize(
    "overrides",
    [{"delivery": {**FAST, "run_lease_seconds": 0.4, "heartbeat_seconds": 0.1, "sweep_seconds": 0.01}}],
)
async def test_commits_around_the_lapse_of_their_leases(server, runtime):
    """A commit is in time, or it is told that the lease is lost and the mail is consumed by a later run."""
    loop = asyncio.get_running_loop()
    sessions: list[Any] = []
    code_of: dict[str, str] = {}  # of each message

    async def one() -> str:
        session = await runtime.session()
        sessions.append(session)
        sent = await runtime.user(session)
        started = await runtime.start(session, attempt_id=fresh("attempt"))
        tasks = await spread(loop.time() + 0.45, 0.4, 1, lambda _: late(started))
        code_of[sent.message_id] = await tasks[0]
        return code_of[sent.message_id]

    async def late(started) -> str:
        return await refusal(runtime.commit(started.run, started.claim))

    await until_all({"", "run:lease_lost"}, one, 60)
    await drain(server.admin, *sessions)
    ledger = Ledger(await server.admin.log(all=True))
    ledger.settled(*code_of)
    assert ledger.of("consumed") == set(code_of)
    for message_id, code in code_of.items():
        consumer = ledger.runs[ledger.recipient[message_id]].index(ledger.run_of[message_id])
        assert (consumer == 0) == (code == "")


async def test_claims_around_the_expiry_of_their_mail(server, runtime):
    """A message is claimed, and then consumed though its time is over; or it has expired, and its sender is told."""
    parent = await runtime.session(rules={"child": "allow"})
    sending = await runtime.run(parent)
    loop = asyncio.get_running_loop()
    found: dict[str, str] = {}

    async def one() -> str:
        child = await runtime.session(parent)
        run = await runtime.run(child)
        sent = await runtime.send(sending, child, expire_after={"seconds": 1})
        tasks = await spread(loop.time() + 1.0, 1.0, 1, lambda _: runtime.claim(run))
        claim = await tasks[0]
        await runtime.finish(run, commit_claim_seq=claim.claim_seq)
        found[sent.message_id] = "claimed" if claim.messages else "expired"
        return found[sent.message_id]

    await until_all({"claimed", "expired"}, one, 40)
    claimed = {message_id for message_id, end in found.items() if end == "claimed"}
    await drain(server.admin, parent)
    log = await server.admin.log(all=True)
    ledger = Ledger(log)
    ledger.settled(*found)
    assert ledger.of("consumed") == claimed
    assert set(ledger.reason.values()) == {"expired"}
    told = [payload.message_id for payload in payloads(log, "sent_message_undeliverable")]
    assert sorted(told) == sorted(set(found) - claimed)


@pytest.mark.parametrize("overrides", [{"delivery": {"offer_seconds": 3600.0}}])
async def test_two_runtimes_race_for_each_of_a_hundred_wakes(server, runtime):
    """No offer stands, and both host the session: one has the run, and the other is told so."""
    other = await server.make_token("runtime")
    sessions = [await runtime.session() for _ in range(100)]
    attached = await other.attach(agents=["*"], session_scope=2, run_slots_max=200)
    sent = [(await runtime.user(session)).message_id for session in sessions]
    offers = {(offer := await attached.told("wake_offer")).session_id: offer for _ in sessions}
    attached.cancel()  # it hosts them all now
    watching = server.admin.subscribe(all=True, event_types=[82])
    await watching.events(len(sessions))
    winners = []

    async def race(session) -> None:
        both = [runtime, other]
        CHANCE.shuffle(both)
        wake_id = offers[session.session_id].wake_id
        starts = (client.start(session, wake_id=wake_id, attempt_id="first") for client in both)
        answers = await asyncio.gather(*starts, return_exceptions=True)
        (won,) = [index for index, answer in enumerate(answers) if not isinstance(answer, Exception)]
        assert read_refusal(answers[1 - won]).code == "wake:settled"
        winners.append(both[won])
        await both[won].finish(answers[won].run, commit_claim_seq=answers[won].claim.claim_seq)

    for first in range(0, len(sessions), 4):  # of many at once a busy server reads all of one connection first
        await asyncio.gather(*(race(session) for session in sessions[first : first + 4]))
    assert {client.token_id for client in winners} == {runtime.token_id, other.token_id}
    ledger = Ledger(await server.admin.log(all=True))
    ledger.settled(*sent)
    assert ledger.of("consumed") == set(sent)
    assert all(len(runs) == 1 for runs in ledger.runs.values())
    watching.cancel()
