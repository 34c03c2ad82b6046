"""People who are asked: what waits for them, and what they answer."""

from __future__ import annotations

from typing import Any

from calls import Client
from kinpost.v1 import approval_pb2
from mail import PENDING, Answer, by_rpc

DECISIONS = {"once": "ALLOW_ONCE", "tree": "ALLOW_FOR_TREE", "deny": "DENY"}


async def asks(client: Client, run: Any, to: Any, body: str = "hello", call: str = "", **fields: Any) -> str:
    """Send what a person is asked about; returns the approval's id."""
    answer: Answer = await by_rpc(client, run, to, body, call=call, **fields)
    assert answer.code == PENDING, answer
    return answer.approval_id


async def decide(client: Client, asker: Any, approval_id: str, decision: str, reason: str = "", **fields: Any) -> Any:
    """Answer `once`, `tree` or `deny`; returns the approval."""
    number = approval_pb2.ApprovalDecision.Value(f"APPROVAL_DECISION_{DECISIONS[decision]}")
    answer = await client.approvals.DecideApproval(
        session_id=asker.session_id, approval_id=approval_id, decision=number, reason=reason, **fields
    )
    return answer.approval


async def look(client: Client, asker: Any, approval_id: str) -> Any:
    """Return an approval as it is now."""
    return (await client.approvals.GetApproval(session_id=asker.session_id, approval_id=approval_id)).approval


async def state(client: Client, asker: Any, approval_id: str) -> str:
    """Return where an approval stands, as `pending`."""
    return word((await look(client, asker, approval_id)).state)


async def listed(client: Client, session: Any, *states: str) -> list[str]:
    """Return the ids of the approvals of a session's tree, newest first."""
    numbers = [approval_pb2.ApprovalState.Value(f"APPROVAL_STATE_{name.upper()}") for name in states]
    page = await client.approvals.ListApprovals(root_session_id=session.root_session_id, states=numbers)
    assert page.next_page_token == ""
    return [approval.approval_id for approval in page.approvals]


async def story(client: Client, session: Any) -> list[str]:
    """Return what a session's log tells of approvals, in order, as `requested`."""
    log = await client.log(session_id=session.session_id)
    names = [event.WhichOneof("payload") for event in log]
    return [name.removeprefix("approval_") for name in names if name.startswith("approval_")]


def word(number: int) -> str:
    """Return a state of the wire as a word."""
    return approval_pb2.ApprovalState.Name(number).removeprefix("APPROVAL_STATE_").lower()
