"""Acceptance: how a message is stored in its recipient's log, the same for every owner."""

from __future__ import annotations

from kinpost_server.domain import event as e
from kinpost_server.domain.body import check_body
from kinpost_server.domain.errors import IdempotencyConflict, InvalidRequest, ProducerInboxFull
from kinpost_server.domain.message import Acceptance
from kinpost_server.domain.session import Session
from kinpost_server.engine.ports import Replay, ReplayKey
from kinpost_server.engine.view import View


def replayed(view: View, key: ReplayKey, digest: bytes, named: str) -> Acceptance | None:
    """Return the first answer to a send that is repeated, None for a new one.

    `named` says what identifies the send. Raises IdempotencyConflict when it was sent with other content.
    """
    replay = view.replay(key)
    if replay is None:
        return None
    if replay.digest != digest:
        raise IdempotencyConflict(f"this {named} sent another message before")
    return Acceptance(replay.message_id, replay.mode, replay.recipient_state, replayed=True)


def check_producer(view: View, recipient: Session, body: str) -> None:
    """Judge mail that is not an agent's. Raises InvalidRequest for its body, ProducerInboxFull."""
    fault = check_body(body, view.settings.producers.body_bytes_max)
    if fault is not None:
        raise InvalidRequest("body", fault)
    if recipient.pending_of_others() >= view.settings.producers.pending_per_session_max:
        raise ProducerInboxFull(retry_after_seconds=1.0)


def accept(
    view: View, recipient: Session, payload: e.MessageAccepted, origin: e.Origin, key: ReplayKey | None = None
) -> Acceptance:
    """Store a message that was judged before; `key` is the identity of its send, by which a repeat finds it."""
    view.emit(recipient, payload, origin=origin)
    if key is not None:
        answer = Replay(
            payload.message_id, recipient.session_id, payload.request_digest, payload.mode, payload.recipient_state
        )
        view.remember(key, answer)
    return Acceptance(payload.message_id, payload.mode, payload.recipient_state)
