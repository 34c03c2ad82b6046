"""What waits for the committer, gathered into batches: in order, up to the limit, none left behind."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from kinpost_server.engine.command import Command
from kinpost_server.engine.settings import BatchLimits

USUAL_BATCHES = 4  # over so many, about, the usual size is told

Work = Callable[[], object]


class Waiter(Protocol):
    """Whoever waits for an answer: an asyncio future."""

    def cancelled(self) -> bool:
        """Whether nobody waits any more."""


@dataclass(slots=True, eq=False)
class Pending:
    """A command and whoever waits for its answer; None for one of the service's own. `call` is a tracer's."""

    command: Command[Any]
    waiter: Waiter | None = None
    call: object | None = None


class Gathered(NamedTuple):
    """What there is to do: commands for one commit, and work that is to be done before it."""

    batch: list[Pending]
    calls: list[Work]


class Gathering:
    """The queue between all threads and the committer's."""

    def __init__(self, limits: BatchLimits) -> None:
        self._limits = limits
        self._queue: queue.SimpleQueue[list[Pending] | Work | None] = queue.SimpleQueue()
        self._put_off: list[Pending] = []
        self._usual_size = 0.0
        self._ending = False

    def submit(self, arrived: list[Pending]) -> None:
        """Let commands wait for the next batch. Any thread."""
        self._queue.put(arrived)

    def call(self, work: Work) -> None:
        """Let something be done between two batches. Any thread."""
        self._queue.put(work)

    def end(self) -> None:
        """Let `take` return None once everything before this is taken. Any thread."""
        self._queue.put(None)

    def put_off(self, batch: list[Pending]) -> None:
        """Let commands be the first of the next batch."""
        self._put_off += batch

    def take_put_off(self) -> list[Pending]:
        """Return what was put off."""
        put_off, self._put_off = self._put_off, []
        return put_off

    def take(self) -> Gathered | None:
        """Wait for something to do, and return it; None at the end.

        The batch is what waits, up to the limit; while batches have been large of late, a moment is waited for more.
        """
        limits = self._limits
        gathered = Gathered(self.take_put_off(), [])
        batch = gathered.batch
        if self._ending and not batch:
            return None
        if not batch:
            self._sort(self._queue.get(), gathered)
        lingered = limits.linger_seconds <= 0
        while not self._ending and len(batch) < limits.batch_max:
            try:
                self._sort(self._queue.get_nowait(), gathered)
            except queue.Empty:
                if lingered or max(self._usual_size, len(batch)) < limits.linger_commands_min:
                    break
                lingered = True
                time.sleep(limits.linger_seconds)
        self.put_off(batch[limits.batch_max :])
        del batch[limits.batch_max :]
        self._usual_size += (len(batch) - self._usual_size) / USUAL_BATCHES
        return gathered

    def _sort(self, item: list[Pending] | Work | None, gathered: Gathered) -> None:
        if item is None:
            self._ending = True
        elif isinstance(item, list):
            gathered.batch.extend(item)
        else:
            gathered.calls.append(item)
