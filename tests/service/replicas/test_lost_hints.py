"""A hint that is lost, or a listener whose connection dies, costs at most `poll_seconds`; and then hints work again."""

from __future__ import annotations

import asyncio
import resource
import socket

import pytest
from approving import decide, listed
from gatekeeper import Gatekeeper
from kinpost_server.engine.replica_ports import News
from ledger import came
from mail import by_rpc, two
from postgres_server import connected

LONG = {"approval_wait": {"seconds": 60}}
LISTENERS = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE '%LISTEN kinpost%' AND pid <> pg_backend_pid()
"""
often = pytest.mark.parametrize("poll_seconds", [0.1])


@pytest.fixture
def overrides():
    return {"plugins": {"gates": "guard", "intercept_timeout_seconds": 20.0}}


def knows_revoked(server, token_id) -> bool:
    """Whether a replica has heard that a token has ended; it may not have heard of the token before."""
    token = server.engine.tokens.get(token_id)
    return token is not None and token.revoke_time is not None


async def the_whole_story(pair, runtimes, refused) -> None:
    """What one replica has to hear of the other."""
    guard = await Gatekeeper((await pair.token("plugin", plugin_name="guard")).a).begin()
    approver = await pair.token("approver")
    parent, child, run = await two(runtimes.b, rules={"child": "ask"})
    attached = await runtimes.a.attach("the-runtime")
    stream = runtimes.a.subscribe(session_id=child.session_id, from_now=True)
    await stream.next()
    waiting = asyncio.create_task(by_rpc(runtimes.b, run, child, **LONG))
    await guard.allow(await guard.told())
    await came(lambda: len(pair.b.engine._approval_waits) == 1)
    (approval_id,) = await listed(approver.a, parent, "pending")
    await decide(approver.a, parent, approval_id, "once")
    message_id = (await waiting).promise[0]
    told = await stream.until(lambda frame: any(e.HasField("producer_message_accepted") for e in frame.events))
    assert [e.producer_message_accepted.message_id for e in told.events if e.HasField("producer_message_accepted")] == [
        message_id
    ]
    offer = await attached.told("wake_offer")
    started = await runtimes.b.start(child, wake_id=offer.wake_id)
    await runtimes.b.runs.CancelRun(session_id=child.session_id, run_id=started.run.run_id)
    assert (await attached.told("run_stop")).run_id == started.run.run_id
    again = await runtimes.b.attach("the-runtime")
    with refused("runtime:replaced"):
        await attached.ended()
    again.cancel()
    guard.cancel()
    await pair.admin.a.admin.RevokeToken(token_id=approver.a.token_id)
    await came(lambda: knows_revoked(pair.b, approver.a.token_id))


async def test_hints_alone_tell_everything(pair, runtimes, refused):
    """Nobody looks by himself for a minute, and no call waits for so long."""
    async with asyncio.timeout(25):
        await the_whole_story(pair, runtimes, refused)


@often
async def test_lost_hints_cost_a_look(pair, runtimes, refused, unheard):
    async with asyncio.timeout(25):
        await the_whole_story(pair, runtimes, refused)


@pytest.mark.parametrize("poll_seconds", [1.0])
@pytest.mark.parametrize("of", ["a revocation", "a plugin", "a runtime"])
async def test_a_lost_hint_costs_no_more_while_others_come_all_the_time(pair, runtimes, refused, of):
    """Hints of events go on coming, more often than anybody looks by himself; those of all else are lost."""
    for server in (pair.a, pair.b):
        tell = server.engine._replicas.tell
        server.engine._replicas.tell = lambda news, tell=tell: tell(news) if news == {News.EVENTS} else None

    async def traffic(client):
        while True:
            await client.session()

    traffics = [asyncio.create_task(traffic(client)) for client in runtimes]
    try:
        if of == "a revocation":
            observer = await pair.token("observer")
            await pair.admin.a.admin.RevokeToken(token_id=observer.a.token_id)
            await came(lambda: knows_revoked(pair.b, observer.a.token_id))
        elif of == "a plugin":
            guard = await Gatekeeper((await pair.token("plugin", plugin_name="guard")).a).begin()
            _, child, run = await two(runtimes.b)
            waiting = asyncio.create_task(by_rpc(runtimes.b, run, child))
            await guard.allow(await guard.told())
            assert (await waiting).promise
            guard.cancel()
        else:
            attached = await runtimes.a.attach("the-runtime")
            again = await runtimes.b.attach("the-runtime")
            with refused("runtime:replaced"):
                await attached.ended()
            again.cancel()
    finally:
        for each in traffics:
            each.cancel()


async def test_a_page_of_the_log_is_answered_while_others_go_on_writing(pair, runtimes):
    """B has to read what A wrote before it answers, and whenever it has read something A has written more."""
    session = await runtimes.a.session()
    loop, read, reads = asyncio.get_running_loop(), pair.b.engine._reader.events_after, []

    def read_and_write(*arguments):
        found = read(*arguments)
        asyncio.run_coroutine_threadsafe(runtimes.a.session(), loop).result(20)
        reads.append(arguments)
        return found

    pair.b.engine._reader.events_after = read_and_write
    async with asyncio.timeout(25):
        (created,) = await runtimes.b.log(session_id=session.session_id)
    assert created.session_id == session.session_id
    assert reads


def only_new(looking, before: set[int]) -> bool:
    """Whether both listen again, and those that were cut off are gone."""
    found = {pid for (pid,) in looking.execute(LISTENERS)}
    return len(found) == 2 and not found & before


async def test_a_listener_that_is_cut_off_listens_again(pair, runtimes, refused, postgres_url):
    """Everything that was said meanwhile is looked for when it is back, and hints work as before."""
    with connected(postgres_url) as looking:
        for _ in range(2):
            before = {pid for (pid,) in looking.execute(LISTENERS)}
            assert len(before) == 2
            for pid in before:
                looking.execute("SELECT pg_terminate_backend(%s)", [pid])
            await came(lambda before=before: only_new(looking, before))
    assert await pair.a.engine._follower.is_alone() is False
    async with asyncio.timeout(25):
        await the_whole_story(pair, runtimes, refused)


async def test_who_tells_and_is_cut_off_loses_no_hint(pair, runtimes, refused, postgres_url):
    """All connections are cut, whatever they are for: the next thing that happens is told all the same."""
    session = await pair.admin.a.session()  # nobody's who attaches
    stream = pair.admin.b.subscribe(session_id=session.session_id, from_now=True)
    await stream.next()
    with connected(postgres_url) as looking:
        for _ in range(3):
            await pair.admin.a.user(session)
            await stream.events(1)
            before = {pid for (pid,) in looking.execute(LISTENERS)}
            looking.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            await came(lambda before=before: len({p for (p,) in looking.execute(LISTENERS)} - before) == 2)
            await came(lambda: all(server.engine.healthy for server in (pair.a, pair.b)))
    async with asyncio.timeout(25):
        await the_whole_story(pair, runtimes, refused)


async def test_a_listener_may_have_any_file_number(pair, runtimes, refused, postgres_url):
    """A busy server has thousands of open files when it has to listen anew."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 3000
    if hard < wanted:
        pytest.skip("this machine does not let us open so many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    open_files = [socket.socket(socket.AF_UNIX) for _ in range(1100)]
    try:
        with connected(postgres_url) as looking:
            before = {pid for (pid,) in looking.execute(LISTENERS)}
            for pid in before:
                looking.execute("SELECT pg_terminate_backend(%s)", [pid])
            await came(lambda: len({p for (p,) in looking.execute(LISTENERS)} - before) == 2)
        session = await runtimes.a.session()
        stream = runtimes.b.subscribe(session_id=session.session_id, from_now=True)
        await stream.next()
        await runtimes.a.user(session)
        await stream.events(1)
    finally:
        for one in open_files:
            one.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
