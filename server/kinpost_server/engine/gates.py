"""Plugins before whom tool calls are put: in what order, for how long, and what counts when one does not answer.

Nothing of this is stored: a call that waits at a gate has not been judged yet, and its caller repeats it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from uuid_utils import uuid7

from kinpost_server.domain.errors import InvalidRequest, PluginBlocked, PluginFailed, Refusal
from kinpost_server.domain.tools import ToolCall
from kinpost_server.engine.settings import SECOND, Gate, PluginLimits

RETRY_SECONDS = 1.0


class Verdict(NamedTuple):
    """What a plugin answered."""

    allowed: bool
    reason: str


class Asked(NamedTuple):
    """A call put before a plugin."""

    intercept_id: str
    call: ToolCall
    expire_time: int


@dataclass(slots=True, eq=False)
class AttachedPlugin:
    """One stream of a plugin: iterate over it for calls, `answer` them, and detach it in the end.

    Stream ids rise with the time of attaching.
    """

    name: str
    tool_names: frozenset[str]
    stream_id: str = field(default_factory=lambda: str(uuid7()))
    _number: int = 0
    _unsent: dict[str, Asked] = field(default_factory=dict)
    _waiting: dict[str, asyncio.Future[Verdict]] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _ended: bool = False
    _refusal: Refusal | None = None

    def sees(self, tool_name: str) -> bool:
        """Whether it asked for calls of this tool."""
        return not self.tool_names or tool_name in self.tool_names

    def ask(self, call: ToolCall, expire_time: int) -> tuple[str, asyncio.Future[Verdict]]:
        """Put a call before it; the future is cancelled when it leaves."""
        self._number += 1
        intercept_id = f"{self.stream_id}.{self._number}"
        answer: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self._waiting[intercept_id] = answer
        self._unsent[intercept_id] = Asked(intercept_id, call, expire_time)
        self._changed.set()
        return intercept_id, answer

    def forget(self, intercept_id: str) -> None:
        """Wait for the answer to a call no longer."""
        self._waiting.pop(intercept_id, None)
        self._unsent.pop(intercept_id, None)  # one that reads nothing has nothing kept for it

    def answer(self, intercept_id: str, verdict: Verdict) -> None:
        """Take an answer; one that comes too late is let pass. Raises InvalidRequest for a call that never was."""
        answer = self._waiting.get(intercept_id)
        if answer is not None:
            if not answer.done():
                answer.set_result(verdict)
            return
        stream_id, _, number = intercept_id.rpartition(".")
        if stream_id != self.stream_id or not (
            number.isascii() and number.isdigit() and 0 < int(number[:19]) <= self._number
        ):
            raise InvalidRequest("verdict.intercept_id", "names no call that was put before this plugin")

    def end(self, refusal: Refusal | None = None) -> None:
        """End the stream, with a refusal that says why or because the plugin has nothing more to say."""
        self._ended, self._refusal = True, refusal
        self._changed.set()

    def leave(self) -> None:
        """Let those who wait for an answer know that none will come."""
        for answer in self._waiting.values():
            answer.cancel()

    def __aiter__(self) -> AttachedPlugin:
        return self

    async def __anext__(self) -> Asked:
        """Return the next call that somebody still waits for. Raises the refusal that ended the stream."""
        while True:
            if self._refusal is not None:
                raise self._refusal
            if self._ended:
                raise StopAsyncIteration
            if self._unsent:
                return self._unsent.pop(next(iter(self._unsent)))
            self._changed.clear()
            await self._changed.wait()


class Asking(Protocol):
    """A plugin's stream that can be asked, here or at another replica."""

    @property
    def name(self) -> str:
        """The plugin's."""

    @property
    def stream_id(self) -> str:
        """Which stream it is; ids rise with the time of attaching."""

    def sees(self, tool_name: str) -> bool:
        """Whether it asked for calls of this tool."""

    def ask(self, call: ToolCall, expire_time: int) -> tuple[str, asyncio.Future[Verdict]]:
        """Put a call before it; the future is cancelled when it leaves."""

    def forget(self, asked_id: str, /) -> None:
        """Wait for the answer to a call no longer."""


async def _nowhere() -> None:
    """There are no other replicas."""


class Gates:
    """The plugins that gate tool calls: those of the configuration in its order, then the others by name."""

    def __init__(self, limits: PluginLimits, now: Callable[[], int]) -> None:
        self.elsewhere: Sequence[Asking] = ()  # at other replicas; replaced as a whole
        self.show: Callable[[], Awaitable[None]] = _nowhere  # lets other replicas know what is here
        self.find: Callable[[], Awaitable[None]] = _nowhere  # brings `elsewhere` up to date
        self._limits = limits
        self._now = now
        self._attached: dict[str, list[AttachedPlugin]] = {}
        self._ending: Refusal | None = None

    def attach(self, name: str, tool_names: frozenset[str]) -> AttachedPlugin:
        """Take a plugin in. Of several streams of one plugin the newest that sees a tool is asked."""
        if self._ending is not None:
            raise self._ending
        plugin = AttachedPlugin(name, tool_names)
        self._attached.setdefault(name, []).append(plugin)
        return plugin

    def detach(self, plugin: AttachedPlugin) -> None:
        """Let a plugin's stream go; what waits for its answers counts as not answered. Safe to repeat."""
        streams = self._attached.get(plugin.name, [])
        if plugin in streams:
            streams.remove(plugin)
            if not streams:
                del self._attached[plugin.name]
        plugin.leave()

    def here(self) -> dict[str, AttachedPlugin]:
        """Return the streams that are attached to this replica, by their ids."""
        return {plugin.stream_id: plugin for streams in self._attached.values() for plugin in streams}

    def close(self, refusal: Refusal) -> None:
        """End all streams, and take none in any more."""
        self._ending = refusal
        self.end(refusal)

    def end(self, refusal: Refusal) -> None:
        """End the streams that there are."""
        for streams in list(self._attached.values()):
            for plugin in streams:
                plugin.end(refusal)

    def watches(self, tool_name: str) -> bool:
        """Whether a plugin of the configuration, or one that is attached here, is to be asked about calls of a tool.

        Any thread. Who is attached elsewhere is read in the transaction that decides the call.
        """
        if self._limits.gates:
            return True
        return bool(self._attached) and any(
            plugin.sees(tool_name) for streams in list(self._attached.values()) for plugin in list(streams)
        )

    async def judge(self, call: ToolCall) -> None:
        """Ask each plugin in turn.

        Raises PluginBlocked when one blocks, PluginFailed when one does not answer and that counts as blocking.
        """
        await self.find()
        for gate in self._in_order():
            plugin = self._stream_of(gate.plugin_name, call.name)
            if plugin is None:
                if gate.plugin_name not in self._names():
                    self._failed(gate, "is not attached")
            else:
                await self._ask(gate, plugin, call)

    def _in_order(self) -> Iterator[Gate]:
        yield from self._limits.gates
        configured = {gate.plugin_name for gate in self._limits.gates}
        for name in sorted(self._names() - configured):
            yield Gate(name)

    def _names(self) -> set[str]:
        return {*self._attached, *(plugin.name for plugin in self.elsewhere)}

    def _stream_of(self, name: str, tool_name: str) -> Asking | None:
        streams: list[Asking] = [*self._attached.get(name, ()), *(one for one in self.elsewhere if one.name == name)]
        seeing = [plugin for plugin in streams if plugin.sees(tool_name)]
        return max(seeing, key=lambda plugin: plugin.stream_id, default=None)

    async def _ask(self, gate: Gate, plugin: Asking, call: ToolCall) -> None:
        seconds = self._limits.intercept_timeout_seconds
        intercept_id, answer = plugin.ask(call, self._now() + int(seconds * SECOND))
        try:
            await asyncio.wait((answer,), timeout=seconds)
        finally:
            plugin.forget(intercept_id)
        if not answer.done():
            answer.cancel()
            self._failed(gate, f"did not answer within {seconds:g} seconds")
        elif answer.cancelled():
            self._failed(gate, "left before it answered")
        elif not answer.result().allowed:
            reason = answer.result().reason
            raise PluginBlocked(f"plugin {gate.plugin_name} blocked this call" + (f": {reason}" if reason else ""))

    @staticmethod
    def _failed(gate: Gate, what: str) -> None:
        if gate.blocks_on_failure:
            raise PluginFailed(
                f"plugin {gate.plugin_name}, which is to judge this call, {what}", retry_after_seconds=RETRY_SECONDS
            )
