"""What a send costs does not depend on how long the log is."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from filling import lengthen_postgres
from kinpost_server.domain.guards import MessagingLimits
from kinpost_server.domain.message import Mode
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.session import Starter
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.settings import EngineSettings
from kinpost_server.engine.start_run import StartRun
from kinpost_server.store import StoreSettings
from kinpost_server.store.postgres_wire import PostgresConnection
from office import RUNTIME_1, Office
from postgres_server import connected
from scribe import Scribe

FRAME_BYTES = 4096 + 24
SESSIONS = 64


def test_a_batch_of_sends_writes_as_few_pages_into_a_long_log_as_into_a_new_one(sqlite_database):
    """Without a checkpoint the write-ahead log shows each page that a commit writes."""
    database = sqlite_database
    opened = database.open(StoreSettings(checkpoint_pages=0, unindexed_events_max=512))
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        sessions = [batch.create() for _ in range(SESSIONS)]
        for session in sessions:
            batch.run(session)
    log = database.path.with_name(database.path.name + "-wal")
    pages = []
    for turn in range(90):
        before = log.stat().st_size
        with scribe.batch() as batch:
            for number, session in enumerate(sessions):
                batch.send(session, sessions[(number * 7 + turn) % SESSIONS], body="x" * 200)
        pages.append((log.stat().st_size - before) // FRAME_BYTES)
        with scribe.batch() as batch:  # so that mail does not pile up
            for session in sessions:
                batch.claim(session)
                batch.commit(session)
    assert opened.reader.last_position() > 15_000
    new, long = sorted(pages[:20]), sorted(pages[-20:])
    assert long[10] <= new[10] + 2
    assert long[10] < SESSIONS / 2  # an index that leads with the session would write a page for each
    assert sum(pages[-40:]) < 40 * SESSIONS / 2  # the batches that bring the indexes up to date included


EVENTS = 100_000
CHILDREN = 8
TURNS = 12
# PostgreSQL counts for each connection, within a transaction too, whatever others do.
COUNTED = """
    SELECT sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::bigint,
    sum(pg_stat_get_xact_blocks_fetched(oid))::bigint
    FROM pg_class WHERE relnamespace = 'public'::regnamespace
"""
UNTOUCHED = """
    DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    EXECUTE format('ALTER TABLE %I SET (autovacuum_enabled = false)', name);
    END LOOP; END $$
"""


class Cost(NamedTuple):
    """What a commit asked of the database: `rows` are those read, and entries of indexes; `pages` those looked at."""

    statements: int
    rows: int
    pages: int


class Meter:
    """Counts, for each commit of a store, what its transaction cost."""

    def __init__(self, office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
        self.costs: list[Cost] = []
        self._store = office.store
        self._statements = 0
        self._begin, self._commit = self._store.begin, self._store.commit
        execute = PostgresConnection.execute

        def counted(connection, *given):
            self._statements += 1
            return execute(connection, *given)

        monkeypatch.setattr(PostgresConnection, "execute", counted)
        monkeypatch.setattr(self._store, "begin", self.begin)
        monkeypatch.setattr(self._store, "commit", self.commit)

    def begin(self) -> None:
        self._begin()
        self._before = self._read()

    def commit(self) -> None:
        found = self._read()
        self.costs.append(Cost(*(now - before for now, before in zip(found, self._before, strict=True))))
        self._commit()

    def _read(self) -> Cost:
        statements = self._statements
        with self._store._transaction.connection() as connection:
            rows, pages = connection.execute(COUNTED).fetchone()
        self._statements = statements
        return Cost(statements, rows, pages)


def costs_of_sends(url, folder, monkeypatch) -> list[Cost]:
    """Send one message and then 64 in one commit, again and again; return what each commit cost.

    As long as anybody in the database has an older snapshot, and the server's own vacuum of the catalogue has one now
    and then, an index counts entries of dead rows which it passes by otherwise. So there is always one.
    """
    limits = MessagingLimits(max_pending_per_session=1 << 20, max_inflight_per_pair=0)
    with connected(url) as onlooker:
        onlooker.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        onlooker.execute("SELECT count(*) FROM pg_class")
        office = Office(folder / "unused", url, EngineSettings(messaging=limits))
        try:
            with monkeypatch.context() as patch:
                return _costs_of_sends(office, patch)
        finally:
            office.store.close()


def _costs_of_sends(office: Office, monkeypatch: pytest.MonkeyPatch) -> list[Cost]:
    def create(parent: str | None) -> str:
        rules = {"*": Decision.ALLOW}
        command = CreateSession(RUNTIME_1, office.new_id(), parent, None, None, "worker", rules, starter=Starter.WAKE)
        return office.do(command).session.session_id

    root = create(None)
    children = [create(root) for _ in range(CHILDREN)]
    run_id = office.do(StartRun(RUNTIME_1, root, "", "the run")).run.run_id
    meter = Meter(office, monkeypatch)
    for turn in range(TURNS):
        for count in (1, SESSIONS):
            calls = [f"call {turn} {count} {number}" for number in range(count)]
            sends = [
                SendMessage(RUNTIME_1, root, run_id, call, children[number % CHILDREN], "x" * 200, Mode.STEER)
                for number, call in enumerate(calls)
            ]
            assert not any(answer.replayed for answer in office.together(*sends))
    return meter.costs


def test_sends_ask_as_little_of_a_long_log_as_of_a_new_one(postgres_server, tmp_path, monkeypatch):
    """As many statements, which read as many rows; of pages no more than deeper indexes have."""
    found = {}
    for events in (0, EVENTS):
        url = postgres_server.make_database()
        with connected(url) as connection:
            connection.execute(UNTOUCHED)
            if events:
                lengthen_postgres(connection, events)
        found[events] = costs_of_sends(url, tmp_path, monkeypatch)
        postgres_server.drop_database(url)
    new, long = found[0], found[EVENTS]
    assert [(cost.statements, cost.rows) for cost in long] == [(cost.statements, cost.rows) for cost in new]
    assert len(new) == 2 * TURNS
    # An index of so many rows is a level or two deeper; whatever looked through the log would look at thousands more.
    assert all(one.pages <= 2 * other.pages for one, other in zip(long, new, strict=True))
