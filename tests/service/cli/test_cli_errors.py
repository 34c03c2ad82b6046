"""What goes wrong between a command and a server, told with an exit code, a stable code and a next step."""

from __future__ import annotations

import asyncio
import os
import pty
import socket
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from certificates import write_certificate

NOBODY = "00000000-0000-4000-8000-000000000000"


async def test_no_server(kinpost):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{held.getsockname()[1]}"
        for arguments in (["tree"], ["send", NOBODY, "x"], ["events", "--follow"], ["doctor"]):
            told = await kinpost.run(*arguments, KINPOST_ADDRESS=address)
            assert told.code == 7
            assert "client:unreachable: " in told.err
            assert told.err.splitlines()[-1].startswith("  next: `kinpost serve` starts a server")
            assert "Traceback" not in told.err
            assert told.out == "" or arguments == ["doctor"]


async def test_a_wrong_token_and_no_token(kinpost):
    told = await kinpost.run("tree", "--token", "wrong")
    assert (told.code, told.out) == (6, "")
    assert told.err.startswith("kinpost: auth:unauthenticated: ")
    told = await kinpost.run("tree", KINPOST_STORAGE__DATA_FOLDER="nowhere")
    assert (told.code, told.out) == (6, "")
    told = await kinpost.run("doctor", KINPOST_STORAGE__DATA_FOLDER="nowhere")
    assert (told.code, told.out.splitlines()[-1].split()[:3]) == (6, ["bad", "token", "none:"])


async def test_a_token_that_is_not_for_this(kinpost, server):
    observer = await server.make_token("observer")
    session = await server.admin.session()
    told = await kinpost.run("sessions", "close", session.session_id, KINPOST_TOKEN=observer.secret)
    assert (told.code, told.out) == (6, "")
    assert told.err.startswith("kinpost: auth:forbidden: a token of kind observer may not do this\n  next: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["send", NOBODY, "x"],
        ["tree", NOBODY],
        ["mail", "nobody_00000000"],
        ["events", "--session", NOBODY],
        ["events", "--session", NOBODY, "--follow"],
        ["sessions", "close", NOBODY],
        ["tokens", "revoke", NOBODY],
        ["tokens", "create", "session", "--session", NOBODY],
        ["approvals", "deny", NOBODY],
        ["dead-letters", "show", NOBODY],
        ["dead-letters", "redeliver", NOBODY],
    ],
    ids=" ".join,
)
async def test_a_wrong_id(kinpost, arguments):
    told = await kinpost.run(*arguments)
    assert (told.code, told.out) == (5, "")
    assert "not_found: " in told.err
    assert "  next: `kinpost " in told.err


async def test_a_server_that_does_not_serve_peer_mail(kinpost):
    bare = grpc.aio.server()
    port = bare.add_insecure_port("127.0.0.1:0")
    await bare.start()
    told = await kinpost.run("dead-letters", "list", KINPOST_ADDRESS=f"127.0.0.1:{port}")
    await bare.stop(0)
    assert (told.code, told.out) == (8, "")
    assert told.err.startswith("kinpost: grpc:unimplemented: ")


class TestTLS:
    @pytest.fixture
    def certificate(self, tmp_path) -> bytes:
        return write_certificate(tmp_path, "first")

    @pytest.fixture
    def overrides(self, tmp_path, certificate):
        return {"server": {"tls_cert_file": str(tmp_path / "cert.pem"), "tls_key_file": str(tmp_path / "key.pem")}}

    async def test_who_does_not_speak_it_is_told_how(self, kinpost, tmp_path):
        told = await kinpost.run("tree")
        assert (told.code, told.out) == (7, "")
        assert "  next: if the server speaks TLS: --tls, or --root-certificates" in told.err
        told = await kinpost.run("tree", "--tls")
        assert (told.code, told.out) == (7, "")
        assert "  next: --root-certificates names the file" in told.err
        assert (await kinpost.did("tree", "--root-certificates", tmp_path / "cert.pem")).out == "no sessions yet\n"


async def test_a_server_without_tls_is_told_as_such(kinpost):
    told = await kinpost.run("tree", "--tls")
    assert (told.code, told.out) == (7, "")
    assert "  next: the server does not seem to speak TLS" in told.err


@pytest.mark.parametrize("variables, coloured", [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
async def test_colours_are_for_terminals_that_want_them(kinpost, server, variables, coloured):
    await server.admin.session()
    leader, follower = pty.openpty()
    environment = {**kinpost.environment, "TERM": "xterm", "COLUMNS": "80", **variables}
    command = [Path(sys.executable).with_name("kinpost"), "sessions", "list"]
    done = await asyncio.to_thread(
        subprocess.run,
        command,
        stdout=follower,
        stderr=follower,
        stdin=follower,
        env=environment,
        check=False,
        timeout=60,
    )
    os.close(follower)
    shown = os.read(leader, 65536).decode()
    os.close(leader)
    assert done.returncode == 0
    assert ("\x1b[" in shown) is coloured
    assert "explore_" in shown
    assert "\x1b[" not in (await kinpost.did("sessions", "list")).out


async def test_an_output_that_knows_no_such_letter_escapes_it(kinpost, server):
    await server.admin.session(description="Grüße, 世界")
    told = await kinpost.did("sessions", "list", PYTHONIOENCODING="ascii:strict")
    assert told.lines[1].endswith(r"Gr\xfc\xdfe, \u4e16\u754c")
