"""Whose a session is: the checks that every command begins with.

For reads and calls on a session, "not yours" and "not there" get the same answer.
"""

from __future__ import annotations

from kinpost_server.domain.errors import Forbidden, SessionNotFound
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.run import Run
from kinpost_server.domain.session import Session
from kinpost_server.engine.view import View


def hosts(caller: Caller, session: Session) -> bool:
    """Whether the caller acts for the session: as its runtime, as the session itself, or as an admin."""
    if caller.kind is TokenKind.ADMIN:
        return True
    if caller.kind is TokenKind.RUNTIME:
        return caller.token_id in session.host_token_ids
    return caller.kind is TokenKind.SESSION and session.session_id in caller.session_ids


def acts_for(caller: Caller, session: Session) -> bool:
    """Whether the caller may say what becomes of the session as a whole: whoever hosts it, or a person."""
    return hosts(caller, session) or caller.is_person


def runs(caller: Caller, run: Run) -> bool:
    """Whether a run, of a session that the caller acts for, is the caller's: not another runtime's."""
    return caller.kind is not TokenKind.RUNTIME or run.token_id == caller.token_id


def own_session(view: View, caller: Caller, session_id: str) -> Session:
    """Return a session that the caller acts for. Raises SessionNotFound, or Forbidden for scopes that act for none."""
    if caller.kind not in (TokenKind.ADMIN, TokenKind.RUNTIME, TokenKind.SESSION):
        raise Forbidden(f"a token of kind {caller.kind.name.lower()} does not act for sessions")
    session = view.session(session_id)
    if session is None or session.deleted or not hosts(caller, session):
        raise SessionNotFound
    return session


def any_session(view: View, session_id: str) -> Session:
    """Return a session for a caller that may name any. Raises SessionNotFound."""
    session = view.session(session_id)
    if session is None or session.deleted:
        raise SessionNotFound
    return session


def require(caller: Caller, *kinds: TokenKind) -> None:
    """Raise Forbidden unless the caller is of one of the kinds; an admin always is. Programs read `token_kind`."""
    if caller.kind is not TokenKind.ADMIN and caller.kind not in kinds:
        kind = caller.kind.name.lower()
        raise Forbidden(f"a token of kind {kind} may not do this", metadata={"token_kind": kind})


def own_runtime(view: View, caller: Caller, runtime_id: str) -> None:
    """Raise Forbidden when a runtime id is another token's."""
    owner = view.runtime_owner(runtime_id)
    if owner is not None and owner.token_id != caller.token_id:
        raise Forbidden("the runtime_id belongs to another token")


def may_read(caller: Caller, session: Session) -> bool:
    """Whether the caller may read a session and its log."""
    if caller.kind in (TokenKind.OBSERVER, TokenKind.APPROVER, TokenKind.PLUGIN):
        return True
    return hosts(caller, session)
