"""What goes wrong with a SQLite file: each failure is told as what it is, and the store works again when it is over."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading

import pytest
from kinpost_server.engine.ports import StoreFailed
from kinpost_server.store import StoreLocked, StoreSettings, open_store
from kinpost_server.store.transaction import CommitUnknown
from kinpost_server.transport.event_codec import decode_body, encode
from scribe import Batch, Scribe, whole

IMPATIENT = StoreSettings(busy_timeout_seconds=0.05, commit_resolve_seconds=0.1)


@pytest.fixture
def database(sqlite_database):
    """Here SQLite alone is looked at."""
    return sqlite_database


def python(source, *arguments):
    """Start another process that runs this source; what it prints can be read line by line."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(source), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


LOCKING = """
    import sqlite3, sys
    connection = sqlite3.connect(sys.argv[1], isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    print("locked", flush=True)
    sys.stdin.readline()
    connection.execute("ROLLBACK")
    print("free", flush=True)
"""


@pytest.fixture
def locked(database):
    """A function that has another process lock the file; what it returns frees the file when called."""
    processes = []

    def lock():
        process = python(LOCKING, str(database.path))
        processes.append(process)
        assert process.stdout.readline() == "locked\n"

        def free():
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == "free\n"

        return free

    yield lock
    for process in processes:
        process.kill()
        process.communicate()


class Broken:
    """A connection that does something else than it is told, once."""

    def __init__(self, connection, sql, *, before):
        self.connection = connection
        self._sql = sql
        self._before = before

    def execute(self, sql, *parameters):
        if sql != self._sql:
            return self.connection.execute(sql, *parameters)
        self._sql = None
        if not self._before:
            self.connection.execute(sql, *parameters)
        raise sqlite3.OperationalError("disk I/O error")

    def close(self):
        self.connection.close()


def lose(store, sql, *, before):
    """Let the answer to a statement be lost, before or after it is carried out."""
    transaction = store._transaction
    transaction._connection = Broken(transaction._connected(), sql, before=before)


def test_a_lock_of_another_process_fails_the_batch_and_passes(database, locked):
    opened = database.open(IMPATIENT)
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
    free = locked()
    for _ in range(2):
        with pytest.raises(StoreFailed, match="locked"):
            opened.store.begin()
        opened.store.rollback()
    assert opened.reader.last_position() == 1  # readers never wait for a writer
    free()
    with scribe.batch() as batch:
        batch.tell(batch.session(root.session_id))
    assert opened.reader.last_position() == 2


def test_a_short_lock_is_waited_for(database, locked):
    opened = database.open()
    scribe = Scribe(opened.store)
    free = locked()
    begun = threading.Event()

    def write():
        begun.set()
        with scribe.batch() as batch:
            batch.create()

    writer = threading.Thread(target=write)
    writer.start()
    begun.wait()
    free()
    writer.join()
    assert opened.reader.last_position() == 1


@pytest.mark.parametrize("with_events", [True, False])
def test_a_commit_whose_answer_is_lost_is_found_to_be_stored(database, with_events):
    opened = database.open(IMPATIENT)
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
    lose(opened.store, "COMMIT", before=False)
    with scribe.batch() as batch:
        session = batch.session(root.session_id)
        if with_events:
            batch.send(session, session)
        batch.touch(session, 12345)
    assert opened.reader.get_session(root.session_id).session.due_time == 12345
    assert opened.reader.last_position() == (3 if with_events else 2)
    (kept,) = scribe.load(root.session_id).values()
    assert kept is root
    assert not kept.touched.session
    with scribe.batch() as batch:
        batch.tell(batch.session(root.session_id))


@pytest.mark.parametrize("with_events", [True, False])
def test_a_commit_that_is_lost_fails_and_leaves_nothing(database, with_events):
    opened = database.open(IMPATIENT)
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
    before = whole(root)
    lose(opened.store, "COMMIT", before=True)
    opened.store.begin()
    batch = Batch(scribe)
    session = batch.session(root.session_id)
    if with_events:
        batch.send(session, session)
    batch.touch(session, 12345)
    opened.store.write(batch.changes)
    with pytest.raises(StoreFailed, match="disk I/O error"):
        opened.store.commit()
    opened.store.rollback()
    opened.store.forget(batch.changes.sessions)
    assert whole(scribe.load(root.session_id)[root.session_id]) == before
    with scribe.batch() as batch:
        batch.tell(batch.session(root.session_id))
    assert opened.reader.last_position() == 3


def test_a_commit_that_nobody_can_ask_about_is_said_to_be_unknown(database):
    opened = database.open(IMPATIENT)
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
    lose(opened.store, "COMMIT", before=False)
    opened.store.begin()
    batch = Batch(scribe)
    batch.tell(batch.session(root.session_id))
    opened.store.write(batch.changes)
    away = database.path.with_suffix(".away")
    database.path.rename(away)
    with pytest.raises(CommitUnknown):
        opened.store.commit()
    opened.store.rollback()
    opened.store.forget(batch.changes.sessions)
    with pytest.raises(StoreFailed):
        opened.store.begin()
    away.rename(database.path)
    # It was stored after all, and that is what is seen now.
    (session,) = scribe.load(root.session_id).values()
    assert (session.last_seq, len(session.mail)) == (2, 1)


@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "ROLLBACK"])
def test_the_store_works_again_after_any_statement_failed(database, statement):
    opened = database.open(IMPATIENT)
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        batch.create()
    lose(opened.store, statement, before=True)
    try:
        opened.store.begin()
    except StoreFailed:
        assert statement == "BEGIN IMMEDIATE"
    opened.store.rollback()
    with scribe.batch() as batch:
        batch.create()
    assert opened.reader.last_position() == 2


def test_a_full_disk_fails_the_batch_and_passes(database):
    opened = database.open(IMPATIENT)
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
    connection = opened.store._transaction._connected()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    opened.store.begin()
    batch = Batch(scribe)
    batch.tell(batch.session(root.session_id), body="x" * 100_000)
    with pytest.raises(StoreFailed, match="full"):
        opened.store.write(batch.changes)
    opened.store.rollback()
    opened.store.forget(batch.changes.sessions)
    assert opened.reader.last_position() == 1
    with scribe.batch() as batch:  # over a new connection, which has no such limit
        batch.tell(batch.session(root.session_id), body="x" * 100_000)
    assert opened.reader.last_position() == 2


def test_a_file_that_vanished_is_not_made_anew(database):
    opened = database.open(IMPATIENT)
    opened.store.begin()
    opened.store.rollback()
    opened.store._transaction.disconnect()
    database.path.unlink()
    with pytest.raises(StoreFailed):
        opened.store.begin()
    opened.store.rollback()
    assert not database.path.exists()


def test_a_reader_that_fails_is_told_and_replaced(database):
    opened = database.open(IMPATIENT)
    opened.reader.ping()
    (connection,) = opened.reader._pool._idle
    away = database.path.with_suffix(".away")
    database.path.rename(away)
    connection.close()
    with pytest.raises(StoreFailed):
        opened.reader.ping()
    with pytest.raises(StoreFailed):
        opened.reader.last_position()
    away.rename(database.path)
    opened.reader.ping()
    assert opened.reader.last_position() == 0


def test_a_reader_cannot_write(opened):
    with opened.reader._pool.connection() as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM event")


def test_bytes_that_are_no_database_are_refused(database):
    database.path.parent.mkdir()
    database.path.write_bytes(b"This is a letter, and no database. " * 200)
    with pytest.raises(StoreFailed, match="not a database"):
        database.open()
    database.path.unlink()
    database.open()  # the lock was let go of


def test_a_folder_that_cannot_be_made_is_told(database):
    database.path.parent.write_text("a file where the folder should be")
    with pytest.raises(StoreFailed, match=r"kinpost\.sqlite3: "):
        database.open()


def test_a_second_server_in_this_process_is_refused(database):
    opened = database.open()
    with pytest.raises(StoreLocked, match=rf"in use by process {os.getpid()}: one server at a time"):
        database.open()
    opened.store.close()
    lock = database.path.with_name(database.path.name + ".lock")
    assert lock.read_text() == ""  # nobody is named who no longer holds it
    database.open()


def test_a_second_name_of_the_file_is_the_same_file(database, tmp_path):
    opened = database.open()
    other = tmp_path / "other.sqlite3"
    other.symlink_to(database.path)
    with pytest.raises(StoreLocked):
        open_store(f"sqlite:///{other}", encode=encode, decode_body=decode_body)
    opened.store.close()


SERVING = """
    import sys
    from kinpost_server.store import StoreLocked, open_store
    from kinpost_server.transport.event_codec import decode_body, encode
    try:
        opened = open_store(sys.argv[1], encode=encode, decode_body=decode_body)
    except StoreLocked as refusal:
        print("refused:", refusal, flush=True)
    else:
        print("open", flush=True)
    sys.stdin.readline()
"""


def test_another_process_is_refused_until_the_first_is_killed(database):
    first = python(SERVING, database.url)
    assert first.stdout.readline() == "open\n"
    with pytest.raises(StoreLocked, match=f"in use by process {first.pid}"):
        database.open()
    second = python(SERVING, database.url)
    assert f"in use by process {first.pid}" in second.stdout.readline()
    second.communicate("\n")
    first.send_signal(signal.SIGKILL)
    first.communicate()
    database.open()
