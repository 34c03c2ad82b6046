"""Web pages of other origins cannot use the port, whatever token they might have and whatever name points here."""

from __future__ import annotations

import pytest

NAMED = {"http": {"enabled": True, "host_names": "mail.example, Kinpost.Internal"}}
PATHS = [
    ("POST", "/sessions/{}/peer-message"),
    ("POST", "/session/{}/message"),
    ("POST", "/session/{}/queue"),
    ("POST", "/peer-broadcast"),
    ("POST", "/sessions/{}/peer-aside"),
    ("POST", "/peer-dead-letters/{}/redeliver"),
    ("GET", "/peer-message/{}"),
    ("GET", "/sessions/{}/peer-messages-sent"),
    ("GET", "/peer-dead-letters"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/openapi.json"),
    ("GET", "/nothing"),
]


@pytest.fixture
def ask(http, scene):
    """Make a request as the scene's sender, with these headers."""

    async def call(method: str, path: str, **headers: str):
        given = {"X-AMC-Source-Session-Id": scene.source.session_id, "Content-Type": "application/json"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        content = b'{"text": "hello"}' if method == "POST" else None
        return await http.ask(scene.peer, method, path.format(scene.target.session_id), content=content, headers=given)

    return call


@pytest.fixture
async def untouched(server):
    """Nothing is written by the test."""
    before = await server.admin.log(all=True)
    yield
    after = await server.admin.log(all=True)
    assert {event.WhichOneof("payload") for event in after[len(before) :]} <= {"session_created"}


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:19519", "127.0.0.1.evil.example", "localhost.evil", "[x]"]
)
async def test_a_strange_name_is_not_served(ask, host):
    """A page whose own name is made to point here is of our origin to its browser."""
    for method, path in PATHS:
        response = await ask(method, path, Host=host)
        assert (response.status_code, response.json()["error"]) == (421, "misdirected_request"), path


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:3000", "http://127.0.0.1", ""])
async def test_a_page_of_another_origin_is_refused(ask, origin):
    for method, path in PATHS:
        response = await ask(method, path, Origin=origin)
        assert (response.status_code, response.json()["error"]) == (403, "forbidden"), path
        assert not [name for name in response.headers if name.startswith("access-control")]


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_nor_may_it_ask_without_saying_its_origin(ask, site):
    for method, path in PATHS:
        assert (await ask(method, path, Sec_Fetch_Site=site)).status_code == 403


async def test_no_browser_is_told_that_it_may_ask(ask, http, server):
    """A preflight is refused, and an answer carries no header that lets another origin read it."""
    response = await ask(
        "OPTIONS",
        PATHS[0][1],
        Origin="https://evil.example",
        Access_Control_Request_Method="POST",
        Access_Control_Request_Headers="authorization",
    )
    assert response.status_code == 403
    for answer in (response, await ask(*PATHS[0]), await http.http.get("/healthz"), await ask("OPTIONS", PATHS[0][1])):
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("overrides", [NAMED])
async def test_its_own_names_addresses_and_origin_are_served(ask, server):
    port = server.http_address.split(":")[1]
    addresses = ("127.0.0.1", f"127.0.0.1:{port}", "[::1]", f"[::1]:{port}", "10.1.2.3")
    names = ("localhost", f"LocalHost:{port}", "localhost.", "mail.example", f"kinpost.internal:{port}")
    for host in (*addresses, *names):
        assert (await ask(*PATHS[0], Host=host)).status_code == 200, host
        own = await ask(*PATHS[0], Host=host, Origin=f"http://{host}", Sec_Fetch_Site="same-origin")
        assert own.status_code == 200, host
    assert (await ask(*PATHS[0], Sec_Fetch_Site="none")).status_code == 200
