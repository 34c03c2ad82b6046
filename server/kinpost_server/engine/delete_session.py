"""DeleteSession: a tombstone stays, and the handle is never given again."""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain import event as e
from kinpost_server.domain.errors import RunAlreadyActive, SessionNotFound
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.message import DiscardReason
from kinpost_server.engine import turns
from kinpost_server.engine.access import hosts, require
from kinpost_server.engine.command import Command
from kinpost_server.engine.register_producer import end
from kinpost_server.engine.view import View


@dataclass(slots=True)
class DeleteSession(Command[None]):
    """Discard the session's pending mail, tell its senders, end its registrations, and bury it; children stay.

    Safe to repeat.
    """

    caller: Caller
    session_id: str
    reason: str = ""

    def load(self, view: View) -> None:
        view.want_session(self.session_id)
        view.want_registered(self.session_id)

    def decide(self, view: View) -> None:
        require(self.caller, TokenKind.APPROVER, TokenKind.RUNTIME)
        session = view.session(self.session_id)
        if session is None or not (hosts(self.caller, session) or self.caller.is_person):
            raise SessionNotFound
        if session.deleted:
            return
        if session.run is not None:
            raise RunAlreadyActive("cancel the run before the session is deleted")
        origin = e.Origin.PERSON if self.caller.is_person else e.Origin.RUNTIME
        for message in list(session.mail.values()):
            turns.discard(view, session, message, DiscardReason.DELETED, origin)
        for producer in view.registered(self.session_id):
            end(view, session, producer, origin)
        view.emit(session, e.SessionDeleted(self.reason), origin=origin)
