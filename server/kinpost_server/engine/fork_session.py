"""ForkSession: a sibling that continues from a point of a session's log.

The mail that was pending at the point is found and read before, in a reader's thread: what the log says of a point
never changes.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kinpost_server.domain import event as e
from kinpost_server.domain.address import make_handle
from kinpost_server.domain.body import fork_digest
from kinpost_server.domain.errors import CursorExpired, InvalidRequest, SessionExists, SessionNotFound, TooManySessions
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.looking_back import ENDING_TYPES, PendingThen
from kinpost_server.domain.session import Session, SessionState, Starter
from kinpost_server.engine import turns
from kinpost_server.engine.access import acts_for, require
from kinpost_server.engine.command import Deferred, HistoryCommand
from kinpost_server.engine.ports import HandleKey, Reader, Scope, SessionSnapshot
from kinpost_server.engine.reading import events_backwards, snapshot
from kinpost_server.engine.view import View


@dataclass(slots=True)
class ForkSession(HistoryCommand[SessionSnapshot]):
    """Make the fork; the same new id for the same point returns the one that is there. The original is untouched."""

    caller: Caller
    session_id: str
    at_seq: int
    new_session_id: str
    _handle: str | None = field(default=None, init=False)
    _copies: list[e.MessageAccepted] | None = field(default=None, init=False)  # None: there is no such point
    _is_kept: bool = field(default=True, init=False)  # whether the log still tells of the point

    def look_back(self, reader: Reader, decode: Callable[[bytes], e.Event]) -> None:
        found = reader.get_session(self.session_id)
        if found is None or not acts_for(self.caller, found.session):
            return
        if reader.get_session(self.new_session_id) is not None:
            return  # a repeat copies nothing
        now = reader.pending_mail(self.session_id)
        if self.at_seq > now.last_seq:
            return
        if self.at_seq <= reader.dropped(Scope(session_id=self.session_id)).seq:
            self._is_kept = False
            return
        then = PendingThen(set(now.message_ids))
        for event in events_backwards(reader, decode, self.session_id, now.last_seq, ENDING_TYPES, self.at_seq):
            then.take(event)
        copies = []
        for stored in reader.acceptances(then.ids):
            payload = decode(stored.data).payload
            assert isinstance(payload, e.MessageAccepted)
            if stored.seq <= self.at_seq:
                copies.append(payload)
        # What had been replaced, and waited only for its release to die, is not continued.
        replaced = {payload.supersedes_message_id for payload in copies}
        self._copies = [payload for payload in copies if payload.message_id not in replaced]

    def load(self, view: View) -> None:
        view.want_session(self.new_session_id)
        view.want_hosted(self.caller.token_id)
        original = view.want_session(self.session_id)
        if original is None:
            return
        root_session_id = self._root_of(original)
        if self._handle is None or view.want_handle(HandleKey(root_session_id, self._handle)):
            self._handle = make_handle(original.agent, secrets.token_hex(4))
        view.want_handle(HandleKey(root_session_id, self._handle))

    def decide(self, view: View) -> SessionSnapshot:
        require(self.caller, TokenKind.APPROVER, TokenKind.RUNTIME)
        original = view.session(self.session_id)
        if original is None or original.deleted or not acts_for(self.caller, original):
            raise SessionNotFound
        digest = fork_digest(self.session_id, self.at_seq)
        existing = view.session(self.new_session_id)
        if existing is not None:
            if existing.deleted or existing.request_digest != digest or not acts_for(self.caller, existing):
                raise SessionExists
            return snapshot(existing)
        if not self._is_kept:
            raise CursorExpired("at_seq: the events of this point are no longer kept")
        if self._copies is None:
            raise InvalidRequest("at_seq", f"the session's newest event has seq {original.last_seq}")
        limit = view.settings.sessions_per_token_max
        if not self.caller.is_person and view.want_hosted(self.caller.token_id) >= limit:
            raise TooManySessions(f"the token hosts {limit} sessions, as many as it may")
        root_session_id = self._root_of(original)
        assert self._handle is not None
        if view.handle(HandleKey(root_session_id, self._handle)) is not None:
            raise Deferred  # a command of the same batch took the handle just now: make another
        origin = e.Origin.PERSON if self.caller.is_person else e.Origin.RUNTIME
        created = self._created(view, original, digest)
        hosts = frozenset(original.host_token_ids)
        fork = view.create(
            e.SessionForked(self.session_id, self.at_seq, created, hosts), self.new_session_id, root_session_id, origin
        )
        self._continue(view, fork, self._copies)
        return snapshot(fork)

    def _root_of(self, original: Session) -> str:
        return original.root_session_id if original.parent_session_id is not None else self.new_session_id

    def _created(self, view: View, original: Session, digest: bytes) -> e.SessionCreated:
        """Nobody delegated it, so mail wakes it, and it names no tool call of its parent's."""
        return e.SessionCreated(
            parent_session_id=original.parent_session_id,
            parent_run_id=None,
            parent_tool_call_id=None,
            depth=original.depth,
            handle=self._handle,
            agent=original.agent,
            description=original.description,
            message_rules=dict(original.message_rules),
            starter=Starter.WAKE,
            state=SessionState.IDLE,
            create_time=view.now,
            request_digest=digest,
            host_token_id="",
        )

    def _continue(self, view: View, fork: Session, copies: list[e.MessageAccepted]) -> None:
        for first in copies:
            message_id = view.new_id()
            payload = replace(
                first,
                message_id=message_id,
                recipient_state=fork.recipient_state,
                idempotency_key=None,
                supersedes_message_id=None,
                forked_from_message_id=first.message_id,
            )
            view.emit(fork, payload)
            message = fork.mail[message_id]
            if turns.is_dead(message, view.now):
                turns.discard_dead(view, fork, message)
