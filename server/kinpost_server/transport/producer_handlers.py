"""ProducerService: plugins' registrations, the mail that they send by them, and the tool calls that they gate."""

from __future__ import annotations

from kinpost.v1 import producer_service_pb2 as pb

from kinpost_server.domain.identity import Caller
from kinpost_server.domain.message import Mode
from kinpost_server.engine.engine import Engine
from kinpost_server.engine.register_producer import RegisterProducer, RenewProducers, UnregisterProducer
from kinpost_server.engine.send_producer_message import DiscardProducerMessage, SendProducerMessage
from kinpost_server.transport import convert, fields
from kinpost_server.transport.cursor import id_of, page_token_of
from kinpost_server.transport.interception import intercept
from kinpost_server.transport.rpc import Requests, Service, Write

DESCRIPTION_BYTES_MAX = 1024
KEY_BYTES_MAX = 256
RENEWALS_MAX = 1000


class ProducerHandlers(Service):
    """The RPCs of ProducerService."""

    DESCRIPTOR = pb.DESCRIPTOR.services_by_name["ProducerService"]

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def RegisterProducer(
        self, caller: Caller, request: pb.RegisterProducerRequest
    ) -> pb.RegisterProducerResponse:
        """Register the caller to send into a session."""
        command = RegisterProducer(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.key(request.client_producer_id, "client_producer_id", bytes_max=fields.ID_BYTES_MAX),
            fields.text(request.description, "description", bytes_max=DESCRIPTION_BYTES_MAX),
        )
        return pb.RegisterProducerResponse(producer=convert.producer(await self._engine.execute(command)))

    async def RenewProducers(self, caller: Caller, request: pb.RenewProducersRequest) -> pb.RenewProducersResponse:
        """Renew registrations."""
        fields.few(len(request.producer_ids), "producer_ids", most=RENEWALS_MAX)
        producer_ids = [fields.uuid(one, f"producer_ids[{index}]") for index, one in enumerate(request.producer_ids)]
        renewed = await self._engine.execute(RenewProducers(caller, producer_ids))
        return pb.RenewProducersResponse(
            renewed_producer_ids=renewed.producer_ids, lease_expire_time=convert.timestamp(renewed.lease_expire_time)
        )

    async def SendProducerMessage(
        self, caller: Caller, request: pb.SendProducerMessageRequest
    ) -> pb.SendProducerMessageResponse:
        """Store a message of a registered producer."""
        command = SendProducerMessage(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.uuid(request.producer_id, "producer_id"),
            fields.key(request.idempotency_key, "idempotency_key", bytes_max=KEY_BYTES_MAX),
            request.body,
            fields.choice(request.mode, "mode", Mode) if request.mode else Mode.STEER,
            fields.text(request.description, "description", bytes_max=DESCRIPTION_BYTES_MAX),
        )
        return pb.SendProducerMessageResponse(accepted=convert.acceptance(await self._engine.execute(command)))

    async def DiscardProducerMessage(
        self, caller: Caller, request: pb.DiscardProducerMessageRequest
    ) -> pb.DiscardProducerMessageResponse:
        """Discard an unclaimed message of the caller's."""
        command = DiscardProducerMessage(
            caller, fields.uuid(request.session_id, "session_id"), fields.uuid(request.message_id, "message_id")
        )
        await self._engine.execute(command)
        return pb.DiscardProducerMessageResponse()

    async def UnregisterProducer(
        self, caller: Caller, request: pb.UnregisterProducerRequest
    ) -> pb.UnregisterProducerResponse:
        """End a registration."""
        command = UnregisterProducer(
            caller, fields.uuid(request.session_id, "session_id"), fields.uuid(request.producer_id, "producer_id")
        )
        await self._engine.execute(command)
        return pb.UnregisterProducerResponse()

    async def ListProducers(self, caller: Caller, request: pb.ListProducersRequest) -> pb.ListProducersResponse:
        """Return a page of a session's producers."""
        producers, place = await self._engine.list_producers(
            caller,
            fields.uuid(request.session_id, "session_id"),
            id_of(request.page_token),
            fields.page_size(request.page_size),
        )
        return pb.ListProducersResponse(
            producers=[convert.producer(producer) for producer in producers], next_page_token=page_token_of(place)
        )

    async def InterceptToolCalls(self, caller: Caller, requests: Requests, write: Write) -> None:
        """Put tool calls before a plugin."""
        await intercept(self._engine, caller, requests, write)
