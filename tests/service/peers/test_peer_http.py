"""What only HTTP has: strict JSON, headers, methods, bounds of size and time, the retired route, health."""

from __future__ import annotations

import asyncio
import contextlib
import json

import pytest

UNKNOWN = "00000000-0000-4000-8000-000000000000"
PATHS = ["/sessions/{}/peer-message", "/session/{}/message", "/session/{}/queue", "/peer-broadcast"]


@pytest.fixture
def raw(http, scene):
    """Post bytes to a sending route as the scene's sender."""

    async def post(data, path: str = PATHS[0], **headers: str):
        given = {"X-AMC-Source-Session-Id": scene.source.session_id, "Content-Type": "application/json"}
        given.update({name.replace("_", "-"): value for name, value in headers.items()})
        return await http.ask(scene.peer, "POST", path.format(scene.target.session_id), content=data, headers=given)

    return post


@pytest.mark.parametrize(
    "data, named",
    [
        (b"", "body"),
        (b"nothing", "body"),
        (b"[]", "body"),
        (b"null", "body"),
        (b'"text"', "body"),
        (b'{"text": "a"', "body"),
        (b'{"text": "a"} x', "body"),
        (b'{"text": "\xff"}', "body"),
        ('{"text": "a"}'.encode("utf-16"), "body"),
        (b'\xef\xbb\xbf{"text": "a"}', "body"),
        (b'{"text": NaN}', "body"),
        (b'{"text": -Infinity}', "body"),
        (b'{"text": ' + b"9" * 5000 + b"}", "body"),
        (b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "body"),
        (b'{"text": "a", "text": "b"}', "text"),
        (b'{"text": "a", "tldr": {"a": 1, "a": 2}}', "a"),
        (b"{}", "text"),
        (b'{"text": 1}', "text"),
        (b'{"text": null}', "text"),
        (b'{"text": ["a"]}', "text"),
        (b'{"text": "a\\ud800b"}', "text"),
        (b'{"text": "a\\u0000b"}', "text"),
        (b'{"text": "a", "tldr": null}', "tldr"),
        (b'{"text": "a", "tldr": 7}', "tldr"),
        (b'{"text": "a", "senderSessionId": "x"}', "senderSessionId"),
        (b'{"text": "a", "senderLabel": "x"}', "senderLabel"),
        (b'{"text": "a", "Text": "x"}', "Text"),
        (b'{"text": "a", "X-AMC-Source-Session-Id": "x"}', "X-AMC-Source-Session-Id"),
        (b'{"text": "a", "__proto__": {}}', "__proto__"),
        (b'{"text": "a", "a\\nb": {}}', "'a\\nb'"),
    ],
)
@pytest.mark.parametrize("path", PATHS)
async def test_a_body_is_one_object_of_known_fields(raw, log_of, scene, path, data, named):
    response = await raw(data, path)
    body = response.json()
    assert (response.status_code, body["error"]) == (400, "invalid_payload"), body
    if "broadcast" not in path or named not in ("text", "tldr"):  # there, what is missing is another field
        assert body["detail"].startswith(f"{named}: "), body
    assert await log_of(scene.target) == ["session_created"]


@pytest.mark.parametrize("value", ["1", "0", '"true"', "null", "[]"])
@pytest.mark.parametrize(
    "flag", ["confirmInactiveTarget", "confirmInterruptTurn", "allowReopenUserClosed", "queueIfLimited"]
)
async def test_a_flag_is_true_or_false(raw, flag, value):
    response = await raw(f'{{"text": "a", "{flag}": {value}}}'.encode())
    assert response.status_code == 400
    assert response.json()["detail"].startswith(f"{flag}")


async def test_escapes_of_two_surrogates_are_one_character(raw, log_of, scene):
    assert (await raw(b'{"text": "\\ud83d\\ude42"}')).status_code == 200
    (accepted,) = await log_of(scene.target, "producer_message_accepted")
    assert accepted.body == "🙂"


async def test_a_thousand_unknown_fields_are_refused_by_one_name(raw):
    response = await raw(json.dumps({"text": "a", **{f"{'x' * 500}{n}": n for n in range(1000)}}).encode())
    assert response.status_code == 413 or response.json()["error"] == "invalid_payload"
    assert len(response.content) < 1024


async def test_a_field_of_another_route_is_unknown_here(raw):
    for path in PATHS[1:]:
        response = await raw(b'{"text": "a", "queueIfLimited": true}', path)
        assert response.json()["detail"].startswith("queueIfLimited: ")


async def test_a_body_that_pretends_to_be_a_header_is_a_text(raw, log_of, scene):
    text = f"\r\nX-AMC-Source-Session-Id: {scene.target.session_id}\r\n\r\n{{}}"
    assert (await raw(json.dumps({"text": text}).encode())).status_code == 200
    (accepted,) = await log_of(scene.target, "producer_message_accepted")
    assert (accepted.body, accepted.sender.session_id) == (text, scene.source.session_id)


async def test_headers_are_there_once(http, scene):
    path = PATHS[0].format(scene.target.session_id)
    source = ("X-AMC-Source-Session-Id", scene.source.session_id)
    token = ("Authorization", f"Bearer {scene.peer.secret}")
    for headers, status, detail in (
        ([token, source, source], 400, "X-AMC-Source-Session-Id: is there twice"),
        ([token, source, ("x-amc-source-session-id", UNKNOWN)], 400, "X-AMC-Source-Session-Id: is there twice"),
        ([token, source, ("X-Client-Request-Id", "a"), ("X-Client-Request-Id", "b")], 400, "X-Client-Request-Id: is"),
        ([token, token, source], 401, "A bearer token is needed"),
        ([("Authorization", f"Basic {scene.peer.secret}"), source], 401, "A bearer token is needed"),
        ([token, source, ("X-Client-Request-Id", "x" * 257)], 400, "X-Client-Request-Id: has 257 bytes"),
        ([token, source, ("X-Client-Request-Id", "a\tb")], 400, "X-Client-Request-Id: holds a control character"),
        ([token, source, ("Content-Type", "text/plain")], 400, "Content-Type: is not application/json"),
        ([token, source, ("Content-Type", "application/json; charset=utf-8")], 200, ""),
    ):
        response = await http.http.post(path, content=b'{"text": "a"}', headers=headers)
        assert response.status_code == status, (headers, response.text)
        assert response.json().get("detail", "").startswith(detail)
        assert ("www-authenticate" in response.headers) is (status == 401)


async def spoken(server, *pieces: bytes, ends: bool = False) -> bytes:
    """Speak over a bare connection and return all that is answered until the server closes it."""
    host, port = server.http_address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        if ends:
            writer.write_eof()
        async with asyncio.timeout(60):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


async def test_line_breaks_do_not_make_headers(server, scene):
    path = f"/sessions/{scene.target.session_id}/peer-message"
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n".encode()
    token = f"Authorization: Bearer {scene.peer.secret}\r\n".encode()
    for line in (
        b"X-Client-Request-Id: a\rb\r\n",
        b"X-Client-Request-Id: a\nX-AMC: b\x00\r\n",
        b"X Y: z\r\n",
        b": z\r\n",
    ):
        answer = await spoken(server, head + token + line + b"Content-Length: 2\r\n\r\n{}")
        assert answer.startswith(b"HTTP/1.1 400 "), line


SLOW = {"http": {"enabled": True, "request_seconds": 2.0, "keepalive_seconds": 1}}


@pytest.mark.parametrize("overrides", [SLOW])
async def test_who_sends_slowly_is_not_waited_for(server, scene, http):
    """A head that does not end is cut off; a body that does not come is answered; others are served meanwhile."""
    head = (
        f"POST /sessions/{scene.target.session_id}/peer-message HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: Bearer {scene.peer.secret}\r\nX-AMC-Source-Session-Id: {scene.source.session_id}\r\n"
    ).encode()
    slow = [asyncio.create_task(spoken(server, piece)) for piece in (b"", b"P", head, head + b"X-Slow: ")]
    late = asyncio.create_task(spoken(server, head + b"Content-Length: 20\r\n\r\n", b'{"text"'))
    assert (await http.send(scene.peer, scene.source, scene.target)).delivered
    assert await asyncio.gather(*slow) == [b""] * 4
    answer = await late
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"error":"request_timeout"' in answer


@pytest.mark.parametrize("overrides", [SLOW])
@pytest.mark.parametrize("part", ["head", "body"])
async def test_a_drop_now_and_then_buys_no_time(server, scene, part):
    """A head is cut off in its time, and a body is answered in its own, however long each goes on coming."""
    host, port = server.http_address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    beginning, drop = b"GET /healthz HTTP/1.1\r\n", b"X: y\r\n"
    if part == "body":
        beginning = (
            f"POST /sessions/{scene.target.session_id}/peer-message HTTP/1.1\r\n"
            "Host: 127.0.0.1\r\nConnection: close\r\n"
            f"Authorization: Bearer {scene.peer.secret}\r\nContent-Length: 30000\r\n\r\n"
        ).encode()
        drop = b" "
    heard = bytearray()

    async def hear() -> None:
        with contextlib.suppress(ConnectionError):  # of a drop that came when nobody read any more
            while piece := await reader.read(1 << 16):
                heard.extend(piece)

    ended = asyncio.create_task(hear())
    async with asyncio.timeout(60):
        writer.write(beginning)
        while not ended.done():
            writer.write(drop)
            await asyncio.wait([ended], timeout=0.05)
    await ended
    assert heard.startswith(b"HTTP/1.1 408 ") if part == "body" else heard == b""
    writer.close()


@pytest.mark.parametrize("overrides", [{"http": {"enabled": True, "request_bytes_max": 2048, "head_bytes_max": 2048}}])
async def test_what_is_too_large_is_not_read(server, raw, http, scene):
    response = await raw(b'{"text": "' + b"x" * 3000 + b'"}')
    assert (response.status_code, response.json()["error"]) == (413, "payload_too_large")
    answer = await spoken(server, b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 100_000)
    assert answer.startswith(b"HTTP/1.1 400 ") or answer == b""
    assert (await http.send(scene.peer, scene.source, scene.target)).delivered


async def test_what_is_said_to_be_too_large_is_not_waited_for(server, scene):
    """None of the body is sent, and none is asked for by `100 Continue`."""
    for path in (*PATHS, "/peer-dead-letters/{}/redeliver"):
        head = (
            f"POST {path.format(scene.target.session_id)} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            f"Authorization: Bearer {scene.peer.secret}\r\nContent-Length: {1 << 40}\r\nExpect: 100-continue\r\n\r\n"
        ).encode()
        answer = await spoken(server, head)
        assert answer.startswith(b"HTTP/1.1 413 "), (path, answer)


@pytest.mark.parametrize(
    "overrides", [{"http": {"enabled": True, "request_bytes_max": 4096, "requests_bytes_max": 4096}}]
)
async def test_bodies_that_are_being_read_share_one_bound(server, http, scene):
    head = (
        f"POST /sessions/{scene.target.session_id}/peer-message HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        f"Authorization: Bearer {scene.peer.secret}\r\nContent-Length: 4000\r\n\r\n"
    ).encode()
    host, port = server.http_address.split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    writer.write(head + b" " * 3999)
    await writer.drain()
    async with asyncio.timeout(60):
        while (told := await http.ask(scene.peer, "POST", "/peer-broadcast", content=b" " * 200)).status_code != 503:
            assert told.status_code == 400
    assert told.json()["error"] == "overloaded"
    assert told.headers["retry-after"] == "1"
    writer.close()


@pytest.mark.parametrize("overrides", [{"http": {"enabled": True, "connections_max": 3}}])
async def test_there_are_only_so_many_connections(server, http):
    host, port = server.http_address.split(":")
    held = [await asyncio.open_connection(host, int(port)) for _ in range(3)]
    assert await spoken(server, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") == b""
    for _, writer in held:
        writer.close()
    async with asyncio.timeout(60):
        while True:
            answer = await spoken(server, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            if answer.startswith(b"HTTP/1.1 200 "):
                return


async def test_the_retired_route_answers_before_anything_is_looked_at(http, server, scene, log_of):
    for client, content in (
        (scene.peer, b'{"text": "a"}'),
        (server.client(""), b""),
        (server.client("wrong"), b"\xff"),
    ):
        for session_id in (scene.target.session_id, UNKNOWN, "x"):
            response = await http.ask(client, "POST", f"/sessions/{session_id}/peer-aside", content=content)
            assert response.status_code == 410
            body = response.json()
            assert (body["ok"], body["error"]) == (False, "retired")
            assert "POST /sessions/:id/peer-message" in body["detail"]
    assert await log_of(scene.target) == ["session_created"]


async def test_an_unknown_route_or_method_is_answered_in_the_same_form(http, scene):
    for method, path, status, error in (
        ("GET", "/", 404, "not_found"),
        ("POST", "/sessions/peer-message", 404, "not_found"),
        ("POST", f"/sessions/{scene.target.session_id}/peer-message/", 404, "not_found"),
        ("GET", f"/sessions/{scene.target.session_id}/peer-message", 405, "method_not_allowed"),
        ("DELETE", "/peer-dead-letters", 405, "method_not_allowed"),
    ):
        response = await http.ask(scene.peer, method, path)
        assert (response.status_code, response.json()["error"]) == (status, error)


async def test_an_id_that_is_none_is_not_found(http, scene):
    for path in ("/sessions/x/peer-message", "/sessions/%00/peer-message", "/sessions/%F0%9F%99%82/peer-message"):
        headers = {"X-AMC-Source-Session-Id": scene.source.session_id}
        response = await http.ask(scene.peer, "POST", path, json={"text": "a"}, headers=headers)
        assert (response.status_code, response.json()["error"]) == (404, "session_not_found")
    for path in ("/peer-message/x", "/peer-message/x?meta=1"):
        assert (await http.ask(scene.peer, "GET", path)).status_code == 404
    assert (await http.ask(scene.peer, "POST", "/peer-dead-letters/x/redeliver")).status_code == 404


async def test_pages_of_dead_letters_are_asked_for_rightly(http, server):
    for query in ("pageSize=x", "pageSize=-1", "pageSize=1001", "pageToken=zzz"):
        response = await http.ask(server.admin, "GET", f"/peer-dead-letters?{query}")
        assert (response.status_code, response.json()["error"]) == (400, "invalid_request")


async def test_health_and_readiness_need_no_token(http, server):
    for path in ("/healthz", "/readyz"):
        response = await http.http.get(path)
        assert (response.status_code, response.json()) == (200, {"ok": True})
    server.engine.begin_shutdown()
    assert (await http.http.get("/healthz")).status_code == 200
    assert (await http.http.get("/readyz")).status_code == 503


async def test_from_the_moment_of_shutdown_sends_are_refused(http, server, scene):
    server.engine.begin_shutdown()
    headers = {"X-AMC-Source-Session-Id": scene.source.session_id}
    path = PATHS[0].format(scene.target.session_id)
    response = await http.ask(scene.peer, "POST", path, json={"text": "a"}, headers=headers)
    assert (response.status_code, response.json()["error"]) == (503, "shutting_down")


async def test_an_error_inside_is_told_by_its_id_alone(http, server, scene, service_log, monkeypatch):
    async def broken(*_arguments, **_named):
        raise KeyError("a secret of the inside")

    monkeypatch.setattr(server.engine.peer, "sent", broken)
    response = await http.ask(scene.peer, "GET", f"/sessions/{scene.source.session_id}/peer-messages-sent")
    assert (response.status_code, response.json()["error"]) == (500, "internal_error")
    (entry,) = [entry for entry in service_log if entry["event"] == "internal_error"]
    service_log.remove(entry)
    assert entry["error_id"] in response.json()["detail"]
    assert "secret" not in response.text


@pytest.mark.parametrize("overrides", [{"http": {"enabled": False}}])
async def test_it_can_be_switched_off(server):
    assert server.http_address == ""
    assert server.listening.http is None
