"""Reconciliation: part of every commit, not a hope.

After a batch, each session that it touched and that may wake, is not queued, has no active run and has mail has exactly
one wake, and no other session has one. A wake that waits is offered at once when a runtime has room.
"""

from __future__ import annotations

from kinpost_server.domain import event as e
from kinpost_server.domain.approval import ApprovalState
from kinpost_server.domain.run import WakeState
from kinpost_server.domain.session import Availability, Session, SessionState
from kinpost_server.engine.settings import SECOND
from kinpost_server.engine.view import View


def reconcile(view: View, session: Session) -> None:
    """Give the session the wake that it is due, offer it, and set when the session is to be looked at again."""
    due = session.wake_due
    if due and session.wake is None:
        delay = failing_delay(view, session)
        view.emit(session, e.WakeRequested(view.new_id(), view.now + delay if delay else None))
    elif not due and session.wake is not None:
        view.emit(session, e.WakeWithdrawn(session.wake.wake_id, _why_not(session)))
    offer(view, session)
    due_time = next_due_time(view, session)
    if due_time != session.due_time:
        session.due_time = due_time
        session.touched.session = True


def offer(view: View, session: Session) -> None:
    """Offer the session's wake, if it waits and a runtime has room."""
    wake = session.wake
    if wake is None or wake.state is not WakeState.REQUESTED:
        return
    if wake.next_offer_time > view.now:
        view.runtimes.look_again(wake.next_offer_time)
        return
    attachment = view.runtimes.pick(session, view.now)
    if attachment is None:
        return
    expire_time = view.now + int(view.settings.delivery.offer_seconds * SECOND)
    payload = e.WakeOffered(
        wake.wake_id, attachment.runtime_id, attachment.token_id, wake.offer_number + 1, expire_time
    )
    view.emit(session, payload)
    view.runtimes.offer_to(attachment, session)


def failing_delay(view: View, session: Session) -> int:
    """Return how long the next wake waits after runs that consumed nothing: doubling, in microseconds."""
    if session.failing_runs == 0:
        return 0
    limits = view.settings.delivery
    seconds = min(limits.failing_delay_seconds * 2.0 ** (session.failing_runs - 1), limits.failing_delay_max_seconds)
    return int(seconds * SECOND)


def offer_delay(view: View, offer_number: int) -> int:
    """Return how long a wake waits after an offer that came to nothing: doubling, in microseconds."""
    limits = view.settings.delivery
    exponent = min(offer_number - 1, 30)
    seconds = min(limits.offer_retry_seconds * 2.0**exponent, limits.offer_retry_max_seconds)
    return int(seconds * SECOND)


def next_due_time(view: View, session: Session) -> int | None:
    """Return when something falls due in the session by itself, None for never."""
    if session.deleted:
        return None  # else it would stay due for ever, in front of everything that can be done
    times: list[int] = []
    if session.mail.expiring_count:
        times += [message.expire_time for message in session.mail.values() if message.expire_time and message.waiting]
    run = session.run
    if run is not None:
        times.append(run.lease_expire_time)
        times += [a.expire_time for a in run.approvals.values() if a.expire_time and a.state is ApprovalState.PENDING]
    if session.availability is Availability.PAUSED and session.until_time is not None:
        times.append(session.until_time)
    if session.state is SessionState.QUEUED:
        times.append(session.queued_time + int(view.settings.delivery.queued_start_seconds * SECOND))
    wake = session.wake
    if wake is not None and wake.state is WakeState.OFFERED and wake.expire_time is not None:
        times.append(wake.expire_time)
    elif wake is not None and wake.next_offer_time > view.now:
        times.append(wake.next_offer_time)
    elif wake is not None:
        times += view.runtimes.held_back_until(session, view.now)
    return min(times) if times else None


def _why_not(session: Session) -> str:
    if not session.may_wake:
        return session.availability.name.lower()
    return "running" if session.run is not None else "no mail waits"
