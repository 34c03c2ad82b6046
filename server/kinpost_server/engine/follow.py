"""Following the other replicas on the same database: what they stored, the tokens they made, the runtimes they took.

The log is how replicas learn of each other. A hint says that there is more; one that is lost costs `poll_seconds`.
What is followed only ever tells and reminds: every decision is made on what the database says under its locks.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from typing import Any

from kinpost_server.domain.errors import Refusal, StorageUnavailable
from kinpost_server.domain.identity import Token
from kinpost_server.engine.accident import facts_of
from kinpost_server.engine.attached import AttachedRuntime
from kinpost_server.engine.batch import Committer
from kinpost_server.engine.events import FRAME_BYTES_MAX, FRAME_EVENTS_MAX, Hub
from kinpost_server.engine.gates_elsewhere import GatesElsewhere
from kinpost_server.engine.ports import Reader, Scope, StoredEvent
from kinpost_server.engine.replica_ports import News, Replicas
from kinpost_server.engine.tokens import TokenBook
from kinpost_server.engine.upkeep import Upkeep

SILENCE_SECONDS_MIN = 5.0
LOOK_SECONDS_MIN = 0.05  # between two looks for a token that is not known

Read = Callable[..., Awaitable[Any]]


class Follower:
    """Takes in what other replicas commit. Of the event loop."""

    def __init__(
        self,
        *,
        replicas: Replicas,
        reader: Reader,
        read: Read,
        committer: Committer,
        upkeep: Upkeep,
        tokens: TokenBook,
        poll_seconds: float,
        publish: Callable[[Sequence[StoredEvent]], None],
        gates: GatesElsewhere,
        attached: set[AttachedRuntime],
        end_streams: Callable[[Refusal], None],
        log: Callable[[str, dict[str, object]], None],
    ) -> None:
        self._replicas = replicas
        self._reader = reader
        self._read = read
        self._committer = committer
        self._upkeep = upkeep
        self._tokens = tokens
        self._token_version: object = None
        self._poll_seconds = poll_seconds
        self._publish = publish
        self._gates = gates
        self._news: set[News] = set()
        self._own: set[int] = set()  # positions of events of this replica that wait for others' before them
        self._hint = asyncio.Event()
        self._looking = asyncio.Lock()
        self._looked = 0.0
        self._end_streams = end_streams
        self._log = log
        self._heard = 0.0  # when the database answered last
        self._doubtful = False  # whether the database was away since the log was compared with what was published
        self.silence_seconds = max(SILENCE_SECONDS_MIN, 3 * poll_seconds)
        self.hub = Hub(0)
        self.attached = attached

    async def start(self, hub: Hub) -> None:
        """Begin to hear of the others, and to publish there."""
        self.hub = hub
        loop = asyncio.get_running_loop()
        self._heard = loop.time()

        def told(news: Collection[News]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._take_hint, news)

        await self._read(self._replicas.start, told)
        await self._take_tokens()
        await self._gates.look()

    def _take_hint(self, news: Collection[News]) -> None:
        self._news.update(news)
        self._hint.set()

    async def is_alone(self) -> bool:
        """Whether no other replica lives."""
        return not await self._read(self._replicas.others)

    async def started(self) -> None:
        """Let others start: what whoever is alone has to do is done."""
        await self._read(self._replicas.started)

    async def stop(self) -> None:
        """Hear of the others no longer."""
        await self._gates.end()
        await self._read(self._replicas.stop)

    def own(self, stored: Sequence[StoredEvent]) -> None:
        """Publish what this replica stored, unless others' events that lie before it have to be read first."""
        fresh = self._fresh(stored)
        if fresh and fresh[0].position == self.hub.last_position + 1:
            self._publish(fresh)
        elif fresh:
            self._own.update(event.position for event in fresh)
            self._take_hint({News.EVENTS})

    async def run(self) -> None:
        """Follow, for ever: what a hint names at each hint, and everything every `poll_seconds`, hints or not."""
        loop = asyncio.get_running_loop()
        look_time = loop.time()
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(look_time):
                    await self._hint.wait()
            self._hint.clear()
            news, self._news = self._news, set()
            if loop.time() >= look_time:
                news = set(News)
                look_time = loop.time() + self._poll_seconds
            await self._look_at(news)
            if self.attached and news == set(News):
                self._committer.gathering.call(self._upkeep.offer_waiting)

    async def _hear(self, read: Callable[..., Any], *arguments: object) -> Any:
        found = await self._read(read, *arguments)
        self._heard = asyncio.get_running_loop().time()
        return found

    async def watch(self) -> None:
        """End the streams of this replica, for ever, whenever it has heard nothing of the others for `silence_seconds`.

        What it tells meanwhile, that nothing is new, may be wrong; at another replica its clients can go on. A process
        that stood still is given the time to look.
        """
        loop = asyncio.get_running_loop()
        late = False
        while True:
            await asyncio.sleep(self.silence_seconds / 4)
            self._gates.end_unseen()
            was_late, late = late, loop.time() - self._heard > self.silence_seconds
            if late and was_late:
                self._log("cut_off", {"seconds": round(loop.time() - self._heard, 1)})
                self._end_streams(StorageUnavailable(retry_after_seconds=1.0))

    async def _look_at(self, news: set[News]) -> None:
        """Look at each of these, whatever the others come to: who cannot see the plugins must hear of a revocation.

        Should the database be away, the next look at everything tries again, or a hint before it.
        """
        looks: dict[News, Callable[[], Awaitable[None]]] = {
            News.TOKENS: self._take_tokens,
            News.RUNTIMES: self._let_replaced_go,
            News.GATES: self._gates.look,
            News.EVENTS: partial(self._look_at_events, compares=news == set(News)),
        }
        for kind, look in looks.items():
            if kind not in news:
                continue
            try:
                await look()
            except StorageUnavailable:
                self._doubtful = True
                self._news.add(kind)
            except Exception as fault:  # noqa: BLE001 - following outlives whatever one look comes to
                self._log("follower_fault", facts_of(fault))

    async def _look_at_events(self, *, compares: bool) -> None:
        if compares or self._doubtful:
            await self._compare()
        await self.catch_up()

    async def _compare(self) -> None:
        """See whether what was published last is still stored: another server of the database may have less of the log.

        What was promised is gone then, and those who were sent it are told so.
        """
        published, newest = self.hub.last_position, self.hub.newest
        position = await self._hear(self._reader.last_position)
        is_lost = position < published
        if newest is not None and not is_lost:
            page, _upto = await self._hear(self._reader.events_after, Scope(), newest.position - 1, (), 1, 1)
            is_lost = any(event.position == newest.position and event.data != newest.data for event in page)
        self._doubtful = False
        if is_lost:
            self._log("log_lost_its_end", {"published": published, "stored": position})
            self._token_version = None
            self._own.clear()  # their positions are given again
            self.hub.rewind(position)

    async def catch_up(self) -> None:
        """Publish everything that the log held when this was asked. Raises StorageUnavailable."""
        position = await self._hear(self._reader.last_position)
        while self.hub.last_position < position:
            page, _upto = await self._read(
                self._reader.events_after, Scope(), self.hub.last_position, (), FRAME_EVENTS_MAX, FRAME_BYTES_MAX
            )
            fresh = self._fresh(page)  # some may have been published meanwhile
            if fresh:
                self._publish(fresh)
                others = [event for event in fresh if event.position not in self._own]
                self._own = {own for own in self._own if own > self.hub.last_position}
                self._committer.gathering.call(partial(self._upkeep.observe, others))
            if not page:
                return

    def _fresh(self, stored: Sequence[StoredEvent]) -> list[StoredEvent]:
        last_position = self.hub.last_position
        return [event for event in stored if event.position > last_position]

    async def look_for_tokens(self) -> None:
        """Take in the tokens that others have made up to now. Many who ask are served by one look, every so often."""
        loop = asyncio.get_running_loop()
        asked = loop.time()
        async with self._looking:
            if self._looked >= asked:
                return  # somebody looked after this was asked
            await asyncio.sleep(max(0.0, self._looked + LOOK_SECONDS_MIN - asked))
            looked = loop.time()
            await self._take_tokens()
            self._looked = looked

    async def _take_tokens(self) -> None:
        version = await self._hear(self._reader.token_version)
        if version == self._token_version:
            return
        tokens: list[Token] = await self._hear(self._reader.all_tokens)
        for token in tokens:
            self._tokens.put(token)
        self._token_version = version

    async def _let_replaced_go(self) -> None:
        """End the attachments of runtimes that attached to another replica since."""
        mine = {attached.attachment.runtime_id: attached for attached in self.attached if attached.is_known}
        if not mine:
            return
        current: dict[str, str] = await self._hear(self._reader.attachments, list(mine))
        for runtime_id, attached in mine.items():
            if current.get(runtime_id) != attached.attachment.attachment_id and attached in self.attached:
                self._committer.gathering.call(partial(self._committer.runtimes.detach, attached.attachment))
                attached.deliver(None)
