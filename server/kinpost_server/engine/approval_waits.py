"""Calls that wait for a person: each is woken by what happens to the approvals of its tree."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from kinpost_server.domain import event as e
from kinpost_server.domain.approval import ApprovalLimits
from kinpost_server.engine.ports import StoredEvent

# What may end a wait; an approval that is used was decided in the same tree, and in the same commit.
ANSWERS = frozenset(
    payload.TYPE for payload in (e.ApprovalDecided, e.ApprovalUsed, e.ApprovalExpired, e.ApprovalCancelled)
)


class ApprovalWaits:
    """Who waits, by tree. Of the event loop only; whoever leaves is forgotten at once.

    A call that waits holds its request, so there are only so many.
    """

    def __init__(self, limits: ApprovalLimits) -> None:
        self._limits = limits
        self._hints: dict[str, set[asyncio.Event]] = {}
        self._tokens: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._tokens.total()

    def have_room(self, token_id: str) -> bool:
        """Whether one more call of the token may wait."""
        return len(self) < self._limits.waits_max and self._tokens[token_id] < self._limits.waits_per_token_max

    @contextmanager
    def hint(self, root_session_id: str, token_id: str) -> Iterator[asyncio.Event]:
        """Give an event that is set whenever an approval of the tree was answered; the waiter clears it."""
        hint = asyncio.Event()
        hints = self._hints.setdefault(root_session_id, set())
        hints.add(hint)
        self._tokens[token_id] += 1
        try:
            yield hint
        finally:
            hints.discard(hint)
            if not hints:
                del self._hints[root_session_id]
            self._tokens[token_id] -= 1
            if not self._tokens[token_id]:
                del self._tokens[token_id]

    def tell(self, stored: Iterable[StoredEvent]) -> None:
        """Wake those whom what was stored concerns."""
        if not self._hints:
            return
        for event in stored:
            if event.type in ANSWERS:
                for hint in self._hints.get(event.root_session_id, ()):
                    hint.set()

    def wake_all(self) -> None:
        """Wake everybody: the service is about to end."""
        for hints in self._hints.values():
            for hint in hints:
                hint.set()
