"""`kinpost watch` as people run it: in a terminal of its own."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pty
import struct
import sys
import termios
from pathlib import Path

import pytest

PATIENCE_SECONDS = 60.0
KINPOST = Path(sys.executable).with_name("kinpost")
HOSTILE = "\x1b]0;stolen title\x07 \x1b[6n \x9b31m [bold]b[/]"


class Terminal:
    """A pseudo-terminal of 80 by 24 cells, and what was written to it."""

    def __init__(self) -> None:
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.written = b""
        self._more = asyncio.Event()
        asyncio.get_running_loop().add_reader(self.ours, self._read)

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            self.written += os.read(self.ours, 65536)
        self._more.set()

    async def until(self, text: bytes) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while text not in self.written:
                self._more.clear()
                await self._more.wait()

    def type(self, keys: bytes) -> None:
        os.write(self.ours, keys)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self.ours)
        os.close(self.ours)


@pytest.fixture
async def terminal():
    made = Terminal()
    yield made
    made.close()


async def test_it_opens_shows_and_quits_and_no_body_reaches_the_terminal_as_a_command(server, castle, terminal):
    await castle.runtime.user(castle.scribe, HOSTILE)
    environment = {**os.environ, "TERM": "xterm-256color", "KINPOST_TOKEN": server.admin_secret}
    process = await asyncio.create_subprocess_exec(
        *(KINPOST, "watch", castle.scribe.handle, "--address", server.address),
        stdin=terminal.theirs,
        stdout=terminal.theirs,
        stderr=terminal.theirs,
        env=environment,
    )
    os.close(terminal.theirs)
    try:
        await terminal.until(b"stolen title")
        await terminal.until(b"3 sessions")
        terminal.type(b"q")
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert b"^[]0;stolen title^G" in terminal.written
    assert b"\x1b]0;stolen" not in terminal.written
    assert b"\x1b[6n" not in terminal.written
    assert "\x9b31m".encode() not in terminal.written


async def test_without_a_terminal_it_says_what_to_do(server):
    process = await asyncio.create_subprocess_exec(
        *(KINPOST, "watch", "--address", server.address, "--token", server.admin_secret),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, told = await process.communicate()
    assert process.returncode == 2
    assert b"needs a terminal" in told
