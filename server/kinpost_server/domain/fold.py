"""The fold: what each event does to its session.

The engine changes a session in no other way, so the projections equal the fold of the log by construction; `doctor`
and the property tests run the same functions over stored logs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kinpost_server.domain import event as e
from kinpost_server.domain.approval import Approval, ApprovalDecision, ApprovalState, request_digest_of
from kinpost_server.domain.lifecycle import Step, step
from kinpost_server.domain.message import Message, MessageState
from kinpost_server.domain.run import Claim, ClaimState, Run, Wake, WakeState
from kinpost_server.domain.session import OUTCOME_STATES, Availability, Session, SessionState


def begin(event: e.Event) -> Session:
    """Return the session that a SessionCreated or SessionForked event begins."""
    payload = event.payload
    if isinstance(payload, e.SessionForked):
        host_token_ids = set(payload.host_token_ids)
        payload = payload.session
    else:
        assert isinstance(payload, e.SessionCreated)
        host_token_ids = {payload.host_token_id} if payload.host_token_id else set()
    session = Session(
        session_id=event.session_id,
        root_session_id=event.root_session_id,
        parent_session_id=payload.parent_session_id,
        parent_run_id=payload.parent_run_id,
        parent_tool_call_id=payload.parent_tool_call_id,
        depth=payload.depth,
        handle=payload.handle,
        agent=payload.agent,
        description=payload.description,
        message_rules=payload.message_rules,
        starter=payload.starter,
        state=payload.state,
        create_time=payload.create_time,
        request_digest=payload.request_digest,
        queued_time=0 if payload.imported else event.event_time,
        availability_time=event.event_time,
        host_token_ids=host_token_ids,
        last_seq=event.seq,
    )
    session.touched.session = True
    return session


def apply(session: Session, event: e.Event) -> None:
    """Apply an event to its session, which it follows in the log."""
    session.last_seq = event.seq
    change = CHANGES.get(type(event.payload))
    if change is not None:
        change(session, event, event.payload)


def _availability(session: Session, event: e.Event, payload: e.SessionAvailabilityChanged) -> None:
    session.availability = payload.availability
    session.availability_reason = payload.reason
    session.availability_time = event.event_time
    session.until_time = payload.until_time
    session.no_wake = payload.no_wake
    session.set_by_person = payload.by_person
    if is_opened(event):
        session.failing_runs = 0
    session.touched.session = True


def is_opened(event: e.Event) -> bool:
    """Whether the event opens its session by somebody's decision: failing runs are counted anew.

    A run that was woken opens its session too: the service does it, in a runtime's call.
    """
    payload = event.payload
    if not isinstance(payload, e.SessionAvailabilityChanged) or payload.availability is not Availability.OPEN:
        return False
    return event.origin is not e.Origin.RUNTIME or bool(payload.token_id)


def _unqueued(session: Session, _event: e.Event, _payload: e.SessionUnqueued) -> None:
    session.state = SessionState.IDLE
    session.touched.session = True


def _reverted(session: Session, _event: e.Event, payload: e.SessionReverted) -> None:
    """Go back to the past: nothing runs, and all mail that waits is merely accepted.

    Availability, hosts, the wake and the number of runs stay. A run that was active at the point has ended since, so
    the session counts as interrupted there; a delegated session that was started since needs no delegator again.
    """
    past = payload.past
    assert past is not None, "whoever applies a revert gives its past"
    assert session.run is None, f"session {session.session_id} has an active run"
    if past.state is SessionState.RUNNING:
        session.state = SessionState.INTERRUPTED
    elif past.state is not SessionState.QUEUED or session.state is not SessionState.QUEUED:
        session.state = SessionState.IDLE if past.state is SessionState.QUEUED else past.state
    session.failing_runs = past.failing_runs
    session.touched.session = True
    session.mail.bring_back(past.recalled)
    for message in session.mail.values():
        if message.state is not MessageState.ACCEPTED:
            message.state = step(message.state, Step.REVERT)
        message.run_id = message.claim_seq = None
        message.admit_time = message.claim_time = message.end_time = None
        message.delivery_count = past.deliveries.get(message.message_id, message.delivery_count)
        session.touched.messages[message.message_id] = message


def _deleted(session: Session, _event: e.Event, _payload: e.SessionDeleted) -> None:
    session.deleted = True
    session.touched.session = True


def _run_started(session: Session, event: e.Event, payload: e.RunStarted) -> None:
    session.run = Run(
        run_id=payload.run_id,
        session_id=session.session_id,
        root_session_id=session.root_session_id,
        number=payload.number,
        token_id=payload.token_id,
        start_time=event.event_time,
        start_seq=event.seq,
        wake_id=payload.wake_id,
        client_run_id=payload.client_run_id,
        runtime_id=payload.runtime_id,
    )
    session.run_count = payload.number
    session.state = SessionState.RUNNING
    session.host_token_ids.add(payload.token_id)
    session.touched.session = True
    session.touched.runs[payload.run_id] = session.run


def _run_finished(session: Session, event: e.Event, payload: e.RunFinished) -> None:
    run = _active(session, payload.run_id)
    run.state = payload.outcome
    run.end_time = event.event_time
    run.reason = payload.reason
    run.by_person = payload.by_person
    run.lease_lost = payload.lease_lost
    session.run = None
    session.state = OUTCOME_STATES[payload.outcome]
    session.failing_runs = payload.failing_runs
    session.queued_time = 0
    session.touched.session = True
    session.touched.runs[run.run_id] = run


def _accepted(session: Session, event: e.Event, payload: e.MessageAccepted) -> None:
    message = Message(
        message_id=payload.message_id,
        session_id=session.session_id,
        accept_seq=event.seq,
        owner=payload.owner,
        mode=payload.mode,
        sender=payload.sender,
        body_bytes=len(payload.body) if payload.body.isascii() else len(payload.body.encode()),
        accept_time=event.event_time,
        agent_hop=payload.agent_hop,
        expire_time=payload.expire_time,
        body=payload.body,
        forked_from=payload.forked_from_message_id,
        tldr=payload.tldr,
    )
    session.mail[payload.message_id] = message
    session.touched.messages[payload.message_id] = message
    replaced = session.mail.get(payload.supersedes_message_id or "")
    if replaced is not None:  # it is before a model request now, and is discarded if it comes back
        replaced.superseded_by = payload.message_id
        session.touched.messages[replaced.message_id] = replaced


def _admitted(session: Session, event: e.Event, payload: e.MessageAdmitted) -> None:
    run = _active(session, payload.run_id)
    message = _step(session, payload.message_id, Step.ADMIT)
    message.run_id = payload.run_id
    message.admit_time = event.event_time
    run.admitted_count += 1
    if message.agent_hop is not None:
        run.hop = max(run.hop, message.agent_hop)
    session.touched.runs[run.run_id] = run


def _claimed(session: Session, event: e.Event, payload: e.MessagesClaimed) -> None:
    run = _active(session, payload.run_id)
    claim = Claim(event.seq, payload.run_id, payload.attempt_id, payload.message_ids, payload.more_pending)
    for message_id in payload.message_ids:
        message = _step(session, message_id, Step.CLAIM)
        message.claim_seq = event.seq
        message.claim_time = event.event_time
        message.delivery_count += 1
    run.live_claim = claim
    run.claims[event.seq] = claim
    run.attempts[payload.attempt_id] = event.seq
    run.at_first_boundary = False
    session.touched.claims[event.seq] = claim
    session.touched.runs[run.run_id] = run


def _released(session: Session, _event: e.Event, payload: e.MessagesReleased) -> None:
    run = _active(session, payload.run_id)
    for message_id in payload.message_ids:
        _step(session, message_id, Step.RELEASE)
    _settle(session, run, payload.claim_seq, ClaimState.RELEASED)


def _turn_committed(session: Session, _event: e.Event, payload: e.TurnCommitted) -> None:
    run = _active(session, payload.run_id)
    run.consumed_count += payload.consumed_count
    if payload.consumed_count and session.failing_runs:
        session.failing_runs = 0
        session.touched.session = True
    _settle(session, run, payload.claim_seq, ClaimState.COMMITTED)
    session.touched.runs[run.run_id] = run


def _consumed(session: Session, event: e.Event, payload: e.MessageConsumed) -> None:
    message = _step(session, payload.message_id, Step.CONSUME)
    message.end_time = event.event_time
    del session.mail[payload.message_id]


def _discarded(session: Session, event: e.Event, payload: e.MessageDiscarded) -> None:
    message = _step(session, payload.message_id, Step.DISCARD)
    message.end_time = event.event_time
    message.discard_reason = payload.reason
    message.superseded_by = payload.superseded_by
    del session.mail[payload.message_id]


def _wake_requested(session: Session, event: e.Event, payload: e.WakeRequested) -> None:
    session.wake = Wake(payload.wake_id, event.event_time, payload.not_before_time or event.event_time)
    session.touched.wake = True


def _wake_offered(session: Session, _event: e.Event, payload: e.WakeOffered) -> None:
    wake = _wake(session, payload.wake_id)
    wake.state = WakeState.OFFERED
    wake.offer_number = payload.offer_number
    wake.runtime_id = payload.runtime_id
    wake.token_id = payload.token_id
    wake.expire_time = payload.expire_time
    if payload.token_id not in session.host_token_ids:
        session.host_token_ids.add(payload.token_id)
        session.touched.session = True


def _wake_failed(session: Session, _event: e.Event, payload: e.WakeFailed) -> None:
    wake = _wake(session, payload.wake_id)
    wake.state = WakeState.REQUESTED  # its runtime_id stays: another is offered it first
    wake.token_id = None
    wake.expire_time = None
    wake.next_offer_time = payload.next_offer_time


def _wake_gone(session: Session, _event: e.Event, _payload: e.WakeSettled | e.WakeWithdrawn) -> None:
    session.wake = None
    session.touched.wake = True


def _approval_requested(session: Session, event: e.Event, payload: e.ApprovalRequested) -> None:
    approval = Approval(
        approval_id=payload.approval_id,
        session_id=session.session_id,
        root_session_id=session.root_session_id,
        run_id=payload.run_id,
        tool_call_id=payload.tool_call_id,
        tool_name=payload.tool_name,
        recipient_session_id=payload.recipient_session_id,
        request_digest=request_digest_of(payload.arguments_json),
        create_time=event.event_time,
        expire_time=payload.expire_time,
    )
    _active(session, payload.run_id).approvals[payload.approval_id] = approval
    session.touched.approvals[payload.approval_id] = approval


def _approval_decided(session: Session, event: e.Event, payload: e.ApprovalDecided) -> None:
    denied = payload.decision is ApprovalDecision.DENY
    approval = _become(session, payload.approval_id, ApprovalState.DENIED if denied else ApprovalState.ALLOWED)
    approval.decision = payload.decision
    approval.reason = payload.reason
    approval.decide_time = event.event_time


def _approval_used(session: Session, _event: e.Event, payload: e.ApprovalUsed) -> None:
    _become(session, payload.approval_id, ApprovalState.USED)


def _approval_expired(session: Session, _event: e.Event, payload: e.ApprovalExpired) -> None:
    _become(session, payload.approval_id, ApprovalState.EXPIRED)


def _approval_cancelled(session: Session, _event: e.Event, payload: e.ApprovalCancelled) -> None:
    _become(session, payload.approval_id, ApprovalState.CANCELLED)


def _become(session: Session, approval_id: str, state: ApprovalState) -> Approval:
    run = session.run
    assert run is not None, f"approval {approval_id} is of no active run"
    approval = run.approvals[approval_id]
    approval.become(state)
    session.touched.approvals[approval_id] = approval
    return approval


def _active(session: Session, run_id: str) -> Run:
    run = session.run
    assert run is not None, f"run {run_id} is not active"
    assert run.run_id == run_id, f"run {run_id} is not active"
    return run


def _wake(session: Session, wake_id: str) -> Wake:
    wake = session.wake
    assert wake is not None, f"wake {wake_id} is not there"
    assert wake.wake_id == wake_id, f"wake {wake_id} is not there"
    session.touched.wake = True
    return wake


def _step(session: Session, message_id: str, action: Step) -> Message:
    message = session.mail[message_id]
    message.state = step(message.state, action)
    if action in (Step.ADMIT, Step.RELEASE):
        message.claim_seq = None
    session.touched.messages[message_id] = message
    return message


def _settle(session: Session, run: Run, claim_seq: int, state: ClaimState) -> None:
    claim = run.claims[claim_seq]
    claim.state = state
    run.live_claim = None
    session.touched.claims[claim_seq] = claim


CHANGES: dict[type[e.Payload], Callable[[Session, e.Event, Any], None]] = {
    e.SessionAvailabilityChanged: _availability,
    e.SessionUnqueued: _unqueued,
    e.SessionReverted: _reverted,
    e.SessionDeleted: _deleted,
    e.RunStarted: _run_started,
    e.RunFinished: _run_finished,
    e.TurnCommitted: _turn_committed,
    e.MessageAccepted: _accepted,
    e.MessageAdmitted: _admitted,
    e.MessagesClaimed: _claimed,
    e.MessagesReleased: _released,
    e.MessageConsumed: _consumed,
    e.MessageDiscarded: _discarded,
    e.WakeRequested: _wake_requested,
    e.WakeOffered: _wake_offered,
    e.WakeFailed: _wake_failed,
    e.WakeSettled: _wake_gone,
    e.WakeWithdrawn: _wake_gone,
    e.ApprovalRequested: _approval_requested,
    e.ApprovalDecided: _approval_decided,
    e.ApprovalUsed: _approval_used,
    e.ApprovalExpired: _approval_expired,
    e.ApprovalCancelled: _approval_cancelled,
}
