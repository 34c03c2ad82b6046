"""What is read beside the committer: sessions, sent messages, approvals, tokens and events, each for a caller."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from kinpost_server.domain.approval import Approval
from kinpost_server.domain.errors import (
    ApprovalNotFound,
    CursorExpired,
    CursorOutOfRange,
    MessageNotFound,
    SessionNotFound,
    Unauthenticated,
)
from kinpost_server.domain.identity import Caller, Token, TokenKind
from kinpost_server.domain.producer import Producer
from kinpost_server.domain.tools import Tool, visible_tools
from kinpost_server.engine import events
from kinpost_server.engine.access import hosts, may_read, require
from kinpost_server.engine.clock import Clock
from kinpost_server.engine.ports import Reader, Scope, SentMessage, SessionSnapshot, StoredEvent
from kinpost_server.engine.reader_threads import ReaderThreads
from kinpost_server.engine.retention import check_kept
from kinpost_server.engine.tokens import TokenBook

READER_THREADS = 4


class Queries:
    """Reads go to the database at once, in threads of their own."""

    def __init__(self, reader: Reader, tokens: TokenBook, clock: Clock, heartbeat_seconds: float) -> None:
        self.log_id = reader.log_id()
        self.clock = clock
        self.tokens = tokens
        self._reader = reader
        self._heartbeat_seconds = heartbeat_seconds
        self._read = ReaderThreads(READER_THREADS, "reader")
        self._hub = events.Hub(0)

    def caller_of(self, secret: str) -> Caller:
        """Return who a bearer secret belongs to. Raises Unauthenticated."""
        return self.tokens.caller_of(secret, self.clock.now())

    def check_token(self, caller: Caller) -> None:
        """Look whether the caller's token still holds, for what takes longer than a moment. Raises Unauthenticated."""
        token = self.tokens.get(caller.token_id)
        if token is None or not token.valid_at(self.clock.now()):
            raise Unauthenticated

    async def get_session(self, caller: Caller, session_id: str) -> SessionSnapshot:
        """Return a session. Raises SessionNotFound, also when it is not the caller's."""
        snapshot = await self._read(self._reader.get_session, session_id)
        if snapshot is None or not may_read(caller, snapshot.session):
            raise SessionNotFound
        return snapshot

    async def list_sessions(
        self,
        caller: Caller,
        root_session_id: str,
        states: Sequence[int],
        availabilities: Sequence[int],
        page_token: str,
        page_size: int,
    ) -> tuple[list[SessionSnapshot], str]:
        """Return a page of a tree's sessions, or of all, and the token of the next page. Raises Forbidden."""
        require(caller, TokenKind.OBSERVER, TokenKind.APPROVER, TokenKind.PLUGIN)
        if root_session_id and not await self._read(self._reader.root_exists, root_session_id):
            raise SessionNotFound
        page = await self._read(
            self._reader.list_sessions, root_session_id, states, availabilities, page_token, page_size + 1
        )
        more = len(page) > page_size
        page = page[:page_size]
        return page, page[-1].session.session_id if more else ""

    async def list_producers(
        self, caller: Caller, session_id: str, after: str, page_size: int
    ) -> tuple[list[Producer], str]:
        """Return a page of a session's registrations, in the order of their making, after the one named.

        The second value names the last of the page, and is empty at the end.
        """
        await self.get_session(caller, session_id)
        registered = await self._read(self._reader.list_producers, session_id)
        rest = [producer for producer in registered if producer.producer_id > after]
        page = rest[:page_size]
        return page, page[-1].producer_id if len(rest) > page_size else ""

    async def list_tools(self, caller: Caller, session_id: str) -> list[Tool]:
        """Return what the session's model may see."""
        snapshot = await self.get_session(caller, session_id)
        return visible_tools(snapshot.session.message_rules)

    async def list_tokens(self, caller: Caller, page_token: str, page_size: int) -> tuple[list[Token], str]:
        """Return a page of tokens in the order of their making. Raises Forbidden."""
        require(caller)
        tokens = self.tokens.all()
        start = 0
        if page_token:
            start = next((i + 1 for i, token in enumerate(tokens) if token.token_id == page_token), len(tokens))
        page = tokens[start : start + page_size]
        more = start + page_size < len(tokens)
        return page, page[-1].token_id if more else ""

    async def get_sent_message(self, caller: Caller, session_id: str, message_id: str) -> SentMessage:
        """Return a message that the session sent. Raises SessionNotFound, MessageNotFound."""
        await self._sender(caller, session_id)
        sent = await self._read(self._reader.get_message, message_id)
        if sent is None or sent.message.sent_by != session_id:
            raise MessageNotFound
        return sent

    async def list_sent_messages(
        self, caller: Caller, session_id: str, states: Sequence[int], before: int, page_size: int
    ) -> tuple[list[SentMessage], int]:
        """Return a page of what the session sent, newest first, and the position to go on below, 0 at the end."""
        await self._sender(caller, session_id)
        page = await self._read(self._reader.list_sent, session_id, states, before, page_size + 1)
        more = len(page) > page_size
        page = page[:page_size]
        return page, page[-1].message.position if more else 0

    async def get_approval(self, caller: Caller, session_id: str, approval_id: str) -> Approval:
        """Return an approval of a session. Raises SessionNotFound, ApprovalNotFound."""
        await self.get_session(caller, session_id)
        approval = await self._read(self._reader.get_approval, approval_id)
        if approval is None or approval.session_id != session_id:
            raise ApprovalNotFound
        return approval

    async def list_approvals(
        self, caller: Caller, root_session_id: str, states: Sequence[int], before: int, page_size: int
    ) -> tuple[list[Approval], int]:
        """Return a page of a tree's approvals, newest first, and the position to go on below, 0 at the end.

        Raises Forbidden, SessionNotFound.
        """
        require(caller, TokenKind.OBSERVER, TokenKind.APPROVER, TokenKind.PLUGIN)
        if not await self._read(self._reader.root_exists, root_session_id):
            raise SessionNotFound
        page, more = await self._read(
            self._reader.list_approvals, root_session_id, states, before, page_size, events.FRAME_BYTES_MAX
        )
        return page, page[-1].position if more else 0

    async def _sender(self, caller: Caller, session_id: str) -> None:
        snapshot = await self.get_session(caller, session_id)
        if not hosts(caller, snapshot.session) and caller.kind is not TokenKind.OBSERVER:
            raise SessionNotFound

    # Events

    async def subscribe(
        self,
        caller: Caller,
        scope: Scope,
        *,
        after_position: int | None = None,
        drops: int = 0,
        after_seq: int | None = None,
        from_now: bool = False,
        types: Sequence[int] = (),
    ) -> AsyncIterator[events.Frame]:
        """Return the frames of a subscription, for ever; `drops` belongs to the position, as a frame told it.

        Raises SessionNotFound, Forbidden, CursorOutOfRange, CursorExpired; later ShuttingDown or Unauthenticated.
        """
        await self._check_scope(caller, scope, after_seq or 0)
        newest = await self._newest_position()
        pages = _Pages(self._read, self._reader, drops)
        start = await self._start_position(pages, scope, after_position, after_seq, newest if from_now else None)

        def check() -> None:
            self.check_token(caller)

        return events.subscribe(self._hub, pages, scope, start, types, self._heartbeat_seconds, check)

    async def list_events(
        self,
        caller: Caller,
        scope: Scope,
        *,
        after_position: int | None = None,
        drops: int = 0,
        after_seq: int | None = None,
        types: Sequence[int] = (),
        limit: int = 100,
    ) -> events.Frame:
        """Return a page of events; it has caught up when the log ends there."""
        await self._check_scope(caller, scope, after_seq or 0)
        pages = _Pages(self._read, self._reader, drops)
        start = await self._start_position(pages, scope, after_position, after_seq)
        last = await self._newest_position()
        found, upto = await pages(scope, start, types, limit, events.FRAME_BYTES_MAX)
        return events.Frame(found, upto, upto >= last, heartbeat=False, drops=pages.drops)

    async def _check_scope(self, caller: Caller, scope: Scope, after_seq: int) -> None:
        if scope.session_id:
            snapshot = await self.get_session(caller, scope.session_id)
            if after_seq > snapshot.session.last_seq:
                raise CursorOutOfRange(f"the session's newest event has seq {snapshot.session.last_seq}")
            return
        require(caller, TokenKind.OBSERVER, TokenKind.APPROVER, TokenKind.PLUGIN)
        if scope.root_session_id and not await self._read(self._reader.root_exists, scope.root_session_id):
            raise SessionNotFound

    async def _start_position(
        self,
        pages: _Pages,
        scope: Scope,
        after_position: int | None,
        after_seq: int | None,
        from_position: int | None = None,
    ) -> int:
        if after_position:
            first = await self._read(self._reader.first_position)
            events.check_start(after_position, first, await self._read(self._reader.last_position))
            await pages.check(scope, after_position)
            return after_position
        # Who begins without a cursor sees what is kept, and is told of what is dropped from then on.
        dropped = await self._read(self._reader.dropped, scope)
        pages.drops = dropped.number
        if from_position is not None:
            return from_position
        if not after_seq:
            return 0
        if after_seq < dropped.seq:
            raise CursorExpired
        return await self._read(self._reader.position_of, scope.session_id, after_seq)

    async def _newest_position(self) -> int:
        """Return the newest position; what was stored before the call is not above it."""
        return self._hub.last_position


class _Pages:
    """Reads the pages of one subscription, and sees to it that nothing was dropped between two of them."""

    def __init__(self, read: Callable[..., Awaitable[Any]], reader: Reader, drops: int) -> None:
        self.drops = drops
        self._read = read
        self._reader = reader

    async def __call__(
        self, scope: Scope, position: int, types: Sequence[int], limit: int, bytes_max: int
    ) -> tuple[list[StoredEvent], int]:
        page: tuple[list[StoredEvent], int]
        page = await self._read(self._reader.events_after, scope, position, types, limit, bytes_max)
        await self.check(scope, position)  # afterwards: what was dropped meanwhile may be missing in it
        return page

    async def check(self, scope: Scope, position: int) -> None:
        """Raise CursorExpired when events of the scope after the position were dropped since the last look."""
        dropped = await self._read(self._reader.dropped, scope)
        check_kept(position, self.drops, dropped)
        self.drops = max(self.drops, dropped.number)
