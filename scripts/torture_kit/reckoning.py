"""The reckoning: the whole log, read page by page, and the dead letters that are kept."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence

from kinpost.v1 import event_service_pb2, peer_service_pb2

from torture_kit.callers import Caller
from torture_kit.followers import Seen
from torture_kit.history import History
from torture_kit.journal import PEER, Identity, Journal, key_of

PAGE = 1000
LAND_SECONDS_MAX = 120.0
LOOK_SECONDS = 0.2


class Reckoning:
    """Reads with an admin's token; `seen` are what subscribers are to have seen."""

    def __init__(self, admin: Caller, journal: Journal, history: History, seen: Sequence[Seen]) -> None:
        self._admin = admin
        self._journal = journal
        self._history = history
        self._seen = seen
        self._cursor = ""

    async def landed(self) -> None:
        """Return when all that was parked has had its turn, or much too late: then it will be found lost."""
        await self.catch_up()
        end = time.monotonic() + LAND_SECONDS_MAX
        while time.monotonic() < end:
            await self.catch_up()
            if not self._journal.parked - self._history.by_identity.keys() - self._journal.letters.keys():
                return
            await asyncio.sleep(LOOK_SECONDS)

    async def catch_up(self) -> None:
        """Take in what came to the log since, and which dead letters there are."""
        more = True
        while more:
            request = event_service_pb2.ListEventsRequest(all=True, page_size=PAGE)
            if self._cursor:
                request.after_cursor = self._cursor
            page = await self._admin.ask("ListEvents", request)
            for event in page.events:
                self._history.take(event)
                for seen in self._seen:
                    if seen.covers(event):
                        seen.take(event)
            self._cursor, more = page.cursor, bool(page.next_page_token)
        await self._read_dead_letters()

    async def _read_dead_letters(self) -> None:
        letters: Counter[Identity] = Counter()
        request = peer_service_pb2.ListDeadLettersRequest(page_size=PAGE)
        while True:
            page = await self._admin.ask("ListDeadLetters", request)
            letters.update(Identity(one.source_session_id, PEER, key_of(one.text)) for one in page.dead_letters)
            request.page_token = page.next_page_token
            if not page.next_page_token:
                break
        self._journal.letters = letters
