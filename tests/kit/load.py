"""Many events, quickly: a run that sends in batches, and one that consumes what it is sent."""

from __future__ import annotations

from typing import Any

from calls import Client, fresh

# What the load needs of a server's settings, by section.
SETTINGS: dict[str, dict[str, Any]] = {
    "messaging": {"max_pending_per_session": 0x7FFF, "max_inflight_per_pair": 0},
    "delivery": {"claim_bytes_max": 16 << 20},
}


class Load:
    """A parent that sends to its child, and the child that consumes."""

    def __init__(self, client: Client, *, body_bytes: int = 16) -> None:
        self.client = client
        self.body = "x" * body_bytes

    async def start(self) -> None:
        """Make the two sessions and their runs."""
        self.parent = await self.client.session(rules={"child": "allow"})
        self.child = await self.client.session(self.parent)
        self.sending = await self.client.run(self.parent)
        self.receiving = await self.client.run(self.child)

    async def write(self, count: int) -> list[str]:
        """Send so many messages in one call, 1000 at most, and consume them: more than three events each."""
        sends = [{"tool_call_id": fresh("call"), "to": self.child.session_id, "body": self.body} for _ in range(count)]
        answer = await self.client.messaging.BatchSendMessages(
            session_id=self.parent.session_id, run_id=self.sending.run_id, sends=sends
        )
        claim = await self.client.claim(self.receiving)
        consumed = await self.client.commit(self.receiving, claim)
        assert consumed == [result.accepted.message_id for result in answer.results]
        return consumed
