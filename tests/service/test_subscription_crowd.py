"""Many subscribers: who stalls disturbs nobody, and who leaves, by cancel or by a broken connection, leaves nothing."""

from __future__ import annotations

import asyncio
import gc
import resource
from itertools import pairwise
from pathlib import Path

import grpc
import pytest
from cable import Cable
from calls import Client
from ledger import came
from load import SETTINGS, Load

MIB = 1 << 20
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


def resident_bytes(process_id: int) -> int:
    """Return how much of a process is in memory."""
    return int(Path(f"/proc/{process_id}/statm").read_text().split()[1]) * resource.getpagesize()


class Reader:
    """A subscriber of everything that keeps the positions alone, of many thousands of events."""

    def __init__(self, client: Client) -> None:
        self.stream = client.subscribe(all=True)
        self.positions: list[int] = []

    async def read_to(self, position: int) -> None:
        """Read on until an event of at least this position has come."""
        while not self.positions or self.positions[-1] < position:
            frame = await self.stream.next()
            self.stream.seen.clear()
            self.positions += [event.position for event in frame.events]


@pytest.fixture
def config_text():
    # The database's own cache is small here, or it would go on filling while the rest is measured.
    # Whoever writes renews its leases by that alone, and reads in between.
    delivery = {**SETTINGS.get("delivery", {}), "run_lease_seconds": 600.0}
    sections = {**SETTINGS, "delivery": delivery, "storage": {"page_cache_bytes": MIB, "cached_body_bytes_max": MIB}}
    lines = []
    for section, values in sections.items():
        lines += [f"[{section}]", *(f"{key} = {value}" for key, value in values.items())]
    return "\n".join(lines)


async def newest(client: Client, session) -> int:
    """Return the position of a session's newest event."""
    last_seq = (await client.look(session)).last_seq
    page = await client.events.ListEvents(session_id=session.session_id, after_seq=last_seq - 1)
    return page.events[-1].position


@pytest.mark.only("sqlite", because="a hundred thousand events, read twenty times, take minutes over PostgreSQL")
@pytest.mark.timeout(900)
async def test_one_of_twenty_that_stalls_disturbs_nobody_and_costs_little(process, config_text):
    """A hundred thousand events: nineteen see them all while one reads nothing, and then it sees them all too."""
    process.config.write_text(config_text)
    await process.restart()
    load = Load(process.admin, body_bytes=3000)
    await load.start()
    readers = [Reader(process.client(process.admin_secret)) for _ in range(20)]
    stalled = readers.pop()
    await stalled.stream.next()

    async def write(rounds: int) -> tuple[int, list[int]]:
        """Return the position reached, and how much memory the server had after each of the rounds."""
        resident = []
        for _ in range(rounds):
            for _ in range(6):
                await load.write(500)
            last = await newest(process.admin, load.child)
            await asyncio.gather(*(reader.read_to(last) for reader in readers))
            resident.append(resident_bytes(process.process.pid))
        return last, resident

    _, before = await write(4)  # until what is kept of the newest events has been full more than once
    last, after = await write(8)
    grown = min(after[-4:]) - max(before)
    whole = list(range(1, last + 1))
    assert all(reader.positions == whole for reader in readers)
    assert last > 100_000
    assert len(stalled.stream.seen) == 1
    assert grown < 16 * MIB, f"{grown / MIB:.1f} MiB, when a subscriber that reads nothing has 100 MiB before it"
    stalled.positions = [event.position for frame in stalled.stream.seen for event in frame.events]
    await stalled.read_to(last)
    assert stalled.positions == whole


async def come_and_go(clients: list[Client], cable: Cable, cycles: int) -> None:
    """Subscribe so many times: half of it is cancelled, half is cut off with its connection."""
    done = 0
    while done < cycles:
        asked = [client.subscribe(all=True, from_now=True) for client in clients for _ in range(10)]
        begun = await asyncio.gather(*(stream.next() for stream in asked), return_exceptions=True)
        failed = [fault for fault in begun if isinstance(fault, BaseException)]
        # One that is asked for just when its connection breaks never begins, and does not count.
        assert all(isinstance(f, grpc.aio.AioRpcError) and f.code() is UNAVAILABLE for f in failed), failed
        streams = [stream for stream, first in zip(asked, begun, strict=True) if not isinstance(first, BaseException)]
        for stream in streams[::2]:
            stream.cancel()
        cable.cut()
        await asyncio.gather(*(stream.call.code() for stream in streams))
        done += len(streams)


@pytest.fixture
def reconnecting():
    """Make clients that connect through a cable, and at once again when it was cut."""

    def make(cable: Cable, secret: str, count: int) -> list[Client]:
        options = (("grpc.initial_reconnect_backoff_ms", 10), ("grpc.max_reconnect_backoff_ms", 20))
        return [Client(cable.address, secret, options=options) for _ in range(count)]

    return make


@pytest.mark.only("sqlite", "postgres", because="a cable leads to one server, whose tasks are counted")
async def test_thousands_who_came_and_went_leave_no_handler_task_or_watcher(server, reconnecting, service_log):
    async with Cable(server.address) as cable:
        clients = reconnecting(cable, server.admin_secret, 5)
        before = len(asyncio.all_tasks())
        await come_and_go(clients, cable, 5000)
        for client in clients:
            await client.close()
        await came(lambda: server.transport.door.calls == 0)
        await came(lambda: len(asyncio.all_tasks()) <= before)
    assert len(server.transport.door.streams) == 0
    assert [(engine._hub.watching, engine._hub._waiting) for engine in server.engines] == [(0, {})]
    assert [entry for entry in service_log if entry["log_level"] == "error"] == []
    gc.collect()
    left = [task for task in gc.get_objects() if isinstance(task, asyncio.Task) and not task.done()]
    assert len(left) <= before


async def test_thousands_who_came_and_went_leave_no_memory(process, reconnecting):
    async with Cable(process.address) as cable:
        clients = reconnecting(cable, process.admin_secret, 5)
        await come_and_go(clients, cable, 500)
        sizes = [resident_bytes(process.process.pid)]
        for _ in range(3):  # how many of them are there at a time is chance
            await come_and_go(clients, cable, 1500)
            sizes.append(resident_bytes(process.process.pid))
        for client in clients:
            await client.close()
    grown = min(after - before for before, after in pairwise(sizes))
    assert grown < 2 * MIB, f"{grown / MIB:.1f} MiB with each 1500 subscriptions: {sizes}"
