"""A store that fails while a command is loaded or decided fails the batch: no command is to blame or broken."""

from __future__ import annotations

from typing import Any

import pytest
from kinpost_server.domain.errors import StorageUnavailable
from kinpost_server.domain.identity import TokenKind
from kinpost_server.engine.attach import Attach
from kinpost_server.engine.command import Command
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.ports import StoreFailed
from kinpost_server.engine.replica_ports import BeginAgain
from kinpost_server.engine.runtimes import Attachment
from kinpost_server.engine.tokens import CreateToken
from office import ADMIN, RUNTIME_1, Office


@pytest.fixture
def office(tmp_path):
    made = Office(tmp_path / "kinpost.db")
    yield made
    made.store.close()


def attach(_office: Office) -> Command[Any]:
    return Attach(RUNTIME_1, Attachment("a", RUNTIME_1.token_id, frozenset(), False, 1, lambda _notice: None), [])


def create_session(office: Office) -> Command[Any]:
    return CreateSession(RUNTIME_1, office.new_id(), None, None, None, "worker", {})


def create_token(office: Office) -> Command[Any]:
    return CreateToken(ADMIN, office.new_id(), TokenKind.OBSERVER)


CASES = {
    "while its offers are read": (attach, "store", "offers_of"),
    "while its sessions are counted": (create_session, "store", "count_hosted"),
    "while its token is held": (create_token, "store", "hold_token"),
    "while it is decided": (create_token, "committer", "token_of"),
}


def fails_once(
    office: Office, monkeypatch: pytest.MonkeyPatch, owner: str, method: str, failure: Exception
) -> list[bool]:
    held = getattr(office, owner)
    usual, raised = getattr(held, method), []

    def failing(*arguments: Any) -> Any:
        if not raised:
            raised.append(True)
            raise failure
        return usual(*arguments)

    monkeypatch.setattr(held, method, failing)
    return raised


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("company", [0, 2], ids=["alone", "among others"])
def test_the_store_is_to_blame(office: Office, monkeypatch: pytest.MonkeyPatch, case: str, company: int) -> None:
    make, owner, method = CASES[case]
    raised = fails_once(office, monkeypatch, owner, method, StoreFailed("the connection was cut"))
    command, others = make(office), [create_session(office) for _ in range(company)]
    answers = office.together(*others, command)
    assert raised
    assert [type(answer) for answer in answers] == [StorageUnavailable] * (company + 1)
    assert office.events() == []
    assert not isinstance(office.together(command)[0], Exception)


@pytest.mark.parametrize("case", CASES)
def test_what_begins_again_for_a_lock_is_answered(office: Office, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    make, owner, method = CASES[case]
    raised = fails_once(office, monkeypatch, owner, method, BeginAgain())
    office.do(make(office))
    assert raised
