"""A tree of 5,000 sessions with 100,000 events: the UI answers keys while it loads, and keeps no more than it says."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter

import pytest
from kinpost_client import Event
from kinpost_server.main import open_data
from kinpost_server.settings import load
from kinpost_watch.dialogs import TextDialog
from kinpost_watch.rows import Row
from kinpost_watch.transcript import ROWS_MAX
from kinpost_watch.waiting import MESSAGES_MAX, Waiting
from running import LocalServer
from scribe import Scribe
from textual import events

SESSIONS = 5_000
EVENTS = 100_000
BUSY_EVENTS = 60_000  # of one session's log


def write(folder):
    """Write the tree into a data folder, in large batches; return its root, its busy child, and how many events."""
    settings = load({"server": {"listen": "127.0.0.1:0"}, "storage": {"data_folder": str(folder)}}, None)
    opened = open_data(settings)
    scribe = Scribe(opened.store)
    try:
        with scribe.batch() as batch:
            root = batch.create(agent="lead")
            busy = batch.create(root, agent="busy")
            batch.run(root)
            batch.run(busy)
        count, ids = 4, [root.session_id]
        while len(ids) < SESSIONS - 1:
            with scribe.batch() as batch:
                parent = batch.session(ids[-1])
                made = [batch.create(parent).session_id for _ in range(min(100, SESSIONS - 1 - len(ids)))]
            ids += made
            count += len(made)
        turn = 0
        while count < EVENTS:
            others = ids[1 + turn * 50 % 4900 :][:50]
            with scribe.batch() as batch:
                loaded = opened.store.load_sessions([root.session_id, busy.session_id, *others])
                sender, mine = loaded[root.session_id], loaded[busy.session_id]
                for number in range(300):
                    batch.send(sender, mine, body=f"message {turn}.{number}")
                batch.claim(mine)
                batch.commit(mine)
                for other in others:
                    for number in range(6):
                        batch.send(sender, loaded[other], body=f"note {number}")
                count += len(batch.changes.events)
            turn += 1
    finally:
        opened.store.close()
    return root, busy, count


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder with the tree, and what is in it."""
    folder = tmp_path_factory.mktemp("large") / "data"
    return (folder, *write(folder))


@pytest.fixture
async def large(written, service_log):
    """A server over it; its log is as long as is said."""
    folder, root, busy, count = written
    server = LocalServer(folder, {})
    await server.start()
    server.root, server.busy = root, busy
    assert count >= EVENTS
    yield server
    await server.stop()


async def test_a_key_is_answered_while_the_trees_load(large, watch):
    """The list is held up after its first thousand sessions, so that it cannot have ended before."""
    async with watch(large) as ui:
        overview = ui.app.overview
        loading, going = overview._client.list_sessions, asyncio.Event()

        async def held_up(root):
            count = 0
            async for session in loading(root):
                count += 1
                if count == 1500:
                    await going.wait()
                yield session

        overview._client.list_sessions = held_up
        overview.loaded = False
        reloading = asyncio.create_task(overview._load())
        await ui.until(lambda: len(overview.forest.places) == 1499, "the first")
        await ui.until_shown("1499 sessions, loading")
        await ui.press("down", "down")
        await ui.press("question_mark")
        await ui.until(lambda: isinstance(ui.app.screen, TextDialog), "the help")
        assert not overview.loaded
        await ui.press("escape")
        going.set()
        await reloading
        await ui.until_shown(f"{SESSIONS} sessions")


async def test_keys_are_answered_between_the_pages_of_a_long_search(large, watch):
    """What only the first message has is looked for through the whole log; a key waits for fewer than ten pages."""
    async with watch(large, session_id=large.busy.session_id, root_session_id=large.root.session_id) as ui:
        await ui.until_loaded()
        feed = ui.app.feed
        newest = feed.transcript.newest_seq
        assert newest > BUSY_EVENTS
        assert feed.pages_read <= 2
        await ui.press("tab", "slash")
        await ui.type("message 0.0")
        # With each tenth page a key is pressed; the order of pages and answers shows whether it had to wait.
        order: list[str] = []
        reading = ui.app._client.events_before

        async def read(*args, **fields):
            page = await reading(*args, **fields)
            order.append("page")
            if order.count("page") % 10 == 0:
                order.append("pressed")
                key = events.Key("t", "t")
                key.set_sender(ui.app)
                ui.app.post_message(key)
            return page

        ui.app._client.events_before = read
        ui.app.action_theme = lambda: order.append("answered")
        await ui.press("enter")
        await ui.until(ui.rows, "the find")
        assert [body for _, _, body in ui.rows()] == ["message 0.0"]
        pressed = order.count("pressed")
        assert pressed >= BUSY_EVENTS / 500 / 10 - 1
        await ui.until(lambda: order.count("answered") == pressed, "the last answer")
        assert [step for step in order if step != "page"] == ["pressed", "answered"] * pressed


async def test_memory_is_bounded_however_long_the_log_is(large, watch):
    async with watch(large, session_id=large.busy.session_id, root_session_id=large.root.session_id) as ui:
        await ui.until_loaded()
        feed = ui.app.feed
        while not feed.transcript.at_beginning:
            await feed.earlier()
            assert len(feed.transcript.rows) <= ROWS_MAX
        await ui.press("t")  # whatever was drawn before is drawn anew
        assert feed.pages_read > BUSY_EVENTS / 500
        gc.collect()
        alive = Counter(type(thing) for thing in gc.get_objects())
        assert alive[Row] <= 2 * ROWS_MAX  # the window, and what the screen still shows of an earlier one
        assert alive[Event] < 1000
        assert alive[Waiting] <= MESSAGES_MAX
        assert len(ui.app._transcript_list._blocks) <= 2 * ROWS_MAX + 100
        assert len(feed.waiting.messages) <= MESSAGES_MAX
        assert feed.waiting._later == {}
