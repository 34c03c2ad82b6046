"""`kinpost approvals`: what agents ask people, and the answers."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer
from kinpost.v1 import approval_pb2, approval_service_pb2
from kinpost.v1.approval_pb2 import Approval

from kinpost_cli.calls import Calls
from kinpost_cli.command import AsJson, Reason, TreeName, connected, group
from kinpost_cli.exit_codes import EPILOG
from kinpost_cli.naming import (
    find_approval,
    find_session,
    is_id,
    list_approvals,
    list_sessions,
    names_of,
    session_id_of,
)
from kinpost_cli.output import Column, Output
from kinpost_cli.text import word, words

STATES = approval_pb2.DESCRIPTOR.enum_types_by_name["ApprovalState"]
COLUMNS = (
    Column("asked"),
    Column("asker"),
    Column("tool"),
    Column("to"),
    Column("approval"),
    Column("says", cut=True),
)

approvals = group("What agents ask people: list the questions and answer them.")

ApprovalName = Annotated[
    str, typer.Argument(metavar="APPROVAL", help="Its id, or the beginning of it if only one approval fits")
]
Asker = Annotated[
    str | None,
    typer.Option("--session", help="The asking session; with it and a whole id nothing is searched"),
]


class State(StrEnum):
    """Where an approval stands, or all."""

    PENDING = "pending"
    ALLOWED = "allowed"
    USED = "used"
    DENIED = "denied"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    ALL = "all"


@approvals.command("list", epilog=EPILOG)
@connected
def list_(
    calls: Calls,
    tree: TreeName = None,
    state: Annotated[State, typer.Option(help="Only these")] = State.PENDING,
    as_json: AsJson = False,
) -> None:
    """List what waits for an answer, newest first.

    Needs a token of kind approver, admin, observer or plugin.
    """
    root = find_session(calls, tree).root_session_id if tree is not None else ""
    sessions = list_sessions(calls, root_session_id=root)
    roots = [session.session_id for session in sessions if session.root_session_id == session.session_id]
    states = [] if state is State.ALL else [words(STATES)[state]]
    found = list_approvals(calls, [root] if root else roots, states)
    output = Output(as_json=as_json)
    if as_json:
        for approval in found:
            output.object(approval)
    elif not found:
        output.line("nothing waits for an answer" if state is State.PENDING else "no approvals")
    else:
        names = names_of(sessions, output)
        ids = output.ids(approval.approval_id for approval in found)
        output.table(
            COLUMNS if state is not State.ALL else (*COLUMNS[:2], Column("state"), *COLUMNS[2:]),
            (
                (
                    output.time(approval.create_time),
                    names.get(approval.session_id, approval.session_id),
                    *((word(STATES, approval.state),) if state is State.ALL else ()),
                    approval.tool_name,
                    names.get(approval.recipient_session_id, approval.recipient_session_id),
                    ids[approval.approval_id],
                    _says(approval),
                )
                for approval in found
            ),
        )


@approvals.command("allow", epilog=EPILOG)
@connected
def allow(
    calls: Calls,
    approval: ApprovalName,
    for_tree: Annotated[
        bool, typer.Option("--for-tree", help="The same operation of every asker of the tree, now and later")
    ] = False,
    session: Asker = None,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Allow an operation, once or for the tree; it is carried out at once.

    Needs a token of kind approver or admin.
    """
    decision = approval_pb2.APPROVAL_DECISION_ALLOW_FOR_TREE if for_tree else approval_pb2.APPROVAL_DECISION_ALLOW_ONCE
    _decide(calls, approval, session, decision, reason, as_json=as_json)


@approvals.command("deny", epilog=EPILOG)
@connected
def deny(
    calls: Calls, approval: ApprovalName, session: Asker = None, reason: Reason = "", as_json: AsJson = False
) -> None:
    """Refuse an operation; the asking agent is told.

    Needs a token of kind approver or admin.
    """
    _decide(calls, approval, session, approval_pb2.APPROVAL_DECISION_DENY, reason, as_json=as_json)


def _decide(
    calls: Calls,
    name: str,
    session: str | None,
    decision: approval_pb2.ApprovalDecision.ValueType,
    reason: str,
    *,
    as_json: bool,
) -> None:
    if session is not None and is_id(name):
        session_id, approval_id = session_id_of(calls, session), name.lower()
    else:
        found = find_approval(calls, name)
        session_id, approval_id = found.session_id, found.approval_id
    request = approval_service_pb2.DecideApprovalRequest(
        session_id=session_id, approval_id=approval_id, decision=decision, reason=reason
    )
    decided = calls.unary(calls.approvals.DecideApproval, request).approval
    output = Output(as_json=as_json)
    if as_json:
        output.object(decided)
        return
    state = word(STATES, decided.state)
    meaning = {
        "used": "allowed and carried out",
        "allowed": "allowed; a guard refused it for now, the agent may repeat it",
        "denied": "denied",
    }
    output.line(f"{decided.approval_id}: {meaning.get(state, state)}")


def _says(approval: Approval) -> str:
    """Return what the operation would say, else its arguments as they are."""
    try:
        arguments = json.loads(approval.arguments_json)
    except ValueError:
        return approval.arguments_json
    body = arguments.get("body") if isinstance(arguments, dict) else None
    return body if isinstance(body, str) else approval.arguments_json
