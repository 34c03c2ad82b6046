"""The disk is full: sends fail retryably and nothing of them is stored; once there is room the service is well again.

Two real disks: a small one of its own, in a mount namespace of the server's, and, where that is not allowed, the
limit that the kernel puts on the size of a process's files.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from calls import Client, fresh, read_refusal
from running import ServerProcess
from trouble import limit_files

pytestmark = pytest.mark.only("sqlite", because="PostgreSQL's disk is not the service's")

DISK_BYTES = 8 << 20
LEFT_BYTES = 800 << 10
BODY_BYTES = 30_000
SENDERS = 8
SETTINGS = """
[server]
health_seconds = 0.1
[storage]
checkpoint_pages = 100
[producers]
pending_per_session_max = 100000
"""
UNSHARE = ("unshare", "--mount") if os.getuid() == 0 else ("unshare", "--user", "--map-root-user", "--mount")


class OfItsOwnView(ServerProcess):
    """A server that may see another disk in the place of its folder than we do."""

    @property
    def seen_folder(self) -> Path:
        return Path(f"/proc/{self.process.pid}/root{self.folder}")

    @property
    def admin_secret(self) -> str:
        return (self.seen_folder / "admin.token").read_text().strip()


class SmallDisk:
    """A tmpfs that only the server sees, filled up but for some pages by a file beside the data."""

    def __init__(self, process: OfItsOwnView) -> None:
        self._filler = process.seen_folder / "filler"
        disk = os.statvfs(process.seen_folder)
        assert disk.f_blocks * disk.f_frsize == DISK_BYTES
        self._filler.write_bytes(bytes(disk.f_bavail * disk.f_frsize - LEFT_BYTES))

    def make_room(self) -> None:
        self._filler.unlink()


class SmallFiles:
    """A limit on the size of each of the server's files, a little above what they have."""

    def __init__(self, process: OfItsOwnView) -> None:
        self._process_id = process.process.pid
        largest = max(path.stat().st_size for path in process.folder.iterdir())
        limit_files(self._process_id, largest + LEFT_BYTES)

    def make_room(self) -> None:
        limit_files(self._process_id, -1)


def may_mount(folder: Path) -> bool:
    """Whether this machine lets us mount."""
    command = (*UNSHARE, "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder)
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@pytest.fixture(params=["a disk of its own", "limited files"])
async def process(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[OfItsOwnView]:
    """A server, on a disk of 8 MiB or on the common one."""
    config = tmp_path / "kinpost.toml"
    config.write_text(SETTINGS)
    folder = tmp_path / "data"
    folder.mkdir()
    made = OfItsOwnView(folder, config)
    if request.param == "a disk of its own":
        if not may_mount(folder):
            pytest.skip("this machine does not let us mount: the limit on files stands in for a full disk")
        mount = f'mount -t tmpfs -o size={DISK_BYTES},mode=0700 tmpfs {folder} && exec "$@"'
        made.within = (*UNSHARE, "sh", "-c", mount, "sh")
    try:
        await made.start()
        yield made
    finally:
        await made.close()


@pytest.fixture
def disk(process: OfItsOwnView) -> SmallDisk | SmallFiles:
    """The server's disk, all but full."""
    return SmallDisk(process) if process.within else SmallFiles(process)


async def bodies(admin: Client, session: Any) -> dict[str, str]:
    """The accepted messages of a session: id to body."""
    found = [event.producer_message_accepted for event in await admin.log(session_id=session.session_id)]
    ids = [message.message_id for message in found if message.message_id]
    assert len(ids) == len(set(ids))
    return {message.message_id: message.body for message in found if message.message_id}


async def test_a_full_disk_loses_nothing_and_keeps_nothing_half(
    process: OfItsOwnView, disk: SmallDisk | SmallFiles
) -> None:
    admin = process.admin
    session = await admin.session()
    promised: dict[str, str] = {}
    refused: list[dict[str, str]] = []

    async def send_until_refused(sender: int) -> None:
        for number in itertools.count():
            body = f"{sender} {number} ".ljust(BODY_BYTES, "x")
            call = {"client_message_id": fresh("user"), "body": body}
            try:
                promised[(await admin.user(session, **call)).message_id] = body
            except grpc.aio.AioRpcError as error:
                told = read_refusal(error)
                assert (told.code, told.grpc_code) == ("storage:unavailable", grpc.StatusCode.UNAVAILABLE)
                assert told.retry_seconds
                refused.append(call)
                return

    await asyncio.gather(*map(send_until_refused, range(SENDERS)))
    assert promised
    assert await bodies(admin, session) == promised

    disk.make_room()
    for call in refused:
        first, again = await admin.user(session, **call), await admin.user(session, **call)
        assert (first.message_id, first.replayed, again.replayed) == (again.message_id, False, True)
        promised[first.message_id] = call["body"]
    assert await bodies(admin, session) == promised

    if not process.within:  # with its end the small disk would go too
        await process.kill()
        await process.start()
        assert await bodies(admin, session) == promised
