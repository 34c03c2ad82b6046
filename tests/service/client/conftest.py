"""The client against a real server: connected clients, an office of two agents, and a wire that can be cut."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from kinpost_client import Client, Event, Retry, Session, connect

PATIENCE_SECONDS = 60.0


class Wire:
    """A TCP connection's middle: it passes on, holds answers back, and cuts."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self.target = (host, int(port))
        self.answers_pass = asyncio.Event()
        self.answers_pass.set()
        self.opened = 0
        self._writers: list[asyncio.StreamWriter] = []
        self._marker, self._times = b"", 0
        self._lost: list[bytes] = []

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        self._server.close()
        self.cut()
        await self._server.wait_closed()

    def cut(self) -> None:
        """Break all connections; answers held back are lost."""
        writers, self._writers = self._writers, []
        for writer in writers:
            writer.transport.abort()

    def hold_answers(self) -> None:
        """Let requests through and nothing back."""
        self.answers_pass.clear()

    def let_answers_pass(self) -> None:
        """Be a wire again."""
        self.answers_pass.set()

    def lose(self, marker: bytes, times: int) -> list[bytes]:
        """Lose the next so many answers that hold these bytes, cutting the connection each time; return those lost."""
        self._marker, self._times, self._lost = marker, times, []
        return self._lost

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        try:
            far_reader, far_writer = await asyncio.open_connection(*self.target)
        except OSError:
            writer.transport.abort()
            return
        self._writers += [writer, far_writer]
        await asyncio.gather(self._pass(reader, far_writer), self._pass(far_reader, writer, answers=True))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool = False) -> None:
        try:
            while data := await reader.read(65536):
                if answers:
                    await self.answers_pass.wait()
                    if len(self._lost) < self._times and self._marker in data:
                        self._lost.append(data)
                        writer.transport.abort()
                        return
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()


@pytest.fixture
async def wire_to():
    """Make wires to addresses."""
    wires: list[Wire] = []

    async def make(address: str) -> Wire:
        wire = Wire(address)
        await wire.open()
        wires.append(wire)
        return wire

    yield make
    for wire in wires:
        wire.let_answers_pass()
        await wire.close()


@pytest.fixture
async def link():
    """Connect clients that are closed after the test."""
    async with AsyncExitStack() as stack:

        async def make(address: str, secret: str | None, **options: Any) -> Client:
            options.setdefault("retry", Retry(first_seconds=0.02, max_seconds=0.2, give_up_seconds=100))
            return await stack.enter_async_context(connect(address, token=secret, **options))

        yield make


class Tree:
    """A parent and its child, hosted by one token, with clients of that token, of an admin and of an approver."""

    host: Client
    admin: Client
    approver: Client
    parent: Session
    child: Session
    secret: str

    async def state_of(self, session: Session) -> Session:
        return await self.host.get_session(session.session_id)

    async def log(self, session: Session) -> list[Event]:
        return [event async for event in self.host.list_events(session_id=session.session_id)]

    async def kinds(self, session: Session, *kinds: str) -> list[str]:
        """The types of a session's events, in order; only these when some are named."""
        return [event.type for event in await self.log(session) if not kinds or event.type in kinds]

    async def finished(self, session: Session) -> list[Any]:
        """The payloads of a session's finished runs."""
        return [event.payload for event in await self.log(session) if event.type == "run_finished"]

    async def until(self, session: Session, kind: str, count: int = 1) -> Event:
        """Wait for the session's so-manieth event of a type."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            async with self.host.subscribe(session_id=session.session_id, event_types=[kind]) as events:
                async for event in events:
                    count -= 1
                    if not count:
                        return event
        raise AssertionError("a subscription does not end")


async def tree_of(link: Any, address: str, admin_secret: str) -> Tree:
    """Make the tree."""
    tree = Tree()
    tree.admin = await link(address, admin_secret)
    tree.secret = (await tree.admin.tokens.create("runtime")).secret
    tree.host = await link(address, tree.secret)
    tree.approver = await link(address, (await tree.admin.tokens.create("approver")).secret)
    tree.parent = await tree.host.create_session("lead", message_rules={"child": "allow"})
    tree.child = await tree.host.create_session(
        "explore", parent_session_id=tree.parent.session_id, starter="wake", message_rules={"parent": "allow"}
    )
    return tree


@pytest.fixture
async def tree(server, link) -> Tree:
    """A tree on a server of the test's own process."""
    return await tree_of(link, server.address, server.admin_secret)


@pytest.fixture
async def far_tree(process, link) -> Tree:
    """A tree on `kinpost serve`."""
    return await tree_of(link, process.address, process.admin_secret)


@pytest.fixture
async def spread_tree(replica_processes, link) -> Tree:
    """A tree whose clients have the addresses of two replicas."""
    target = "ipv4:" + ",".join(process.address for process in replica_processes)
    return await tree_of(link, target, replica_processes[0].admin_secret)


@pytest.fixture
async def runtime(tree) -> AsyncIterator[Any]:
    """A runtime attached for both of the tree's agents, with four slots."""
    async with tree.host.runtime("north", agents=["lead", "explore"], slots=4) as attached:
        yield attached


@pytest.fixture
def soon():
    """Wait for something, but not for ever."""

    async def wait(awaitable: Any) -> Any:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await awaitable

    return wait
