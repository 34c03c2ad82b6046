"""SendUserMessage: a person writes to a session. The rules for agents do not apply."""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain import event as e
from kinpost_server.domain.body import content_digest
from kinpost_server.domain.errors import EngineShutdown, SessionNotFound
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.message import Acceptance, Mode, Owner, Sender
from kinpost_server.engine.acceptance import accept, check_producer, replayed
from kinpost_server.engine.access import any_session, hosts, require
from kinpost_server.engine.command import Command
from kinpost_server.engine.ports import ReplayKey
from kinpost_server.engine.view import View


@dataclass(slots=True)
class SendUserMessage(Command[Acceptance]):
    """Store a person's message: by an approver, an admin, or the session's own runtime for its user."""

    caller: Caller
    session_id: str
    client_message_id: str
    body: str
    mode: Mode

    at_shutdown = EngineShutdown

    def load(self, view: View) -> None:
        view.want_session(self.session_id)
        view.want_replay(self._key)

    def decide(self, view: View) -> Acceptance:
        require(self.caller, TokenKind.APPROVER, TokenKind.RUNTIME)
        session = any_session(view, self.session_id)
        if self.caller.kind is TokenKind.RUNTIME and not hosts(self.caller, session):
            raise SessionNotFound
        digest = content_digest(self.body, self.mode.name)
        earlier = replayed(view, self._key, digest, "client_message_id")
        if earlier is not None:
            return earlier
        check_producer(view, session, self.body)
        return accept(
            view,
            session,
            e.MessageAccepted(
                message_id=view.new_id(),
                owner=Owner.USER,
                mode=self.mode,
                body=self.body,
                sender=Sender(),
                recipient_state=session.recipient_state,
                to=self.session_id,
                request_digest=digest,
                idempotency_key=self.client_message_id,
            ),
            e.Origin.PERSON,
            self._key,
        )

    @property
    def _key(self) -> ReplayKey:
        return ReplayKey(self.session_id, "user", self.client_message_id)
