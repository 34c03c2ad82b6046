"""The terminal UI under Textual's pilot, against a real server, and a small tree to look at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from kinpost_client import Retry, connect
from kinpost_watch.app import Watch
from kinpost_watch.dialogs import TextView
from textual.pilot import Pilot

PATIENCE_SECONDS = 60.0
RETRY = Retry(first_seconds=0.02, max_seconds=0.2, give_up_seconds=5)


class Watching:
    """A running UI: press keys, wait for what is to be seen, and read the screen."""

    def __init__(self, app: Watch, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        await self.pilot.press(*("space" if letter == " " else letter for letter in text))

    async def until(self, fits: Callable[[], Any], why: str = "") -> Any:
        """Wait for something to be true, and return it."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not (found := fits()):
                    await self.pilot.pause()
                return found
        except TimeoutError:
            raise AssertionError(f"never came: {why}\n{self.screen_text()}") from None

    async def until_shown(self, text: str) -> None:
        """Wait until a text stands on the screen."""
        await self.until(lambda: text in self.screen_text(), text)

    async def until_loaded(self) -> None:
        """Wait until the trees and the first session's log are there."""
        await self.until(lambda: self.app.overview.loaded and not self.app.overview.connection, "the trees")
        await self.until(lambda: self.app.feed and self.app.feed.waiting_complete, "the transcript")

    async def go_to(self, session: Any) -> None:
        """Put the cursor of the trees on a session, with keys, and wait for its log."""
        forest = self.app._forest_list
        await self.press("home")
        for _ in range([line.session_id for line in forest.items].index(session.session_id)):
            await self.press("down")
        await self.until(lambda: self.app.feed.transcript.session_id == session.session_id, "the session")
        await self.until(lambda: self.app.feed.waiting_complete, "its log")

    def screen_text(self) -> str:
        """Everything that the terminal shows, as lines."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    def rows(self) -> list[tuple[int, str, str]]:
        """Sequence number, title and body of the rows of the transcript."""
        return [(row.seq, row.title, row.body) for row in self.app.feed.transcript.rows]

    def line(self, session: Any) -> str:
        """The line of a session in the trees."""
        forest = self.app._forest_list
        (item,) = [item for item in forest.items if item.session_id == session.session_id]
        return "".join(text for text, _ in forest.lines_of(item, 60)[0])

    def told(self, name: str) -> str:
        """The text of a part of the screen."""
        part = self.app.screen.query_one(f"#{name}")
        return part.text if isinstance(part, TextView) else str(part.content)


@pytest.fixture
async def watch() -> Any:
    """Open UIs on a server: `async with watch(server) as ui`."""

    @asynccontextmanager
    async def open_ui(
        office: Any, *, secret: str = "", address: str = "", size: tuple[int, int] = (100, 30), **options: Any
    ) -> AsyncIterator[Watching]:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(
                connect(address or office.address, token=secret or office.admin_secret, retry=RETRY)
            )
            app = Watch(client, "the-server", **options)
            pilot = await stack.enter_async_context(app.run_test(size=size, notifications=True))
            yield Watching(app, pilot)

    return open_ui


class Castle:
    """A lead with a scout and a scribe; lead and scout are at work."""

    def __init__(self, runtime: Any) -> None:
        self.runtime = runtime

    async def build(self) -> None:
        self.lead = await self.runtime.session(rules={"child": "allow"}, agent="lead", description="Survey the castle")
        self.scout = await self.runtime.session(
            self.lead, rules={"parent": "allow", "sibling": "ask"}, agent="scout", description="Look into rooms"
        )
        self.scribe = await self.runtime.session(self.lead, rules={"parent": "allow"}, agent="scribe")
        self.leading = await self.runtime.run(self.lead)
        self.scouting = await self.runtime.run(self.scout)


@pytest.fixture
async def castle(runtime) -> Castle:
    """The tree."""
    made = Castle(runtime)
    await made.build()
    return made
