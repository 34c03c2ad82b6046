"""The TypeScript client against a real server: its own tests, run by Node, and its compiled modules."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from certificates import write_certificate
from kinpost.v1 import PROTOCOL_VERSION
from kinpost_server.transport import identity, status
from kinpost_server.transport.cursor import cursor_of
from refusing import refusing
from running import LocalServer, ServerProcess

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients/typescript"
SHORT_LEASES = "[delivery]\nrun_lease_seconds = 6.0\nheartbeat_seconds = 0.1\nsweep_seconds = 0.05\n"
SETTINGS = {"leases": SHORT_LEASES, "peers": "[peer]\ncalls_max = 4\n"}
SECONDS = 240

pytestmark = [
    pytest.mark.timeout(SECONDS + 60),
    pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here"),
]


def tsc(*arguments: str) -> None:
    """Run the TypeScript compiler in the client's folder."""
    done = subprocess.run(
        [str(ROOT / "node_modules/.bin/tsc"), *arguments],
        cwd=CLIENT,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client's tests as modules, beside what they import."""
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    tsc("--project", "test", "--outDir", str(folder))
    return folder


@pytest.fixture
async def process(tmp_path: Path, storage_url: str, request: pytest.FixtureRequest) -> AsyncIterator[ServerProcess]:
    """`kinpost serve`, with the settings that the test file wants."""
    config = tmp_path / "kinpost.toml"
    config.write_text(SETTINGS.get(request.node.callspec.params["name"], ""))
    made = ServerProcess(tmp_path / "data", config, storage_url)
    try:
        await made.start()
        yield made
    finally:
        await made.close()


@asynccontextmanager
async def obeying(*processes: ServerProcess) -> AsyncIterator[str]:
    """Let a test kill and start its servers: a line of a connection is an order, `done` the answer."""
    orders: dict[str, Callable[[], Awaitable[None]]] = {}
    for number, process in enumerate(processes):
        orders[f"kill {number}"] = process.kill
        orders[f"start {number}"] = process.start
        orders[f"stop {number}"] = process.stop
        orders[f"restart {number}"] = process.restart

    async def obey(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await orders[(await reader.readline()).decode().strip()]()
            writer.write(b"done\n")
            await writer.drain()
        finally:
            writer.close()

    listening = await asyncio.start_server(obey, "127.0.0.1", 0)
    async with listening:
        yield f"127.0.0.1:{listening.sockets[0].getsockname()[1]}"


@contextmanager
def silent() -> Iterator[str]:
    """Give an address where nothing is answered to whoever connects, as where a machine is off."""
    with socket.socket() as listening, ExitStack() as stack:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for _ in range(4):  # more than wait to be accepted
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listening.getsockname())
        yield f"127.0.0.1:{listening.getsockname()[1]}"


async def node(file: Path, **told: str) -> None:
    """Run one file of tests, and see that there were some and that all of them passed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KINPOST_", "NODE_"))}
    process = await asyncio.create_subprocess_exec(
        *("node", "--test-reporter=tap", str(file)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**environment, **{f"KINPOST_{name.upper()}": value for name, value in told.items()}},
    )
    try:
        async with asyncio.timeout(SECONDS):
            output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    text = output.decode()
    counted = dict(re.findall(r"^# (tests|pass|fail|skipped|todo|cancelled) (\d+)$", text, re.MULTILINE))
    assert (process.returncode, counted.get("pass")) == (0, counted.get("tests", "none")), text
    assert int(counted["tests"]) > 0, text


@pytest.mark.parametrize(
    "name",
    ["words", "sessions", "turns", "runtime", "calls", "producers", "resumption", "leases", "approvals", "peers"],
)
async def test_its_own_tests_pass(name: str, compiled: Path, process: ServerProcess):
    log_id = (await process.admin.admin.GetServerInfo()).log_id
    async with obeying(process) as control:
        await node(
            compiled / f"{name}.test.js",
            address=process.address,
            token=process.admin_secret,
            control=control,
            cursor_beyond=cursor_of(log_id, 1 << 40),
            cursor_elsewhere=cursor_of("00000000-0000-7000-8000-000000000000", 1),
        )


async def test_it_goes_on_at_the_replica_that_lives(compiled: Path, replica_processes: list[ServerProcess]):
    target = "ipv4:" + ",".join(process.address for process in replica_processes)
    async with obeying(*replica_processes) as control:
        token = replica_processes[0].admin_secret
        with silent() as address:
            await node(compiled / "replicas.test.js", address=target, token=token, control=control, silent=address)


BETTER_ELSEWHERE = {
    "refuse:send_message:engine_shutdown",
    "refuse:server:overloaded",
    "refuse:server:shutting_down",
    "refuse:storage:unavailable",
    "bare:UNAVAILABLE",
    "bare:CANCELLED",
}


async def test_what_another_replica_may_do_better_is_asked_of_it(compiled: Path):
    async with refusing() as (one, first), refusing() as (other, second):
        names = {f"refuse:{code}" for code in one.told} | {"refuse:server:internal", "bare:ABORTED"} | BETTER_ELSEWHERE
        target = f"ipv4:{first},{second}"
        await node(compiled / "failover.test.js", address=target, names=json.dumps(sorted(names)))
    assert set(one.asked) | set(other.asked) == names
    assert set(one.asked) & set(other.asked) == BETTER_ELSEWHERE


async def test_it_speaks_tls_with_whom_it_trusts(compiled: Path, tmp_path: Path):
    certificate = write_certificate(tmp_path, "ours").decode()
    files = {"tls_cert_file": str(tmp_path / "cert.pem"), "tls_key_file": str(tmp_path / "key.pem")}
    server = LocalServer(tmp_path / "data", {"server": files})
    await server.start()
    try:
        token = server.admin_secret
        await node(compiled / "tls.test.js", address=server.address, token=token, certificate=certificate)
    finally:
        await server.stop()


async def test_each_refusal_arrives_as_its_class_and_what_is_newer_as_unknown(compiled: Path):
    rows = {refusal.code: row for refusal, row in status.TABLE.items()}
    async with refusing() as (server, address):
        table = {
            code: {
                "repeatable": rows[code].repeatable,
                "text": told.text,
                "reason": code.upper().replace(":", "_"),
            }
            for code, told in server.told.items()
        }
        await node(compiled / "errors.test.js", address=address, table=json.dumps(table))

    assert {name for name, _ in server.heard} == {"GetSession", "SubscribeEvents"}
    told = {(metadata.get("kinpost-protocol-version"), metadata.get("authorization")) for _, metadata in server.heard}
    assert told == {(str(PROTOCOL_VERSION), "Bearer secret")}


async def test_a_server_of_other_versions_refuses_the_client(
    compiled: Path, server: LocalServer, monkeypatch: pytest.MonkeyPatch
):
    newer = PROTOCOL_VERSION + 1
    monkeypatch.setattr(identity, "PROTOCOL_VERSION", newer)
    monkeypatch.setattr(identity, "PROTOCOL_VERSION_MIN", newer)
    monkeypatch.setattr(identity, "_SERVED", frozenset({str(newer)}))

    await node(compiled / "version.test.js", address=server.address, version=str(newer))


@pytest.mark.parametrize("folder", [".", "demo"])
def test_what_is_committed_as_compiled_is_what_the_sources_compile_to(folder: str, tmp_path: Path):
    tsc("--project", folder, "--outDir", str(tmp_path))
    committed, fresh = (
        {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}
        for place in (CLIENT / folder / "dist", tmp_path)
    )
    differing = sorted(name for name in committed | fresh if committed.get(name) != fresh.get(name))
    assert differing == [], "`make typescript-client` compiles them"


def test_the_example_of_its_readme_compiles(tmp_path: Path):
    text = (CLIENT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```typescript$\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    (tmp_path / "example.ts").write_text(example, encoding="utf-8")
    settings = {"extends": str(CLIENT / "tsconfig.json"), "compilerOptions": {"rootDir": "."}, "include": ["."]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings))

    tsc("--project", str(tmp_path), "--noEmit")


def test_the_package_asks_for_what_the_lock_has():
    wanted = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))["dependencies"]
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    places = {name: lock[f"node_modules/{name}"] for name in wanted}
    locked = {name: lock[place["resolved"]] if place.get("link") else place for name, place in places.items()}
    assert wanted == {name: entry["version"] for name, entry in locked.items()}
    assert {name for name in wanted if places[name].get("link")} == {"@kinpost/protocol"}
