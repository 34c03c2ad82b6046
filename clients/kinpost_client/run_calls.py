"""The calls of one run. Each carries its identity, so that it counts once however often it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from kinpost.v1 import messaging_service_pb2, run_service_pb2, session_pb2

from kinpost_client import convert, tool_calls
from kinpost_client.approvals import answered, wait_of
from kinpost_client.calls import Calls, Request, Response
from kinpost_client.errors import ClaimLost, RunEnded
from kinpost_client.records import Tool, ToolResult
from kinpost_client.session_requests import SessionWishes
from kinpost_client.terms import Outcome

if TYPE_CHECKING:
    import grpc

REASON_BYTES_MAX = 1024


class RunCalls:
    """Calls for a session's run; `run_id` is known once it has started. `over` is told when one finds the run ended."""

    def __init__(self, calls: Calls, session_id: str, over: Callable[[RunEnded], None]) -> None:
        self.session_id = session_id
        self.run_id = ""
        self._calls = calls
        self._over = over

    async def start(self, runtime_id: str, wake_id: str, client_run_id: str) -> run_service_pb2.StartRunResponse:
        """Start the run by a wake, or else by the client's own id, and claim its first mail."""
        request = run_service_pb2.StartRunRequest(
            session_id=self.session_id, attempt_id=new_id(), runtime_id=runtime_id
        )
        if wake_id:
            request.wake_id = wake_id
        else:
            request.client_run_id = client_run_id
        try:
            started = await self._calls.unary(self._calls.runs.StartRun, request)
        except ClaimLost:  # the same start went further before a crash: take the run up where it stands
            request.attempt_id = ""
            started = await self._calls.unary(self._calls.runs.StartRun, request)
        self.run_id = started.run.run_id
        return started

    async def claim(self, commit_claim_seq: int | None) -> run_service_pb2.ClaimMessagesResponse:
        """Commit a claim, if named, and claim for the next model request."""
        request = run_service_pb2.ClaimMessagesRequest(
            session_id=self.session_id, run_id=self.run_id, attempt_id=new_id(), commit_claim_seq=commit_claim_seq
        )
        return await self._call(self._calls.runs.ClaimMessages, request)

    async def commit(self, claim_seq: int) -> None:
        """Settle a claim at once."""
        request = run_service_pb2.CommitTurnRequest(session_id=self.session_id, run_id=self.run_id, claim_seq=claim_seq)
        await self._call(self._calls.runs.CommitTurn, request)

    async def release(self, claim_seq: int, reason: str) -> None:
        """Give a claim back."""
        request = run_service_pb2.ReleaseClaimRequest(
            session_id=self.session_id, run_id=self.run_id, claim_seq=claim_seq, reason=cut(reason)
        )
        await self._call(self._calls.runs.ReleaseClaim, request)

    async def finish(
        self, outcome: Outcome, reason: str, commit_claim_seq: int | None, *, go_on: bool
    ) -> run_service_pb2.FinishRunResponse:
        """Commit a claim, if named, and end the run, or `go_on` with steer mail that has come meanwhile."""
        request = run_service_pb2.FinishRunRequest(
            session_id=self.session_id,
            run_id=self.run_id,
            outcome=convert.outcome(outcome),
            reason=cut(reason),
            commit_claim_seq=commit_claim_seq,
            continue_attempt_id=new_id() if go_on else "",
        )
        return await self._call(self._calls.runs.FinishRun, request)

    async def list_tools(self) -> list[Tool]:
        """Return the tools of the session's model."""
        with self._telling_of_its_end():
            return await tool_calls.list_tools(self._calls, self.session_id)

    async def call_tool(
        self, tool_call_id: str, name: str, arguments: str | Mapping[str, Any], approval_wait_seconds: float | None
    ) -> ToolResult:
        """Carry out a tool call under an id that is unique within the run."""
        with self._telling_of_its_end():
            return await tool_calls.call_tool(
                self._calls, self.session_id, self.run_id, tool_call_id, name, arguments, approval_wait_seconds
            )

    async def send(
        self, tool_call_id: str, to: str, body: str, mode: str, approval_wait_seconds: float | None
    ) -> messaging_service_pb2.SendMessageResponse:
        """Send a message under an id that is unique within the run, and wait for a person where one is asked."""

        async def call(wait_seconds: float) -> messaging_service_pb2.SendMessageResponse:
            request = messaging_service_pb2.SendMessageRequest(
                session_id=self.session_id,
                run_id=self.run_id,
                tool_call_id=tool_call_id,
                to=to,
                body=body,
                mode=convert.message_mode(mode),
                approval_wait=wait_of(wait_seconds),
            )
            return await self._calls.unary(self._calls.messaging.SendMessage, request, extra_seconds=wait_seconds)

        with self._telling_of_its_end():
            return await answered(call, lambda answer: answer.HasField("pending_approval"), approval_wait_seconds)

    async def create_session(self, wishes: SessionWishes) -> session_pb2.Session:
        """Make a session that the run delegates to."""
        return (await self._call(self._calls.sessions.CreateSession, wishes.request())).session

    async def _call(self, method: grpc.aio.UnaryUnaryMultiCallable[Request, Response], request: Request) -> Response:
        with self._telling_of_its_end():
            return await self._calls.unary(method, request)

    @contextmanager
    def _telling_of_its_end(self) -> Iterator[None]:
        try:
            yield
        except RunEnded as ended:
            self._over(ended)
            raise


def cut(text: str) -> str:
    """Return the text, cut to what a reason may be: 1024 bytes of UTF-8."""
    return text.encode("utf-8", "replace")[:REASON_BYTES_MAX].decode("utf-8", "ignore")


def new_id() -> str:
    """Return an id of our own for something that may be sent more than once."""
    return str(uuid4())
