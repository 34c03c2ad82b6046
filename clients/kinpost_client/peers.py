"""Peer mail: a session writes to any other, and reads back what it sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import uuid4

from kinpost.v1 import peer_pb2, peer_service_pb2

from kinpost_client import convert
from kinpost_client.calls import Calls
from kinpost_client.errors import InvalidPayload


class PeerDelivery(NamedTuple):
    """What came of a message. `queued`: the receiver gets it later. `woken_from`: archived, ended or error.

    `idempotent`: this repeats an earlier answer. A message that is parked is queued and not delivered, without an id.
    """

    delivered: bool
    queued: bool
    woken_from: str | None
    idempotent: bool
    message_id: str


class PeerResult(NamedTuple):
    """What came of a broadcast to one target: a delivery, or the name of an error with its detail."""

    session_id: str
    delivery: PeerDelivery | None
    error: str
    detail: str


class PeerBody(NamedTuple):
    """A stored body, without its text when it was only measured. `tokens` is an estimate."""

    text: str | None
    chars: int
    tokens: int


class SentPeerMessage(NamedTuple):
    """A message that was sent with a summary."""

    body_id: str
    target_session_id: str
    text: str
    tldr: str | None
    chars: int
    tokens: int
    send_time: datetime


class SentPeerMessages(NamedTuple):
    """What a session sent with summaries, newest first.

    `retained_scope` says what is kept at all: an empty list does not mean that nothing was sent. `store_holds_since` is
    when the oldest body of all was sent; None when the store holds none.
    """

    messages: list[SentPeerMessage]
    retained_scope: str
    store_holds_since: datetime | None


class DeadLetter(NamedTuple):
    """A message that could not be delivered; `reason` is target_gone, user_closed, wake_failed or send_failed."""

    dead_letter_id: str
    source_session_id: str
    target_session_id: str
    text: str
    tldr: str | None
    reason: str
    detail: str
    create_time: datetime
    redeliver_time: datetime | None


class Peers:
    """Mail to any session, on the authority of the token; `client.peers` is it.

    `source_session_id` is the sender, which the token must be allowed to act for. `text` is 1 to 32,000 characters;
    past 1000 it needs `tldr`, a summary of 1 to 600, which is what the recipient's model reads. Each send has a
    `client_request_id` (at most 256 bytes), made here when you give none: within ten minutes the same again returns the
    first answer, whatever its text. Sends raise InvalidPayload, TldrRequired, RateLimited, TargetNotFound, UserClosed,
    NeedsConfirmation, TurnInFlight, DuplicateInFlight, WakeFailed, SendFailed, Forbidden.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def send(
        self,
        source_session_id: str,
        session_id: str,
        text: str,
        *,
        tldr: str | None = None,
        confirm_inactive_target: bool = False,
        confirm_interrupt_turn: bool = False,
        allow_reopen_user_closed: bool = False,
        queue_if_limited: bool = False,
        client_request_id: str | None = None,
    ) -> PeerDelivery:
        """Deliver a message; a busy target takes it at its turn boundary, a paused one is held.

        `confirm_inactive_target` wakes who sleeps; `confirm_interrupt_turn` ends the target's run in place of queueing;
        `allow_reopen_user_closed` opens what a person closed (admins only); `queue_if_limited` parks the message when
        the token's budget is spent.
        """
        request = peer_service_pb2.SendPeerMessageRequest(
            session_id=session_id,
            source_session_id=source_session_id,
            text=_whole("text", text),
            tldr=tldr if tldr is None else _whole("tldr", tldr),
            client_request_id=_whole("client_request_id", client_request_id or str(uuid4())),
            confirm_inactive_target=confirm_inactive_target,
            confirm_interrupt_turn=confirm_interrupt_turn,
            allow_reopen_user_closed=allow_reopen_user_closed,
            queue_if_limited=queue_if_limited,
        )
        answer = await self._calls.unary(self._calls.peers.SendPeerMessage, request)
        return _delivery(answer.delivery)

    async def broadcast(
        self,
        source_session_id: str,
        session_ids: Iterable[str],
        text: str,
        *,
        tldr: str | None = None,
        confirm_inactive_target: bool = False,
        client_request_id: str | None = None,
    ) -> list[PeerResult]:
        """Deliver the same to 1 to 100 targets: a result for each, in their order. Raises what refuses the whole."""
        request = peer_service_pb2.BroadcastPeerMessageRequest(
            session_ids=session_ids,
            source_session_id=source_session_id,
            text=_whole("text", text),
            tldr=tldr if tldr is None else _whole("tldr", tldr),
            client_request_id=_whole("client_request_id", client_request_id or str(uuid4())),
            confirm_inactive_target=confirm_inactive_target,
        )
        answer = await self._calls.unary(self._calls.peers.BroadcastPeerMessage, request)
        return [
            PeerResult(
                result.session_id,
                _delivery(result.delivery) if result.HasField("delivery") else None,
                result.error,
                result.detail,
            )
            for result in answer.results
        ]

    async def follow_up(
        self,
        source_session_id: str,
        session_id: str,
        text: str,
        *,
        tldr: str | None = None,
        confirm_inactive_target: bool = False,
        client_request_id: str | None = None,
    ) -> PeerDelivery:
        """Follow up in a session."""
        request = peer_service_pb2.FollowUpRequest(
            session_id=session_id,
            source_session_id=source_session_id,
            text=_whole("text", text),
            tldr=tldr if tldr is None else _whole("tldr", tldr),
            client_request_id=_whole("client_request_id", client_request_id or str(uuid4())),
            confirm_inactive_target=confirm_inactive_target,
        )
        answer = await self._calls.unary(self._calls.peers.FollowUp, request)
        return _delivery(answer.delivery)

    async def queue(
        self,
        source_session_id: str,
        session_id: str,
        text: str,
        *,
        tldr: str | None = None,
        client_request_id: str | None = None,
    ) -> PeerDelivery:
        """Leave a message durably: no state of the target refuses it."""
        request = peer_service_pb2.QueuePeerMessageRequest(
            session_id=session_id,
            source_session_id=source_session_id,
            text=_whole("text", text),
            tldr=tldr if tldr is None else _whole("tldr", tldr),
            client_request_id=_whole("client_request_id", client_request_id or str(uuid4())),
        )
        answer = await self._calls.unary(self._calls.peers.QueuePeerMessage, request)
        return _delivery(answer.delivery)

    async def get_body(self, body_id: str, *, meta_only: bool = False) -> PeerBody:
        """Pull a stored body; `meta_only` gives only its size, and counts as no fetch. Raises MessageNotFound."""
        request = peer_service_pb2.GetPeerBodyRequest(body_id=body_id, meta_only=meta_only)
        answer = await self._calls.unary(self._calls.peers.GetPeerBody, request)
        return PeerBody(answer.text if answer.HasField("text") else None, answer.chars, answer.tokens)

    async def list_sent(self, session_id: str, *, limit: int = 10) -> SentPeerMessages:
        """Read back what a session sent with a summary; `limit` is at most 50. Raises NotYourMessages."""
        request = peer_service_pb2.ListPeerMessagesSentRequest(session_id=session_id, limit=limit)
        answer = await self._calls.unary(self._calls.peers.ListPeerMessagesSent, request)
        since = convert.instant(answer.store_holds_since) if answer.HasField("store_holds_since") else None
        return SentPeerMessages([_sent(message) for message in answer.messages], answer.retained_scope, since)

    async def list_dead_letters(self) -> AsyncIterator[DeadLetter]:
        """Return what could not be delivered, newest first: a peer's or a session's token sees its own.

        Raises Forbidden.
        """
        request = peer_service_pb2.ListDeadLettersRequest()
        while True:
            page = await self._calls.unary(self._calls.peers.ListDeadLetters, request)
            for letter in page.dead_letters:
                yield _dead_letter(letter)
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def redeliver(self, dead_letter_id: str) -> PeerDelivery:
        """Deliver a dead letter again, once however often it is asked; a sleeping target is woken.

        Raises MessageNotFound, Forbidden, and what a send raises.
        """
        request = peer_service_pb2.RedeliverDeadLetterRequest(dead_letter_id=dead_letter_id)
        answer = await self._calls.unary(self._calls.peers.RedeliverDeadLetter, request)
        return _delivery(answer.delivery)


def _whole(field: str, text: str) -> str:
    """Return a text that has a UTF-8 form. Raises InvalidPayload, as the server would."""
    try:
        text.encode()
    except UnicodeEncodeError:
        words = f"{InvalidPayload.CODE}: {field}: holds a lone surrogate, which has no UTF-8 form"
        raise InvalidPayload(words, metadata={"field": field}) from None
    return text


def _delivery(wire: peer_service_pb2.PeerDelivery) -> PeerDelivery:
    return PeerDelivery(
        wire.delivered,
        wire.queued,
        wire.woken_from if wire.HasField("woken_from") else None,
        wire.idempotent,
        wire.message_id,
    )


def _sent(wire: peer_pb2.PeerMessageSummary) -> SentPeerMessage:
    return SentPeerMessage(
        wire.body_id,
        wire.target_session_id,
        wire.text,
        wire.tldr if wire.HasField("tldr") else None,
        wire.chars,
        wire.tokens,
        convert.instant(wire.send_time),
    )


def _dead_letter(wire: peer_pb2.DeadLetter) -> DeadLetter:
    name = peer_pb2.DeadLetterReason.Name(wire.reason)
    return DeadLetter(
        wire.dead_letter_id,
        wire.source_session_id,
        wire.target_session_id,
        wire.text,
        wire.tldr if wire.HasField("tldr") else None,
        name.removeprefix("DEAD_LETTER_REASON_").lower(),
        wire.detail,
        convert.instant(wire.create_time),
        convert.instant(wire.redeliver_time) if wire.HasField("redeliver_time") else None,
    )
