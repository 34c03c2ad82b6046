"""A runtime's attachment as the transport holds it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from kinpost_server.domain.errors import Overloaded, Refusal, RuntimeReplaced
from kinpost_server.engine.runtimes import Attachment, Notice, RunStop

if TYPE_CHECKING:
    from kinpost_server.engine.engine import Engine

NOTICES_MAX = 20_000


class AttachedRuntime:
    """A runtime's attachment: iterate over it for notices, and close it in the end."""

    def __init__(
        self,
        engine: Engine,
        runtime_id: str,
        token_id: str,
        agents: frozenset[str],
        slots_max: int,
        *,
        any_session: bool,
    ) -> None:
        self.stopped_runs: list[RunStop] = []
        self.is_known = False  # whether it is stored that the runtime is attached here
        self.attachment = Attachment(runtime_id, token_id, agents, any_session, slots_max, self.deliver)
        self._engine = engine
        self._notices: asyncio.Queue[Notice | Refusal] = asyncio.Queue()

    def deliver(self, notice: Notice | None) -> None:
        """Take in what the runtime is to be told; None when another attachment took over."""
        self._notices.put_nowait(RuntimeReplaced() if notice is None else notice)
        if self._notices.qsize() > NOTICES_MAX:
            self.end(Overloaded("the runtime does not read what it is told"))

    def end(self, refusal: Refusal) -> None:
        """End the attachment from the service's side; what waits is not delivered."""
        while not self._notices.empty():  # emptied, not replaced: somebody waits at it
            self._notices.get_nowait()
        self._notices.put_nowait(refusal)

    def __aiter__(self) -> AsyncIterator[Notice]:
        return self

    async def __anext__(self) -> Notice:
        notice = await self._notices.get()
        if isinstance(notice, Refusal):
            raise notice
        return notice

    async def close(self) -> None:
        """Let the runtime go: its offers go to others. Its runs live on under their leases."""
        self._engine.detach(self)
