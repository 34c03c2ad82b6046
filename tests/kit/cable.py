"""A TCP connection's middle that a test can cut: both ends see a reset, as when a machine or its network is gone."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

# PostgreSQL's protocol, as far as a COMMIT needs: how it is prepared, under a name, and how it is answered; the
# statement that each batch of the service writes first; and which of the server's processes serves a connection.
PREPARED = re.compile(rb"P.{4}([^\x00]*)\x00COMMIT\x00", re.DOTALL)
COMMITTED = b"COMMIT\x00"
WRITING = re.compile(rb"P.{4}([^\x00]*)\x00UPDATE log SET indexed_position=", re.DOTALL)
BEGINNING = re.compile(rb"P.{4}([^\x00]*)\x00BEGIN", re.DOTALL)
PROCESS = re.compile(rb"K\x00\x00\x00\x0c(.{4}).{4}Z", re.DOTALL)


@dataclass(slots=True, eq=False)
class _Line:
    """One connection. `near` writes to whoever connected, `far` to the server."""

    near: asyncio.StreamWriter
    far: asyncio.StreamWriter
    commits: set[bytes] = field(default_factory=set)  # the names of what is prepared
    writings: set[bytes] = field(default_factory=set)
    beginnings: set[bytes] = field(default_factory=set)
    process_id: int = 0
    has_written: bool = False  # in this transaction
    is_committing: bool = False

    def cut(self) -> None:
        self.near.transport.abort()
        self.far.transport.abort()


class Cable:
    """Listens on a port of its own and passes bytes on to a server, until it is cut; then it serves new connections.

    `address` is a host and a port, or the path of a socket.
    """

    def __init__(self, address: str) -> None:
        self._target = address
        self._lines: set[_Line] = set()
        self.passed = 0  # bytes from the server
        self.connections = 0
        self.commits_cut = 0
        self._cut_after: int | None = None
        self._cut_in_commit = ""
        self._wanted: asyncio.Future[int] | None = None  # the process whose COMMIT is to be held back
        self._let_go = asyncio.Event()
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
        for line in self._lines:
            line.cut()
        self._lines.clear()

    def cut_one(self) -> None:
        """Reset one connection, whichever it is."""
        if self._lines:
            self._lines.pop().cut()

    def cut_after(self, count: int) -> None:
        """Cut when so many more bytes have come from the server, wherever in a message that is."""
        self._cut_after = self.passed + count

    def cut_in_commit(self, when: str) -> None:
        """Cut the next connection of PostgreSQL's that commits what the service wrote in a batch.

        That is `before` the server hears of the COMMIT, or `after` it did.
        """
        self._cut_in_commit = when

    @contextlib.asynccontextmanager
    async def commit_held(self) -> AsyncIterator[int]:
        """Wait for the next such COMMIT, and hold it back; it never arrives, for its connection is cut in the end.

        Gives the server's process, whose transaction has written and is open.
        """
        wanted = self._wanted = asyncio.get_running_loop().create_future()
        self._let_go.clear()
        try:
            yield await wanted
        finally:
            self._wanted = None
            self._let_go.set()

    def part(self) -> None:
        """Pass nothing on any more, and let nobody know: what is sent is kept, as in a network that is divided."""
        self._passing.clear()

    def hang_up(self) -> None:
        """Let the server, and nobody else, see that all connections are reset. They are to be parted before."""
        assert not self._passing.is_set(), "whoever connected would see it too"
        for line in self._lines:
            line.far.transport.abort()

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
        line = _Line(writer, far_writer)
        self._lines.add(line)
        await asyncio.gather(self._pass(line, reader, far_writer), self._pass(line, far_reader, writer, answered=True))
        self._lines.discard(line)

    async def _pass(
        self, line: _Line, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answered: bool = False
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await self._passing.wait()
                if answered and self._cut_after is not None and self.passed + len(data) >= self._cut_after:
                    writer.write(data[: self._cut_after - self.passed])
                    await writer.drain()
                    self._cut_after = None
                    self.cut()
                    break
                if self._ends_here(line, data) if answered else await self._stops_here(line, data):
                    writer.transport.abort()
                    break
                self.passed += len(data) if answered else 0
                writer.write(data)
                await writer.drain()
        await self._passing.wait()  # the end, too, is not told while nothing passes
        with contextlib.suppress(OSError):
            writer.close()

    async def _stops_here(self, line: _Line, data: bytes) -> bool:
        """Whether these bytes are a COMMIT that is not to arrive."""
        line.commits.update(PREPARED.findall(data))
        line.writings.update(WRITING.findall(data))
        line.beginnings.update(BEGINNING.findall(data))
        if _names(data, line.beginnings):
            line.has_written = False  # what was written before was given up
        line.has_written = line.has_written or _names(data, line.writings)
        if not (line.has_written and _names(data, line.commits)):
            return False
        line.has_written, line.is_committing = False, True
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            wanted.set_result(line.process_id)
            await self._let_go.wait()
            return True
        return self._is_wanted("before")

    def _ends_here(self, line: _Line, data: bytes) -> bool:
        """Whether these bytes are the answer to a COMMIT, and not to arrive."""
        if not line.process_id and (found := PROCESS.search(data)) is not None:
            line.process_id = int.from_bytes(found[1], "big")
        if not (line.is_committing and COMMITTED in data):
            return False
        line.is_committing = False
        return self._is_wanted("after")

    def _is_wanted(self, when: str) -> bool:
        if self._cut_in_commit != when:
            return False
        self._cut_in_commit = ""
        self.commits_cut += 1
        return True


def _names(data: bytes, prepared: set[bytes]) -> bool:
    """Whether something runs what was prepared under one of these names."""
    return any(b"\x00" + name + b"\x00" in data for name in prepared if name)
