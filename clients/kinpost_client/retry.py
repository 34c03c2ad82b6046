"""How often, how fast and how long a call is repeated."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Retry:
    """The patience of a client. All values are seconds, above 0.

    A call that fails with something transient is repeated with the same identity, so that it is carried out once
    however often it is sent. Waits grow from `first_seconds` by doubling up to `max_seconds`, each shortened by up to a
    half at random, and are never shorter than what the server asked for. After `give_up_seconds` the last failure is
    raised; 0 repeats nothing. `attempt_seconds` is how long one attempt may take.
    """

    first_seconds: float = 0.05
    max_seconds: float = 2.0
    give_up_seconds: float = 60.0
    attempt_seconds: float = 10.0

    def delays(self) -> Iterator[float]:
        """Return the waits between attempts, without end."""
        longest = self.first_seconds
        while True:
            yield longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads callers, hides nothing
            longest = min(longest * 2, self.max_seconds)
