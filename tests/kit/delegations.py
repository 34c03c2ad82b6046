"""Delegations in the background, and what their ends tell the parent."""

from __future__ import annotations

from typing import Any

from calls import Client, fresh
from kinpost.v1 import message_pb2, run_pb2
from ledger import payloads

ANYONE = {"*": "allow"}
ACCEPTED = "producer_message_accepted"


async def delegate(runtime: Client, run: Any, **fields: Any) -> Any:
    """Make a child in the background, as a tool call of the run."""
    parent = run_pb2.Run(session_id=run.session_id)
    fields = {"parent_run_id": run.run_id, "parent_tool_call_id": fresh("call"), "rules": ANYONE, **fields}
    return await runtime.session(parent, **fields)


async def reports(client: Client, session: Any) -> list[Any]:
    """Return what was accepted for a session from delegations, in order."""
    found = payloads(await client.log(session_id=session.session_id), ACCEPTED)
    return [payload for payload in found if payload.owner == message_pb2.PRODUCER_OWNER_DELEGATION]
