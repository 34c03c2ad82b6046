"""Retention: events of trees that were put away are dropped some time after the last of them, beside the normal work.

Put away are trees whose sessions are all archived or deleted, with no run, no mail, no question and no registration
left. Everything that is not an event stays, so that repeated calls get their first answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kinpost_server.domain.errors import CursorExpired, StorageUnavailable
from kinpost_server.domain.event import Event
from kinpost_server.engine.accident import facts_of
from kinpost_server.engine.batch import Committer
from kinpost_server.engine.peer_desk import Read
from kinpost_server.engine.ports import Reader
from kinpost_server.engine.settings import SECOND
from kinpost_server.engine.upkeep import Upkeep
from kinpost_server.engine.upkeep_ports import Dropped, RetiredTree

SESSIONS_AT_A_TIME = 1000
DROPPED_AT_A_TIME = 256  # events of one commit, so that no other command waits for long


def check_kept(position: int, drops: int, dropped: Dropped) -> None:
    """Raise CursorExpired when events after a position were dropped since drop number `drops`, which was seen."""
    if drops < dropped.number and position < dropped.position:
        raise CursorExpired


class Retention:
    """Looks for trees that are kept no longer, a page of sessions at a time, and drops their events."""

    def __init__(
        self,
        committer: Committer,
        upkeep: Upkeep,
        reader: Reader,
        read: Read,
        decode: Callable[[bytes], Event],
    ) -> None:
        self._committer = committer
        self._upkeep = upkeep
        self._reader = reader
        self._read = read
        self._decode = decode
        self._after = 0

    async def run(self, pause_seconds: float) -> None:
        """Go on for ever."""
        while True:
            await asyncio.sleep(pause_seconds)
            try:
                await self.step()
            except StorageUnavailable:
                continue  # health tells of it
            except Exception as fault:  # noqa: BLE001 - of one page: the next is looked at all the same
                self._committer.log("retention_fault", facts_of(fault))

    async def step(self) -> int:
        """Look at the next page of sessions; return how many events were dropped."""
        since = self._committer.now() - int(self._committer.settings.retention.events_seconds * SECOND)
        page = await self._read(self._reader.retired_trees, self._after, SESSIONS_AT_A_TIME)
        self._after = page.next_after
        count = 0
        for tree in page.trees:
            if self._decode(tree.newest_data).event_time <= since:
                count += await self._drop(tree)
        return count

    async def _drop(self, tree: RetiredTree) -> int:
        """Drop all that may be dropped of a tree, behind the commands that wait, a commit at a time."""
        loop = asyncio.get_running_loop()
        total = 0
        while True:
            done: asyncio.Future[int] = loop.create_future()
            self._committer.gathering.call(self._one_commit(tree, loop, done))
            count = await done
            if not count:
                return total
            total += count

    def _one_commit(
        self, tree: RetiredTree, loop: asyncio.AbstractEventLoop, done: asyncio.Future[int]
    ) -> Callable[[], None]:
        def tell(count: int) -> None:
            if not done.done():
                done.set_result(count)

        def work() -> None:
            count = 0
            try:
                count = self._upkeep.drop_events(tree.root_session_id, tree.newest_position, DROPPED_AT_A_TIME)
            finally:
                loop.call_soon_threadsafe(tell, count)

        return work
