"""One session's log, as far as it is looked at: pages of it on demand, and what comes live."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kinpost_client import Client, KinpostError
from kinpost_client.errors import SessionNotFound

from kinpost_watch.rows import Row, row_of
from kinpost_watch.transcript import Transcript, Wanted
from kinpost_watch.waiting import WaitingMail

PAGE_EVENTS = 200
SEARCH_PAGE_EVENTS = 500
ROWS_AT_LEAST = 60  # a screenful: while fewer are shown, earlier pages are read
# How far back mail is looked for that is known to wait.
WAITING_EVENTS_MAX = 20_000
AGAIN_SECONDS = 1.0


class SessionFeed:
    """Transcript and waiting mail of a session. `run` follows it until it is cancelled; the rest is asked for by keys.

    `on_change` is called when there is something new to show.
    """

    def __init__(self, client: Client, session_id: str, wanted: Wanted, on_change: Callable[[], None]) -> None:
        self.transcript = Transcript(session_id, 0, wanted)
        self.waiting = WaitingMail()
        self.waiting_complete = False
        self.doing = "loading"  # in words, empty when there is nothing to wait for
        self.pages_read = 0
        self._client = client
        self._session_id = session_id
        self._on_change = on_change
        self._paging = asyncio.Lock()
        self._searching: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Load the end of the log and follow it, for ever; begin anew after whatever goes wrong for a while.

        Raises what waiting does not help: SessionNotFound, Forbidden, Unauthenticated.
        """
        while True:
            try:
                await self._open()
                await self._stay()
            except SessionNotFound:
                raise
            except KinpostError as failure:
                if not (failure.transient or failure.code.startswith("events:")):
                    raise
                self._say(f"cannot read the log, trying again: {failure.code}")
            await asyncio.sleep(AGAIN_SECONDS)

    async def earlier(self) -> None:
        """Read the page before the window, and more while a filter lets too little pass."""
        if not self._paging.locked():
            await self._fill(more=1)

    async def later(self) -> None:
        """Read the page after the window."""
        transcript = self.transcript
        if transcript.at_end or self._paging.locked():
            return
        async with self._paging:
            until = min(transcript.last_seq + PAGE_EVENTS, transcript.newest_seq) + 1
            page = await self._client.events_before(self._session_id, until, count=until - 1 - transcript.last_seq)
            transcript.append(page)
            self._on_change()

    async def edge(self, *, end: bool) -> None:
        """Go to the beginning of the log, or to its end, without what lies between."""
        at_edge = self.transcript.at_end if end else self.transcript.at_beginning
        if at_edge:
            self._on_change()
            return
        self.stop_searching()
        async with self._paging:
            old = self.transcript
            if end:
                fresh = Transcript(self._session_id, old.newest_seq, old.wanted)
                fresh.prepend(await self._client.events_before(self._session_id, old.newest_seq + 1, count=PAGE_EVENTS))
            else:
                fresh = Transcript(self._session_id, 0, old.wanted)
                count = min(PAGE_EVENTS, old.newest_seq)
                fresh.append(await self._client.events_before(self._session_id, count + 1, count=count))
            fresh.newest_seq = max(fresh.newest_seq, old.newest_seq, self.transcript.newest_seq)
            self.transcript = fresh
            self._on_change()
        await self._fill()

    async def whole_row(self, row: Row) -> Row:
        """Return a row with its whole body."""
        if not row.shortened:
            return row
        page = await self._client.events_before(self._session_id, row.seq + 1, count=1)
        return row_of(page[0]) if page else row

    async def want(self, wanted: Wanted) -> None:
        """Show other rows, from the end of the log on."""
        self.stop_searching()
        async with self._paging:
            newest = self.transcript.newest_seq
            self.transcript = Transcript(self._session_id, newest, wanted)
            self._on_change()
        await self._fill()

    def stop_searching(self) -> bool:
        """Stop reading on for rows that a filter lets pass. Returns whether there was something to stop."""
        searching, self._searching = self._searching, None
        if searching is None or searching.done():
            return False
        searching.cancel()
        return True

    async def _open(self) -> None:
        session = await self._client.get_session(self._session_id)
        self.transcript = Transcript(self._session_id, session.last_seq, self.transcript.wanted)
        self.waiting, self.waiting_complete = WaitingMail(), False
        page = await self._client.events_before(self._session_id, session.last_seq + 1, count=PAGE_EVENTS)
        self.pages_read += 1
        self.waiting.append(page)
        self._waiting_seq = page[0].seq if page else 1
        self._pending_count = session.pending_count
        self.transcript.prepend(page)
        self.doing = ""
        self._on_change()

    async def _stay(self) -> None:
        """Follow the log while the rest of what is shown is read."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._follow())
                tasks.create_task(self._fill())
                tasks.create_task(self._find_waiting())
        except ExceptionGroup as group:
            raise group.exceptions[0] from None

    async def _follow(self) -> None:
        after_seq = self.transcript.newest_seq
        async with self._client.subscribe(session_id=self._session_id, after_seq=after_seq) as events:
            while True:
                batch = await events.next_batch()
                if not batch:
                    continue
                self.waiting.append(batch)
                self.transcript.follow(batch)
                self._on_change()
                if self.waiting.stale:
                    await self._read_waiting_anew()

    async def _fill(self, more: int = 0) -> None:
        """Read earlier pages until a screenful of rows is shown, or so many more have come; may be stopped."""
        more = more or ROWS_AT_LEAST - len(self.transcript.rows)
        self._searching = asyncio.ensure_future(self._read_back(more))
        try:
            await asyncio.shield(self._searching)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # it is not the reading alone that was stopped
                self.stop_searching()
                raise

    async def _read_back(self, more: int) -> None:
        async with self._paging:
            transcript = self.transcript
            plain = transcript.wanted.everything
            stopped = True
            try:
                while more > 0 and not transcript.at_beginning:
                    self.doing = "" if plain else f"searching, at {transcript.first_seq}"
                    count = PAGE_EVENTS if plain else SEARCH_PAGE_EVENTS
                    page = await self._client.events_before(self._session_id, transcript.first_seq, count=count)
                    if not page:
                        break
                    self.pages_read += 1
                    more -= transcript.prepend(page)
                    self._on_change()
                stopped = False
            finally:
                self._say(f"stopped searching at {transcript.first_seq}" if stopped and not plain else "")

    async def _find_waiting(self) -> None:
        """Read back until all mail is found that is known to wait, or far enough."""
        waiting, seq = self.waiting, self._waiting_seq
        newest_seq = self.transcript.newest_seq
        while len(waiting.messages) < self._pending_count and seq > 1 and newest_seq - seq < WAITING_EVENTS_MAX:
            page = await self._client.events_before(self._session_id, seq, count=SEARCH_PAGE_EVENTS)
            if not page:
                break
            seq = page[0].seq
            waiting.prepend(page)
        waiting.settle()
        self.waiting_complete = True
        self._on_change()

    async def _read_waiting_anew(self) -> None:
        """After a revert what had been consumed waits again."""
        session = await self._client.get_session(self._session_id)
        page = await self._client.events_before(self._session_id, session.last_seq + 1, count=PAGE_EVENTS)
        # What comes live until then is not missed: the follower reads on only when this is done.
        newest = self.transcript.newest_seq
        page = [event for event in page if event.seq <= newest]
        self.waiting = WaitingMail()
        self.waiting.append(page)
        self._waiting_seq = page[0].seq if page else 1
        self._pending_count = session.pending_count
        await self._find_waiting()

    def _say(self, doing: str) -> None:
        if doing != self.doing:
            self.doing = doing
            self._on_change()
