"""An approver: it looks at what agents wait for, and allows it, denies it, or leaves it until it expires."""

from __future__ import annotations

import asyncio
import random

from kinpost.v1 import approval_pb2, approval_service_pb2

from torture_kit.callers import Caller, Refused
from torture_kit.journal import Identity
from torture_kit.world import Somebody, World

LOOK_SECONDS = 0.2
TOO_LATE = ("approval:expired", "approval:cancelled")
DECIDED = "idempotency:conflict"  # by an allow for the whole tree
# With their weights; None leaves it until it expires.
DECISIONS = {
    approval_pb2.APPROVAL_DECISION_ALLOW_ONCE: 12,
    approval_pb2.APPROVAL_DECISION_DENY: 5,
    approval_pb2.APPROVAL_DECISION_ALLOW_FOR_TREE: 0.1,
    None: 3,
}


class Approver(Somebody):
    """Somebody with an approver's token."""

    def __init__(self, caller: Caller, world: World, rng: random.Random) -> None:
        super().__init__(caller, world, rng)
        self._granted: set[str] = set()  # the trees with an allow for all of it

    async def live(self) -> None:
        """Decide, as long as it goes on."""
        while self._world.goes_on:
            await asyncio.sleep(self._rng.expovariate(1 / LOOK_SECONDS))
            request = approval_service_pb2.ListApprovalsRequest(
                root_session_id=self._rng.choice(sorted(self._world.peers)),
                states=[approval_pb2.APPROVAL_STATE_PENDING],
            )
            for approval in (await self._caller.ask("ListApprovals", request)).approvals:
                (decision,) = self._rng.choices(list(DECISIONS), list(DECISIONS.values()))
                if decision is not None:
                    await self._decide(approval, decision)

    async def _decide(self, approval: approval_pb2.Approval, decision: approval_pb2.ApprovalDecision.ValueType) -> None:
        identity = Identity(approval.session_id, approval.run_id, approval.tool_call_id)
        request = approval_service_pb2.DecideApprovalRequest(
            session_id=approval.session_id, approval_id=approval.approval_id, decision=decision
        )

        if decision == approval_pb2.APPROVAL_DECISION_ALLOW_FOR_TREE:
            self._granted.add(approval.root_session_id)

        async def once() -> None:
            decided = (await self._caller.ask("DecideApproval", request)).approval
            if decided.state == approval_pb2.APPROVAL_STATE_USED:
                self._journal.carried_out.add(identity)
            elif decided.state == approval_pb2.APPROVAL_STATE_DENIED:
                self._journal.denied.add(identity)

        try:
            await once()
        except Refused as refusal:
            self._journal.refusals[refusal.code] += 1
            is_decided = refusal.code == DECIDED and approval.root_session_id in self._granted
            if refusal.code not in TOO_LATE and not is_decided:
                self._journal.found("refusal", f"a decision was refused: {refusal.text}")
            return
        self._caller.perhaps_again(once)
