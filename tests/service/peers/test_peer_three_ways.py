"""Texts are counted in Unicode code points and arrive as they are: by both clients and over plain HTTP alike."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from kinpost_client import Client, connect
from kinpost_client.errors import KinpostError

SCRIPT = Path(__file__).with_name("send_texts.mjs")
SECONDS = 240
ROOMY = {"calls_max": 100_000}
pytestmark = [
    pytest.mark.timeout(SECONDS + 60),
    pytest.mark.parametrize(
        "overrides",
        [{"http": {"enabled": True}, "peer": ROOMY, "producers": {"pending_per_session_max": 100_000}}],
    ),
]

PLANES = [chr((plane << 16) + offset) for plane in range(17) for offset in (0x41A, 0xFFFF)]
UNITS = {
    "combining": "e\u0301",
    "stacked": "a\u0323\u0302\u0315",
    "jamo": "\u1112\u1161\u11ab",
    "joined": "👩\u200d👩\u200d👧",
    "flag": "🇪🇺",
    "toned": "👋🏽",
    "variant": "❤\ufe0f",
    "mark": "\ufeff",
    "breaks": "\r\n\u2028\u2029\x85",
    "turned": "\u202eabc\u202c",
    "controls": "\x01\x1b\x7f\x9f",
} | {f"U+{ord(one):X}": one for one in PLANES}
LONE = ["\ud800", "a\udbffb", "\udc00\ud800", "🙂\udfff", "\ud83d"]
Case = tuple[str, str | None]


def of(unit: str, count: int) -> str:
    """Return so many code points of a unit; the last may be a part of it."""
    return (unit * count)[:count]


CASES: dict[str, tuple[Case, str, str]] = {}  # the text and its summary; the error, and the field at fault
for name, unit in UNITS.items():
    CASES |= {
        f"{name} 1": ((of(unit, 1), None), "", ""),
        f"{name} 1000": ((of(unit, 1000), None), "", ""),
        f"{name} 1001": ((of(unit, 1001), None), "tldr_required", ""),
        f"{name} 32000": ((of(unit, 32_000), of(unit, 600)), "", ""),
        f"{name} 32001": ((of(unit, 32_001), unit), "invalid_payload", "text"),
        f"{name} tldr 601": ((unit, of(unit, 601)), "invalid_payload", "tldr"),
    }
for text in LONE:
    CASES[f"lone {text!a}"] = ((text, None), "invalid_payload", "text")
    CASES[f"lone tldr {text!a}"] = (("x", text), "invalid_payload", "tldr")
CASES |= {
    "nothing": (("", None), "invalid_payload", "text"),
    "no summary": (("x", ""), "invalid_payload", "tldr"),
    "NUL": (("a\0b", None), "invalid_payload", "text"),
    "NUL in the summary": (("x", "\0"), "invalid_payload", "tldr"),
    "composed or not": ((unicodedata.normalize("NFD", "é" * 501), None), "tldr_required", ""),
    "composed": ((unicodedata.normalize("NFC", "é" * 501), None), "", ""),
}


def expected(name: str) -> dict[str, Any]:
    """Return what every way must tell of a case: what is sent with a summary is read back as it was."""
    (text, tldr), error, field = CASES[name]
    if error:
        return {"error": error, "field": field}
    return {"error": ""} if tldr is None else {"error": "", "text": text, "tldr": tldr, "chars": len(text)}


async def by_python(client: Client, source: str, target: str) -> dict[str, dict[str, Any]]:
    """Send all by the Python client."""
    told: dict[str, dict[str, Any]] = {}
    for name, ((text, tldr), _, _) in CASES.items():
        try:
            await client.peers.send(source, target, text, tldr=tldr)
        except KinpostError as error:
            told[name] = {"error": error.code.removeprefix("peer:"), "field": getattr(error, "field", "")}
            continue
        told[name] = {"error": ""}
        if tldr is not None:
            (sent,) = (await client.peers.list_sent(source, limit=1)).messages
            pulled = await client.peers.get_body(sent.body_id)
            told[name] |= {"text": pulled.text, "tldr": sent.tldr, "chars": sent.chars}
    return told


async def by_typescript(address: str, secret: str, source: str, target: str) -> dict[str, dict[str, Any]]:
    """Send all by the TypeScript client."""
    lines = [
        json.dumps({"source": source, "target": target, "text": text, "tldr": tldr})
        for (text, tldr), _, _ in CASES.values()
    ]
    process = await asyncio.create_subprocess_exec(
        *("node", SCRIPT),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "KINPOST_ADDRESS": address, "KINPOST_TOKEN": secret},
    )
    async with asyncio.timeout(SECONDS):
        output, _ = await process.communicate("\n".join(lines).encode())
    assert process.returncode == 0
    told = [json.loads(line) for line in output.decode().split("\n")[:-1]]
    for one in told:
        one["error"] = one["error"].removeprefix("peer:")
    return dict(zip(CASES, told, strict=True))


async def by_http(http: Any, client: Any, source: str, target: str, *, escaped: bool) -> dict[str, dict[str, Any]]:
    """Send all over plain HTTP, with characters as they are or as escapes."""
    told: dict[str, dict[str, Any]] = {}
    for name, ((text, tldr), _, _) in CASES.items():
        body = json.dumps({"text": text, **({} if tldr is None else {"tldr": tldr})}, ensure_ascii=escaped)
        response = await http.ask(
            client,
            "POST",
            f"/sessions/{target}/peer-message",
            content=body.encode("utf-8", "surrogatepass"),
            headers={"X-AMC-Source-Session-Id": source, "Content-Type": "application/json"},
        )
        answer = response.json()
        if response.status_code != 200:
            field = answer["detail"].split(": ")[0] if answer["error"] == "invalid_payload" else ""
            told[name] = {"error": answer["error"], "field": field}
            continue
        told[name] = {"error": ""}
        if tldr is not None:
            (sent,) = (await http.sent(client, source, 1)).messages
            pulled = await http.body(client, sent.body_id)
            told[name] |= {"text": pulled.text, "tldr": sent.tldr, "chars": sent.chars}
    return told


def differing(told: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what was told otherwise than it must be, cut short."""
    return {
        name: {key: f"{value!a}"[:60] for key, value in told[name].items()}
        for name in CASES
        if told[name] != expected(name)
    }


@pytest.fixture
async def stored(log_of, scene):
    """Return the texts in the target's log."""

    async def texts() -> list[str]:
        return [accepted.body for accepted in await log_of(scene.target, "producer_message_accepted")]

    return texts


SENT = [text for (text, _), error, _ in CASES.values() if not error]


async def test_by_the_python_client(server, scene, stored):
    async with connect(server.address, token=scene.peer.secret) as client:
        told = await by_python(client, scene.source.session_id, scene.target.session_id)
    assert differing(told) == {}
    assert await stored() == SENT


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")
async def test_by_the_typescript_client(server, scene, stored):
    ids = scene.source.session_id, scene.target.session_id
    assert differing(await by_typescript(server.address, scene.peer.secret, *ids)) == {}
    assert await stored() == SENT


async def test_over_plain_http_in_escapes(http, scene, stored):
    ids = scene.source.session_id, scene.target.session_id
    assert differing(await by_http(http, scene.peer, *ids, escaped=True)) == {}
    assert await stored() == SENT


async def test_over_plain_http_in_utf_8(http, scene, stored):
    """What has no UTF-8 form is no UTF-8 there: the body as a whole is at fault."""
    ids = scene.source.session_id, scene.target.session_id
    told = await by_http(http, scene.peer, *ids, escaped=False)
    wrong = {name for name in CASES if name.startswith("lone")}
    assert {name: told.pop(name) for name in wrong} == {
        name: {"error": "invalid_payload", "field": "body"} for name in wrong
    }
    assert differing(told | {name: expected(name) for name in wrong}) == {}
    assert await stored() == SENT
