"""120 messages an hour for each token, sliding; and messages that wait for their slot."""

from __future__ import annotations

import pytest
from peer_doors import GrpcDoor, HttpDoor

UNKNOWN = "00000000-0000-4000-8000-000000000000"
THREE = {"http": {"enabled": True}, "peer": {"calls_max": 3}}
three_calls = pytest.mark.parametrize("overrides", [THREE])


def test_the_contracts_numbers_are_the_defaults(server_settings):
    assert (server_settings.peer.calls_max, server_settings.peer.window_seconds) == (120, 3600)
    assert server_settings.peer.replay_seconds == 600


@pytest.fixture
def server_settings():
    from kinpost_server.settings import Settings

    return Settings()


async def test_120_an_hour_and_not_one_more(door, scene, moment):
    """By the defaults, through the door."""
    for _ in range(120):
        assert (await door.send(scene.peer, scene.source, scene.target)).delivered
        moment.advance(1)
    told = await door.send(scene.peer, scene.source, scene.target)
    assert (told.error, told.retry_after_ms) == ("rate_limited", 3_480_000)
    moment.advance(3480)
    assert (await door.send(scene.peer, scene.source, scene.target)).delivered
    assert (await door.send(scene.peer, scene.source, scene.target)).error == "rate_limited"


@three_calls
async def test_the_window_slides_and_says_exactly_when(door, scene, moment):
    for _ in range(3):
        assert (await door.send(scene.peer, scene.source, scene.target)).delivered
        moment.advance(100)
    told = await door.send(scene.peer, scene.source, scene.target)
    assert (told.error, told.retry_after_ms) == ("rate_limited", 3_300_000)
    moment.advance(3299.9995)
    told = await door.send(scene.peer, scene.source, scene.target)
    assert (told.error, told.retry_after_ms) == ("rate_limited", 1)
    moment.advance(0.0005)
    assert (await door.send(scene.peer, scene.source, scene.target)).delivered
    told = await door.send(scene.peer, scene.source, scene.target)
    assert (told.error, told.retry_after_ms) == ("rate_limited", 100_000)


@three_calls
async def test_over_http_its_answer_is_the_contracts(http, scene, moment):
    for _ in range(3):
        await http.send(scene.peer, scene.source, scene.target)
    told = await http.send(scene.peer, scene.source, scene.target)
    assert told.response.json() == {"ok": False, "error": "rate_limited", "retryAfterMs": 3_600_000}
    assert told.response.headers["retry-after"] == "3600"


@three_calls
async def test_all_routes_and_both_doors_share_it(server, scene):
    http = HttpDoor(server.http_address)
    await http.send(scene.peer, scene.source, scene.target, route="queue")
    await GrpcDoor().send(scene.peer, scene.source, scene.target, route="message")
    await GrpcDoor().broadcast(scene.peer, scene.source, [scene.target])
    assert (await http.send(scene.peer, scene.source, scene.target)).error == "rate_limited"
    other = await server.make_token("peer", scene.source.session_id)
    assert (await http.send(other, scene.source, scene.target)).delivered
    await http.close()


@three_calls
async def test_what_is_refused_before_the_slot_uses_none_and_what_comes_after_does(door, server, runtime, scene):
    for _ in range(5):
        assert (await door.send(scene.peer, scene.source, scene.target, "")).error == "invalid_payload"
        assert (await door.send(scene.peer, "", scene.target)).error == "invalid_payload"
        assert (await door.send(scene.peer, scene.source, scene.target, "x" * 1001)).error == "tldr_required"
        assert (await door.send(scene.peer, scene.target, scene.source)).error == "forbidden"
    assert (await door.send(scene.peer, scene.source, UNKNOWN)).error == "session_not_found"
    await server.admin.sessions.SetAvailability(session_id=scene.target.session_id, availability=5)
    assert (await door.send(scene.peer, scene.source, scene.target)).error == "user_closed"
    await server.admin.sessions.SetAvailability(session_id=scene.target.session_id, availability=2)
    assert (await door.send(scene.peer, scene.source, scene.target)).error == "inactive_target_needs_confirmation"
    assert (await door.send(scene.peer, scene.source, UNKNOWN)).error == "rate_limited"


@three_calls
async def test_the_window_survives_a_restart(door, server, scene):
    for _ in range(3):
        await door.send(scene.peer, scene.source, scene.target)
    await server.restart()
    door = GrpcDoor() if door.name == "grpc" else HttpDoor(server.http_address)
    told = await door.send(server.client(scene.peer.secret), scene.source, scene.target)
    assert told.error == "rate_limited"
    assert 3_500_000 < told.retry_after_ms <= 3_600_000
    await door.close()


@three_calls
async def test_a_message_can_wait_for_its_slot_across_a_restart(door, server, scene, log_of):
    for _ in range(3):
        await door.send(scene.peer, scene.source, scene.target, "at once")
    for text in ("first", "second"):
        told = await door.send(scene.peer, scene.source, scene.target, text, queue_if_limited=True, key=text)
        assert (told.delivered, told.queued, told.woken_from) == (False, True, None)
    again = await door.send(scene.peer, scene.source, scene.target, "first", queue_if_limited=True, key="first")
    assert (again.delivered, again.queued, again.idempotent) == (False, True, True)
    assert len(await log_of(scene.target, "producer_message_accepted")) == 3
    await server.restart()
    later = server.engine._committer.now() + 3_600_000_000
    for engine in server.engines:
        engine._committer.now = lambda: later
    events = server.admin.subscribe(session_id=scene.target.session_id, event_types=[60])
    bodies = [event.producer_message_accepted.body for event in await events.events(5)]
    assert bodies == ["at once"] * 3 + ["first", "second"]
    events.cancel()


@three_calls
async def test_those_that_wait_come_first(door, server, scene, moment, log_of):
    for _ in range(3):
        await door.send(scene.peer, scene.source, scene.target)
        moment.advance(1)
    await door.send(scene.peer, scene.source, scene.target, "waits", queue_if_limited=True)
    moment.advance(3597)  # one slot is free, whether or not the waiting message has taken it yet
    told = await door.send(scene.peer, scene.source, scene.target, "in a hurry")
    assert told.error == "rate_limited"
    events = server.admin.subscribe(session_id=scene.target.session_id, event_types=[60])
    *_, last = await events.events(4)
    assert last.producer_message_accepted.body == "waits"
    events.cancel()


@three_calls
async def test_only_as_many_wait_as_the_window_holds(door, scene):
    told = [await door.send(scene.peer, scene.source, scene.target, queue_if_limited=True) for _ in range(7)]
    assert [one.delivered for one in told] == [True] * 3 + [False] * 4
    assert [one.queued for one in told] == [False] * 3 + [True] * 3 + [False]
    assert told[-1].error == "rate_limited"


@three_calls
async def test_what_waited_and_can_not_be_delivered_is_kept(door, server, scene, moment):
    for _ in range(3):
        await door.send(scene.peer, scene.source, scene.target)
    await door.send(scene.peer, scene.source, scene.target, "waits", queue_if_limited=True)
    await server.admin.sessions.SetAvailability(session_id=scene.target.session_id, availability=4)
    events = server.admin.subscribe(session_id=scene.source.session_id, event_types=[141])
    moment.advance(3600)
    (event,) = await events.events(1)
    assert "confirmInactiveTarget" in event.peer_dead_letter_recorded.detail
    (letter,) = (await door.dead_letters(server.admin)).letters
    assert (letter.text, letter.reason) == ("waits", "send_failed")
    events.cancel()
