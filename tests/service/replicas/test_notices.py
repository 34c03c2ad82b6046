"""A runtime works at two replicas, in any order, and hears of all that it lost."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import Any

import grpc
import pytest
from calls import read_refusal
from kinpost.v1 import run_pb2, session_pb2
from kinpost_server.engine.replica_ports import News
from ledger import came, payloads

# Nothing comes to the help of a notice that is not given when it should be: no lapse, no heartbeat.
SLOW = {"offer_seconds": 3600.0, "reconcile_seconds": 3600.0, "run_lease_seconds": 7200.0, "heartbeat_seconds": 3600.0}


@pytest.fixture
def overrides():
    return {"delivery": SLOW}


class Told:
    """What a runtime was told, and what it did at either replica."""

    LATE = frozenset({"run:not_active", "run:cancelled", "run:already_active", "wake:settled", "session:not_open"})

    def __init__(self, pair: Any, runtimes: Any, sessions: list[Any], dice: random.Random) -> None:
        self.pair, self.runtimes, self.sessions, self.dice = pair, runtimes, sessions, dice
        self.runs: list[Any] = []
        self.notices: list[tuple[str, Any]] = []

    async def read(self, attached: Any) -> None:
        """Take down every notice, for ever."""
        while True:
            notice = await attached.call.read()
            name = notice.WhichOneof("message")
            self.notices.append((name, getattr(notice, name)))

    def told(self, name: str) -> list[Any]:
        return [notice for told, notice in self.notices if told == name]

    async def step(self) -> None:
        """Do one thing at one of the replicas; it may come too late for what the other did."""
        at, session = self.dice.choice(self.runtimes), self.dice.choice(self.sessions)
        do = self.dice.choice([self.mail, self.begin, self.take, self.finish, self.cancel, self.pause, self.hear])
        try:
            await do(at, session)
        except grpc.aio.AioRpcError as error:
            if read_refusal(error).code not in self.LATE:
                raise

    async def mail(self, at: Any, session: Any) -> None:
        await at.user(session)

    async def begin(self, at: Any, session: Any) -> None:
        self.runs.append(await at.run(session, runtime_id="the-runtime"))

    async def take(self, at: Any, _session: Any) -> None:
        if offers := self.told("wake_offer"):
            offer = self.dice.choice(offers[-3:])
            started = await at.runs.StartRun(session_id=offer.session_id, wake_id=offer.wake_id)
            self.runs.append(started.run)

    async def finish(self, at: Any, _session: Any) -> None:
        if self.runs:
            await at.finish(self.dice.choice(self.runs[-3:]))

    async def cancel(self, at: Any, _session: Any) -> None:
        if self.runs:
            run = self.dice.choice(self.runs[-3:])
            await at.runs.CancelRun(session_id=run.session_id, run_id=run.run_id)

    async def pause(self, _at: Any, session: Any) -> None:
        admin = self.dice.choice(self.pair.admin)
        now = self.dice.choice((session_pb2.AVAILABILITY_PAUSED, *3 * [session_pb2.AVAILABILITY_OPEN]))
        await admin.sessions.SetAvailability(session_id=session.session_id, availability=now)

    async def hear(self, _at: Any, _session: Any) -> None:
        self.pair.a.engine._follower._take_hint({News.EVENTS})


@pytest.mark.parametrize("seed", range(8))
async def test_every_run_and_offer_that_others_ended_is_told_of_once_however_late_that_is_read(pair, runtimes, seed):
    """A's runtime works at both replicas, and A hears of B now and then: in the end it knows of all that it lost."""
    told = Told(pair, runtimes, [await runtimes.a.session() for _ in range(3)], random.Random(seed))
    attached = await runtimes.a.attach("the-runtime")
    reading = asyncio.create_task(told.read(attached))
    pair.b.engine._replicas.tell = lambda _news: None
    for _ in range(150):
        await told.step()
    pair.a.engine._follower._take_hint({News.EVENTS})
    cancelled, running, taken = [], set(), {run.wake_id for run in told.runs}
    for session in told.sessions:
        log = await runtimes.a.log(session_id=session.session_id)
        finished = payloads(log, "run_finished")
        cancelled += [run.run_id for run in finished if run.outcome == run_pb2.RUN_STATE_CANCELLED]
        running |= {(await runtimes.a.look(session)).active_run_id}
    assert cancelled
    await came(lambda: set(cancelled) <= {stop.run_id for stop in told.told("run_stop")} or reading.done())
    await came(lambda: not outstanding(told, pair, taken) or reading.done())
    await pair.a.engine._committer_idle()
    last = await runtimes.a.session()
    await runtimes.a.user(last)  # what is told after this is all that there was to tell before it
    await came(lambda: last.session_id in {offer.session_id for offer in told.told("wake_offer")} or reading.done())
    assert not reading.done(), reading.exception()
    assert [stop.run_id for stop in told.told("run_stop") if stop.run_id in running] == []
    (_run, count), *_ = Counter(stop.run_id for stop in told.told("run_stop")).most_common(1)
    assert count == 1
    sequence: dict[str, list[str]] = {}
    for name, notice in told.notices:
        if name in ("wake_offer", "wake_withdrawn"):
            sequence.setdefault(notice.wake_id, []).append(name)
    for names in sequence.values():  # no offer is told, or withdrawn, twice in a row
        assert names == ["wake_offer", "wake_withdrawn"] * (len(names) // 2) + ["wake_offer"] * (len(names) % 2)
    reading.cancel()


def outstanding(told: Told, pair: Any, taken: set[str]) -> list[str]:
    """Return the wakes that were offered last said of them, and are not: neither taken by the runtime nor its still."""
    last = {notice.wake_id: name for name, notice in told.notices if name in ("wake_offer", "wake_withdrawn")}
    held = pair.a.engine._committer.runtimes.held_or_lost
    standing = {hold.wake_id for session in told.sessions for hold in held(session.session_id)}
    return [id_ for id_, name in last.items() if name == "wake_offer" and id_ not in taken | standing]
