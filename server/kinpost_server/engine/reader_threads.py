"""Threads in which the database is read, so that the event loop does not wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from kinpost_server.domain.errors import StorageUnavailable
from kinpost_server.engine.ports import StoreFailed

Value = TypeVar("Value")


class ReaderThreads:
    """Call it to read in one of its threads; who comes when all are busy waits for one."""

    def __init__(self, threads: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def __call__(self, read: Callable[..., Value], *arguments: object) -> Value:
        """Return what is read. Raises StorageUnavailable when the database does not answer."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, read, *arguments)
        except StoreFailed:
            raise StorageUnavailable(retry_after_seconds=1.0) from None

    def shutdown(self) -> None:
        """End when what is being read has been. Blocks."""
        self._threads.shutdown(wait=True)
