"""How much there is of everything, for whoever watches the service. Numbers alone: no ids, no names, no text."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from kinpost_server.domain.errors import StorageUnavailable
from kinpost_server.engine.tally import Spread
from kinpost_server.engine.upkeep_ports import StoredFigures

KEPT_SECONDS = 1.0  # so that whoever asks more often costs the database nothing more
REST_FACTOR = 20  # and so many times as long as the counting took, should much be waiting
PATIENCE_SECONDS = 2.0  # then the answer goes without


class Figures(NamedTuple):
    """The service at this moment. `stored` is None when the store does not answer."""

    healthy: bool
    queued_commands: int
    queued_commands_max: int
    batch_commands: Spread
    batch_seconds: Spread
    commit_seconds: Spread
    answers: dict[tuple[str, str], int]  # by command and code
    attached_runtimes: int
    run_slots: int
    free_run_slots: int
    subscriber_lags: list[int]  # events that each has not looked at yet
    last_position: int
    oldest_wake_seconds: float
    stored: StoredFigures | None


class Counting:
    """Counts in the database once for all who ask within a moment."""

    def __init__(self, count: Callable[[], Awaitable[StoredFigures]]) -> None:
        self._count = count
        self._counting: asyncio.Task[StoredFigures | None] | None = None
        self._last: StoredFigures | None = None
        self._kept_until = 0.0

    async def last(self) -> StoredFigures | None:
        """Return what was counted a moment ago at most; None when the store does not answer in time."""
        if time.monotonic() < self._kept_until:
            return self._last
        if self._counting is None or self._counting.done():
            self._counting = asyncio.create_task(self._again())
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await asyncio.shield(self._counting)
        except TimeoutError:
            return None

    async def _again(self) -> StoredFigures | None:
        began = time.monotonic()
        try:
            self._last = await self._count()
        except StorageUnavailable:
            self._last = None
            return None
        ended = time.monotonic()
        self._kept_until = ended + max(KEPT_SECONDS, (ended - began) * REST_FACTOR)
        return self._last
