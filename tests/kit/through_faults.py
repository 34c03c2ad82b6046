"""Two replicas on one PostgreSQL, under torture while something befalls them: what tests wait for, and what must hold.

Each is short. Agents, runtimes, people and subscribers go on through the fault, and in the end the log is held against
what they were promised: nothing accepted is lost, nothing is consumed twice, no session has two active runs, and every
stream goes on without hole or repeat.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, NamedTuple

from kinpost.v1 import messaging_service_pb2, run_service_pb2
from ledger import came
from torture_kit.callers import Caller
from torture_kit.journal import USER, ClaimName, Identity, Journal
from torture_kit.report import Report
from torture_kit.run import Plan, Torture
from torture_kit.sending import send_user_message
from torture_kit.troubles import Stage
from torture_kit.victim import Victim

PATIENCE_SECONDS = 120.0
LINES = 40  # of the end of a log
WORKED = 40  # sends before all trouble, and after it
STRUCK = "faults that ended a stream"
ONE_MESSAGE = (messaging_service_pb2.SendMessageRequest, messaging_service_pb2.SendUserMessageRequest)


class Ended(NamedTuple):
    """A stream that was ended, and not by whoever read it."""

    caller: object
    code: str


class Since:
    """What is answered, and what becomes of streams, after a moment; sends count when they begin after it, too."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._time = asyncio.get_running_loop().time()
        self.accepted = 0  # messages that were sent alone, and for the first time
        self.committed: set[str] = set()  # the runs that committed a turn
        self.ended: list[Ended] = []
        self.began: set[object] = set()  # the callers whose streams began, and were not ended since
        journal.watchers.append(self)

    def answered(self, request: Any, answer: Any, begin_time: float) -> None:
        if isinstance(request, ONE_MESSAGE) and begin_time >= self._time:
            self.accepted += answer.HasField("accepted") and not answer.accepted.replayed
        claim_seq = getattr(request, "commit_claim_seq", 0)
        if isinstance(request, run_service_pb2.CommitTurnRequest):
            claim_seq = request.claim_seq
        if claim_seq and ClaimName(request.session_id, claim_seq) not in self._journal.committed:
            self.committed.add(request.run_id)

    def those_ended(self) -> set[object]:
        """Return whose streams were ended."""
        return {caller for caller, _code in self.ended}

    def stream_began(self, caller: object) -> None:
        self.began.add(caller)

    def stream_ended(self, caller: object, code: str) -> None:
        self.began.discard(caller)
        self.ended.append(Ended(caller, code))


async def went_through(
    folder: Path,
    database_url: str,
    trouble: Callable[[Stage], Any],
    before: Callable[[Torture], None] | None = None,
    *,
    strikes: int = 0,
    database_fails: bool = True,
    clocks_differ: bool = False,
) -> Report:
    """Work through a trouble, and some seconds more; nothing is found, and much was done.

    So many of its faults were waited for, with `struck`, to end a stream of somebody's.
    """
    done = asyncio.Event()

    async def befall(stage: Stage) -> None:
        try:
            await working(stage, WORKED)
            await trouble(stage)
            await working(stage, WORKED)
        finally:
            done.set()

    plan = Plan(1, 1 << 62, 24 * 60.0, 3.0, database_url, 2, befall, database_fails, clocks_differ)
    torture = Torture(folder, plan)
    if before is not None:
        torture.prepare = before
    torture.goes_on = lambda: not done.is_set()
    report = await torture.run()
    logged = [line for victim in torture.victims for line in (victim.log.name, *tail(victim.log))]
    assert report.findings == {}, "\n".join([*report.texts, *logged])
    assert report.numbers["messages accepted, as answered"] >= 2 * WORKED
    assert report.numbers["messages consumed in the end"] > 0
    assert report.numbers["rows compared with the fold of the log"] > 500
    assert report.numbers.get(STRUCK, 0) == strikes
    if strikes:
        assert report.numbers["subscribers resumed"] > 0
    return report


def tail(log: Path) -> list[str]:
    """Return the last lines of a log."""
    return log.read_text(errors="replace").splitlines()[-LINES:]


async def more(count: Callable[[], int], before: int) -> None:
    """Return when there is more of something than before."""
    await came(lambda: count() > before, PATIENCE_SECONDS)


async def working(stage: Stage, count: int) -> None:
    """Return when so many messages have been accepted whose senders began to ask for it after this was called."""
    since = Since(stage.journal)
    await came(lambda: since.accepted >= count, PATIENCE_SECONDS)


@contextlib.asynccontextmanager
async def struck(stage: Stage) -> AsyncIterator[Since]:
    """Let a fault happen within, and wait in the end until a stream was ended by it, and not by whoever read it."""
    since = Since(stage.journal)
    yield since
    await came(lambda: since.ended, PATIENCE_SECONDS)
    stage.journal.tally[STRUCK] += 1


async def accepts(stage: Stage, torture: Torture, victim: Victim) -> None:
    """Return when this one replica, asked by its own address, has accepted a message."""
    rng = random.Random(victim.address)
    caller = Caller(f"ipv4:{victim.address}", stage.victims[0].admin_token, stage.journal, rng)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                session_id, key = rng.choice(sorted(torture._world.places)), f"by its address, {rng.random()}"
                await send_user_message(caller, torture._world, session_id, key, rng)
                if stage.journal.sends[Identity(session_id, USER, key)].message_ids:
                    return  # else its inbox is full
    finally:
        await caller.close()
