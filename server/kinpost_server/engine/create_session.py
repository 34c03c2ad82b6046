"""CreateSession: a root, or a child in its parent's tree."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from kinpost_server.domain import event as e
from kinpost_server.domain.address import make_handle
from kinpost_server.domain.body import check_body, content_digest
from kinpost_server.domain.errors import InvalidRequest, SessionExists, SessionNotFound, TooManySessions
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.message import Mode, Owner, Sender
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.session import Session, SessionState, Starter
from kinpost_server.engine import turns
from kinpost_server.engine.acceptance import accept
from kinpost_server.engine.access import hosts, own_session, require
from kinpost_server.engine.command import Command, Deferred
from kinpost_server.engine.ports import HandleKey, SessionSnapshot
from kinpost_server.engine.reading import snapshot
from kinpost_server.engine.view import View


@dataclass(slots=True, frozen=True)
class Imported:
    """What a session of another system brings along; an empty handle is none."""

    state: SessionState
    handle: str
    create_time: int | None


@dataclass(slots=True)
class CreateSession(Command[SessionSnapshot]):
    """Make a session; the same id with the same content returns the one that is there."""

    caller: Caller
    session_id: str
    parent_session_id: str | None
    parent_run_id: str | None
    parent_tool_call_id: str | None
    agent: str
    message_rules: dict[str, Decision]
    description: str = ""
    without_handle: bool = False
    starter: Starter | None = None
    first_message: str | None = None
    imported: Imported | None = None
    _handle: str | None = field(default=None, init=False)

    def load(self, view: View) -> None:
        view.want_session(self.session_id)
        view.want_hosted(self.caller.token_id)
        root_session_id = self.session_id
        if self.parent_session_id is not None:
            parent = view.want_session(self.parent_session_id)
            if parent is None:
                return
            if self.parent_run_id is not None:
                turns.want_run(view, parent, self.parent_run_id)
            root_session_id = parent.root_session_id
        if self.imported is not None and self.imported.handle:
            self._handle = self.imported.handle
        elif not self.without_handle and self.imported is None:
            taken = self._handle is not None and view.want_handle(HandleKey(root_session_id, self._handle))
            if self._handle is None or taken:
                self._handle = make_handle(self.agent, secrets.token_hex(4))
        if self._handle is not None:
            view.want_handle(HandleKey(root_session_id, self._handle))

    def decide(self, view: View) -> SessionSnapshot:
        require(self.caller, TokenKind.RUNTIME)
        digest = self._digest()
        existing = view.session(self.session_id)
        if existing is not None:
            return self._existing(existing, digest)
        limit = view.settings.sessions_per_token_max
        if view.want_hosted(self.caller.token_id) >= limit:
            raise TooManySessions(f"the token hosts {limit} sessions, as many as it may")
        parent = self._parent(view)
        root_session_id = parent.root_session_id if parent is not None else self.session_id
        self._check_handle(view, root_session_id)
        if self.first_message is not None:
            fault = check_body(self.first_message, view.settings.producers.body_bytes_max)
            if fault is not None:
                raise InvalidRequest("first_message", fault)
        session = view.create(self._created(view, parent, digest), self.session_id, root_session_id, e.Origin.RUNTIME)
        if self.first_message is not None:
            self._first_message(view, session, parent, digest)
        return snapshot(session)

    def _existing(self, existing: Session, digest: bytes) -> SessionSnapshot:
        if not hosts(self.caller, existing) or existing.deleted or existing.request_digest != digest:
            raise SessionExists
        return snapshot(existing)

    def _parent(self, view: View) -> Session | None:
        if self.parent_session_id is None:
            return None
        try:
            parent = own_session(view, self.caller, self.parent_session_id)
        except SessionNotFound:
            raise SessionNotFound("parent_session_id: there is no such session, or it is not the caller's") from None
        if self.parent_run_id is not None and self.imported is None:
            turns.active_run(view, self.caller, parent, self.parent_run_id)
        return parent

    def _check_handle(self, view: View, root_session_id: str) -> None:
        if self._handle is None or view.handle(HandleKey(root_session_id, self._handle)) is None:
            return
        if self.imported is not None:
            raise InvalidRequest("imported.handle", "is taken in this tree")
        raise Deferred  # a command of the same batch took the handle just now: make another

    def _created(self, view: View, parent: Session | None, digest: bytes) -> e.SessionCreated:
        starter = self.starter or (Starter.WAKE if parent is None else Starter.DELEGATOR)
        state = SessionState.QUEUED if starter is Starter.DELEGATOR else SessionState.IDLE
        create_time = view.now
        if self.imported is not None:
            state = self.imported.state
            create_time = self.imported.create_time or view.now
        return e.SessionCreated(
            parent_session_id=self.parent_session_id,
            parent_run_id=self.parent_run_id,
            parent_tool_call_id=self.parent_tool_call_id,
            depth=parent.depth + 1 if parent is not None else 0,
            handle=self._handle,
            agent=self.agent,
            description=self.description,
            message_rules=self.message_rules,
            starter=starter,
            state=state,
            create_time=create_time,
            request_digest=digest,
            host_token_id=self.caller.token_id,
            imported=self.imported is not None,
        )

    def _first_message(self, view: View, session: Session, parent: Session | None, digest: bytes) -> None:
        assert self.first_message is not None
        sender = Sender()
        hop = None
        if parent is not None:
            sender = Sender(parent.session_id, parent.handle, self.parent_run_id, self.parent_tool_call_id)
            if parent.run is not None and parent.run.hop >= 0:
                hop = parent.run.hop  # a delegation does not shorten the chain that it belongs to
        accept(
            view,
            session,
            e.MessageAccepted(
                message_id=view.new_id(),
                owner=Owner.USER if parent is None else Owner.DELEGATION,
                mode=Mode.STEER,
                body=self.first_message,
                sender=sender,
                recipient_state=session.recipient_state,
                to=session.session_id,
                request_digest=digest,
                agent_hop=hop,
            ),
            e.Origin.RUNTIME,
        )

    def _digest(self) -> bytes:
        imported = self.imported
        return content_digest(
            self.parent_session_id or "",
            self.parent_run_id or "",
            self.parent_tool_call_id or "",
            self.agent,
            ",".join(f"{pattern}={decision}" for pattern, decision in sorted(self.message_rules.items())),
            self.description,
            str(self.without_handle),
            self.starter.name if self.starter is not None else "",
            "-" if self.first_message is None else f"+{self.first_message}",
            "" if imported is None else f"{imported.state.name} {imported.handle} {imported.create_time}",
        )
