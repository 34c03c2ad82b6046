"""Askers, people and ends of runs at full speed: the log tells whether each question came to one end."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import grpc
import pytest
from approving import decide, listed
from calls import read_refusal
from ledger import Ledger, came
from mail import by_rpc, by_tool

ANSWERS = ("once", "tree", "deny")
AGENTS = 6
RUNS = 3
WAIT = {"approval_wait": {"seconds": 30}}


async def asks_on(client: Any, session: Any, peers: list[Any], seed: int) -> list[str]:
    """Run a session again and again, each time asking many peers at once, some twice; end the run in the middle."""
    dice = random.Random(seed)
    codes: list[str] = []
    for _ in range(RUNS):
        run = await client.run(session)
        calls = [
            asyncio.create_task(
                dice.choice((by_rpc, by_tool))(client, run, peers[call % 7 % len(peers)], call=f"{call % 7}", **WAIT)
            )
            for call in range(11)
        ]
        await came(lambda calls=calls: sum(call.done() for call in calls) >= 6)  # type: ignore[misc]
        await client.finish(run, dice.choice(("COMPLETED", "CANCELLED", "FAILED")))
        codes += [(await call).code for call in calls]
    return codes


async def answers_on(client: Any, root: Any, asking: asyncio.Future[Any], seed: int) -> set[str]:
    """Answer whatever waits, one way or the other, as long as somebody asks."""
    dice = random.Random(seed)
    codes = set()
    while not asking.done():
        page = await client.approvals.ListApprovals(root_session_id=root.session_id, states=[1])
        for approval in page.approvals:
            try:
                await decide(client, approval, approval.approval_id, dice.choice(ANSWERS))
            except grpc.aio.AioRpcError as error:
                codes.add(read_refusal(error).code)
    return codes


@pytest.mark.parametrize("overrides", [{"messaging": {"max_inflight_per_pair": 3, "max_pending_per_session": 12}}])
async def test_each_question_comes_to_one_end(server, runtime):
    rules = {"*": "ask", "child": "ask", "parent": "ask", "sibling": "ask"}
    root = await runtime.session(rules=rules)
    sessions = [root, *[await runtime.session(root, rules=rules) for _ in range(AGENTS - 1)]]
    people = [await server.make_token("approver") for _ in range(2)]
    asking = asyncio.gather(
        *(
            asks_on(runtime, session, [peer for peer in sessions if peer is not session], seed)
            for seed, session in enumerate(sessions)
        )
    )
    told = await asyncio.gather(*(answers_on(person, root, asking, seed) for seed, person in enumerate(people)))
    codes = {code for codes in await asking for code in codes}
    known = {"approval:denied", "approval:cancelled", "approval:too_many", "approval:pending", "idempotency:conflict"}
    ended = {"run:not_active", "run:cancelled"}
    guards = {"send_message:inflight_full", "send_message:inbox_full"}
    assert codes <= {""} | known | ended | guards
    assert set().union(*told) <= {"idempotency:conflict", "approval:cancelled"}
    ledger = Ledger(await server.admin.log(root_session_id=root.session_id))
    assert await listed(server.admin, root, "pending", "allowed") == []
    assert set(ledger.approvals.values()) <= {"used", "denied", "cancelled"}
    used = await listed(server.admin, root, "used")
    assert sorted(used) == sorted(id_ for id_, state in ledger.approvals.items() if state == "used")
    await came(lambda: not any(engine._approval_waits for engine in server.engines))
