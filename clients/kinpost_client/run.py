"""A run: one stretch of work of a session, from its start to its outcome."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from kinpost.v1 import run_pb2

from kinpost_client import convert
from kinpost_client.calls import Calls
from kinpost_client.errors import ApprovalPending, ClaimLost, KinpostError, RunEnded, TurnLeftOpen
from kinpost_client.records import Accepted, Offer, Session, Tool, ToolResult
from kinpost_client.run_calls import RunCalls, new_id
from kinpost_client.session_requests import SessionWishes
from kinpost_client.stop import Stop
from kinpost_client.terms import DecisionName, Mode, ModeName, Outcome, StarterName, StopReason
from kinpost_client.tool_call_ids import tool_call_id_of
from kinpost_client.turn import Turn, Word

if TYPE_CHECKING:
    from kinpost_client.runtime import Runtime

# How long leaving a run that failed or was broken off may take; then its lease lapses by itself.
BREAK_OFF_SECONDS = 5.0

log = logging.getLogger("kinpost_client")


class Run:
    """One run, as an asynchronous context: entering starts it, leaving ends it.

    * Left normally, it is COMPLETED. `turns()` ends it itself, and goes on instead when steer mail has come.
    * Left by an exception, it is FAILED, with the exception as the reason, and the exception goes on.
    * Left because its task was cancelled, it is INTERRUPTED: its mail wakes the session again.
    * When the service stops it (somebody cancelled it, its lease lapsed, its session was deleted), its task is
      interrupted and `RunCancelled`, `RunLeaseLost` or `SessionNotFound` comes out of the `async with`.

    `run.outcome` tells how it ended, None before.
    """

    def __init__(
        self, runtime: Runtime, calls: Calls, session_id: str, offer: Offer | None, client_run_id: str
    ) -> None:
        self.session_id = session_id
        self.offer = offer
        self.run_id = ""
        self.root_session_id = ""
        self.number = 0
        self.turn: Turn | None = None
        self.outcome: Outcome | None = None
        self.stop_reason: StopReason | None = None
        self._runtime = runtime
        self._calls = RunCalls(calls, session_id, self._over)
        self._client_run_id = client_run_id
        self._first_claim: run_pb2.Claim | None = None
        self._stop = Stop()
        self._ending = False
        self._stop_meanwhile: KinpostError | None = None

    # Life

    async def __aenter__(self) -> Self:
        if self.run_id:
            raise RuntimeError("a run is entered once")
        self._runtime.taken(self)
        self._stop.watch_current_task()
        starting = asyncio.ensure_future(self._start())
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            await self._break_off_start(starting)
            raise
        except BaseException:
            self._runtime.left(self)
            raise
        self._runtime.started(self)
        return self

    async def _start(self) -> None:
        wake_id = self.offer.wake_id if self.offer is not None else ""
        started = await self._calls.start(self._runtime.runtime_id, wake_id, self._client_run_id)
        self.root_session_id = started.run.root_session_id
        self.number = started.run.number
        self.run_id = started.run.run_id
        if started.run.state != run_pb2.RUN_STATE_ACTIVE:  # a start repeated after the run's end
            self.outcome = convert.term(Outcome, started.run.state)
        elif started.HasField("claim"):
            self._first_claim = started.claim
        else:
            self._first_claim = await self._claim(None)

    async def _break_off_start(self, starting: asyncio.Future[None]) -> None:
        """End a run whose start was on its way when its task was cancelled."""
        try:
            await asyncio.wait([starting], timeout=BREAK_OFF_SECONDS)
            if starting.done() and starting.exception() is None:
                await self._break_off(Outcome.INTERRUPTED, "its runtime gave it up")
        finally:  # cancelled once more, it is left to its lease
            starting.cancel()
            self._runtime.left(self)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            stopped = await self._stop.settle(error)
            if self._stop.error is not None:
                self._over(self._stop.error)
            if stopped is not None:
                raise stopped from None
            if self.outcome is None:
                await self._leave(error)
        finally:
            self._runtime.left(self)

    async def _leave(self, error: BaseException | None) -> None:
        if error is None:
            await self._leave_normally()
        elif isinstance(error, Exception):
            await self._break_off(Outcome.FAILED, f"{type(error).__name__}: {error}")
        else:
            await self._break_off(Outcome.INTERRUPTED, "its runtime gave it up")

    async def _leave_normally(self) -> None:
        turn = self.turn
        if turn is None and self._first_claim is not None:  # nobody asked for its turns
            await self.release_turn(self._first_claim.claim_seq, "the run was left without a turn")
        if turn is not None and turn.word is Word.NONE:
            await self._break_off(Outcome.FAILED, "left inside a turn of which nothing was said")
            raise TurnLeftOpen(f"{turn!r}: call keep() or more() before leaving the loop, or await release()")
        await self._finish(Outcome.COMPLETED)

    async def _break_off(self, outcome: Outcome, reason: str) -> None:
        """End the run other than COMPLETED; when that fails its lease will end it."""
        try:
            async with asyncio.timeout(BREAK_OFF_SECONDS):
                try:
                    await self._finish(outcome, reason=reason)
                except ClaimLost:  # what the last turn said does not count any more
                    self.turn = None
                    await self._finish(outcome, reason=reason)
        except RunEnded:
            pass  # it had ended before
        except (KinpostError, TimeoutError) as failure:
            self.outcome = outcome
            log.warning("run %s could not be ended, its lease will: %s", self.run_id, failure)

    def _over(self, error: KinpostError) -> None:
        if self.outcome is None:
            self.outcome = Outcome.CANCELLED if error.code == "run:cancelled" else Outcome.INTERRUPTED

    # Turns

    async def turns(self) -> AsyncIterator[Turn]:
        """Return the run's model requests, one after the other; see `Turn` for what the body says of each.

        Mail is claimed at each step of the loop, so just before the model is asked. The loop ends when the body has
        said `more()` no longer and no steer mail has come meanwhile; the run is then COMPLETED. A woken run begins with
        mail, or has no turn at all; one that its delegator started may begin without.
        """
        if self.turn is not None or not self.run_id:
            raise RuntimeError("the turns of a run are asked for once, inside of its context")
        claim = self._first_claim if self.outcome is None else None
        number = 1
        if claim is not None and self.offer is not None and not claim.messages:
            self.turn = Turn(self, number, claim, None)
            self.turn.keep()
            claim = await self._next_claim(self.turn)
        while claim is not None:
            self.turn = turn = Turn(self, number, claim, self.stop_reason)
            yield turn
            if turn.word is Word.NONE:
                turn.keep()
            claim = await self._next_claim(turn)
            number += 1

    async def _next_claim(self, turn: Turn) -> run_pb2.Claim | None:
        """Commit the turn and claim for the next, in one call; None when the run has ended instead."""
        self._stop.check()
        if turn.wants_more or turn.word is Word.RELEASED:
            return await self._claim(turn.uncommitted_claim_seq)
        return await self._finish(Outcome.COMPLETED, go_on=True)

    async def _claim(self, commit_claim_seq: int | None) -> run_pb2.Claim:
        answer = await self._calls.claim(commit_claim_seq)
        if answer.stop_reason:
            self.stop_reason = convert.term(StopReason, answer.stop_reason)
        return answer.claim

    async def _finish(self, outcome: Outcome, *, reason: str = "", go_on: bool = False) -> run_pb2.Claim | None:
        committing = self.turn.uncommitted_claim_seq if self.turn is not None else None
        self._ending = True
        try:
            answer = await self._calls.finish(outcome, reason, committing, go_on=go_on)
        finally:
            self._ending = False
        if answer.HasField("claim"):
            if self._stop_meanwhile is not None:
                self._over(self._stop_meanwhile)
                raise self._stop_meanwhile
            return answer.claim
        self.outcome = convert.term(Outcome, answer.run.state)
        return None

    async def commit_turn(self, claim_seq: int) -> None:
        """Settle a claim at once; `Turn.commit` is the way to it."""
        await self._calls.commit(claim_seq)

    async def release_turn(self, claim_seq: int, reason: str) -> None:
        """Give a claim back; `Turn.release` is the way to it."""
        await self._calls.release(claim_seq, reason)

    # What a model does in its turn

    async def list_tools(self) -> list[Tool]:
        """Return the tools that the service offers this session's model; may be empty."""
        return await self._calls.list_tools()

    async def call_tool(
        self,
        name: str,
        arguments: str | Mapping[str, Any],
        *,
        tool_call_id: str,
        approval_wait_seconds: float | None = None,
    ) -> ToolResult:
        """Carry out a model's call of one of the service's tools; what the tool refuses is a result too.

        `arguments` is the model's JSON, raw, or the object that it stands for. `tool_call_id` is the model's own; it is
        made unique within the run by the turn. The same call again returns the first acceptance. Where a person is
        asked, the call waits for the answer: None for as long as it takes, 0 for not at all; then the result has the
        code `approval:pending`, and the message goes out when it is allowed while the run lasts.
        """
        own_id = tool_call_id_of(self._claim_seq, tool_call_id)
        return await self._calls.call_tool(own_id, name, arguments, approval_wait_seconds)

    async def send(
        self,
        to: str,
        body: str,
        *,
        mode: Mode | ModeName = Mode.STEER,
        tool_call_id: str = "",
        approval_wait_seconds: float | None = None,
    ) -> Accepted:
        """Write to another agent of the tree: `to` is a handle or a session id.

        As `call_tool("send_message", ...)`, for runtimes that send by themselves: a refusal is raised, typed. Without a
        `tool_call_id` each call is a message of its own. Raises InvalidBody, UnknownReference, UnknownSession,
        SelfSend, NotTreePeer, PermissionDenied, ApprovalDenied, ApprovalExpired, ApprovalCancelled, ApprovalPending
        (nobody answered within `approval_wait_seconds`), TooManyApprovals, InboxFull, InflightFull, MaxHopsExceeded,
        MessagingDisabled, IdempotencyConflict.
        """
        own_id = tool_call_id_of(self._claim_seq, tool_call_id or new_id())
        answer = await self._calls.send(own_id, to, body, mode, approval_wait_seconds)
        if answer.HasField("pending_approval"):
            pending = answer.pending_approval
            expire_time = convert.instant(pending.expire_time) if pending.HasField("expire_time") else None
            raise ApprovalPending(pending.approval_id, expire_time)
        return convert.accepted(answer.accepted)

    async def delegate(
        self,
        agent: str,
        *,
        first_message: str | None = None,
        description: str = "",
        message_rules: Mapping[str, DecisionName] | None = None,
        agent_document: str | None = None,
        starter: StarterName = "delegator",
        tool_call_id: str = "",
        session_id: str | None = None,
    ) -> Session:
        """Make a child session of this run's session.

        With the starter `delegator` this runtime runs the child: `async with runtime.start(child.session_id)`. With
        `wake` whichever runtime hosts the agent is offered it, as soon as it has mail. With `tool_call_id` the
        delegation is in the background: the end of the child's first run comes to this session as mail. Leave it out
        when you wait for the child within the call. Raises as `Client.create_session`.
        """
        wishes = SessionWishes(
            agent=agent,
            session_id=session_id,
            parent_session_id=self.session_id,
            parent_run_id=self.run_id,
            parent_tool_call_id=tool_call_id_of(self._claim_seq, tool_call_id) if tool_call_id else "",
            first_message=first_message,
            description=description,
            message_rules=message_rules,
            agent_document=agent_document,
            starter=starter,
        )
        return convert.session(await self._calls.create_session(wishes))

    # What the service says of it

    @property
    def is_active(self) -> bool:
        """Whether it has started and not ended, as far as this program knows."""
        return bool(self.run_id) and self.outcome is None and self._stop.error is None

    def stop(self, error: KinpostError) -> None:
        """Interrupt the run's task: the service has ended the run, and `error` says how.

        Not while the run is being ended from here: then it may well have ended, and that call's answer says how. When
        it says that the run goes on, the stop came after it.
        """
        if self._ending:
            self._stop_meanwhile = error
        elif self.is_active:
            self._stop.stop(error)

    def interrupt(self) -> None:
        """Cancel the run's task, as a runtime does that closes."""
        self._stop.interrupt()

    @property
    def _claim_seq(self) -> int:
        return self.turn.claim_seq if self.turn is not None else 0
