"""The one clock of the engine, in microseconds since the epoch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

SLEW_PARTS_MAX = 10  # a jump of the system clock is followed at one part in ten


class Clock:
    """Follows the system clock smoothly: a jump of it neither lapses leases nor sends timers to sleep. For any thread.

    `offset` says how far the clock that counts is ahead of the system's, in microseconds.
    """

    def __init__(self, offset: Callable[[], int] = lambda: 0) -> None:
        self._offset = offset
        self._lock = threading.Lock()
        self._now = time.time_ns() // 1000 + offset()
        self._tick = time.monotonic_ns() // 1000

    def now(self) -> int:
        """Return the time; it never goes back within a process."""
        with self._lock:
            tick = time.monotonic_ns() // 1000
            elapsed = tick - self._tick
            self._tick = tick
            drift = time.time_ns() // 1000 + self._offset() - (self._now + elapsed)
            slew_max = elapsed // SLEW_PARTS_MAX
            self._now += elapsed + max(-slew_max, min(slew_max, drift))
            return self._now
