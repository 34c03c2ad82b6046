"""Delegation: the end of a delegated run reaches the session that delegated it, in the same commit, once.

A delegation runs in the background when its session names the parent's run and the tool call that began it: the call
was answered when the session was made, so what came of it has to come as mail. A parent that waits for the child
itself, within its call, names no tool call, and nothing is reported beside the call's own result.
"""

from __future__ import annotations

from kinpost_server.domain import event as e
from kinpost_server.domain.body import content_digest
from kinpost_server.domain.delegation import report_body
from kinpost_server.domain.message import Mode, Owner, Sender
from kinpost_server.domain.run import Run, RunState
from kinpost_server.domain.session import Session
from kinpost_server.engine.acceptance import accept
from kinpost_server.engine.view import View


def want_parent(view: View, session: Session) -> None:
    """Ask for the parent of a session whose run may have to be reported to it."""
    if session.owes_report and session.parent_session_id is not None:
        view.want_session(session.parent_session_id)


def parent_to_tell(view: View, session: Session, run: Run) -> Session | None:
    """Return the parent that is to hear of the end of this run; None when nobody is."""
    if not session.owes_report or run.number != 1 or session.parent_session_id is None:
        return None
    parent = view.session(session.parent_session_id)
    return parent if parent is not None and not parent.deleted else None


def report(
    view: View, parent: Session, session: Session, run: Run, outcome: RunState, reason: str, *, by_person: bool
) -> None:
    """Store the report of a delegated run. It is beyond the producers' cap: nobody is there who could send it again.

    It carries the run's hop, so that a chain of mail does not begin anew by way of a delegation.
    """
    accept(
        view,
        parent,
        e.MessageAccepted(
            message_id=view.new_id(),
            owner=Owner.DELEGATION,
            mode=Mode.STEER,
            body=report_body(session.label, session.description, outcome, reason, by_person=by_person),
            sender=Sender(session.session_id, session.handle, run.run_id, session.parent_tool_call_id),
            recipient_state=parent.recipient_state,
            to=parent.session_id,
            request_digest=content_digest(session.session_id, run.run_id),
            agent_hop=run.hop if run.hop >= 0 else None,
        ),
        e.Origin.SERVICE,
    )
