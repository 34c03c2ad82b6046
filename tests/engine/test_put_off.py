"""A command that is put off to the next batch shares the fate of its batch: it is answered once, and decided once."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from kinpost_server.domain.errors import StorageUnavailable
from kinpost_server.domain.event import SessionUnqueued
from kinpost_server.domain.session import Starter
from kinpost_server.engine.batch import Committer, Outcome
from kinpost_server.engine.command import Command, Deferred
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.gathering import Pending
from kinpost_server.engine.ports import StoreFailed
from kinpost_server.engine.view import View
from office import RUNTIME_1, Office, Waiting


class Later(Command[str]):
    """Asks to be put off once, then does something."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.decided = 0

    def load(self, view: View) -> None:
        view.want_session(self.session_id)

    def decide(self, view: View) -> str:
        self.decided += 1
        if self.decided == 1:
            raise Deferred
        session = view.session(self.session_id)
        assert session is not None
        view.emit(session, SessionUnqueued("later"))
        return "done"


class Broken(Command[None]):
    """Does something, and then breaks."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id

    def load(self, view: View) -> None:
        view.want_session(self.session_id)

    def decide(self, view: View) -> None:
        session = view.session(self.session_id)
        assert session is not None
        view.emit(session, SessionUnqueued("half done"))
        raise ValueError("broken")


def create(office: Office) -> CreateSession:
    return CreateSession(RUNTIME_1, office.new_id(), None, None, None, "worker", {}, starter=Starter.WAKE)


def carried_out(office: Office, *commands: Command[Any]) -> list[list[Any]]:
    """Decide commands in one batch, and whatever was put off after it; return every answer that each got."""
    batch = [Pending(command, Waiting()) for command in commands]
    answers: dict[int, list[Any]] = {id(pending): [] for pending in batch}

    def announce(outcome: Outcome) -> None:
        for pending, answer in outcome.answers:
            answers[id(pending)].append(answer)

    committer: Committer = office.committer
    committer.announce = announce
    committer.process(batch)
    while put_off := committer.gathering.take_put_off():
        committer.process(put_off)
    return list(answers.values())


def unqueued(office: Office, session_id: str) -> int:
    return sum(isinstance(event.payload, SessionUnqueued) for event in office.events(session_id))


def test_what_is_put_off_is_decided_in_the_next_batch(office: Office) -> None:
    session_id = office.do(create(office)).session.session_id
    later, other = Later(session_id), create(office)
    answers, others = carried_out(office, later, other)
    assert (answers, len(others)) == (["done"], 1)
    assert unqueued(office, session_id) == 1


def test_what_was_answered_with_a_failure_of_the_store_is_not_carried_out_afterwards(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = office.do(create(office)).session.session_id
    later, other = Later(session_id), create(office)

    def fail(_store: object) -> None:
        raise StoreFailed from sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(type(office.store), "commit", fail)
        committer = office.committer
        answers: list[Any] = []
        committer.announce = lambda outcome: answers.extend(answer for _, answer in outcome.answers)
        committer.process([Pending(command, Waiting()) for command in (later, other)])
    assert [type(answer) for answer in answers] == [StorageUnavailable] * 2
    assert committer.gathering.take_put_off() == []
    assert unqueued(office, session_id) == 0


def test_what_is_run_again_alone_is_not_run_once_more(office: Office) -> None:
    session_id = office.do(create(office)).session.session_id
    later, broken = Later(session_id), Broken(session_id)
    answers, (fault,) = carried_out(office, later, broken)
    assert (answers, type(fault)) == (["done"], ValueError)
    assert unqueued(office, session_id) == 1
