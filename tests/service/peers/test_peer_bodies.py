"""Bodies that are pulled or only measured, and the list of what a session sent."""

from __future__ import annotations

import pytest
from by_hand import rows_by_hand

LONG = "漢 " * 600


async def pointed(runtime, target) -> str:
    """Return the id of the body that the target was pointed to."""
    *_, message = (await runtime.start(target, attempt_id="a")).claim.messages
    assert f"GET /peer-message/{message.message_id}" in message.rendered_text
    return message.message_id


def fetches(server) -> list[int]:
    """How often each stored body was fetched."""
    query = "SELECT fetch_count FROM peer_body ORDER BY send_time"
    return [count for (count,) in rows_by_hand(server.database, query)]


async def test_a_body_is_priced_without_being_read_and_then_pulled(door, server, runtime, scene):
    await door.send(scene.peer, scene.source, scene.target, LONG, tldr="short")
    body_id = await pointed(runtime, scene.target)
    size = await door.body(runtime, body_id, meta=True)
    assert (size.text, size.chars, size.tokens) == (None, 1200, 600)
    assert fetches(server) == [0]
    pulled = await door.body(runtime, body_id)
    assert (pulled.text, pulled.chars, pulled.tokens) == (LONG, 1200, 600)
    assert fetches(server) == [1]
    await door.body(runtime, body_id.upper(), meta=True)
    await door.body(runtime, body_id)
    assert fetches(server) == [2]


async def test_a_body_is_the_recipients_the_senders_and_of_who_may_look(door, server, runtime, scene):
    await door.send(scene.peer, scene.source, scene.target, LONG, tldr="short")
    body_id = await pointed(runtime, scene.target)
    for client in (
        scene.peer,
        server.admin,
        await server.make_token("session", scene.target.session_id),
        await server.make_token("peer", scene.target.session_id),
        await server.make_token("observer"),
    ):
        assert (await door.body(client, body_id)).text == LONG
    stranger = await server.make_token("runtime")
    elsewhere = await stranger.session()
    for client in (
        stranger,
        await server.make_token("peer", elsewhere.session_id),
        await server.make_token("session", elsewhere.session_id),
    ):
        mine = await door.body(client, body_id)
        nobodys = await door.body(client, "00000000-0000-4000-8000-000000000000")
        assert (mine.error, mine.detail) == (nobodys.error, nobodys.detail) == ("message_not_found", mine.detail)


async def test_only_peer_mail_with_a_summary_is_a_body(door, server, runtime, scene, log_of):
    await door.send(scene.peer, scene.source, scene.target, "no summary")
    await runtime.user(scene.target, "a person's")
    for accepted in await log_of(scene.target, "producer_message_accepted"):
        assert (await door.body(server.admin, accepted.message_id)).error == "message_not_found"


async def test_a_sender_reads_back_what_it_sent_with_a_summary(door, server, runtime, scene):
    empty = await door.sent(scene.peer, scene.source)
    assert (empty.messages, empty.holds_since) == ([], None)
    assert "summary" in empty.retained_scope
    await door.send(scene.peer, scene.source, scene.target, "no summary, no trace")
    await door.send(scene.peer, scene.source, scene.target, LONG, tldr="used")
    await door.send(scene.peer, scene.source, scene.target, "hi", tldr="kept, though it is not used")
    sent = await door.sent(scene.peer, scene.source)
    told = [(m.text, m.tldr, m.chars, m.tokens, m.target_session_id) for m in sent.messages]
    target = scene.target.session_id
    assert told == [("hi", "kept, though it is not used", 2, 1, target), (LONG, "used", 1200, 600, target)]
    assert sent.holds_since is not None
    pulled = await door.body(scene.peer, sent.messages[1].body_id)
    assert pulled.text == LONG
    assert fetches(server) == [1, 0]


async def test_the_store_holds_since_is_of_everybodys_bodies(door, server, runtime, scene):
    await door.send(scene.peer, scene.source, scene.target, "hi", tldr="hi")
    other = await server.make_token("peer", scene.target.session_id)
    assert (await door.sent(other, scene.target)).messages == []
    mine, theirs = await door.sent(scene.peer, scene.source), await door.sent(other, scene.target)
    assert mine.holds_since == theirs.holds_since is not None


async def test_ones_own_list_and_no_other(door, server, runtime, scene):
    stranger = await server.make_token("runtime")
    for client, session in (
        (scene.peer, scene.target),
        (stranger, scene.source),
        (await server.make_token("observer"), scene.source),
        (await server.make_token("session", scene.target.session_id), scene.source),
        (scene.peer, "00000000-0000-4000-8000-000000000000"),
    ):
        assert (await door.sent(client, session)).error == "not_your_messages"
    assert not (await door.sent(runtime, scene.source)).error


async def test_over_http_another_source_in_the_header_is_refused(http, scene):
    path = f"/sessions/{scene.source.session_id}/peer-messages-sent"
    for source, status in ((scene.source.session_id, 200), (scene.target.session_id, 403), ("x", 403)):
        response = await http.ask(scene.peer, "GET", path, headers={"X-AMC-Source-Session-Id": source})
        assert response.status_code == status


@pytest.mark.parametrize("limit, count", [(0, 10), (1, 1), (10, 10), (50, 50), (51, 50), (1000, 50), (-1, 10)])
async def test_a_page_has_ten_and_at_most_fifty(door, scene, limit, count):
    for number in range(52):
        await door.send(scene.peer, scene.source, scene.target, f"{number}", tldr="t")
    sent = await door.sent(scene.peer, scene.source, limit)
    assert [message.text for message in sent.messages] == [f"{number}" for number in range(51, 51 - count, -1)]


@pytest.mark.parametrize("limit", ["", "x", "1.5", "%00", "٣", "9" * 30])
async def test_a_bad_limit_means_the_default(http, scene, limit):
    for _ in range(11):
        await http.send(scene.peer, scene.source, scene.target, "hi", tldr="t")
    sent = await http.sent(scene.peer, scene.source, limit)
    assert len(sent.messages) == 10


async def test_a_list_is_cut_where_a_client_of_grpc_would_not_take_it(door, server, scene):
    for _ in range(30):
        await door.send(scene.peer, scene.source, scene.target, "🙂" * 32_000, tldr="t")
    sent = await door.sent(scene.peer, scene.source, 50)
    assert len(sent.messages) == (3 << 20) // 128_000
