"""A TCP connection's middle that a test can cut: both ends see a reset, as when a machine or its network is gone."""

from __future__ import annotations

import asyncio
import contextlib
import re
from types import TracebackType
from typing import Self

# PostgreSQL's protocol, as far as a COMMIT needs: how it is prepared, under a name, and how it is answered.
PREPARED = re.compile(rb"P.{4}([^\x00]*)\x00COMMIT\x00", re.DOTALL)
COMMITTED = b"COMMIT\x00"


class Cable:
    """Listens on a port of its own and passes bytes on to a server, until it is cut; then it serves new connections.

    `address` is a host and a port, or the path of a socket.
    """

    def __init__(self, address: str) -> None:
        self._target = address
        self._writers: set[asyncio.StreamWriter] = set()
        self.passed = 0  # bytes from the server
        self.connections = 0
        self.commits_cut = 0
        self._cut_after: int | None = None
        self._cut_in_commit = ""
        self._passing = asyncio.Event()
        self._passing.set()

    async def __aenter__(self) -> Self:
        self._listening = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._listening.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.close()
        self.join()
        self.cut()
        await self._listening.wait_closed()

    def cut(self) -> None:
        """Reset all connections."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    def cut_one(self) -> None:
        """Reset one connection, whichever it is."""
        for writer in list(self._writers)[:1]:
            writer.transport.abort()
            self._writers.discard(writer)

    def cut_after(self, count: int) -> None:
        """Cut when so many more bytes have come from the server, wherever in a message that is."""
        self._cut_after = self.passed + count

    def cut_in_commit(self, when: str) -> None:
        """Cut the next connection of PostgreSQL's that commits: `before` the server hears of it, or `after` it did."""
        self._cut_in_commit = when

    def part(self) -> None:
        """Pass nothing on any more, and let nobody know: what is sent is kept, as in a network that is divided."""
        self._passing.clear()

    def join(self) -> None:
        """Pass on what was kept and what comes."""
        self._passing.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        await self._passing.wait()
        try:
            if self._target.startswith("/"):
                far_reader, far_writer = await asyncio.open_unix_connection(self._target)
            else:
                host, _, port = self._target.rpartition(":")
                far_reader, far_writer = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, far_writer}
        commits: set[bytes] = set()
        await asyncio.gather(
            self._pass(reader, far_writer, commits), self._pass(far_reader, writer, commits, counted=True)
        )
        self._writers -= {writer, far_writer}

    async def _pass(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        commits: set[bytes],
        *,
        counted: bool = False,
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await self._passing.wait()
                if counted and self._cut_after is not None and self.passed + len(data) >= self._cut_after:
                    writer.write(data[: self._cut_after - self.passed])
                    await writer.drain()
                    self._cut_after = None
                    self.cut()
                    break
                if self._is_commit(data, commits, answered=counted):
                    self._cut_in_commit = ""
                    self.commits_cut += 1
                    writer.transport.abort()
                    break
                self.passed += len(data) if counted else 0
                writer.write(data)
                await writer.drain()
        with contextlib.suppress(OSError):
            writer.close()

    def _is_commit(self, data: bytes, commits: set[bytes], *, answered: bool) -> bool:
        """Whether these bytes are a COMMIT, or its answer, that is not to arrive."""
        if answered:
            return self._cut_in_commit == "after" and COMMITTED in data
        found = PREPARED.findall(data)
        commits.update(found)
        if self._cut_in_commit != "before":
            return False
        return bool(found) or any(b"\x00" + name + b"\x00" in data for name in commits if name)
