"""SetAvailability: whether a session may be woken."""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain import event as e
from kinpost_server.domain.errors import Forbidden, SessionNotFound
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.session import Availability, Session
from kinpost_server.engine.access import any_session, hosts, require
from kinpost_server.engine.command import Command
from kinpost_server.engine.ports import SessionSnapshot
from kinpost_server.engine.reading import snapshot
from kinpost_server.engine.view import View


@dataclass(slots=True)
class SetAvailability(Command[SessionSnapshot]):
    """Set it for a person (approver, admin), or for the session's own runtime, which undoes nothing a person set."""

    caller: Caller
    session_id: str
    availability: Availability
    reason: str = ""
    until_time: int | None = None
    no_wake: bool = False

    def load(self, view: View) -> None:
        view.want_session(self.session_id)

    def decide(self, view: View) -> SessionSnapshot:
        require(self.caller, TokenKind.APPROVER, TokenKind.RUNTIME)
        session = any_session(view, self.session_id)
        if not self.caller.is_person:
            self._check_runtime(session)
        if not self._is_so_already(session):
            payload = e.SessionAvailabilityChanged(
                self.availability,
                self.reason,
                self.until_time,
                self.no_wake,
                self.caller.token_id,
                by_person=self.caller.is_person,
            )
            origin = e.Origin.PERSON if self.caller.is_person else e.Origin.RUNTIME
            view.emit(session, payload, origin=origin)
        return snapshot(session)

    def _check_runtime(self, session: Session) -> None:
        if not hosts(self.caller, session):
            raise SessionNotFound
        if self.availability is Availability.USER_CLOSED:
            raise Forbidden("only a person closes a session")
        paused_by_service = session.availability is Availability.PAUSED and session.availability_reason == "failing"
        if (session.set_by_person or paused_by_service) and session.availability is not Availability.OPEN:
            raise Forbidden("a person decides when this session may run again")

    def _is_so_already(self, session: Session) -> bool:
        """A repeat changes nothing; but a person's word makes a runtime's setting the person's."""
        return (
            session.availability is self.availability
            and session.availability_reason == self.reason
            and session.until_time == self.until_time
            and session.no_wake == self.no_wake
            and (session.set_by_person or not self.caller.is_person or self.availability is Availability.OPEN)
        )
