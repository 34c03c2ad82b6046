"""What all tests share: no test is timed, so that a busy machine fails none; and there is a PostgreSQL server.

What takes `deployment`, by whichever way, runs on each database. `deployments.py` says what does not, and why.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from compiled_once import remember_what_is_compiled
from deployments import POSTGRES, SQLITE, is_to_run
from hypothesis import settings
from postgres_server import PostgresServer, end_shared_server, shared_server

# A shell that runs us in the background has us ignore Ctrl-C, and so would each program that we start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
remember_what_is_compiled()


def _folder_of_run(factory: pytest.TempPathFactory) -> Path:
    """The folder that all workers of a run share."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> PostgresServer:
    """The PostgreSQL server of this run."""
    return shared_server(_folder_of_run(tmp_path_factory))


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A migrated database of the test's own."""
    url = postgres_server.make_database()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(params=[SQLITE, POSTGRES])
def deployment(request: pytest.FixtureRequest) -> str:
    """What the test runs against."""
    found: str = request.param
    return found


@pytest.fixture
def storage_url(deployment: str, request: pytest.FixtureRequest) -> str:
    """The database's URL, empty for SQLite."""
    return "" if deployment == SQLITE else str(request.getfixturevalue("postgres_url"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what is not to run: it is told in one place, and no run is full of skips."""
    items[:] = [item for item in items if is_to_run(item)]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the server when the last worker is done: whoever started the workers ends after them."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        factory = getattr(session.config, "_tmp_path_factory", None)
        if factory is not None:
            end_shared_server(_folder_of_run(factory))
