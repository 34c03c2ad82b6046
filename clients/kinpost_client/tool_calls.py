"""The tools of a session's model: what it sees, and what its calls come to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kinpost.v1 import tool_service_pb2

from kinpost_client import convert
from kinpost_client.approvals import answered, wait_of
from kinpost_client.calls import Calls
from kinpost_client.records import Tool, ToolResult

PENDING_CODE = "approval:pending"


async def list_tools(calls: Calls, session_id: str) -> list[Tool]:
    """Return what the session's model may see; may be empty. Raises SessionNotFound."""
    request = tool_service_pb2.ListToolsRequest(session_id=session_id)
    answer = await calls.unary(calls.tools.ListTools, request)
    return [convert.tool(tool) for tool in answer.tools]


async def call_tool(
    calls: Calls,
    session_id: str,
    run_id: str,
    tool_call_id: str,
    name: str,
    arguments: str | Mapping[str, Any],
    approval_wait_seconds: float | None,
) -> ToolResult:
    """Carry out one tool call; repeating it with the same ids returns the first acceptance. Raises KinpostError.

    What the tool refuses is a result, not an exception; so is an approval that nobody answered in time.
    """

    async def call(wait_seconds: float) -> tool_service_pb2.CallToolResponse:
        request = tool_service_pb2.CallToolRequest(
            session_id=session_id,
            run_id=run_id,
            tool_call_id=tool_call_id,
            name=name,
            arguments_json=arguments if isinstance(arguments, str) else json.dumps(arguments),
            approval_wait=wait_of(wait_seconds),
        )
        return await calls.unary(calls.tools.CallTool, request, extra_seconds=wait_seconds)

    answer = await answered(call, lambda answer: answer.code == PENDING_CODE, approval_wait_seconds)
    structured = json.loads(answer.structured_json) if answer.structured_json else {}
    return ToolResult(answer.text, answer.is_error, answer.code, structured)
