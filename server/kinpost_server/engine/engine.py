"""The engine: what transports call. It gathers commands for the committer and serves reads beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from uuid_utils import uuid7

from kinpost_server.domain.errors import Refusal, ShuttingDown, StorageUnavailable
from kinpost_server.domain.event import Event
from kinpost_server.domain.identity import Caller
from kinpost_server.engine import events
from kinpost_server.engine.accident import facts_of
from kinpost_server.engine.approval_waits import ApprovalWaits
from kinpost_server.engine.attach import Attach, Detach
from kinpost_server.engine.attached import AttachedRuntime
from kinpost_server.engine.batch import Committer, Outcome
from kinpost_server.engine.clock import Clock
from kinpost_server.engine.executor import Executor
from kinpost_server.engine.figures import Counting, Figures
from kinpost_server.engine.follow import Follower
from kinpost_server.engine.gates import Gates
from kinpost_server.engine.gates_elsewhere import GatesElsewhere
from kinpost_server.engine.gathering import Pending
from kinpost_server.engine.peer_desk import PeerDesk
from kinpost_server.engine.ports import Reader, Store, StoredEvent, StoreFailed
from kinpost_server.engine.reader_threads import ReaderThreads
from kinpost_server.engine.replica_ports import Replicas
from kinpost_server.engine.retention import Retention
from kinpost_server.engine.runtimes import OTHERS_FIRST_SECONDS_MIN
from kinpost_server.engine.settings import SECOND, EngineSettings
from kinpost_server.engine.tokens import TokenBook
from kinpost_server.engine.tracing import BatchTracer
from kinpost_server.engine.upkeep import Upkeep

Answer = TypeVar("Answer")

OWN_READER_THREADS = 3  # the log, the plugins' board, the ping: none of them waits for a caller's long read


class Engine(Executor):
    """Commands go through one queue to the committer; reads go to the database at once."""

    def __init__(
        self,
        store: Store,
        reader: Reader,
        own_reader: Reader,
        settings: EngineSettings,
        *,
        envelope_key: bytes,
        decode: Callable[[bytes], Event],
        heartbeat_seconds: float = 15.0,
        poll_seconds: float = 1.0,
        log: Callable[[str, dict[str, object]], None],
        tracer: BatchTracer | None = None,
    ) -> None:
        super().__init__(reader, TokenBook(store.load_tokens()), Clock(store.clock_offset), heartbeat_seconds)
        self.settings = settings
        self._store = store
        self._replicas = store.replicas
        self._decode = decode
        self._log = log
        self._shutting_down = False
        self._own_reader = own_reader
        self._own_read = ReaderThreads(OWN_READER_THREADS, "own-reader")
        self._attached: set[AttachedRuntime] = set()
        self._approval_waits = ApprovalWaits(settings.approvals)
        self.gates = Gates(settings.plugins, self.clock.now)
        self.peer = PeerDesk(self, reader.peer, self._read, log)
        self._tasks: list[asyncio.Task[None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._arrived: list[Pending] = []
        self._counting = Counting(lambda: self._read(reader.figures))
        self._committer = Committer(
            store=store,
            settings=settings,
            now=self.clock.now,
            new_id=lambda: str(uuid7()),
            envelope_key=envelope_key,
            token_of=store.find_token,
            announce=self._announce,
            log=log,
            is_gated=self.gates.watches,
            tracer=tracer,
        )
        self._tracer = tracer
        self._tally = self._committer.tally
        self._upkeep = Upkeep(self._committer, decode)
        self.retention = Retention(self._committer, self._upkeep, reader, self._read, decode)
        self._follower = self._follow(self._replicas, poll_seconds) if self._replicas is not None else None

    def _follow(self, replicas: Replicas, poll_seconds: float) -> Follower:
        others_first = max(OTHERS_FIRST_SECONDS_MIN, 2 * self.settings.delivery.sweep_seconds)
        self._committer.runtimes.others_first = int(others_first * SECOND)
        gates = GatesElsewhere(replicas.board, self._own_read, self.gates, self.clock.now, replicas.tell, poll_seconds)
        return Follower(
            replicas=replicas,
            reader=self._own_reader,
            read=self._own_read,
            committer=self._committer,
            upkeep=self._upkeep,
            tokens=self.tokens,
            poll_seconds=poll_seconds,
            publish=self._publish,
            gates=gates,
            attached=self._attached,
            end_streams=self._end_streams,
            log=self._log,
        )

    # Life

    async def start(self) -> None:
        """Let leases begin anew, mend what a crash left, and begin to serve.

        Raises StoreFailed when the store does not let us write: whoever starts a server should hear of it at once.
        """
        try:
            await self._start()
        except StorageUnavailable as away:
            raise StoreFailed(str(away.__cause__ or away)) from away

    async def _start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._hub = events.Hub(await self._read(self._reader.last_position))
        self._committer.start()
        if self._follower is not None:
            await self._follower.start(self._hub)
        if self._follower is None or await self._follower.is_alone():  # else the service could answer all the time
            self._committer.gathering.call(self._committer.renew_leases)
        self._committer.gathering.call(self._upkeep.reconcile_all)
        await self._committer_idle()
        if not self.healthy:
            raise StoreFailed(str(self._committer.failure))
        if self._follower is not None:
            await self._follower.started()
        delivery = self.settings.delivery
        self._tasks = [
            asyncio.create_task(self._every(delivery.sweep_seconds, self._upkeep.sweep_in_time)),
            asyncio.create_task(self._every(delivery.reconcile_seconds, self._upkeep.reconcile_all)),
            asyncio.create_task(self._every(delivery.reconcile_seconds, self._upkeep.expire_peer_records)),
        ]
        if self._follower is not None:
            self._tasks += [asyncio.create_task(self._follower.run()), asyncio.create_task(self._follower.watch())]
        if self.settings.retention.events_seconds:
            self._tasks.append(asyncio.create_task(self.retention.run(delivery.reconcile_seconds)))

    def begin_shutdown(self) -> None:
        """Refuse what comes from now on; end subscriptions and attachments."""
        self._shutting_down = True
        ending = ShuttingDown(retry_after_seconds=1.0)
        self._hub.close(ending)
        self._approval_waits.wake_all()
        self.gates.close(ending)
        self._end_streams(ending)

    def _end_streams(self, refusal: Refusal) -> None:
        self._hub.end(refusal)
        self.gates.end(refusal)
        for attached in list(self._attached):
            attached.end(refusal)

    async def stop(self) -> None:
        """Commit what was taken in, then let go of the store."""
        self._shutting_down = True
        for task in self._tasks:
            task.cancel()
        self._hand_over()
        await asyncio.to_thread(self._committer.stop)
        if self._follower is not None:
            await self._follower.stop()
            self._follower = None
        self._read.shutdown()
        self._own_read.shutdown()
        self._store.close()

    @property
    def is_shutting_down(self) -> bool:
        """Whether what comes is refused from now on."""
        return self._shutting_down

    @property
    def healthy(self) -> bool:
        """Whether the store answered when it was last asked to write."""
        return self._committer.healthy

    async def ping(self) -> bool:
        """Whether the store answers."""
        try:
            await self._own_read(self._own_reader.ping)
        except StorageUnavailable:
            return False
        return self._committer.healthy or await self._probe()

    async def look_for_tokens(self) -> bool:
        """Take in tokens that other replicas have made up to now; return whether there may be others.

        Raises StorageUnavailable.
        """
        if self._follower is None:
            return False
        await self._follower.look_for_tokens()
        return True

    async def figures(self) -> Figures:
        """Return how much there is of everything. The database is asked once a second at most, however many ask."""
        committer, tally = self._committer, self._tally
        stored = await self._counting.last()
        attachments = list(committer.runtimes.attachments.values())
        now = self.clock.now()
        oldest_wake_time = (stored.oldest_wake_time if stored is not None else None) or now
        return Figures(
            healthy=committer.healthy and stored is not None,
            queued_commands=committer.waiting,
            queued_commands_max=self.settings.batch.queue_max,
            batch_commands=tally.batch_commands.spread(),
            batch_seconds=tally.batch_seconds.spread(),
            commit_seconds=tally.commit_seconds.spread(),
            answers={(kind.__name__, code): count for (kind, code), count in tally.answers.items()},
            attached_runtimes=len(attachments),
            run_slots=sum(one.slots_max for one in attachments),
            free_run_slots=sum(max(one.slots_max - len(one.held), 0) for one in attachments),
            subscriber_lags=self._hub.lags(),
            last_position=self._hub.last_position,
            oldest_wake_seconds=max(now - oldest_wake_time, 0) / SECOND,
            stored=stored,
        )

    # Outcomes

    def _announce(self, outcome: Outcome) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._settle, outcome)

    def _settle(self, outcome: Outcome) -> None:
        for token in outcome.tokens.values():
            self.tokens.put(token)
        for pending, answer in outcome.answers:
            future: Any = pending.waiter
            self._tally.answered(pending.command, answer)
            if future is None:
                if isinstance(answer, Exception):
                    self._log("service_command_failed", facts_of(answer))
                elif answer:
                    self._log("reconciliation_mended", {"sessions": len(answer)})
                continue
            self._committer.waiting -= 1
            if future.done():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)
        if self._follower is None:
            self._publish(outcome.stored)
        else:
            self._follower.own(outcome.stored)
            if outcome.news and self._replicas is not None:
                self._replicas.tell(outcome.news)
        for attachment, notice in outcome.notices:
            attachment.deliver(notice)

    async def _newest_position(self) -> int:
        if self._follower is None:
            return await super()._newest_position()
        await self._follower.catch_up()
        return self._hub.last_position

    def _publish(self, stored: Sequence[StoredEvent]) -> None:
        self._hub.publish(stored)
        self._approval_waits.tell(stored)

    async def _every(self, seconds: float, work: Callable[[], None]) -> None:
        while True:
            await asyncio.sleep(seconds)
            self._committer.gathering.call(work)
            await self._committer_idle()

    async def _probe(self) -> bool:
        """Let the committer try the store again."""
        self._committer.gathering.call(self._upkeep.sweep)
        await self._committer_idle()
        return self._committer.healthy

    async def _committer_idle(self) -> None:
        """Wait until the committer has done what it was asked so far."""
        loop = asyncio.get_running_loop()
        done = asyncio.Event()
        self._hand_over()
        self._committer.gathering.call(lambda: loop.call_soon_threadsafe(done.set))
        await done.wait()

    # Runtimes

    async def attach(
        self,
        caller: Caller,
        *,
        runtime_id: str,
        agents: frozenset[str],
        any_session: bool,
        slots_max: int,
        held_runs: list[tuple[str, str]],
    ) -> AttachedRuntime:
        """Take a runtime in. Raises Forbidden when its id belongs to another token."""
        attached = AttachedRuntime(self, runtime_id, caller.token_id, agents, slots_max, any_session=any_session)
        attachment = attached.attachment
        self._attached.add(attached)
        try:
            attached.stopped_runs = await self.execute(Attach(caller, attachment, held_runs))
            attached.is_known = True
        except BaseException:
            self.detach(attached)
            raise
        return attached

    def detach(self, attached: AttachedRuntime) -> None:
        """Let a runtime go; safe to repeat."""
        if attached in self._attached:
            self._attached.discard(attached)
            attached.attachment.gone = True
            self._submit(Pending(Detach(attached.attachment)))
