"""`[retention]`: events of trees that were put away are dropped; what lives is not touched, and nothing else goes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import grpc
import pytest
from calls import fresh
from kinpost_server.domain.errors import CursorExpired
from kinpost_server.engine import events, retention
from kinpost_server.engine.ports import Scope
from mail import two
from peer_doors import HttpDoor
from running import LocalServer
from uuid_utils import uuid4

OPEN, PAUSED, ARCHIVED, USER_CLOSED = 1, 2, 3, 5
KINPOST = Path(sys.executable).with_name("kinpost")


@pytest.fixture
def overrides():
    # No look of the server's own comes between the test's.
    return {
        "retention": {"events_seconds": 0.000001},
        "http": {"enabled": True},
        "delivery": {"reconcile_seconds": 3600.0},
    }


async def put(server, session, availability: int, **fields) -> None:
    await server.admin.sessions.SetAvailability(session_id=session.session_id, availability=availability, **fields)


@contextlib.contextmanager
def in_place_of_the_committer(server):
    """Hold the committer back, which alone may write, so that the test may."""
    rests, go_on = threading.Event(), threading.Event()
    server.engine._committer.gathering.call(lambda: rests.set() or go_on.wait(60))
    assert rests.wait(60)
    try:
        yield
    finally:
        go_on.set()


async def lived(server):
    """A tree that has had a life: a parent that wrote to its child, which read it. Nothing waits any more."""
    parent, child, run = await two(server.admin)
    sent = await server.admin.send(run, child, "long ago", tool_call_id="a-call")
    started = await server.admin.start(child, attempt_id="a")
    await server.admin.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    await server.admin.finish(run)
    return parent, child, run, sent


async def archive(server, *sessions) -> None:
    for session in sessions:
        await put(server, session, ARCHIVED)


async def seqs(server, session) -> list[int]:
    return [event.seq for event in await server.admin.log(session_id=session.session_id)]


def doctor(server, *options: str, code: int = 0) -> str:
    ran = subprocess.run(
        [KINPOST, "doctor", "--data", server.folder, *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert ran.returncode == code, ran.stdout
    return ran.stdout


@pytest.mark.only("sqlite", because="the doctor examines a data folder")
async def test_a_tree_that_was_put_away_keeps_its_newest_events_and_all_its_projections(server):
    parent, child, run, sent = await lived(server)
    _, _, other_run, _ = await lived(server)
    other = await server.admin.log(session_id=other_run.session_id)
    await archive(server, parent, child)
    before = [await server.admin.look(session) for session in (parent, child)]
    told = await server.admin.messaging.GetSentMessage(session_id=parent.session_id, message_id=sent.message_id)
    dropped = await server.engine.retention.step()
    assert dropped == before[0].last_seq + before[1].last_seq - 2
    for session in before:
        assert await seqs(server, session) == [session.last_seq]
    assert await server.engine.retention.step() == 0
    await server.restart()
    assert [await server.admin.look(session) for session in (parent, child)] == before
    assert await server.admin.log(session_id=other_run.session_id) == other
    again = await server.admin.messaging.GetSentMessage(session_id=parent.session_id, message_id=sent.message_id)
    assert again == told
    # A late repeat gets its first answer, though the event of it is gone.
    repeated = await server.admin.send(run, child, "long ago", tool_call_id="a-call")
    assert (repeated.message_id, repeated.replayed) == (sent.message_id, True)
    assert "not rebuilt: 2 sessions" in doctor(server)


@pytest.mark.only("sqlite", because="the doctor examines a data folder")
async def test_it_goes_on_where_it_was_when_it_is_opened_again(server, refused):
    parent, child, _, _ = await lived(server)
    await archive(server, parent, child)
    last = (await server.admin.look(child)).last_seq
    await server.engine.retention.step()
    await server.restart()
    await put(server, child, OPEN)
    message = await server.admin.user(child, "are you there?")
    started = await server.admin.start(child, attempt_id="b")
    assert [one.message_id for one in started.claim.messages] == [message.message_id]
    await server.admin.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    found = await seqs(server, child)
    assert found == list(range(last, last + len(found)))
    doctor(server)
    now = (await server.admin.look(child)).last_seq
    for to_seq in (1, last - 1):
        with refused("events:cursor_expired", grpc.StatusCode.OUT_OF_RANGE):
            await server.admin.sessions.RevertSession(session_id=child.session_id, to_seq=to_seq, expected_last_seq=now)
        with refused("events:cursor_expired"):
            await server.admin.sessions.ForkSession(
                session_id=child.session_id, at_seq=to_seq, new_session_id=str(uuid4())
            )
    # What the log still tells of can be gone back to: the message waits again.
    end = now - 1
    await server.admin.sessions.ForkSession(session_id=child.session_id, at_seq=end, new_session_id=str(uuid4()))
    reverted = await server.admin.sessions.RevertSession(session_id=child.session_id, to_seq=now, expected_last_seq=now)
    assert reverted.session.last_seq > now


async def test_a_point_whose_state_only_dropped_events_tell_is_refused(server, refused):
    parent, child, _, _ = await lived(server)
    await archive(server, parent, child)
    await server.engine.retention.step()
    now = (await server.admin.look(child)).last_seq
    with refused("events:cursor_expired"):
        await server.admin.sessions.RevertSession(session_id=child.session_id, to_seq=now, expected_last_seq=now)


class TestWhatLives:
    """Nothing of the tree is dropped while anything in it may go on."""

    @pytest.fixture
    async def untouched(self, server):
        parent, child, _, _ = await lived(server)
        return parent, child

    async def kept(self, server, child) -> None:
        before = await seqs(server, child)
        assert await server.engine.retention.step() == 0
        assert await seqs(server, child) == before
        assert before[0] == 1

    async def test_an_open_session(self, server, untouched):
        await archive(server, untouched[0])
        await self.kept(server, untouched[1])

    async def test_a_paused_one(self, server, untouched):
        await archive(server, untouched[0])
        await put(server, untouched[1], PAUSED)
        await self.kept(server, untouched[1])

    async def test_mail_that_is_held(self, server, untouched):
        await archive(server, untouched[0])
        await put(server, untouched[1], ARCHIVED, no_wake=True)
        await server.admin.user(untouched[1])
        await self.kept(server, untouched[1])

    async def test_a_run(self, server, untouched):
        await server.admin.run(untouched[1])
        await archive(server, *untouched)
        await self.kept(server, untouched[1])

    async def test_a_registration(self, server, untouched):
        plugin = await server.make_token("plugin")
        await plugin.register(untouched[1])
        await archive(server, *untouched)
        await self.kept(server, untouched[1])

    async def test_a_message_that_waits_for_a_slot(self, server, untouched):
        await server.restart(peer={"calls_max": 1})
        source = await server.admin.session()
        door = HttpDoor(server.http_address)
        peer = await server.make_token("peer", source.session_id)
        await door.send(peer, source, source)
        await archive(server, *untouched)
        told = await door.send(peer, source, untouched[1], queue_if_limited=True, confirm_inactive_target=True)
        await door.close()
        assert told.queued
        await self.kept(server, untouched[1])

    @pytest.mark.parametrize("overrides", [{"retention": {"events_seconds": 3600}}])
    async def test_what_happened_of_late(self, server, untouched):
        await archive(server, *untouched)
        await self.kept(server, untouched[1])

    async def test_deleted_sessions_do_not_live(self, server, untouched):
        await server.admin.sessions.DeleteSession(session_id=untouched[1].session_id)
        await archive(server, untouched[0])
        assert await server.engine.retention.step() > 0


class TestCursors:
    async def test_an_old_one_is_expired_and_a_new_one_is_not(self, server, refused):
        elsewhere, _, _, _ = await lived(server)  # so that the log still begins with its first event
        parent, child, _, _ = await lived(server)
        scopes = (
            {"all": True},
            {"root_session_id": parent.session_id},
            {"session_id": child.session_id},
        )
        old = [(await server.admin.events.ListEvents(**scope, page_size=2)).cursor for scope in scopes]
        living = {"root_session_id": elsewhere.session_id}
        of_living = await server.admin.events.ListEvents(**living, page_size=2)
        await archive(server, parent, child)
        newest = (await server.admin.events.ListEvents(all=True, page_size=1000)).cursor
        await server.engine.retention.step()
        await server.restart()
        for scope, cursor in zip(scopes, old, strict=True):
            with refused("events:cursor_expired", grpc.StatusCode.OUT_OF_RANGE):
                await server.admin.events.ListEvents(**scope, after_cursor=cursor)
            with refused("events:cursor_expired", grpc.StatusCode.OUT_OF_RANGE):
                await server.admin.subscribe(**scope, after_cursor=cursor).next()
        # Nothing after these was dropped.
        await server.admin.events.ListEvents(all=True, after_cursor=newest)
        rest = await server.admin.events.ListEvents(**living, after_cursor=of_living.cursor, page_size=1000)
        assert next(event.seq for event in rest.events if event.session_id == elsewhere.session_id) > 1
        with refused("events:cursor_expired"):
            await server.admin.events.ListEvents(session_id=child.session_id, after_seq=1)

    async def test_the_kept_log_is_read_from_its_beginning_in_pages(self, server):
        elsewhere, _, _, _ = await lived(server)
        parent, child, _, _ = await lived(server)
        await lived(server)
        await archive(server, parent, child)
        await server.engine.retention.step()
        await server.restart()
        whole = await server.admin.events.ListEvents(all=True, page_size=1000)
        found, token = [], ""
        while True:
            page = await server.admin.events.ListEvents(all=True, page_size=2, page_token=token)
            found += page.events
            token = page.next_page_token
            if not token:
                break
        assert found == list(whole.events)
        assert len([event for event in found if event.root_session_id == parent.session_id]) == 2
        assert found[0].session_id == elsewhere.session_id
        stream = server.admin.subscribe(all=True)
        assert [event.position for event in await stream.events(len(found))] == [event.position for event in found]
        stream.cancel()

    async def test_a_subscriber_that_lags_behind_what_is_dropped_is_told(self, server, monkeypatch):
        parent, child, _, _ = await lived(server)
        await archive(server, parent, child)
        await server.restart()  # so that nothing is at hand in memory
        monkeypatch.setattr(events, "FRAME_EVENTS_MAX", 2)
        caller = server.engine.caller_of(server.admin_secret)
        frames = await server.engine.subscribe(caller, Scope())
        assert (await anext(frames)).position == 2
        await server.engine.retention.step()
        with pytest.raises(CursorExpired):
            await anext(frames)


@pytest.mark.only("sqlite", because="the doctor examines a data folder")
async def test_bodies_are_no_longer_kept_and_it_is_said_so(server):
    source, target = await server.admin.session(), await server.admin.session()
    door = HttpDoor(server.http_address)
    await door.send(server.admin, source, target, "x" * 2000, tldr="x")
    (sent,) = (await door.sent(server.admin, source)).messages
    closed = await server.admin.session()
    await put(server, closed, USER_CLOSED)
    assert (await door.send(server.admin, target, closed)).error == "user_closed"  # its letter is told in a dropped log
    started = await server.admin.start(target, attempt_id="a")
    await server.admin.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    await archive(server, target)
    await server.engine.retention.step()
    answer = await door.http.get(
        f"/peer-message/{sent.body_id}", headers={"Authorization": f"Bearer {server.admin_secret}"}
    )
    assert (answer.status_code, answer.json()["error"]) == (404, "message_not_found")
    assert "no longer kept" in answer.json()["detail"]
    stranger = (await server.make_token("runtime")).secret
    answer = await door.http.get(f"/peer-message/{sent.body_id}", headers={"Authorization": f"Bearer {stranger}"})
    assert "no longer kept" not in answer.text
    assert (await door.sent(server.admin, source)).messages == []
    await server.admin.user(target)  # so that the letter is not the newest event
    doctor(server)
    await door.close()


@pytest.mark.only("sqlite", because="the doctor examines a data folder")
async def test_an_interrupted_drop_is_gone_on_with_and_leaves_no_hole(server, monkeypatch):
    parent, child, _, _ = await lived(server)
    await archive(server, parent, child)
    monkeypatch.setattr(retention, "DROPPED_AT_A_TIME", 3)
    newest = (await server.admin.log(root_session_id=parent.session_id))[-1]
    upkeep = server.engine._upkeep
    with in_place_of_the_committer(server):
        assert upkeep.drop_events(parent.session_id, newest.position, 3) == 3
    await server.restart()
    for session in (parent, child):
        found = await seqs(server, session)
        assert found == list(range(found[0], (await server.admin.look(session)).last_seq + 1))
    doctor(server)
    assert await server.engine.retention.step() > 3
    assert len(await server.admin.log(root_session_id=parent.session_id)) == 2
    doctor(server)


async def test_a_tree_that_wakes_up_meanwhile_is_left_alone(server):
    parent, child, _, _ = await lived(server)
    await archive(server, parent, child)
    newest = (await server.admin.log(root_session_id=parent.session_id))[-1]
    await server.admin.user(child, fresh("mail"))
    with in_place_of_the_committer(server):
        assert server.engine._upkeep.drop_events(parent.session_id, newest.position, 3) == 0


@pytest.mark.only("sqlite", because="the doctor examines a data folder")
async def test_the_doctor_finds_a_hole_in_what_is_left(server):
    parent, child, _, _ = await lived(server)
    await archive(server, parent, child)
    await server.engine.retention.step()
    await put(server, child, OPEN)
    await server.admin.user(child)
    await server.stop()
    with contextlib.closing(sqlite3.connect(server.folder / "kinpost.db")) as database:
        database.execute(
            "DELETE FROM event WHERE position = (SELECT max(position) - 1 FROM event WHERE session_id = ?)",
            (bytes.fromhex(child.session_id.replace("-", "")),),
        )
        database.commit()
    found = [json.loads(line) for line in doctor(server, "--json", code=1).splitlines()]
    assert any(one["table"] == "event" and one["session_id"] == child.session_id for one in found)
    await server.start()


@pytest.mark.parametrize(
    "overrides", [{"retention": {"events_seconds": 0.000001}, "delivery": {"reconcile_seconds": 0.05}}]
)
async def test_it_happens_by_itself(server, monkeypatch):
    done = asyncio.Event()

    async def watched(step) -> int:
        count = await step()
        if count:
            done.set()
        return count

    for engine in server.engines:  # whichever comes first
        monkeypatch.setattr(engine.retention, "step", partial(watched, engine.retention.step))
    parent, child, _, _ = await lived(server)
    await archive(server, parent, child)
    async with asyncio.timeout(20):
        await done.wait()
    assert len(await server.admin.log(root_session_id=parent.session_id)) == 2


async def test_without_the_setting_everything_is_kept(tmp_path, service_log):
    server = LocalServer(tmp_path / "data", {})
    await server.start()
    assert server.settings.retention.events_seconds == 0
    assert len(server.engine._tasks) == 3
    await server.stop()
