"""Requests that are repeated: the first answer, once, through either door and after a restart."""

from __future__ import annotations

import asyncio

import pytest
from peer_doors import GrpcDoor, HttpDoor

TIGHT = {"http": {"enabled": True}, "peer": {"calls_max": 1}}


@pytest.mark.parametrize("route", ["peer-message", "message", "queue"])
async def test_a_repeat_replays_the_first_answer_whatever_it_says_now(door, scene, log_of, route):
    first = await door.send(scene.peer, scene.source, scene.target, route=route, key="one")
    again = await door.send(scene.peer, scene.source, scene.source, "something else", route=route, key="one")
    assert (first.delivered, first.idempotent, again.delivered, again.idempotent) == (True, False, True, True)
    assert (again.queued, again.woken_from) == (first.queued, first.woken_from)
    assert len(await log_of(scene.target, "producer_message_accepted")) == 1
    assert await log_of(scene.source) == ["session_created", "peer_message_sent"]


async def test_over_http_the_repeat_is_the_first_answer_and_one_word_more(http, runtime, scene):
    await runtime.run(scene.target)  # busy: the answer says queued
    for target in (scene.target, scene.source):
        first, again = [await http.send(scene.peer, scene.source, target, key=target.handle) for _ in range(2)]
        assert again.response.content == first.response.content[:-1] + b',"idempotent":true}'


@pytest.mark.parametrize("state", ["open", "busy", "paused", "archived", "ended", "failed"])
async def test_whatever_the_first_answer_was_the_repeat_adds_one_word(door, server, runtime, scene, state):
    if state == "busy":
        await runtime.run(scene.target)
    elif state == "failed":
        await runtime.finish(await runtime.run(scene.target), "FAILED")
    elif state != "open":
        number = {"paused": 2, "archived": 3, "ended": 4}[state]
        await server.admin.sessions.SetAvailability(session_id=scene.target.session_id, availability=number)
    fields = {"key": "k", "confirm_inactive_target": True}
    first = await door.send(scene.peer, scene.source, scene.target, **fields)
    word = {"archived": "archived", "ended": "ended", "failed": "error"}.get(state)
    assert (first.queued, first.woken_from) == (state in ("busy", "paused"), word)
    again = await door.send(scene.peer, scene.source, scene.target, **fields)
    if door.name == "http":
        assert again.response.content == first.response.content[:-1] + b',"idempotent":true}'
        return
    request = {
        "session_id": scene.target.session_id,
        "source_session_id": scene.source.session_id,
        "text": "other",
        "client_request_id": "one more",
    }
    one, other = [await scene.peer.peers.SendPeerMessage(**request, confirm_inactive_target=True) for _ in range(2)]
    assert (one.delivery.idempotent, other.delivery.idempotent) == (False, True)
    other.delivery.idempotent = False
    assert one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)


async def test_a_broadcasts_repeat_is_its_first_answer_and_one_word_more(http, scene):
    targets = [scene.target.session_id, "00000000-0000-4000-8000-000000000000"]
    headers = {"X-AMC-Source-Session-Id": scene.source.session_id, "X-Client-Request-Id": "k"}
    body = {"text": "hello", "sessionIds": targets}
    first, again = [await http.ask(scene.peer, "POST", "/peer-broadcast", json=body, headers=headers) for _ in range(2)]
    assert again.content == first.content[:-1] + b',"idempotent":true}'


async def test_without_a_key_nothing_is_dropped(door, scene, log_of):
    for _ in range(2):
        assert not (await door.send(scene.peer, scene.source, scene.target)).idempotent
    assert len(await log_of(scene.target, "producer_message_accepted")) == 2


async def test_a_key_is_known_by_token_and_route(door, server, scene, log_of):
    other = await server.make_token("peer", scene.source.session_id)
    told = [
        await door.send(scene.peer, scene.source, scene.target, key="k"),
        await door.send(scene.peer, scene.source, scene.target, key="k", route="queue"),
        await door.send(scene.peer, scene.source, scene.target, key="k", route="message"),
        await door.send(other, scene.source, scene.target, key="k"),
        await door.broadcast(scene.peer, scene.source, [scene.target], key="k"),
    ]
    assert not any(one.idempotent for one in told)
    assert len(await log_of(scene.target, "producer_message_accepted")) == 5


async def test_both_doors_know_the_same_key(server, scene):
    http = HttpDoor(server.http_address)
    assert not (await http.send(scene.peer, scene.source, scene.target, key="k")).idempotent
    assert (await GrpcDoor().send(scene.peer, scene.source, scene.target, key="k")).idempotent
    await http.close()


@pytest.mark.parametrize("overrides", [{"http": {"enabled": True}, "peer": {"calls_max": 5}}])
async def test_failures_are_not_kept(door, server, scene, moment, monkeypatch):
    from kinpost_server.engine import peer_delivery

    unknown = "00000000-0000-4000-8000-000000000000"

    async def fails(error: str, target=scene.target) -> None:
        assert (await door.send(scene.peer, scene.source, target, key="k")).error == error

    await fails("session_not_found", unknown)
    for availability, error in ((5, "user_closed"), (4, "inactive_target_needs_confirmation")):
        await server.admin.sessions.SetAvailability(session_id=scene.target.session_id, availability=availability)
        await fails(error)
    await server.admin.sessions.SetAvailability(session_id=scene.target.session_id, availability=1)
    monkeypatch.setattr(peer_delivery, "accept", None)
    await fails("send_failed")
    monkeypatch.undo()
    assert (await door.send(scene.peer, scene.source, scene.target)).delivered
    await fails("rate_limited")
    moment.advance(3600)
    told = await door.send(scene.peer, scene.source, scene.target, key="k")
    assert (told.delivered, told.idempotent) == (True, False)


@pytest.mark.parametrize("overrides", [TIGHT])
async def test_a_repeat_is_answered_before_the_budget_is_looked_at(door, scene):
    await door.send(scene.peer, scene.source, scene.target, key="k")
    assert (await door.send(scene.peer, scene.source, scene.target, key="other")).error == "rate_limited"
    assert (await door.send(scene.peer, scene.source, scene.target, key="k")).idempotent


async def test_the_body_and_the_summary_are_judged_before_a_repeat_is_known(door, scene):
    await door.send(scene.peer, scene.source, scene.target, key="k")
    assert (await door.send(scene.peer, scene.source, scene.target, "", key="k")).error == "invalid_payload"
    assert (await door.send(scene.peer, "", scene.target, key="k")).error == "invalid_payload"
    assert (await door.send(scene.peer, scene.source, scene.target, "x" * 1001, key="k")).error == "tldr_required"


@pytest.mark.parametrize("key", ["x" * 257, "é" * 129])
async def test_a_key_has_at_most_256_bytes(server, scene, key):
    told = await GrpcDoor().send(scene.peer, scene.source, scene.target, key=key)
    assert (told.error, told.field) == ("invalid_payload", "client_request_id")
    assert (await GrpcDoor().send(scene.peer, scene.source, scene.target, key=key[:-1])).delivered


async def test_the_first_answer_is_kept_for_ten_minutes(door, scene, moment):
    await door.send(scene.peer, scene.source, scene.target, key="k")
    moment.advance(599.999)
    assert (await door.send(scene.peer, scene.source, scene.target, key="k")).idempotent
    moment.advance(0.001)
    assert not (await door.send(scene.peer, scene.source, scene.target, key="k")).idempotent


async def test_the_first_answer_survives_a_restart(door, server, scene):
    first = await door.send(scene.peer, scene.source, scene.target, key="k")
    await server.restart()
    door = GrpcDoor() if door.name == "grpc" else HttpDoor(server.http_address)
    again = await door.send(server.client(scene.peer.secret), scene.source, scene.target, key="k")
    assert (again.idempotent, again.queued, again.woken_from) == (True, first.queued, first.woken_from)
    await door.close()


async def held_back(server, *calls):
    """Make calls while the committer is held back, so that they come into one batch."""
    waiting = server.engine._committer
    async with asyncio.timeout(20):
        gate = asyncio.Event()
        loop = asyncio.get_running_loop()
        import threading

        go = threading.Event()
        waiting.gathering.call(lambda: (loop.call_soon_threadsafe(gate.set), go.wait(20)))
        await gate.wait()
        tasks = [asyncio.create_task(call) for call in calls]
        while waiting.waiting < len(calls):
            await asyncio.wait(tasks, timeout=0.01)
        server.engine._hand_over()  # the last ones, which the loop would hand over in its next round
        go.set()
        return await asyncio.gather(*tasks)


@pytest.mark.only("sqlite", "postgres", because="one server's batch is looked at; replicas have the race below")
async def test_a_repeat_that_meets_the_first_on_its_way_is_told_so(door, server, scene, log_of):
    told = await held_back(server, *(door.send(scene.peer, scene.source, scene.target, key="k") for _ in range(3)))
    assert sorted(one.error for one in told) == ["", "duplicate_in_flight", "duplicate_in_flight"]
    assert len(await log_of(scene.target, "producer_message_accepted")) == 1
    assert (await door.send(scene.peer, scene.source, scene.target, key="k")).idempotent


async def test_however_many_repeats_race_one_is_delivered(door, scene, log_of):
    told = await asyncio.gather(*(door.send(scene.peer, scene.source, scene.target, key="k") for _ in range(20)))
    assert {one.error for one in told} <= {"", "duplicate_in_flight"}
    assert len([one for one in told if not one.error and not one.idempotent]) == 1
    assert len(await log_of(scene.target, "producer_message_accepted")) == 1


@pytest.mark.only("sqlite", "postgres", because="one server's batch is looked at")
async def test_another_message_is_landing_at_this_instant(door, server, runtime, scene, log_of):
    run = await runtime.run(scene.target)
    told = await held_back(
        server,
        *(door.send(scene.peer, scene.source, scene.target, confirm_interrupt_turn=True) for _ in range(3)),
    )
    assert sorted(one.error for one in told) == ["", "turn_in_flight", "turn_in_flight"]
    (refused, _) = [one for one in told if one.error]
    assert "/session/:id/queue" in refused.detail
    assert len(await log_of(scene.target, "producer_message_accepted")) == 1
    (finished,) = await log_of(scene.target, "run_finished")
    assert (finished.run_id, finished.by_person) == (run.run_id, False)
    assert (await door.send(scene.peer, scene.source, scene.target)).delivered
    assert (await door.dead_letters(server.admin)).letters == []
