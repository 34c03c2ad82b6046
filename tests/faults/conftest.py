"""Servers in trouble: `kinpost serve` in a process of its own, so that it can be stopped, starved and killed."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from own_postgres import OwnPostgres
from running import ServerProcess

ROOT = Path(__file__).parents[2]
# The torture is a package beside the scripts.
sys.path.insert(0, str(ROOT / "scripts"))


@pytest.fixture
def settings() -> str:
    """The server's configuration, TOML: to be replaced by parametrisation or by a module."""
    return ""


@pytest.fixture
def own_postgres() -> Iterator[OwnPostgres]:
    """A server of PostgreSQL's that a test may stop."""
    with OwnPostgres() as server:
        yield server


@pytest.fixture
async def process(tmp_path: Path, settings: str, storage_url: str) -> AsyncIterator[ServerProcess]:
    """A server over an empty folder, its client `admin`."""
    config = tmp_path / "kinpost.toml"
    config.write_text(settings)
    made = ServerProcess(tmp_path / "data", config, storage_url)
    try:
        await made.start()
        yield made
    finally:
        await made.close()


@pytest.fixture
def database(process: ServerProcess) -> Path:
    """The server's file; whoever looks at it is on SQLite."""
    assert not process.storage_url
    return process.folder / "kinpost.db"
