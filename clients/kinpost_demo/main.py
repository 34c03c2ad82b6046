"""The demonstration, from its first process to its last. Exit code 0: every step was seen."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import tempfile
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from kinpost_client import Client, KinpostError, Subscription, connect
from rich.console import Console

from kinpost_demo.evidence import Evidence, Reported
from kinpost_demo.narrator import Narrator
from kinpost_demo.processes import CannotStart, RuntimeProcess, ServerProcess
from kinpost_demo.scenario import Missing, Scenario
from kinpost_demo.steps import Checklist

# A start takes a second or two; on a busy machine, with nothing compiled yet, it takes most of a minute.
LIMIT_SECONDS = 120.0
EXIT_MISSING = 1
EXIT_INTERRUPTED = 130


class Interrupted(Exception):
    """Somebody wants the demonstration to end."""


class Demo:
    """All of it: folder, processes, clients, evidence."""

    def __init__(self, folder: Path, narrator: Narrator, *, typescript: bool, database: str) -> None:
        self.checklist = Checklist(narrator)
        self._narrator = narrator
        self._evidence = Evidence()
        self._server = ServerProcess(folder, database)
        self._north = RuntimeProcess("north", folder)
        self._south = RuntimeProcess("south", folder, typescript=typescript)

    async def play(self) -> None:
        """Start everything, play the scenario, end everything. Raises what went wrong."""
        try:
            async with AsyncExitStack() as stack:
                await self._play(stack)
        finally:
            await asyncio.gather(self._north.end(), self._south.end())
            await self._server.end()

    def logs(self) -> list[tuple[str, str]]:
        """Return the ends of the processes' logs, where there is something in them."""
        processes = (self._server, self._north, self._south)
        return [(process.name, tail) for process in processes if (tail := process.tail())]

    async def _play(self, stack: AsyncExitStack) -> None:
        narrator, server = self._narrator, self._server
        # All at once, since most of a start is Python reading its modules.
        await asyncio.gather(self._north.start(), self._south.start(), server.start())
        narrator.say("server", f"kinpost serve on {server.address}, as process {server.pid}, data in {server.data}")
        admin = await stack.enter_async_context(connect(server.address, token=server.admin_secret))
        await self._runtime(admin, self._south, ["scout"], any_session=True)
        await self._runtime(admin, self._north, ["lead", "scribe"], root="lead")
        root_session_id = self._north.ready.facts["root_session_id"]
        events = await stack.enter_async_context(admin.subscribe(root_session_id=root_session_id))
        scenario = Scenario(
            server, self._south, admin, self._evidence, self.checklist, narrator, root_session_id
        )  # fmt: skip
        watching = [asyncio.create_task(self._follow(events)), *self._north.tasks, *self._south.tasks]
        playing = asyncio.create_task(scenario.play())
        try:
            await asyncio.wait([playing, *watching], return_when=asyncio.FIRST_COMPLETED)
            for task in (playing, *watching):
                if task.done():
                    task.result()
        finally:
            for task in (playing, *watching):
                task.cancel()
            await asyncio.wait([playing, *watching])

    async def _runtime(
        self, admin: Client, process: RuntimeProcess, agents: list[str], *, root: str = "", any_session: bool = False
    ) -> None:
        token = await admin.tokens.create("runtime")
        await process.begin(
            self._reported,
            address=self._server.address,
            token=token.secret,
            agents=agents,
            any_session=any_session,
            root=root,
        )
        if process.why_python:
            self._narrator.say(process.name, f"runs in Python, not in TypeScript: {process.why_python}")
        self._narrator.say(
            process.name, f"a runtime for {' and '.join(agents)}, in {process.language}, as process {process.pid}"
        )

    def _reported(self, report: Reported) -> None:
        self._narrator.report(report)
        self._evidence.add(report)

    async def _follow(self, events: Subscription) -> None:
        async for event in events:
            self._narrator.event(event)
            self._evidence.add(event)


async def demonstrate(console: Console, limit_seconds: float, *, typescript: bool = True, database: str = "") -> int:
    """Show everything within a time and return the exit code. `database` is a URL; empty for the embedded store."""
    narrator = Narrator(console)
    loop = asyncio.get_running_loop()
    signalled = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, signalled.set)
    interrupted = asyncio.create_task(signalled.wait())
    with tempfile.TemporaryDirectory(prefix="kinpost-demo-") as name:
        demo = Demo(Path(name), narrator, typescript=typescript, database=database)
        playing = asyncio.create_task(demo.play())
        await asyncio.wait([playing, interrupted], timeout=limit_seconds, return_when=asyncio.FIRST_COMPLETED)
        trouble = f"it took longer than {limit_seconds:g} s"
        if interrupted.done():
            trouble = "it was interrupted"
        if not playing.done():
            playing.cancel()
        with suppress(asyncio.CancelledError):
            try:
                await playing
                trouble = ""
            except (Missing, CannotStart, KinpostError) as error:
                trouble = str(error)
        missing = demo.checklist.missing
        if not missing and not trouble:
            console.print(f"\n[bold green]All {len(demo.checklist.proofs)} steps were seen.[/]")
            return 0
        console.print(f"\n[bold red]Not everything was seen[/]: {trouble or 'see above'}", soft_wrap=True)
        for step in missing:
            console.print(f"  missing: {step.value}", soft_wrap=True)
        for process, tail in demo.logs():
            console.print(f"[bold]the end of {process}'s log[/]")
            console.print(tail, markup=False, soft_wrap=True)
    return EXIT_INTERRUPTED if interrupted.done() else EXIT_MISSING


def main() -> None:
    """Run the demonstration from the command line."""
    parser = argparse.ArgumentParser(
        prog="demo",
        description="Three agents, hosted by two processes, write to each other through a real server.",
    )
    parser.add_argument(
        "--seconds", type=float, default=LIMIT_SECONDS, help="give up after so long (default: %(default)g)"
    )
    parser.add_argument(
        "--python", action="store_true", help="run both runtimes in Python, also where Node is installed"
    )
    parser.add_argument("--database", default="", metavar="URL", help="a PostgreSQL database that is empty")
    arguments = parser.parse_args()
    console = Console(highlight=False)
    playing = demonstrate(console, arguments.seconds, typescript=not arguments.python, database=arguments.database)
    sys.exit(asyncio.run(playing))
