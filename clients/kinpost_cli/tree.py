"""`kinpost tree`: the sessions of a tree, or of all, as they delegated each other."""

from __future__ import annotations

from typing import Annotated

import typer
from kinpost.v1 import session_pb2
from kinpost.v1.session_pb2 import Session
from rich.text import Text
from rich.tree import Tree

from kinpost_cli.calls import Calls
from kinpost_cli.command import AsJson, connected
from kinpost_cli.naming import find_session, list_sessions, names_of
from kinpost_cli.output import STYLES, Output, styled
from kinpost_cli.text import plain, word

STATES = session_pb2.DESCRIPTOR.enum_types_by_name["SessionState"]
AVAILABILITIES = session_pb2.DESCRIPTOR.enum_types_by_name["Availability"]


@connected
def tree(
    calls: Calls,
    session: Annotated[
        str | None,
        typer.Argument(
            metavar="[SESSION]",
            help="Any session of the tree: its id, its handle, or the beginning of either if only one fits. "
            "Default: all trees",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show who delegated whom: handle, state, mail that waits.

    Needs a token of kind admin, observer, approver or plugin.
    """
    root = find_session(calls, session).root_session_id if session is not None else ""
    sessions = list_sessions(calls, root_session_id=root)
    output = Output(as_json=as_json)
    if as_json:
        for each in sessions:
            output.object(each)
        return
    if not sessions:
        output.line("no sessions yet")
    for drawn in _drawn(sessions, names_of(sessions, output)):
        output.show(drawn)


def state_of(session: Session) -> str:
    """Return where a session stands, for people: its state, and its availability unless it is open."""
    state = word(STATES, session.state)
    if session.availability == session_pb2.AVAILABILITY_OPEN:
        return state
    availability = word(AVAILABILITIES, session.availability)
    if session.no_wake:
        availability = f"{availability} no_wake"
    reason = f": {session.availability_reason}" if session.availability_reason else ""
    return f"{availability}{reason} ({state})"


def _drawn(sessions: list[Session], names: dict[str, str]) -> list[Tree]:
    """Return the trees. A session whose parent is gone stands at the top."""
    branches: dict[str, Tree] = {}
    tops: list[Tree] = []
    for session in sorted(sessions, key=lambda each: each.depth):
        parent = branches.get(session.parent_session_id) if session.HasField("parent_session_id") else None
        if parent is None:
            tops.append(branch := Tree(_label(session, names[session.session_id])))
        else:
            branch = parent.add(_label(session, names[session.session_id]))
        branches[session.session_id] = branch
    return tops


def _label(session: Session, name: str) -> Text:
    state = state_of(session)
    parts = [Text(name, style="bold"), styled(state, STYLES.get(state.partition(" ")[0].rstrip(":"), ""))]
    if session.pending_count:
        parts.append(Text(f"{session.pending_count} waiting", style="yellow"))
    if session.description:
        parts.append(Text(plain(session.description), style="dim"))
    return Text("  ", no_wrap=True, overflow="ellipsis").join(parts)
