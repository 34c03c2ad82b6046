"""The mail that waits for a session, in accepted order, counted as the guards count it."""

from __future__ import annotations

from collections.abc import Iterable

from kinpost_server.domain.message import Message, Owner


class Inbox(dict[str, Message]):
    """Pending messages by id. The counts follow each change: judging a send costs the same however full it is."""

    __slots__ = ("agent_count", "expiring_count", "other_count", "sender_counts")

    def __init__(self) -> None:
        super().__init__()
        self.agent_count = 0
        self.other_count = 0
        self.expiring_count = 0
        self.sender_counts: dict[str, int] = {}

    def __setitem__(self, message_id: str, message: Message) -> None:
        assert message_id not in self, f"message {message_id} is there already"
        super().__setitem__(message_id, message)
        self._count(message, 1)

    def __delitem__(self, message_id: str) -> None:
        message = self[message_id]
        super().__delitem__(message_id)
        self._count(message, -1)

    def bring_back(self, messages: Iterable[Message]) -> None:
        """Add messages that had left, each in its old place."""
        together = sorted([*self.values(), *messages], key=lambda message: message.accept_seq)
        for message_id in list(self):
            del self[message_id]
        for message in together:
            self[message.message_id] = message

    def _count(self, message: Message, step: int) -> None:
        if message.expire_time is not None:
            self.expiring_count += step
        if message.forked_from is not None:
            return  # a fork's copies count against nobody
        if message.owner is not Owner.AGENT:
            self.other_count += step
            return
        self.agent_count += step
        sender = message.sender.session_id or ""
        count = self.sender_counts.get(sender, 0) + step
        if count:
            self.sender_counts[sender] = count
        else:
            del self.sender_counts[sender]
