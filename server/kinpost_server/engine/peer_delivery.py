"""The delivery of a peer message that passed every check: into the target's log, and a note in the sender's."""

from __future__ import annotations

from kinpost_server.domain import event as e
from kinpost_server.domain.body import content_digest
from kinpost_server.domain.message import Mode, Owner, Sender
from kinpost_server.domain.peer import Delivery, dormancy, preview_of
from kinpost_server.domain.peer_errors import SendFailed
from kinpost_server.domain.run import Run, RunState, StopReason
from kinpost_server.domain.session import Availability, Session, SessionState
from kinpost_server.engine import turns
from kinpost_server.engine.acceptance import accept
from kinpost_server.engine.peer_ports import Exchange, PeerBody
from kinpost_server.engine.peer_post import Post
from kinpost_server.engine.view import View


def deliver(view: View, post: Post, source: Session, target: Session) -> Delivery:
    """Store the message, to be taken at the target's turn boundary; wake who sleeps. Raises SendFailed before that."""
    limit = view.settings.producers.pending_per_session_max
    if target.pending_of_others() >= limit:
        raise SendFailed(f"{target.label} has {limit} messages that wait already, as many as it may have")
    woken_from = dormancy(target) if target.may_wake else None
    if target.availability is Availability.USER_CLOSED and post.letter.allow_reopen_user_closed:
        _reopen(view, post, target)
    if post.letter.confirm_interrupt_turn and target.run is not None and target.may_wake:
        _interrupt(view, post, target, target.run)
    # Held, busy, or waiting for its delegator: the receiver gets it later.
    queued = not target.may_wake or target.run is not None or target.state is SessionState.QUEUED
    message_id = view.new_id()
    payload = e.MessageAccepted(
        message_id=message_id,
        owner=Owner.PEER,
        mode=Mode.QUEUE,
        body=post.letter.text,
        sender=Sender(source.session_id, source.handle),
        recipient_state=target.recipient_state,
        to=target.session_id,
        request_digest=content_digest(post.letter.text, post.letter.tldr or ""),
        idempotency_key=post.key or None,
        tldr=post.letter.tldr,
    )
    accept(view, target, payload, e.Origin.PEER)
    _note(view, post, source, target, message_id)
    return Delivery(True, queued, woken_from, message_id)


def _reopen(view: View, post: Post, target: Session) -> None:
    payload = e.SessionAvailabilityChanged(
        Availability.OPEN, "opened with a peer message", token_id=post.caller.token_id, by_person=True
    )
    view.emit(target, payload, origin=e.Origin.PERSON)


def _interrupt(view: View, post: Post, target: Session, run: Run) -> None:
    """End the target's run without pausing it: the message starts the next one."""
    view.peer.landing.add(target.session_id)
    view.runtimes.stop(target, run.run_id, StopReason.CANCELLED)
    turns.end_run(
        view,
        target,
        run,
        RunState.CANCELLED,
        reason="interrupted by a peer message",
        origin=e.Origin.PEER,
        token_id=post.caller.token_id,
    )


def _note(view: View, post: Post, source: Session, target: Session, message_id: str) -> None:
    """Tell the sender's log, let the sender read back what has a summary, and remember who wrote last."""
    has_body = post.letter.tldr is not None
    if not source.deleted:
        sent = e.PeerMessageSent(
            message_id, target.session_id, preview_of(post.letter.text), message_id if has_body else None
        )
        view.emit(source, sent, origin=e.Origin.PEER)
    if has_body:
        view.peer.put_body(PeerBody(message_id, source.session_id, view.now))
    view.peer.put_last_writer(Exchange.of(source.session_id, target.session_id), source.session_id)
