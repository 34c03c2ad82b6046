"""The doctor: a sound folder has no differences, and whatever is damaged in a projection is found."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from kinpost_server.domain.approval import ApprovalDecision
from kinpost_server.domain.event import PeerDeadLetterRecorded
from kinpost_server.domain.message import Mode
from kinpost_server.domain.peer import Letter, Route
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.run import RunState
from kinpost_server.domain.session import Availability, Starter
from kinpost_server.engine.attach import Detach
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.decide_approval import DecideApproval
from kinpost_server.engine.delete_session import DeleteSession
from kinpost_server.engine.finish_run import FinishRun
from kinpost_server.engine.fork_session import ForkSession
from kinpost_server.engine.peer_post import Post
from kinpost_server.engine.ports import StoreFailed
from kinpost_server.engine.redeliver_dead_letter import RedeliverDeadLetter
from kinpost_server.engine.register_producer import RegisterProducer, UnregisterProducer
from kinpost_server.engine.revert_session import RevertSession
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.send_peer_message import SendPeerMessage
from kinpost_server.engine.send_user_message import SendUserMessage
from kinpost_server.engine.set_availability import SetAvailability
from kinpost_server.engine.settle_claim import CommitTurn
from kinpost_server.engine.start_run import StartRun
from kinpost_server.store.errors import ForeignDatabase, SchemaTooNew
from kinpost_server.store.examining import Difference, examine
from kinpost_server.store.read_only import ReadOnlySqlite
from kinpost_server.transport.event_codec import decode
from office import ADMIN, APPROVER, PLUGIN, RUNTIME_1, Office
from sqlmodel import SQLModel

# No fold of the log: what these hold, only the running server knows.
NOT_PROJECTIONS = {
    *("event", "token", "runtime", "log", "dropped", "peer_window", "peer_answer", "peer_parked"),
    *("gate_stream", "gate_question"),
}
NOT_FOLDED = {("run", "lease_expire_time"), ("producer", "lease_expire_time"), ("peer_body", "fetch_count")}
NOT_FOLDED |= {("dead_letter", column) for column in ("text", "tldr", "woken_from", "queued")}
MAY_BE_GONE = {"dead_letter"}  # what is kept for a time only


def busy_life(office: Office) -> None:
    """Two trees with everything in them: ended, running, waiting, offered, reverted, forked, held, expiring, dead."""
    rules = {"*": Decision.ALLOW}
    root, first, second, third = (office.new_id() for _ in range(4))
    office.do(CreateSession(RUNTIME_1, root, None, None, None, "lead", rules, "the root"))
    run = office.do(StartRun(RUNTIME_1, root, "", "the run", "turn 0")).run
    for child in (first, second, third):
        call = f"delegate {child}"
        office.do(
            CreateSession(RUNTIME_1, child, root, run.run_id, call, "worker", rules, "works", starter=Starter.WAKE)
        )
    for number in range(4):
        for child in (first, second, third):
            mode = Mode.QUEUE if number % 2 else Mode.STEER
            expire_after = 1_000_000_000 if number == 3 else 0
            call = f"{child} {number}"
            office.do(SendMessage(RUNTIME_1, root, run.run_id, call, child, "go on", mode, expire_after))
    started = office.do(StartRun(RUNTIME_1, first, "", "a run", "turn 1"))
    before = office.session(first).last_seq
    office.do(CommitTurn(RUNTIME_1, first, started.run.run_id, started.claim.claim_seq))
    office.do(SendUserMessage(ADMIN, first, "a person's", "hello", Mode.STEER))
    office.do(FinishRun(RUNTIME_1, first, started.run.run_id, RunState.FAILED, "it broke"))
    office.do(RevertSession(APPROVER, first, before, office.session(first).last_seq))
    office.do(ForkSession(RUNTIME_1, first, before, office.new_id()))
    office.do(SetAvailability(APPROVER, second, Availability.PAUSED, "lunch", office.time + 90_000_000))
    one = office.attach(RUNTIME_1, "one", slots=1)
    office.do(Detach(one))
    office.attach(RUNTIME_1, "one", slots=1)
    office.do(FinishRun(RUNTIME_1, root, run.run_id, RunState.CANCELLED, "enough", by_person=True))
    office.do(StartRun(RUNTIME_1, third, "", "another run", "turn 2", "one"))
    other = office.new_id()
    office.do(CreateSession(RUNTIME_1, other, None, None, None, "other", rules, first_message="begin"))
    office.do(DeleteSession(ADMIN, other, "not needed"))
    letter = Letter("a long text " * 100, "a long text")
    for target in (first, third, root, other):  # the last is gone, so its letter is dead
        office.together(SendPeerMessage(Post(ADMIN, Route.MESSAGE, root, (target,), letter)))
    closed = office.new_id()
    office.do(CreateSession(RUNTIME_1, closed, None, None, None, "other", rules))
    office.do(SetAvailability(APPROVER, closed, Availability.USER_CLOSED))
    office.together(SendPeerMessage(Post(ADMIN, Route.MESSAGE, root, (closed,), Letter("hello"))))
    office.do(SetAvailability(APPROVER, closed, Availability.OPEN))
    dead = [one.payload for one in office.events(root) if isinstance(one.payload, PeerDeadLetterRecorded)]
    office.do(RedeliverDeadLetter(ADMIN, dead[-1].dead_letter_id))
    office.do(CreateSession(RUNTIME_1, asker := office.new_id(), first, None, None, "asker", {"*": Decision.ASK}))
    plugged = [office.do(RegisterProducer(PLUGIN, root, f"registration {number}", "builds")) for number in range(2)]
    office.do(UnregisterProducer(PLUGIN, root, plugged[0].producer_id))
    asking = office.do(StartRun(RUNTIME_1, asker, "", "an asker's run")).run
    asked = [
        office.do(SendMessage(RUNTIME_1, asker, asking.run_id, f"ask {number}", to, "may I", Mode.STEER))
        for number, to in enumerate((first, second, third, root))
    ]
    for question, decision in zip(asked, ApprovalDecision, strict=False):
        office.do(DecideApproval(APPROVER, asker, question.approval_id, decision, "so be it"))
    for number in range(20):
        office.do(SendUserMessage(ADMIN, root, f"more {number}", "hello", Mode.QUEUE))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file after a busy life."""
    office = Office(tmp_path_factory.mktemp("sound") / "kinpost.db")
    busy_life(office)
    office.store.close()
    with plain(office.path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return office.path


@contextlib.contextmanager
def plain(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection of the test's own."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


@pytest.fixture
def copy(sound: Path, tmp_path: Path) -> Path:
    """A copy to be damaged."""
    return Path(shutil.copy(sound, tmp_path / "kinpost.db"))


def differences(path: Path) -> list[Difference]:
    """What the doctor finds."""
    found: list[Difference] = []
    examine(path, decode, found.append)
    return found


def test_a_busy_life_is_sound_and_left_as_it_is(copy):
    before = copy.read_bytes()
    assert differences(copy) == []
    assert copy.read_bytes() == before
    with plain(copy) as connection:
        empty = [
            name
            for name in SQLModel.metadata.tables
            if name not in NOT_PROJECTIONS and not connection.execute(f"SELECT 1 FROM {name}").fetchone()
        ]
    assert empty == [], "the life is not busy enough to show anything about these tables"


PROJECTIONS = [table for name, table in sorted(SQLModel.metadata.tables.items()) if name not in NOT_PROJECTIONS]
COLUMNS = [
    pytest.param(table.name, column.name, id=f"{table.name}.{column.name}")
    for table in PROJECTIONS
    for column in table.columns
    if (table.name, column.name) not in NOT_FOLDED
]


@pytest.mark.parametrize("table, column", COLUMNS)
def test_a_damaged_value_is_reported_wherever_it_is(copy, table, column):
    """Every row's value in turn: one that is not there becomes one that is, a number another, a text longer."""
    key = [each.name for each in SQLModel.metadata.tables[table].primary_key]
    where = " AND ".join(f"{name} = ?" for name in key)
    unseen = []
    with plain(copy) as connection:
        # Uniqueness is the database's own guard; here the value as such must be found out.
        for (index,) in connection.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE UNIQUE%'").fetchall():
            connection.execute(f"DROP INDEX {index}")
        rows = connection.execute(f"SELECT {', '.join(key)}, {column} FROM {table} LIMIT 12").fetchall()
        for row in rows:
            *names, value = row
            if column == "due_time" and value is None:
                continue  # nothing falls due: to look too early does no harm
            damaged = damage(column, value)
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", [damaged, *names])
            found = differences(copy)
            if not any(difference.table == table and difference.column in (column, "") for difference in found):
                unseen.append((names, value, damaged, found))
            names = [damaged if name == column else old for name, old in zip(key, names, strict=True)]
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", [value, *names])
    assert unseen == []
    assert differences(copy) == []


def damage(column, value):
    """Another value of the same kind."""
    if column == "due_time":
        return value + 10**12  # to look too late
    if value is None:
        return b"\x01" * 16 if column in ("parent_session_id", "run_id", "superseded_by", "forked_from") else 1
    if isinstance(value, int):
        return value + 1_000_000
    if isinstance(value, str):
        return f"{value}x"
    return bytes([value[0] ^ 128]) + value[1:] if value else b"x" * 16


@pytest.mark.parametrize("table", [table.name for table in PROJECTIONS if table.name not in MAY_BE_GONE])
def test_a_lost_row_is_reported(copy, table):
    with plain(copy) as connection:
        connection.execute(f"DELETE FROM {table} WHERE rowid = (SELECT min(rowid) FROM {table})") if has_rowid(
            connection, table
        ) else delete_first(connection, table)
    assert table in {difference.table for difference in differences(copy)}


def has_rowid(connection, table):
    """Whether a table has numbers of its own."""
    with contextlib.suppress(sqlite3.OperationalError):
        return connection.execute(f"SELECT rowid FROM {table}").fetchone() is not None
    return False


def delete_first(connection, table):
    """Delete the first row."""
    key = [each.name for each in SQLModel.metadata.tables[table].primary_key]
    row = connection.execute(f"SELECT {', '.join(key)} FROM {table}").fetchone()
    connection.execute(f"DELETE FROM {table} WHERE {' AND '.join(f'{name} = ?' for name in key)}", row)


@pytest.mark.parametrize("table", [table.name for table in PROJECTIONS])
def test_a_row_of_nothing_is_reported(copy, table):
    """Each row once more under another key: of sessions, positions and runs that the log does not know."""
    columns = [column.name for column in SQLModel.metadata.tables[table].columns]
    new = {"position": 10**9, "seq": 10**6, "claim_seq": 10**6}
    with plain(copy) as connection:
        for (index,) in connection.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE UNIQUE%'").fetchall():
            connection.execute(f"DROP INDEX {index}")
        row = dict(
            zip(columns, connection.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchone(), strict=True)
        )
        for name in (each.name for each in SQLModel.metadata.tables[table].primary_key):
            row[name] = new.get(name, b"\x02" * 16 if isinstance(row[name], bytes) else "nobody")
        marks = ", ".join("?" * len(columns))
        connection.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", list(row.values()))
    assert table in {difference.table for difference in differences(copy)}


@pytest.mark.parametrize("column", ["session_id", "root_session_id", "seq", "type", "data"])
def test_a_damaged_event_is_reported_and_the_other_sessions_are_examined(copy, column):
    with plain(copy) as connection:
        (position,) = connection.execute("SELECT position FROM event WHERE type = 60 ORDER BY position").fetchone()
        value = {"session_id": b"\x03" * 16, "root_session_id": b"\x03" * 16, "data": b"\xff"}.get(column, 61)
        connection.execute(f"UPDATE event SET {column} = ? WHERE position = ?", (value, position))
        (other,) = connection.execute("SELECT session_id FROM session ORDER BY position DESC").fetchone()
        connection.execute("UPDATE session SET depth = 77 WHERE session_id = ?", (other,))
    found = differences(copy)
    assert "event" in {difference.table for difference in found}
    assert ("session", "depth", 77) in {(d.table, d.column, d.found) for d in found}


def test_an_event_that_is_gone_is_reported(copy):
    with plain(copy) as connection:
        connection.execute("DELETE FROM event WHERE position = (SELECT min(position) FROM event WHERE type = 61)")
    found = [difference for difference in differences(copy) if difference.table == "event"]
    assert [difference.column for difference in found] == ["seq"]


def test_a_busy_life_leaves_no_difference_in_either_database(office):
    """PostgreSQL's rows are those that the same log makes of a file."""
    busy_life(office)
    assert office.differences() == []


def test_one_moment_is_looked_at_while_a_server_writes(tmp_path):
    office = Office(tmp_path / "kinpost.db")
    busy_life(office)
    database = ReadOnlySqlite(office.path)
    assert database.server()
    with database.moment() as connection:
        (before,) = connection.execute("SELECT count(*) FROM event").fetchone()
        busy_life(office)
        assert connection.execute("SELECT count(*) FROM event").fetchone() == (before,)
    assert differences(office.path) == []
    office.store.close()
    assert database.server() == ""


def test_what_is_no_data_of_ours_is_refused(tmp_path, copy):
    with pytest.raises(StoreFailed, match="is not there"):
        differences(tmp_path / "nothing.db")
    (tmp_path / "text.db").write_text("a text of some length, which is no database at all" * 20)
    with pytest.raises(StoreFailed, match="not a database"):
        differences(tmp_path / "text.db")
    with plain(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE recipe (name TEXT)")
    with pytest.raises(ForeignDatabase):
        differences(tmp_path / "other.db")
    for number, fault in ((0, StoreFailed), (99, SchemaTooNew)):
        with plain(copy) as connection:
            connection.execute("UPDATE log SET schema_number = ?", (number,))
        with pytest.raises(fault, match="schema"):
            differences(copy)
