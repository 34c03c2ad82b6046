"""An office with a small tree in it: a root and two workers, all of one runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from kinpost_server.domain.message import Mode
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.session import Starter
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.settings import EngineSettings
from kinpost_server.engine.start_run import Started, StartRun
from office import RUNTIME_1, Office


@dataclass
class SmallTree:
    """A root with a run, and two idle children."""

    office: Office
    root: str
    run_id: str
    first: str
    second: str
    calls: int = 0

    def send(self, to: str, body: str = "hello", mode: Mode = Mode.STEER, call: str = "") -> SendMessage:
        """Return a send of the root; each is another tool call unless one is named."""
        self.calls += 1
        return SendMessage(RUNTIME_1, self.root, self.run_id, call or f"call-{self.calls}", to, body, mode)

    def start(self, session_id: str, attempt_id: str = "first") -> Started:
        """Start a run of a session and claim."""
        self.calls += 1
        started: Started = self.office.do(StartRun(RUNTIME_1, session_id, "", f"run-{self.calls}", attempt_id))
        return started


def creation(office: Office, parent: str | None = None) -> CreateSession:
    """Return the creation of a session that may write to everybody."""
    return CreateSession(
        RUNTIME_1, office.new_id(), parent, None, None, "worker", {"*": Decision.ALLOW}, starter=Starter.WAKE
    )


@pytest.fixture
def open_office(tmp_path: Path, storage_url: str) -> Iterator[Callable[..., Office]]:
    """Open the test's database as an office, with the engine's settings where they matter."""
    opened: list[Office] = []

    def make(settings: EngineSettings | None = None) -> Office:
        opened.append(Office(tmp_path / "kinpost.db", storage_url, settings or EngineSettings()))
        return opened[-1]

    yield make
    for office in opened:
        office.store.close()


@pytest.fixture
def office(open_office: Callable[..., Office]) -> Office:
    """An empty office."""
    return open_office()


@pytest.fixture
def create() -> Callable[[Office, str | None], CreateSession]:
    """The creation of a session, as a command."""
    return creation


@pytest.fixture
def tree(office: Office) -> SmallTree:
    """The small tree."""
    root = office.do(creation(office)).session.session_id
    first = office.do(creation(office, root)).session.session_id
    second = office.do(creation(office, root)).session.session_id
    run_id = office.do(StartRun(RUNTIME_1, root, "", "the run")).run.run_id
    return SmallTree(office, root, run_id, first, second)
