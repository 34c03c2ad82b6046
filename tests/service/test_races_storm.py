"""Everybody does everything at once: senders, runtimes, people, timers. The log must keep every rule all the same."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from calls import fresh, read_refusal
from kinpost.v1 import run_pb2
from kinpost.v1 import session_pb2 as words
from ledger import Ledger, payloads
from load import SETTINGS
from together import drain

CHILDREN = 6
STEPS = 200  # of each actor, at least
DELIVERY = {
    "run_lease_seconds": 0.4,
    "heartbeat_seconds": 0.1,
    "offer_seconds": 0.1,
    "offer_retry_seconds": 0.01,
    "offer_retry_max_seconds": 0.05,
    "failing_delay_seconds": 0.001,
    "failing_delay_max_seconds": 0.01,
    "failing_runs_max": 1_000_000,
    "sweep_seconds": 0.01,
    "reconcile_seconds": 0.3,
}
AVAILABILITIES = (
    {"availability": words.AVAILABILITY_PAUSED},
    {"availability": words.AVAILABILITY_USER_CLOSED},
    {"availability": words.AVAILABILITY_ENDED},
    {"availability": words.AVAILABILITY_ARCHIVED, "no_wake": True},
    {"availability": words.AVAILABILITY_ARCHIVED},
)
# It is a storm when all of this happened: it goes on until then.
EVERYTHING = {
    *(("discarded", reason) for reason in (2, 3, 4)),
    *(("finished", outcome) for outcome in (2, 3, 4, 5)),
    *(("released", reason) for reason in (1, 2, 3, 4)),
    *(("failed", reason) for reason in ("declined", "not taken in time", "the runtime is gone")),
    ("stopped", "by a person"),
    ("lapsed", "for silence"),
}
# What one may be told because another was first.
OVERTAKEN = {
    "wake:settled",
    "claim:lost",
    "run:not_active",
    "run:lease_lost",
    "run:cancelled",
    "run:already_active",
    "session:not_open",
    "message:claimed",
    "message:not_found",
}


@pytest.fixture
def overrides():
    delivery = {**SETTINGS["delivery"], **DELIVERY}
    return {**SETTINGS, "delivery": delivery, "events": {"heartbeat_seconds": 0.2}}


class Storm:
    """The actors, who share what was accepted and count what they were told."""

    def __init__(self, server, parent, children, closed, sending) -> None:
        self.server, self.parent, self.children, self.sending = server, parent, children, sending
        self.closed = closed  # nobody opens it, so what may expire does, however fast the others read
        self.accepted: list[str] = []
        self.told: Counter[str] = Counter()
        self.chance = random.Random(3)
        self.over = asyncio.Event()
        self.happened: set[tuple[str, Any]] = set()

    async def watch(self) -> None:
        """Follow the log, to know what has happened already."""
        watching = self.server.admin.subscribe(all=True)
        while not self.over.is_set():
            events = (await watching.next()).events
            watching.seen.clear()
            for payload in payloads(events, "producer_message_discarded"):
                self.happened.add(("discarded", payload.reason))
            for payload in payloads(events, "producer_messages_released"):
                self.happened.add(("released", payload.reason))
            for payload in payloads(events, "wake_failed"):
                self.happened.add(("failed", payload.reason.split(":")[0]))
            for payload in payloads(events, "run_finished"):
                self.happened.add(("finished", payload.outcome))
                self.happened |= {("stopped", "by a person")} if payload.by_person else set()
                self.happened |= {("lapsed", "for silence")} if payload.lease_lost else set()
        watching.cancel()

    def steps(self) -> Iterator[int]:
        """Count an actor's steps until it has made enough of them and everything has happened."""
        for step in itertools.count():
            if step >= STEPS and self.happened >= EVERYTHING:
                return
            yield step

    async def asked(self, call: Any) -> Any:
        """Return a call's answer, or None when somebody else was first."""
        try:
            return await call
        except grpc.aio.AioRpcError as error:
            code = read_refusal(error).code
            self.told[code or error.code().name] += 1
            return None

    async def sender(self, client) -> None:
        last: dict[str, str] = {}
        for _ in self.steps():
            child = self.closed if self.chance.random() < 0.02 else self.chance.choice(self.children)
            before = last.get(child.session_id, "")
            if before and self.chance.random() < 0.2:
                own = {"session_id": self.parent.session_id, "message_id": before}
                await self.asked(client.messaging.RetractMessage(**own))
                continue
            more: dict[str, Any] = {"mode": self.chance.choice((1, 2))}
            if before and self.chance.random() < 0.2:
                more["supersedes_message_id"] = before
            if child is self.closed or self.chance.random() < 0.2:
                more["expire_after"] = {"seconds": 1}
            sent = await self.asked(client.send(self.sending, child, "the mail", **more))
            if sent is not None:
                self.accepted.append(sent.message_id)
                last[child.session_id] = sent.message_id

    async def person(self, client) -> None:
        for _ in self.steps():
            own = {"session_id": self.chance.choice(self.children).session_id}
            roll = self.chance.random()
            if roll < 0.1:
                await self.asked(client.runs.CancelRun(**own))
            elif roll < 0.3:
                await self.asked(client.sessions.SetAvailability(**own, **self.chance.choice(AVAILABILITIES)))
            else:
                await self.asked(client.sessions.SetAvailability(**own, availability=words.AVAILABILITY_OPEN))

    async def host(self, client, name: str) -> None:
        """Take offers, drop some, and leave now and then with offers in hand."""
        working: set[asyncio.Task[None]] = set()
        while not self.over.is_set():
            attached = await client.attach(name, agents=["*"], session_scope=2, run_slots_max=3)
            for _ in range(self.chance.randrange(1, 30)):
                told = asyncio.ensure_future(attached.next())
                over = asyncio.ensure_future(self.over.wait())
                await asyncio.wait((told, over), return_when=asyncio.FIRST_COMPLETED)
                over.cancel()
                if not told.done():
                    told.cancel()
                    break
                if told.result().HasField("wake_offer") and self.chance.random() < 0.9:
                    working.add(asyncio.create_task(self.run(client, told.result().wake_offer)))
            attached.cancel()
        await asyncio.gather(*working)

    async def run(self, client, offer) -> None:
        """Do whatever a runtime may do with an offer, and with the run that comes of it."""
        wake = {"session_id": offer.session_id, "wake_id": offer.wake_id}
        if self.chance.random() < 0.1:
            await self.asked(client.runs.DeclineWake(**wake))
            return
        started = await self.asked(client.runs.StartRun(**wake, attempt_id=fresh("attempt")))
        if started is None or not started.HasField("claim"):
            return  # somebody else was first; or the same offer was taken before, and that run is over by now
        run = {"session_id": offer.session_id, "run_id": started.run.run_id}
        claim = started.claim
        for _ in range(self.chance.randrange(4)):
            roll = self.chance.random()
            if roll < 0.05:
                return  # it is never heard of again
            if roll < 0.2:
                await self.asked(client.runs.ReleaseClaim(**run, claim_seq=claim.claim_seq))
            commit = {"commit_claim_seq": claim.claim_seq} if roll > 0.35 else {}
            answer = await self.asked(client.runs.ClaimMessages(**run, attempt_id=fresh("attempt"), **commit))
            if answer is None:
                return
            claim = answer.claim
        outcome = self.chance.choice((2, 2, 3, 4, 5))
        await self.asked(client.runs.FinishRun(**run, outcome=outcome, commit_claim_seq=claim.claim_seq))

    async def keep_sending_run(self, client) -> None:
        """Speak for the senders' own run, and start another when it lapsed: a machine may stand still for so long."""
        while not self.over.is_set():
            own = {"session_id": self.parent.session_id, "run_id": self.sending.run_id}
            (lease,) = (await client.runs.Heartbeat(runtime_id="senders", runs=[own])).runs
            if lease.state != run_pb2.RUN_STATE_ACTIVE:
                self.sending = await client.run(self.parent)
            await asyncio.wait((asyncio.ensure_future(self.over.wait()),), timeout=0.1)


async def test_a_storm_of_everything_at_once_breaks_no_rule(server, runtime, service_log):
    parent = await runtime.session(rules={"child": "allow"})
    children = [await runtime.session(parent) for _ in range(CHILDREN)]
    closed = await runtime.session(parent)
    await server.admin.sessions.SetAvailability(
        session_id=closed.session_id, availability=words.AVAILABILITY_USER_CLOSED
    )
    storm = Storm(server, parent, children, closed, await runtime.run(parent))
    hosts = [runtime, await server.make_token("runtime")]
    async with asyncio.TaskGroup() as group:
        for client, name in zip(hosts, ("one", "two"), strict=True):
            group.create_task(storm.host(client, name))
        group.create_task(storm.keep_sending_run(runtime))
        group.create_task(storm.watch())
        actors = [storm.sender(runtime), storm.sender(runtime), storm.person(server.admin)]
        await asyncio.gather(*actors)
        storm.over.set()
    await drain(server.admin, parent, closed, *children)
    assert set(storm.told) <= OVERTAKEN
    log = await server.admin.log(all=True)
    ledger = Ledger(log)
    ledger.settled(*storm.accepted)
    assert set(storm.accepted) == set(ledger.state)
    assert [entry for entry in service_log if entry["event"] == "reconciliation_mended"] == []
