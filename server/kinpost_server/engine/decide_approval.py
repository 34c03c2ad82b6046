"""DecideApproval: a person answers, and what is allowed is carried out in the same commit."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace

from kinpost_server.domain import event as e
from kinpost_server.domain.approval import (
    Approval,
    ApprovalDecision,
    ApprovalState,
    GrantKey,
    operation_of,
    request_of,
)
from kinpost_server.domain.errors import ApprovalNotFound, IdempotencyConflict, InvalidArguments, Refusal
from kinpost_server.domain.identity import SERVICE, Caller, TokenKind
from kinpost_server.domain.session import Session
from kinpost_server.engine import approvals
from kinpost_server.engine.access import require
from kinpost_server.engine.command import Command
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.view import View


@dataclass(slots=True)
class DecideApproval(Command[Approval]):
    """Apply an answer once, however often it is sent.

    An allow for the tree also answers what waits for the same operation anywhere in the tree.
    """

    caller: Caller
    session_id: str
    approval_id: str
    decision: ApprovalDecision
    reason: str = ""
    _sends: dict[str, SendMessage | None] = field(default_factory=dict, init=False)

    def load(self, view: View) -> None:
        session = view.want_session(self.session_id)
        stored = view.want_approval(self.approval_id)
        if session is None or stored is None or stored.session_id != self.session_id:
            return
        self._load_send(view, stored)
        if self.decision is ApprovalDecision.ALLOW_FOR_TREE:
            for alike in view.want_alike(_grant_of(stored)):
                self._load_send(view, alike)

    def _load_send(self, view: View, stored: Approval) -> None:
        if self.decision is ApprovalDecision.DENY:
            return
        if stored.approval_id not in self._sends:
            self._sends[stored.approval_id] = _send_of(stored)
        send = self._sends[stored.approval_id]
        if send is not None:
            send.load(view)

    def decide(self, view: View) -> Approval:
        require(self.caller, TokenKind.APPROVER)
        stored = view.approval(self.approval_id)
        session = view.session(self.session_id)
        if session is None or session.deleted or stored is None or stored.session_id != self.session_id:
            raise ApprovalNotFound
        approval = approvals.current(session, stored)
        if self._is_new(view, approval):
            self._answer(view, session, approval)
            if self.decision is ApprovalDecision.ALLOW_FOR_TREE:
                view.grant(_grant_of(stored), self.approval_id)
                self._answer_alike(view, stored)
        return replace(approval, arguments_json=stored.arguments_json)

    def _is_new(self, view: View, approval: Approval) -> bool:
        """Whether the answer is to be applied; False for one that was before. Raises what stands against it."""
        if approval.decision is not None:
            if approval.decision is not self.decision:
                raise IdempotencyConflict(f"the answer was {approval.decision.name.lower()} before")
            return False
        approvals.check_open(approval, view.now)
        if approval.state is ApprovalState.USED:  # under a grant that came meanwhile
            if self.decision is ApprovalDecision.DENY:
                raise IdempotencyConflict("it was allowed to the whole tree before, and is carried out")
            return False
        return True

    def _answer(self, view: View, session: Session, approval: Approval) -> None:
        send = self._sends.get(approval.approval_id)
        passed = None
        if send is not None:
            with contextlib.suppress(Refusal):  # a guard is against it now: the call may be repeated
                passed = send.pass_guards(view, send.address(view, session))
        payload = e.ApprovalDecided(approval.approval_id, self.decision, self.reason, self.caller.token_id)
        view.emit(session, payload, run_id=approval.run_id, origin=e.Origin.PERSON)
        if send is not None and passed is not None:
            send.accept(view, passed, approval)

    def _answer_alike(self, view: View, stored: Approval) -> None:
        for alike in view.alike(_grant_of(stored)):
            session = view.session(alike.session_id)
            if session is None:
                continue
            approval = approvals.current(session, alike)
            if approval.state_at(view.now) is ApprovalState.PENDING:
                self._answer(view, session, approval)


def _send_of(stored: Approval) -> SendMessage | None:
    """Return the send that was asked for; None for one of an older form, which cannot be carried out."""
    with contextlib.suppress(InvalidArguments):
        request = request_of(stored.arguments_json)
        return SendMessage(SERVICE, stored.session_id, stored.run_id, stored.tool_call_id, *request)
    return None


def _grant_of(stored: Approval) -> GrantKey:
    operation = operation_of(stored.tool_name, stored.arguments_json)
    return GrantKey(stored.root_session_id, stored.recipient_session_id, operation)
