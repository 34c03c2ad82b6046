"""`kinpost sessions`: who there is, and what a person does with them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from google.protobuf.timestamp_pb2 import Timestamp
from kinpost.v1 import run_service_pb2, session_pb2, session_service_pb2
from kinpost.v1.session_pb2 import Session
from kinpost_client.errors import RunNotActive

from kinpost_cli.calls import Calls
from kinpost_cli.command import AsJson, Reason, SessionName, TreeName, connected, group
from kinpost_cli.endings import WrongUse
from kinpost_cli.exit_codes import EPILOG
from kinpost_cli.naming import find_session, list_sessions, name_of, names_of, session_id_of
from kinpost_cli.output import Column, Output
from kinpost_cli.text import later, local_time, words
from kinpost_cli.tree import AVAILABILITIES, STATES, state_of

COLUMNS = (
    Column("session"),
    Column("state"),
    Column("waiting", right=True),
    Column("made"),
    Column("description", cut=True),
)
ID_COLUMNS = (Column("session"), Column("state"), Column("waiting", right=True), Column("session id"))

sessions = group("Who there is: list, stop, pause, archive, close, open, fork, revert and delete them.")


class State(StrEnum):
    """Where a session stands."""

    IDLE = "idle"
    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"


class Availability(StrEnum):
    """Whether a session may be woken."""

    OPEN = "open"
    PAUSED = "paused"
    ARCHIVED = "archived"
    ENDED = "ended"
    USER_CLOSED = "user_closed"


@sessions.command("list", epilog=EPILOG)
@connected
def list_(
    calls: Calls,
    tree: TreeName = None,
    state: Annotated[list[State] | None, typer.Option(help="Only these; may be repeated")] = None,
    availability: Annotated[list[Availability] | None, typer.Option(help="Only these; may be repeated")] = None,
    ids: Annotated[bool, typer.Option("--ids", help="Whole ids, in place of time and description")] = False,
    as_json: AsJson = False,
) -> None:
    """List sessions in the order of their making.

    Needs a token of kind admin, observer, approver or plugin.
    """
    root = find_session(calls, tree).root_session_id if tree is not None else ""
    found = list_sessions(
        calls,
        root_session_id=root,
        states=[words(STATES)[each] for each in state or ()],
        availabilities=[words(AVAILABILITIES)[each] for each in availability or ()],
    )
    output = Output(as_json=as_json)
    if as_json:
        for session in found:
            output.object(session)
    elif not found:
        output.line("no sessions")
    elif ids:
        output.table(ID_COLUMNS, ((*_row(each, name_of(each)), each.session_id) for each in found))
    else:
        names = names_of(found, output)
        output.table(
            COLUMNS,
            ((*_row(each, names[each.session_id]), output.time(each.create_time), each.description) for each in found),
        )


@sessions.command("stop", epilog=EPILOG)
@connected
def stop(calls: Calls, session: SessionName, reason: Reason = "", as_json: AsJson = False) -> None:
    """Cancel its run and pause it: it stays stopped until a person opens it."""
    found = find_session(calls, session)
    if not found.HasField("active_run_id"):
        raise RunNotActive(f"{RunNotActive.CODE}: {name_of(found)} has no run to stop")
    request = run_service_pb2.CancelRunRequest(
        session_id=found.session_id, run_id=found.active_run_id, reason=reason, by_person=True
    )
    tell_session(calls.unary(calls.runs.CancelRun, request).session, as_json=as_json)


@sessions.command("pause", epilog=EPILOG)
@connected
def pause(
    calls: Calls,
    session: SessionName,
    wait: Annotated[
        str | None, typer.Option("--for", metavar="DURATION", help="How long, as 90s, 10m, 2h or 7d")
    ] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="TIME", help="Until when, ISO 8601")] = None,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Hold its mail: until it is opened, or for a time."""
    try:
        until_time = later(wait, until)
    except ValueError as fault:
        raise WrongUse(f"--for, --until: {fault}") from None
    _set(calls, session, session_pb2.AVAILABILITY_PAUSED, reason, until_time=until_time, as_json=as_json)


@sessions.command("archive", epilog=EPILOG)
@connected
def archive(
    calls: Calls,
    session: SessionName,
    no_wake: Annotated[bool, typer.Option("--no-wake", help="Hold its mail, too; else mail wakes it")] = False,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Put it away."""
    _set(calls, session, session_pb2.AVAILABILITY_ARCHIVED, reason, no_wake=no_wake, as_json=as_json)


@sessions.command("close", epilog=EPILOG)
@connected
def close(calls: Calls, session: SessionName, reason: Reason = "", as_json: AsJson = False) -> None:
    """Close it for a person: its mail is held, and only a person opens it again."""
    _set(calls, session, session_pb2.AVAILABILITY_USER_CLOSED, reason, as_json=as_json)


@sessions.command("open", epilog=EPILOG)
@connected
def open_(calls: Calls, session: SessionName, reason: Reason = "", as_json: AsJson = False) -> None:
    """Let its mail wake it again; what was held is delivered in order."""
    _set(calls, session, session_pb2.AVAILABILITY_OPEN, reason, as_json=as_json)


def _row(session: Session, name: str) -> tuple[str, str, str]:
    return name, state_of(session), str(session.pending_count)


def _set(
    calls: Calls,
    name: str,
    availability: session_pb2.Availability.ValueType,
    reason: str,
    *,
    until_time: Timestamp | None = None,
    no_wake: bool = False,
    as_json: bool,
) -> None:
    request = session_service_pb2.SetAvailabilityRequest(
        session_id=session_id_of(calls, name), availability=availability, reason=reason, no_wake=no_wake
    )
    if until_time is not None:
        request.until_time.CopyFrom(until_time)
    tell_session(calls.unary(calls.sessions.SetAvailability, request).session, as_json=as_json)


def tell_session(session: Session, *, as_json: bool) -> None:
    """Print a session as it is now."""
    output = Output(as_json=as_json)
    if as_json:
        output.object(session)
        return
    until = f", until {local_time(session.until_time)}" if session.HasField("until_time") else ""
    waiting = f", {session.pending_count} waiting" if session.pending_count else ""
    output.line(f"{name_of(session)}: {state_of(session)}{until}{waiting}")
