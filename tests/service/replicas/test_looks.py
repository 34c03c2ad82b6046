"""What a hint that is lost, or a listener that is dead, costs at most: one look at everything.

Such a look comes `poll_seconds` after the last one, whatever else comes meanwhile. The test lets each of them in, so
what is found is counted in looks, however slow the machine is.
"""

from __future__ import annotations

import asyncio
from functools import partial
from types import SimpleNamespace

import pytest
from kinpost_server.engine.replica_ports import News
from kinpost_server.store.postgres import PostgresDatabase
from kinpost_server.store.replicas import PostgresReplicas
from kinpost_server.store.settings import StoreSettings
from ledger import came
from own_postgres import cable_to, through
from postgres_server import connected
from running import LocalServer
from sqlalchemy.engine import make_url

POLL_SECONDS = 0.1
LONG_SECONDS = 60.0  # longer than any call of a test waits
EVERYTHING = set(News)


@pytest.fixture
def poll_seconds():
    return POLL_SECONDS


class Looks:
    """The looks of one replica: how many were done, and how long it was to wait for the next one at everything."""

    def __init__(self, server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.follower = server.engine._follower
        self.follower.silence_seconds = LONG_SECONDS  # it hears nothing while the test holds it
        self.done = 0
        self.others = 0  # what a hint was about, and nothing else
        self.late: list[float] = []  # by how much a look was to come after `poll_seconds`
        self.wait_until_time = 0.0
        self._begun_time = asyncio.get_running_loop().time()
        self._task: asyncio.Task[object] | None = None
        self._held = False
        self._waits = asyncio.Event()
        self._turn = asyncio.Semaphore(0)
        self._look_at = self.follower._look_at
        self._timeout_at = asyncio.timeout_at
        monkeypatch.setattr(self.follower, "_look_at", self._look)
        monkeypatch.setattr(asyncio, "timeout_at", self._wait_until)

    async def hold(self) -> None:
        """Let none be done any more, and wait until the next one is due."""
        self._held = True
        await self._waits.wait()

    async def one(self) -> None:
        """Let one be done, and wait for its end; the next one is held again."""
        done = self.done
        self._turn.release()
        await came(lambda: self.done > done)

    def go_on(self, poll_seconds: float) -> None:
        """Hold none any more; the one after the next comes so much later."""
        self.follower._poll_seconds = poll_seconds
        self._held = False
        self._turn.release()

    async def _look(self, news: set[News]) -> None:
        if news != EVERYTHING:
            await self._look_at(news)
            self.others += 1
            return
        self._task, self._begun_time = asyncio.current_task(), asyncio.get_running_loop().time()
        if self._held:
            self._waits.set()
            await self._turn.acquire()
            self._waits.clear()
        await self._look_at(news)
        self.done += 1

    def _wait_until(self, when: float | None) -> asyncio.Timeout:
        if self._task is not None and asyncio.current_task() is self._task and when is not None:
            self.wait_until_time = when
            self.late.append(max(0.0, when - (self._begun_time + self.follower._poll_seconds)))
        return self._timeout_at(when)


@pytest.fixture
async def looks(pair, monkeypatch):
    """Those of A."""
    return Looks(pair.a, monkeypatch)


async def test_a_lost_hint_of_events_costs_one_look(pair, runtimes, unheard, looks):
    session = await runtimes.a.session()
    stream = runtimes.a.subscribe(session_id=session.session_id, from_now=True)
    await stream.next()
    await looks.hold()
    await runtimes.b.user(session)
    stored = await runtimes.b.log(session_id=session.session_id)
    assert pair.a.engine._hub.last_position < stored[-1].position
    await looks.one()
    assert await stream.events(len(stored) - 1) == stored[1:]


async def test_a_lost_hint_of_a_wake_costs_one_look(pair, runtimes, unheard, looks):
    session = await runtimes.a.session()
    attached = await runtimes.a.attach("the-runtime")
    await looks.hold()
    await runtimes.b.user(session)
    await looks.one()
    assert (await attached.told("wake_offer")).session_id == session.session_id


@pytest.mark.parametrize("overrides", [{"events": {"heartbeat_seconds": 0.05}}])  # at which a quiet stream is checked
async def test_a_lost_hint_of_a_revocation_costs_one_look(pair, runtimes, unheard, looks, refused):
    session = await runtimes.a.session()
    observer = await pair.token("observer")
    stream = observer.a.subscribe(all=True)
    await stream.next()
    await looks.hold()
    await pair.admin.b.admin.RevokeToken(token_id=observer.b.token_id)
    assert await observer.a.log(session_id=session.session_id)  # A knows nothing of it yet
    await looks.one()
    with refused("auth:unauthenticated"):
        await observer.a.log(session_id=session.session_id)
    with refused("auth:unauthenticated"):
        await stream.ended()


async def test_hints_do_not_put_off_the_next_look_at_everything(pair, runtimes, looks):
    """However many come: it is due `poll_seconds` after the last one began."""
    done, others = looks.done, looks.others
    while looks.done < done + 5 or looks.others < others + 5 or len(looks.late) <= 10:
        await runtimes.b.session()
        assert max(looks.late, default=0.0) == 0.0


@pytest.fixture
async def line(pair, postgres_url, monkeypatch):
    """A listens to the database through a cable, by a connection that has nothing else to do."""
    replicas = pair.a.engine._replicas
    async with cable_to(postgres_url) as cable:
        far = SimpleNamespace(_database=PostgresDatabase(make_url(through(cable, postgres_url)), StoreSettings()))
        monkeypatch.setattr(replicas, "_connect", partial(PostgresReplicas._connect, far))
        with connected(postgres_url) as looking:
            looking.execute("SELECT pg_terminate_backend(%s)", [replicas._listening.process_id])
        await came(lambda: cable.connections == 1 and replicas._listening is not None)
        yield cable


@pytest.mark.parametrize("death", ["it is cut and does not come back", "it is silent"])
async def test_a_dead_listener_costs_one_look_and_hints_work_again_when_it_is_back(pair, runtimes, looks, line, death):
    replicas = pair.a.engine._replicas
    session = await runtimes.a.session()
    stream = runtimes.a.subscribe(session_id=session.session_id, from_now=True)
    await stream.next()
    line.part()
    if death != "it is silent":
        line.cut()
        await came(lambda: line.connections > 1)  # it tries, and nobody answers
        assert replicas._listening is None
    await looks.hold()
    others = looks.others
    for _ in range(3):
        await looks.hold()
        await runtimes.b.user(session)
        stored = await runtimes.b.log(session_id=session.session_id)
        assert pair.a.engine._hub.last_position < stored[-1].position
        await looks.one()
        assert pair.a.engine._hub.last_position == stored[-1].position
    await looks.hold()
    assert looks.others == others  # no hint came
    assert max(looks.late) == 0.0
    assert (replicas._listening is None) == (death != "it is silent")
    seen = await stream.events(len(stored) - 1)
    looks.go_on(LONG_SECONDS)
    line.join()
    await came(lambda: replicas._listening is not None)
    await came(lambda: looks.wait_until_time > asyncio.get_running_loop().time() + LONG_SECONDS / 2)
    for _ in range(3):
        await runtimes.b.user(session)
        seen += await stream.events(1)
    assert seen == (await runtimes.b.log(session_id=session.session_id))[1 : len(seen) + 1]
