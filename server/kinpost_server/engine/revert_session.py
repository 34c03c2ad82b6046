"""RevertSession: a session goes back to a point of its log.

What the log says of the point is read before, in a reader's thread: the log up to `expected_last_seq` no longer
changes, and the command is refused when there is more of it by then. So the committer loads the messages that come
back and nothing else, however long the log is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kinpost_server.domain import event as e
from kinpost_server.domain.errors import (
    CursorExpired,
    Forbidden,
    InvalidRequest,
    RunAlreadyActive,
    SessionLogMoved,
    SessionNotFound,
)
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.looking_back import STANDING_TYPES, Unwinding
from kinpost_server.domain.message import DiscardReason, Message, MessageState
from kinpost_server.domain.past import Past
from kinpost_server.domain.session import Availability, Session
from kinpost_server.engine import turns
from kinpost_server.engine.access import acts_for, require
from kinpost_server.engine.command import HistoryCommand
from kinpost_server.engine.ports import Reader, Scope, SessionSnapshot
from kinpost_server.engine.reading import events_backwards, snapshot
from kinpost_server.engine.view import View

CONSUMED_MAX = 4096  # messages that one revert takes back from consumption: a third of a second of the committer's


@dataclass(slots=True)
class RevertSession(HistoryCommand[SessionSnapshot]):
    """Undo what came after a point; `pause` keeps what waits again from waking the session."""

    caller: Caller
    session_id: str
    to_seq: int
    expected_last_seq: int
    pause: bool = False
    _unwound: Unwinding | None = field(default=None, init=False)  # None: the log is not where the caller thinks
    _is_kept: bool = field(default=True, init=False)  # whether the log still tells of the point

    def look_back(self, reader: Reader, decode: Callable[[bytes], e.Event]) -> None:
        found = reader.get_session(self.session_id)
        if found is None or not acts_for(self.caller, found.session):
            return
        if found.session.last_seq != self.expected_last_seq:
            return
        unwound = Unwinding(self.to_seq, CONSUMED_MAX)
        for event in events_backwards(reader, decode, self.session_id, self.expected_last_seq, STANDING_TYPES):
            unwound.take(event)
            if unwound.done:
                break
        dropped = reader.dropped(Scope(session_id=self.session_id))
        self._is_kept = self.to_seq > dropped.seq and (unwound.done or not dropped.seq)
        self._unwound = unwound

    def first_answer(self, reader: Reader, decode: Callable[[bytes], e.Event]) -> SessionSnapshot | None:
        now = reader.get_session(self.session_id)
        if now is None or now.session.last_seq <= self.expected_last_seq:
            return None
        at = self.expected_last_seq + 1
        for stored in reader.events_before(self.session_id, at + 1, (e.SessionReverted.TYPE,), 1):
            payload = decode(stored.data).payload
            assert isinstance(payload, e.SessionReverted)
            if stored.seq == at and payload.to_seq == self.to_seq:
                return now
        return None

    def load(self, view: View) -> None:
        view.want_session(self.session_id)
        unwound = self._unwound
        if unwound is None or not self._is_kept or unwound.is_undone or unwound.over_seq is not None:
            return  # it will be refused
        for message_id in unwound.consumed_ids:
            view.want_message(message_id)

    def decide(self, view: View) -> SessionSnapshot:
        require(self.caller, TokenKind.APPROVER, TokenKind.RUNTIME)
        session = view.session(self.session_id)
        if session is None or session.deleted or not acts_for(self.caller, session):
            raise SessionNotFound
        unwound = self._unwound
        if unwound is None or session.last_seq != self.expected_last_seq:
            raise SessionLogMoved(f"the session's newest event has seq {session.last_seq}")
        if session.run is not None:
            raise RunAlreadyActive("cancel the run before the session is reverted")
        self._check_point(unwound)
        if self.pause:
            self._check_pause(session)
        origin = e.Origin.PERSON if self.caller.is_person else e.Origin.RUNTIME
        self._revert(view, session, unwound, origin)
        if self.pause:
            self._pause(view, session, origin)
        return snapshot(session)

    def _check_point(self, unwound: Unwinding) -> None:
        if not self._is_kept:
            raise CursorExpired("to_seq: the events that tell how the session stood there are no longer kept")
        if unwound.is_undone:
            raise InvalidRequest("to_seq", "an earlier revert has undone this point; fork the session there instead")
        if unwound.over_seq is not None:
            raise InvalidRequest(
                "to_seq", f"more than {CONSUMED_MAX} messages were consumed since; revert to {unwound.over_seq} first"
            )

    def _revert(self, view: View, session: Session, unwound: Unwinding, origin: e.Origin) -> None:
        assert unwound.state is not None
        assert unwound.failing_runs is not None
        found = [view.message(message_id) for message_id in dict.fromkeys(unwound.consumed_ids)]
        recalled = [message for message in found if message is not None and message.state is MessageState.CONSUMED]
        recalled.sort(key=lambda message: message.accept_seq)
        waiting: list[Message] = [*session.mail.values(), *recalled]
        claims = unwound.claims
        deliveries = {m.message_id: m.delivery_count - claims[m.message_id] for m in waiting if claims[m.message_id]}
        past = Past(unwound.state, unwound.failing_runs, recalled, deliveries)
        restored_ids = tuple(message.message_id for message in recalled)
        view.emit(session, e.SessionReverted(self.to_seq, restored_ids, past), origin=origin)
        for message in list(session.mail.values()):
            if message.accept_seq > self.to_seq:
                turns.discard(view, session, message, DiscardReason.REVERTED)
            elif turns.is_dead(message, view.now):
                turns.discard_dead(view, session, message)

    def _check_pause(self, session: Session) -> None:
        put_away = session.may_wake and session.availability is not Availability.OPEN
        if put_away and session.set_by_person and not self.caller.is_person:
            raise Forbidden("a person decides when this session may run again")

    def _pause(self, view: View, session: Session, origin: e.Origin) -> None:
        """Pause for good, unless the session is held already by something that holds longer or weighs more."""
        held = not session.may_wake
        ends = session.availability is Availability.PAUSED and session.until_time is not None
        if held and not (ends and (self.caller.is_person or not session.set_by_person)):
            return
        payload = e.SessionAvailabilityChanged(
            Availability.PAUSED, "reverted", token_id=self.caller.token_id, by_person=self.caller.is_person
        )
        view.emit(session, payload, origin=origin)
