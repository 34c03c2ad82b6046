"""Plugins attached to other replicas: a tool call is put before them through the database they share.

Nothing of it outlives the call. A replica that dies takes its plugins with it once its rows have expired; until then a
call that is put before one of them is not answered, and its gate says what that counts as.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from typing import Any

from uuid_utils import uuid7

from kinpost_server.domain.errors import StorageUnavailable
from kinpost_server.domain.tools import ToolCall
from kinpost_server.engine.gates import AttachedPlugin, Gates, Verdict
from kinpost_server.engine.replica_ports import GateAnswer, GateBoard, GateStream, News, Question
from kinpost_server.engine.settings import SECOND

SHOWN_SECONDS = 10.0  # at least so long a replica's streams are believed in without a word of it
SHOWN_PART = 0.6  # of that time, after which a replica that could say nothing ends them itself

Read = Callable[..., Awaitable[Any]]


class RemotePlugin:
    """One stream of a plugin at another replica."""

    def __init__(self, stream: GateStream, elsewhere: GatesElsewhere) -> None:
        self.stream = stream
        self._elsewhere = elsewhere

    @property
    def name(self) -> str:
        """The plugin's."""
        return self.stream.plugin_name

    @property
    def stream_id(self) -> str:
        """Which stream it is; ids rise with the time of attaching."""
        return self.stream.stream_id

    def sees(self, tool_name: str) -> bool:
        """Whether it asked for calls of this tool."""
        return self.stream.sees(tool_name)

    def ask(self, call: ToolCall, expire_time: int) -> tuple[str, asyncio.Future[Verdict]]:
        """Put a call before it; the future is cancelled when it leaves."""
        return self._elsewhere.ask(Question(str(uuid7()), self.stream_id, call, expire_time))

    def forget(self, question_id: str) -> None:
        """Wait for the answer to a call no longer."""
        self._elsewhere.forget(question_id)


class GatesElsewhere:
    """Asks for this replica's calls, and answers for its plugins. Of the event loop."""

    def __init__(
        self,
        board: GateBoard,
        read: Read,
        gates: Gates,
        now: Callable[[], int],
        tell: Callable[[Collection[News]], None],
        poll_seconds: float,
    ) -> None:
        self._board = board
        self._read = read
        self._gates = gates
        self._now = now
        self._tell = tell
        self._shown_seconds = max(SHOWN_SECONDS, 5 * poll_seconds)
        self._waiting: dict[str, tuple[str, asyncio.Future[Verdict]]] = {}  # the stream that is asked, and the answer
        self._judging: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._shown = 0.0  # when the others were last shown who is here
        self._late = False
        self._turn = asyncio.Lock()  # the board is for one at a time
        gates.show = self._show_now
        gates.find = self._find

    async def look(self) -> None:
        """Show which plugins are here, and see who is elsewhere, who asks, and what was answered.

        Raises StorageUnavailable.
        """
        await self._show()
        here = self._gates.here()
        if here:
            now = self._now()
            for question in await self._call(self._board.questions, list(here)):
                if question.question_id not in self._judging and question.expire_time > now:
                    task = self._spawn(self._judge(here.get(question.stream_id), question))
                    self._judging[question.question_id] = task
        if self._waiting:
            answers: dict[str, GateAnswer] = await self._call(self._board.answers, list(self._waiting))
            for question_id, answer in answers.items():
                if question_id in self._waiting:
                    _settle(self._waiting[question_id][1], answer)

    def ask(self, question: Question) -> tuple[str, asyncio.Future[Verdict]]:
        """Put a question before another replica's plugin; the future is cancelled when nobody will answer it."""
        answer: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self._waiting[question.question_id] = question.stream_id, answer
        self._spawn(self._put(question, answer))
        return question.question_id, answer

    def forget(self, question_id: str) -> None:
        """Wait for an answer no longer."""
        if self._waiting.pop(question_id, None) is not None:
            self._spawn(self._call(self._board.drop, [question_id]))

    async def end(self) -> None:
        """Leave nothing behind that others would believe in."""
        for task in [*self._tasks]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(StorageUnavailable):
            await self._call(self._board.show, [], self._now(), self._now())

    async def _put(self, question: Question, answer: asyncio.Future[Verdict]) -> None:
        try:
            await self._call(self._board.ask, question)
        except StorageUnavailable:
            answer.cancel()
        else:
            self._tell({News.GATES})

    async def _judge(self, plugin: AttachedPlugin | None, question: Question) -> None:
        """Ask a plugin of ours for another replica; one that has left answers so.

        Nothing of it is kept, so a question whose answer could not be given is found, and asked, again.
        """
        try:
            await self._put_before(plugin, question)
        finally:
            del self._judging[question.question_id]

    async def _put_before(self, plugin: AttachedPlugin | None, question: Question) -> None:
        answer = GateAnswer(None, "")
        if plugin is not None:
            intercept_id, verdict = plugin.ask(question.call, question.expire_time)
            try:
                await asyncio.wait((verdict,), timeout=max(0.0, (question.expire_time - self._now()) / SECOND))
            finally:
                plugin.forget(intercept_id)
            if not verdict.done():
                return  # whoever asks has given up too
            if not verdict.cancelled():
                answer = GateAnswer(*verdict.result())
        await self._call(self._board.answer, question.question_id, answer)
        self._tell({News.GATES})

    def end_unseen(self) -> None:
        """End the streams of plugins here before the others take them for gone: calls would pass them by.

        To be called every so often. A process that stood still is given the time to show them.
        """
        silent_seconds = asyncio.get_running_loop().time() - self._shown
        was_late, self._late = self._late, silent_seconds > self._shown_seconds * SHOWN_PART
        if was_late and self._late:
            self._gates.end(StorageUnavailable(retry_after_seconds=1.0))

    async def _show_now(self) -> None:
        """Show which plugins are here, see who is elsewhere, and tell the others to look. Raises StorageUnavailable."""
        await self._show()
        self._tell({News.GATES})

    async def _show(self) -> None:
        began, now = asyncio.get_running_loop().time(), self._now()
        here = [GateStream(id_, plugin.name, plugin.tool_names) for id_, plugin in self._gates.here().items()]
        others: Sequence[GateStream] = await self._call(
            self._board.show, here, now, now + int(self._shown_seconds * SECOND)
        )
        self._shown = began
        self._take(others)

    async def _find(self) -> None:
        with contextlib.suppress(StorageUnavailable):  # what is known is the best there is
            self._take(await self._call(self._board.elsewhere))

    def _take(self, streams: Sequence[GateStream]) -> None:
        self._gates.elsewhere = tuple(RemotePlugin(stream, self) for stream in streams)
        there = {stream.stream_id for stream in streams}
        for stream_id, answer in self._waiting.values():
            if stream_id not in there:
                answer.cancel()  # with its replica, perhaps: nobody will answer

    async def _call(self, call: Callable[..., Any], *arguments: object) -> Any:
        async with self._turn:
            return await self._read(call, *arguments)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        async def quietly() -> None:
            with contextlib.suppress(StorageUnavailable):  # the next look does what could not be done now
                await work

        task = asyncio.create_task(quietly())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _settle(waiting: asyncio.Future[Verdict], answer: GateAnswer) -> None:
    if waiting.done():
        return
    if answer.allowed is None:
        waiting.cancel()
    else:
        waiting.set_result(Verdict(answer.allowed, answer.reason))
