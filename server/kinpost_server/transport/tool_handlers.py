"""ToolService: what a session's model sees and calls."""

from __future__ import annotations

from kinpost.v1 import tool_pb2
from kinpost.v1 import tool_service_pb2 as pb

from kinpost_server.domain.identity import Caller
from kinpost_server.engine.call_tool import CallTool
from kinpost_server.engine.engine import Engine
from kinpost_server.transport import fields
from kinpost_server.transport.messaging_handlers import approval_wait_seconds
from kinpost_server.transport.rpc import Service

NAME_BYTES_MAX = 128


class ToolHandlers(Service):
    """The RPCs of ToolService."""

    DESCRIPTOR = pb.DESCRIPTOR.services_by_name["ToolService"]

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def ListTools(self, caller: Caller, request: pb.ListToolsRequest) -> pb.ListToolsResponse:
        """Return what a session's model may see."""
        tools = await self._engine.list_tools(caller, fields.uuid(request.session_id, "session_id"))
        return pb.ListToolsResponse(
            tools=[
                tool_pb2.Tool(
                    name=tool.name,
                    description=tool.description,
                    parameters_json_schema=tool.parameters_json_schema,
                )
                for tool in tools
            ]
        )

    async def CallTool(self, caller: Caller, request: pb.CallToolRequest) -> pb.CallToolResponse:
        """Carry out a model's tool call."""
        wait_seconds = approval_wait_seconds(request)
        command = CallTool(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.uuid(request.run_id, "run_id"),
            fields.key(request.tool_call_id, "tool_call_id", bytes_max=fields.CALL_ID_BYTES_MAX),
            fields.text(request.name, "name", bytes_min=1, bytes_max=NAME_BYTES_MAX),
            request.arguments_json,
        )
        result = await self._engine.execute_waiting(caller, command, wait_seconds)
        return pb.CallToolResponse(
            text=result.text,
            is_error=result.is_error,
            code=result.code,
            structured_json=result.structured_json,
        )
