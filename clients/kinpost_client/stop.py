"""Interrupting a run's task from outside, and telling that interruption from others."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from kinpost_client.errors import KinpostError


class Stop:
    """At most one stop of one task. Works as `asyncio.timeout` does: a cancellation of ours becomes our exception, one
    of somebody else's stays a cancellation.
    """

    def __init__(self) -> None:
        self._task: asyncio.Task[object] | None = None
        self._cancelling = 0
        self._error: KinpostError | None = None
        self._cancelled = False

    @property
    def error(self) -> KinpostError | None:
        """Why the task shall stop, None while it need not."""
        return self._error

    def watch_current_task(self) -> None:
        """Name the calling task as the one to stop. Raises RuntimeError outside of a task."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a run belongs to a task")
        self._task, self._cancelling = task, task.cancelling()

    def stop(self, error: KinpostError) -> None:
        """Interrupt the task at its next await; `error` is what shall come of it. The first stop counts."""
        if self._error is not None:
            return
        self._error = error
        if self._task is not None:
            self._cancelled = self._task.cancel()

    def interrupt(self) -> None:
        """Cancel the task, as anybody may: no exception of ours comes of it."""
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()

    def check(self) -> None:
        """Raise the error when the task shall stop."""
        if self._error is not None:
            raise self._error

    async def settle(self, error: BaseException | None) -> KinpostError | None:
        """Return the error that shall come out, given what came out of the task's work; from now on no stop interrupts.

        None when nothing was to stop, or when somebody else cancelled the task too: that goes first.
        """
        task, self._task = self._task, None
        if not self._cancelled or task is None:
            return self._error
        if not isinstance(error, asyncio.CancelledError):
            # The cancellation may not have been delivered yet: it is ours, and ends here.
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0)
        if task.uncancel() <= self._cancelling:
            return self._error
        if not isinstance(error, asyncio.CancelledError):
            raise asyncio.CancelledError
        return None
