"""Approvals: what `ask` rules put before a person; and how a call waits for the answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import TypeVar

from google.protobuf.duration_pb2 import Duration
from kinpost.v1 import approval_service_pb2

from kinpost_client import convert
from kinpost_client.calls import Calls
from kinpost_client.records import Approval
from kinpost_client.terms import ApprovalDecisionName, ApprovalStateName

# Of one request: then the same call is made again, so that a connection that has died is noticed.
WAIT_SECONDS_MAX = 30.0
PAUSE_SECONDS = 1.0  # between two requests at least

Answer = TypeVar("Answer")


class Approvals:
    """What an approver does; `client.approvals` is it. Observers may look; others get Forbidden."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list(
        self, root_session_id: str, *, states: Iterable[ApprovalStateName] = ("pending",)
    ) -> AsyncIterator[Approval]:
        """Return a tree's approvals, from any depth, newest first; those of no states in particular are all.

        Raises SessionNotFound, Forbidden.
        """
        request = approval_service_pb2.ListApprovalsRequest(
            root_session_id=root_session_id, states=[convert.approval_state(state) for state in states]
        )
        while True:
            page = await self._calls.unary(self._calls.approvals.ListApprovals, request)
            for approval in page.approvals:
                yield convert.approval(approval)
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def get(self, session_id: str, approval_id: str) -> Approval:
        """Return one approval of a session. Raises SessionNotFound, ApprovalNotFound."""
        request = approval_service_pb2.GetApprovalRequest(session_id=session_id, approval_id=approval_id)
        answer = await self._calls.unary(self._calls.approvals.GetApproval, request)
        return convert.approval(answer.approval)

    async def decide(
        self, session_id: str, approval_id: str, decision: ApprovalDecisionName, *, reason: str = ""
    ) -> Approval:
        """Answer an approval of a session and return it; what is allowed is carried out with it. Safe to repeat.

        `allow_for_tree` allows the same operation to every asker of the tree. `reason`, at most 1024 bytes, is for the
        asking agent and for people. Raises ApprovalNotFound, Forbidden, IdempotencyConflict (it was decided otherwise),
        ApprovalExpired, ApprovalCancelled.
        """
        request = approval_service_pb2.DecideApprovalRequest(
            session_id=session_id,
            approval_id=approval_id,
            decision=convert.approval_decision(decision),
            reason=reason,
        )
        answer = await self._calls.unary(self._calls.approvals.DecideApproval, request)
        return convert.approval(answer.approval)


async def answered(
    call: Callable[[float], Awaitable[Answer]],
    is_pending: Callable[[Answer], bool],
    wait_seconds: float | None,
) -> Answer:
    """Make a call, and again until a person has answered: for so many seconds, or None for as long as it takes.

    `call` gets how many seconds the service shall wait before it answers; the first call does not, since most need no
    person. Returns the last answer.
    """
    end_time = None if wait_seconds is None else time.monotonic() + wait_seconds
    answer = await call(0.0)
    while is_pending(answer):
        left = WAIT_SECONDS_MAX if end_time is None else min(end_time - time.monotonic(), WAIT_SECONDS_MAX)
        if left <= 0:
            break
        begun_time = time.monotonic()
        answer = await call(left)
        if is_pending(answer):  # too many wait there already: it was answered at once
            await asyncio.sleep(begun_time + min(left, PAUSE_SECONDS) - time.monotonic())
    return answer


def wait_of(seconds: float) -> Duration | None:
    """Return the field that asks the service to wait, None for not at all."""
    if seconds <= 0:
        return None
    wait = Duration()
    wait.FromNanoseconds(int(seconds * 1_000_000_000))
    return wait
