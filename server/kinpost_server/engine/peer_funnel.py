"""The one point that every failed delivery of peer mail passes: it keeps what must not be lost.

The steps of a delivery run inside of it, so a step that is added later cannot fail past it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kinpost_server.domain import event as e
from kinpost_server.domain.dead_letter import DeadLetter, DeadLetterReason, classify
from kinpost_server.domain.errors import Refusal
from kinpost_server.engine.peer_post import Post
from kinpost_server.engine.view import View

DETAIL_CHARACTERS_MAX = 500

Answer = TypeVar("Answer")


class HalfDelivered(Exception):
    """A step refused after something was written: nothing of its batch is stored, and the message counts as broken."""


def through_funnel(
    view: View, post: Post, target_session_ids: tuple[str, ...], attempt: Callable[[], Answer]
) -> Answer | Refusal:
    """Make an attempt and return its answer, or its refusal as an answer, since that may come with facts.

    A terminal failure leaves a dead letter for each target and tells the sender's log; a transient one leaves nothing,
    and neither does a letter that fails once more: it is kept already. Raises HalfDelivered.
    """
    emitted = len(view.changes.events)
    try:
        return attempt()
    except Refusal as refusal:
        if len(view.changes.events) != emitted:
            raise HalfDelivered from refusal  # what was begun cannot be told as a refusal
        reason = classify(refusal, heard=not post.has_waited)
        if reason is not None and not post.dead_letter_id:
            for target_id in target_session_ids:
                _keep(view, post, target_id, reason, refusal.detail[:DETAIL_CHARACTERS_MAX])
        return refusal.with_traceback(None)


def _keep(view: View, post: Post, target_id: str, reason: DeadLetterReason, detail: str) -> None:
    source_id = post.source_session_id
    letter = DeadLetter(
        view.new_id(), source_id, target_id, post.letter.text, post.letter.tldr, reason, detail, view.now
    )
    view.peer.put_dead_letter(letter)
    source = view.session(source_id)
    if source is not None and not source.deleted:
        recorded = e.PeerDeadLetterRecorded(letter.dead_letter_id, target_id, reason, detail)
        view.emit(source, recorded, origin=e.Origin.PEER)
