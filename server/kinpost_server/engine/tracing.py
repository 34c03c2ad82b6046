"""What the engine tells of its work to whoever traces calls. Without a tracer nothing is told, and nothing is paid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class BatchTracer(Protocol):
    """Draws the line from calls to the commit that answered them. The engine looks into no call."""

    def here(self) -> object | None:
        """Return the call that is being answered; None when it is not traced. On the event loop."""

    def batch(self, calls: Sequence[object], began: int, commands: int, events: int, code: str) -> None:
        """Tell that a batch was carried out for these calls. In the committer's thread; never raises.

        `began` is nanoseconds since the epoch; `code` is empty, or the stable code of what every command was answered.
        """
