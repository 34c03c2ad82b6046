"""The schema in SQLite: made by migrations, equal to the tables, guarded against other programs, read by indexes."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import stat
from pathlib import Path

import alembic.autogenerate
import alembic.migration
import kinpost_server.store
import pytest
import sqlalchemy as sa
from kinpost_server.engine.ports import StoreFailed
from kinpost_server.store import (
    ForeignDatabase,
    SchemaTooNew,
    UnsupportedDatabase,
    migrate,
    open_store,
    sqlite_url,
    tables,
)
from kinpost_server.store.event_pages import EventPages, _Part
from kinpost_server.store.figures import FigureQueries
from kinpost_server.store.indexing import Indexing
from kinpost_server.store.loading import SessionLoader
from kinpost_server.store.pages import Pages
from kinpost_server.store.queries import Queries
from kinpost_server.store.replaying import Replays
from kinpost_server.store.retention import Retention
from kinpost_server.store.settings import StoreSettings
from kinpost_server.store.sqlite import SqliteDatabase
from kinpost_server.store.statements import KeyedQuery, Query, Rows
from kinpost_server.store.writing import Writer
from kinpost_server.transport.event_codec import decode_body, encode
from scribe import Scribe
from sqlmodel import Session, SQLModel, select


@pytest.fixture
def database(sqlite_database):
    """Here SQLite alone is looked at."""
    return sqlite_database


def described(connection):
    """The statements that made all tables and indexes, without their layout."""
    found = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {name: in_any_order(" ".join(sql.split())) for name, sql in found if name != "alembic_version"}


def in_any_order(sql):
    """A statement with its columns and constraints sorted: a column that was added later stands behind the key."""
    head, _, rest = sql.partition("(")
    body, _, tail = rest.rpartition(")")
    parts = re.split(r",\s*(?![^(]*\))", body)  # not at the commas of a key
    return f"{head.strip()} ({', '.join(sorted(part.strip() for part in parts))}) {tail.strip()}".strip()


def plain(path):
    """A connection of the test's own, as a context."""
    return contextlib.closing(sqlite3.connect(path, isolation_level=None))


def test_the_migrations_make_the_tables(database, tmp_path):
    database.open().store.close()
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'metadata.sqlite3'}")
    SQLModel.metadata.create_all(engine)
    engine.dispose()
    with plain(database.path) as one, plain(tmp_path / "metadata.sqlite3") as other:
        made, declared = described(one), described(other)
    assert made == declared
    assert "message_pending" in made


def test_alembic_finds_nothing_to_migrate(database):
    database.open().store.close()
    engine = sa.create_engine(f"sqlite:///{database.path}")
    with engine.connect() as connection:
        context = alembic.migration.MigrationContext.configure(connection, opts={"compare_type": True})
        assert alembic.autogenerate.compare_metadata(context, SQLModel.metadata) == []
    engine.dispose()


def test_the_programs_number_is_that_of_the_newest_migration():
    folder = Path(kinpost_server.store.__file__).parent / "migrations" / "versions"
    numbers = sorted(int(path.name[:4]) for path in folder.glob("[0-9]*.py"))
    assert numbers == list(range(1, migrate.SCHEMA_NUMBER + 1))
    assert migrate.COMPATIBLE_FROM_NUMBER <= migrate.SCHEMA_NUMBER


def test_the_first_migration_can_be_taken_back(database):
    database.open().store.close()
    engine = sa.create_engine(f"sqlite:///{database.path}")
    with engine.begin() as connection:
        config = migrate.alembic_config(connection)
        alembic.command.downgrade(config, "base")
        assert sa.inspect(connection).get_table_names() == ["alembic_version"]
    engine.dispose()


def set_schema(path, number, compatible_from):
    with plain(path) as connection:
        connection.execute("UPDATE log SET schema_number = ?, compatible_from_number = ?", (number, compatible_from))


def test_a_schema_that_needs_a_newer_program_is_refused(database):
    database.open().store.close()
    newer = migrate.SCHEMA_NUMBER + 1
    set_schema(database.path, newer, newer)
    with pytest.raises(SchemaTooNew, match=rf"schema {newer}, .*this one knows {migrate.SCHEMA_NUMBER}"):
        database.open()
    set_schema(database.path, migrate.SCHEMA_NUMBER, 1)
    database.open()  # the lock was let go of


def test_a_newer_schema_that_this_program_can_serve_is_served(database):
    opened = database.open()
    with Scribe(opened.store).batch() as batch:
        root = batch.create()
    opened.store.close()
    newer = migrate.SCHEMA_NUMBER + 5
    set_schema(database.path, newer, migrate.SCHEMA_NUMBER)
    with plain(database.path) as connection:
        connection.execute("ALTER TABLE message ADD COLUMN colour TEXT")
        connection.execute("UPDATE alembic_version SET version_num = '0006'")
    opened = database.open()
    scribe = Scribe(opened.store)
    scribe._number = 100
    with scribe.batch() as batch:
        batch.tell(batch.session(root.session_id))
    assert opened.reader.last_position() == 2
    opened.store.close()
    with plain(database.path) as connection:
        numbers = connection.execute("SELECT schema_number, compatible_from_number FROM log").fetchone()
    assert numbers == (newer, migrate.SCHEMA_NUMBER)


def test_tables_of_another_program_are_left_alone(database):
    database.path.parent.mkdir()
    with plain(database.path) as connection:
        connection.execute("CREATE TABLE recipe (name TEXT)")
        with pytest.raises(ForeignDatabase, match="recipe"):
            database.open()
        assert described(connection) == {"recipe": "CREATE TABLE recipe (name TEXT)"}


def test_a_database_is_made_whole_or_not_at_all(database, monkeypatch):
    def fail(*_arguments):
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(migrate, "_begin_log", fail)
        with pytest.raises(ZeroDivisionError):
            database.open()
    with plain(database.path) as connection:
        assert described(connection) == {}
    database.open()


@pytest.mark.parametrize(
    "url",
    ["sqlite://", "sqlite:///:memory:", "postgresql://user:secret@host/name", "mysql://host/name", "no URL", ""],
)
def test_a_database_that_is_not_known_is_named(url):
    with pytest.raises(UnsupportedDatabase) as refused:
        open_store(url, encode=encode, decode_body=decode_body)
    assert "secret" not in str(refused.value)


def test_folder_and_file_are_their_owners_only(database):
    database.open()
    assert stat.S_IMODE(database.path.parent.stat().st_mode) == 0o700
    for path in database.path.parent.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_the_writer_waits_for_the_disk(opened):
    connection = opened.store._transaction._connected()
    pragmas = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "busy_timeout", "wal_autocheckpoint", "page_size", "cache_size")
    }
    assert pragmas == {
        "journal_mode": "wal",
        "synchronous": 2,
        "busy_timeout": 5000,
        "wal_autocheckpoint": 4000,
        "page_size": 4096,
        "cache_size": -65536,
    }


def test_the_tables_can_be_read_with_sqlmodel(database):
    opened = database.open()
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
        message = batch.send(root, root)
        seq = batch.claim(root)
    opened.store.close()
    engine = sa.create_engine(f"sqlite:///{database.path}")
    with Session(engine) as session:
        (row,) = session.exec(select(tables.MessageRow)).all()
        assert (row.message_id, row.session_id, row.sender_session_id) == (
            message.message_id,
            root.session_id,
            root.session_id,
        )
        claim = session.get(tables.ClaimRow, (root.session_id, seq))
        assert claim.message_ids == (message.message_id,)
        session.add(tables.EventOfTreeRow(root_session_id=root.session_id, position=99))
        session.commit()
    engine.dispose()
    with plain(database.path) as connection:
        found = connection.execute("SELECT hex(root_session_id), position FROM event_of_tree").fetchall()
    assert found == [(root.session_id.replace("-", "").upper(), 99)]


def statements_of(holder):
    """Every statement that an object holds, by name."""
    for name, value in vars(holder).items():
        if isinstance(value, Query | KeyedQuery):
            yield f"{type(holder).__name__}.{name}", value.sql
        elif isinstance(value, Rows):
            yield f"{type(holder).__name__}.{name}", value.sql(2)
        elif isinstance(value, _Part):
            for inner, sql in statements_of(value):
                yield f"{type(holder).__name__}.{name}.{inner.partition('.')[2]}", sql
        elif isinstance(value, list):
            for number, query in enumerate(value):
                yield f"{type(holder).__name__}.{name}.{number}", query.sql


# Beside the one row of the log: what is asked for as a whole, and the first row of any kind.
MAY_BE_SCANNED = {
    "Queries.tokens": {"SCAN token"},
    "Pages.tokens": {"SCAN token"},
    "Pages.token_version": {"SCAN token"},
    "Queries.active": {"SCAN run USING INDEX run_active"},
    "Queries.renew": {"SCAN run USING INDEX run_active"},
    "Pages.ping": {"SCAN session USING COVERING INDEX session_id"},
    # Each of these indexes, and the table of wakes, holds what is counted and nothing else.
    "FigureQueries.counts": {
        "SCAN run USING INDEX run_active",
        "SCAN peer_parked USING COVERING INDEX peer_parked_due",
        "SCAN dead_letter USING COVERING INDEX dead_letter_time",
        "SCAN session USING INDEX session_failing",
        "SCAN approval USING INDEX approval_pending",
    },
    # Few wait for a slot at a time.
    "Retention.lives": {"SCAN peer_parked"},
    "FigureQueries.wakes": {"SCAN wake"},
    "FigureQueries.mail": {"SCAN message USING INDEX message_pending"},
}


def test_no_statement_looks_at_a_whole_table(database):
    opened = database.open()
    connection = opened.store._transaction._connected()
    sql_database = SqliteDatabase.__new__(SqliteDatabase)
    sql_database.compiler = opened.store._database.compiler
    holders = [
        SessionLoader(sql_database),
        Queries(sql_database),
        Replays(sql_database),
        Pages(sql_database),
        EventPages(sql_database),
        FigureQueries(sql_database),
        Retention(sql_database),
        Indexing(sql_database, 1),
        Writer(sql_database, encode, opened.store._cache),
    ]
    statements = {name: sql for holder in holders for name, sql in statements_of(holder)}
    assert len(statements) > 60
    for name, sql in statements.items():
        plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?")).fetchall()
        steps = [step for *_ids, step in plan]
        scanned = {step for step in steps if step.startswith("SCAN ") and step.split()[1] in SQLModel.metadata.tables}
        assert scanned <= MAY_BE_SCANNED.get(name, {"SCAN log"}), (name, sql, steps)


def test_settings_reach_the_connections(database):
    opened = database.open(StoreSettings(busy_timeout_seconds=1.5, page_cache_bytes=1 << 20, checkpoint_pages=7))
    connection = opened.store._transaction._connected()
    assert connection.execute("PRAGMA busy_timeout").fetchone() == (1500,)
    assert connection.execute("PRAGMA cache_size").fetchone() == (-1024,)
    assert connection.execute("PRAGMA wal_autocheckpoint").fetchone() == (7,)


def test_a_path_with_odd_characters_is_quoted_as_in_every_url(tmp_path):
    path = tmp_path / "a b?c#d%20e" / "x&y.sqlite3"
    opened = open_store(sqlite_url(path), encode=encode, decode_body=decode_body)
    opened.store.close()
    assert [entry.name for entry in path.parent.iterdir() if not entry.name.endswith(".lock")] == ["x&y.sqlite3"]


def test_nothing_can_be_opened_in_a_folder_without_permission(tmp_path):
    with pytest.raises(StoreFailed):
        open_store("sqlite:////proc/kinpost/x.sqlite3", encode=encode, decode_body=decode_body)
