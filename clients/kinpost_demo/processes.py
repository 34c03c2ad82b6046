"""The processes of the demonstration: one server, two runtimes. Each is ended by its own id, on every way out."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kinpost_demo.evidence import Reported
from kinpost_demo.node import NoNode, typescript_command

GRACE_SECONDS = 3.0


class CannotStart(Exception):
    """A process did not start; the text has the end of its log."""


class OwnProcess:
    """A process of ours, with its log in a file."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.log = folder / f"{name}.log"
        self.process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        """Its process id, 0 before it has started."""
        return self.process.pid if self.process is not None else 0

    async def spawn(self, *command: str) -> asyncio.subprocess.Process:
        """Start it. What this user has configured for a server of their own does not count."""
        environment = {name: value for name, value in os.environ.items() if not name.upper().startswith("KINPOST_")}
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                cwd=self.folder,
                env=environment,
            )
        return self.process

    async def line(self) -> str:
        """Return the next line that it writes. Raises CannotStart when it ends instead."""
        assert self.process is not None
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        if not line:
            await self.process.wait()
            raise CannotStart(f"{self.name} ended with {self.process.returncode}:\n{self.tail()}")
        return line.decode()

    def tail(self) -> str:
        """Return the end of its log."""
        return self.log.read_text("utf-8", "replace")[-2000:] if self.log.exists() else ""

    async def kill(self) -> None:
        """End it with SIGKILL, in the middle of whatever it does."""
        process = self.process
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()

    async def end(self) -> None:
        """Let it end by itself, then make it."""
        process = self.process
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        process.terminate()
        try:
            async with asyncio.timeout(GRACE_SECONDS):
                await process.wait()
        except TimeoutError:
            await self.kill()


class ServerProcess(OwnProcess):
    """`kinpost serve` in a folder of its own: on the embedded store, or on the database that a URL names."""

    def __init__(self, folder: Path, database: str = "") -> None:
        super().__init__("server", folder)
        self._storage = ("--storage-database-url", database) if database else ()
        self.data = folder / "data"
        self.address = "127.0.0.1:0"

    async def start(self) -> None:
        """Start it on a free port of this machine, the next time on the same. Raises CannotStart."""
        beside = Path(sys.executable).with_name("kinpost")
        command = str(beside) if beside.exists() else shutil.which("kinpost")
        if command is None:
            raise CannotStart("the command `kinpost` is not installed beside this Python: run `make install-run`")
        await self.spawn(
            command, "serve", "--data", str(self.data), "--listen", self.address, "--no-http-enabled", *self._storage
        )
        self.address = (await self.line()).split()[-1]

    @property
    def admin_secret(self) -> str:
        """The first admin token, which the server wrote into its data folder."""
        return (self.data / "admin.token").read_text("utf-8").strip()


class RuntimeProcess(OwnProcess):
    """A runtime: it says what its models see, and is told when a survey may end."""

    def __init__(self, name: str, folder: Path, *, typescript: bool = False) -> None:
        super().__init__(name, folder)
        self.tasks: list[asyncio.Task[None]] = []
        self.language = "Python"
        self.why_python = ""
        self._typescript = typescript

    async def start(self) -> None:
        """Start it, in TypeScript if it shall be and can; it waits to be told what it is."""
        command: tuple[str, ...] = (sys.executable, "-m", "kinpost_demo.runtime_process")
        if self._typescript:
            try:
                command = await typescript_command()
                self.language = "TypeScript"
            except NoNode as missing:
                self.why_python = str(missing)
        await self.spawn(*command)

    async def begin(self, report: Callable[[Reported], None], **life: Any) -> None:
        """Tell it what it is, and take in what it reports until it ends. Raises CannotStart."""
        self._tell(name=self.name, **life)
        self.ready = _read(await self.line())
        report(self.ready)
        self.tasks.append(asyncio.create_task(self._listen(report), name=f"reports of {self.name}"))

    async def end(self) -> None:
        """Let it end, and listen no more."""
        for task in self.tasks:
            task.cancel()
        await super().end()

    def let_end(self, place: str) -> None:
        """Let the survey of a place end."""
        self._tell(surveyed=place)

    def _tell(self, **facts: Any) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(facts).encode() + b"\n")

    async def _listen(self, report: Callable[[Reported], None]) -> None:
        while True:
            report(_read(await self.line()))


def _read(line: str) -> Reported:
    facts = json.loads(line)
    return Reported(facts.pop("kind"), facts)
