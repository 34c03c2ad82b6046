"""The state machine's steps in which people are asked and answer."""

from __future__ import annotations

import hypothesis.strategies as st
from delivery import Agent, Mail
from hypothesis.stateful import precondition, rule
from kinpost_server.domain.approval import ApprovalDecision, PendingApproval
from kinpost_server.domain.event import ApprovalUsed
from kinpost_server.domain.message import Mode
from kinpost_server.engine.decide_approval import DecideApproval
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.settings import SECOND
from office import APPROVER, RUNTIME_1
from questions import CODES, Question
from steps_mail import MailSteps
from steps_sessions import MODES


class ApprovalSteps(MailSteps):
    """What agents ask before they write, and what comes of it."""

    @precondition(lambda self: self.any_asking)
    @rule(data=st.data(), mode=MODES, size=st.sampled_from([1, 20]), expire_seconds=st.sampled_from([0, 0, 2]))
    def ask(self, data: st.DataObject, mode: Mode, size: int, expire_seconds: int) -> None:
        """An agent whose rules ask writes to any session; where a grant serves it, nobody is asked."""
        sender, recipient = self._asking(data), self.agent(data)
        assert sender.run is not None
        command = SendMessage(
            self.caller_of(sender),
            sender.session_id,
            sender.run.run_id,
            self.next("call"),
            recipient.session_id,
            "x" * size,
            mode,
            expire_seconds * SECOND,
        )
        form = ("body", "mode", "to") + (("expire_after_seconds",) if expire_seconds else ())
        expected = self.tree.judge_address(sender.session_id, sender.run.run_id, recipient.session_id)
        questions = self.tree.questions
        granted = (sender.root, recipient.session_id, form) in questions.grants
        if not expected and not granted and not questions.has_room(sender.session_id):
            expected = "approval:too_many"
        if not expected and granted:
            expected = self.tree.judge_guards(sender.session_id, recipient.session_id, 0)
        first, again = self.office.together(command, command)
        if expected:
            assert (first.code, again.code) == (expected, expected)
        elif granted:
            assert (again.message_id, again.replayed) == (first.message_id, True)
            self._stored(sender, command, first.message_id)
        else:
            assert isinstance(first, PendingApproval)
            assert first == again
            assert first.expire_time is not None
            questions.known[first.approval_id] = Question(
                first.approval_id,
                sender.session_id,
                sender.root,
                sender.run.run_id,
                recipient.session_id,
                form,
                first.expire_time,
                command,
            )

    @precondition(lambda self: self.tree.questions.known)
    @rule(data=st.data(), other=st.booleans())
    def ask_again(self, data: st.DataObject, other: bool) -> None:
        """A repeat joins the approval, uses its right, or is told what became of it; other content is a conflict."""
        question, command = self._question(data)
        again = SendMessage(
            command.caller,
            command.session_id,
            command.run_id,
            command.tool_call_id,
            command.to,
            "other" if other else command.body,
            command.mode,
            command.expire_after,
        )
        asker = self.tree.agents[question.session_id]
        got = self.code(again)
        if asker.deleted:
            assert got == "session:not_found"
        elif other:
            assert got == "idempotency:conflict"
        elif question.state == "used":
            assert (got.message_id, got.replayed) == (self._used(question), True)
        elif question.state in CODES:
            assert got == CODES[question.state]
        else:
            self._repeated(question, asker, command, got)

    def _repeated(self, question: Question, asker: Agent, command: SendMessage, got: object) -> None:
        expected = self.tree.judge_address(asker.session_id, question.run_id, question.to)
        allowed = question.state == "allowed" or question.operation in self.tree.questions.grants
        if not expected and allowed:
            expected = self.tree.judge_guards(asker.session_id, question.to, 0)
        if expected:
            assert got == expected
        elif allowed:
            self._carried_out(question, asker, command)
            assert not got.replayed  # type: ignore[attr-defined]
        else:
            assert isinstance(got, PendingApproval)
            assert got.approval_id == question.approval_id

    @precondition(lambda self: self.tree.questions.known)
    @rule(data=st.data(), decision=st.sampled_from(list(ApprovalDecision)))
    def answer(self, data: st.DataObject, decision: ApprovalDecision) -> None:
        """A person answers, twice at once; what is allowed is carried out, unless a guard is against it."""
        question, _ = self._question(data)
        command = DecideApproval(APPROVER, question.session_id, question.approval_id, decision)
        first, again = self.office.together(command, command)
        if self.tree.agents[question.session_id].deleted:
            assert (first.code, again.code) == ("approval:not_found", "approval:not_found")
            return
        code = self.tree.questions.judge_answer(question, decision.name)
        if code:
            assert (first.code, again.code) == (code, code)
            return
        assert first == again
        if code is None:
            return
        alike = self.tree.questions.alike(question)
        self._answered(question, decision)
        if decision is ApprovalDecision.ALLOW_FOR_TREE:
            self.tree.questions.grants.add(question.operation)
            for another in alike:
                if another is not question:
                    self._answered(another, decision)

    def _answered(self, question: Question, decision: ApprovalDecision) -> None:
        question.decision = decision.name
        asker = self.tree.agents[question.session_id]
        if decision is ApprovalDecision.DENY:
            question.state = "denied"
            return
        question.state = "allowed"
        against = self.tree.judge_address(asker.session_id, question.run_id, question.to)
        if not (against or self.tree.judge_guards(asker.session_id, question.to, 0)):
            self._carried_out(question, asker, question.send)

    def _carried_out(self, question: Question, asker: Agent, command: SendMessage) -> None:
        question.state = "used"
        self._stored(asker, command, self._used(question))

    def _stored(self, sender: Agent, command: SendMessage, message_id: str) -> None:
        assert sender.run is not None
        expire = self.office.time + command.expire_after if command.expire_after else None
        size, hop = len(command.body), sender.run.hop + 1
        mail = Mail(message_id, command.to, sender.session_id, command.mode.name, size, hop, expire)
        self.tree.accept(mail)
        self.sent.append((command, message_id))

    @rule(data=st.data())
    def a_runtime_answers(self, data: st.DataObject) -> None:
        """Only people do."""
        if self.tree.questions.known:
            question, _ = self._question(data)
            command = DecideApproval(
                RUNTIME_1, question.session_id, question.approval_id, ApprovalDecision.ALLOW_FOR_TREE
            )
            assert self.code(command) == "auth:forbidden"

    # What the rules draw from

    @property
    def any_asking(self) -> bool:
        """Whether a session whose rules ask has an active run."""
        return any(agent.asks and agent.run is not None for agent in self.tree.agents.values())

    def _asking(self, data: st.DataObject) -> Agent:
        asking = sorted(a.session_id for a in self.tree.agents.values() if a.asks and a.run is not None)
        return self.tree.agents[data.draw(st.sampled_from(asking))]

    def _question(self, data: st.DataObject) -> tuple[Question, SendMessage]:
        question = self.tree.questions.known[data.draw(st.sampled_from(sorted(self.tree.questions.known)))]
        return question, question.send

    def _used(self, question: Question) -> str:
        """Return the message that an approval became, as the log tells."""
        (used,) = [
            event.payload
            for event in self.office.events(question.session_id)
            if isinstance(event.payload, ApprovalUsed) and event.payload.approval_id == question.approval_id
        ]
        return used.message_id
