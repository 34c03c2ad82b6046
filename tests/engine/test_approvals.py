"""Approvals in batches: in whatever order commands meet, and at what cost for those that ask nobody."""

from __future__ import annotations

from typing import Any

import pytest
from kinpost_server.domain.approval import ApprovalDecision, ApprovalState, PendingApproval
from kinpost_server.domain.event import ApprovalCancelled, ApprovalDecided, ApprovalRequested, ApprovalUsed
from kinpost_server.domain.message import Acceptance, Mode
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.run import RunState
from kinpost_server.domain.session import Starter
from kinpost_server.engine.batch_send_messages import BatchSendMessages
from kinpost_server.engine.cancel_run import CancelRun
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.decide_approval import DecideApproval
from kinpost_server.engine.finish_run import FinishRun
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.start_run import StartRun
from office import APPROVER, RUNTIME_1, Office


class Asker:
    """A child of the small tree's root, with a run, that asks before it writes."""

    def __init__(self, office: Office, root: str, rules: dict[str, Decision]) -> None:
        command = CreateSession(RUNTIME_1, office.new_id(), root, None, None, "asker", rules, starter=Starter.WAKE)
        self.session_id: str = office.do(command).session.session_id
        self.run_id: str = office.do(StartRun(RUNTIME_1, self.session_id, "", "the run")).run.run_id

    def send(self, to: str, call: str = "call", body: str = "hello") -> SendMessage:
        """Return a send."""
        return SendMessage(RUNTIME_1, self.session_id, self.run_id, call, to, body, Mode.STEER)

    def answer(
        self, asked: PendingApproval, decision: ApprovalDecision = ApprovalDecision.ALLOW_ONCE
    ) -> DecideApproval:
        """Return a person's answer."""
        return DecideApproval(APPROVER, self.session_id, asked.approval_id, decision)


@pytest.fixture
def asker(tree: Any) -> Asker:
    """One that asks whomever it writes to."""
    return Asker(tree.office, tree.root, {"*": Decision.ASK})


def kinds(office: Office, session_id: str) -> list[str]:
    """What a session's log tells of approvals."""
    names = [type(event.payload).__name__ for event in office.events(session_id)]
    return [name for name in names if name.startswith("Approval")]


def test_twenty_repeats_in_one_batch_are_one_question(tree: Any, asker: Asker) -> None:
    answers = tree.office.together(*(asker.send(tree.first) for _ in range(20)))
    assert len(set(answers)) == 1
    assert kinds(tree.office, asker.session_id) == [ApprovalRequested.__name__]


def test_a_batch_of_sends_joins_and_asks_and_is_refused_each_on_its_own(tree: Any, asker: Asker) -> None:
    sends = [asker.send(tree.first, f"call {n}") for n in range(10)] + [asker.send(tree.first, "call 0")]
    answers = tree.office.do(BatchSendMessages(RUNTIME_1, asker.session_id, sends))
    assert [getattr(answer, "code", "") for answer in answers] == [""] * 8 + ["approval:too_many"] * 2 + [""]
    assert answers[0] == answers[-1]


def test_an_answer_and_a_retry_in_one_batch_are_one_message(tree: Any, asker: Asker) -> None:
    """In either order; the retry in front of the answer waits, the one behind it has the message."""
    asked = tree.office.do(asker.send(tree.first))
    before, decided, after = tree.office.together(asker.send(tree.first), asker.answer(asked), asker.send(tree.first))
    assert before == asked
    assert decided.state is ApprovalState.USED
    assert isinstance(after, Acceptance)
    assert after.replayed
    assert len(tree.office.session(tree.first).mail) == 1


@pytest.mark.parametrize("ends_first", [True, False])
@pytest.mark.parametrize("how", ["finish", "cancel"])
def test_an_answer_and_the_end_of_the_run_in_one_batch(tree: Any, asker: Asker, ends_first: bool, how: str) -> None:
    """Whichever came first counts, and the log tells the same."""
    asked = tree.office.do(asker.send(tree.first))
    end: Any = FinishRun(RUNTIME_1, asker.session_id, asker.run_id, RunState.COMPLETED)
    if how == "cancel":
        end = CancelRun(APPROVER, asker.session_id, asker.run_id)
    answer, retry = asker.answer(asked), asker.send(tree.first)
    if ends_first:
        _, decided, retried = tree.office.together(end, answer, retry)
        assert (decided.code, retried.code) == ("approval:cancelled", "approval:cancelled")
        assert kinds(tree.office, asker.session_id)[1:] == [ApprovalCancelled.__name__]
        assert not tree.office.session(tree.first).mail
    else:
        decided, _, retried = tree.office.together(answer, end, retry)
        assert (decided.state, retried.replayed) == (ApprovalState.USED, True)
        assert kinds(tree.office, asker.session_id)[1:] == [ApprovalDecided.__name__, ApprovalUsed.__name__]


def test_a_grant_holds_within_its_batch(tree: Any, asker: Asker) -> None:
    """For what comes behind it, also where somebody asked in front of it."""
    other = Asker(tree.office, tree.root, {"*": Decision.ASK})
    asked = tree.office.do(asker.send(tree.first))
    waits, _, served, joins = tree.office.together(
        other.send(tree.first, "in front"),
        asker.answer(asked, ApprovalDecision.ALLOW_FOR_TREE),
        other.send(tree.first, "behind"),
        other.send(tree.first, "in front"),
    )
    assert isinstance(waits, PendingApproval)
    assert isinstance(served, Acceptance)
    assert (isinstance(joins, Acceptance), joins.replayed) == (True, False)
    assert kinds(tree.office, other.session_id) == [ApprovalRequested.__name__, ApprovalUsed.__name__]
    approval = tree.office.reader.get_approval(waits.approval_id)
    assert (approval.state, approval.decision) == (ApprovalState.USED, None)
    assert tree.office.do(other.answer(waits)).state is ApprovalState.USED
    with pytest.raises(Exception, match="idempotency:conflict"):
        tree.office.do(other.answer(waits, ApprovalDecision.DENY))


def test_a_persons_answer_renews_no_lease(tree: Any, asker: Asker) -> None:
    asked = tree.office.do(asker.send(tree.first))
    lease = tree.office.session(asker.session_id).run.lease_expire_time
    tree.office.time += 30_000_000
    tree.office.do(asker.answer(asked))
    assert tree.office.session(asker.session_id).run.lease_expire_time == lease
    tree.office.do(asker.send(tree.first))
    assert tree.office.session(asker.session_id).run.lease_expire_time > lease


def statements(office: Office, *commands: Any) -> list[str]:
    """Return the statements that a batch runs."""
    ran: list[str] = []
    connection = office.store._transaction._connected()  # type: ignore[attr-defined]
    if not office.url:
        connection.set_trace_callback(ran.append)
        office.together(*commands)
        connection.set_trace_callback(None)
        return ran
    kind, execute = type(connection), type(connection).execute

    def noted(self: Any, sql: str, *parameters: Any) -> Any:
        ran.append(sql)
        return execute(self, sql, *parameters)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "execute", noted)
        office.together(*commands)
    return ran


def test_who_asks_nobody_pays_nothing(tree: Any) -> None:
    """A send that its rule allows runs not one statement more, also where other rules of the agent ask."""
    plain = Asker(tree.office, tree.root, {"parent": Decision.ALLOW})
    mixed = Asker(tree.office, tree.root, {"parent": Decision.ALLOW, "sibling": Decision.ASK})
    for sender in (plain, mixed):  # whatever is loaded once
        tree.office.do(sender.send(tree.root, "the first"))
    of_plain = statements(tree.office, plain.send(tree.root))
    of_mixed = statements(tree.office, mixed.send(tree.root))
    assert len(of_plain) == len(of_mixed)


@pytest.mark.only("sqlite", because="on PostgreSQL a session is loaded for each batch, with the questions that it has")
def test_who_asks_nobody_has_no_question_looked_for(tree: Any) -> None:
    mixed = Asker(tree.office, tree.root, {"parent": Decision.ALLOW, "sibling": Decision.ASK})
    tree.office.do(mixed.send(tree.root, "the first"))  # whatever is loaded once
    assert not any("approval" in text for text in statements(tree.office, mixed.send(tree.root)))
    asking = statements(tree.office, mixed.send(tree.first, "asks"))
    assert sum("approval" in text for text in asking) == 2  # is there a grant; the question itself
