"""Sessions are loaded whole, however they came to be what they are."""

from __future__ import annotations

import pytest
from kinpost_server.domain import event as e
from kinpost_server.domain.fold import apply, begin
from kinpost_server.domain.permission import Relationship
from kinpost_server.domain.run import RunState
from kinpost_server.domain.session import SessionState
from kinpost_server.engine.ports import HandleKey, Scope
from kinpost_server.store import StoreSettings
from kinpost_server.transport.event_codec import decode
from scribe import Batch, Player, Scribe, whole

NOBODY = "00000000-0000-7000-8000-00000000dead"


@pytest.mark.parametrize("unindexed", [1024, 7])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_read_anew_is_what_was_kept(database, seed, unindexed):
    opened = database.open(StoreSettings(unindexed_events_max=unindexed))
    player = Player(Scribe(opened.store), seed)
    for batch in range(40):
        player.play(steps=1 + batch % 15)
    kept = {id_: whole(session) for id_, session in player.scribe.load(*player.session_ids).items()}
    assert list(kept) == player.session_ids
    opened.store.close()

    store = database.open().store
    store.begin()
    read = {id_: whole(session) for id_, session in store.load_sessions(player.session_ids).items()}
    assert read == kept
    replays = store.load_replays([*player.replays])
    assert replays == player.replays
    ended = store.load_messages([*player.ended])
    for message in player.ended.values():
        message.body = None
    assert ended == player.ended
    store.rollback()


def unplaced(run):
    """Return a run's approvals without their positions."""
    return [approval | {"position": 0} for approval in run["approvals"].values()]


@pytest.mark.parametrize("seed", range(3))
def test_the_log_folds_to_what_is_loaded(opened, scribe, seed):
    player = Player(scribe, seed)
    for _ in range(30):
        player.play(steps=4)
    folded = {}
    events, _reached = opened.reader.events_after(Scope(), 0, (), 10_000, 1 << 30)
    for stored in events:
        event = decode(stored.data)
        assert (event.position, event.seq, event.payload.TYPE) == (stored.position, stored.seq, stored.type)
        if isinstance(event.payload, e.SessionCreated):
            folded[event.session_id] = begin(event)
        else:
            apply(folded[event.session_id], event)
    for session_id, session in scribe.load(*player.session_ids).items():
        expected, known = whole(folded[session_id]), whole(session)
        for what in (expected, known):  # these two are the engine's own, and in no event
            what["due_time"] = None
            what["run"] = what["run"] and what["run"] | {"lease_expire_time": 0, "approvals": unplaced(what["run"])}
            what["mail"] = [message | {"position": 0} for message in what["mail"]]
        assert known == expected


def test_the_same_object_comes_until_it_is_forgotten(sqlite_database):
    opened = sqlite_database.open()
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        made = batch.create()
    (first,) = scribe.load(made.session_id).values()
    assert first is made
    opened.store.forget([made.session_id])
    (second,) = scribe.load(made.session_id).values()
    assert second is not made
    assert whole(second) == whole(made)


def test_what_is_not_there_is_not_returned(opened, scribe):
    with scribe.batch() as batch:
        made = batch.create(handle="explore_1a2b3c4d")
    opened.store.begin()
    assert list(opened.store.load_sessions([NOBODY, made.session_id, "no UUID", ""])) == [made.session_id]
    keys = [
        HandleKey(made.session_id, "explore_1a2b3c4d"),
        HandleKey(made.session_id, "explore_1a2b3c4"),
        HandleKey(made.session_id, "explore_1a2b3c4d\0"),
        HandleKey(made.session_id, "EXPLORE_1a2b3c4d"),
        HandleKey(NOBODY, "explore_1a2b3c4d"),
        HandleKey("no UUID", "explore_1a2b3c4d"),
        HandleKey(made.session_id, "explore_1a2b3c4d\ud800"),
    ]
    for _ in range(2):  # the second time from memory
        assert opened.store.load_handles(keys) == {keys[0]: made.session_id}
    opened.store.rollback()


def test_a_handle_is_known_after_its_session_is_deleted(opened, scribe):
    with scribe.batch() as batch:
        made = batch.create(handle="explore_1a2b3c4d")
        batch.emit(made, e.SessionDeleted("gone"))
    opened.store.forget([made.session_id])
    assert scribe.load(made.session_id)[made.session_id].deleted
    key = HandleKey(made.session_id, "explore_1a2b3c4d")
    opened.store.begin()
    assert opened.store.load_handles([key]) == {key: made.session_id}
    opened.store.rollback()


def test_sessions_beyond_the_bound_are_dropped_but_not_those_that_run(sqlite_database):
    opened = sqlite_database.open(StoreSettings(cached_sessions_max=3))
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        running = batch.create()
        batch.run(running)
        asleep = batch.create()
    with scribe.batch() as batch:
        others = [batch.create() for _ in range(5)]
    with scribe.batch() as batch:
        batch.touch(others[-1], None)
    (same,) = scribe.load(running.session_id).values()
    assert same is running
    (other,) = scribe.load(asleep.session_id).values()
    assert other is not asleep
    assert whole(other) == whole(asleep)


def test_bodies_beyond_the_bound_are_read_from_the_log(database):
    opened = database.open(StoreSettings(cached_body_bytes_max=100))
    scribe = Scribe(opened.store)
    bodies = [str(number) * 40 for number in range(5)]
    with scribe.batch() as batch:
        session = batch.create()
        messages = [batch.tell(session, body=body) for body in bodies]
    assert [message.body for message in messages] == [None, None, None, *bodies[3:]]
    opened.store.begin()
    read = opened.store.load_bodies(messages)
    assert read == {message.message_id: body for message, body in zip(messages, bodies, strict=True)}
    for message in messages:  # as the engine does
        message.body = read[message.message_id]
    opened.store.rollback()
    with scribe.batch() as batch:
        batch.touch(session, None)
    assert sum(message.body_bytes for message in messages if message.body is not None) <= 100


def test_many_sessions_are_loaded_at_once(database):
    opened = database.open()
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
        children = [batch.create(root) for _ in range(300)]
        for child in children:
            batch.send(root, child)
    kept = {child.session_id: whole(child) for child in children}
    opened.store.close()
    store = database.open().store
    store.begin()
    assert {id_: whole(session) for id_, session in store.load_sessions(kept).items()} == kept
    store.rollback()


def test_queued_children_and_peers(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create()
        run = batch.run(root)
        waiting = [batch.create(root, state=SessionState.QUEUED) for _ in range(2)]
        started = batch.create(root, state=SessionState.QUEUED)
        batch.run(started)
        gone = batch.create(root, state=SessionState.QUEUED)
        batch.emit(gone, e.SessionDeleted("gone"))
        batch.create()  # in another tree
        batch.finish(root, RunState.FAILED)
    store = opened.store
    store.begin()
    assert store.load_queued_children([run.run_id, NOBODY]) == {run.run_id: [w.session_id for w in waiting]}
    peers, total = store.load_peers(started, tuple(Relationship), 2)
    assert [(peer.session_id, peer.parent_session_id, peer.handle, peer.state) for peer in peers] == [
        (root.session_id, None, root.handle, "failed"),
        (waiting[0].session_id, root.session_id, waiting[0].handle, "queued"),
    ]
    assert total == 3
    assert {peer.description for peer in peers} == {root.description}
    peers, total = store.load_peers(root, tuple(Relationship), 100)
    assert [peer.session_id for peer in peers] == [w.session_id for w in (*waiting, started)]
    assert total == 3
    assert store.load_peers(started, [Relationship.SIBLING], 1) == (peers[:1], 2)
    assert store.load_peers(started, [Relationship.CHILD, Relationship.OTHER], 100) == ([], 0)
    assert store.load_peers(started, [], 100) == ([], 0)
    store.rollback()


def test_bodies_are_counted_as_long_as_they_are_kept(opened, scribe):
    """Also when a batch that did away with the mail is not stored: then the session is read anew, without bodies."""
    cache = opened.store._cache
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
        batch.tell(root, body="x" * 10)
        batch.tell(root, body="x" * 5)
    assert cache.body_bytes == 15
    opened.store.begin()
    batch = Batch(scribe)
    batch.claim(root)
    batch.commit(root)
    opened.store.write(batch.changes)
    opened.store.rollback()
    assert cache.body_bytes == 0
    with scribe.batch() as batch:
        session = batch.session(root.session_id)
        (message, _other) = session.mail.values()
        message.body = opened.store.load_bodies([message])[message.message_id]
        batch.touch(session, None)
    assert cache.body_bytes == 10
    with scribe.batch() as batch:
        batch.claim(session)
        batch.commit(session)
    assert cache.body_bytes == 0


def test_a_handle_of_a_batch_that_is_not_stored_is_free(opened, scribe):
    opened.store.begin()
    batch = Batch(scribe)
    root = batch.create(handle="explore_1a2b3c4d")
    opened.store.write(batch.changes)
    key = HandleKey(root.session_id, "explore_1a2b3c4d")
    assert opened.store.load_handles([key]) == {key: root.session_id}
    opened.store.rollback()
    opened.store.begin()
    assert opened.store.load_handles([key]) == {}
    opened.store.rollback()
