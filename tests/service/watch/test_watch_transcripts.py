"""Reading a log: far back, filtered, whole; and whatever others put into it."""

from __future__ import annotations

import asyncio

import pytest
from kinpost_watch.app import Watch
from kinpost_watch.approvals_screen import ApprovalsScreen
from kinpost_watch.dead_letters_screen import DeadLettersScreen
from kinpost_watch.dialogs import TextDialog
from kinpost_watch.help_text import HELP
from kinpost_watch.rows import Kind
from kinpost_watch.transcript import ROWS_MAX
from load import SETTINGS, Load

HOSTILE = {
    "controls": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J\x1b[H \x9b31m\x90q\x9c\x08\x7f over\rwritten\x0b\x0c\x85",
    "markup": "[bold red]markup[/] [@click=app.quit]click[/] [/nothing",
    "hidden": "\u202eleft\u2066 \u200b\ufeff\u2028\u2029 \U000e0041\U000e0042 \ufffe e" + "\u0301" * 3000,
    "wide": "𝕬" * 500 + "日本語" * 200 + "👩‍👩‍👧‍👦" * 20,
    "long": "x" * 16 * 1024 + "\n" * 5000 + ".",
}


def window(ui):
    transcript = ui.app.feed.transcript
    return transcript.first_seq, transcript.last_seq


@pytest.fixture
def overrides():
    return SETTINGS


@pytest.fixture
async def long_log(runtime):
    """A child whose log has some thousands of events, the load that writes it, and its last seq."""
    load = Load(runtime)
    await load.start()
    for _ in range(2):
        await load.write(1000)
    load.last_seq = (await runtime.look(load.child)).last_seq
    assert load.last_seq > 5 * ROWS_MAX
    return load


async def test_a_long_log_is_read_page_by_page_in_bounded_memory(server, long_log, watch):
    async with watch(server, session_id=long_log.child.session_id) as ui:
        await ui.until_loaded()
        last = long_log.last_seq
        assert window(ui) == (last - 199, last)
        assert ui.app._transcript_list.following
        await ui.press("tab")
        while ui.app.feed.transcript.at_end:
            await ui.press("pageup", "pageup", "pageup")
        assert len(ui.app.feed.transcript.rows) == ROWS_MAX
        first, end = window(ui)
        assert end - first == ROWS_MAX - 1

        # What comes meanwhile leaves the window as it is, and is told.
        await long_log.client.user(long_log.child, "while you read")
        await ui.until(lambda: ui.app.feed.transcript.newest_seq == last + 1, "the news")
        await ui.until_shown(f"newest is {last + 1}")
        assert window(ui) == (first, end)

        while ui.app.feed.transcript.last_seq < last + 1:
            await ui.press("pagedown", "pagedown", "pagedown")
        assert len(ui.app.feed.transcript.rows) == ROWS_MAX

        pages = ui.app.feed.pages_read
        await ui.press("home")
        await ui.until(lambda: window(ui)[0] == 1, "the beginning")
        await ui.until_shown("session created")
        await ui.press("end")
        await ui.until_shown("while you read")
        assert window(ui)[1] == last + 1
        assert ui.app.feed.pages_read - pages < 3
        await long_log.client.user(long_log.child, "while you follow")
        await ui.until_shown("while you follow")


async def test_a_text_is_found_far_back_and_the_search_can_be_stopped(server, runtime, watch):
    load = Load(runtime)
    await load.start()
    await runtime.user(load.child, "the Needle\nin the hay")
    await runtime.commit(load.receiving, await runtime.claim(load.receiving))
    for _ in range(2):
        await load.write(1000)
    async with watch(server, session_id=load.child.session_id) as ui:
        await ui.until_loaded()
        await ui.press("tab", "slash")
        await ui.type("needle")
        await ui.press("enter")
        await ui.until(lambda: [title for _, title, _ in ui.rows()], "the find")
        await ui.until_shown("the Needle")
        await ui.until(lambda: not ui.app.feed.doing, "all is searched")
        assert len(ui.rows()) == 1
        assert "only “needle”" in ui.told("about")
        await runtime.user(load.child, "needle, live")
        await runtime.user(load.child, "hay, live")
        await ui.until(lambda: len(ui.rows()) == 2, "the live one alone")

        # The search is held up at its third page, so that it has not ended when the key is pressed.
        reading, pages = ui.app._client.events_before, []

        async def read_two_pages(*args, **fields):
            pages.append(await reading(*args, **fields))
            if len(pages) == 3:
                await asyncio.Event().wait()
            return pages[-1]

        ui.app._client.events_before = read_two_pages
        await ui.press("slash")
        await ui.type("nowhere")
        await ui.press("enter")
        await ui.until(lambda: len(pages) == 3, "the search")
        await ui.until_shown("searching, at")
        await ui.press("escape")
        await ui.until_shown("stopped searching at")
        assert window(ui)[0] > 1
        ui.app._client.events_before = reading
        await ui.press("escape")
        await ui.until(lambda: ui.rows() and ui.rows()[-1][2] == "hay, live", "everything")
        assert ui.app.wanted.everything


async def test_kinds_of_rows_can_be_hidden(server, castle, watch):
    await castle.runtime.user(castle.scout, "one")
    await castle.runtime.commit(castle.scouting, await castle.runtime.claim(castle.scouting))
    async with watch(server) as ui:
        await ui.until_loaded()
        await ui.go_to(castle.scout)
        everything = ui.rows()
        await ui.press("v", "n", "space", "down", "down", "space", "enter")
        await ui.until(lambda: ui.app.wanted.kinds == {Kind.MAIL, Kind.RUN}, "the choice")
        await ui.until(lambda: len(ui.rows()) == 3, "fewer rows")
        assert [title.split(" ")[0] for _, title, _ in ui.rows()] == ["run", "user", "turn"]
        assert "only mail, runs and turns" in ui.told("about")
        await ui.press("v", "a", "escape")
        await ui.until(lambda: ui.rows() == everything, "all rows")


async def test_sessions_are_filtered_and_folded(server, castle, watch):
    async with watch(server) as ui:
        await ui.until_loaded()
        await ui.press("slash")
        await ui.type("rooms")
        await ui.press("enter")
        await ui.until(lambda: castle.scribe.handle not in ui.screen_text(), "the others gone")
        assert castle.scout.handle in ui.screen_text()
        await ui.press("escape")
        await ui.until_shown(castle.scribe.handle)
        await ui.press("home", "left")
        await ui.until_shown("+2")
        assert castle.scribe.handle not in ui.screen_text()
        await ui.press("right")
        await ui.until_shown(castle.scribe.handle)


async def test_a_row_is_opened_whole(server, castle, watch):
    body = "".join(f"line {number}\n" for number in range(2000))
    await castle.runtime.user(castle.scribe, body)
    async with watch(server) as ui:
        await ui.until_loaded()
        await ui.go_to(castle.scribe)
        await ui.press("enter", "end", "up", "enter")
        await ui.until(lambda: isinstance(ui.app.screen, TextDialog), "the row")
        assert ui.told("text").endswith(body)
        await ui.press("end")
        await ui.until_shown("line 1999")


@pytest.mark.parametrize("kind", HOSTILE)
async def test_nothing_that_a_sender_writes_reaches_the_terminal_as_a_command(server, castle, watch, kind):
    """Wherever it is shown: rows, strip, whole row, approvals, dialogs, names and reasons."""
    body = HOSTILE[kind]
    runtime = castle.runtime
    agent = "".join(letter for letter in body[:20] if letter.isprintable()) or "odd"  # the service takes no other
    odd = await runtime.session(castle.lead, agent=agent, description=body[:200], without_handle=True)
    await runtime.user(odd, body)
    await runtime.send(castle.leading, odd, body)
    await runtime.ask(castle.scouting, odd, body)
    await server.admin.sessions.SetAvailability(session_id=odd.session_id, availability=2, reason=body[:200])
    async with watch(server) as ui:
        await ui.until_loaded()
        await ui.go_to(odd)
        screens = [ui.screen_text()]
        await ui.press("enter")
        for keys in (["up", "up", "enter"], ["w"], ["a"], ["enter"], ["o"]):
            await ui.press(*keys)
            screens.append(ui.screen_text())
            if keys[-1] in ("enter", "w"):
                await ui.press("escape")
        assert all(line.isprintable() for text in screens for line in text.split("\n"))
        if kind == "markup":
            assert any("[bold red]markup[/] [@click=app.quit]click[/] [/nothing" in text for text in screens)
        assert ui.app.is_running


async def test_the_help_screen_tells_of_every_key(server, castle, watch):
    async with watch(server) as ui:
        await ui.until_loaded()
        await ui.press("question_mark")
        await ui.until_shown("Trees, on the left")
        assert ui.told("text") == HELP
    names = {"slash": "/", "question_mark": "?", "escape": "esc", "f1": "?", "f5": "u", "ctrl+q": "q"}
    words = set(HELP.replace(",", " ").replace(":", " ").split())
    for screen in (Watch, ApprovalsScreen, DeadLettersScreen):
        for binding in screen.BINDINGS:
            assert all(names.get(key, key) in words for key in binding.key.split(",")), binding
