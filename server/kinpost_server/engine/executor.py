"""How commands reach the committer, and what is done for a call around its decision: gates, waits, looking back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from kinpost_server.domain.approval import PendingApproval
from kinpost_server.domain.errors import Overloaded, Refusal, SessionLogMoved
from kinpost_server.domain.event import Event
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.message import Acceptance
from kinpost_server.engine.approval_waits import ApprovalWaits
from kinpost_server.engine.batch import Committer
from kinpost_server.engine.batch_send_messages import Answered, BatchSendMessages
from kinpost_server.engine.call_tool import ToolResult
from kinpost_server.engine.command import Command, GatedCommand, GateNeeded, HistoryCommand
from kinpost_server.engine.gates import Gates
from kinpost_server.engine.gathering import Pending
from kinpost_server.engine.queries import Queries
from kinpost_server.engine.settings import EngineSettings
from kinpost_server.engine.tally import Tally
from kinpost_server.engine.tracing import BatchTracer

Answer = TypeVar("Answer")


class Executor(Queries):
    """Takes commands in, on the event loop. The engine fills in whom it works with."""

    settings: EngineSettings
    gates: Gates
    _committer: Committer
    _tally: Tally
    _tracer: BatchTracer | None
    _approval_waits: ApprovalWaits
    _decode: Callable[[bytes], Event]
    _loop: asyncio.AbstractEventLoop | None
    _shutting_down: bool
    _arrived: list[Pending]

    async def execute(self, command: Command[Answer]) -> Answer:
        """Decide a command and return its answer, stored durably before.

        Raises the command's refusals; Overloaded at once when the queue is full; the command's refusal at shutdown;
        StorageUnavailable. A command whose caller is cancelled before its batch begins is dropped.
        """
        if self._shutting_down and command.at_shutdown is not None:
            refusal = command.at_shutdown(retry_after_seconds=1.0)
            self._tally.answered(command, refusal)
            raise refusal
        committer = self._committer
        if committer.waiting >= self.settings.batch.queue_max:
            overloaded = Overloaded(retry_after_seconds=0.5)
            self._tally.answered(command, overloaded)
            raise overloaded
        assert self._loop is not None
        future: asyncio.Future[Answer] = self._loop.create_future()
        committer.waiting += 1
        self._submit(Pending(command, future, self._tracer.here() if self._tracer is not None else None))
        try:
            return await future
        finally:
            del future  # else a refusal that it raises leads back to it, and both stay until the collector comes by

    async def execute_gated(self, command: GatedCommand[Answer]) -> Answer:
        """Decide a tool call; where plugins are to judge it, ask them, and decide it again.

        Raises what `execute` does; PluginBlocked, PluginFailed unless the command has an answer for them.
        """
        try:
            return await self.execute(command)
        except GateNeeded as needed:
            call = needed.call
        try:
            await self.gates.judge(call)
        except Refusal as refusal:
            return command.blocked(refusal)
        command.let_pass()
        return await self.execute(command)

    async def execute_sends(self, command: BatchSendMessages) -> list[Answered]:
        """Decide many sends; those that plugins are to judge are put before them, and decided again in their order."""
        answers = await self.execute(command)
        at_gate = {index: answer for index, answer in enumerate(answers) if isinstance(answer, GateNeeded)}
        refusals = await asyncio.gather(*(self._judged(needed) for needed in at_gate.values()))
        passed = []
        for index, refusal in zip(at_gate, refusals, strict=True):
            if refusal is None:
                command.sends[index].let_pass()
                passed.append(index)
            else:
                answers[index] = refusal
        if passed:
            again = await self.execute(replace(command, sends=[command.sends[index] for index in passed]))
            for index, answer in zip(passed, again, strict=True):
                answers[index] = answer
        return [answer for answer in answers if not isinstance(answer, GateNeeded)]

    async def _judged(self, needed: GateNeeded) -> Refusal | None:
        try:
            await self.gates.judge(needed.call)
        except Refusal as refusal:
            return refusal
        return None

    async def execute_waiting(self, caller: Caller, command: GatedCommand[Answer], seconds: float) -> Answer:
        """Decide a command and, where it waits for a person, wait up to so many seconds for the answer.

        The command is decided again whenever the answer may be there, and often enough that its run's lease goes on; so
        whatever `execute` raises may end the wait, and Unauthenticated when the token does not hold any more. Whoever
        is cancelled meanwhile leaves nothing behind. Where too many wait already, the answer is given at once.
        """
        answer = await self.execute_gated(command)
        approval = _waits_for(answer)
        if approval is None or seconds <= 0 or not self._approval_waits.have_room(caller.token_id):
            return answer
        loop = asyncio.get_running_loop()
        end_time = loop.time() + seconds
        pause = self.settings.delivery.run_lease_seconds / 3
        with self._approval_waits.hint(approval.root_session_id, caller.token_id) as hint:
            while True:
                hint.clear()
                self.check_token(caller)
                answer = await self.execute(command)
                left = end_time - loop.time()
                if _waits_for(answer) is None or left <= 0:
                    return _as_first(answer)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(min(left, pause)):
                        await hint.wait()

    async def execute_history(self, command: HistoryCommand[Answer]) -> Answer:
        """Look back for a command, then decide it and return its answer, or the first one to this very call.

        Raises what `execute` raises.
        """
        await self._read(command.look_back, self._reader, self._decode)
        try:
            return await self.execute(command)
        except SessionLogMoved:
            first = await self._read(command.first_answer, self._reader, self._decode)
            if first is None:
                raise
            return first

    def _submit(self, pending: Pending) -> None:
        """Let a command wait for the next batch, together with all that arrive in the same turn of the loop.

        Each handed over by itself would wake the committer for itself, and find a commit of its own.
        """
        assert self._loop is not None
        if not self._arrived:
            self._loop.call_soon(self._hand_over)
        self._arrived.append(pending)

    def _hand_over(self) -> None:
        if self._arrived:
            arrived, self._arrived = self._arrived, []
            self._committer.gathering.submit(arrived)


def _as_first(answer: Answer) -> Answer:
    """Return what was waited for as the first answer, which it is: only the service asked again."""
    return replace(answer, replayed=False) if isinstance(answer, Acceptance) else answer


def _waits_for(answer: object) -> PendingApproval | None:
    """Return the approval that an answer says its call waits for."""
    if isinstance(answer, ToolResult):
        return answer.approval
    return answer if isinstance(answer, PendingApproval) else None
