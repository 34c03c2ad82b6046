"""The sessions that the one writer keeps: as they were last stored, or as the batch at hand has changed them.

A single writer may keep them, because nobody else changes what is stored. What is dropped is read anew.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from itertools import chain

from kinpost_server.domain.message import PENDING, Message
from kinpost_server.domain.run import WakeState
from kinpost_server.domain.session import Session
from kinpost_server.engine.ports import Changes, HandleKey, ReplayKey
from kinpost_server.store.sends import Sends

LOOKS_BEYOND = 16  # how many sessions with an active run are passed over while looking for one to drop


class SessionCache:
    """Sessions, the longest unused first, with the bodies of their mail up to a total of bytes.

    Sessions with an active run stay, so there may be more than `sessions_max` of them; unless `keeps_runs` is False,
    since where others write too, a run that is active here may have ended.
    """

    def __init__(self, sessions_max: int, body_bytes_max: int) -> None:
        self.keeps_runs = True
        self._sessions_max = sessions_max
        self._body_bytes_max = body_bytes_max
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._hosts_stored: dict[str, int] = {}
        self._sends: dict[str, Sends] = {}
        self._routed: set[str] = set()
        self._handles: OrderedDict[HandleKey, str] = OrderedDict()
        self._bodies: OrderedDict[str, Message] = OrderedDict()
        self._lent: list[Message] = []
        self.body_bytes = 0

    def __len__(self) -> int:
        return len(self._sessions)

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._sessions

    def get(self, session_id: str) -> Session | None:
        """Return a session that is kept, and count it as used."""
        session = self._sessions.get(session_id)
        if session is not None:
            self._sessions.move_to_end(session_id)
        return session

    def sends(self, session_id: str) -> Sends | None:
        """Return what the active run of a session that is kept has sent; None when there is no active run."""
        return self._sends.get(session_id)

    def is_routed(self, session_id: str) -> bool:
        """Whether the stored wake of a session that is kept waits, and so has routes."""
        return session_id in self._routed

    def keep(self, session: Session, positions: dict[str, int] | None = None) -> None:
        """Keep a session as it is stored. `positions` are those of what its active run sent before it was loaded."""
        session_id, run = session.session_id, session.run
        self._sessions[session_id] = session
        self._sessions.move_to_end(session_id)
        self._hosts_stored[session_id] = len(session.host_token_ids)
        if session.wake is not None and session.wake.state is WakeState.REQUESTED:
            self._routed.add(session_id)
        else:
            self._routed.discard(session_id)
        if run is None:
            self._sends.pop(session_id, None)
        elif positions is not None or session_id not in self._sends or self._sends[session_id].run_id != run.run_id:
            self._sends[session_id] = Sends(run.run_id, positions)  # no positions: the run began while kept

    def drop(self, session_ids: Iterable[str]) -> None:
        """Drop sessions, their mail with them."""
        for session_id in session_ids:
            session = self._sessions.pop(session_id, None)
            self._hosts_stored.pop(session_id, None)
            self._sends.pop(session_id, None)
            self._routed.discard(session_id)
            if session is not None:  # what a failed batch did to its mail is in `touched`
                for message in chain(session.mail.values(), session.touched.messages.values()):
                    self._forget_body(message)

    def clear(self) -> None:
        """Drop everything."""
        self.forget_sessions()
        self._handles.clear()

    def forget_sessions(self) -> None:
        """Drop everything but the handles, which are never given again."""
        self._sessions.clear()
        self._hosts_stored.clear()
        self._sends.clear()
        self._routed.clear()
        self._bodies.clear()
        self.body_bytes = 0

    def active(self) -> list[Session]:
        """Return the kept sessions that have an active run."""
        return [session for session in self._sessions.values() if session.run is not None]

    def hosts_grew(self, session: Session) -> bool:
        """Whether the session has hosts that are not stored yet; hosts only ever become more."""
        return len(session.host_token_ids) != self._hosts_stored.get(session.session_id, 0)

    def handle(self, key: HandleKey) -> str | None:
        """Return the session that has a handle, if that is known: handles are never given again."""
        return self._handles.get(key)

    def keep_handle(self, key: HandleKey, session_id: str) -> None:
        """Remember who has a handle."""
        self._handles[key] = session_id
        if len(self._handles) > self._sessions_max:
            self._handles.popitem(last=False)

    def settle(self, changes: Changes, sent: Mapping[ReplayKey, int]) -> None:
        """Keep the sessions of a batch that is stored now, and the positions of what was sent."""
        for session_id, session in changes.sessions.items():
            touched = session.touched
            touched.session = touched.wake = False
            for message in touched.messages.values():
                self._follow_body(message)
            touched.messages.clear()
            touched.runs.clear()
            touched.claims.clear()
            touched.approvals.clear()
            self.keep(session)
            if session.handle is not None and session_id in changes.created:
                self.keep_handle(HandleKey(session.root_session_id, session.handle), session_id)
        for key, position in sent.items():
            sends = self._sends.get(key.session_id)
            if sends is not None and sends.run_id == key.scope:
                sends.add(key.key, position)

    def lend_bodies(self, messages: Iterable[Message]) -> None:
        """Look at these messages when the batch is over: their bodies may have been left with them."""
        self._lent.extend(messages)

    def trim(self) -> None:
        """Bring memory back under its bounds. Between two batches only: a batch may hold any session."""
        for message in self._lent:
            session = self._sessions.get(message.session_id)
            if session is not None and session.mail.get(message.message_id) is message:
                self._follow_body(message)
        self._lent.clear()
        while self.body_bytes > self._body_bytes_max:
            _message_id, message = self._bodies.popitem(last=False)
            self.body_bytes -= message.body_bytes
            message.body = None
        looks = len(self._sessions) - self._sessions_max + LOOKS_BEYOND
        while looks > 0 and len(self._sessions) > self._sessions_max:
            looks -= 1
            session_id, session = next(iter(self._sessions.items()))
            if session.run is None or not self.keeps_runs:
                self.drop((session_id,))
            else:
                self._sessions.move_to_end(session_id)

    def _follow_body(self, message: Message) -> None:
        """Count the body of a message that has one at hand, and no longer once the message has met its end."""
        if message.state not in PENDING:
            self._forget_body(message)
        elif message.body is not None and message.message_id not in self._bodies:
            self._bodies[message.message_id] = message
            self.body_bytes += message.body_bytes

    def _forget_body(self, message: Message) -> None:
        if self._bodies.pop(message.message_id, None) is not None:
            self.body_bytes -= message.body_bytes
