"""What readers get: copies, so that an answer does not change while it is written out."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from kinpost_server.domain.event import Event
from kinpost_server.domain.message import Message
from kinpost_server.domain.run import Run
from kinpost_server.domain.session import Session
from kinpost_server.engine.ports import Reader, SentMessage, SessionSnapshot

BACKWARDS_AT_A_TIME = 500


def events_backwards(
    reader: Reader,
    decode: Callable[[bytes], Event],
    session_id: str,
    last_seq: int,
    types: Sequence[int],
    down_to_seq: int = 0,
) -> Iterator[Event]:
    """Give a session's events of these types from `last_seq` down to the one after `down_to_seq`, page by page."""
    before = last_seq + 1
    while page := reader.events_before(session_id, before, types, BACKWARDS_AT_A_TIME):
        for stored in page:
            if stored.seq <= down_to_seq:
                return
            yield decode(stored.data)
        before = page[-1].seq


class Cancelled(NamedTuple):
    """A run that was cancelled, and its session."""

    run: Run
    session: SessionSnapshot


def snapshot(session: Session) -> SessionSnapshot:
    """Return a session as a command's answer, which `sealed` copies when the batch is decided."""
    return SessionSnapshot(session, len(session.mail))


def sealed(answer: Any) -> Any:
    """Return an answer with its session as the batch leaves it: with the wake that it got or lost, up to its last seq.

    A client that knows an answer's `last_seq` so knows all that the commit did.
    """
    if isinstance(answer, SessionSnapshot):
        return SessionSnapshot(copy.copy(answer.session), len(answer.session.mail))
    if isinstance(answer, Cancelled):
        return answer._replace(session=sealed(answer.session))
    return answer


def run_snapshot(run: Run) -> Run:
    """Return a run as it is now."""
    return copy.copy(run)


def sent_snapshot(message: Message, recipient: Session) -> SentMessage:
    """Return a message as its sender sees it."""
    held = message.waiting and not recipient.may_wake
    return SentMessage(
        copy.copy(message),
        recipient.handle,
        held,
        recipient.availability_reason or recipient.availability.name.lower() if held else "",
        max(recipient.availability_time, message.accept_time) if held else None,
    )
