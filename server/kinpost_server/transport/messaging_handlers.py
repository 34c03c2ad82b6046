"""MessagingService: mail between agents, and people's mail."""

from __future__ import annotations

from kinpost.v1 import messaging_service_pb2 as pb
from kinpost.v1 import tool_service_pb2 as tool_pb

from kinpost_server.domain.approval import PendingApproval
from kinpost_server.domain.errors import Refusal
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.message import Acceptance, MessageState, Mode
from kinpost_server.engine.batch_send_messages import BatchSendMessages
from kinpost_server.engine.engine import Engine
from kinpost_server.engine.retract_message import RetractMessage
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.send_user_message import SendUserMessage
from kinpost_server.transport import convert, fields
from kinpost_server.transport.cursor import number_of, page_token_of
from kinpost_server.transport.rpc import Service

TO_BYTES_MAX = 256
SENDS_MAX = 1000
EXPIRE_SECONDS_MAX = 30 * 24 * 3600
WAIT_SECONDS_MAX = 600


class MessagingHandlers(Service):
    """The RPCs of MessagingService."""

    DESCRIPTOR = pb.DESCRIPTOR.services_by_name["MessagingService"]

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def SendMessage(self, caller: Caller, request: pb.SendMessageRequest) -> pb.SendMessageResponse:
        """Store a message of the sending run."""
        session_id = fields.uuid(request.session_id, "session_id")
        command = _send(caller, session_id, fields.uuid(request.run_id, "run_id"), request, "")
        answer = await self._engine.execute_waiting(caller, command, approval_wait_seconds(request))
        if isinstance(answer, PendingApproval):
            return pb.SendMessageResponse(pending_approval=convert.pending_approval(answer))
        return pb.SendMessageResponse(accepted=convert.acceptance(answer))

    async def BatchSendMessages(
        self, caller: Caller, request: pb.BatchSendMessagesRequest
    ) -> pb.BatchSendMessagesResponse:
        """Store many messages of one run."""
        session_id = fields.uuid(request.session_id, "session_id")
        run_id = fields.uuid(request.run_id, "run_id")
        fields.few(len(request.sends), "sends", least=1, most=SENDS_MAX)
        sends = [
            _send(caller, session_id, run_id, send, f"sends[{index}].") for index, send in enumerate(request.sends)
        ]
        answers = await self._engine.execute_sends(BatchSendMessages(caller, session_id, sends))
        return pb.BatchSendMessagesResponse(results=[_result(answer) for answer in answers])

    async def SendUserMessage(self, caller: Caller, request: pb.SendUserMessageRequest) -> pb.SendUserMessageResponse:
        """Store a person's message."""
        command = SendUserMessage(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.key(request.client_message_id, "client_message_id", bytes_max=fields.CALL_ID_BYTES_MAX),
            request.body,
            _mode(request.mode, "mode"),
        )
        return pb.SendUserMessageResponse(accepted=convert.acceptance(await self._engine.execute(command)))

    async def RetractMessage(self, caller: Caller, request: pb.RetractMessageRequest) -> pb.RetractMessageResponse:
        """Take back a message."""
        command = RetractMessage(
            caller, fields.uuid(request.session_id, "session_id"), fields.uuid(request.message_id, "message_id")
        )
        return pb.RetractMessageResponse(sent_message=convert.sent_message(await self._engine.execute(command)))

    async def GetSentMessage(self, caller: Caller, request: pb.GetSentMessageRequest) -> pb.GetSentMessageResponse:
        """Tell where a message stands."""
        sent = await self._engine.get_sent_message(
            caller, fields.uuid(request.session_id, "session_id"), fields.uuid(request.message_id, "message_id")
        )
        return pb.GetSentMessageResponse(sent_message=convert.sent_message(sent))

    async def ListSentMessages(
        self, caller: Caller, request: pb.ListSentMessagesRequest
    ) -> pb.ListSentMessagesResponse:
        """Return a page of what a session sent."""
        sent_messages, before = await self._engine.list_sent_messages(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.chosen(request.states, "states", MessageState),
            number_of(request.page_token),
            fields.page_size(request.page_size),
        )
        return pb.ListSentMessagesResponse(
            sent_messages=[convert.sent_message(sent) for sent in sent_messages],
            next_page_token=page_token_of(str(before)) if before else "",
        )


def approval_wait_seconds(request: pb.SendMessageRequest | tool_pb.CallToolRequest) -> float:
    """Return how long a call is willing to wait for a person, 0 when it says nothing of it."""
    if not request.HasField("approval_wait"):
        return 0.0
    return fields.duration(request.approval_wait, "approval_wait", seconds_max=WAIT_SECONDS_MAX) / fields.SECOND


def _result(answer: Acceptance | PendingApproval | Refusal) -> pb.BatchSendResult:
    if isinstance(answer, Acceptance):
        return pb.BatchSendResult(accepted=convert.acceptance(answer))
    if isinstance(answer, PendingApproval):
        return pb.BatchSendResult(pending_approval=convert.pending_approval(answer))
    return pb.BatchSendResult(error=convert.send_error(answer))


def _send(
    caller: Caller, session_id: str, run_id: str, send: pb.SendMessageRequest | pb.BatchSend, prefix: str
) -> SendMessage:
    """Return the command of one send; bodies are judged by the engine, in the contract's order of checks."""
    expire_after = 0
    if send.HasField("expire_after"):
        expire_after = fields.duration(
            send.expire_after, f"{prefix}expire_after", seconds_min=1, seconds_max=EXPIRE_SECONDS_MAX
        )
    return SendMessage(
        caller,
        session_id,
        run_id,
        fields.key(send.tool_call_id, f"{prefix}tool_call_id", bytes_max=fields.CALL_ID_BYTES_MAX),
        fields.text(send.to, f"{prefix}to", bytes_min=1, bytes_max=TO_BYTES_MAX),
        send.body,
        _mode(send.mode, f"{prefix}mode"),
        expire_after,
        fields.optional_uuid(send.supersedes_message_id, f"{prefix}supersedes_message_id"),
    )


def _mode(value: int, field: str) -> Mode:
    return fields.choice(value, field, Mode) if value else Mode.STEER
