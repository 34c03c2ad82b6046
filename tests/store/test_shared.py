"""Two servers on one database: what one stores the other decides on, and positions are seen in the order of commits."""

from __future__ import annotations

import contextlib
import threading

import pytest
from kinpost_server.engine.ports import Scope, StoreFailed
from kinpost_server.engine.replica_ports import BeginAgain
from kinpost_server.store import StoreSettings, locking, postgres
from kinpost_server.store.locking import tree_key
from postgres_server import connected
from scribe import Batch, Player, Scribe, whole

WAITERS = (
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)

HOLDERS = WAITERS.replace("NOT granted", "granted")


@pytest.fixture
def stores(postgres_database):
    """Two servers' stores."""
    return postgres_database.open(), postgres_database.open()


def scribes(stores):
    """Somebody who writes into each; their ids differ."""
    one, other = (Scribe(opened.store) for opened in stores)
    other._number = 1 << 40
    return one, other


def test_what_one_stores_the_other_decides_on(stores):
    one, other = scribes(stores)
    with one.batch() as batch:
        root = batch.create()
        batch.run(root)
        batch.send(root, root, call="first")
    sent = batch.changes.replays
    with other.batch() as batch:
        session = batch.session(root.session_id)
        assert other.store.load_replays(sent) == sent
        batch.claim(session)
        batch.commit(session)
        batch.finish(session)
    with one.batch() as batch:
        session = batch.session(root.session_id)
        assert (session.run, list(session.mail)) == (None, [])
        batch.run(session)
    (seen,) = other.load(root.session_id).values()
    assert seen.run_count == 2


def test_batches_of_one_tree_follow_each_other(stores):
    one, other = scribes(stores)
    with one.batch() as batch:
        root = batch.create()
    rounds, writers = 40, []

    def write(scribe):
        for _ in range(rounds):
            with scribe.batch() as batch:
                batch.tell(batch.session(root.session_id))

    for scribe in (one, other):
        writers.append(threading.Thread(target=write, args=(scribe,)))
        writers[-1].start()
    for writer in writers:
        writer.join()
    events, _ = stores[0].reader.events_after(Scope(root.session_id), 0, (), 1000, 1 << 20)
    assert [event.seq for event in events] == list(range(1, 2 * rounds + 2))
    assert [event.position for event in events] == list(range(1, 2 * rounds + 2))


def test_whoever_follows_the_log_misses_nothing(stores):
    """A position that became visible after a later one would be skipped."""
    pair = scribes(stores)
    roots, rounds, writers = [], 60, []
    for scribe in pair:
        with scribe.batch() as batch:
            roots.append(batch.create())

    def write(scribe, root, size):
        for _ in range(rounds):
            with scribe.batch() as batch:
                for _ in range(size):
                    batch.tell(batch.session(root.session_id))

    for scribe, root, size in zip(pair, roots, (1, 3), strict=True):
        writers.append(threading.Thread(target=write, args=(scribe, root, size)))
        writers[-1].start()
    followed, position = [], 0
    end = 2 + rounds * 4
    while position < end:
        events, position = stores[0].reader.events_after(Scope(), position, (), 1000, 1 << 20)
        followed += [event.position for event in events]
        if not any(writer.is_alive() for writer in writers) and stores[0].reader.last_position() < end:
            break
    assert followed == list(range(1, end + 1))
    for writer in writers:
        writer.join()


def test_a_lock_out_of_order_is_tried_and_else_everything_begins_again_in_order(stores):
    one, other = scribes(stores)
    with one.batch() as batch:
        low, high = sorted((batch.create(), batch.create()), key=lambda session: tree_key(session.session_id))
    store = one.store
    store.begin()
    store.load_sessions([high.session_id])
    store.load_sessions([low.session_id])  # nobody has it
    store.rollback()

    other.store.begin()
    other.store.load_sessions([low.session_id])
    store.begin()
    store.load_sessions([high.session_id])
    with pytest.raises(BeginAgain):
        store.load_sessions([low.session_id])
    store.rollback()
    other.store.load_sessions([high.session_id])  # free: it waits for nobody who waits for it
    other.store.rollback()
    store.begin()  # with both, in order
    other.store.begin()
    assert not store._locks.take(store._transaction._connected(), [tree_key(low.session_id), tree_key(high.session_id)])
    store.load_sessions([high.session_id])
    store.load_sessions([low.session_id])
    batch = Batch(one)
    batch.tell(batch.session(low.session_id))
    store.write(batch.changes)
    store.commit()
    other.store.rollback()
    store.begin()
    assert not store._locks._held  # what was learnt holds for one batch
    store.rollback()


def test_a_session_that_was_made_while_its_lock_was_waited_for_is_locked_with_its_tree(stores, monkeypatch):
    one, other = scribes(stores)
    with one.batch() as batch:
        root = batch.create()
    child_id = other.new_id()
    take, taken = one.store._locks.take, []

    def waiting(connection, keys):
        keys = list(keys)
        if not taken:
            with other.batch() as batch:
                batch.create(batch.session(root.session_id), session_id=child_id)
        taken.extend(keys)
        return take(connection, keys)

    monkeypatch.setattr(one.store._locks, "take", waiting)
    one.store.begin()
    (child,) = one.store.load_sessions([child_id]).values()
    assert child.root_session_id == root.session_id
    assert tree_key(root.session_id) in one.store._locks._held
    one.store.rollback()


def test_a_batch_that_writes_nothing_leaves_the_position_to_others(stores):
    one, other = scribes(stores)
    with one.batch() as batch:
        root = batch.create()
    with one.batch() as batch:
        batch.changes.sessions[root.session_id] = batch.session(root.session_id)
    with other.batch() as batch:
        batch.tell(batch.session(root.session_id))
    assert stores[0].reader.last_position() == 2


def test_whoever_hangs_within_a_batch_is_waited_for_no_longer_than_set(postgres_database):
    hanging = postgres_database.open()
    opened = postgres_database.open(StoreSettings(busy_timeout_seconds=0.2))
    one, other = scribes((hanging, opened))
    with one.batch() as batch:
        root, elsewhere = batch.create(), batch.create()
    one.store.begin()
    batch = Batch(one)
    batch.tell(batch.session(root.session_id))
    one.store.write(batch.changes)  # has the row of positions now
    other.store.begin()
    batch = Batch(other)
    batch.tell(batch.session(elsewhere.session_id))
    with pytest.raises(BeginAgain):
        other.store.write(batch.changes)
    other.store.rollback()
    other.store.begin()
    with pytest.raises(StoreFailed, match="lock timeout"):
        other.store.write(batch.changes)
    other.store.rollback()
    one.store.commit()
    with other.batch() as batch:
        batch.tell(batch.session(elsewhere.session_id))
    assert opened.reader.last_position() == 4


@pytest.mark.parametrize("seed", range(4))
def test_what_servers_keep_of_sessions_is_what_is_stored_whoever_wrote(postgres_database, seed):
    stores = [postgres_database.open() for _ in range(2)]
    player = Player(Scribe(stores[0].store), seed)
    for _ in range(25):
        player.scribe.store = player.random.choice(stores).store
        player.play(steps=player.random.randrange(1, 6))
    fresh = Scribe(postgres_database.open().store).load(*player.session_ids)
    for opened in stores:
        kept = Scribe(opened.store).load(*player.session_ids)
        assert {id_: stored(session) for id_, session in kept.items()} == {
            id_: stored(session) for id_, session in fresh.items()
        }


def stored(session):
    """A session without the arguments of questions, which whoever has asked still has at hand."""
    for approval in session.run.approvals.values() if session.run is not None else ():
        approval.arguments_json = ""
    return whole(session)


def test_a_session_that_nobody_else_wrote_to_is_not_read_again(stores, monkeypatch):
    one, other = scribes(stores)
    with one.batch() as batch:
        root = batch.create()
    read = []
    whole_of = stores[0].store._loader.whole
    monkeypatch.setattr(
        stores[0].store._loader, "whole", lambda connection, ids: read.append(list(ids)) or whole_of(connection, ids)
    )
    with one.batch() as batch:
        batch.tell(batch.session(root.session_id))
    assert read == []
    with other.batch() as batch:
        batch.tell(batch.session(root.session_id))
    (seen,) = one.load(root.session_id).values()
    assert read == [[root.session_id]]
    assert len(seen.mail) == 2


def test_what_changes_without_an_event_is_seen_in_what_is_kept(stores):
    one, other = scribes(stores)
    with one.batch() as batch:
        root = batch.create()
        run = batch.run(root)
    lease = run.lease_expire_time
    with other.batch() as batch:
        batch.touch(batch.session(root.session_id), 12345)
    stores[1].store.renew_leases(lease + 77, 0)
    (seen,) = one.load(root.session_id).values()
    assert (seen.due_time, seen.run.lease_expire_time) == (12345, lease + 77)


def test_a_session_that_another_finished_is_not_kept_for_its_run(postgres_database):
    stores = postgres_database.open(StoreSettings(cached_sessions_max=10)), postgres_database.open()
    one, other = scribes(stores)
    for _ in range(50):
        with one.batch() as batch:
            root = batch.create()
            batch.run(root)
        with other.batch() as batch:
            batch.finish(batch.session(root.session_id))
    assert len(one.store._cache) <= 10


def test_who_needs_more_locks_than_the_database_has_room_for_is_alone(stores, monkeypatch):
    monkeypatch.setattr(locking, "HELD_MAX", 3)
    one, other = scribes(stores)
    with one.batch() as batch:
        roots = [batch.create() for _ in range(3)]
    with one.batch() as batch:
        roots += [batch.create() for _ in range(3)]
    store = one.store
    store.begin()
    with pytest.raises(BeginAgain):
        store.load_sessions([root.session_id for root in roots])
    store.rollback()
    store.begin()
    assert len(store.load_sessions([root.session_id for root in roots])) == 6
    writing = threading.Thread(target=lambda: other.load(roots[0].session_id))
    with connected(stores[0].store._database._url.render_as_string(hide_password=False)) as looking:
        writing.start()
        while not looking.execute(WAITERS).fetchone()[0]:
            pass
    batch = Batch(one)
    batch.tell(batch.session(roots[0].session_id))
    store.write(batch.changes)
    store.commit()
    writing.join()
    (seen,) = other.load(roots[0].session_id).values()
    assert len(seen.mail) == 1
    store.begin()
    assert not store._locks._alone  # it was for one batch
    store.rollback()


@pytest.mark.parametrize("sent", ["whole", "a part of it"])
def test_whoever_hangs_in_a_batch_loses_its_locks(stores, postgres_database, monkeypatch, sent):
    """Also when it hangs while it sends its statements: PostgreSQL has no limit for that, and does not call it idle."""
    monkeypatch.setattr(postgres, "END_SILENT", postgres.END_SILENT.replace("interval '10 s'", "interval '1 s'"))
    monkeypatch.setattr(stores[0].store._database, "_options", "-c lock_timeout=100")
    one, _ = scribes(stores)
    with one.batch() as batch:
        root = batch.create()
    stores[0].store._transaction.disconnect()
    stores[0].store.begin()  # over a new connection; whoever makes one ends those who hang
    stores[0].store.rollback()
    hanging = stores[1].store._database.connect_writer()
    wire = hanging._connection.pgconn
    wire.enter_pipeline_mode()
    wire.send_query_params(b"BEGIN", [])
    wire.send_query_params(b"SELECT pg_advisory_xact_lock($1::bigint)", [str(tree_key(root.root_session_id)).encode()])
    if sent == "whole":
        wire.pipeline_sync()
    else:
        wire.send_flush_request()
    wire.flush()
    with connected(postgres_database.url) as looking:
        while not looking.execute(HOLDERS).fetchone()[0]:
            pass
    failed = 0
    while True:
        try:
            with one.batch() as batch:
                batch.tell(batch.session(root.session_id))
        except (StoreFailed, BeginAgain):
            failed += 1
        else:
            break
    assert failed >= 1
    hanging.close()


@pytest.mark.parametrize("found_again", [False, True], ids=["by the next batch", "by who looks for a lost COMMIT"])
def test_nothing_is_kept_over_a_lost_connection(stores, postgres_database, found_again):
    """It may have been lost because another server stands in, which has not all that was stored."""
    one, _ = scribes(stores)
    with one.batch() as batch:
        root = batch.create()
    with connected(postgres_database.url) as outside:
        outside.execute("UPDATE session SET agent = 'another'")
    (kept,) = one.load(root.session_id).values()
    assert kept.agent == "explore"
    stores[0].store._transaction.disconnect()
    if found_again:
        stores[0].store._transaction._connected()
    (read,) = one.load(root.session_id).values()
    assert read.agent == "another"


def test_the_plugins_board_leaves_no_connection_open_whoever_is_still_at_work(postgres_database, monkeypatch):
    """A call that was given up goes on in its thread, also while the board is closed."""
    board = postgres_database.open().store.replicas.board
    usual, made, connecting, closing = board._database.connect_writer, [], threading.Event(), threading.Event()

    def connect():
        connecting.set()
        assert closing.wait(30)
        made.append(usual())
        return made[-1]

    monkeypatch.setattr(board._database, "connect_writer", connect)

    def look():
        with contextlib.suppress(StoreFailed):  # the second one, should it come after the end
            board.elsewhere()

    calls = [threading.Thread(target=look) for _ in range(2)]
    for call in calls:
        call.start()
    assert connecting.wait(30)
    end = threading.Thread(target=board.close)
    end.start()
    closing.set()
    for thread in (*calls, end):
        thread.join()
    assert [connection._connection.closed for connection in made] == [True] * len(made)
    with pytest.raises(StoreFailed, match="closed"):
        board.elsewhere()
