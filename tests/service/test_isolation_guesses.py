"""What can be learnt by trying: places in another's lists, ids and handles that somebody else has, runtimes' names."""

from __future__ import annotations

from types import SimpleNamespace

import grpc
import pytest
from calls import fresh
from mail import two
from uuid_utils import uuid4


@pytest.fixture
async def scene(server, runtime):
    """Two sessions with as much in their lists, of which a runtime called `other` hosts the second."""
    other = await server.make_token("runtime")
    plugin = await server.make_token("plugin")
    made = []
    for client in (runtime, other):
        parent, child, run = await two(client)
        for _ in range(3):
            await client.send(run, child)
            await plugin.register(parent)
        made.append(parent)
    return SimpleNamespace(theirs=made[0], own=made[1], other=other)


def lists(client, session) -> dict[str, tuple]:
    """Return each list of a session: the RPC, its fields, and what says whose an entry is."""
    own = {"session_id": session.session_id}
    return {
        "ListSentMessages": (client.messaging.ListSentMessages, own, lambda page: page.sent_messages),
        "ListProducers": (client.producers.ListProducers, own, lambda page: page.producers),
        "ListEvents": (client.events.ListEvents, own, lambda page: page.events),
    }


@pytest.mark.parametrize("name", ["ListSentMessages", "ListProducers", "ListEvents"])
async def test_a_place_in_anothers_list_opens_nothing_of_it(server, runtime, scene, name):
    """Neither with the own session nor with the other's."""
    whole, fields, entries = lists(scene.other, scene.own)[name]
    own = {entry.SerializeToString() for entry in entries(await whole(**fields))}
    first, theirs, _ = lists(runtime, scene.theirs)[name]
    page = await first(**theirs, page_size=1)
    seen = entries(await whole(**fields, page_token=page.next_page_token))
    assert {entry.SerializeToString() for entry in seen} <= own
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await whole(**theirs, page_token=page.next_page_token)
    assert caught.value.details().startswith("session:not_found")


async def test_a_cursor_of_anothers_events_opens_nothing_of_them(server, runtime, scene):
    cursor = (await runtime.events.ListEvents(session_id=scene.theirs.session_id, page_size=1)).cursor
    own = {"session_id": scene.own.session_id, "after_cursor": cursor}
    frame = await scene.other.subscribe(**own).next()
    page = await scene.other.events.ListEvents(**own)
    for events in (frame.events, page.events):
        assert {event.session_id for event in events} == {scene.own.session_id}


@pytest.mark.parametrize("kind", ["runtime", "session", "peer"])
async def test_a_place_in_a_list_of_everybodys_opens_nothing(server, scene, refused, kind):
    """A page token of an admin's is as good as none for who may not list."""
    admin = server.admin
    more = () if kind == "runtime" else (scene.own.session_id,)
    client = await server.make_token(kind, *more)
    for rpc, fields in (
        ("sessions.ListSessions", {}),
        ("admin.ListTokens", {}),
        ("events.ListEvents", {"all": True}),
        ("events.ListEvents", {"root_session_id": scene.theirs.session_id}),
    ):
        service, name = rpc.split(".")
        token = (await getattr(getattr(admin, service), name)(**fields, page_size=1)).next_page_token
        with refused("auth:forbidden"):
            await getattr(getattr(client, service), name)(**fields, page_token=token)


async def test_an_id_that_is_taken_says_no_more_than_that(server, runtime, refused):
    """Ids are the callers' own, so that one must be told; whether it lives, runs or was deleted is not."""
    other = await server.make_token("runtime")
    own = await other.session()
    idle, running, deleted = [await runtime.session() for _ in range(3)]
    await runtime.run(running)
    await runtime.sessions.DeleteSession(session_id=deleted.session_id)
    texts = set()
    for session in (idle, running, deleted):
        with refused("session:exists") as told:
            await other.session(session_id=session.session_id)
        texts.add(told.text)
        with refused("session:exists") as told:
            fork = {"session_id": own.session_id, "at_seq": 1, "new_session_id": session.session_id}
            await other.sessions.ForkSession(**fork)
        texts.add(told.text)
    assert len(texts) == 1


async def test_an_agent_learns_of_another_trees_session_only_that_its_id_is_taken(server, runtime, refused):
    """The contract's two codes differ; nothing else does, whatever the session is called or does."""
    _, _, run = await two(runtime)
    other = await server.make_token("runtime")
    idle, running, paused, deleted = [await other.session() for _ in range(4)]
    await other.run(running)
    await other.sessions.SetAvailability(session_id=paused.session_id, availability=2)
    await other.sessions.DeleteSession(session_id=deleted.session_id)
    texts = set()
    for session in (idle, running, paused):
        with refused("send_message:not_tree_peer") as told:
            await runtime.send(run, session)
        texts.add(told.text)
    assert len(texts) == 1
    for session_id in (deleted.session_id, str(uuid4())):
        with refused("send_message:unknown_session") as told:
            await runtime.send(run, session_id)
        assert told.text == f"send_message:unknown_session: no session has the id {session_id}"
    for session in (idle, running, paused, deleted):
        with refused("send_message:unknown_reference") as told:
            await runtime.send(run, session.handle)
        assert session.session_id not in told.text
        assert "not_tree_peer" not in told.text


async def test_any_runtime_that_asks_for_any_session_hosts_what_it_is_offered(server, runtime, refused):
    """This is what scope ANY is: a runtime's token is as good as any session of any agent that has mail to read."""
    session = await runtime.session(agent="default")
    other = await server.make_token("runtime")
    own_only = await other.attach(agents=["*"])
    await runtime.user(session, "for whoever runs it")
    with refused("session:not_found"):
        await other.look(session)
    own_only.cancel()
    attached = await other.attach(agents=["*"], session_scope=2)
    assert (await attached.told("wake_offer")).session_id == session.session_id
    bodies = [e.producer_message_accepted.body for e in await other.log(session_id=session.session_id)]
    assert "for whoever runs it" in bodies
    attached.cancel()


async def test_a_runtimes_name_is_whoevers_took_it_first(server, runtime, refused):
    """And it is told that it is taken: names of runtimes are no secrets."""
    name = fresh("runtime")
    (await runtime.attach(name)).cancel()
    other = await server.make_token("runtime")
    with refused("auth:forbidden") as told:
        await other.attach(name)
    assert told.text == "auth:forbidden: the runtime_id belongs to another token"
