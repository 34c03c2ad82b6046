"""Closed loops: so many callers, each calling again as soon as it is answered."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass
class Sample:
    """One round: calls answered, the seconds it took, and each call's latency in seconds."""

    calls: int
    seconds: float
    latencies: list[float]

    @property
    def rate(self) -> float:
        """Calls a second."""
        return self.calls / self.seconds

    @property
    def median(self) -> float:
        """The median latency in seconds."""
        return statistics.median(self.latencies)

    def percentile(self, share: float) -> float:
        """The latency, in seconds, that a share of the calls stayed under."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


async def closed_loop(callers: int, seconds: float, call: Callable[[int], Awaitable[object]]) -> Sample:
    """Let `callers` call for so long; `call` gets the caller's number."""
    latencies: list[float] = []
    begin = time.perf_counter()
    end = begin + seconds

    async def caller(number: int) -> None:
        while (start := time.perf_counter()) < end:
            await call(number)
            latencies.append(time.perf_counter() - start)

    await asyncio.gather(*(caller(number) for number in range(callers)))
    return Sample(len(latencies), time.perf_counter() - begin, latencies)
