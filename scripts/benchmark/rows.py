"""The rows: each measures the service and, where it is a ratio to the echo, the echo in the same round."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Self

from kinpost.v1 import event_service_pb2, run_service_pb2

from benchmark.client import Agent, Office
from benchmark.load import Sample, closed_loop
from benchmark.servers import Process

CALLERS = 64
BATCH = 100
SUBSCRIBERS = 50
ANSWER_SECONDS_MAX = 30
STALLED_MIB_MAX = 16


@dataclass
class Row:
    """One figure: what was measured against what, each round's ratio, and the goal."""

    name: str
    goal: str
    unit: str
    measured: list[float] = field(default_factory=list)
    yardstick: list[float] = field(default_factory=list)
    at_most: bool = False
    limit: float = 0.0
    calls: dict[str, list[Sample]] = field(default_factory=lambda: {"measured": [], "yardstick": []})

    def compare(self, echo: Sample, ours: Sample, figure: Callable[[Sample], float]) -> None:
        """Add a round: a figure of both, and the calls that it is made of."""
        self.yardstick.append(figure(echo))
        self.measured.append(figure(ours))
        self.keep("yardstick", echo)
        self.keep("measured", ours)

    def keep(self, side: str, sample: Sample) -> None:
        """Keep the calls of a round."""
        self.calls[side].append(sample)

    @property
    def ratios(self) -> list[float]:
        """Measured to yardstick, round by round."""
        return [value / base for value, base in zip(self.measured, self.yardstick, strict=True)]

    @property
    def ratio(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.ratios)

    @property
    def holds(self) -> bool:
        """Whether the goal is met; what has none is only told."""
        if not self.limit:
            return True
        return self.ratio <= self.limit if self.at_most else self.ratio >= self.limit


@dataclass
class Bench:
    """The two servers, clients of both, and how long a round is."""

    kinpost: Process
    echo: Process
    seconds: float
    rounds: int

    async def __aenter__(self) -> Self:
        self.office = Office(self.kinpost.target, self.kinpost.token)
        self.yard = Office(self.echo.target, "none")
        self.agents = await self.office.tree(2 * CALLERS)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.office.close()
        await self.yard.close()

    async def echo_sample(self, callers: int = CALLERS) -> Sample:
        """One round of the yardstick."""
        agent = self.agents[0]
        return await closed_loop(callers, self.seconds, lambda _: self.yard.send(agent, agent.session_id))

    async def send_sample(self, callers: int = CALLERS) -> Sample:
        """One round of durable sends, each caller from its own session to its own recipient."""

        def call(number: int) -> Awaitable[object]:
            return self.office.send(self.agents[number], self.agents[CALLERS + number].session_id)

        return await closed_loop(callers, self.seconds, call)

    async def drain(self) -> None:
        """Let the recipients read what they were sent."""
        for agent in self.agents[CALLERS:]:
            while await self.office.turn(agent):
                pass

    async def many_callers(self) -> Row:
        """Durable sends, 64 callers."""
        row = Row(f"SendMessage, {CALLERS} callers", "≥ 0.75 x echo", "/s", limit=0.75)
        for _ in range(self.rounds):
            row.compare(await self.echo_sample(), await self.send_sample(), lambda sample: sample.rate)
            await self.drain()
        return row

    async def one_caller(self) -> Row:
        """Durable sends, one caller: median latency."""
        row = Row("SendMessage, one caller, median", "≤ 1.6 x echo", "ms", at_most=True, limit=1.6)
        for _ in range(self.rounds):
            row.compare(await self.echo_sample(1), await self.send_sample(1), lambda sample: sample.median * 1000)
        await self.drain()
        return row

    async def batches(self) -> Row:
        """Messages a second in batches of 100, against unary echo calls."""
        row = Row(f"BatchSendMessages, {BATCH} a call", "≥ 4 x echo", "/s", limit=4.0)

        async def call(number: int) -> None:
            await self.office.send_batch(self.agents[number], self.agents[CALLERS + number].session_id, BATCH)

        for _ in range(self.rounds):
            echo, ours = await self.echo_sample(), await closed_loop(4, self.seconds, call)
            row.keep("yardstick", echo)
            row.keep("measured", ours)
            row.yardstick.append(echo.rate)
            row.measured.append(ours.rate * BATCH)
            await self.drain()
        return row

    async def whole_life(self) -> Row:
        """Send, claim, commit: messages that went all the way, against echo calls."""
        row = Row("send → claim → commit", "≥ 0.4 x echo", "/s", limit=0.4)
        consumed = 0

        async def call(number: int) -> None:
            nonlocal consumed
            recipient = self.agents[CALLERS + number]
            await self.office.send(self.agents[number], recipient.session_id)
            claimed = await self.office.turn(recipient)
            consumed += claimed

        for _ in range(self.rounds):
            echo = await self.echo_sample()
            before = consumed
            sample = await closed_loop(CALLERS, self.seconds, call)
            row.keep("yardstick", echo)
            row.keep("measured", sample)
            row.yardstick.append(echo.rate)
            row.measured.append((consumed - before) / sample.seconds)
        await self.drain()
        return row

    async def subscribers(self) -> Row:
        """Events a second that 50 subscribers get, all together, while senders send."""
        row = Row(f"{SUBSCRIBERS} subscribers, events delivered", "≥ 20 x echo", "/s", limit=20.0)
        for _ in range(self.rounds):
            echo = await self.echo_sample()
            row.keep("yardstick", echo)
            row.yardstick.append(echo.rate)
            delivered = 0
            request = event_service_pb2.SubscribeEventsRequest(all=True, from_now=True)

            async def follow(ready: asyncio.Event, request: event_service_pb2.SubscribeEventsRequest) -> None:
                nonlocal delivered
                async for frame in self.office.events.SubscribeEvents(request, metadata=self.office.metadata):
                    ready.set()
                    delivered += len(frame.events)

            signals = [asyncio.Event() for _ in range(SUBSCRIBERS)]
            tasks = [asyncio.create_task(follow(signal, request)) for signal in signals]
            await asyncio.gather(*(signal.wait() for signal in signals))
            before = delivered
            begin = time.perf_counter()
            await self.batch_load()
            row.measured.append((delivered - before) / (time.perf_counter() - begin))
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.drain()
        return row

    async def stalled(self) -> Row:
        """What the server's memory grows by while one subscriber reads nothing, above what it grows by without it."""
        row = Row("a stalled subscriber, memory", f"< {STALLED_MIB_MAX} MiB", "MiB", at_most=True, limit=1.0)
        request = event_service_pb2.SubscribeEventsRequest(all=True, from_now=True)
        for _ in range(self.rounds):
            without = await self._growth_mib()
            call = self.office.events.SubscribeEvents(request, metadata=self.office.metadata)
            await call.read()
            row.measured.append(max(0.0, await self._growth_mib() - without))
            row.yardstick.append(float(STALLED_MIB_MAX))
            call.cancel()
        return row

    async def _growth_mib(self) -> float:
        before = self.kinpost.memory_bytes()
        await self.batch_load()
        await self.drain()
        return (self.kinpost.memory_bytes() - before) / (1 << 20)

    async def batch_load(self) -> None:
        """Send in batches from two senders for a round."""

        async def call(number: int) -> None:
            await self.office.send_batch(self.agents[number], self.agents[CALLERS + number].session_id, BATCH)

        await closed_loop(2, self.seconds, call)

    async def wakes(self) -> Row:
        """From the call of a send to an idle session until its runtime has the offer: p99 against a median send."""
        row = Row("send → wake offered, p99", "≤ 3 x median send", "ms", at_most=True, limit=3.0)
        root = (await self.office.start(await self.office.create())).session_id
        sender = await self.office.start(await self.office.create(root))
        sleeper = await self.office.create(root)
        call = self.office.runs.AttachRuntime(
            run_service_pb2.AttachRuntimeRequest(runtime_id=self.office.next(), run_slots_max=10_000),
            metadata=self.office.metadata,
        )
        offers: asyncio.Queue[tuple[float, str]] = asyncio.Queue()

        attached = asyncio.Event()

        async def listen() -> None:
            async for notice in call:
                attached.set()
                if notice.HasField("wake_offer"):
                    offers.put_nowait((time.perf_counter(), notice.wake_offer.wake_id))

        task = asyncio.create_task(listen())
        await asyncio.wait_for(attached.wait(), ANSWER_SECONDS_MAX)
        for _ in range(self.rounds):
            sends, wakes = await self.send_sample(1), await self._wake_round(sender, sleeper, offers)
            row.keep("yardstick", sends)
            row.keep("measured", wakes)
            row.yardstick.append(sends.median * 1000)
            row.measured.append(wakes.percentile(0.99) * 1000)
        task.cancel()
        call.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await self.drain()
        return row

    async def spread_sample(self, offices: list[Office], trees: list[list[Agent]]) -> Sample:
        """One round of durable sends within many trees; the callers of each tree are at one of the servers."""

        def call(number: int) -> Awaitable[object]:
            tree = trees[number % len(trees)]
            half = len(tree) // 2
            place = number // len(trees) % half
            return offices[number % len(offices)].send(tree[place], tree[half + place].session_id)

        return await closed_loop(CALLERS, self.seconds, call)

    async def _wake_round(self, sender: Agent, sleeper: str, offers: asyncio.Queue[tuple[float, str]]) -> Sample:
        latencies = []
        end = time.perf_counter() + self.seconds
        while (begin := time.perf_counter()) < end:
            await self.office.send(sender, sleeper)
            offered, wake_id = await asyncio.wait_for(offers.get(), ANSWER_SECONDS_MAX)
            latencies.append(offered - begin)
            request = run_service_pb2.StartRunRequest(
                session_id=sleeper, wake_id=wake_id, attempt_id=self.office.next()
            )
            answer = await self.office.runs.StartRun(request, metadata=self.office.metadata)
            await self.office.finish(Agent(sleeper, answer.run.run_id, answer.claim.claim_seq))
        return Sample(len(latencies), self.seconds, latencies)

    async def fill(self, events: int) -> None:
        """Write a log: whole lives of messages, which are four events each."""
        lives = events // 4
        done = 0
        while done < lives:
            pairs = [(self.agents[n], self.agents[CALLERS + n]) for n in range(8)]
            await asyncio.gather(*(self.office.send_batch(s, r.session_id, BATCH) for s, r in pairs))
            await asyncio.gather(*(self.office.turn(r) for _, r in pairs))
            done += 8 * BATCH
        await self.drain()
