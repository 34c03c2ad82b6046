"""ApprovalService: what `ask` rules put before a person."""

from __future__ import annotations

from kinpost.v1 import approval_service_pb2 as pb

from kinpost_server.domain.approval import ApprovalDecision, ApprovalState
from kinpost_server.domain.identity import Caller
from kinpost_server.engine.decide_approval import DecideApproval
from kinpost_server.engine.engine import Engine
from kinpost_server.transport import convert, fields
from kinpost_server.transport.cursor import number_of, page_token_of
from kinpost_server.transport.rpc import Service


class ApprovalHandlers(Service):
    """The RPCs of ApprovalService."""

    DESCRIPTOR = pb.DESCRIPTOR.services_by_name["ApprovalService"]

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def ListApprovals(self, caller: Caller, request: pb.ListApprovalsRequest) -> pb.ListApprovalsResponse:
        """Return a page of a tree's approvals."""
        approvals, before = await self._engine.list_approvals(
            caller,
            fields.uuid(request.root_session_id, "root_session_id"),
            fields.chosen(request.states, "states", ApprovalState),
            number_of(request.page_token),
            fields.page_size(request.page_size),
        )
        return pb.ListApprovalsResponse(
            approvals=[convert.approval(approval) for approval in approvals],
            next_page_token=page_token_of(str(before)) if before else "",
        )

    async def GetApproval(self, caller: Caller, request: pb.GetApprovalRequest) -> pb.GetApprovalResponse:
        """Return an approval."""
        approval = await self._engine.get_approval(
            caller, fields.uuid(request.session_id, "session_id"), fields.uuid(request.approval_id, "approval_id")
        )
        return pb.GetApprovalResponse(approval=convert.approval(approval))

    async def DecideApproval(self, caller: Caller, request: pb.DecideApprovalRequest) -> pb.DecideApprovalResponse:
        """Answer."""
        command = DecideApproval(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.uuid(request.approval_id, "approval_id"),
            fields.choice(request.decision, "decision", ApprovalDecision),
            fields.text(request.reason, "reason", bytes_max=fields.REASON_BYTES_MAX),
        )
        return pb.DecideApprovalResponse(approval=convert.approval(await self._engine.execute(command)))
