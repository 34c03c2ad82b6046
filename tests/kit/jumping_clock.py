"""Runs a Python program by a wall clock that a file moves: `jumping_clock.py FILE PROGRAM ARGUMENTS...`.

The file holds how many seconds the clock is ahead; the monotonic clock goes on as ever, as it does on a machine.
"""

from __future__ import annotations

import runpy
import sys
import time
from pathlib import Path

LOOK_SECONDS = 0.01
SECOND_NS = 1_000_000_000

file, program = Path(sys.argv[1]), sys.argv[2]
real_time_ns = time.time_ns
looked, ahead = 0.0, 0


def moved_time_ns() -> int:
    """Return the time as the file would have it."""
    global looked, ahead
    if time.monotonic() - looked > LOOK_SECONDS:
        looked, ahead = time.monotonic(), int(file.read_text() or 0) * SECOND_NS
    return real_time_ns() + ahead


if __name__ == "__main__":
    time.time_ns = moved_time_ns
    time.time = lambda: moved_time_ns() / SECOND_NS
    sys.argv = sys.argv[2:]
    runpy.run_path(program, run_name="__main__")
