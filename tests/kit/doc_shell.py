"""One shell for a page: each command is run in it, so that folders and variables last from block to block."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from pathlib import Path

SECONDS = 120
END = "\x1e"


class Background:
    """A program that does not end by itself. Its lines are kept; whoever waits for one is told."""

    def __init__(self, command: str, process: asyncio.subprocess.Process) -> None:
        self.command = command
        self.process = process
        self.lines: list[str] = []
        self._grown = asyncio.Condition()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            async with self._grown:
                self.lines.append(line.decode().rstrip("\n"))
                self._grown.notify_all()
        async with self._grown:
            self._grown.notify_all()

    async def until(self, there) -> None:
        """Wait until `there()`, which looks at the lines, says yes. Raises AssertionError when that cannot be."""
        try:
            async with asyncio.timeout(SECONDS), self._grown:
                while not there():
                    assert not self._reading.done(), "it ended"
                    await self._grown.wait()
        except (TimeoutError, AssertionError) as failure:
            said = "\n".join(self.lines)
            raise AssertionError(f"{self.command}: what is shown did not come ({failure}):\n{said}") from None

    async def end(self) -> None:
        """Ask it to end, make it end, and read the rest."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.process.returncode is None:
                try:
                    os.killpg(self.process.pid, number)
                    async with asyncio.timeout(20):
                        await self.process.wait()
                except (TimeoutError, ProcessLookupError):
                    continue
        await self._reading


class Shell:
    """bash in a folder of its own, with an environment of its own."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self._environment = dict(environment)
        self._script = folder / ".step.sh"
        self._state = folder / ".state"
        self.backgrounds: list[Background] = []

    async def start(self) -> None:
        self._bash = await asyncio.create_subprocess_exec(
            *("bash", "--norc", "--noprofile"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=self.folder,
            env=self._environment,
            start_new_session=True,
        )

    async def run(self, command: str) -> tuple[int, list[str]]:
        """Run a command, however many lines it has; return its exit code and what it printed."""
        assert self._bash.stdin is not None
        assert self._bash.stdout is not None
        self._script.write_text(f"{command}\n", encoding="utf-8")
        self._bash.stdin.write(f'. "{self._script}" </dev/null; printf "\\n%s%d\\n" "{END}" $?\n'.encode())
        lines: list[str] = []
        async with asyncio.timeout(SECONDS):
            while True:
                line = (await self._bash.stdout.readline()).decode()
                assert line, f"the shell ended: {command}\n" + "\n".join(lines)
                if line.startswith(END):
                    break
                lines.append(line.rstrip("\n"))
        if lines and not lines[-1]:
            lines.pop()  # the end of a last line, or an empty one of our own
        return int(line[1:]), lines

    async def background(self, command: str) -> Background:
        """Start a command beside the shell, with the shell's own variables and folder."""
        code, _ = await self.run(f'env -0 > "{self._state}"; pwd > "{self._state}.folder"')
        assert code == 0
        pairs = (pair.partition("=") for pair in self._state.read_text().split("\0") if pair)
        process = await asyncio.create_subprocess_exec(
            *("bash", "--norc", "--noprofile", "-c", command),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL if command.startswith("kinpost serve") else asyncio.subprocess.STDOUT,
            cwd=Path(f"{self._state}.folder").with_name(".state.folder").read_text().strip(),
            env={name: value for name, _, value in pairs},
            start_new_session=True,
        )
        made = Background(command, process)
        self.backgrounds.append(made)
        return made

    async def end(self) -> None:
        """End everything that was started."""
        for running in reversed(self.backgrounds):
            await running.end()
        assert self._bash.stdin is not None
        self._bash.stdin.close()
        await self._bash.wait()
