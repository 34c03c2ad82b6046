"""The fold of a session's whole log, reverts included: the log is read forwards, once.

A revert goes back to how the session stood at a point, so that is noted when the fold comes by there. Which points
those are is known from the log's reverts, which are read first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kinpost_server.domain import event as e
from kinpost_server.domain.fold import apply, begin, is_opened
from kinpost_server.domain.message import Message
from kinpost_server.domain.past import Past
from kinpost_server.domain.session import Session, SessionState


class Point(NamedTuple):
    """How the session stood at a point that a later revert goes back to."""

    state: SessionState
    failing_runs: int
    deliveries: dict[str, int]


class Refold:
    """One session's fold. `session` is what it has come to; whoever wants to know what changed clears `touched`.

    `reverts` are the reverts of this log. What must be kept for them is kept: how the session stood at their points,
    and the consumed messages that they bring back.
    """

    def __init__(self, reverts: Iterable[e.SessionReverted]) -> None:
        reverts = list(reverts)
        self._points: dict[int, Point | None] = {revert.to_seq: None for revert in reverts}
        self._restored = {message_id for revert in reverts for message_id in revert.restored_message_ids}
        self._consumed: dict[str, Message] = {}
        self._open_seq = 0
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """The session as it is after the last event; there must have been one."""
        assert self._session is not None, "no event yet"
        return self._session

    def comes_back(self, message_id: str) -> bool:
        """Whether a revert of this log brings the message back from consumption."""
        return message_id in self._restored

    def take(self, event: e.Event) -> None:
        """Apply the next event."""
        payload = event.payload
        if self._session is None:
            self._session = begin(event)
        else:
            if isinstance(payload, e.SessionReverted):
                payload.past = self._past(payload)
            elif isinstance(payload, e.MessageConsumed) and payload.message_id in self._restored:
                self._consumed[payload.message_id] = self._session.mail[payload.message_id]
            elif is_opened(event):
                self._open_seq = event.seq
            apply(self._session, event)
        if event.seq in self._points:
            session = self._session
            deliveries = {message.message_id: message.delivery_count for message in session.mail.values()}
            self._points[event.seq] = Point(session.state, session.failing_runs, deliveries)

    def _past(self, payload: e.SessionReverted) -> Past:
        point = self._points[payload.to_seq]
        assert point is not None, f"the revert to {payload.to_seq} goes forward"
        recalled = [self._consumed.pop(message_id) for message_id in payload.restored_message_ids]
        waiting = [*self.session.mail, *payload.restored_message_ids]
        deliveries = {message_id: point.deliveries.get(message_id, 0) for message_id in waiting}
        failing_runs = 0 if self._open_seq > payload.to_seq else point.failing_runs
        return Past(point.state, failing_runs, recalled, deliveries)
