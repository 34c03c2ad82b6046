"""What happens to approvals within a run: asked, used, expired, cancelled. `decide_approval.py` carries out answers."""

from __future__ import annotations

from kinpost_server.domain import event as e
from kinpost_server.domain.approval import (
    Approval,
    ApprovalState,
    PendingApproval,
    SendRequest,
    approval_id_of,
    arguments_json_of,
)
from kinpost_server.domain.errors import ApprovalCancelled, ApprovalDenied, ApprovalExpired, TooManyApprovals
from kinpost_server.domain.run import Run
from kinpost_server.domain.session import Session
from kinpost_server.domain.tools import SEND_MESSAGE
from kinpost_server.engine.settings import SECOND
from kinpost_server.engine.view import View


def want(view: View, session: Session, run_id: str, tool_call_id: str) -> None:
    """Ask for the approval of a call whose run is not the active one, which has its own at hand."""
    if session.run is None or session.run.run_id != run_id:
        view.want_approval(approval_id_of(run_id, tool_call_id))


def of_call(view: View, session: Session, run_id: str, tool_call_id: str) -> Approval | None:
    """Return the approval that a call of the session has, if it has one."""
    run = session.run
    if run is not None and run.run_id == run_id:
        return run.approvals.get(approval_id_of(run_id, tool_call_id)) if run.approvals else None
    stored = view.approval(approval_id_of(run_id, tool_call_id))
    return current(session, stored) if stored is not None and stored.session_id == session.session_id else None


def current(session: Session, stored: Approval) -> Approval:
    """Return the approval as it is now, given how it was stored: the batch at hand may have changed it."""
    if session.run is not None and stored.approval_id in session.run.approvals:
        return session.run.approvals[stored.approval_id]
    return session.touched.approvals.get(stored.approval_id, stored)


def check_open(approval: Approval, now: int) -> None:
    """Raise ApprovalDenied, ApprovalExpired or ApprovalCancelled when nothing will come of the approval any more."""
    state = approval.state_at(now)
    if state is ApprovalState.DENIED:
        raise ApprovalDenied(f"a person refused: {approval.reason}" if approval.reason else "")
    if state is ApprovalState.EXPIRED:
        raise ApprovalExpired
    if state is ApprovalState.CANCELLED:
        raise ApprovalCancelled


def ask(
    view: View, session: Session, run: Run, tool_call_id: str, recipient: Session, request: SendRequest
) -> PendingApproval:
    """Put a send before a person. Raises TooManyApprovals."""
    limits = view.settings.approvals
    pending = sum(approval.state_at(view.now) is ApprovalState.PENDING for approval in run.approvals.values())
    if pending >= limits.pending_per_session_max:
        raise TooManyApprovals(f"{pending} questions of this session wait for a person already; try again later")
    approval_id = approval_id_of(run.run_id, tool_call_id)
    payload = e.ApprovalRequested(
        approval_id,
        run.run_id,
        tool_call_id,
        SEND_MESSAGE,
        recipient.session_id,
        arguments_json_of(request),
        view.now + int(limits.expire_seconds * SECOND) if limits.expire_seconds else None,
    )
    view.emit(session, payload, run_id=run.run_id, origin=e.Origin.AGENT)
    return pending_answer(run.approvals[approval_id])


def pending_answer(approval: Approval) -> PendingApproval:
    """Return the answer to a call that waits for a person."""
    return PendingApproval(approval.approval_id, approval.root_session_id, approval.expire_time)


def use(view: View, session: Session, approval: Approval, message_id: str) -> None:
    """Say what an approval's one acceptance became."""
    payload = e.ApprovalUsed(approval.approval_id, message_id)
    view.emit(session, payload, run_id=approval.run_id, origin=e.Origin.AGENT)


def expire_due(view: View, session: Session, run: Run) -> None:
    """End what nobody answered in time."""
    for approval in run.approvals.values():
        if approval.open and approval.state_at(view.now) is ApprovalState.EXPIRED:
            view.emit(session, e.ApprovalExpired(approval.approval_id), run_id=run.run_id)


def cancel_open(view: View, session: Session, run: Run) -> None:
    """End what the run leaves open: nobody is there any more for whom it could be carried out.

    What nobody answered in time has expired, as its call may have been told, though no sweep came by yet.
    """
    expire_due(view, session, run)
    for approval in run.approvals.values():
        if approval.open:
            view.emit(session, e.ApprovalCancelled(approval.approval_id), run_id=run.run_id)
