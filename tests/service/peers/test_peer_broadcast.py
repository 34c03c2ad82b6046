"""A broadcast: the same to many, one result and one slot each."""

from __future__ import annotations

import pytest

UNKNOWN = "00000000-0000-4000-8000-000000000000"


async def test_each_target_has_its_own_result_in_the_order_of_the_request(door, server, runtime, scene, log_of):
    asleep, closed, gone, busy = [await runtime.session() for _ in range(4)]
    await server.admin.sessions.SetAvailability(session_id=asleep.session_id, availability=4)
    await server.admin.sessions.SetAvailability(session_id=closed.session_id, availability=5)
    await server.admin.sessions.DeleteSession(session_id=gone.session_id)
    await runtime.run(busy)
    targets = [scene.target, asleep, UNKNOWN, closed, gone, busy, scene.source]
    told = await door.broadcast(scene.peer, scene.source, targets, "to all")
    assert [one.session_id for one in told.results] == [t if isinstance(t, str) else t.session_id for t in targets]
    assert [one.error for one in told.results] == [
        "",
        "inactive_target_needs_confirmation",
        "session_not_found",
        "user_closed",
        "session_not_found",
        "",
        "",
    ]
    assert [one.queued for one in told.results] == [False] * 5 + [True, False]
    assert all(one.detail for one in told.results if one.error)
    assert len(await log_of(scene.source, "peer_message_sent")) == 3
    letters = (await door.dead_letters(server.admin)).letters
    assert sorted(letter.reason for letter in letters) == ["target_gone", "user_closed"]
    told = await door.broadcast(scene.peer, scene.source, [asleep], confirm_inactive_target=True)
    assert told.results[0].woken_from == "ended"


@pytest.mark.parametrize("overrides", [{"http": {"enabled": True}, "peer": {"calls_max": 2}}])
async def test_each_target_uses_a_slot(door, runtime, scene):
    others = [await runtime.session() for _ in range(2)]
    told = await door.broadcast(scene.peer, scene.source, [scene.target, *others])
    assert [one.error for one in told.results] == ["", "", "rate_limited"]


async def test_it_is_replayed_as_a_whole(door, scene, log_of):
    first = await door.broadcast(scene.peer, scene.source, [scene.target, UNKNOWN], key="k")
    again = await door.broadcast(scene.peer, scene.source, [scene.source], "other", key="k")
    assert [(r.session_id, r.error, r.detail, r.delivered) for r in again.results] == [
        (r.session_id, r.error, r.detail, r.delivered) for r in first.results
    ]
    assert again.results[0].idempotent
    assert len(await log_of(scene.target, "producer_message_accepted")) == 1


async def test_of_which_nothing_was_delivered_is_not_kept(door, scene):
    for _ in range(2):
        told = await door.broadcast(scene.peer, scene.source, [UNKNOWN], key="k")
        assert [one.error for one in told.results] == ["session_not_found"]
    told = await door.broadcast(scene.peer, scene.source, [scene.target], key="k")
    assert (told.results[0].delivered, told.results[0].idempotent) == (True, False)


@pytest.mark.parametrize("count", [0, 101])
async def test_it_has_1_to_100_targets(door, scene, count):
    targets = [f"00000000-0000-4000-8000-{number:012}" for number in range(count)]
    told = await door.broadcast(scene.peer, scene.source, targets)
    assert (told.error, told.field) == ("invalid_payload", "sessionIds" if door.name == "http" else "session_ids")


async def test_a_target_is_named_once(door, scene):
    targets = [scene.target.session_id, scene.target.session_id.upper()]
    assert (await door.broadcast(scene.peer, scene.source, targets)).error == "invalid_payload"


async def test_the_whole_is_refused_before_anything_is_sent(door, scene, log_of):
    source_field = "X-AMC-Source-Session-Id" if door.name == "http" else "source_session_id"
    for text, source, more, error, field in (
        ("", scene.source, {}, "invalid_payload", "text"),
        ("x" * 32_001, scene.source, {"tldr": "x"}, "invalid_payload", "text"),
        ("x", scene.source, {"tldr": ""}, "invalid_payload", "tldr"),
        ("x", scene.source, {"tldr": "é" * 601}, "invalid_payload", "tldr"),
        ("x", "", {}, "invalid_payload", source_field),
        ("x" * 1001, scene.source, {}, "tldr_required", ""),
        ("x", scene.target, {}, "forbidden", ""),
    ):
        told = await door.broadcast(scene.peer, source, [scene.target, scene.source], text, **more)
        assert (told.error, told.field) == (error, field)
    assert await log_of(scene.target) == ["session_created"]
    told = await door.broadcast(scene.peer, scene.source, [scene.target], "🙂" * 32_000, tldr="🙂" * 600)
    assert told.results[0].delivered
