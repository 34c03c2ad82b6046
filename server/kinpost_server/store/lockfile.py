"""The lock beside a database file: one server at a time. The kernel lets go of it however the server ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from kinpost_server.store.errors import StoreLocked


class LockFile:
    """A held lock on `<path>.lock`, which names its holder's process id. The file stays; only the lock goes.

    Raises StoreLocked when another holds it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(f"{path.name}.lock")
        self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if not isinstance(error, BlockingIOError):
                os.close(self._descriptor)
                raise
            holder = os.pread(self._descriptor, 20, 0).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            by = f"process {holder}" if holder else "another process"
            raise StoreLocked(
                f"{path} is in use by {by}: one server at a time may use a database file; "
                "stop the other, or give this one a file of its own"
            ) from None
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let go of the lock. Repeating it does nothing."""
        if self._descriptor >= 0:
            # Emptied first, so that a later holder's competitor never reads a stale process id.
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1
