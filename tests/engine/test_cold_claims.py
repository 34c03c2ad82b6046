"""Claims over a store that has just been opened: no body is in memory, each must be asked for before it is needed.

Whatever the boundary skips or settles on its way must not keep what it takes from being loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kinpost_server.domain.message import Mode
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.run import RunState
from kinpost_server.domain.session import Starter
from kinpost_server.engine.claim_messages import ClaimMessages
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.finish_run import FinishRun
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.send_user_message import SendUserMessage
from kinpost_server.engine.settings import SECOND, DeliveryLimits, EngineSettings
from kinpost_server.engine.start_run import StartRun
from office import ADMIN, RUNTIME_1, Office

BODY_BYTES = 100
FIT = 4  # so many bodies fit into a claim


@pytest.fixture
def office(open_office: Callable[..., Office]) -> Office:
    """An office whose claims are small."""
    limits = DeliveryLimits(claim_bytes_max=FIT * BODY_BYTES)
    return open_office(EngineSettings(delivery=limits))


@pytest.fixture
def session(office: Office) -> str:
    """A session without mail."""
    command = CreateSession(RUNTIME_1, office.new_id(), None, None, None, "worker", {}, starter=Starter.WAKE)
    made: str = office.do(command).session.session_id
    return made


def write(office: Office, session: str, count: int, mode: Mode = Mode.STEER) -> list[str]:
    """Let a person write so many messages; return their bodies."""
    bodies = [f"{office.new_id()} ".ljust(BODY_BYTES, "x") for _ in range(count)]
    for body in bodies:
        office.do(SendUserMessage(ADMIN, session, office.new_id(), body, mode))
    return bodies


def told(claim: Any) -> list[str]:
    """The bodies of a claim."""
    return [message.body for message in claim.messages]


def claims_again(office: Office, session: str, run_id: str, seq: int) -> Any:
    return office.do(ClaimMessages(RUNTIME_1, session, run_id, "second", seq)).claim


def finishes_and_goes_on(office: Office, session: str, run_id: str, seq: int) -> Any:
    return office.do(FinishRun(RUNTIME_1, session, run_id, RunState.COMPLETED, "", False, seq, "second"))


def overtakes(office: Office, session: str, run_id: str, seq: int) -> Any:
    return office.do(ClaimMessages(RUNTIME_1, session, run_id, "second")).claim


@pytest.mark.parametrize("settle", [claims_again, finishes_and_goes_on])
def test_a_full_claim_is_committed_and_the_next_one_is_full_too(
    office: Office, session: str, settle: Callable[[Office, str, str, int], Any]
) -> None:
    bodies = write(office, session, 3 * FIT)
    started = office.do(StartRun(RUNTIME_1, session, "", "run", "first"))
    assert told(started.claim) == bodies[:FIT]
    office.restart()
    claim = settle(office, session, started.run.run_id, started.claim.claim_seq)
    assert told(claim) == bodies[FIT : 2 * FIT]
    assert claim.more_pending


def test_a_full_claim_is_overtaken(office: Office, session: str) -> None:
    bodies = write(office, session, 3 * FIT)
    started = office.do(StartRun(RUNTIME_1, session, "", "run", "first"))
    office.restart()
    assert told(overtakes(office, session, started.run.run_id, 0)) == bodies[:FIT]


def test_a_full_claim_is_returned_again(office: Office, session: str) -> None:
    write(office, session, 3 * FIT)
    start = StartRun(RUNTIME_1, session, "", "run", "first")
    started = office.do(start)
    office.restart()
    assert office.do(start).claim == started.claim
    again = ClaimMessages(RUNTIME_1, session, started.run.run_id, "first")
    assert office.do(again).claim == started.claim


def test_expired_mail_stands_before_the_mail_that_is_claimed(office: Office, tree_mail: Any) -> None:
    """No sweep came by: the claim itself discards it."""
    recipient, bodies = tree_mail
    office.restart()
    office.time += 10 * SECOND
    started = office.do(StartRun(RUNTIME_1, recipient, "", "run", "first"))
    assert told(started.claim) == bodies


@pytest.fixture
def tree_mail(office: Office, session: str) -> tuple[str, list[str]]:
    """A child with a claim's worth of expiring mail, then a claim's worth of mail that stays."""
    allow = {"*": Decision.ALLOW}
    sender, recipient = (
        office.do(
            CreateSession(RUNTIME_1, office.new_id(), session, None, None, "worker", allow, starter=Starter.WAKE)
        ).session.session_id
        for _ in range(2)
    )
    run_id = office.do(StartRun(RUNTIME_1, sender, "", "sends")).run.run_id
    for _ in range(FIT):
        body = "dies".ljust(BODY_BYTES * 2, "x")
        command = SendMessage(RUNTIME_1, sender, run_id, office.new_id(), recipient, body, Mode.STEER, SECOND)
        office.do(command)
    return recipient, write(office, recipient, FIT)


def test_queue_mail_for_the_next_run_stands_before_the_mail_of_this_one(office: Office, session: str) -> None:
    started = office.do(StartRun(RUNTIME_1, session, "", "run"))
    write(office, session, 2 * FIT, Mode.QUEUE)
    bodies = write(office, session, FIT)
    office.restart()
    claim = office.do(ClaimMessages(RUNTIME_1, session, started.run.run_id, "first")).claim
    assert told(claim) == bodies
    office.restart()
    write(office, session, 2 * FIT, Mode.QUEUE)
    more = write(office, session, FIT)
    office.restart()
    assert told(claims_again(office, session, started.run.run_id, claim.claim_seq)) == more
