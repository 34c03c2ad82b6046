"""The past: how a session stood at a point of its log, as far as a revert needs to know."""

from __future__ import annotations

from dataclasses import dataclass, field

from kinpost_server.domain.message import Message
from kinpost_server.domain.session import SessionState


@dataclass(slots=True)
class Past:
    """What a revert goes back to.

    `state` is the session's at the point. `failing_runs` is the count there, 0 when the session was opened since.
    `recalled` are the messages that were consumed after the point, in any order, as they are now. `deliveries` says
    how often messages had been put before a model request at the point, where that is another number than now.
    """

    state: SessionState
    failing_runs: int
    recalled: list[Message] = field(default_factory=list)
    deliveries: dict[str, int] = field(default_factory=dict)
