"""All trees, or one, as they are now: the list of the sessions, then the events that change their lines."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from kinpost.v1 import event_pb2 as pb
from kinpost_client import Approval, ApprovalState, Client, Event, KinpostError, convert
from kinpost_client.errors import (
    ApprovalNotFound,
    CursorExpired,
    CursorOutOfRange,
    Forbidden,
    OtherLog,
    SessionNotFound,
)

from kinpost_watch.forest import EVENT_TYPES, Forest
from kinpost_watch.harmless import harmless_line

APPROVAL_EVENT_TYPES = (
    "approval_requested",
    "approval_decided",
    "approval_used",
    "approval_expired",
    "approval_cancelled",
)
# Trees whose waiting approvals are asked for at the start, the newest ones; later ones are seen as they come.
APPROVAL_TREES_MAX = 500
APPROVALS_MAX = 2000
BREATH_SESSIONS = 50  # after so many sessions whoever else waits for the loop has a turn
AGAIN_SECONDS = 1.0


class Overview:
    """The forest, and the approvals that wait for a person by their id, oldest first.

    `connection` says in words how it stands with the server, empty when all is well; `refused` why it will not change.
    `on_change` is called when there is something new to show.
    """

    def __init__(self, client: Client, root_session_id: str | None, on_change: Callable[[], None]) -> None:
        self.forest = Forest()
        self.approvals: dict[str, Approval] = {}
        self.approvals_refused = ""
        self.connection = "connecting"
        self.refused = ""
        self.loaded = False
        self._client = client
        self._root_session_id = root_session_id
        self._on_change = on_change

    async def run(self) -> None:
        """Load and follow, for ever. Ends only with a refusal that trying again does not help; it is in `refused`."""
        while True:
            try:
                await self._follow()
            except (OtherLog, CursorOutOfRange, CursorExpired):
                self._say("the server has another log, loading anew")
            except KinpostError as failure:
                if not failure.transient:
                    self.refused = harmless_line(str(failure))
                    self._say(self.refused)
                    return
                self._cut(failure)
            await asyncio.sleep(AGAIN_SECONDS)

    async def refresh_approval(self, session_id: str, approval_id: str) -> None:
        """Ask for one approval anew."""
        try:
            self._keep(await self._client.approvals.get(session_id, approval_id))
        except (ApprovalNotFound, SessionNotFound):
            self.approvals.pop(approval_id, None)
        self._count_asking()
        self._on_change()

    async def _follow(self) -> None:
        # The stream is opened first, and then the list is read: whatever happens meanwhile is in one of them, and
        # what is in both is known by its sequence number.
        async with self._client.subscribe(
            root_session_id=self._root_session_id,
            from_now=True,
            event_types=(*EVENT_TYPES, *APPROVAL_EVENT_TYPES),
            on_cut=self._cut,
        ) as events:
            batch = await events.next_batch()
            self._say("")
            await self._load()
            while True:
                await self._take(batch)
                batch = await events.next_batch()
                self._say("")

    async def _load(self) -> None:
        self.loaded = False
        self.forest.clear()
        self.approvals.clear()
        count = 0
        async for session in self._client.list_sessions(self._root_session_id or ""):
            self.forest.put(session)
            count += 1
            if count % BREATH_SESSIONS == 0:
                self._on_change()
                await asyncio.sleep(0)
        self.loaded = True
        self._on_change()
        await self._load_approvals()

    async def _load_approvals(self) -> None:
        self.approvals_refused = ""
        roots = [self._root_session_id] if self._root_session_id else self.forest.roots[-APPROVAL_TREES_MAX:]
        try:
            for root in reversed(roots):
                async for approval in self._client.approvals.list(root):
                    self._keep(approval)
        except Forbidden as failure:
            self.approvals_refused = str(failure)
        except SessionNotFound:
            pass
        self._count_asking()
        self._on_change()

    async def _take(self, batch: list[Event]) -> None:
        if not batch:
            return
        stale: set[str] = set()
        asked = False
        for event in batch:
            if event.type in APPROVAL_EVENT_TYPES:
                asked = True
                if isinstance(event.payload, pb.ApprovalRequested):
                    self._keep(convert.approval(event.payload.approval))
                elif isinstance(
                    event.payload, pb.ApprovalDecided | pb.ApprovalUsed | pb.ApprovalExpired | pb.ApprovalCancelled
                ):
                    self.approvals.pop(event.payload.approval_id, None)
            elif (session_id := self.forest.apply(event)) is not None:
                stale.add(session_id)
        for session_id in stale:
            with contextlib.suppress(SessionNotFound):
                self.forest.put(await self._client.get_session(session_id))
        if asked:
            self._count_asking()
        self._on_change()

    def _keep(self, approval: Approval) -> None:
        if approval.state is ApprovalState.PENDING and len(self.approvals) < APPROVALS_MAX:
            self.approvals[approval.approval_id] = approval
        else:
            self.approvals.pop(approval.approval_id, None)

    def _count_asking(self) -> None:
        self.approvals = dict(sorted(self.approvals.items(), key=lambda item: item[1].create_time))
        self.forest.ask([approval.session_id for approval in self.approvals.values()])

    def _cut(self, failure: KinpostError) -> None:
        self._say(f"not connected, trying again: {harmless_line(str(failure))}")

    def _say(self, connection: str) -> None:
        if connection != self.connection:
            self.connection = connection
            self._on_change()
