"""The order of checks: of everything that is wrong with a request at once, the first is told."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from peer_doors import ROUTES

SPENT = {"http": {"enabled": True}, "peer": {"calls_max": 1}}
LONG = "x" * 1001
pytestmark = pytest.mark.parametrize("overrides", [SPENT])


def told(answer: SimpleNamespace) -> str:
    """What came of it, in one word."""
    return answer.error or ("replayed" if answer.idempotent else "delivered")


@pytest.mark.parametrize("route", [*ROUTES, "peer-broadcast"])
async def test_the_first_fault_is_told_and_each_that_is_mended_shows_the_next(door, server, runtime, scene, route):
    gone = await runtime.session()
    await server.admin.sessions.DeleteSession(session_id=gone.session_id)
    fresh = await server.make_token("peer", scene.source.session_id)

    async def ask(client, source, target, text="hello", **fields) -> str:
        if route != "peer-broadcast":
            return told(await door.send(client, source, target, text, route=route, **fields))
        answer = await door.broadcast(client, source, [target], text, **fields)
        return told(answer if answer.error else answer.results[0])

    assert await ask(scene.peer, scene.source, scene.target, key="known") == "delivered"
    words = [
        await ask(server.client("wrong"), "", gone, LONG, key="known", tldr=""),
        await ask(scene.peer, "", gone, LONG, key="known", tldr=""),
        await ask(scene.peer, "", gone, LONG, key="known"),
        await ask(scene.peer, scene.target, gone, LONG, key="known"),
        await ask(scene.peer, scene.source, gone, LONG, key="known"),
        await ask(scene.peer, scene.source, gone, key="known"),
        await ask(scene.peer, scene.source, gone, key="new"),
        await ask(fresh, scene.source, gone, key="new"),
    ]
    assert words == [
        "unauthorized",
        "invalid_payload",  # the summary
        "invalid_payload",  # the source
        "forbidden",
        "tldr_required",
        "replayed",
        "rate_limited",
        "session_not_found",
    ]


@pytest.mark.parametrize("route", ["peer-message", "message"])
async def test_a_persons_closing_is_told_before_a_confirmation_is_asked_for(door, server, runtime, scene, route):
    failed = await runtime.session()
    await runtime.finish(await runtime.run(failed), "FAILED")
    await server.admin.sessions.SetAvailability(session_id=failed.session_id, availability=5)
    assert told(await door.send(scene.peer, scene.source, failed, route=route)) == "user_closed"
    archived = await runtime.session()
    await server.admin.sessions.SetAvailability(session_id=archived.session_id, availability=3, no_wake=True)
    fresh = await server.make_token("peer", scene.source.session_id)
    assert told(await door.send(fresh, scene.source, archived, route=route)) == "user_closed"


async def test_a_refusal_names_the_field_that_comes_first(door, scene):
    answer = await door.send(scene.peer, "", scene.target, "", tldr="x" * 601)
    assert (answer.error, answer.field) == ("invalid_payload", "text")
    answer = await door.send(scene.peer, "", scene.target, "x", tldr="x" * 601)
    assert answer.field == "tldr"
    answer = await door.send(scene.peer, "", scene.target, "x")
    assert answer.field in ("X-AMC-Source-Session-Id", "source_session_id")
