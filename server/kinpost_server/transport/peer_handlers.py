"""PeerService: the gRPC door of peer mail. Its twin is `http/`; neither has a rule of its own."""

from __future__ import annotations

from kinpost.v1 import peer_pb2
from kinpost.v1 import peer_service_pb2 as pb

from kinpost_server.domain.address import parse_uuid
from kinpost_server.domain.dead_letter import DeadLetter
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.peer import RETAINED_SCOPE, Delivery, Letter, Route
from kinpost_server.domain.summary import tokens_of
from kinpost_server.engine.engine import Engine
from kinpost_server.engine.peer_ports import Result, StoredBody
from kinpost_server.engine.peer_post import Post
from kinpost_server.transport import convert, fields
from kinpost_server.transport.cursor import id_of, page_token_of
from kinpost_server.transport.rpc import Service

Request = pb.SendPeerMessageRequest | pb.BroadcastPeerMessageRequest | pb.FollowUpRequest | pb.QueuePeerMessageRequest


class PeerHandlers(Service):
    """The RPCs of PeerService."""

    DESCRIPTOR = pb.DESCRIPTOR.services_by_name["PeerService"]

    def __init__(self, engine: Engine) -> None:
        self._desk = engine.peer

    async def SendPeerMessage(self, caller: Caller, request: pb.SendPeerMessageRequest) -> pb.SendPeerMessageResponse:
        """Deliver a message."""
        letter = Letter(
            request.text,
            _tldr(request),
            confirm_inactive_target=request.confirm_inactive_target,
            confirm_interrupt_turn=request.confirm_interrupt_turn,
            allow_reopen_user_closed=request.allow_reopen_user_closed,
            queue_if_limited=request.queue_if_limited,
        )
        post = _post(caller, Route.MESSAGE, request, _target(request.session_id), letter)
        return pb.SendPeerMessageResponse(delivery=_delivery(await self._desk.send(post)))

    async def BroadcastPeerMessage(
        self, caller: Caller, request: pb.BroadcastPeerMessageRequest
    ) -> pb.BroadcastPeerMessageResponse:
        """Deliver a message to many targets."""
        targets = tuple(fields.uuid(one, f"session_ids[{index}]") for index, one in enumerate(request.session_ids))
        letter = Letter(request.text, _tldr(request), confirm_inactive_target=request.confirm_inactive_target)
        results = await self._desk.broadcast(_post(caller, Route.BROADCAST, request, targets, letter))
        return pb.BroadcastPeerMessageResponse(results=map(_result, results))

    async def FollowUp(self, caller: Caller, request: pb.FollowUpRequest) -> pb.FollowUpResponse:
        """Follow up in a session."""
        letter = Letter(request.text, _tldr(request), confirm_inactive_target=request.confirm_inactive_target)
        post = _post(caller, Route.FOLLOW_UP, request, _target(request.session_id), letter)
        return pb.FollowUpResponse(delivery=_delivery(await self._desk.send(post)))

    async def QueuePeerMessage(
        self, caller: Caller, request: pb.QueuePeerMessageRequest
    ) -> pb.QueuePeerMessageResponse:
        """Leave a message."""
        letter = Letter(request.text, _tldr(request))
        post = _post(caller, Route.QUEUE, request, _target(request.session_id), letter)
        return pb.QueuePeerMessageResponse(delivery=_delivery(await self._desk.send(post)))

    async def GetPeerBody(self, caller: Caller, request: pb.GetPeerBodyRequest) -> pb.GetPeerBodyResponse:
        """Return a stored body, or its size."""
        body_id = fields.uuid(request.body_id, "body_id")
        stored = await self._desk.body(caller, body_id, counts=not request.meta_only)
        answer = pb.GetPeerBodyResponse(chars=len(stored.text), tokens=tokens_of(stored.text))
        if not request.meta_only:
            answer.text = stored.text
        return answer

    async def ListPeerMessagesSent(
        self, caller: Caller, request: pb.ListPeerMessagesSentRequest
    ) -> pb.ListPeerMessagesSentResponse:
        """Return what a session sent with a summary."""
        sent = await self._desk.sent(caller, fields.uuid(request.session_id, "session_id"), request.limit)
        answer = pb.ListPeerMessagesSentResponse(messages=map(_sent, sent.messages), retained_scope=RETAINED_SCOPE)
        if sent.holds_since is not None:
            answer.store_holds_since.CopyFrom(convert.timestamp(sent.holds_since))
        return answer

    async def ListDeadLetters(self, caller: Caller, request: pb.ListDeadLettersRequest) -> pb.ListDeadLettersResponse:
        """Return a page of what could not be delivered."""
        letters, place = await self._desk.dead_letters(
            caller, id_of(request.page_token), fields.page_size(request.page_size)
        )
        return pb.ListDeadLettersResponse(dead_letters=map(_dead_letter, letters), next_page_token=page_token_of(place))

    async def RedeliverDeadLetter(
        self, caller: Caller, request: pb.RedeliverDeadLetterRequest
    ) -> pb.RedeliverDeadLetterResponse:
        """Deliver a dead letter again."""
        dead_letter_id = fields.uuid(request.dead_letter_id, "dead_letter_id")
        if request.client_request_id:  # the letter itself knows whether it was delivered
            fields.key(request.client_request_id, "client_request_id", bytes_max=fields.CALL_ID_BYTES_MAX)
        return pb.RedeliverDeadLetterResponse(delivery=_delivery(await self._desk.redeliver(caller, dead_letter_id)))


def _target(session_id: str) -> tuple[str, ...]:
    return (fields.uuid(session_id, "session_id"),)


def _tldr(request: Request) -> str | None:
    return request.tldr if request.HasField("tldr") else None


def _post(caller: Caller, route: Route, request: Request, targets: tuple[str, ...], letter: Letter) -> Post:
    source = parse_uuid(request.source_session_id) or request.source_session_id
    return Post(caller, route, source, targets, letter, request.client_request_id)


def _delivery(delivery: Delivery) -> pb.PeerDelivery:
    return pb.PeerDelivery(
        delivered=delivery.delivered,
        queued=delivery.queued,
        woken_from=delivery.woken_from,
        idempotent=delivery.idempotent,
        message_id=delivery.message_id,
    )


def _result(result: Result) -> pb.PeerBroadcastResult:
    if result.delivery is None:
        return pb.PeerBroadcastResult(session_id=result.session_id, error=result.error, detail=result.detail)
    return pb.PeerBroadcastResult(session_id=result.session_id, delivery=_delivery(result.delivery))


def _sent(stored: StoredBody) -> peer_pb2.PeerMessageSummary:
    return peer_pb2.PeerMessageSummary(
        body_id=stored.body_id,
        target_session_id=stored.target_session_id,
        text=stored.text,
        tldr=stored.tldr,
        chars=len(stored.text),
        tokens=tokens_of(stored.text),
        send_time=convert.timestamp(stored.send_time),
    )


def _dead_letter(letter: DeadLetter) -> peer_pb2.DeadLetter:
    wire = peer_pb2.DeadLetter(
        dead_letter_id=letter.dead_letter_id,
        source_session_id=letter.source_session_id,
        target_session_id=letter.target_session_id,
        text=letter.text,
        tldr=letter.tldr,
        reason=peer_pb2.DeadLetterReason.ValueType(letter.reason),
        detail=letter.detail,
        create_time=convert.timestamp(letter.create_time),
    )
    if letter.redeliver_time is not None:
        wire.redeliver_time.CopyFrom(convert.timestamp(letter.redeliver_time))
    return wire
