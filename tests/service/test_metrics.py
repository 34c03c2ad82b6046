"""`/metrics`: the numbers are those of the real server, and are there when the store is not."""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading

import pytest
from calls import fresh
from kinpost.v1 import PROTOCOL_VERSION
from kinpost_server.domain.errors import Refusal
from kinpost_server.engine import figures
from kinpost_server.engine.command import Command
from kinpost_server.engine.ports import Scope, StoreFailed
from mail import two
from peer_doors import GrpcDoor
from prometheus_client.parser import text_string_to_metric_families
from scraping import fetch, scrape

PAUSED, USER_CLOSED = 2, 5


@pytest.fixture
def overrides():
    return {"http": {"enabled": True}, "delivery": {"failing_runs_max": 1}}


@pytest.fixture(autouse=True)
def counted_each_time(monkeypatch):
    """Numbers of the database are not kept from one scrape to the next, and are waited for."""
    monkeypatch.setattr(figures, "KEPT_SECONDS", 0.0)
    monkeypatch.setattr(figures, "REST_FACTOR", 0)
    monkeypatch.setattr(figures, "PATIENCE_SECONDS", 60.0)  # on a busy machine too


async def put(server, session, availability: int) -> None:
    await server.admin.sessions.SetAvailability(session_id=session.session_id, availability=availability)


async def test_mail_wakes_and_runs_are_counted(server, runtime):
    before = await scrape(server)
    assert before["kinpost_messages_waiting"] == before["kinpost_wakes_outstanding"] == 0
    assert before["kinpost_wake_oldest_age_seconds"] == 0
    held, idle, running = [await runtime.session() for _ in range(3)]
    await put(server, held, PAUSED)
    await runtime.run(running)
    for session in (held, held, idle, running):
        await server.admin.user(session)
    now = await scrape(server)
    assert now["kinpost_messages_waiting"] == 4
    assert now["kinpost_messages_held"] == 2
    assert now["kinpost_wakes_outstanding"] == 1
    assert now["kinpost_wake_oldest_age_seconds"] > 0
    assert now["kinpost_runs_active"] == 1
    assert now["kinpost_log_position"] > before["kinpost_log_position"]
    await put(server, idle, USER_CLOSED)
    now = await scrape(server)
    assert (now["kinpost_messages_held"], now["kinpost_wakes_outstanding"]) == (3, 0)


async def test_failing_sessions_are_counted_until_a_person_opens_them(server, runtime):
    session = await runtime.session()
    paused = await runtime.session()
    await server.admin.sessions.SetAvailability(
        session_id=paused.session_id, availability=PAUSED, reason="failing"
    )  # by a person, whatever the reason is
    await server.admin.user(session)
    started = await runtime.start(session, attempt_id="a")
    await runtime.finish(started.run, "FAILED")
    assert (await scrape(server))["kinpost_sessions_failing"] == 1
    await put(server, session, 1)
    assert (await scrape(server))["kinpost_sessions_failing"] == 0


async def test_attached_runtimes_and_their_slots_are_counted(server, runtime):
    stream = await runtime.attach(run_slots_max=3)
    session = await runtime.session()
    await server.admin.user(session)
    await stream.told("wake_offer")
    now = await scrape(server)
    assert now["kinpost_runtimes_attached"] == 1
    assert (now["kinpost_run_slots"], now["kinpost_run_slots_free"]) == (3, 2)
    stream.cancel()


async def test_dead_letters_parked_mail_and_questions_are_counted(server, runtime):
    source, target = await runtime.session(), await runtime.session()
    peer = await server.make_token("peer", source.session_id)
    await put(server, target, USER_CLOSED)
    assert (await GrpcDoor().send(peer, source, target)).error == "user_closed"
    asker, asked, run = await two(runtime, {"*": "ask"})
    await runtime.ask(run, asked)
    now = await scrape(server)
    assert (now["kinpost_dead_letters"], now["kinpost_messages_parked"]) == (1, 0)
    assert now["kinpost_approvals_pending"] == 1
    assert asker.session_id not in (await fetch(server)).text


async def test_commands_are_counted_by_kind_and_code_and_commits_by_size_and_time(server, refused):
    _, child, run = await two(server.admin)
    before = await scrape(server)
    for _ in range(3):
        await server.admin.send(run, child)
    with refused("send_message:invalid_body"):
        await server.admin.send(run, child, " ")
    now = await scrape(server)

    def more(name: str) -> float:
        return now[name] - before.get(name, 0)

    assert more("kinpost_commands_total{code=ok,command=SendMessage}") == 3
    assert more("kinpost_commands_total{code=send_message:invalid_body,command=SendMessage}") == 1
    assert more("kinpost_batch_commands_count") >= 4
    assert more("kinpost_batch_commands_sum") >= 4
    assert more("kinpost_commit_seconds_count") >= 3
    assert more("kinpost_commit_seconds_sum") > 0
    assert more("kinpost_batch_seconds_sum") > more("kinpost_commit_seconds_sum")
    assert now["kinpost_batch_commands_bucket{le=+Inf}"] == now["kinpost_batch_commands_count"]


@pytest.mark.parametrize("overrides", [{"http": {"enabled": True}, "server": {"queue_commands_max": 1}}])
async def test_a_full_queue_shows(server):
    """While the committer is held up, one command waits and the others are refused."""
    session = await server.admin.session()
    hold, held = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def stand_still() -> None:
        loop.call_soon_threadsafe(held.set)
        hold.wait(20)

    server.engine._committer.gathering.call(stand_still)
    await held.wait()
    waiting = asyncio.create_task(server.admin.user(session))
    while not server.engine._committer.waiting:
        await asyncio.wait([waiting], timeout=0.01)
    with contextlib.suppress(Exception):
        await server.admin.user(session)
    now = await scrape(server)
    hold.set()
    await waiting
    assert (now["kinpost_queue_commands"], now["kinpost_queue_commands_max"]) == (1, 1)
    assert now["kinpost_commands_total{code=server:overloaded,command=SendUserMessage}"] == 1


async def test_subscribers_are_counted_with_their_lag(server, runtime):
    """Who has seen all of its session lags behind nobody, whatever happens elsewhere."""
    quiet, busy = await runtime.session(), await runtime.session()
    follower = server.admin.subscribe(session_id=quiet.session_id)
    await follower.until(lambda frame: frame.caught_up)
    for _ in range(5):
        await server.admin.user(busy)
    now = await scrape(server)
    assert (now["kinpost_subscribers"], now["kinpost_subscriber_lag_events_max"]) == (1, 0)
    # One that is not taken up again stands where it was, as one whose client does not read.
    hub = server.engine._hub
    frames = await server.engine.subscribe(server.engine.caller_of(server.admin_secret), Scope())
    await anext(frames)
    place = hub.last_position
    for _ in range(3):
        await server.admin.user(busy)
    now = await scrape(server)
    assert now["kinpost_subscribers"] == 2
    assert now["kinpost_subscriber_lag_events_max"] >= hub.last_position - place
    assert now["kinpost_subscribers_behind{events_min=1}"] == 1
    assert now["kinpost_subscribers_behind{events_min=1000}"] == 0
    await frames.aclose()
    follower.cancel()


async def test_without_the_store_the_rest_is_told(server, monkeypatch):
    def away():
        raise StoreFailed("the disk is gone")

    good = await scrape(server)
    assert (good["kinpost_store_healthy"], "kinpost_dead_letters" in good) == (1, True)
    with monkeypatch.context() as patched:
        patched.setattr(server.opened.reader, "figures", away)
        now = await scrape(server)
        assert (now["kinpost_store_healthy"], "kinpost_dead_letters" in now) == (0, False)
        assert now["kinpost_queue_commands_max"] == 4096
    assert (await scrape(server))["kinpost_store_healthy"] == 1


async def test_a_store_that_hangs_is_not_waited_for(server, monkeypatch):
    answer = threading.Event()
    monkeypatch.setattr(figures, "PATIENCE_SECONDS", 0.05)
    count = server.opened.reader.figures
    asked = []

    def hang():
        asked.append(1)
        answer.wait(20)
        return count()

    monkeypatch.setattr(server.opened.reader, "figures", hang)
    assert (await scrape(server))["kinpost_store_healthy"] == 0
    assert (await scrape(server))["kinpost_store_healthy"] == 0
    assert asked == [1]  # who asks meanwhile waits for the same
    answer.set()


async def test_the_database_is_asked_once_for_all_who_ask_within_a_moment(server, monkeypatch):
    monkeypatch.setattr(figures, "KEPT_SECONDS", 1000.0)
    count, asked = server.opened.reader.figures, []

    def counted():
        asked.append(1)
        return count()

    monkeypatch.setattr(server.opened.reader, "figures", counted)
    await asyncio.gather(*(scrape(server) for _ in range(10)))
    await scrape(server)
    assert asked == [1]


async def test_names_are_those_of_prometheus_and_labels_are_bounded(server):
    _, child, run = await two(server.admin)
    await server.admin.send(run, child, tool_call_id=fresh("call"))
    answer = await fetch(server)
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    commands = {kind.__name__ for kind in descendants(Command)}
    codes = {kind.code for kind in descendants(Refusal)} | {"ok", "internal", "plugin:asked", "caller:gone"}
    seen = set()
    for family in text_string_to_metric_families(answer.text):
        if not family.name.startswith("kinpost_"):
            continue
        seen.add(family.name)
        assert re.fullmatch(r"kinpost_[a-z_]+", family.name)
        assert family.documentation
        for sample in family.samples:
            assert sample.name.endswith("_total") == (family.type == "counter")
            labels = dict(sample.labels)
            assert labels.pop("command", "SendMessage") in commands
            assert labels.pop("code", "ok") in codes
            assert set(labels) <= {"le", "events_min", "version", "protocol_version"}
    assert len(seen) > 20
    assert f'protocol_version="{PROTOCOL_VERSION}"' in answer.text
    assert "process_resident_memory_bytes" in answer.text


def descendants(kind: type) -> set[type]:
    return {kind, *(found for child in kind.__subclasses__() for found in descendants(child))}


class TestWhoMayRead:
    @pytest.mark.parametrize("overrides", [{"http": {"enabled": True, "metrics": "token"}}])
    async def test_with_a_token_observers_and_admins(self, server):
        document = (await fetch(server, "/openapi.json")).json()["paths"]["/metrics"]["get"]
        assert (document["security"], {"401", "403"} <= set(document["responses"])) == ([{"bearer": []}], True)
        assert (await fetch(server)).status_code == 401
        assert (await fetch(server, secret="kinpost_wrong")).status_code == 401
        for kind, status in (("runtime", 403), ("approver", 403), ("plugin", 403), ("observer", 200)):
            assert (await fetch(server, secret=(await server.make_token(kind)).secret)).status_code == status, kind
        assert (await scrape(server, server.admin_secret))["kinpost_store_healthy"] == 1

    @pytest.mark.parametrize("overrides", [{"http": {"enabled": True, "metrics": "off"}}])
    async def test_nobody(self, server):
        assert (await fetch(server, secret=server.admin_secret)).status_code == 404
        assert "/metrics" not in (await fetch(server, "/openapi.json")).json()["paths"]

    async def test_whoever_reaches_the_port_unless_told_otherwise(self, server):
        assert (await fetch(server)).status_code == 200
