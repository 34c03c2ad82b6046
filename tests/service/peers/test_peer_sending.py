"""One session writes to another: what arrives, what both logs tell, and what a body and its header must be."""

from __future__ import annotations

import pytest
from kinpost.v1 import message_pb2

pytestmark = pytest.mark.usefixtures("service_log")
ROUTES = ["peer-message", "message", "queue"]


@pytest.mark.parametrize("route", ROUTES)
async def test_a_message_arrives_whole_under_the_senders_name(door, runtime, scene, log_of, route):
    text = "line one\n\twith «signs» & <tags>\u2028and 🙂"
    told = await door.send(scene.peer, scene.source, scene.target, text, route=route)
    assert (told.delivered, told.queued, told.woken_from, told.idempotent) == (True, False, None, False)
    (accepted,) = await log_of(scene.target, "producer_message_accepted")
    assert (accepted.body, accepted.owner) == (text, message_pb2.PRODUCER_OWNER_PEER)
    assert accepted.sender.session_id == scene.source.session_id
    (message,) = (await runtime.start(scene.target, attempt_id="a")).claim.messages
    assert message.rendered_text == f'<peer_message from="{scene.source.handle}">\n{text}\n</peer_message>'
    (sent,) = await log_of(scene.source, "peer_message_sent")
    assert (sent.message_id, sent.target_session_id) == (accepted.message_id, scene.target.session_id)
    assert sent.preview == "line one with «signs» & <tags> and 🙂"


async def test_a_busy_target_takes_it_at_its_turn_boundary(door, runtime, scene):
    run = await runtime.run(scene.target)
    told = await door.send(scene.peer, scene.source, scene.target)
    assert (told.delivered, told.queued, told.woken_from) == (True, True, None)
    claim = await runtime.claim(run)
    assert not claim.messages
    await runtime.finish(run, commit_claim_seq=claim.claim_seq)
    started = await runtime.start(scene.target, attempt_id="a")
    assert [message.body for message in started.claim.messages] == ["hello"]


async def test_a_sleeping_target_is_woken(door, runtime, scene):
    attached = await runtime.attach()
    await door.send(scene.peer, scene.source, scene.target)
    offer = await attached.told("wake_offer")
    assert offer.session_id == scene.target.session_id
    attached.cancel()


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("source", ["", "nobody", "explore_1a2b3c4d", "{x}"])
async def test_the_sender_is_named_by_its_id(door, server, scene, route, source):
    before = await server.admin.log(all=True)
    told = await door.send(scene.peer, source, scene.target, route=route)
    assert told.error == "invalid_payload"
    assert told.field in ("X-AMC-Source-Session-Id", "source_session_id")
    assert await server.admin.log(all=True) == before


async def test_a_token_writes_only_for_the_sessions_that_it_acts_for(door, server, runtime, scene):
    stranger = await (await server.make_token("runtime")).session()
    unknown = "00000000-0000-4000-8000-000000000000"
    for client, source in (
        (scene.peer, scene.target),
        (scene.peer, stranger),
        (scene.peer, unknown),
        (runtime, stranger),
        (server.admin, unknown),
        (await server.make_token("session", scene.target.session_id), scene.source),
        (await server.make_token("observer"), scene.source),
        (await server.make_token("plugin"), scene.source),
    ):
        assert (await door.send(client, source, scene.target)).error == "forbidden"
    for client in (scene.peer, runtime, server.admin, await server.make_token("session", scene.source.session_id)):
        assert (await door.send(client, scene.source, scene.target)).delivered


async def test_without_a_token_nothing_is_looked_at(door, server, scene):
    for secret in ("", "wrong"):
        assert (
            await door.send(server.client(secret), "", "nobody" if door.name == "http" else scene.target, "")
        ).error == ("unauthorized")


async def test_a_target_that_is_not_there_is_not_found(door, server, scene, log_of):
    told = await door.send(scene.peer, scene.source, "00000000-0000-4000-8000-000000000000")
    assert told.error == "session_not_found"
    assert await log_of(scene.source) == ["session_created"]
    assert (await door.dead_letters(server.admin)).letters == []


@pytest.mark.parametrize(
    "text, tldr, field",
    [
        ("", None, "text"),
        ("x" * 32_001, "short", "text"),
        ("🙂" * 32_001, "short", "text"),
        ("a\0b", None, "text"),
        ("hello", "", "tldr"),
        ("hello", "x" * 601, "tldr"),
        ("hello", "é" * 601, "tldr"),
        ("hello", "\0", "tldr"),
    ],
)
@pytest.mark.parametrize("route", ROUTES)
async def test_lengths_are_those_of_the_contract(door, scene, log_of, route, text, tldr, field):
    more = {} if tldr is None else {"tldr": tldr}
    told = await door.send(scene.peer, scene.source, scene.target, text, route=route, **more)
    assert (told.error, told.field) == ("invalid_payload", field)
    assert await log_of(scene.target) == ["session_created"]


@pytest.mark.parametrize("letter", ["x", "é", "漢", "🙂"])
async def test_lengths_are_counted_in_code_points(door, scene, log_of, letter):
    told = await door.send(scene.peer, scene.source, scene.target, letter * 32_000, tldr=letter * 600)
    assert told.delivered
    told = await door.send(scene.peer, scene.source, scene.target, letter * 1000)
    assert told.delivered
    assert [len(accepted.body) for accepted in await log_of(scene.target, "producer_message_accepted")] == [
        32_000,
        1000,
    ]


async def test_white_space_is_a_text(door, scene):
    assert (await door.send(scene.peer, scene.source, scene.target, " \n")).delivered


async def test_neither_message_rules_nor_approvals_nor_gates_apply(door, server, runtime, log_of):
    source = await runtime.session(rules={"*": "deny"})
    target = await runtime.session(rules={"*": "ask"})
    told = await door.send(await server.make_token("peer", source.session_id), source, target)
    assert told.delivered
    assert "approval_requested" not in await log_of(source)
