"""The installed command, as people and programs run it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

KINPOST = Path(sys.executable).with_name("kinpost")
SECONDS = 150


@dataclass(frozen=True)
class Ended:
    """What came of a command."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def objects(self) -> list[dict[str, Any]]:
        """What it printed for programs."""
        return [json.loads(line) for line in self.lines]


class CommandLine:
    """`kinpost` in a folder of its own, pointed at one server by the environment; what runs ends with its context."""

    def __init__(self, folder: Path, address: str, data: Path) -> None:
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("KINPOST_")}
        self.environment |= {"KINPOST_ADDRESS": address, "KINPOST_STORAGE__DATA_FOLDER": str(data)}
        self._started: list[asyncio.subprocess.Process] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._started:
            if process.returncode is None:
                process.kill()
                await process.communicate()

    async def start(self, *arguments: str | Path, **variables: str) -> asyncio.subprocess.Process:
        """Start a command and return its process."""
        process = await asyncio.create_subprocess_exec(
            KINPOST,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=self.folder,
            env={**self.environment, **variables},
        )
        self._started.append(process)
        return process

    async def run(self, *arguments: str | Path, typed: str = "", **variables: str) -> Ended:
        """Run a command to its end."""
        process = await self.start(*arguments, **variables)
        ending = asyncio.create_task(process.communicate(typed.encode()))
        done, _ = await asyncio.wait([ending], timeout=SECONDS)
        if not done:
            process.kill()
        out, err = await ending
        assert process.returncode is not None
        ended = Ended(process.returncode, out.decode(), err.decode())
        assert done, f"it did not end within {SECONDS} s: {ended}"
        return ended

    async def did(self, *arguments: str | Path, typed: str = "", **variables: str) -> Ended:
        """Run a command that does what it was asked, and complains of nothing."""
        ended = await self.run(*arguments, typed=typed, **variables)
        assert (ended.code, ended.err) == (0, ""), ended
        return ended
