"""What happens to mail within a run: claims, commits, releases, and the end of the run.

Used by the commands that carry them; each function assumes that its command's checks have passed.
"""

from __future__ import annotations

from typing import NamedTuple

from kinpost_server.domain import event as e
from kinpost_server.domain.envelope import render
from kinpost_server.domain.errors import (
    ClaimLost,
    RunCancelled,
    RunLeaseLost,
    RunNotActive,
)
from kinpost_server.domain.event import Origin
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.message import DiscardReason, Message, Mode, Owner, Sender
from kinpost_server.domain.permission import may_message_anyone
from kinpost_server.domain.run import Claim, ClaimState, ReleaseReason, Run, RunState, StopReason
from kinpost_server.domain.session import Availability, Session
from kinpost_server.domain.summary import shown_text
from kinpost_server.engine import approvals, delegation
from kinpost_server.engine.access import runs
from kinpost_server.engine.command import Deferred
from kinpost_server.engine.ports import ClaimKey, RunKey
from kinpost_server.engine.settings import SECOND
from kinpost_server.engine.view import Notice, View


class ClaimedMessage(NamedTuple):
    """A message as a model request gets it; times are microseconds."""

    message_id: str
    owner: Owner
    mode: Mode
    agent_hop: int | None
    accept_time: int
    age: int
    delivery_count: int
    sender: Sender
    body: str
    rendered_text: str


class ClaimedMail(NamedTuple):
    """A claim as a runtime gets it."""

    claim_seq: int
    attempt_id: str
    messages: list[ClaimedMessage]
    more_pending: bool


class Selection(NamedTuple):
    """What a boundary would do: discard, admit, claim."""

    expired: list[Message]
    admitted: list[Message]
    claimed: list[Message]
    more_pending: bool


def want_run(view: View, session: Session, run_id: str) -> None:
    """Ask for a run that is not the session's active one, to say what became of it."""
    if session.run is None or session.run.run_id != run_id:
        view.want_run(RunKey(session.session_id, run_id))


def active_run(view: View, caller: Caller, session: Session, run_id: str) -> Run:
    """Return the session's active run, its lease renewed. Raises as `named_run`."""
    run = named_run(view, caller, session, run_id)
    renew(view, session, run)
    return run


def named_run(view: View, caller: Caller, session: Session, run_id: str) -> Run:
    """Return the session's active run.

    Raises RunLeaseLost, RunCancelled or RunNotActive, by what became of the run; RunNotActive also for another
    runtime's run.
    """
    run = session.run
    if run is None or run.run_id != run_id:
        raise ended(caller, view.run(RunKey(session.session_id, run_id)))
    if not runs(caller, run):
        raise RunNotActive
    return run


def ended(caller: Caller, run: Run | None) -> RunLeaseLost | RunCancelled | RunNotActive:
    """Return the refusal for a call of a run that has ended, never was, or is another runtime's."""
    if run is None or not runs(caller, run):
        return RunNotActive()
    if run.lease_lost:
        return RunLeaseLost()
    if run.state is RunState.CANCELLED:
        return RunCancelled(f"the run was cancelled: {run.reason}" if run.reason else "")
    return RunNotActive()


def is_anothers(view: View, caller: Caller, session: Session, run_id: str) -> bool:
    """Whether a run, which `want_run` asked for, is another runtime's: what came of its calls is not the caller's."""
    run = session.run
    if run is None or run.run_id != run_id:
        run = view.run(RunKey(session.session_id, run_id))
    return run is not None and not runs(caller, run)


def renew_named(view: View, caller: Caller, session: Session, run_id: str) -> None:
    """Let the lease of the run that a call names begin anew, whatever the call itself comes to."""
    run = session.run
    if run is not None and run.run_id == run_id and runs(caller, run):
        renew(view, session, run)


def renew(view: View, session: Session, run: Run) -> None:
    """Let a run's lease last at least its length from now on.

    It is stored with a quarter to spare, so that not every call has to write it.
    """
    lease = int(view.settings.delivery.run_lease_seconds * SECOND)
    if run.lease_expire_time < view.now + lease:
        run.lease_expire_time = view.now + lease + lease // 4
        session.touched.runs[run.run_id] = run
        view.touch(session)


def select(view: View, session: Session, run: Run, bytes_max: int) -> Selection:
    """Return what the run's next boundary would do; the run has no live claim.

    A first boundary admits everything that was pending when the run started and all steer mail; later ones admit steer
    mail. The first message always fits, and nothing overtakes one that does not.
    """
    expired: list[Message] = []
    admitted: list[Message] = []
    claimed: list[Message] = []
    if not session.may_wake:
        return Selection(expired, admitted, claimed, False)
    limit = view.settings.delivery.claim_bytes_max
    bytes_max = min(bytes_max or limit, limit)
    used = 0
    more = False
    for message in session.mail.values():
        if is_dead(message, view.now):
            expired.append(message)
            continue
        if not _joins(run, message):
            continue
        if message.run_id != run.run_id:
            admitted.append(message)
        if claimed and (more or used + message.body_bytes > bytes_max):
            more = True
            continue
        used += message.body_bytes
        claimed.append(message)
    return Selection(expired, admitted, claimed, more)


def want_bodies(view: View, session: Session) -> None:
    """Ask for the bodies that the next claim may need.

    They are those of the live claim, should it be returned or overtaken, and as many of those that wait as fit should
    it be committed. What the boundary will skip takes no room: it would keep others from being loaded.
    """
    run = session.run
    if run is not None and run.live_claim is not None:
        for message_id in run.live_claim.message_ids:
            view.want_body(session.mail[message_id])
    room = view.settings.delivery.claim_bytes_max
    for message in session.mail.values():
        if message.waiting and not is_dead(message, view.now) and (run is None or _joins(run, message)):
            view.want_body(message)
            room -= message.body_bytes
            if room < 0:
                break


def claim(
    view: View, session: Session, run: Run, attempt_id: str, bytes_max: int, origin: Origin = Origin.RUNTIME
) -> ClaimedMail:
    """Open a boundary: admit what may join, reserve what fits, and return it."""
    selection = select(view, session, run, bytes_max)
    for message in selection.expired:
        discard_dead(view, session, message)
    for message in selection.admitted:
        view.emit(session, e.MessageAdmitted(message.message_id, run.run_id), run_id=run.run_id)
    message_ids = tuple(message.message_id for message in selection.claimed)
    view.emit(
        session,
        e.MessagesClaimed(run.run_id, attempt_id, message_ids, selection.more_pending),
        run_id=run.run_id,
        origin=origin,
    )
    live = run.live_claim
    assert live is not None
    return claimed_mail(view, session, live)


def claimed_mail(view: View, session: Session, live: Claim) -> ClaimedMail:
    """Return a live claim with its mail rendered, the same every time."""
    hint = may_message_anyone(session.message_rules)
    messages = []
    for message_id in live.message_ids:
        message = session.mail[message_id]
        if message.body is None:
            raise Deferred
        messages.append(
            ClaimedMessage(
                message.message_id,
                message.owner,
                message.mode,
                message.agent_hop,
                message.accept_time,
                max(0, (message.claim_time or view.now) - message.accept_time),
                message.delivery_count,
                message.sender,
                message.body,
                render(
                    message.owner.name.lower(),
                    message.sender.label,
                    message.body if message.tldr is None else shown_text(message.body, message.tldr, message_id),
                    hint,
                    message.message_id,
                    view.envelope_key,
                ),
            )
        )
    return ClaimedMail(live.claim_seq, live.attempt_id, messages, live.more_pending)


def check_commit(view: View, session: Session, run: Run, claim_seq: int) -> Claim:
    """Return the claim to commit, live or committed before. Raises ClaimLost."""
    known = run.claims.get(claim_seq)
    if known is None or known.state is ClaimState.RELEASED:
        raise ClaimLost
    return known


def commit(view: View, session: Session, run: Run, known: Claim, origin: Origin = Origin.RUNTIME) -> None:
    """Consume a claim's messages; a claim that was committed before stays so."""
    if known.state is ClaimState.COMMITTED:
        return
    view.emit(
        session,
        e.TurnCommitted(run.run_id, known.claim_seq, len(known.message_ids)),
        run_id=run.run_id,
        origin=origin,
    )
    for message_id in known.message_ids:
        view.emit(session, e.MessageConsumed(message_id, run.run_id, known.claim_seq), run_id=run.run_id)


def release(view: View, session: Session, run: Run, reason: ReleaseReason, detail: str = "") -> None:
    """Give the live claim back, if there is one; what expired or was replaced meanwhile is discarded now."""
    live = run.live_claim
    if live is None:
        return
    origin = Origin.SERVICE if reason is ReleaseReason.LEASE_LOST else Origin.RUNTIME
    view.emit(
        session,
        e.MessagesReleased(live.claim_seq, run.run_id, live.message_ids, reason, detail),
        run_id=run.run_id,
        origin=origin,
    )
    for message_id in live.message_ids:
        message = session.mail[message_id]
        if is_dead(message, view.now):
            discard_dead(view, session, message)


def discard(
    view: View,
    session: Session,
    message: Message,
    reason: DiscardReason,
    origin: Origin = Origin.SERVICE,
    superseded_by: str | None = None,
) -> None:
    """End a waiting message; its sender is told in its own log unless it was the sender's own doing."""
    view.emit(session, e.MessageDiscarded(message.message_id, reason, superseded_by), origin=origin)
    sender = message.sent_by
    if sender is not None and reason not in (DiscardReason.RETRACTED, DiscardReason.SUPERSEDED):
        payload = e.SentMessageUndeliverable(message.message_id, session.session_id, reason)
        view.notices.append(Notice(sender, payload))


def newest(session: Session, message: Message) -> Message:
    """Return a message of the session as it is now, which an earlier command of the batch may have changed."""
    return session.touched.messages.get(message.message_id) or session.mail.get(message.message_id, message)


def discard_dead(view: View, session: Session, message: Message) -> None:
    """End a waiting message that was replaced or has expired."""
    if message.superseded_by is not None:
        discard(view, session, message, DiscardReason.SUPERSEDED, superseded_by=message.superseded_by)
    else:
        discard(view, session, message, DiscardReason.EXPIRED)


def end_run(
    view: View,
    session: Session,
    run: Run,
    outcome: RunState,
    *,
    reason: str = "",
    by_person: bool = False,
    lease_lost: bool = False,
    origin: Origin = Origin.RUNTIME,
    token_id: str = "",
) -> None:
    """End a run: its claim is given back; a person's stop and a run of failures pause the session.

    A delegated run is reported to the parent: commands that end runs ask for it by `delegation.want_parent`.
    """
    parent = delegation.parent_to_tell(view, session, run)
    release_reason = ReleaseReason.LEASE_LOST if lease_lost else ReleaseReason.RUN_ENDED
    release(view, session, run, release_reason)
    approvals.cancel_open(view, session, run)
    was_given_mail = run.wake_id is not None or run.admitted_count > 0
    failing = session.failing_runs
    if run.consumed_count:
        failing = 0
    elif was_given_mail and origin is not Origin.PEER:  # a run that a peer's message ended has not failed
        failing += 1
    view.emit(
        session,
        e.RunFinished(run.run_id, outcome, reason, by_person, run.consumed_count, failing, lease_lost),
        run_id=run.run_id,
        origin=origin,
    )
    if by_person:
        _pause(view, session, reason or "stopped", Origin.PERSON, token_id)
    elif failing >= view.settings.delivery.failing_runs_max and session.availability is Availability.OPEN:
        _pause(view, session, "failing", Origin.SERVICE, "")
    if parent is not None:
        delegation.report(view, parent, session, run, outcome, reason, by_person=by_person)


def stop_after_cancel(view: View, caller: Caller, session: Session, earlier: Run, reason: str) -> None:
    """Let a person's stop pause the session though another's cancel of the same run came first.

    Not when a person has decided since, so that a repeat is safe, nor when another run has begun: a stop names its run.
    """
    decided_since = session.set_by_person and session.availability_time >= (earlier.end_time or 0)
    if not earlier.by_person and not decided_since and session.run_count == earlier.number:
        _pause(view, session, reason or "stopped", Origin.PERSON, caller.token_id)


def stop_reason(session: Session) -> StopReason:
    """Return why a run that may go on should end soon all the same."""
    return StopReason.NONE if session.may_wake else StopReason.NOT_OPEN


def want_settled_claim(view: View, session: Session, run_id: str, claim_seq: int) -> None:
    """Ask for a claim of a run that has ended, for a repeated call."""
    if session.run is None or session.run.run_id != run_id:
        view.want_claim(ClaimKey(session.session_id, claim_seq))


def settled_claim(view: View, session: Session, run_id: str, claim_seq: int) -> Claim | None:
    """Return a claim of a run that has ended."""
    known = view.claim(ClaimKey(session.session_id, claim_seq))
    return known if known is not None and known.run_id == run_id else None


def _joins(run: Run, message: Message) -> bool:
    """Whether the run's next boundary takes the message: it was admitted before, or may be now."""
    if message.run_id == run.run_id or message.mode is Mode.STEER:
        return True
    return run.at_first_boundary and message.accept_seq < run.start_seq


def is_dead(message: Message, now: int) -> bool:
    """Whether a message was replaced or has expired, so that it dies as soon as it waits."""
    return message.superseded_by is not None or (message.expire_time is not None and message.expire_time <= now)


def _pause(view: View, session: Session, reason: str, origin: Origin, token_id: str) -> None:
    if session.availability is Availability.USER_CLOSED:
        return
    payload = e.SessionAvailabilityChanged(
        Availability.PAUSED, reason, token_id=token_id, by_person=origin is Origin.PERSON
    )
    view.emit(session, payload, origin=origin)
