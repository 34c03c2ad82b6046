"""CallTool: a model's tool call. What the tool refuses is a result for the model, not an error of the call."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime

from kinpost_server.domain.address import CANDIDATES_BYTES_MAX
from kinpost_server.domain.approval import PendingApproval
from kinpost_server.domain.errors import EngineShutdown, InvalidArguments, Refusal, UnknownTool
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.message import Acceptance, Mode, RecipientState
from kinpost_server.domain.session import Session
from kinpost_server.domain.tools import REMOVED_TOOLS, SEND_MESSAGE, ToolCall, parse_send_arguments
from kinpost_server.engine import turns
from kinpost_server.engine.access import own_session
from kinpost_server.engine.command import GatedCommand, GateNeeded
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.settings import SECOND
from kinpost_server.engine.view import View

TEXT_BYTES_MAX = CANDIDATES_BYTES_MAX  # the longest text there is: whom an agent may write to
MESSAGE_BYTES_MAX = 1024
PENDING_CODE = "approval:pending"
TOOL_CODES = ("plugin:", "send_message:", "permission:", "approval:", "tool:", "idempotency:", "message:")


@dataclass(slots=True, frozen=True)
class ToolResult:
    """What the model gets: `text`, and the same in a structured form; `approval` is what the call waits for, if any."""

    text: str
    is_error: bool
    code: str
    structured_json: str
    approval: PendingApproval | None = None


@dataclass(slots=True)
class CallTool(GatedCommand[ToolResult]):
    """Carry out one tool call; its arguments are the model's, raw."""

    caller: Caller
    session_id: str
    run_id: str
    tool_call_id: str
    name: str
    arguments_json: str
    _passed: bool = field(default=False, init=False)
    _send: SendMessage | None = field(default=None, init=False)
    _fault: InvalidArguments | None = field(default=None, init=False)

    at_shutdown = EngineShutdown

    def let_pass(self) -> None:
        self._passed = True

    def load(self, view: View) -> None:
        view.want_session(self.session_id)
        if self.name != SEND_MESSAGE:
            return
        if self._send is None and self._fault is None:
            try:
                to, body, mode = parse_send_arguments(self.arguments_json)
            except InvalidArguments as fault:
                self._fault = fault
                return
            self._send = SendMessage(self.caller, self.session_id, self.run_id, self.tool_call_id, to, body, mode)
        if self._send is not None:
            self._send.load(view)

    def decide(self, view: View) -> ToolResult:
        session = own_session(view, self.caller, self.session_id)
        turns.renew_named(view, self.caller, session, self.run_id)
        try:
            if self.name != SEND_MESSAGE:
                if not self._passed and view.is_gated(self.name):
                    raise GateNeeded(self._call(session))
                raise self._unknown_tool()
            if self._fault is not None:
                raise self._fault
            assert self._send is not None
            if self._passed:
                self._send.let_pass()
            answer = self._send.decide(view)
            return pending(answer) if isinstance(answer, PendingApproval) else accepted(self._send.to, answer)
        except Refusal as refusal:
            if not refusal.code.startswith(TOOL_CODES):
                raise
            return refused(refusal)

    def blocked(self, refusal: Refusal) -> ToolResult:
        return refused(refusal)

    def _call(self, session: Session) -> ToolCall:
        return ToolCall(
            session.session_id, session.root_session_id, self.run_id, self.tool_call_id, self.name, self.arguments_json
        )

    def _unknown_tool(self) -> UnknownTool:
        if self.name in REMOVED_TOOLS:
            return UnknownTool(f"{self.name} does not exist; use {SEND_MESSAGE}(to, body, mode) in its place")
        return UnknownTool(f"there is no tool of this name; there is {SEND_MESSAGE}")


OUTCOMES = {
    RecipientState.RUNNING: "it is running and reads the message at its next step",
    RecipientState.QUEUED: "it has not started yet and reads the message when it does",
    RecipientState.WAKING_FINISHED: "it had finished and is being woken by the message",
    RecipientState.HELD: "it may not run now; the message is held until a person opens it",
}
QUEUED_BEHIND_RUN = "it is running and reads the message when its next run begins"


def accepted(to: str, acceptance: Acceptance) -> ToolResult:
    """Return the result of a send that is stored."""
    structured = {
        "message_id": acceptance.message_id,
        "mode": acceptance.mode.name.lower(),
        "recipient_state": acceptance.recipient_state.name.lower(),
    }
    outcome = OUTCOMES[acceptance.recipient_state]
    if acceptance.mode is Mode.QUEUE and acceptance.recipient_state is RecipientState.RUNNING:
        outcome = QUEUED_BEHIND_RUN
    text = f"Accepted as {acceptance.message_id} ({structured['mode']}) for {to}: {outcome}."
    return ToolResult(text, False, "", json.dumps(structured))


def pending(approval: PendingApproval) -> ToolResult:
    """Return the result of a send that waits for a person. No error: the message goes out when it is allowed."""
    structured: dict[str, object] = {"code": PENDING_CODE, "approval_id": approval.approval_id}
    if approval.expire_time is not None:
        structured["expire_time"] = datetime.fromtimestamp(approval.expire_time / SECOND, UTC).isoformat()
    text = (
        f"{PENDING_CODE}: a person was asked whether this message may be sent (approval {approval.approval_id}). It is "
        "sent as soon as they allow it, while this run lasts; do not send it again."
    )
    return ToolResult(text, False, PENDING_CODE, json.dumps(structured), approval)


def refused(refusal: Refusal) -> ToolResult:
    """Return the result of a refused call."""
    structured: dict[str, object] = {"code": refusal.code, "message": _told(refusal, MESSAGE_BYTES_MAX)}
    if refusal.retry_after_seconds is not None:
        structured["retry_after_seconds"] = refusal.retry_after_seconds
    return ToolResult(_told(refusal, TEXT_BYTES_MAX), True, refusal.code, json.dumps(structured))


def _told(refusal: Refusal, bytes_max: int) -> str:
    return cut(refusal.text_that(lambda text: len(text.encode("utf-8", "replace")) <= bytes_max), bytes_max)


def cut(text: str, bytes_max: int) -> str:
    """Return the text, cut at a character so that it has at most so many bytes of UTF-8."""
    data = text.encode("utf-8", "replace")
    if len(data) <= bytes_max:
        return text
    return data[: bytes_max - 3].decode("utf-8", "ignore") + "…"
