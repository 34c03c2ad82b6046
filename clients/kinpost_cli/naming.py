"""What a person calls a thing, and which thing that is: a whole id, a handle, or a beginning that fits only one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from kinpost.v1 import admin_service_pb2, approval_service_pb2, peer_service_pb2, session_service_pb2
from kinpost.v1.approval_pb2 import Approval, ApprovalState
from kinpost.v1.peer_pb2 import DeadLetter
from kinpost.v1.session_pb2 import Availability, Session, SessionState
from kinpost.v1.token_pb2 import Token
from kinpost_client.errors import (
    ApprovalNotFound,
    Forbidden,
    KinpostError,
    MessageNotFound,
    SessionNotFound,
    TokenNotFound,
)

from kinpost_cli.calls import Calls
from kinpost_cli.endings import WrongUse
from kinpost_cli.output import Output, progress

SHOWN_MAX = 10
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Thing = TypeVar("Thing")


def is_id(name: str) -> bool:
    """Whether a name is a whole id, which needs no looking up."""
    return _UUID.fullmatch(name.lower()) is not None


def session_id_of(calls: Calls, name: str) -> str:
    """Return the id of the session that a name means. Raises SessionNotFound, Forbidden, WrongUse."""
    return name.lower() if is_id(name) else find_session(calls, name).session_id


def find_session(calls: Calls, name: str) -> Session:
    """Return the session that a name means: an id, a handle, or the beginning of either if only one fits.

    Only who may list all sessions can look for one; the others give whole ids. Raises SessionNotFound, Forbidden,
    WrongUse when several fit.
    """
    if is_id(name):
        request = session_service_pb2.GetSessionRequest(session_id=name.lower())
        return calls.unary(calls.sessions.GetSession, request).session
    try:
        sessions = list_sessions(calls)
    except Forbidden as error:
        raise Forbidden(f"{error.text}; with it, give whole session ids", metadata=error.metadata) from None
    return _the_one(
        name,
        sessions,
        lambda session: (session.session_id, *((session.handle,) if session.HasField("handle") else ())),
        "session",
        SessionNotFound,
    )


def list_sessions(
    calls: Calls, *, root_session_id: str = "", states: Iterable[int] = (), availabilities: Iterable[int] = ()
) -> list[Session]:
    """Return sessions in the order of their making: all, or those of a tree, of some states, of some availabilities."""
    request = session_service_pb2.ListSessionsRequest(
        root_session_id=root_session_id,
        states=map(SessionState.ValueType, states),
        availabilities=map(Availability.ValueType, availabilities),
    )
    return calls.all(calls.sessions.ListSessions, request, "sessions", "reading sessions")


def find_approval(calls: Calls, name: str) -> Approval:
    """Return the approval that an id or its beginning means. Raises ApprovalNotFound, Forbidden, WrongUse."""
    roots = [session.session_id for session in list_sessions(calls) if session.root_session_id == session.session_id]
    approvals = list_approvals(calls, roots, ())
    return _the_one(name, approvals, lambda each: (each.approval_id,), "approval", ApprovalNotFound)


def list_approvals(calls: Calls, root_session_ids: Iterable[str], states: Iterable[int]) -> list[Approval]:
    """Return the approvals of trees, newest first."""
    found: list[Approval] = []
    with progress("reading approvals, trees") as seen:
        for root_session_id in root_session_ids:
            request = approval_service_pb2.ListApprovalsRequest(
                root_session_id=root_session_id, states=map(ApprovalState.ValueType, states)
            )
            for page in calls.pages(calls.approvals.ListApprovals, request):
                found += page.approvals
            seen.add(1)
    found.sort(key=lambda approval: approval.create_time.ToNanoseconds(), reverse=True)
    return found


def find_token(calls: Calls, name: str) -> Token:
    """Return the token that an id or its beginning means. Raises TokenNotFound, Forbidden, WrongUse."""
    tokens = list_tokens(calls)
    return _the_one(name, tokens, lambda token: (token.token_id,), "token", TokenNotFound)


def list_tokens(calls: Calls) -> list[Token]:
    """Return all tokens, in the order of their making. Raises Forbidden."""
    return calls.all(calls.admin.ListTokens, admin_service_pb2.ListTokensRequest(), "tokens", "reading tokens")


def find_dead_letter(calls: Calls, name: str) -> DeadLetter:
    """Return the dead letter that an id or its beginning means. Raises MessageNotFound, Forbidden, WrongUse."""
    letters = list_dead_letters(calls)
    return _the_one(name, letters, lambda letter: (letter.dead_letter_id,), "dead letter", MessageNotFound)


def list_dead_letters(calls: Calls) -> list[DeadLetter]:
    """Return all dead letters, newest first. Raises Forbidden."""
    request = peer_service_pb2.ListDeadLettersRequest()
    return calls.all(calls.peers.ListDeadLetters, request, "dead_letters", "reading dead letters")


def name_of(session: Session) -> str:
    """Return what people call a session: its handle, else its id."""
    return session.handle if session.HasField("handle") else session.session_id


def names_of(sessions: Iterable[Session], output: Output) -> dict[str, str]:
    """Return what each session is called in a table: by its handle, or by its id."""
    nameless = output.ids(session.session_id for session in sessions if not session.HasField("handle"))
    return {session.session_id: nameless.get(session.session_id) or session.handle for session in sessions}


def _the_one(
    name: str,
    things: Iterable[Thing],
    called: Callable[[Thing], tuple[str, ...]],
    kind: str,
    not_found: type[KinpostError],
) -> Thing:
    """Return the only thing that has this name or, if none has, one that begins so."""
    sought = name.strip().lower()
    named = [(thing, called(thing)) for thing in things]
    exact = [(thing, names) for thing, names in named if sought in names]
    fitting = exact or [(thing, names) for thing, names in named if sought and any(n.startswith(sought) for n in names)]
    if not fitting:
        raise not_found(f"{not_found.CODE}: no {kind} is called {name!r} or begins so")
    if len(fitting) > 1:
        shown = "".join(f"\n  {' '.join(reversed(names))}" for _, names in fitting[:SHOWN_MAX])
        more = f"\n  and {len(fitting) - SHOWN_MAX} more" if len(fitting) > SHOWN_MAX else ""
        raise WrongUse(f"{name!r} fits {len(fitting)} {kind}s:{shown}{more}", "give more of it, or a whole id")
    return fitting[0][0]
