"""What a send costs does not depend on how long the log is."""

from __future__ import annotations

import pytest
from kinpost_server.store import StoreSettings
from scribe import Scribe

FRAME_BYTES = 4096 + 24
SESSIONS = 64


@pytest.fixture
def database(sqlite_database):
    """Here SQLite alone is looked at."""
    return sqlite_database


def test_a_batch_of_sends_writes_as_few_pages_into_a_long_log_as_into_a_new_one(database):
    """Without a checkpoint the write-ahead log shows each page that a commit writes."""
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
