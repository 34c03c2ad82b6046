"""The installed command, as people and programs run it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    """`kinpost` in a folder of its own, pointed at one server by the environment."""

    def __init__(self, folder: Path, address: str, data: Path) -> None:
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("KINPOST_")}
        self.environment |= {"KINPOST_ADDRESS": address, "KINPOST_STORAGE__DATA_FOLDER": str(data)}

    async def start(self, *arguments: str | Path, **variables: str) -> asyncio.subprocess.Process:
        """Start a command and return its process."""
        return await asyncio.create_subprocess_exec(
            KINPOST,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=self.folder,
            env={**self.environment, **variables},
        )

    async def run(self, *arguments: str | Path, typed: str = "", **variables: str) -> Ended:
        """Run a command to its end."""
        process = await self.start(*arguments, **variables)
        async with asyncio.timeout(SECONDS):
            out, err = await process.communicate(typed.encode())
        assert process.returncode is not None
        return Ended(process.returncode, out.decode(), err.decode())

    async def did(self, *arguments: str | Path, typed: str = "", **variables: str) -> Ended:
        """Run a command that does what it was asked, and complains of nothing."""
        ended = await self.run(*arguments, typed=typed, **variables)
        assert (ended.code, ended.err) == (0, ""), ended
        return ended
