"""What ends: a process in the middle of its work, a store that is closed, a batch whose row is refused."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap

import pytest
from kinpost_server.engine.ports import RowRefused, Scope, StoreFailed
from kinpost_server.store import StoreSettings
from scribe import Batch, Scribe


def test_a_closed_store_answers_no_more(database):
    opened = database.open()
    opened.reader.ping()
    opened.store.close()
    with pytest.raises(StoreFailed, match="closed"):
        opened.reader.ping()
    opened.store.close()


KILLED = """
    import os, signal, sys
    sys.path.insert(0, sys.argv[2])
    from kinpost_server.store import StoreSettings, open_store
    from kinpost_server.transport.event_codec import decode_body, encode
    from scribe import Scribe
    opened = open_store(sys.argv[1], encode=encode, decode_body=decode_body,
                        settings=StoreSettings(unindexed_events_max=50))
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
    print(root.session_id, flush=True)
    while True:
        with scribe.batch() as batch:
            session = batch.session(root.session_id)
            replays = [batch.send(session, session) for _ in range(3)]
        print(opened.reader.last_position(), flush=True)
"""


def test_what_was_committed_is_there_after_a_kill(database, request):
    kit = str(request.config.rootpath / "tests" / "kit")
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KILLED), database.url, kit], stdout=subprocess.PIPE, text=True
    )
    session_id = process.stdout.readline().strip()
    told = 0
    while told < 400:
        told = int(process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    told = max([told, *map(int, rest.split())])

    opened = database.open(StoreSettings(unindexed_events_max=50))
    (session,) = Scribe(opened.store).load(session_id).values()  # waits for whoever still commits
    position = opened.reader.last_position()
    assert position >= told
    assert (position - 2) % 3 == 0  # no batch in part
    assert session.last_seq == position
    assert len(session.mail) == position - 2
    events, _reached = opened.reader.events_after(Scope(session_id), 0, (), 100_000, 1 << 30)
    assert [event.seq for event in events] == list(range(1, position + 1))


def test_a_refused_row_is_not_taken_for_a_failed_store(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create()
    opened.store.begin()
    batch = Batch(scribe)
    batch.create(session_id=root.session_id)
    with pytest.raises(RowRefused) as refused:
        opened.store.write(batch.changes)
    assert not isinstance(refused.value, StoreFailed)
    opened.store.rollback()
