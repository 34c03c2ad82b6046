"""Runtimes as others write them: attached, told of wakes, running agents; now and then one declines, or dies."""

from __future__ import annotations

import asyncio
import random
import traceback

from google.protobuf.duration_pb2 import Duration
from kinpost.v1 import run_pb2, run_service_pb2

from torture_kit.callers import Caller, Refused
from torture_kit.sending import RUN_ENDED
from torture_kit.working import Work
from torture_kit.world import AGENT, World

SLOTS = 8
HEARTBEAT_SECONDS = 0.8
OWN_STARTS_SECONDS = 0.7
# Of a start that came too late, or at the wrong time.
TOO_LATE = ("wake:settled", "session:not_open", "run:already_active", "session:not_found", "claim:lost", *RUN_ENDED)


class Runtime:
    """One program that hosts agents."""

    def __init__(self, caller: Caller, world: World, runtime_id: str, rng: random.Random, *, any_session: bool) -> None:
        self.caller = caller
        self._world = world
        self._journal = world.journal
        self._id = runtime_id
        self._rng = rng
        self._any_session = any_session
        self._held = self._journal.held.setdefault(caller, {})  # run to session
        self._known: set[str] = set()
        self._works: set[asyncio.Task[None]] = set()
        self._starts = 0

    async def live(self) -> None:
        """Attach, stay attached, and do what is offered; until it is cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            group.create_task(self._beat())
            group.create_task(self._start_by_itself())

    async def _listen(self) -> None:
        while True:
            request = run_service_pb2.AttachRuntimeRequest(
                runtime_id=self._id,
                agents=[AGENT],
                session_scope=run_service_pb2.SESSION_SCOPE_ANY
                if self._any_session
                else run_service_pb2.SESSION_SCOPE_OWN,
                run_slots_max=SLOTS,
                held_runs=[
                    run_pb2.RunReference(session_id=session_id, run_id=run_id)
                    for run_id, session_id in self._held.items()
                ],
            )
            self._journal.tally["attachments"] += 1
            try:
                async for notice in self.caller.stream("AttachRuntime", request):
                    if notice.HasField("wake_offer"):
                        self._do(self._offered(notice.wake_offer))
                    elif notice.HasField("heartbeat") and self._world.loses_runs and self._rng.random() < 0.02:
                        self._die()
                        break
            except Refused as failure:
                self._journal.failures[failure.code] += 1
                if not failure.transient:
                    self._journal.found("refusal", f"an attachment ended with {failure.text}")
            await asyncio.sleep(0.05)

    def _do(self, work: object) -> None:
        assert asyncio.iscoroutine(work)
        task = asyncio.create_task(work)
        self._works.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._works.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            self._journal.found("client", "".join(traceback.format_exception(fault)))

    def _die(self) -> None:
        """Forget everything, as a process that was killed and started again."""
        self._journal.tally["runtimes that died"] += 1
        for task in self._works:
            task.cancel()
        self._held.clear()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            if not self._held:
                continue
            request = run_service_pb2.HeartbeatRequest(runtime_id=self._id)
            for run_id, session_id in self._held.items():
                request.runs.add(session_id=session_id, run_id=run_id)
            await self.caller.ask("Heartbeat", request)

    async def _offered(self, offer: run_service_pb2.WakeOffer) -> None:
        self._journal.tally["offers"] += 1
        self._known.add(offer.session_id)
        chance = self._rng.random() if self._world.goes_on else 1.0
        if chance < 0.02:
            return  # forgotten: the offer lapses
        if chance < 0.05:
            request = run_service_pb2.DeclineWakeRequest(
                session_id=offer.session_id,
                wake_id=offer.wake_id,
                reason="busy",
                retry_after=Duration(nanos=200_000_000),
            )
            try:
                await self.caller.ask("DeclineWake", request)
            except Refused as refusal:
                self._journal.refusals[refusal.code] += 1
            return
        start = run_service_pb2.StartRunRequest(session_id=offer.session_id, wake_id=offer.wake_id)
        await self._run(start, f"wake:{offer.wake_id}")

    async def _start_by_itself(self) -> None:
        while True:
            await asyncio.sleep(self._rng.expovariate(1 / OWN_STARTS_SECONDS))
            if self._known and self._world.goes_on and len(self._held) < SLOTS:
                self._starts += 1
                name = f"{self._id}-{self._starts}"
                session_id = self._rng.choice(sorted(self._known))
                start = run_service_pb2.StartRunRequest(session_id=session_id, client_run_id=name)
                self._do(self._run(start, f"client:{name}"))

    async def _run(self, start: run_service_pb2.StartRunRequest, identity: str) -> None:
        start.runtime_id = self._id
        if self._rng.random() < 0.9:
            start.attempt_id = "first"
        try:
            started = await self.caller.ask("StartRun", start)
        except Refused as refusal:
            self._journal.refusals[refusal.code] += 1
            if refusal.code not in TOO_LATE:
                self._journal.found("refusal", f"a start was refused: {refusal.text}")
            return
        run_id = started.run.run_id
        self._journal.run_answered(start.session_id, identity, run_id)
        if run_id in self._held:
            return  # offered once more after an attachment, and started once more: it is the same run
        self._held[run_id] = start.session_id

        async def again() -> None:
            try:
                answer = await self.caller.ask("StartRun", start)
            except Refused as refusal:
                if refusal.code not in ("claim:lost", *RUN_ENDED):
                    self._journal.found("two answers", f"the start {identity} was answered, then {refusal.code}")
            else:
                self._journal.run_answered(start.session_id, identity, answer.run.run_id)

        self.caller.perhaps_again(again)
        try:
            work = Work(self.caller, self._world, start.session_id, run_id, self._rng)
            await work.until_its_end(started.claim if started.HasField("claim") else None)
        finally:
            self._held.pop(run_id, None)
