"""`kinpost serve` as a process: how it begins, how it ends, and what is there afterwards."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from by_hand import change_by_hand
from calls import fresh
from kinpost_server.settings import keys
from running import LocalServer

KINPOST = Path(sys.executable).with_name("kinpost")
LISTEN = ("--listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0")


def serve(folder: Path, *options: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a server that is expected to end by itself."""
    return subprocess.run(
        [
            KINPOST,
            "serve",
            "--data",
            folder / "data",
            "--listen",
            "127.0.0.1:0",
            "--http-listen",
            "127.0.0.1:0",
            *map(str, options),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=60,
        env={**os.environ, **variables},
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_gracefully(process, refused, number):
    session = await process.admin.session()
    watching = process.admin.subscribe(all=True, from_now=True)
    attached = await process.admin.attach()
    await watching.next()
    process.signal(number)
    for stream in (watching, attached):
        with refused("server:shutting_down", grpc.StatusCode.UNAVAILABLE) as told:
            await stream.ended()
        assert told.retry_seconds
    assert await process.ended() == 0
    await process.start()
    assert (await process.admin.look(session)).session_id == session.session_id


async def test_who_sends_during_a_shutdown_learns_why(server, refused):
    session = await server.admin.session(rules={"child": "allow"})
    child = await server.admin.session(session)
    run = await server.admin.run(session)
    server.engine.begin_shutdown()
    with refused("send_message:engine_shutdown", grpc.StatusCode.UNAVAILABLE) as told:
        await server.admin.send(run, child)
    assert told.retry_seconds
    with refused("send_message:engine_shutdown"):
        await server.admin.user(child)
    with refused("server:shutting_down", grpc.StatusCode.UNAVAILABLE):
        await server.admin.session()


@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL"])
async def test_what_was_promised_is_there_after_the_end(process, how):
    """Many send while the server is ended; each acceptance is in the log of the next server, and nothing twice."""
    admin = process.admin
    parent = await admin.session(rules={"child": "allow"})
    child = await admin.session(parent)
    promised: list[str] = []
    ends: set[grpc.StatusCode] = set()
    enough = asyncio.Event()

    async def people():
        while True:
            try:
                promised.append((await admin.user(child, fresh("body"))).message_id)
            except grpc.aio.AioRpcError as error:
                ends.add(error.code())
                return
            if len(promised) >= 100:
                enough.set()

    async with asyncio.TaskGroup() as group:
        for _ in range(8):
            group.create_task(people())
        await enough.wait()
        process.signal(signal.Signals[how])
    assert ends == {grpc.StatusCode.UNAVAILABLE}
    assert await process.ended() == (0 if how == "SIGTERM" else -signal.SIGKILL)
    await process.start()
    accepted = [
        event.producer_message_accepted.message_id
        for event in await admin.log(session_id=child.session_id)
        if event.HasField("producer_message_accepted")
    ]
    assert len(accepted) == len(set(accepted))
    assert set(promised) <= set(accepted)
    assert len(promised) >= 100


@pytest.mark.only("sqlite", because="a PostgreSQL database is there for several servers")
async def test_a_second_server_on_the_same_data_refuses_to_start(process):
    ran = await asyncio.to_thread(serve, process.folder.parent)
    assert ran.returncode == 3
    assert ran.stdout == ""
    assert ran.stderr.startswith("kinpost: ")
    assert "is in use by process" in ran.stderr
    assert "Traceback" not in ran.stderr
    await process.admin.session()


async def test_data_of_a_newer_schema_is_refused(process):
    process.signal(signal.SIGTERM)
    await process.ended()
    change_by_hand(process.database, "UPDATE log SET schema_number = 999, compatible_from_number = 999")
    ran = await asyncio.to_thread(serve, process.folder.parent, "--storage-database-url", process.storage_url)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "the database has schema 999" in ran.stderr
    assert "Traceback" not in ran.stderr


async def test_a_port_that_is_taken_is_a_fault_of_the_configuration(process, tmp_path):
    (tmp_path / "other").mkdir()
    ran = await asyncio.to_thread(serve, tmp_path / "other", "--listen", process.address)
    assert ran.returncode == 2
    assert f"kinpost: cannot listen on {process.address}: the address is taken" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_fault_of_the_configuration_is_told_and_nothing_is_made(tmp_path):
    config = tmp_path / "kinpost.toml"
    config.write_text("[messaging]\nmax_hop = 1\n")
    ran = serve(tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "kinpost: kinpost.toml: [messaging] max_hop: there is no such key; did you mean max_hops?\n"
    config.unlink()
    ran = serve(tmp_path, KINPOST_MESSAGING__MAX_HOP="1")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "KINPOST_MESSAGING__MAX_HOP: there is no such setting" in ran.stderr
    assert not (tmp_path / "data").exists()


def test_a_data_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "data").write_text("a file is in its place")
    ran = serve(tmp_path)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr.startswith("kinpost: cannot use the data folder ")


def test_an_admin_token_or_a_ready_file_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "data" / "admin.token").mkdir(parents=True)
    ran = serve(tmp_path)
    assert ran.returncode == 3
    assert "kinpost: cannot write the first admin token: " in ran.stderr
    ran = serve(tmp_path, "--ready-file", tmp_path / "absent" / "ready")
    assert ran.returncode == 2
    assert "kinpost: --ready-file: " in ran.stderr
    assert "Traceback" not in ran.stderr


async def test_the_first_admin_token_is_its_owners_and_stays(process, refused):
    path = process.folder / "admin.token"
    assert path.stat().st_mode & 0o777 == 0o600
    assert process.folder.stat().st_mode & 0o777 == 0o700
    secret = process.admin_secret
    await process.make_token("observer")
    path.unlink()
    await process.restart()
    assert not path.exists()  # there are tokens: whoever has them makes others
    assert len((await process.client(secret).admin.ListTokens()).tokens) == 2


async def test_an_admin_token_that_a_crash_kept_from_its_file_is_made_anew(process):
    secret = process.admin_secret
    (process.folder / "admin.token").unlink()
    await process.restart()
    assert process.admin_secret != secret
    assert len((await process.client(process.admin_secret).admin.ListTokens()).tokens) == 2


@pytest.mark.parametrize("form, last", [("json", '"event": "stopped"'), ("text", "stopped")])
async def test_neither_bodies_nor_tokens_reach_the_log(process, refused, form, last):
    await process.restart("--log-level", "debug", "--log-format", form)
    session = await process.admin.session(rules={"child": "allow"}, first_message="a-body-of-delegation")
    child = await process.admin.session(session)
    run = await process.admin.run(session)
    await process.admin.send(run, child, "a-body-of-an-agent")
    await process.admin.user(child, "a-body-of-a-person")
    with refused("send_message:invalid_body"):
        await process.admin.send(run, child, "a-body-that-is-too-long" * 10_000)
    secret = (await process.make_token("runtime")).secret
    with refused("auth:unauthenticated"):
        await process.client("a-secret-that-is-wrong").session()
    process.signal(signal.SIGTERM)
    await process.ended()
    logged = process.log.read_text()
    assert last in logged
    for kept in ("a-body-of", "a-body-that", secret, process.admin_secret, "a-secret-that"):
        assert kept not in logged


async def test_the_ready_file_holds_the_address(process, tmp_path):
    ready = tmp_path / "ready"
    await process.restart("--ready-file", str(ready))
    assert ready.read_text() == f"{process.address}\n"


def test_the_help_tells_each_key_its_default_and_its_variable():
    ran = subprocess.run(
        [KINPOST, "serve", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "400", "NO_COLOR": "1", "TERM": "dumb"},
    )
    text = " ".join(ran.stdout.split())
    for key in keys():
        assert key.option in text
        default = str(key.field.default).lower() if isinstance(key.field.default, bool) else key.field.default
        shown = "none" if default == "" else default
        assert f"{key.field.description}. Environment: {key.variable}. Default: {shown}" in text
        assert f"[{key.section}]" in text


def test_the_bare_command_lists_its_commands():
    ran = subprocess.run([KINPOST], capture_output=True, text=True, check=False)
    assert "serve" in ran.stdout + ran.stderr
    ran = subprocess.run([KINPOST, "nothing"], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "No such command 'nothing'" in ran.stderr


async def test_a_data_folder_may_have_any_name(tmp_path):
    server = LocalServer(tmp_path / "50% of? it #1 & ünïcode", {})
    await server.start()
    try:
        session = await server.admin.session()
        await server.restart()
        assert (await server.admin.look(session)).session_id == session.session_id
    finally:
        await server.stop()
    assert [path.name for path in tmp_path.iterdir()] == [server.folder.name]
