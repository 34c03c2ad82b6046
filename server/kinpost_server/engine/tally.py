"""What is counted while the service works, and read when somebody asks: a few additions a commit, no library.

Who shows it is the transport's matter (`transport/http/metrics.py`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Any, NamedTuple

from kinpost_server.engine.command import Command, GateNeeded

GOOD = "ok"
ACCIDENT = "internal"
AT_GATE = "plugin:asked"
COMMANDS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class _Gone:
    """The answer to a command whose caller left before it was decided."""

    code = "caller:gone"


GONE = _Gone()


class Spread(NamedTuple):
    """A copy of a histogram: how many values lie at or below each bound, beyond the last one, and their sum."""

    bounds: tuple[float, ...]
    counts: list[int]
    total: float


class Histogram:
    """Values counted by bounds. Written by one thread, read by any."""

    __slots__ = ("_bounds", "_counts", "_total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._total = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._total += value

    def spread(self) -> Spread:
        """Return a copy."""
        return Spread(self._bounds, self._counts.copy(), self._total)


class Tally:
    """Commits are counted in the committer's thread, answers on the event loop."""

    def __init__(self) -> None:
        self.batch_commands = Histogram(COMMANDS)
        self.batch_seconds = Histogram(SECONDS)
        self.commit_seconds = Histogram(SECONDS)
        self.answers: Counter[tuple[type[Command[Any]], str]] = Counter()

    def answered(self, command: Command[Any], answer: object) -> None:
        """Count what came of a command: `ok`, or a stable code. Both are few, whatever callers send."""
        code = getattr(answer, "code", None)
        if code is None:
            code = GOOD
            if isinstance(answer, Exception):
                code = AT_GATE if isinstance(answer, GateNeeded) else ACCIDENT
        self.answers[type(command), code or GOOD] += 1
