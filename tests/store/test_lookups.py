"""What the engine looks up beside sessions: first answers, runs, claims, messages, tokens, and what there is to do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kinpost_server.domain import event as e
from kinpost_server.domain.identity import Token, TokenKind
from kinpost_server.domain.message import Owner, Sender
from kinpost_server.domain.run import ClaimState, RunState
from kinpost_server.domain.session import Availability
from kinpost_server.engine.ports import ClaimKey, ReplayKey, RunIdentity, RunKey
from kinpost_server.engine.replica_ports import RuntimeOwner
from kinpost_server.store import StoreSettings, sends
from scribe import TIME, Scribe

NOBODY = "00000000-0000-7000-8000-00000000dead"


def reading(store, load):
    """Read within a transaction, as the engine does."""
    store.begin()
    try:
        return load(store)
    finally:
        store.rollback()


@pytest.mark.parametrize("unindexed", [0, 6, 1024])
@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("at_hand", [1, 4096])
def test_first_answers_are_found_for_ever(database, unindexed, restart, at_hand, monkeypatch):
    monkeypatch.setattr(sends, "POSITIONS_MAX", at_hand)
    settings = StoreSettings(unindexed_events_max=unindexed)
    opened = database.open(settings)
    scribe = Scribe(opened.store)
    expected = {}
    with scribe.batch() as batch:
        root = batch.create()
        ended = batch.run(root)
        child = batch.create(root)
        batch.send(root, child, "call 1")
    expected.update(batch.changes.replays)
    with scribe.batch() as batch:
        batch.send(root, child, "call 2")
        batch.tell(root, "key 1")
    expected.update(batch.changes.replays)
    with scribe.batch() as batch:
        batch.finish(root, RunState.INTERRUPTED)
        active = batch.run(root)
        batch.send(root, child, "call 1")  # the same call of another run is another send
        batch.send(root, root, "call 3")
        batch.tell(child, "key 1")  # and the same key of another session
    expected.update(batch.changes.replays)
    # The delegation that made the child carries a run and a tool call too, and answers for no send.
    with scribe.batch() as batch:
        origin = Sender(root.session_id, root.handle, active.run_id, "call 4")
        batch.accept(child, origin, Owner.DELEGATION, "go")
    unknown = [
        ReplayKey(root.session_id, ended.run_id, "call 3"),
        ReplayKey(root.session_id, active.run_id, "call 2"),
        ReplayKey(root.session_id, active.run_id, "call 4"),
        ReplayKey(child.session_id, active.run_id, "call 1"),
        ReplayKey(root.session_id, NOBODY, "call 1"),
        ReplayKey(NOBODY, active.run_id, "call 1"),
        ReplayKey("no UUID", active.run_id, "call 1"),
        ReplayKey(root.session_id, "user", "key 2"),
        ReplayKey(root.session_id, "use", "rkey 1"),
        ReplayKey("no UUID", "user", "key 1"),
    ]
    if restart:
        opened.store.close()
        opened = database.open(settings)
    assert len(expected) == 6
    assert reading(opened.store, lambda store: store.load_replays(unknown)) == {}
    assert reading(opened.store, lambda store: store.load_replays([*unknown, *expected])) == expected
    opened.store.forget([root.session_id, child.session_id])
    assert reading(opened.store, lambda store: store.load_replays([*unknown, *expected])) == expected


@pytest.mark.parametrize("restart", [False, True])
def test_runs_and_claims_are_found_after_their_end(database, restart):
    opened = database.open()
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create()
        batch.tell(root)
        first = batch.run(root, client_run_id="mine", runtime_id="runtime")
        released = batch.claim(root, "attempt 1")
        batch.release(root)
        committed = batch.claim(root, "attempt 2")
        held = root.run.claims[committed].message_ids
        batch.commit(root)
    with scribe.batch() as batch:
        batch.finish(root, RunState.FAILED)
        batch.wake(root)
        wake_id = root.wake.wake_id
        second = batch.run(root)
        live = batch.claim(root)
    if restart:
        opened.store.close()
        opened = database.open()
    keys = [
        RunKey(root.session_id, first.run_id),
        RunIdentity(root.session_id, "client:mine"),
        RunIdentity(root.session_id, f"wake:{wake_id}"),
        RunKey(root.session_id, second.run_id),
        RunKey(NOBODY, first.run_id),
        RunKey(root.session_id, "no UUID"),
        RunIdentity(root.session_id, "client:other"),
        RunIdentity(NOBODY, "client:mine"),
    ]
    runs = reading(opened.store, lambda store: store.load_runs(keys))
    assert list(runs) == [keys[0], keys[3], keys[1], keys[2]]
    assert runs[keys[0]] == runs[keys[1]]
    assert runs[keys[2]] == runs[keys[3]]
    ended = runs[keys[0]]
    assert (ended.state, ended.reason, ended.runtime_id, ended.consumed_count) == (
        RunState.FAILED,
        "done",
        "runtime",
        1,
    )
    assert (ended.start_time, ended.end_time) == (first.start_time, first.end_time)
    assert (runs[keys[3]].state, runs[keys[3]].number) == (RunState.ACTIVE, 2)

    claim_keys = [ClaimKey(root.session_id, seq) for seq in (released, committed, live)]
    others = [ClaimKey(NOBODY, live), ClaimKey(root.session_id, live + 1), ClaimKey("no UUID", live)]
    claims = reading(opened.store, lambda store: store.load_claims([*claim_keys, *others]))
    assert [claims[key].state for key in claim_keys] == [ClaimState.RELEASED, ClaimState.COMMITTED, ClaimState.LIVE]
    assert [claims[key].message_ids for key in claim_keys] == [held, held, ()]
    assert [claims[key].attempt_id for key in claim_keys][:2] == ["attempt 1", "attempt 2"]
    assert len(claims) == 3


def test_messages_are_found_in_whatever_state(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
        consumed = batch.send(root, root, mode=2)
        batch.claim(root)
        batch.commit(root)
        pending = batch.tell(root, expire_time=5)
        discarded = batch.tell(root)
        batch.emit(root, e.MessageDiscarded(discarded.message_id, 4, pending.message_id))
    found = reading(
        opened.store,
        lambda store: store.load_messages([m.message_id for m in (consumed, pending, discarded)] + [NOBODY, "no UUID"]),
    )
    for message in (consumed, pending, discarded):
        message.body = None
    assert found == {message.message_id: message for message in (consumed, pending, discarded)}


def test_bodies_are_found_after_a_restart(database):
    opened = database.open()
    scribe = Scribe(opened.store)
    bodies = ["", "x" * 100_000, "grüß \U0001f44b", "\0<agent_message>"]
    with scribe.batch() as batch:
        root = batch.create()
        for body in bodies:
            batch.tell(root, body=body)
    opened.store.close()
    store = database.open().store
    (session,) = Scribe(store).load(root.session_id).values()
    read = reading(store, lambda store: store.load_bodies(session.mail.values()))
    assert [read[message_id] for message_id in session.mail] == bodies
    assert reading(store, lambda store: store.load_bodies([])) == {}


def test_tokens_and_runtimes(database):
    opened = database.open()
    scribe = Scribe(opened.store)
    peer = Token("peer", TokenKind.PEER, "", (NOBODY, scribe.new_id()), b"\0" * 32, 1, 2, None)
    plugin = Token("plugin", TokenKind.PLUGIN, "a name", (), b"\1" * 32, 3)
    with scribe.batch() as batch:
        batch.changes.tokens = {"peer": peer, "plugin": plugin}
        batch.changes.runtimes = {
            "runtime 1": RuntimeOwner("peer", None),
            "runtime \U0001f44b": RuntimeOwner("plugin", "the first"),
        }
    revoked = Token("plugin", TokenKind.PLUGIN, "a name", (), b"\1" * 32, 3, None, 9)
    with scribe.batch() as batch:
        batch.changes.tokens = {"plugin": revoked}
        batch.changes.runtimes = {"runtime \U0001f44b": RuntimeOwner("plugin", "the second")}
    opened.store.close()
    opened = database.open()
    store, reader = opened.store, opened.reader
    assert reading(store, lambda store: store.load_tokens()) == [peer, revoked]
    assert reading(store, lambda store: [store.find_token("plugin"), store.find_token("nobody")]) == [revoked, None]
    assert reader.all_tokens() == [peer, revoked]
    asked = ["runtime \U0001f44b", "nobody", ""]
    owner = RuntimeOwner("plugin", "the second")
    assert reading(store, lambda store: store.load_runtimes(asked)) == {"runtime \U0001f44b": owner}
    assert reader.attachments([*asked, "runtime 1"]) == {"runtime \U0001f44b": "the second"}


def test_the_version_of_the_tokens_is_another_after_each_that_is_made_or_revoked(database):
    opened = database.open()
    scribe = Scribe(opened.store)
    versions = {opened.reader.token_version()}
    made = Token("plugin", TokenKind.PLUGIN, "a name", (), b"\1" * 32, 3)
    for token in (made, Token("2", TokenKind.ADMIN, "", (), b"\2" * 32, 4), replace(made, revoke_time=5)):
        with scribe.batch() as batch:
            batch.changes.tokens = {token.token_id: token}
        versions.add(opened.reader.token_version())
    assert len(versions) == 4


def test_the_sessions_of_a_token_are_counted(opened, scribe):
    with scribe.batch() as batch:
        first, second = batch.create(host_token_id="mine"), batch.create(host_token_id="mine")
        batch.create(host_token_id="another")
        batch.emit(second, e.SessionDeleted("gone"))
        batch.wake(first)
        batch.offer(first, token_id="another")
    counts = [reading(opened.store, lambda store: store.count_hosted(token)) for token in ("mine", "another", "none")]  # noqa: B023
    assert counts == [2, 2, 0]


def test_what_is_due_comes_in_its_order(opened, scribe):
    with scribe.batch() as batch:
        sessions = [batch.create() for _ in range(4)]
        for session, due in zip(sessions, [30, None, 10, 20], strict=True):
            batch.touch(session, due)
    ids = [session.session_id for session in sessions]
    assert reading(opened.store, lambda store: store.due_sessions(9, 10)) == []
    assert reading(opened.store, lambda store: store.due_sessions(20, 10)) == [ids[2], ids[3]]
    assert reading(opened.store, lambda store: store.due_sessions(99, 2)) == [ids[2], ids[3]]


def test_wakes_are_offered_to_hosts_and_to_runtimes_of_the_agent(opened, scribe):
    with scribe.batch() as batch:
        mine = batch.create(host_token_id="mine")
        later = batch.create(host_token_id="mine")
        other = batch.create(host_token_id="other", agent="reviewer")
        offered = batch.create(host_token_id="mine")
        failed = batch.create(host_token_id="mine")
        settled = batch.create(host_token_id="mine")
        for session in (mine, other, offered, failed, settled):
            batch.wake(session)
        batch.wake(later, TIME * 2)
        batch.offer(offered, "runtime 1", "offered to")
        batch.offer(failed, "runtime 1")
        batch.emit(failed, e.WakeFailed(failed.wake.wake_id, "runtime 1", 1, "declined", TIME - 1))
        batch.run(settled)

    def offer(tokens, agents, now=TIME + 1000, limit=10):
        return reading(opened.store, lambda store: store.wakes_to_offer(tokens, agents, now, limit))

    assert offer(["mine"], []) == [failed.session_id, mine.session_id]
    assert offer(["mine"], [], limit=1) == [failed.session_id]
    assert offer(["mine"], [], now=TIME * 3) == [failed.session_id, mine.session_id, later.session_id]
    assert offer([], []) == []
    assert offer(["nobody"], ["nobody"]) == []
    assert offer([], ["reviewer"]) == [other.session_id]
    assert {*offer(["other"], ["explore"])} == {mine.session_id, failed.session_id, other.session_id}
    assert {*offer([], ["*"])} == {mine.session_id, failed.session_id, other.session_id}
    assert reading(opened.store, lambda store: store.offers_of("runtime 1")) == [
        (offered.session_id, offered.wake.wake_id)
    ]
    assert reading(opened.store, lambda store: store.offers_of("runtime 2")) == []


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("how", ["offered", "settled", "withdrawn", "put off"])
def test_a_wake_that_no_longer_waits_is_found_by_nobody(database, how, restart):
    opened = database.open()
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        root = batch.create(host_token_id="mine")
        batch.wake(root)
    if restart:
        opened.store.close()
        opened = database.open()
        scribe.store = opened.store

    def found(now=TIME * 2):
        waiting = [(["mine"], []), ([], ["explore"]), ([], ["*"])]
        return [reading(opened.store, lambda store: store.wakes_to_offer(*by, now, 9)) for by in waiting]  # noqa: B023

    assert found() == [[root.session_id]] * 3
    with scribe.batch() as batch:
        session = batch.session(root.session_id)
        if how == "offered":
            batch.offer(session)
        elif how == "settled":
            batch.run(session)
        else:
            batch.emit(session, e.WakeWithdrawn(session.wake.wake_id, "why"))
        if how == "put off":
            batch.wake(session, TIME * 3)
    assert found() == [[]] * 3
    assert found(TIME * 4) == [[root.session_id] if how == "put off" else []] * 3


def test_the_token_that_was_offered_a_session_hosts_it(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create(host_token_id="")
        batch.wake(root)
    with scribe.batch() as batch:
        batch.offer(root, token_id="host")
    opened.store.forget([root.session_id])
    assert scribe.load(root.session_id)[root.session_id].host_token_ids == {"host"}


def test_suspects_are_those_with_a_wake_or_with_mail_and_no_run(opened, scribe):
    with scribe.batch() as batch:
        woken, waiting, running, idle, held, both = (batch.create() for _ in range(6))
        for session in (waiting, running, held, both, both):
            batch.tell(session)
        batch.emit(held, e.SessionAvailabilityChanged(Availability.PAUSED))
        batch.run(running)
        batch.wake(woken)
        batch.wake(both)
    expected = sorted(session.session_id for session in (woken, waiting, held, both))
    assert idle.session_id not in expected
    assert reading(opened.store, lambda store: store.suspects("", 100)) == expected
    paged, after = [], ""
    while page := reading(opened.store, lambda store: store.suspects(after, 1)):  # noqa: B023
        paged += page
        after = page[-1]
    assert paged == expected


def test_leases_of_active_runs_are_renewed_in_memory_and_in_store(database):
    opened = database.open()
    scribe = Scribe(opened.store)
    with scribe.batch() as batch:
        short, long, ended = (batch.create() for _ in range(3))
        for session in (short, long, ended):
            batch.run(session)
        short.run.lease_expire_time = TIME + 10
        long.run.lease_expire_time = TIME + 1000
        ended_run = ended.run
        ended_run.lease_expire_time = TIME + 10
        batch.finish(ended)
    assert opened.store.renew_leases(TIME + 100, TIME) == 2
    scribe = Scribe(opened.store)
    kept = scribe.load(short.session_id, long.session_id).values()
    assert [session.run.lease_expire_time for session in kept] == [TIME + 100, TIME + 1000]
    active = reading(opened.store, lambda store: [run.session_id for run in store.active_runs()])
    assert active == [short.session_id, long.session_id]
    opened.store.close()
    opened = database.open()
    loaded = Scribe(opened.store).load(*active)
    assert [session.run.lease_expire_time for session in loaded.values()] == [TIME + 100, TIME + 1000]
    runs = reading(opened.store, lambda store: store.load_runs([RunKey(ended.session_id, ended_run.run_id)]))
    assert [run.lease_expire_time for run in runs.values()] == [TIME + 10]
