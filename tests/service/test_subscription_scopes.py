"""Subscriptions and pages: whose events, from where, of which kinds, and for whom."""

from __future__ import annotations

from types import SimpleNamespace

import grpc
import pytest
from by_hand import change_by_hand
from kinpost.v1 import event_service_pb2 as pb
from ledger import kind, kinds, payloads
from uuid_utils import uuid4


@pytest.fixture
async def log(server, runtime):
    """Two trees with some history; `all`, `tree`, `root` and `child` are the events of each scope."""
    root = await runtime.session(rules={"child": "allow"})
    child = await runtime.session(root)
    other = await runtime.session()
    run = await runtime.run(root)
    for number in range(5):
        await runtime.send(run, child, f"mail {number}")
        await runtime.user(other, f"mail {number}")
        await runtime.finish(await runtime.run(child), "FAILED")
        receiving = await runtime.run(child)
        await runtime.finish(receiving, commit_claim_seq=(await runtime.claim(receiving)).claim_seq)
    everything = await server.admin.log(all=True)
    mine = {root.session_id, child.session_id}
    return SimpleNamespace(
        sessions=SimpleNamespace(root=root, child=child, other=other),
        run=run,
        all=everything,
        tree=[event for event in everything if event.session_id in mine],
        child=[event for event in everything if event.session_id == child.session_id],
    )


@pytest.fixture(params=["all", "tree", "child"])
def scope(request, log):
    """A scope's fields, and its events so far."""
    fields = {
        "all": {"all": True},
        "tree": {"root_session_id": log.sessions.root.session_id},
        "child": {"session_id": log.sessions.child.session_id},
    }[request.param]
    return SimpleNamespace(fields=fields, events=getattr(log, request.param))


async def test_a_subscription_and_pages_of_each_scope_hold_the_same_events(server, scope):
    watching = server.admin.subscribe(**scope.fields)
    assert await watching.events(len(scope.events)) == scope.events
    assert watching.seen[-1].caught_up
    assert await server.admin.log(**scope.fields) == scope.events
    token = ""
    for event in scope.events:
        page = await server.admin.events.ListEvents(**scope.fields, page_size=1, page_token=token)
        assert list(page.events) == [event]
        token = page.next_page_token
    if token:  # events of other scopes followed the last of this one
        page = await server.admin.events.ListEvents(**scope.fields, page_size=1, page_token=token)
        assert not page.events
        assert not page.next_page_token


async def test_every_cursor_of_every_page_resumes_right_after_it(server, scope):
    after = ""
    for index in range(0, len(scope.events), 3):
        start = {"after_cursor": after} if after else {}
        page = await server.admin.events.ListEvents(**scope.fields, **start, page_size=3)
        assert list(page.events) == scope.events[index : index + 3]
        after = page.cursor
        rest = server.admin.subscribe(**scope.fields, after_cursor=after)
        frame = await rest.next()
        assert list(frame.events) == scope.events[index + 3 :]
        assert frame.caught_up
        rest.cancel()


async def test_a_sessions_events_can_be_had_after_each_of_its_numbers(server, log, refused):
    own = {"session_id": log.sessions.child.session_id}
    for seq in range(len(log.child) + 1):
        page = await server.admin.events.ListEvents(**own, after_seq=seq, page_size=1000)
        assert list(page.events) == log.child[seq:]
        watching = server.admin.subscribe(**own, after_seq=seq)
        assert list((await watching.next()).events) == log.child[seq:]
        watching.cancel()
    for seq in (len(log.child) + 1, (1 << 63) - 1):
        with refused("events:cursor_out_of_range", grpc.StatusCode.OUT_OF_RANGE):
            await server.admin.events.ListEvents(**own, after_seq=seq)
        with refused("events:cursor_out_of_range", grpc.StatusCode.OUT_OF_RANGE):
            await server.admin.subscribe(**own, after_seq=seq).next()


async def test_from_now_skips_what_was_and_misses_nothing_that_comes(server, runtime, log, scope):
    watching = server.admin.subscribe(**scope.fields, from_now=True)
    first = await watching.next()
    assert (list(first.events), first.caught_up) == ([], True)
    await runtime.user(log.sessions.child, "now")
    (event, *_) = await watching.events(1)
    assert (kind(event), event.session_id) == ("producer_message_accepted", log.sessions.child.session_id)
    assert event.producer_message_accepted.body == "now"


async def test_live_events_of_other_scopes_are_not_seen(server, runtime, log, scope):
    watching = server.admin.subscribe(**scope.fields)
    await watching.events(len(scope.events))
    await runtime.user(log.sessions.other, "of another tree")
    await runtime.send(log.run, log.sessions.child, "the last")
    seen = await watching.events(1)
    while not [sent for sent in payloads(seen, "producer_message_accepted") if sent.body == "the last"]:
        seen += await watching.events(1)
    strangers = [event for event in seen if event.session_id == log.sessions.other.session_id]
    assert bool(strangers) == ("all" in scope.fields)


@pytest.mark.parametrize("names", [["RUN_STARTED"], ["PRODUCER_MESSAGE_ACCEPTED", "RUN_FINISHED"], ["SESSION_DELETED"]])
async def test_only_the_kinds_that_were_asked_for(server, runtime, log, scope, names):
    types = [pb.EventType.Value(f"EVENT_TYPE_{name}") for name in names]
    wanted = {name.lower() for name in names}
    expected = [event for event in scope.events if kind(event) in wanted]
    page = await server.admin.events.ListEvents(**scope.fields, event_types=types, page_size=1000)
    assert list(page.events) == expected
    watching = server.admin.subscribe(**scope.fields, event_types=types)
    frame = await watching.next()
    assert list(frame.events) == expected
    assert frame.caught_up
    # The cursor is past what was not asked for: whoever resumes by it looks at none of that again.
    whole = server.admin.subscribe(**scope.fields, after_cursor=frame.cursor)
    assert not (await whole.next()).events
    await runtime.finish(await runtime.run(log.sessions.child))
    if wanted & {"run_started", "run_finished"}:
        assert set(kinds(await watching.events(1))) <= wanted
    watching.cancel()
    whole.cancel()


async def test_a_cursor_of_one_scope_serves_another(server, log):
    """A cursor is a point of the whole log: whoever followed a session may go on with its tree."""
    page = await server.admin.events.ListEvents(session_id=log.sessions.child.session_id, page_size=4)
    position = page.events[-1].position
    found = await server.admin.events.ListEvents(all=True, after_cursor=page.cursor, page_size=1000)
    assert list(found.events) == [event for event in log.all if event.position > position]


async def test_cursors_that_are_not_of_this_log_are_refused(server, log, refused, tmp_path):
    from running import LocalServer

    elsewhere = LocalServer(tmp_path / "elsewhere", {})
    await elsewhere.start()
    foreign = (await elsewhere.admin.events.ListEvents(all=True)).cursor
    await elsewhere.stop()
    ours = (await server.admin.events.ListEvents(all=True)).cursor
    with refused("events:other_log", grpc.StatusCode.OUT_OF_RANGE):
        await server.admin.subscribe(all=True, after_cursor=foreign).next()
    for cursor in ("x", ours[:-1], ours + "A", ours.swapcase(), "é", "x" * 5000):
        with refused("request:invalid", grpc.StatusCode.INVALID_ARGUMENT, field="after_cursor"):
            await server.admin.subscribe(all=True, after_cursor=cursor).next()
        with refused("request:invalid", grpc.StatusCode.INVALID_ARGUMENT, field="after_cursor"):
            await server.admin.events.ListEvents(all=True, after_cursor=cursor)
        with refused("request:invalid", field="page_token"):
            await server.admin.events.ListEvents(all=True, page_token=cursor)


async def test_a_cursor_older_than_what_is_kept_is_refused(server, log, refused):
    pages = [await server.admin.events.ListEvents(all=True, page_size=size) for size in (4, 5, 6)]
    await server.stop()
    change_by_hand(server.database, "DELETE FROM event WHERE position <= 5")
    await server.start()
    with refused("events:cursor_expired", grpc.StatusCode.OUT_OF_RANGE):
        await server.admin.events.ListEvents(all=True, after_cursor=pages[0].cursor)
    with refused("events:cursor_expired", grpc.StatusCode.OUT_OF_RANGE):
        await server.admin.subscribe(all=True, after_cursor=pages[0].cursor).next()
    for page, rest in zip(pages[1:], (log.all[5:], log.all[6:]), strict=True):
        found = await server.admin.events.ListEvents(all=True, after_cursor=page.cursor, page_size=1000)
        assert list(found.events)[: len(rest)] == rest


async def test_who_may_follow_what(server, runtime, log, refused):
    child = {"session_id": log.sessions.child.session_id}
    wide = ({"root_session_id": log.sessions.root.session_id}, {"all": True})
    itself = await server.make_token("session", log.sessions.child.session_id)
    for client in (runtime, itself):
        assert (await client.subscribe(**child).next()).events
        for fields in wide:
            with refused("auth:forbidden"):
                await client.subscribe(**fields).next()
    for kind_of_token in ("observer", "approver", "plugin"):
        client = await server.make_token(kind_of_token)
        for fields in (child, *wide):
            assert (await client.subscribe(**fields).next()).events
    with refused("session:not_found"):
        await itself.subscribe(session_id=log.sessions.root.session_id).next()
    for client in (runtime, server.admin):
        with refused("session:not_found"):
            await client.subscribe(session_id=str(uuid4())).next()
    with refused("session:not_found"):
        await server.admin.subscribe(root_session_id=log.sessions.child.session_id).next()


async def test_a_token_that_is_revoked_sees_nothing_more(server, runtime, log, refused):
    observer = await server.make_token("observer")
    watching = observer.subscribe(all=True, from_now=True)
    await watching.next()
    await server.revoke(observer.token_id)
    await runtime.user(log.sessions.child, "not for everybody")
    with refused("auth:unauthenticated"):
        await watching.ended()
    assert not [event for frame in watching.seen for event in frame.events]


async def test_a_plugin_watches_all_events(server, runtime):
    watching = (await server.make_token("plugin", plugin_name="auditor")).subscribe(all=True)
    parent = await runtime.session(rules={"child": "allow"})
    child = await runtime.session(parent)
    await runtime.send(await runtime.run(parent), child, "seen")
    seen: list[str] = []
    while "seen" not in seen:
        seen += [event.producer_message_accepted.body for event in (await watching.next()).events]
