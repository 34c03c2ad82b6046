"""The growth rows: a service with many sessions and messages beside a small one, in the same rounds."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from kinpost.v1 import event_service_pb2, messaging_service_pb2, session_service_pb2
from rich.console import Console

from benchmark.client import Agent, Office
from benchmark.databases import Databases
from benchmark.load import Sample, closed_loop
from benchmark.rows import ANSWER_SECONDS_MAX, CALLERS, Row
from benchmark.servers import Process, served

TREE = 100  # sessions
PASSES = 5  # so often each session of the large service has had a run with its share of the messages
AT_A_TIME = 32  # trees that live at once while it grows
TAIL = 50  # events
PAGE = 50  # sent messages
MEGABYTE = 1e6


@dataclass(eq=False)
class Population:
    """All sessions of a service, tree by tree, and so many of them that have a run at the moment."""

    server: Process
    random: random.Random = field(default_factory=lambda: random.Random(1))  # noqa: S311 - a sample, no secret
    trees: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.office = Office(self.server.target, self.server.token)

    async def settle(self, trees: int) -> None:
        """Make all sessions."""

        async def tree() -> None:
            root = await self.office.create()
            self.trees.append([root, *[await self.office.create(root) for _ in range(TREE - 1)]])

        await _at_a_time(tree() for _ in range(trees))

    async def live(self, messages: int) -> None:
        """Let each session have a run in which it writes so many messages to its neighbour, and reads its own."""

        async def life(session_ids: list[str]) -> None:
            agents = [await self.office.start(session_id) for session_id in session_ids]
            for agent, neighbour in zip(agents, [*agents[1:], agents[0]], strict=True):
                await self.office.send_batch(agent, neighbour.session_id, messages)
            for agent in agents:
                while await self.office.turn(agent):
                    pass
                await self.office.finish(agent)

        await _at_a_time(life(tree) for tree in self.trees)

    async def pairs(self) -> list[tuple[Agent, Agent]]:
        """Start runs in neighbours anywhere, two for each caller."""
        found = []
        for tree, place in self.random.sample(list(itertools.product(self.trees, range(0, TREE, 2))), CALLERS):
            found.append((await self.office.start(tree[place]), await self.office.start(tree[place + 1])))
        return found

    def session(self) -> str:
        """Return a session anywhere."""
        return self.random.choice(self.random.choice(self.trees))

    async def sends(self, seconds: float) -> Sample:
        """Durable sends; their recipients read later."""
        pairs = await self.pairs()
        sample = await closed_loop(CALLERS, seconds, lambda n: self.office.send(pairs[n][0], pairs[n][1].session_id))
        await self._end(pairs)
        return sample

    async def turns(self, seconds: float) -> Sample:
        """Claims of one message that commit the one before."""
        pairs = await self.pairs()
        took: list[float] = []

        async def call(number: int) -> None:
            sender, recipient = pairs[number]
            await self.office.send(sender, recipient.session_id)
            begin = time.perf_counter()
            await self.office.turn(recipient)
            took.append(time.perf_counter() - begin)

        await closed_loop(CALLERS // 8, seconds, call)
        await self._end(pairs)
        return Sample(len(took), seconds, took)

    async def subscriptions(self, seconds: float) -> Sample:
        """Subscriptions, each to the tail of a session's log until it has caught up."""

        async def call(_number: int) -> None:
            session_id = self.session()
            request = session_service_pb2.GetSessionRequest(session_id=session_id)
            answer = await self.office.sessions.GetSession(request, metadata=self.office.metadata)
            stream = self.office.events.SubscribeEvents(
                event_service_pb2.SubscribeEventsRequest(
                    session_id=session_id, after_seq=max(answer.session.last_seq - TAIL, 0)
                ),
                metadata=self.office.metadata,
            )
            async with asyncio.timeout(ANSWER_SECONDS_MAX):
                async for frame in stream:
                    if frame.caught_up:
                        break
            stream.cancel()

        return await closed_loop(CALLERS // 4, seconds, call)

    async def lists(self, seconds: float) -> Sample:
        """Pages of sent messages."""

        async def call(_number: int) -> None:
            request = messaging_service_pb2.ListSentMessagesRequest(session_id=self.session(), page_size=PAGE)
            answer = await self.office.messaging.ListSentMessages(request, metadata=self.office.metadata)
            assert len(answer.sent_messages) == PAGE

        return await closed_loop(CALLERS // 4, seconds, call)

    async def _end(self, pairs: list[tuple[Agent, Agent]]) -> None:
        for agent in itertools.chain.from_iterable(pairs):
            while await self.office.turn(agent):
                pass
        for agent in itertools.chain.from_iterable(pairs):
            await self.office.finish(agent)


async def growth(
    kind: Databases, sessions: int, messages: int, seconds: float, rounds: int, console: Console
) -> list[Row]:
    """Measure a service with so many sessions and messages against one that has a fiftieth of both, and its memory."""
    what = f"{kind.name}, {sessions:,} sessions, {messages:,} messages"
    share = messages // sessions // PASSES
    large_trees = max(sessions // TREE, 2)
    async with AsyncExitStack() as stack:
        small, large = [Population(stack.enter_context(served(kind))) for _ in range(2)]
        stack.push_async_callback(small.office.close)
        stack.push_async_callback(large.office.close)
        memory = Row(f"memory, {what}", "≤ 1.1 x after a fifth", "MB", at_most=True, limit=1.1)
        await small.settle(max(large_trees // 50, 2))
        await large.settle(large_trees)
        fresh = large.server.memory_bytes()
        for number in range(PASSES):
            await small.live(share)
            await large.live(share)
            console.print(f"  {what}: pass {number + 1} of {PASSES}", style="dim")
            if number == 0:
                memory.yardstick.append(large.server.memory_bytes() / MEGABYTE)
        memory.measured.append(large.server.memory_bytes() / MEGABYTE)
        for population in (small, large):
            kind.rest(population.server.database_url)
        console.print(f"  resident before the first message: {fresh / MEGABYTE:,.0f} MB", style="dim")
        rows = []
        for name, measure in FIGURES:
            row = Row(f"{name}, {what}", "≤ 1.1 x small", "ms", at_most=True, limit=1.1)
            for number in range(rounds):
                samples: dict[Population, Sample] = {}
                for population in (small, large) if number % 2 else (large, small):  # neither always comes second
                    samples[population] = await measure(population, seconds)
                row.compare(samples[small], samples[large], lambda sample: sample.median * 1000)
            rows.append(row)
        return [*rows, memory]


FIGURES: tuple[tuple[str, Callable[[Population, float], Awaitable[Sample]]], ...] = (
    ("send", Population.sends),
    ("claim and commit", Population.turns),
    ("subscribe to a tail", Population.subscriptions),
    ("ListSentMessages", Population.lists),
)


async def _at_a_time(works: Iterable[Awaitable[None]]) -> None:
    """Do work after work, several at once."""
    waiting = iter(works)

    async def worker() -> None:
        for work in waiting:
            await work

    await asyncio.gather(*(worker() for _ in range(AT_A_TIME)))
