"""More falls due at once than one commit carries out: the rest waits behind other commands, not for the next tick."""

from __future__ import annotations

from typing import Any

import pytest
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.session import Availability, Starter
from kinpost_server.engine import sweep
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.ports import RowRefused
from kinpost_server.engine.register_producer import RegisterProducer
from kinpost_server.engine.set_availability import SetAvailability
from kinpost_server.engine.settings import SECOND
from office import ADMIN, PLUGIN, RUNTIME_1, Office

COUNT = 10


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of four."""
    monkeypatch.setattr(sweep, "DUE_MAX", 4)


@pytest.fixture
def sessions(office: Office) -> list[str]:
    """Sessions whose pause ends at once."""
    made = [office.new_id() for _ in range(COUNT)]
    rules = {"*": Decision.ALLOW}
    for session_id in made:
        office.do(CreateSession(RUNTIME_1, session_id, None, None, None, "worker", rules, starter=Starter.WAKE))
        office.do(SetAvailability(ADMIN, session_id, Availability.PAUSED, "", office.time + SECOND))
    return made


def paused(office: Office, sessions: list[str]) -> int:
    """Return how many are not open yet."""
    return sum(office.session(session_id).availability is Availability.PAUSED for session_id in sessions)


def queued(office: Office) -> list[Any]:
    """Return what waits for the committer."""
    waiting = office.committer.gathering._queue
    return [waiting.get_nowait() for _ in range(waiting.qsize())]


def test_what_is_due_is_carried_out_page_by_page_until_nothing_is_left(office: Office, sessions: list[str]) -> None:
    office.advance(2)
    assert paused(office, sessions) == COUNT - 4
    rounds = 0
    while waiting := queued(office):
        (more,) = waiting  # one, behind whatever came before it
        rounds += 1
        more()
    assert (paused(office, sessions), rounds) == (0, 2)


def test_a_tick_meanwhile_adds_no_second_row_of_pages(office: Office, sessions: list[str]) -> None:
    office.advance(2)
    office.upkeep.sweep()
    assert len(queued(office)) == 1
    assert paused(office, sessions) == 2


def test_a_page_that_cannot_be_carried_out_waits_for_the_tick(
    office: Office, sessions: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise RowRefused("no")

    with monkeypatch.context() as patch:
        patch.setattr(office.store, "write", refuse)
        office.advance(2)
        for more in queued(office):
            more()
        assert queued(office) == []
    assert paused(office, sessions) == COUNT
    office.upkeep.sweep()  # the next tick
    while waiting := queued(office):
        waiting[0]()
    assert paused(office, sessions) == 0


def test_a_session_that_breaks_holds_up_no_other(
    office: Office, sessions: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in its page, nor in the pages behind it."""
    reopen = sweep.Sweep._reopen

    def break_for_the_first(self: Any, view: Any, session: Any) -> None:
        if session.session_id == sessions[0]:
            raise RuntimeError("a fault of the service's own")
        reopen(self, view, session)

    monkeypatch.setattr(sweep.Sweep, "_reopen", break_for_the_first)
    office.advance(2)
    while waiting := queued(office):
        waiting[0]()
    assert [office.session(session_id).availability for session_id in sessions] == [
        Availability.PAUSED,
        *[Availability.OPEN] * (COUNT - 1),
    ]


def test_registrations_lapse_page_by_page_too(office: Office, sessions: list[str]) -> None:
    for session_id in sessions:
        office.do(RegisterProducer(PLUGIN, session_id, "build"))
    office.advance(100)
    while waiting := queued(office):
        waiting[0]()
    assert [office.reader.list_producers(session_id) for session_id in sessions] == [[]] * COUNT
