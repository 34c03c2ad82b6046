"""A batch that begins again for the sake of a lock leaves what runtimes hold as it was."""

from __future__ import annotations

from typing import Any

import pytest
from kinpost_server.domain.message import Mode
from kinpost_server.domain.session import Starter
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.replica_ports import BeginAgain
from kinpost_server.engine.send_user_message import SendUserMessage
from office import ADMIN, RUNTIME_1, Office


@pytest.fixture
def office(tmp_path):
    made = Office(tmp_path / "kinpost.db")
    yield made
    made.store.close()


def test_an_offer_is_still_known_by_its_wake(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nobody could be told when another replica ends it."""
    office.attach(RUNTIME_1, "a-runtime")
    session_id = office.do(
        CreateSession(RUNTIME_1, office.new_id(), None, None, None, "worker", {}, starter=Starter.WAKE)
    ).session.session_id
    office.do(SendUserMessage(ADMIN, session_id, "first", "hello", Mode.STEER))
    (held,) = office.committer.runtimes.held_or_lost(session_id)
    assert held.wake_id is not None
    load, raised = office.store.load_sessions, []

    def load_at_last(session_ids: Any) -> Any:
        if not raised:
            raised.append(True)
            raise BeginAgain
        return load(session_ids)

    monkeypatch.setattr(office.store, "load_sessions", load_at_last)
    office.do(SendUserMessage(ADMIN, session_id, "second", "hello again", Mode.STEER))
    assert raised
    assert office.committer.runtimes.held_or_lost(session_id) == [held]
