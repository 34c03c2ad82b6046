"""`kinpost sessions fork`, `revert` and `delete`: what a person does with a session's past."""

from __future__ import annotations

from typing import Annotated
from uuid import uuid4

import typer
from kinpost.v1 import session_service_pb2

from kinpost_cli.calls import Calls
from kinpost_cli.command import AsJson, Reason, SessionName, Yes, confirm, connected, seq_from
from kinpost_cli.exit_codes import EPILOG
from kinpost_cli.naming import find_session, name_of
from kinpost_cli.output import Output
from kinpost_cli.sessions import sessions, tell_session


@sessions.command("fork", epilog=EPILOG)
@connected
def fork(
    calls: Calls,
    session: SessionName,
    at_seq: Annotated[
        int | None,
        typer.Option(
            "--at-seq",
            parser=seq_from(1),
            metavar="NUMBER",
            help="The event of its log to continue from. Default: the newest",
        ),
    ] = None,
    new_id: Annotated[
        str | None, typer.Option("--new-id", metavar="UUID", help="Your own id of the fork: repeated, it is made once")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Continue it beside itself, from a point of its log, with the mail that waited there."""
    found = find_session(calls, session)
    request = session_service_pb2.ForkSessionRequest(
        session_id=found.session_id,
        at_seq=at_seq or found.last_seq,
        new_session_id=str(uuid4()) if new_id is None else new_id,
    )
    tell_session(calls.unary(calls.sessions.ForkSession, request).session, as_json=as_json)


@sessions.command("revert", epilog=EPILOG)
@connected
def revert(
    calls: Calls,
    session: SessionName,
    to_seq: Annotated[
        int,
        typer.Option(
            "--to-seq", parser=seq_from(1), metavar="NUMBER", help="The last event of its log that shall still count"
        ),
    ],
    expected_last_seq: Annotated[
        int | None,
        typer.Option(
            parser=seq_from(1),
            metavar="NUMBER",
            help="The newest event that you know; makes the call safe to repeat. Default: the newest",
        ),
    ] = None,
    pause: Annotated[bool, typer.Option("--pause", help="Pause it too: what is restored wakes nobody")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Undo what happened after a point of its log; what was consumed since waits again."""
    found = find_session(calls, session)
    last_seq = expected_last_seq or found.last_seq
    confirm(f"Undo what happened to {name_of(found)} from event {to_seq + 1} to {last_seq}?", yes=yes)
    request = session_service_pb2.RevertSessionRequest(
        session_id=found.session_id, to_seq=to_seq, expected_last_seq=last_seq, pause=pause
    )
    tell_session(calls.unary(calls.sessions.RevertSession, request).session, as_json=as_json)


@sessions.command("delete", epilog=EPILOG)
@connected
def delete(calls: Calls, session: SessionName, reason: Reason = "", yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete it: its waiting mail is discarded and the senders are told; its handle is never given again."""
    found = find_session(calls, session)
    waiting = f" and discard {found.pending_count} waiting messages" if found.pending_count else ""
    confirm(f"Delete {name_of(found)}{waiting}?", yes=yes)
    request = session_service_pb2.DeleteSessionRequest(session_id=found.session_id, reason=reason)
    calls.unary(calls.sessions.DeleteSession, request)
    output = Output(as_json=as_json)
    if as_json:
        output.object({"sessionId": found.session_id, "deleted": True})
    else:
        output.line(f"{name_of(found)}: deleted")
