"""PostgreSQL crashes in the middle of a COMMIT, and what it lost was never stored, whatever it says of its number."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kinpost_server.engine.ports import Scope, StoreFailed
from kinpost_server.store import open_store
from kinpost_server.transport.event_codec import decode_body, encode
from own_postgres import OwnPostgres
from scribe import Batch, Scribe


@pytest.fixture
def own_postgres() -> Iterator[OwnPostgres]:
    """A server that this test may crash."""
    with OwnPostgres() as server:
        yield server


@pytest.mark.parametrize("others", [0, 1, 3])
def test_a_transaction_that_a_crash_took_is_not_taken_for_another_of_its_number(own_postgres, others):
    """Numbers are given anew after a crash: then another replica's commit has the number of the lost one."""
    opened = []

    def open_it():
        opened.append(open_store(own_postgres.url, encode=encode, decode_body=decode_body))
        return opened[-1]

    try:
        scribe = Scribe(open_it().store)
        with scribe.batch() as batch:
            root = batch.create()
        scribe.store.begin()
        batch = Batch(scribe)
        batch.tell(batch.session(root.session_id))
        scribe.store.write(batch.changes)
        own_postgres.stop("immediate")
        own_postgres.start()
        other = Scribe(open_it().store)
        other._number = 1 << 40
        for _ in range(others):
            with other.batch() as later:
                later.create()
        with pytest.raises(StoreFailed):
            scribe.store.commit()
        scribe.store.rollback()
        events, _ = open_it().reader.events_after(Scope(root.session_id), 0, (), 1000, 1 << 20)
        assert [event.seq for event in events] == [1]
    finally:
        for one in opened:
            one.store.close()
