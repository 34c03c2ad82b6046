"""What the doors of peer mail call: sends, and what is read back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from kinpost_server.domain.dead_letter import DeadLetter
from kinpost_server.domain.errors import MessageNotFound, Refusal, SessionNotFound
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.peer import SENT_LIMIT, SENT_LIMIT_MAX, Delivery
from kinpost_server.domain.peer_errors import NotYourMessages
from kinpost_server.engine.access import require
from kinpost_server.engine.command import Command
from kinpost_server.engine.peer_ladder import acts_for
from kinpost_server.engine.peer_ports import PeerReader, Result, StoredBody
from kinpost_server.engine.peer_post import Post
from kinpost_server.engine.ports import SessionSnapshot
from kinpost_server.engine.redeliver_dead_letter import RedeliverDeadLetter
from kinpost_server.engine.send_peer_message import BroadcastPeerMessage, RecordPeerFailure, SendPeerMessage
from kinpost_server.engine.view import View

LETTERS_MAX = 100  # of one page, however many were asked for
LIST_BYTES_MAX = 3 << 20  # an ordinary client of gRPC takes 4 MiB

Answer = TypeVar("Answer")
Value = TypeVar("Value")
Item = TypeVar("Item", StoredBody, DeadLetter)


class Read(Protocol):
    """Carries out a read of the store beside the event loop."""

    def __call__(self, read: Callable[..., Value], *arguments: object) -> Awaitable[Value]:
        """Return what `read` returns. Raises StorageUnavailable."""


class Office(Protocol):
    """What is needed of the engine."""

    async def execute(self, command: Command[Answer]) -> Answer:
        """Decide a command."""

    async def get_session(self, caller: Caller, session_id: str) -> SessionSnapshot:
        """Return a session."""


class Sent(NamedTuple):
    """A sender's own messages, newest first, and when the oldest body of all was sent."""

    messages: list[StoredBody]
    holds_since: int | None


@dataclass(slots=True)
class CountFetch(Command[None]):
    """Count that a body was pulled."""

    body_id: str

    def load(self, view: View) -> None:
        view.peer.bodies.want(self.body_id)

    def decide(self, view: View) -> None:
        body = view.peer.bodies.get(self.body_id)
        if body is not None:
            body.fetch_count += 1
            view.peer.put_body(body)


class PeerDesk:
    """Both doors come here. Methods raise the refusals of the ladder, and what `Engine.execute` raises."""

    def __init__(
        self,
        office: Office,
        reader: PeerReader,
        read: Read,
        log: Callable[[str, dict[str, object]], None],
    ) -> None:
        self._office = office
        self._reader = reader
        self._read = read
        self._log = log

    async def send(self, post: Post) -> Delivery:
        """Deliver a message to one target. Raises the refusal."""
        return await self._unbroken(post, SendPeerMessage(post))

    async def broadcast(self, post: Post) -> list[Result]:
        """Deliver a message to many targets. Raises what refuses the whole request."""
        return await self._unbroken(post, BroadcastPeerMessage(post))

    async def redeliver(self, caller: Caller, dead_letter_id: str) -> Delivery:
        """Deliver a dead letter again. Raises MessageNotFound, Forbidden, and as `send`."""
        return _raised(await self._office.execute(RedeliverDeadLetter(caller, dead_letter_id)))

    async def body(self, caller: Caller, body_id: str, *, counts: bool) -> StoredBody:
        """Return a stored body for its recipient, its sender or who may look at everything. Raises MessageNotFound.

        `counts`: the text is handed over, which is counted.
        """
        stored = await self._read(self._reader.body, body_id)
        if stored is None or not await self._may_pull(caller, stored):
            raise MessageNotFound("there is no such body, or it is not the caller's")
        if not stored.kept:
            raise MessageNotFound("the text of this message is no longer kept")
        if counts:
            await self._office.execute(CountFetch(stored.body_id))
        return stored

    async def sent(self, caller: Caller, session_id: str, limit: int) -> Sent:
        """Return what a session sent with a summary. Raises NotYourMessages when the token does not act for it."""
        if not await self._acts(caller, session_id):
            raise NotYourMessages
        bounded = min(limit, SENT_LIMIT_MAX) if limit >= 1 else SENT_LIMIT
        messages = await self._read(self._reader.sent, session_id, bounded)
        since = await self._read(self._reader.holds_since)
        return Sent(_within(messages), since)

    async def dead_letters(self, caller: Caller, after: str, page_size: int) -> tuple[list[DeadLetter], str]:
        """Return a page of dead letters, newest first: a peer's or a session's token sees its own. Raises Forbidden.

        The second value names the last of the page, and is empty at the end.
        """
        require(caller, TokenKind.APPROVER, TokenKind.OBSERVER, TokenKind.PEER, TokenKind.SESSION)
        own = caller.kind in (TokenKind.PEER, TokenKind.SESSION)
        sources = sorted(caller.session_ids) if own else None
        size = min(page_size, LETTERS_MAX)
        letters = await self._read(self._reader.dead_letters, sources, after, size + 1)
        page = _within(letters[:size])
        return page, page[-1].dead_letter_id if len(letters) > len(page) else ""

    async def _unbroken(self, post: Post, command: Command[Answer | Refusal]) -> Answer:
        try:
            return _raised(await self._office.execute(command))
        except Refusal:
            raise
        except Exception as failure:  # noqa: BLE001 - whatever broke it, the message is kept
            self._log("peer_delivery_broke", {"fault": type(failure).__qualname__})
        raise await self._office.execute(RecordPeerFailure(post))

    async def _may_pull(self, caller: Caller, stored: StoredBody) -> bool:
        if caller.kind in (TokenKind.OBSERVER, TokenKind.APPROVER, TokenKind.PLUGIN):
            return True
        return await self._acts(caller, stored.target_session_id) or await self._acts(caller, stored.source_session_id)

    async def _acts(self, caller: Caller, session_id: str) -> bool:
        """Whether the token acts for the session, which may be deleted by now where the token names it."""
        if caller.kind in (TokenKind.PEER, TokenKind.SESSION):
            return session_id in caller.session_ids
        if caller.kind is TokenKind.ADMIN:
            return True
        try:
            snapshot = await self._office.get_session(caller, session_id)
        except SessionNotFound:
            return False
        return acts_for(caller, snapshot.session)


def _within(items: list[Item]) -> list[Item]:
    """Return as many as fit into one answer, the first at least."""
    kept: list[Item] = []
    room = LIST_BYTES_MAX
    for item in items:
        room -= len(item.text.encode())
        if kept and room < 0:
            break
        kept.append(item)
    return kept


def _raised(answer: Answer | Refusal) -> Answer:
    if isinstance(answer, Refusal):
        raise answer
    return answer
