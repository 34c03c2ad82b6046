"""A migration while others work on the same PostgreSQL: nobody waits in a circle."""

from __future__ import annotations

import threading

import pytest
from kinpost_server.store import migrate as migrations
from kinpost_server.store.postgres import WRITERS_LOCK
from postgres_server import connected
from sqlalchemy import text

WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


@pytest.fixture
def newer(monkeypatch):
    """A program that knows one more migration: of one table, then of another."""

    def upgrade(config, _revision):
        connection = config.attributes["connection"]
        for table in ("session", "log"):
            connection.execute(text(f"ALTER TABLE {table} ADD COLUMN note TEXT"))

    monkeypatch.setattr(migrations, "SCHEMA_NUMBER", migrations.SCHEMA_NUMBER + 1)
    monkeypatch.setattr(migrations.command, "upgrade", upgrade)


def until_somebody_waits(looking):
    for _ in range(100_000):
        if looking.execute(WAITING).fetchone()[0]:
            return
    raise AssertionError("nobody waits")


@pytest.mark.parametrize("who", ["writes", "reads"])
def test_a_migration_and_whoever_works_meanwhile_come_to_an_end(postgres_database, newer, who):
    """Those who write are waited for. Those who read are not; should they stand in the way, it is tried again."""
    url = postgres_database.url
    with connected(url) as working, connected(url) as looking:
        working.execute("SET deadlock_timeout = '60s'")  # the migration is who notices
        working.execute("BEGIN")
        if who == "writes":
            working.execute(f"SELECT pg_advisory_xact_lock_shared({WRITERS_LOCK})")
            working.execute("UPDATE log SET mark = mark")
        else:
            working.execute("SELECT * FROM log")
        opened = []
        opening = threading.Thread(target=lambda: opened.append(postgres_database.open()))
        opening.start()
        until_somebody_waits(looking)
        working.execute("SELECT * FROM session")
        working.execute("COMMIT")
        opening.join()
        assert len(opened) == 1
        assert looking.execute("SELECT note FROM log").fetchall() == [(None,)]
