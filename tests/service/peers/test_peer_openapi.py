"""The OpenAPI document is served and true: schemathesis finds no answer that it does not describe."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

EXAMPLES_MAX = 6
CONFIG = """
[parameters]
"path.session_id" = "{target}"
"path.body_id" = "{body}"
"path.dead_letter_id" = "{letter}"

[[operations]]
# A page token is opaque: any other text is refused.
include-path = "/peer-dead-letters"
checks.positive_data_acceptance.enabled = false
"""
ROUTES = {
    ("post", "/sessions/{session_id}/peer-message"),
    ("post", "/peer-broadcast"),
    ("post", "/session/{session_id}/message"),
    ("post", "/session/{session_id}/queue"),
    ("get", "/peer-message/{body_id}"),
    ("get", "/sessions/{session_id}/peer-messages-sent"),
    ("get", "/peer-dead-letters"),
    ("post", "/peer-dead-letters/{dead_letter_id}/redeliver"),
    ("post", "/sessions/{session_id}/peer-aside"),
    ("get", "/healthz"),
    ("get", "/readyz"),
    ("get", "/metrics"),
}


async def test_the_document_has_each_route_with_its_statuses(http):
    document = (await http.http.get("/openapi.json")).json()
    found = {(method, path): told for path, methods in document["paths"].items() for method, told in methods.items()}
    assert set(found) == ROUTES
    sends = found["post", "/sessions/{session_id}/peer-message"]
    assert {"200", "400", "401", "404", "409", "429", "500"} <= set(sends["responses"])
    assert {one["name"] for one in sends["parameters"] if one["in"] == "header" and one["required"]} == {
        "X-AMC-Source-Session-Id"
    }
    schema = sends["requestBody"]["content"]["application/json"]["schema"]
    assert set(schema["properties"]) == {
        "text",
        "tldr",
        "confirmInactiveTarget",
        "confirmInterruptTurn",
        "allowReopenUserClosed",
        "queueIfLimited",
    }
    assert (schema["additionalProperties"], schema["required"]) == (False, ["text"])
    assert set(found["post", "/sessions/{session_id}/peer-aside"]["responses"]) == {"403", "410", "421"}


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "overrides",
    [{"http": {"enabled": True}, "peer": {"calls_max": 100_000}, "producers": {"pending_per_session_max": 100_000}}],
)
async def test_nothing_is_answered_that_the_document_does_not_say(server, http, runtime, scene, tmp_path):
    gone = await runtime.session()
    await server.admin.sessions.DeleteSession(session_id=gone.session_id)
    await http.send(server.admin, scene.source, gone, "for nobody")
    await http.send(server.admin, scene.source, scene.target, "x" * 2000, tldr="x")
    (letter,) = (await http.dead_letters(server.admin)).letters
    (sent,) = (await http.sent(server.admin, scene.source)).messages
    config = tmp_path / "schemathesis.toml"
    config.write_text(CONFIG.format(target=scene.target.session_id, body=sent.body_id, letter=letter.dead_letter_id))
    process = await asyncio.create_subprocess_exec(
        Path(sys.executable).with_name("schemathesis"),
        *("--config-file", config, "run", f"http://{server.http_address}/openapi.json"),
        *("--max-examples", str(EXAMPLES_MAX), "--seed", "1", "--exclude-deprecated", "--no-color"),
        *("-H", f"Authorization: Bearer {server.admin_secret}"),
        *("-H", f"X-AMC-Source-Session-Id: {scene.source.session_id}"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=tmp_path,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()[-8000:]
    assert "Operations:       12 selected" in output.decode() or "11 selected" in output.decode()


async def test_answers_are_those_of_the_examples(http, server, scene, runtime):
    """Word for word those of the contract, in its order."""
    paused = await runtime.session()
    await server.admin.sessions.SetAvailability(session_id=paused.session_id, availability=2)
    told = await http.send(scene.peer, scene.source, paused, confirm_inactive_target=True)
    assert told.response.text == '{"ok":true,"delivered":true,"queued":true,"wokenFrom":null}'
    text = "What file are you currently editing? Reply to me with peer-message."
    told = await http.send(scene.peer, scene.source, scene.target, text)
    assert told.response.json() == {"ok": True, "delivered": True, "wokenFrom": None}
    told = await http.send(scene.peer, scene.source, scene.target)
    assert told.response.text == '{"ok":true,"delivered":true,"wokenFrom":null}'
    await runtime.run(scene.target)
    told = await http.send(scene.peer, scene.source, scene.target)
    assert told.response.text == '{"ok":true,"delivered":true,"queued":true,"wokenFrom":null}'
    assert list(json.loads(told.response.text)) == ["ok", "delivered", "queued", "wokenFrom"]
