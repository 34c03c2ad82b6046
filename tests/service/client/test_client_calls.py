"""Everything else that a program asks of the service through the client."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from kinpost.v1 import PROTOCOL_VERSION, event_pb2
from kinpost_client import Decision, Imported, Origin, SessionState, Starter, TokenKind
from kinpost_client.errors import (
    Forbidden,
    IdempotencyConflict,
    InvalidRequest,
    RunNotActive,
    SessionExists,
    SessionLogMoved,
    SessionNotFound,
    TokenNotFound,
    Unauthenticated,
)

SOME_ID = "0a1b2c3d-0000-4000-8000-00000000000a"


async def test_a_session_comes_back_as_it_was_asked_for(tree):
    document = "---\npermissions:\n  message:\n    parent: allow\n    '*': ask\n---\nYou explore."
    session = await tree.host.create_session(
        "explore",
        parent_session_id=tree.parent.session_id,
        agent_document=document,
        description="Looks around.",
        session_id=SOME_ID,
    )

    assert (session.session_id, session.parent_session_id, session.root_session_id, session.depth) == (
        SOME_ID,
        tree.parent.session_id,
        tree.parent.session_id,
        1,
    )
    assert session.message_rules == {"parent": Decision.ALLOW, "*": Decision.ASK}
    assert (session.agent, session.description, session.starter, session.state) == (
        "explore",
        "Looks around.",
        Starter.DELEGATOR,
        SessionState.QUEUED,
    )
    assert session.handle is not None
    assert session.handle.startswith("explore_")
    assert abs(datetime.now(UTC) - session.create_time) < timedelta(minutes=1)
    assert await tree.host.get_session(SOME_ID) == session


async def test_the_same_session_twice_is_one_and_another_under_its_id_is_refused(tree):
    first = await tree.host.create_session("explore", session_id=SOME_ID)

    assert await tree.host.create_session("explore", session_id=SOME_ID) == first
    with pytest.raises(SessionExists):
        await tree.host.create_session("another", session_id=SOME_ID)


async def test_a_session_of_another_system_brings_state_handle_and_time(tree):
    when = datetime(2020, 2, 3, 4, 5, 6, tzinfo=UTC)
    imported = Imported(SessionState.COMPLETED, "veteran_0a1b2c3d", when)

    session = await tree.host.create_session("veteran", imported=imported)

    assert (session.state, session.handle, session.create_time) == (SessionState.COMPLETED, imported.handle, when)


async def test_a_tree_is_listed_page_by_page_for_those_who_may(tree, link, server):
    children = [
        (await tree.host.create_session("x", parent_session_id=tree.parent.session_id)).session_id for _ in range(101)
    ]
    observer = await link(server.address, (await tree.admin.tokens.create("observer")).secret)

    listed = [session.session_id async for session in observer.list_sessions(tree.parent.session_id)]

    assert listed == [tree.parent.session_id, tree.child.session_id, *children]
    with pytest.raises(Forbidden):
        await anext(tree.host.list_sessions(tree.parent.session_id))


async def test_a_pause_ends_by_itself(tree, runtime, soon):
    until = datetime.now(UTC) + timedelta(seconds=0.5)
    paused = await tree.approver.set_availability(tree.child.session_id, "paused", reason="a moment", until_time=until)
    await tree.admin.send_user_message(tree.child.session_id, "begin")

    assert (paused.availability, paused.availability_reason) == ("paused", "a moment")
    assert paused.until_time is not None
    assert abs(paused.until_time - until) < timedelta(milliseconds=1)
    offer = await soon(anext(runtime.offers()))
    assert offer.session_id == tree.child.session_id
    assert datetime.now(UTC) >= until


async def test_archived_mail_is_held_when_said(tree):
    archived = await tree.approver.set_availability(tree.child.session_id, "archived", no_wake=True)
    accepted = await tree.admin.send_user_message(tree.child.session_id, "begin")

    assert (archived.availability, archived.no_wake, accepted.recipient_state) == ("archived", True, "held")


async def test_a_persons_message_is_stored_once_under_its_id(tree):
    first = await tree.admin.send_user_message(tree.child.session_id, "begin", client_message_id="1")
    again = await tree.admin.send_user_message(tree.child.session_id, "begin", client_message_id="1")

    assert (first.message_id, first.replayed, again.replayed) == (again.message_id, False, True)
    with pytest.raises(IdempotencyConflict):
        await tree.admin.send_user_message(tree.child.session_id, "other", client_message_id="1")
    another = await tree.admin.send_user_message(tree.child.session_id, "begin")
    assert another.message_id != first.message_id


async def test_cancelling_what_does_not_run_says_so(tree):
    with pytest.raises(RunNotActive):
        await tree.approver.cancel_run(tree.child.session_id)


async def test_a_field_at_fault_is_named(tree):
    with pytest.raises(InvalidRequest) as refused:
        await tree.host.get_session("no uuid")
    assert refused.value.field == "session_id"


async def test_a_models_tools_are_those_that_its_rules_allow(tree):
    silent = await tree.host.create_session("silent")

    assert await tree.host.list_tools(silent.session_id) == []
    (tool,) = await tree.host.list_tools(tree.parent.session_id)
    assert tool.name == "send_message"
    assert sorted(tool.parameters["properties"]) == ["body", "mode", "to"]


async def test_events_are_listed_and_followed_from_where_one_wants(tree, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")
    await tree.approver.set_availability(tree.child.session_id, "paused")
    session_id = tree.child.session_id

    whole = [event async for event in tree.host.list_events(session_id=session_id)]
    later = [event async for event in tree.host.list_events(session_id=session_id, after_seq=2)]
    only = [event async for event in tree.host.list_events(session_id=session_id, event_types=["wake_withdrawn"])]

    assert [event.seq for event in whole] == list(range(1, len(whole) + 1))
    assert later == whole[2:]
    assert only == [event for event in whole if event.type == "wake_withdrawn"] != []
    (accepted,) = [event for event in whole if isinstance(event.payload, event_pb2.ProducerMessageAccepted)]
    assert (accepted.origin, accepted.payload.body, accepted.run_id) == (Origin.PERSON, "begin", None)
    async with tree.host.subscribe(session_id=session_id, after_seq=2) as events:
        assert [await soon(anext(events)) for _ in later] == later


async def test_only_what_comes_from_now_on_is_followed_when_said(tree, soon):
    await tree.admin.send_user_message(tree.child.session_id, "before")
    async with tree.host.subscribe(session_id=tree.child.session_id, from_now=True) as events:
        waiting = asyncio.ensure_future(anext(events))
        while not events.caught_up:
            await tree.host.server_info()
        await tree.admin.send_user_message(tree.child.session_id, "after")

        assert (await soon(waiting)).payload.body == "after"


async def test_more_than_a_page_of_events_is_listed_whole(tree):
    await tree.approver.set_availability(tree.child.session_id, "paused")
    numbers = range(1001)
    await asyncio.gather(*(tree.admin.send_user_message(tree.child.session_id, str(number)) for number in numbers))

    seqs = [event.seq async for event in tree.host.list_events(session_id=tree.child.session_id)]

    assert seqs == list(range(1, len(seqs) + 1))
    assert len(seqs) > 1000


async def test_tokens_are_made_listed_and_revoked(tree, link, server):
    expire_time = datetime.now(UTC) + timedelta(days=1)
    made = await tree.admin.tokens.create("session", session_ids=[tree.child.session_id], expire_time=expire_time)
    tokens = {token.token_id: token async for token in tree.admin.tokens.list()}
    token = tokens[made.token_id]
    bound = await link(server.address, made.secret)

    assert (token.kind, token.session_ids, token.revoke_time) == (TokenKind.SESSION, (tree.child.session_id,), None)
    assert token.expire_time is not None
    assert abs(token.expire_time - expire_time) < timedelta(milliseconds=1)
    assert (await bound.get_session(tree.child.session_id)).handle == tree.child.handle
    with pytest.raises(SessionNotFound):
        await bound.get_session(tree.parent.session_id)
    revoked = await tree.admin.tokens.revoke(made.token_id)
    assert revoked.revoke_time is not None
    with pytest.raises(Unauthenticated):
        await bound.get_session(tree.child.session_id)
    with pytest.raises(TokenNotFound):
        await tree.admin.tokens.revoke(SOME_ID)
    with pytest.raises(Forbidden):
        await tree.host.tokens.create("admin")


async def test_the_server_tells_what_it_is_without_a_token(server, link):
    nobody = await link(server.address, None)
    info = await nobody.server_info()

    assert (info.protocol_version, info.log_id) == (PROTOCOL_VERSION, server.engine.log_id)
    assert abs(datetime.now(UTC) - info.server_time) < timedelta(minutes=1)
    with pytest.raises(Unauthenticated):
        await nobody.get_session(SOME_ID)


async def test_a_session_goes_back_to_a_point_and_goes_on_beside_it(tree):
    child_id = tree.child.session_id
    await tree.admin.send_user_message(child_id, "the mail")
    point = (await tree.host.get_session(child_id)).last_seq
    await tree.admin.send_user_message(child_id, "too late")
    known = (await tree.host.get_session(child_id)).last_seq

    fork = await tree.host.fork_session(child_id, known, new_session_id=SOME_ID)
    reverted = await tree.host.revert_session(child_id, point, expected_last_seq=known, pause=True)

    assert (fork.session_id, fork.parent_session_id, fork.pending_count) == (SOME_ID, tree.parent.session_id, 2)
    assert (reverted.availability, reverted.availability_reason, reverted.pending_count) == ("paused", "reverted", 1)
    assert await tree.host.revert_session(child_id, point, expected_last_seq=known, pause=True) == reverted
    assert await tree.host.fork_session(child_id, known, new_session_id=SOME_ID) == fork
    with pytest.raises(SessionLogMoved):
        await tree.host.revert_session(child_id, 1, expected_last_seq=known)
    with pytest.raises(SessionExists):
        await tree.host.fork_session(child_id, point, new_session_id=SOME_ID)
    with pytest.raises(InvalidRequest):
        await tree.host.revert_session(child_id, known, expected_last_seq=reverted.last_seq)
