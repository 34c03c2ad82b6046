"""Subscriptions that end and go on: by cursor, with neither hole nor repeat, wherever and however often they end."""

from __future__ import annotations

import asyncio
import contextlib
import random

import grpc
import pytest
from cable import Cable
from calls import Client, Stream
from ledger import Ledger, came
from load import SETTINGS, Load

MESSAGES = 3_000


class Follower:
    """Follows the whole log through whatever ends its stream, and remembers what it saw, in order."""

    def __init__(self) -> None:
        self.positions: list[int] = []
        self.cursor = ""
        self.ends: list[grpc.StatusCode] = []
        self.last = 0  # the position of the last event there will be, once it is known

    async def follow(self, client) -> None:
        """Read up to the last event, resuming after each end; heartbeats make it look whether that is known."""
        while True:
            start = {"after_cursor": self.cursor} if self.cursor else {}
            stream = client.subscribe(all=True, **start)
            try:
                while True:
                    frame = await stream.next()
                    self.positions += [event.position for event in frame.events]
                    self.cursor = frame.cursor
                    if self.last and self.positions[-1] >= self.last:
                        stream.cancel()
                        return
            except grpc.aio.AioRpcError as error:
                self.ends.append(error.code())


@pytest.fixture
def overrides():
    return {**SETTINGS, "events": {"heartbeat_seconds": 0.2}}


@pytest.mark.only("sqlite", "postgres", because="a cable leads to one server")
async def test_a_subscription_that_is_cut_fifty_times_sees_each_event_once_and_in_order(server):
    """The cuts fall after random numbers of bytes, so anywhere within a message, while thousands are written."""
    chance = random.Random(7)
    load = Load(server.admin, body_bytes=200)
    await load.start()
    follower, cuts = Follower(), 0

    async def write() -> None:
        sent = 0
        while sent < MESSAGES or cuts < 50:
            await load.write(50)
            sent += 50

    async with Cable(server.address) as cable:
        options = (("grpc.initial_reconnect_backoff_ms", 20), ("grpc.max_reconnect_backoff_ms", 50))
        reader = Client(cable.address, server.admin_secret, options=options)
        server.clients.append(reader)
        writing = asyncio.create_task(write())
        following = asyncio.create_task(follower.follow(reader))
        while cuts < 50:
            before = len(follower.ends)
            cable.cut_after(chance.randrange(1, 30_000))
            await came(lambda before=before: len(follower.ends) > before or following.done())
            cuts += 1
        await writing
        whole = await server.admin.log(all=True)
        follower.last = whole[-1].position
        await following
    assert follower.positions == [event.position for event in whole]
    assert len(whole) > 3 * MESSAGES
    assert len(follower.ends) >= 50
    assert set(follower.ends) == {grpc.StatusCode.UNAVAILABLE}
    Ledger(whole)


async def test_a_subscription_goes_on_when_the_server_is_killed_in_the_middle_of_writing(process):
    """What a follower saw is what is stored: a commit that a kill -9 cut off was seen by nobody."""
    process.config.write_text("[events]\nheartbeat_seconds = 0.2\n")
    await process.restart()
    follower = Follower()
    options = (("grpc.initial_reconnect_backoff_ms", 20), ("grpc.max_reconnect_backoff_ms", 50))
    reader = Client(process.address, process.admin_secret, options=options)
    writer = Client(process.address, process.admin_secret, options=options)
    process.clients += [reader, writer]
    following = asyncio.create_task(follower.follow(reader))

    async def write() -> None:
        with contextlib.suppress(grpc.aio.AioRpcError):
            while True:
                await writer.session(first_message="x" * 100)

    for _ in range(3):
        writing = [asyncio.create_task(write()) for _ in range(8)]
        before = len(follower.positions)
        await came(lambda before=before: len(follower.positions) > before + 200)
        await process.kill()
        await asyncio.gather(*writing)
        await process.start()
    whole = await writer.log(all=True)
    follower.last = whole[-1].position
    await following
    assert follower.positions == [event.position for event in whole]
    assert len(follower.ends) >= 3
    Ledger(whole)


@pytest.mark.parametrize("scope", ["all", "tree", "session"])
async def test_a_subscription_goes_on_over_a_restart(server, scope, refused):
    load = Load(server.admin)
    await load.start()
    fields = {
        "all": {"all": True},
        "tree": {"root_session_id": load.parent.session_id},
        "session": {"session_id": load.child.session_id},
    }[scope]
    await load.write(100)
    watching = server.admin.subscribe(**fields)
    await watching.until(lambda frame: frame.caught_up)
    await load.write(100)
    for engine in server.engines:
        engine.begin_shutdown()
    with refused("server:shutting_down", grpc.StatusCode.UNAVAILABLE):
        await watching.ended()
    await server.restart()
    load.client = server.admin
    await load.write(100)
    resumed = server.admin.subscribe(**fields, after_cursor=watching.seen[-1].cursor)
    await resumed.until(lambda frame: frame.caught_up)
    await load.write(100)
    seen = [event for frame in (*watching.seen, *resumed.seen) for event in frame.events]
    whole = await server.admin.log(**fields)
    seen += await resumed.events(len(whole) - len(seen))
    assert seen == whole


async def test_a_reader_that_is_slow_only_lags(server):
    """It reads one frame and stops; when it goes on, it finds the log where it left it, and in the end the present."""
    load = Load(server.admin, body_bytes=2000)
    await load.start()
    watching = server.admin.subscribe(all=True)
    first = await watching.next()
    assert first.caught_up
    for _ in range(8):
        await load.write(500)
    whole = await server.admin.log(all=True)
    assert list(first.events) + await watching.events(len(whole) - len(first.events)) == whole
    assert watching.seen[-1].caught_up
    assert len(watching.seen) > 5
    watching.cancel()


async def test_many_starts_in_the_middle_of_writing_have_neither_hole_nor_repeat(server):
    """The switch from what is stored to what is live happens wherever the log stands just then."""
    load = Load(server.admin)
    await load.start()
    streams: list[Stream] = []
    for _ in range(12):
        writing = asyncio.create_task(load.write(40))
        while not writing.done():
            streams.append(server.admin.subscribe(all=True))
            await streams[-1].next()
            if len(streams) % 20 == 0:
                break
        await writing
    whole = await server.admin.log(all=True)

    async def read(stream: Stream) -> list[int]:
        seen = [event.position for frame in stream.seen for event in frame.events]
        while len(seen) < len(whole):
            seen += [event.position for event in await stream.events(1)]
        stream.cancel()
        return seen

    assert len(streams) > 12
    for seen in await asyncio.gather(*(read(stream) for stream in streams)):
        assert seen == [event.position for event in whole]
