"""The run: start the servers, measure row by row, print, write, and end what was started."""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import uvloop
from rich.console import Console

from benchmark.client import Office
from benchmark.databases import Databases, databases
from benchmark.growth import growth
from benchmark.report import print_table, write_chart, write_json
from benchmark.rows import CALLERS, Bench, Row
from benchmark.servers import Process, joining, served, start_echo

OF_A_DATABASE = ("many_callers", "one_caller", "batches", "whole_life", "subscribers", "stalled", "wakes")
ROWS = (*OF_A_DATABASE, "growth")
WITH_ANOTHER = ("databases", "replicas", "size")  # what a second database adds
TREES, TREE = 16, 8  # of the replicas' row


def main(root: Path) -> int:
    """Measure and return 0, also when a goal is missed: the table says so."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="how long a round is (default 3)")
    parser.add_argument("--rounds", type=int, default=5, help="how many rounds a row has (default 5)")
    parser.add_argument("--events", type=int, default=1_000_000, help="how long the log of the growth row is")
    parser.add_argument("--sessions", type=int, default=10_000, help="how many sessions the size rows have")
    parser.add_argument("--messages", type=int, default=1_000_000, help="how many messages the size rows have")
    parser.add_argument("--database", default="", help="`postgres` for a server of the run's own, or the URL of one")
    parser.add_argument("--rows", default="", help=f"which rows, of {', '.join((*ROWS, *WITH_ANOTHER))}")
    parser.add_argument("--output", type=Path, default=root / "build" / "bench", help="folder of JSON and chart")
    options = parser.parse_args()
    options.rows = options.rows.split(",") if options.rows else [*ROWS, *(WITH_ANOTHER if options.database else ())]
    console = Console(width=None if sys.stdout.isatty() else 160)
    with databases(options.database) as kinds:
        rows = uvloop.run(Run(options, console, kinds).measure())
    print_table(rows, console)
    options.output.mkdir(parents=True, exist_ok=True)
    write_json(rows, options.output / "bench.json")
    write_chart(rows, options.output / "bench.svg")
    console.print(f"samples and chart: {options.output}")
    return 0


class Run:
    """One run over some databases, SQLite first."""

    def __init__(self, options: argparse.Namespace, console: Console, kinds: list[Databases]) -> None:
        self._options = options
        self._console = console
        self._kinds = kinds
        self._rows: list[Row] = []

    async def measure(self) -> list[Row]:
        """Return the rows, in the order in which they were measured."""
        async with AsyncExitStack() as stack:
            echo = start_echo()
            stack.callback(echo.stop)
            benches = [await self._bench(stack, kind, echo) for kind in self._kinds]
            for kind, bench in zip(self._kinds, benches, strict=True):
                for name in self._asked(*OF_A_DATABASE):
                    self._say(f"{name}, {kind.name}")
                    row: Row = await getattr(bench, name)()
                    row.name += f", {kind.name}" if len(benches) > 1 else ""
                    self._rows.append(row)
            for _ in self._asked("growth"):
                self._say("growth")
                self._rows.append(await self._growth(benches[0]))
            for name in self._asked("databases", "replicas") if len(benches) > 1 else ():
                self._say(name)
                self._rows.append(await (self._against(*benches) if name == "databases" else self._replicas(echo)))
        for kind in self._kinds if self._asked("size") else ():
            self._say(f"size, {kind.name}")
            options = self._options
            sizes = options.sessions, options.messages, options.seconds, options.rounds
            self._rows += await growth(kind, *sizes, self._console)
        return self._rows

    def _asked(self, *names: str) -> list[str]:
        return [name for name in names if name in self._options.rows]

    def _say(self, text: str) -> None:
        self._console.print(f"measuring {text} …", style="dim")

    async def _bench(self, stack: AsyncExitStack, kind: Databases, echo: Process) -> Bench:
        """Return a bench over a server of its own, warmed up."""
        server = stack.enter_context(served(kind))
        bench = await stack.enter_async_context(Bench(server, echo, self._options.seconds, self._options.rounds))
        await bench.echo_sample()
        await bench.send_sample()
        await bench.drain()
        return bench

    async def _growth(self, bench: Bench) -> Row:
        """The send rate over a long log against that over an empty one, both beside the echo of their own rounds."""
        events = self._options.events
        row = Row(f"send rate, {events:,} events in the log", "≥ 0.95 x empty log", "of echo", limit=0.95)
        async with AsyncExitStack() as stack:
            empty = await self._bench(stack, self._kinds[0], bench.echo)
            await bench.fill(events)
            for _ in range(bench.rounds):
                for subject, values in ((empty, row.yardstick), (bench, row.measured)):
                    echo, sends = await bench.echo_sample(), await subject.send_sample()
                    row.keep("measured" if subject is bench else "yardstick", sends)
                    values.append(sends.rate / echo.rate)
                    await subject.drain()
                    await asyncio.sleep(0)
        return row

    async def _against(self, sqlite: Bench, postgres: Bench) -> Row:
        """Durable sends over PostgreSQL, one replica, against SQLite's."""
        row = Row(f"SendMessage, {CALLERS} callers, PostgreSQL against SQLite", "≥ 0.7 x SQLite", "/s", limit=0.7)
        for _ in range(postgres.rounds):
            row.compare(await sqlite.send_sample(), await postgres.send_sample(), lambda sample: sample.rate)
            await sqlite.drain()
            await postgres.drain()
        return row

    async def _replicas(self, echo: Process) -> Row:
        """Durable sends over two replicas of one database against one, the trees spread over both."""
        row = Row(f"SendMessage, {CALLERS} callers, two replicas against one", "", "/s")
        kind = self._kinds[1]
        async with AsyncExitStack() as stack:
            url = kind.make()
            stack.callback(kind.drop, url)
            one = stack.enter_context(joining(url))
            other = stack.enter_context(joining(url, one.token))
            offices = [Office(server.target, server.token) for server in (one, other)]
            for office in offices:
                stack.push_async_callback(office.close)
            bench = await stack.enter_async_context(Bench(one, echo, self._options.seconds, self._options.rounds))
            trees = [await offices[0].tree(TREE) for _ in range(TREES)]
            for _ in range(bench.rounds):
                one_alone = await bench.spread_sample(offices[:1], trees)
                row.compare(one_alone, await bench.spread_sample(offices, trees), lambda sample: sample.rate)
                for agent in [agent for tree in trees for agent in tree[TREE // 2 :]]:
                    while await offices[0].turn(agent):
                        pass
        return row
