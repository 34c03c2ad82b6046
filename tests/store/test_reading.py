"""The reading side: pages of events, of sessions and of sent messages."""

from __future__ import annotations

import random
import threading

import pytest
from kinpost_server.domain import event as e
from kinpost_server.domain.message import DiscardReason, MessageState, Mode, Owner, Sender
from kinpost_server.domain.session import Availability, SessionState
from kinpost_server.engine.ports import Scope
from kinpost_server.store import StoreSettings, event_pages
from scribe import Player, Scribe

NOBODY = "00000000-0000-7000-8000-00000000dead"
EVERYTHING = 1 << 30


def pages(reader, scope, types=(), limit=3, bytes_max=EVERYTHING, position=0):
    """All events of a scope, page by page, as a subscriber reads them."""
    events = []
    while True:
        page, reached = reader.events_after(scope, position, types, limit, bytes_max)
        assert len(page) <= limit
        assert all(position < event.position <= reached for event in page)
        events += page
        if reached == position:
            return events
        position = reached


@pytest.fixture(params=[0, 10, 1024])
def played(database, request):
    """A log of some hundred events in several trees, indexed to different degrees."""
    opened = database.open(StoreSettings(unindexed_events_max=request.param))
    player = Player(Scribe(opened.store), seed=7)
    for _ in range(40):
        player.play(steps=8)
    assert opened.reader.last_position() > 200
    return opened, player


def test_every_scope_is_read_whole_in_pages_of_any_size(played):
    opened, player = played
    reader = opened.reader
    log, reached = reader.events_after(Scope(), 0, (), 100_000, EVERYTHING)
    assert [event.position for event in log] == list(range(1, reached + 1))
    roots = {event.root_session_id for event in log}
    assert len(roots) > 1
    scopes = [Scope(), *(Scope(id_) for id_ in player.session_ids), *(Scope(root_session_id=root) for root in roots)]
    for scope in scopes:
        expected = [event for event in log if scope.covers(event)]
        assert expected
        for limit in (1, 7, 1000):
            assert pages(reader, scope, limit=limit) == expected
        for bytes_max in (1, 700, 5000):
            assert pages(reader, scope, limit=1000, bytes_max=bytes_max) == expected
        for position in random.Random(1).sample(range(len(log)), 20):
            rest = [event for event in expected if event.position > position]
            assert pages(reader, scope, limit=50, position=position) == rest


def test_events_of_some_types_are_found_however_rare(played, monkeypatch):
    opened, player = played
    log, reached = opened.reader.events_after(Scope(), 0, (), 100_000, EVERYTHING)
    for types in ([e.SessionCreated.TYPE], [e.MessageConsumed.TYPE, e.WakeSettled.TYPE], [999]):
        for scope in (Scope(), Scope(player.session_ids[0]), Scope(root_session_id=log[0].root_session_id)):
            expected = [event for event in log if event.type in types and scope.covers(event)]
            assert pages(opened.reader, scope, types) == expected
    assert opened.reader.events_after(Scope(), 0, [999], 10, EVERYTHING) == ([], reached)


def test_only_a_stretch_is_searched_for_types_at_a_time(database, monkeypatch):
    monkeypatch.setattr(event_pages, "STRETCH", 10)
    opened = database.open(StoreSettings(unindexed_events_max=5))
    scribe = Scribe(opened.store)
    for _ in range(5):
        with scribe.batch() as batch:
            root = batch.create()
            for _ in range(10):
                batch.tell(root)
    searched = opened.reader.events_after(Scope(), 0, [e.SessionCreated.TYPE], 100, EVERYTHING)
    assert ([event.position for event in searched[0]], searched[1]) == ([1], 10)
    for scope in (Scope(), Scope(root.session_id), Scope(root_session_id=root.session_id)):
        assert opened.reader.events_after(scope, 44, [999], 100, EVERYTHING)[1] in (54, 55)
    assert len(pages(opened.reader, Scope(), [e.SessionCreated.TYPE])) == 5


def test_an_event_larger_than_the_page_comes_alone(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create()
        batch.tell(root, body="x" * 5000)
        batch.tell(root)
    read, reached = opened.reader.events_after(Scope(), 1, (), 100, 10)
    assert ([event.position for event in read], reached) == ([2], 2)


def test_there_is_nothing_for_a_scope_that_is_not_there(opened, scribe):
    with scribe.batch() as batch:
        batch.create()
    for scope in (Scope(NOBODY), Scope(root_session_id=NOBODY), Scope("no UUID"), Scope(root_session_id="no UUID")):
        assert opened.reader.events_after(scope, 0, (), 10, EVERYTHING) == ([], 1)
    assert opened.reader.events_after(Scope(), 1, (), 10, EVERYTHING) == ([], 1)
    assert opened.reader.events_after(Scope(), 5, (), 10, EVERYTHING) == ([], 5)


def test_the_ends_of_the_log(opened, scribe):
    reader = opened.reader
    assert (reader.first_position(), reader.last_position()) == (1, 0)
    assert reader.events_after(Scope(), 0, (), 10, EVERYTHING) == ([], 0)
    with scribe.batch() as batch:
        batch.tell(batch.create())
    assert (reader.first_position(), reader.last_position()) == (1, 2)


def test_the_position_of_each_seq(played):
    opened, player = played
    log, _reached = opened.reader.events_after(Scope(), 0, (), 100_000, EVERYTHING)
    for session_id in player.session_ids:
        positions = [event.position for event in log if event.session_id == session_id]
        found = [opened.reader.position_of(session_id, seq) for seq in range(len(positions) + 3)]
        assert found == [0, *positions, positions[-1], positions[-1]]
    assert opened.reader.position_of(NOBODY, 5) == 0
    assert opened.reader.position_of("no UUID", 5) == 0


def test_readers_see_a_batch_when_it_is_committed_and_not_before(opened, scribe):
    with scribe.batch() as batch:
        batch.create()
        opened.store.write(batch.changes)
        assert opened.reader.last_position() == 0
        batch.changes.events.clear()
        batch.changes.sessions.clear()
        batch.changes.created.clear()
    assert opened.reader.last_position() == 1


def test_a_session_as_readers_see_it(played):
    opened, player = played
    kept = player.scribe.load(*player.session_ids)
    assert {session.deleted for session in kept.values()} == {True, False}
    for session_id, session in kept.items():
        snapshot = opened.reader.get_session(session_id)
        if session.deleted:
            assert snapshot is None
            continue
        seen = snapshot.session
        assert snapshot.pending_count == len(session.mail)
        assert (seen.run and seen.run.run_id) == (session.run and session.run.run_id)
        for name in ("last_seq", "state", "availability", "host_token_ids", "handle", "due_time", "failing_runs"):
            assert getattr(seen, name) == getattr(session, name), name
        assert not seen.touched.session
    assert opened.reader.get_session(NOBODY) is None
    assert opened.reader.get_session("no UUID") is None


def test_sessions_are_listed_in_the_order_of_their_making(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create()
        children = [batch.create(root) for _ in range(5)]
        other = batch.create()
        batch.tell(children[0])
        batch.tell(children[0])
        batch.run(children[1])
        batch.emit(children[2], e.SessionDeleted("gone"))
        batch.emit(children[3], e.SessionAvailabilityChanged(Availability.PAUSED))

    def listed(root_session_id, states=(), availabilities=(), after="", limit=100):
        found = opened.reader.list_sessions(root_session_id, states, availabilities, after, limit)
        return [snapshot.session.session_id for snapshot in found]

    tree = [session.session_id for session in (root, *children[:2], *children[3:])]
    assert listed(root.session_id) == tree
    assert listed("") == [*tree, other.session_id]
    paged, after = [], ""
    while page := listed(root.session_id, after=after, limit=2):
        paged += page
        after = page[-1]
    assert paged == tree
    assert listed(root.session_id, after=children[2].session_id) == tree[3:]  # deleted since the page was read
    assert listed(root.session_id, states=[SessionState.RUNNING]) == [children[1].session_id]
    assert listed("", availabilities=[Availability.PAUSED]) == [children[3].session_id]
    assert listed("", [SessionState.RUNNING], [Availability.PAUSED]) == []
    assert listed(NOBODY) == listed("no UUID") == listed("", after=NOBODY) == listed("", after="no UUID") == []
    counts = opened.reader.list_sessions(root.session_id, (), (), "", 100)
    assert [snapshot.pending_count for snapshot in counts] == [0, 2, 0, 0, 0]


def test_a_tree_is_known_by_its_root(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create()
        child = batch.create(root)
        batch.emit(root, e.SessionDeleted("gone"))
    assert opened.reader.root_exists(root.session_id)
    assert not opened.reader.root_exists(child.session_id)
    assert not opened.reader.root_exists(NOBODY)
    assert not opened.reader.root_exists("no UUID")


@pytest.mark.parametrize("unindexed", [0, 12, 1024])
def test_what_a_session_sent_is_listed_newest_first(database, unindexed):
    opened = database.open(StoreSettings(unindexed_events_max=unindexed))
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
        child = batch.create(root)
        sent = [batch.send(root, child, mode=Mode.QUEUE)]
    for _ in range(5):
        with scribe.batch() as batch:
            sent.append(batch.send(root, batch.session(child.session_id)))
            batch.tell(batch.session(child.session_id))
    with scribe.batch() as batch:
        child = batch.session(child.session_id)
        batch.emit(child, e.MessageDiscarded(sent[1].message_id, DiscardReason.RETRACTED))
        origin = Sender(root.session_id, root.handle, root.run.run_id, "call")
        sent.append(batch.accept(child, origin, Owner.DELEGATION, "go"))
        batch.accept(child, origin, Owner.PLUGIN, "not a session's")
    newest_first = [message.message_id for message in reversed(sent)]

    def listed(states=(), before=0, limit=100, session_id=root.session_id):
        return opened.reader.list_sent(session_id, states, before, limit)

    assert [item.message.message_id for item in listed()] == newest_first
    paged, before = [], 0
    while page := listed(before=before, limit=2):
        paged += page
        before = page[-1].message.position
    assert paged == listed()
    assert [item.message.message_id for item in listed([MessageState.DISCARDED])] == [sent[1].message_id]
    assert {item.recipient_handle for item in listed()} == {child.handle}
    assert listed(session_id=child.session_id) == listed(session_id=NOBODY) == listed(session_id="no UUID") == []


def test_a_message_as_its_sender_sees_it(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
        child = batch.create(root)
        message = batch.send(root, child)
    seen = opened.reader.get_message(message.message_id)
    assert (seen.message.message_id, seen.message.body, seen.held, seen.held_time) == (
        message.message_id,
        None,
        False,
        None,
    )
    with scribe.batch() as batch:
        batch.emit(child, e.SessionAvailabilityChanged(Availability.PAUSED, "lunch"))
        paused = batch.time
        later = batch.send(root, child)
    held = opened.reader.get_message(message.message_id)
    assert (held.held, held.held_reason, held.held_time) == (True, "lunch", paused)
    assert opened.reader.get_message(later.message_id).held
    with scribe.batch() as batch:
        batch.emit(child, e.MessageDiscarded(message.message_id, DiscardReason.RETRACTED))
    gone = opened.reader.get_message(message.message_id)
    assert (gone.held, gone.message.discard_reason) == (False, DiscardReason.RETRACTED)
    assert opened.reader.get_message(NOBODY) is None
    assert opened.reader.get_message("no UUID") is None


def test_many_threads_read_while_one_writes(database):
    opened = database.open(StoreSettings(reader_connections_max=2, unindexed_events_max=20))
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
    done = threading.Event()
    faults = []

    def follow(scope):
        position, seqs = 0, []
        try:
            while True:
                last_look = done.is_set()
                events, reached = opened.reader.events_after(scope, position, (), 7, EVERYTHING)
                seqs += [event.seq for event in events]
                if last_look and reached == position:
                    break
                position = reached
            assert seqs == list(range(1, 302))
        except BaseException as fault:  # noqa: BLE001 - told by the test's own thread
            faults.append(fault)

    scopes = [Scope(), Scope(root.session_id), Scope(root_session_id=root.session_id)] * 2
    threads = [threading.Thread(target=follow, args=(scope,)) for scope in scopes]
    for thread in threads:
        thread.start()
    for _ in range(100):
        with scribe.batch() as batch:
            session = batch.session(root.session_id)
            for _ in range(3):
                batch.tell(session)
    done.set()
    for thread in threads:
        thread.join()
    assert faults == []


def test_the_log_has_an_id_that_stays(database):
    opened = database.open()
    log_id, key = opened.log_id, opened.envelope_key
    assert opened.reader.log_id() == log_id
    assert len(key) == 32
    opened.reader.ping()
    opened.store.close()
    again = database.open()
    assert (again.log_id, again.envelope_key) == (log_id, key)
