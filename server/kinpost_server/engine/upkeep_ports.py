"""What the engine asks of a store to watch it and to keep it small, beside `ports.py`."""

from __future__ import annotations

from typing import NamedTuple


class RetiredTree(NamedTuple):
    """A tree in which nothing lives, and its newest event, which `newest_data` is the wire event of."""

    root_session_id: str
    newest_position: int
    newest_data: bytes


class RetiredPage(NamedTuple):
    """Such trees among a page of sessions, and where the next page begins after, 0 at the end."""

    trees: list[RetiredTree]
    next_after: int


class Dropped(NamedTuple):
    """What is no longer kept of some scope: up to which position, in a session also seq, and by which drop at last."""

    number: int = 0
    position: int = 0
    seq: int = 0


class StoredFigures(NamedTuple):
    """How much is stored of what waits, or went wrong. Instants are microseconds; None where there is nothing."""

    active_runs: int
    wakes: int
    oldest_wake_time: int | None
    waiting_messages: int  # accepted, and neither consumed nor discarded; the held ones too
    held_messages: int
    parked_messages: int
    dead_letters: int
    failing_sessions: int
    pending_approvals: int
