"""A real server for each test.

`server` runs in the test's process; `overrides` are its settings by section, which a test or a module replaces.
It is a server on SQLite, one on PostgreSQL, or two of them: `deployments.py` says which tests run on what, and why.
`process` is `kinpost serve` as people run it, to be killed and started again.
"""

from __future__ import annotations

import contextlib
import sys
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
import structlog
from calls import read_refusal
from deployments import POSTGRES, REPLICAS, SQLITE
from kinpost.v1 import (
    admin_service_pb2,
    event_service_pb2,
    message_pb2,
    messaging_service_pb2,
    run_pb2,
    run_service_pb2,
    session_pb2,
    session_service_pb2,
    token_pb2,
    tool_service_pb2,
)
from running import LocalServer, Replicas, ServerProcess

# What the server says of an accident inside: of a call's, of a command's of its own, of what is done beside commands.
FAULTS = ("internal_error", "service_command_failed", "committer_fault", "follower_fault", "retention_fault")


@pytest.fixture
def overrides() -> dict[str, dict[str, Any]]:
    """Settings by section that differ from the defaults: to be replaced by parametrisation or by a module."""
    return {}


@pytest.fixture(params=[SQLITE, POSTGRES, REPLICAS])
def deployment(request) -> str:
    """What the test runs against."""
    return request.param


@pytest.fixture
def service_log():
    """What the server logged; a fault of its own fails the test unless the test takes it out."""
    with structlog.testing.capture_logs() as entries:
        yield entries
    complaints = [entry for entry in entries if entry["log_level"] in ("warning", "error", "critical")]
    sys.stderr.writelines(f"{entry}\n" for entry in complaints)  # pytest shows them beside a failure
    assert [entry for entry in entries if entry["event"] in FAULTS] == []


@pytest.fixture
async def server(tmp_path, overrides, deployment, storage_url, service_log):
    """A server in this process, with `admin`, a client that may do everything."""
    kind = Replicas if deployment == REPLICAS else LocalServer
    made = kind(tmp_path / "data", overrides, storage_url)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def runtime(server):
    """A client with a runtime's token."""
    return await server.make_token("runtime")


@pytest.fixture
async def process(tmp_path, storage_url):
    """`kinpost serve`, with defaults, over an empty folder."""
    config = tmp_path / "kinpost.toml"
    config.touch()
    made = ServerProcess(tmp_path / "data", config, storage_url)
    try:
        await made.start()
        yield made
    finally:
        await made.close()


@pytest.fixture
async def replica_processes(tmp_path, postgres_url):
    """Two times `kinpost serve`, with defaults, on one PostgreSQL database."""
    config = tmp_path / "kinpost.toml"
    config.touch()
    made = [ServerProcess(tmp_path / name, config, postgres_url) for name in ("one", "other")]
    async with contextlib.AsyncExitStack() as stack:
        for process in made:
            stack.push_async_callback(process.close)
            await process.start()
        yield made


@pytest.fixture
def refused():
    """Expect a refusal: `with refused("run:lease_lost") as told:`; told has code, text, field, info and retry."""

    @contextlib.contextmanager
    def expect(code: str, grpc_code: grpc.StatusCode | None = None, *, field: str | None = None):
        told = SimpleNamespace()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            yield told
        error = caught.value
        for name, value in vars(read_refusal(error)).items():
            setattr(told, name, value)
        assert told.code == code, error.details()
        assert grpc_code in (None, error.code())
        if field is not None:
            assert told.field == field, error.details()

    return expect


@pytest.fixture
def wire():
    """The modules of the contract, for their enumerations and messages."""
    return SimpleNamespace(
        admin=admin_service_pb2,
        events=event_service_pb2,
        message=message_pb2,
        messaging=messaging_service_pb2,
        run=run_pb2,
        runs=run_service_pb2,
        session=session_pb2,
        sessions=session_service_pb2,
        token=token_pb2,
        tools=tool_service_pb2,
    )


@pytest.fixture
def refusal_of():
    """Read what an error says of itself."""
    return read_refusal
