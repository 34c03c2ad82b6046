"""Looking back: what a session's log says of a point in it, read from its end.

Reading backwards costs what came after the point, however long the log is before it. `refold.py` finds the same by
reading forwards.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from kinpost_server.domain import event as e
from kinpost_server.domain.fold import is_opened
from kinpost_server.domain.message import DiscardReason
from kinpost_server.domain.session import OUTCOME_STATES, SessionState

# The events that tell how a session stood, and what became of its mail; none of them holds a body.
STANDING_TYPES = tuple(
    payload.TYPE
    for payload in (
        e.SessionCreated,
        e.SessionAvailabilityChanged,
        e.SessionUnqueued,
        e.SessionForked,
        e.SessionReverted,
        e.RunStarted,
        e.RunFinished,
        e.TurnCommitted,
        e.MessagesClaimed,
        e.MessageConsumed,
    )
)
ENDING_TYPES = (e.SessionReverted.TYPE, e.MessageConsumed.TYPE, e.MessageDiscarded.TYPE)


@dataclass(slots=True)
class Unwinding:
    """What a revert to a point undoes, and how the session stood there; `take` is given the events, newest first.

    What an earlier revert undid is passed over, but for what people decided. So the points of a log that still count
    are a line: a point that an earlier revert undid is none of them (`is_undone`).
    """

    to_seq: int
    consumed_max: int
    consumed_ids: list[str] = field(default_factory=list)
    claims: Counter[str] = field(default_factory=Counter)  # how many claims of each message are undone
    state: SessionState | None = None
    failing_runs: int | None = None
    is_undone: bool = False
    over_seq: int | None = None  # where there was more consumed mail than one revert may restore
    _resume_seq: int | None = None  # events above it were undone by a revert that was met already

    @property
    def done(self) -> bool:
        """Whether no earlier event is needed."""
        found = self.state is not None and self.failing_runs is not None
        return self.is_undone or self.over_seq is not None or found

    def take(self, event: e.Event) -> None:
        """Look at the next earlier event."""
        payload = event.payload
        if is_opened(event):
            self._found(None, 0)  # it stands, wherever it is
        if self._resume_seq is not None:
            if event.seq > self._resume_seq:
                return
            self._resume_seq = None
        if isinstance(payload, e.SessionReverted):
            self._resume_seq = payload.to_seq
            self.is_undone |= payload.to_seq < self.to_seq < event.seq
        elif event.seq > self.to_seq:
            self._undo(event, payload)
        else:
            self._stand(payload)

    def _undo(self, event: e.Event, payload: e.Payload) -> None:
        if isinstance(payload, e.MessagesClaimed):
            self.claims.update(payload.message_ids)
        elif isinstance(payload, e.MessageConsumed):
            if len(self.consumed_ids) == self.consumed_max:
                self.over_seq = event.seq
                return
            self.consumed_ids.append(payload.message_id)

    def _stand(self, payload: e.Payload) -> None:
        if isinstance(payload, e.RunStarted):
            self._found(SessionState.RUNNING, None)
        elif isinstance(payload, e.RunFinished):
            self._found(OUTCOME_STATES[payload.outcome], payload.failing_runs)
        elif isinstance(payload, e.TurnCommitted) and payload.consumed_count:
            self._found(None, 0)
        elif isinstance(payload, e.SessionUnqueued):
            self._found(SessionState.IDLE, None)
        elif isinstance(payload, e.SessionCreated):
            self._found(payload.state, 0)
        elif isinstance(payload, e.SessionForked):
            self._found(payload.session.state, 0)

    def _found(self, state: SessionState | None, failing_runs: int | None) -> None:
        if self.state is None:
            self.state = state
        if self.failing_runs is None:
            self.failing_runs = failing_runs


@dataclass(slots=True)
class PendingThen:
    """The mail that was pending at a point, found from what is pending now and the events since, newest first.

    A point counts as it was then, also one that a revert has undone. Mail that was accepted after it may remain among
    the ids: their acceptance is not among the events.
    """

    ids: set[str]
    _reverted: set[str] = field(default_factory=set)

    def take(self, event: e.Event) -> None:
        """Take back the next earlier event."""
        payload = event.payload
        if isinstance(payload, e.MessageConsumed):
            self.ids.add(payload.message_id)
        elif isinstance(payload, e.MessageDiscarded):
            # What a revert discards was dead as soon as the revert was.
            dead = self._reverted if payload.reason is DiscardReason.REVERTED else self.ids
            dead.add(payload.message_id)
        elif isinstance(payload, e.SessionReverted):
            self.ids.update(self._reverted)
            self._reverted.clear()
            self.ids.difference_update(payload.restored_message_ids)
