"""`kinpost backup` and `kinpost restore`: of one moment, whole or not there, and another log afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from kinpost_server.store.copying import UNFINISHED
from mail import two
from running import LocalServer

pytestmark = pytest.mark.only("sqlite", because="what is copied is a file; pg_dump copies PostgreSQL")

KINPOST = Path(sys.executable).with_name("kinpost")


def kinpost(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command of `kinpost`."""
    return subprocess.run([KINPOST, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=100)


def done(*arguments: object) -> str:
    """Run a command that must succeed; return what it printed."""
    ran = kinpost(*arguments)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


def failed(code: int, *arguments: object) -> str:
    """Run a command that must fail with a code; return what it says of it."""
    ran = kinpost(*arguments)
    assert (ran.returncode, ran.stdout) == (code, "")
    assert ran.stderr.startswith("kinpost: ")
    return ran.stderr


def change(path: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


@pytest.fixture
async def taken(server, tmp_path):
    """A backup of a server with a little mail."""
    _, child, run = await two(server.admin)
    for number in range(3):
        await server.admin.send(run, child, f"mail {number}")
    await server.stop()
    file = tmp_path / "backup.db"
    done("backup", file, "--data", server.folder)
    await server.start()
    return file


@pytest.mark.parametrize("overrides", [{"producers": {"pending_per_session_max": 100_000}}], ids=["much mail"])
async def test_a_backup_is_of_one_moment_while_a_server_writes(server, tmp_path):
    """All that was accepted before is in it, nothing is half in it, and the writer is not held up."""
    _, child, _run = await two(server.admin)
    before = [(await server.admin.user(child, f"before {number}")).message_id for number in range(20)]
    file = tmp_path / "backup.db"
    stopped = asyncio.Event()

    async def write() -> int:
        count = 0
        while not stopped.is_set():
            await asyncio.gather(*(server.admin.user(child, "x" * 3000) for _ in range(10)))
            count += 10
        return count

    writing = asyncio.create_task(write())
    told = await asyncio.to_thread(done, "backup", file, "--data", server.folder)
    stopped.set()
    assert await writing > 0
    assert str(file) in told
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    folder = tmp_path / "restored"
    done("restore", file, "--data", folder)
    assert stat.S_IMODE((folder / "kinpost.db").stat().st_mode) == 0o600
    assert done("doctor", "--data", folder).startswith("sound: ")
    (folder / "admin.token").write_text((server.folder / "admin.token").read_text())
    restored = LocalServer(folder, {})
    await restored.start()
    try:
        events = await restored.admin.log(all=True)
        assert [event.position for event in events] == list(range(1, len(events) + 1))
        kept = {event.producer_message_accepted.message_id for event in events}
        assert set(before) <= kept
        original = await server.admin.log(all=True)
        assert events == original[: len(events)]
        # It is a server like any other: the run goes on, and mail is claimed.
        claim = await restored.admin.claim(await restored.admin.run(child))
        assert [message.message_id for message in claim.messages][:20] == before
    finally:
        await restored.stop()


async def test_a_restored_log_is_another_one(server, taken, tmp_path, refused):
    watching = server.admin.subscribe(all=True)
    cursor = (await watching.next()).cursor
    folder = tmp_path / "restored"
    done("restore", taken, "--data", folder)
    (folder / "admin.token").write_text((server.folder / "admin.token").read_text())
    restored = LocalServer(folder, {})
    await restored.start()
    try:
        with refused("events:other_log", grpc.StatusCode.OUT_OF_RANGE):
            await restored.admin.subscribe(all=True, after_cursor=cursor).next()
    finally:
        await restored.stop()


async def test_a_token_that_was_revoked_since_holds_again_until_it_is_revoked_anew(server, tmp_path, refused):
    """A backup is of its moment, with all that was trusted then."""
    observer = await server.make_token("observer")
    done("backup", tmp_path / "backup.db", "--data", server.folder)
    await server.admin.admin.RevokeToken(token_id=observer.token_id)
    folder = tmp_path / "restored"
    done("restore", tmp_path / "backup.db", "--data", folder)
    (folder / "admin.token").write_text(f"{server.admin_secret}\n")
    restored = LocalServer(folder, {})
    await restored.start()
    try:
        again = restored.client(observer.secret)
        assert await again.sessions.ListSessions() is not None
        await restored.admin.admin.RevokeToken(token_id=observer.token_id)
        with refused("auth:unauthenticated"):
            await again.sessions.ListSessions()
    finally:
        await restored.stop()


async def test_nothing_that_is_there_is_replaced(server, taken, tmp_path):
    content = taken.read_bytes()
    assert "is there already" in failed(3, "backup", taken, "--data", server.folder)
    assert taken.read_bytes() == content
    assert "a server is running on" in failed(3, "restore", taken, "--data", server.folder)
    await server.stop()
    assert "is there already" in failed(3, "restore", taken, "--data", server.folder)
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "kinpost.db-wal").touch()
    assert "is there already" in failed(3, "restore", taken, "--data", tmp_path / "half")
    await server.start()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup.db", "data", "half"]


async def test_a_damaged_backup_is_not_restored(taken, tmp_path):
    content = bytearray(taken.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\x55" * 4096
    taken.write_bytes(content)
    ran = kinpost("restore", taken, "--data", tmp_path / "restored")
    assert ran.returncode in (1, 3)
    assert ran.stderr.startswith("kinpost: ")
    assert list((tmp_path / "restored").iterdir()) == []


@pytest.mark.parametrize(
    "make, why",
    [
        (lambda _path: None, "is not there"),
        (lambda path: path.write_bytes(b"no database" * 1000), "not a database"),
        (lambda path: change(path, "CREATE TABLE other (x)"), "is not Kinpost's"),
    ],
    ids=["missing", "no database", "another's"],
)
def test_what_is_no_database_of_ours_is_neither_backed_up_nor_restored(tmp_path, make, why):
    folder = tmp_path / "data"
    folder.mkdir()
    make(folder / "kinpost.db")
    assert why in failed(3, "backup", tmp_path / "backup.db", "--data", folder)
    assert why in failed(3, "restore", folder / "kinpost.db", "--data", tmp_path / "restored")
    assert not (tmp_path / "backup.db").exists()
    assert list((tmp_path / "restored").iterdir()) == []


async def test_an_older_schema_is_backed_up_as_it_is_and_a_newer_one_is_not(taken, tmp_path):
    change(taken, "UPDATE log SET schema_number = 1")
    done("restore", taken, "--data", tmp_path / "older")
    change(taken, "UPDATE log SET schema_number = 999")
    assert "use a newer release" in failed(3, "restore", taken, "--data", tmp_path / "newer")


async def test_what_an_interrupted_backup_left_is_no_hindrance(server, tmp_path):
    file = tmp_path / "backup.db"
    unfinished = file.with_name(f"{file.name}{UNFINISHED}")
    unfinished.write_bytes(b"half" * 10_000)
    done("backup", file, "--data", server.folder)
    assert not unfinished.exists()
    assert failed(3, "backup", tmp_path / "no" / "such" / "folder", "--data", server.folder)
