"""SQLite's own log was damaged while nobody looked. What holds, and what cannot.

* A commit is acknowledged when its frames are on the disk. A crash can tear only frames behind them: whatever was
  acknowledged is there, and what lies torn at the end is as if it had never been.
* A frame that decays afterwards costs its own commit and all behind it, for SQLite cannot tell decay from a tear.
  Nothing before it is touched: the log stays gapless, and the tables are the fold of what is left.
* A caller who repeats a call that was lost so gets it stored anew. A subscriber whose cursor lies in the lost part is
  refused, instead of being shown other events under the same positions.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from calls import Client, fresh, read_refusal
from running import ServerProcess
from torture_kit.projections import check_projections
from trouble import append_uncommitted, cut_behind_last_commit, damage, frames

pytestmark = pytest.mark.only("sqlite", because="the damage is in SQLite's write-ahead log")

# No checkpoint: all commits stay in the write-ahead log.
SETTINGS = """
[storage]
checkpoint_pages = 100000
[producers]
pending_per_session_max = 100000
"""


@pytest.fixture
def settings() -> str:
    return SETTINGS


@pytest.fixture
def write_ahead(database: Path) -> Path:
    """The write-ahead log beside the database."""
    return database.with_name("kinpost.db-wal")


class Mail:
    """People's mail to one session, sent by many at once until the server dies, and what was promised of it."""

    def __init__(self, admin: Client, session: Any) -> None:
        self.admin, self.session = admin, session
        self.promised: dict[str, str] = {}  # client's id to message id
        self.ends: set[grpc.StatusCode] = set()
        self.enough = asyncio.Event()

    async def send(self, client_message_id: str) -> Any:
        answer = await self.admin.user(self.session, client_message_id, client_message_id=client_message_id)
        self.promised[client_message_id] = answer.message_id
        return answer

    async def send_on(self) -> None:
        """Send until the server is gone."""
        while True:
            try:
                await self.send(fresh("user"))
            except grpc.aio.AioRpcError as error:
                self.ends.add(error.code())
                return
            if len(self.promised) >= 150:
                self.enough.set()

    async def until_killed(self, process: ServerProcess) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(8):
                group.create_task(self.send_on())
            await self.enough.wait()
            await process.kill()
        assert self.ends == {grpc.StatusCode.UNAVAILABLE}

    async def stored(self) -> dict[str, str]:
        """Client's ids to message ids, from the log, which must be gapless and hold each once."""
        events = await self.admin.log(session_id=self.session.session_id)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        found = [e.producer_message_accepted for e in events if e.HasField("producer_message_accepted")]
        ids = {message.idempotency_key: message.message_id for message in found}
        assert len(ids) == len(found)
        return ids


@pytest.fixture
async def mail(process: ServerProcess) -> Mail:
    return Mail(process.admin, await process.admin.session())


def half_a_frame(write_ahead: Path) -> None:
    append_uncommitted(write_ahead, 1)
    os.truncate(write_ahead, write_ahead.stat().st_size - 2000)


def frames_without_their_commit(write_ahead: Path) -> None:
    append_uncommitted(write_ahead, 3)


def garbage(write_ahead: Path) -> None:
    with write_ahead.open("ab") as file:
        file.write(bytes(range(256)) * 100)


@pytest.mark.parametrize("tear", [half_a_frame, frames_without_their_commit, garbage])
async def test_what_lies_torn_behind_the_last_commit_never_was(
    process: ServerProcess, mail: Mail, write_ahead: Path, tear: Callable[[Path], None]
) -> None:
    await mail.until_killed(process)
    cut_behind_last_commit(write_ahead)
    tear(write_ahead)
    await process.start()
    stored = await mail.stored()
    assert mail.promised.items() <= stored.items()
    for key, message_id in stored.items():
        again = await mail.send(key)
        assert (again.replayed, again.message_id) == (True, message_id)
    assert not (await mail.send(fresh("user"))).replayed


async def test_a_decayed_last_frame_costs_its_own_commit_alone(
    process: ServerProcess, mail: Mail, write_ahead: Path
) -> None:
    """The last commit is known: it was the last promise, alone in its batch."""
    await asyncio.gather(*(mail.send(fresh("user")) for _ in range(60)))
    before = dict(mail.promised)
    position = (await mail.admin.events.ListEvents(all=True, page_size=1000)).cursor
    last = fresh("user")
    lost = (await mail.send(last)).message_id
    cursor = (await mail.admin.events.ListEvents(all=True, page_size=1000)).cursor
    await process.kill()
    damage(write_ahead, frames(write_ahead)[-1])
    await process.start()
    assert await mail.stored() == before

    beyond = mail.admin.subscribe(all=True, after_cursor=cursor)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await beyond.next()
    assert read_refusal(caught.value).code == "events:cursor_out_of_range"
    repeated = await mail.send(last)
    assert (repeated.replayed, repeated.message_id != lost) == (False, True)
    resumed = mail.admin.subscribe(all=True, after_cursor=position)
    (event,) = await resumed.events(1)
    assert event.producer_message_accepted.message_id == repeated.message_id


async def test_a_frame_that_decays_in_the_middle_costs_what_lies_behind_it_and_nothing_before(
    process: ServerProcess, mail: Mail, write_ahead: Path, database: Path
) -> None:
    await mail.until_killed(process)
    whole = frames(write_ahead)
    commits = [index for index, frame in enumerate(whole) if frame.commits]
    damage(write_ahead, whole[commits[len(commits) * 3 // 4]])
    await process.start()
    stored = await mail.stored()
    assert stored
    assert any(key not in stored for key in mail.promised)
    for key, message_id in stored.items():
        assert mail.promised.get(key, message_id) == message_id
    assert (await mail.admin.look(mail.session)).pending_count == len(stored)
    await process.kill()
    found: list[tuple[str, str]] = []
    assert check_projections(f"sqlite:///{database}", lambda kind, text: found.append((kind, text))) > len(stored)
    assert found == []
