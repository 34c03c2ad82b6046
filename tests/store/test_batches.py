"""What a batch writes is stored as a whole or not at all, and numbered without a gap."""

from __future__ import annotations

import pytest
from kinpost_server.domain import event as e
from kinpost_server.domain.identity import Token, TokenKind
from kinpost_server.domain.message import MessageState, Mode, Owner, RecipientState, Sender
from kinpost_server.domain.session import Availability, Touched
from kinpost_server.engine.ports import Replay, ReplayKey, RowRefused, Scope
from kinpost_server.engine.replica_ports import RuntimeOwner
from kinpost_server.store import StoreSettings
from kinpost_server.transport.event_codec import decode
from scribe import TIME, Batch, Scribe, whole


def log_of(opened):
    """All stored events."""
    events, _reached = opened.reader.events_after(Scope(), 0, (), 100_000, 1 << 30)
    return events


def test_events_come_back_as_they_were_written(opened, scribe):
    stored = []
    with scribe.batch(stored) as batch:
        root = batch.create()
        batch.tell(root, body="grüß \U0001f44b\0")
    with scribe.batch(stored) as batch:
        batch.run(batch.session(root.session_id))
    assert log_of(opened) == stored
    assert [(event.position, event.session_id, event.root_session_id, event.seq) for event in stored] == [
        (number, root.session_id, root.session_id, number) for number in (1, 2, 3)
    ]
    assert [event.type for event in stored] == [
        e.SessionCreated.TYPE,
        e.MessageAccepted.TYPE,
        e.RunStarted.TYPE,
    ]
    assert decode(stored[1].data).payload.body == "grüß \U0001f44b\0"


@pytest.mark.parametrize("size", [1, 2, 3, 63, 64, 65, 200])
def test_a_batch_of_any_size_is_stored_whole(database, size):
    opened = database.open()
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
        for _ in range(size):
            batch.send(root, root)
    assert [event.position for event in log_of(opened)] == list(range(1, size + 3))
    opened.store.forget([root.session_id])
    (again,) = scribe.load(root.session_id).values()
    assert whole(again) == whole(root)


def test_mail_may_be_accepted_and_consumed_at_once(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
        message = batch.send(root, root, expire_time=batch.time)
        seq = batch.claim(root)
        batch.commit(root)
        batch.finish(root)
    opened.store.forget([root.session_id])
    (again,) = scribe.load(root.session_id).values()
    assert whole(again) == whole(root)
    assert not again.mail
    opened.store.begin()
    (stored,) = opened.store.load_messages([message.message_id]).values()
    opened.store.rollback()
    assert (stored.state, stored.claim_seq, stored.delivery_count) == (MessageState.CONSUMED, seq, 1)
    message.body = None
    assert stored == message


def test_every_kind_of_new_mail_comes_back_whole(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
        batch.send(root, root, mode=Mode.QUEUE)
        batch.send(root, root, expire_time=TIME)
        batch.accept(root, Sender(producer_id="producer"), Owner.PLUGIN, "body")
        batch.accept(root, Sender(name="Ada"), Owner.PEER, "body")
        batch.accept(root, Sender(), Owner.USER, "body")
        replaced = batch.send(root, root)
        batch.emit(root, e.MessageAdmitted(replaced.message_id, root.run.run_id))
        batch.send(root, root, supersedes_message_id=replaced.message_id)
        replaced_at_once = batch.send(root, root)
        batch.send(root, root, supersedes_message_id=replaced_at_once.message_id)
    assert [message.superseded_by is None for message in root.mail.values()] == [True] * 5 + [False, True] * 2
    opened.store.forget([root.session_id])
    (again,) = scribe.load(root.session_id).values()
    assert whole(again) == whole(root)


def test_nothing_is_left_to_be_written_after_a_commit(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create()
        batch.tell(root)
        batch.wake(root)
        batch.run(root)
        batch.claim(root)
        assert root.touched != Touched()
    assert root.touched == Touched()


def test_a_run_may_end_and_the_next_begin_at_once(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create()
        first = batch.run(root)
    with scribe.batch() as batch:
        root = batch.session(root.session_id)
        batch.finish(root)
        second = batch.run(root)
    opened.store.forget([root.session_id])
    (again,) = scribe.load(root.session_id).values()
    assert again.run is not None
    assert (first.number, second.number, again.run.run_id) == (1, 2, second.run_id)


def test_nothing_of_a_batch_that_is_rolled_back_is_there(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
    before = whole(root)
    store = opened.store
    store.begin()
    batch = Batch(scribe)
    session = batch.session(root.session_id)
    batch.send(session, session, "call")
    batch.tell(session, "key")
    child = batch.create(session, handle="explore_1a2b3c4d")
    batch.changes.tokens["t"] = Token("t", TokenKind.ADMIN, "", (), b"secret", 1)
    batch.changes.runtimes["r"] = RuntimeOwner("t", "a")
    store.write(batch.changes)
    store.rollback()
    assert len(log_of(opened)) == 2
    loaded = scribe.load(root.session_id, child.session_id)
    assert {id_: whole(session) for id_, session in loaded.items()} == {root.session_id: before}
    store.begin()
    assert store.load_replays(batch.changes.replays) == {}
    assert store.load_tokens() == []
    assert store.load_runtimes(["r"]) == {}
    store.rollback()
    with scribe.batch() as batch:  # and its positions are given again
        assert batch.session(root.session_id).last_seq == 2
        batch.tell(batch.session(root.session_id))
    assert [event.position for event in log_of(opened)] == [1, 2, 3]


def test_rolling_back_twice_or_nothing_does_no_harm(opened):
    opened.store.rollback()
    opened.store.begin()
    opened.store.rollback()
    opened.store.rollback()


def no_id(batch, session):
    batch.accept(session, Sender(session_id="no UUID"), Owner.AGENT, "body")


def too_large(batch, session):
    batch.touch(session, 1 << 63)


def no_text(batch, session):
    batch.emit(session, e.SessionAvailabilityChanged(Availability.PAUSED, "\ud800"))


def same_session_twice(batch, session):
    batch.create(session_id=session.session_id)


def same_handle_twice(batch, session):
    batch.create(session, handle=session.handle)


def second_active_run(batch, session):
    batch.run(session)
    session.run = None
    batch.run(session, client_run_id="another")


def same_run_identity_twice(batch, session):
    batch.run(session, client_run_id="same")
    batch.finish(session)
    batch.run(session, client_run_id="same")


def message_without_its_event(batch, session):
    batch.tell(session)
    batch.changes.events.pop()


def same_answer_twice(batch, session):
    batch.tell(session, "key that is taken")


def agents_answer_without_its_message(batch, session):
    run = batch.run(session)
    message = batch.tell(session)
    key = ReplayKey(session.session_id, run.run_id, "call")
    batch.changes.replays[key] = Replay(
        message.message_id, session.session_id, b"", message.mode, RecipientState.RUNNING
    )


FAULTS = [
    too_large,
    no_text,
    no_id,
    same_session_twice,
    same_handle_twice,
    second_active_run,
    same_run_identity_twice,
    message_without_its_event,
    same_answer_twice,
    agents_answer_without_its_message,
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_row_at_fault_refuses_its_batch_and_nothing_else(opened, scribe, fault):
    with scribe.batch() as batch:
        root = batch.create()
        batch.tell(root, "key that is taken")
    before = whole(root)
    store = opened.store
    store.begin()
    batch = Batch(scribe)
    session = batch.session(root.session_id)
    batch.tell(session)
    fault(batch, session)
    with pytest.raises(RowRefused):
        store.write(batch.changes)
    store.rollback()
    assert whole(scribe.load(root.session_id)[root.session_id]) == before
    assert len(log_of(opened)) == 2
    with scribe.batch() as batch:
        batch.tell(batch.session(root.session_id))
    assert len(log_of(opened)) == 3


@pytest.mark.parametrize("unindexed", [0, 5, 1024])
def test_positions_and_seqs_go_on_after_a_restart(database, unindexed):
    settings = StoreSettings(unindexed_events_max=unindexed)
    session_id = None
    for _ in range(4):
        opened = database.open(settings)
        scribe = Scribe(opened.store)
        scribe._number = opened.reader.last_position() * 10
        with scribe.batch() as batch:
            session = batch.create() if session_id is None else batch.session(session_id)
            session_id = session.session_id
            batch.tell(session)
        with scribe.batch() as batch:
            batch.tell(batch.session(session_id))
        opened.store.close()
    opened = database.open(settings)
    assert [(event.position, event.seq) for event in log_of(opened)] == [(n, n) for n in range(1, 10)]


def test_a_batch_that_changes_nothing_leaves_the_file_alone(sqlite_database):
    opened = sqlite_database.open()
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
    log = sqlite_database.path.with_name(sqlite_database.path.name + "-wal")
    before = log.read_bytes()
    with scribe.batch() as batch:
        batch.changes.sessions[root.session_id] = batch.session(root.session_id)
    assert log.read_bytes() == before


def test_a_batch_without_events_is_stored_too(database):
    opened = database.open()
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
    with scribe.batch() as batch:
        session = batch.session(root.session_id)
        session.run.lease_expire_time = 12345
        session.touched.runs[session.run.run_id] = session.run
        batch.touch(session, 12345)
    opened.store.close()
    scribe = Scribe(database.open().store)
    (again,) = scribe.load(root.session_id).values()
    assert (again.run.lease_expire_time, again.due_time) == (12345, 12345)
