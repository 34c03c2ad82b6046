"""What goes wrong with PostgreSQL: each failure is told as what it is, and the store works again when it is over."""

from __future__ import annotations

import select
import threading

import psycopg
import pytest
import sqlalchemy as sa
from kinpost_server.engine.ports import RowRefused, StoreFailed
from kinpost_server.engine.replica_ports import BeginAgain
from kinpost_server.store import ForeignDatabase, SchemaTooNew, StoreSettings, UnsupportedDatabase, migrate, open_store
from kinpost_server.store.event_pages import EventPages
from kinpost_server.store.loading import SessionLoader
from kinpost_server.store.pages import Pages
from kinpost_server.store.postgres import VERSION_MIN
from kinpost_server.store.queries import Queries
from kinpost_server.store.replaying import Replays
from kinpost_server.store.statements import ArrayRows, KeyedQuery, Query
from kinpost_server.store.transaction import CommitUnknown
from kinpost_server.store.writing import Writer
from kinpost_server.transport.event_codec import decode_body, encode
from plans import plan_of
from postgres_server import connected
from scribe import Batch, Scribe, whole
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlmodel import SQLModel

IMPATIENT = StoreSettings(busy_timeout_seconds=0.2, commit_resolve_seconds=2)


@pytest.fixture
def database(postgres_database):
    """Here PostgreSQL alone is looked at."""
    return postgres_database


@pytest.fixture
def outside(database):
    """A connection of somebody else's to the same database."""
    with connected(database.url) as connection:
        yield connection


def cut(outside):
    """End every other connection to the database, from the server's side."""
    outside.execute(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


def lose_commit(store, *, before):
    """Let the answer to COMMIT be lost, before or after it is sent. The old connection stands until it is ended."""
    connection = store._transaction._connected()
    execute = connection.execute

    def lost(sql, *parameters):
        if sql != "COMMIT":
            return execute(sql, *parameters)
        if not before:
            execute(sql, *parameters)
        raise psycopg.OperationalError("the line went dead")

    connection.execute = lost
    connection.close = lambda: None
    return connection


@pytest.mark.parametrize("with_events", [True, False])
@pytest.mark.parametrize("before", [True, False])
def test_a_commit_whose_answer_is_lost_is_looked_for(database, before, with_events):
    opened = database.open(IMPATIENT)
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
    old = lose_commit(opened.store, before=before)
    opened.store.begin()
    batch = Batch(scribe)
    session = batch.session(root.session_id)
    if with_events:
        batch.tell(session)
    batch.touch(session, 12345)
    opened.store.write(batch.changes)
    if before:
        with pytest.raises(StoreFailed, match="line went dead"):
            opened.store.commit()
    else:
        opened.store.commit()
    opened.store.rollback()
    (now,) = scribe.load(root.session_id).values()
    assert now.due_time == (None if before else 12345)
    assert now.last_seq == (2 if with_events and not before else 1)
    with scribe.batch() as batch:
        batch.tell(batch.session(root.session_id))
    old._connection.close()


def test_a_commit_that_nobody_can_ask_about_is_said_to_be_unknown(database, postgres_server, outside):
    opened = database.open(StoreSettings(commit_resolve_seconds=0.1))
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
    old = lose_commit(opened.store, before=False)
    opened.store.begin()
    batch = Batch(scribe)
    batch.tell(batch.session(root.session_id))
    opened.store.write(batch.changes)
    name = sa.make_url(database.url).database
    postgres_server.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
    with pytest.raises(CommitUnknown):
        opened.store.commit()
    opened.store.rollback()
    with pytest.raises(StoreFailed):
        opened.store.begin()
    postgres_server.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
    (session,) = scribe.load(root.session_id).values()
    assert (session.last_seq, len(session.mail)) == (2, 1)
    old._connection.close()


def test_a_connection_that_is_cut_fails_one_batch_and_is_made_anew(database, outside):
    opened = database.open()
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
    cut(outside)
    heard(opened.store._transaction._connection)
    opened.store.begin()  # between two batches it costs none
    batch = Batch(scribe)
    batch.tell(batch.session(root.session_id))
    cut(outside)
    with pytest.raises(StoreFailed):
        opened.store.write(batch.changes)
    with pytest.raises(StoreFailed, match="lost within the transaction"):  # and not half of it over a new connection
        opened.store.load_messages([root.session_id])
    with pytest.raises(StoreFailed):
        opened.store.commit()
    opened.store.rollback()
    with scribe.batch() as batch:
        batch.tell(batch.session(root.session_id))
    assert opened.reader.last_position() == 2


def test_readers_that_are_cut_are_made_anew(database, outside):
    """One that was cut while nobody used it fails nobody."""
    opened = database.open()
    pool = opened.reader._pool
    with pool.connection(), pool.connection():
        opened.reader.ping()
    assert len(pool._idle) == 3
    cut(outside)
    for connection in pool._idle:
        heard(connection)
    opened.reader.ping()
    assert len(pool._idle) == 1
    with pytest.raises(StoreFailed), pool.connection() as connection:
        cut_within(outside, connection)
    assert opened.reader.last_position() == 0


@pytest.mark.parametrize("noticed", [False, True], ids=["by nobody yet", "by whoever looked before"])
def test_a_connection_whose_end_was_noticed_is_made_anew_too(database, outside, noticed):
    opened = database.open()
    connection = opened.store._transaction._connection
    cut(outside)
    heard(connection)
    if noticed:
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
        assert connection._connection.closed
    opened.store.begin()
    opened.store.rollback()


def cut_within(outside, connection):
    """Cut a connection off while somebody uses it."""
    cut(outside)
    connection.execute("SELECT 1")


def heard(connection):
    """Wait until this machine has heard that a connection was cut."""
    assert select.select([connection.fileno()], [], [], 30)[0]


def test_a_reader_cannot_write(opened):
    with pytest.raises(StoreFailed, match="read-only"), opened.reader._pool.connection() as connection:
        connection.execute("DELETE FROM event")


def test_a_tree_that_another_holds_fails_the_batch_in_time(database):
    opened, other = database.open(IMPATIENT), database.open()
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root, elsewhere = batch.create(), batch.create()
    other.store.begin()
    other.store.load_sessions([root.session_id])
    opened.store.begin()
    with pytest.raises(BeginAgain):  # it is not said that the database is away: once more, over the same connection
        opened.store.load_sessions([root.session_id])
    opened.store.rollback()
    opened.store.begin()
    with pytest.raises(StoreFailed, match="lock timeout"):
        opened.store.load_sessions([root.session_id])
    opened.store.rollback()
    with scribe.batch() as batch:  # nobody else waits for it, and nobody who reads
        batch.tell(batch.session(elsewhere.session_id))
    assert opened.reader.get_session(root.session_id) is not None
    other.store.rollback()
    with scribe.batch() as batch:
        batch.tell(batch.session(root.session_id))


def test_leases_are_renewed_while_nobody_is_within_a_batch(database):
    opened, other = database.open(IMPATIENT), database.open()
    other.store.begin()
    with pytest.raises(StoreFailed, match="lock timeout"):
        opened.store.renew_leases(1, 1)
    other.store.rollback()
    assert opened.store.renew_leases(1, 1) == 0


def test_a_row_that_another_server_was_faster_with_is_refused_alone(database):
    opened, other = database.open(), database.open()
    one, two = Scribe(opened.store), Scribe(other.store)
    with one.batch() as batch:
        root = batch.create()
    other.store.begin()
    batch = Batch(two)
    batch.create(session_id=root.session_id)
    with pytest.raises(RowRefused):
        other.store.write(batch.changes)
    other.store.rollback()
    with two.batch() as batch:
        batch.tell(batch.session(root.session_id))
    (seen,) = one.load(root.session_id).values()
    assert (seen.last_seq, len(seen.mail)) == (2, 1)


def test_every_character_comes_back(opened, scribe):
    odd = "a\0b\x1a0\x1a1\x1a\\\"{},NULL'\u2028\U0001f44b"
    with scribe.batch() as batch:
        root = batch.create(agent=odd)
        batch.run(root, client_run_id=odd)
        batch.send(root, root, call=odd, body=odd)
    (again,) = scribe.load(root.session_id).values()
    assert whole(again) == whole(root)
    opened.store.begin()
    assert opened.store.load_replays(batch.changes.replays) == batch.changes.replays
    opened.store.rollback()


def empty_database(postgres_server):
    return postgres_server.make_database(empty=True)


def test_two_servers_that_start_at_once_make_one_database(postgres_server):
    url = empty_database(postgres_server)
    opened, failures = [], []
    together = threading.Barrier(3)

    def start():
        together.wait()
        try:
            opened.append(open_store(url, encode=encode, decode_body=decode_body))
        except Exception as failure:  # noqa: BLE001 - shown below
            failures.append(failure)

    threads = [threading.Thread(target=start) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len({(one.log_id, one.envelope_key) for one in opened}) == 1
    for one in opened:
        one.store.close()
    postgres_server.drop_database(url)


def test_tables_of_another_program_are_left_alone(postgres_server):
    url = empty_database(postgres_server)
    with connected(url) as connection:
        connection.execute("CREATE TABLE recipe (name TEXT)")
        with pytest.raises(ForeignDatabase, match="recipe"):
            open_store(url, encode=encode, decode_body=decode_body)
        (count,) = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert count == 1
    postgres_server.drop_database(url)


def test_a_server_that_is_too_old_is_refused_and_its_database_left_alone(postgres_server, monkeypatch):
    """Which version it has is what SQLAlchemy reads when it connects; the one before the oldest is not here to ask."""
    read = "_get_server_version_info"
    url = empty_database(postgres_server)
    monkeypatch.setattr(PGDialect_psycopg, read, lambda *_connection: (VERSION_MIN - 1, 19))
    with pytest.raises(UnsupportedDatabase, match=r"^PostgreSQL 14 is too old: use 15 or newer$"):
        open_store(url, encode=encode, decode_body=decode_body)
    with connected(url) as connection:
        (count,) = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert count == 0
    monkeypatch.setattr(PGDialect_psycopg, read, lambda *_connection: (VERSION_MIN, 0))
    open_store(url, encode=encode, decode_body=decode_body).store.close()
    postgres_server.drop_database(url)


def test_a_schema_that_needs_a_newer_program_is_refused_and_one_that_does_not_is_served(database, outside):
    newer = migrate.SCHEMA_NUMBER + 1
    set_schema = "UPDATE log SET schema_number = %s, compatible_from_number = %s"
    outside.execute(set_schema, (newer, newer))
    with pytest.raises(SchemaTooNew, match=rf"schema {newer}"):
        database.open()
    outside.execute(set_schema, (newer, migrate.SCHEMA_NUMBER))
    outside.execute("ALTER TABLE message ADD COLUMN colour TEXT")
    with Scribe(database.open().store).batch() as batch:
        batch.tell(batch.create())
    assert outside.execute("SELECT schema_number FROM log").fetchone() == (newer,)


def test_a_server_that_is_not_there_is_told_without_the_password():
    with pytest.raises(StoreFailed) as told:
        open_store("postgresql+psycopg://me:secret@127.0.0.1:1/name", encode=encode, decode_body=decode_body)
    assert "secret" not in str(told.value)


def statements_of(holder):
    """Every statement that an object holds, by name."""
    for name, value in vars(holder).items():
        if isinstance(value, Query | KeyedQuery):
            yield f"{type(holder).__name__}.{name}", value.sql
        elif isinstance(value, ArrayRows):
            yield f"{type(holder).__name__}.{name}", value.sql(1)
        elif type(value).__module__ == EventPages.__module__:
            yield from ((f"{type(holder).__name__}.{name}.{inner}", sql) for inner, sql in statements_of(value))


# As a whole.
MAY_BE_SCANNED = {"Queries.tokens": {"token"}, "Pages.tokens": {"token"}, "Pages.token_version": {"token"}}


def test_no_statement_looks_at_a_whole_table(opened):
    database, store = opened.store._database, opened.store
    holders = [SessionLoader(database), Queries(database), Replays(database), Pages(database), EventPages(database)]
    holders += [Writer(database, encode, store._cache), store._trees, store.peer, opened.reader.peer]
    statements = {name: sql for holder in holders for name, sql in statements_of(holder)}
    assert len(statements) > 80
    with store._transaction.connection() as connection:
        for name, sql in statements.items():
            plan = plan_of(connection, sql)
            scanned = {
                node["Relation Name"] for node in plan if node["Node Type"] == "Seq Scan"
            } & SQLModel.metadata.tables.keys()
            assert scanned <= MAY_BE_SCANNED.get(name, {"log"}), (name, sql, plan)


def test_the_database_is_to_notice_soon_that_a_machine_of_ours_is_gone(database):
    """It lets go of what that one held: a tree's lock, or the one that says that it lives."""
    opened = database.open()
    with opened.reader._pool.connection() as connection:
        names = ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout")
        asked = "SELECT reset_val FROM pg_settings WHERE name = $1"  # what is in force is a socket's; here it is a file
        found = [connection.execute(asked, [name]).fetchone()[0] for name in names]
    assert found == ["5", "5", "2", "15000"]
