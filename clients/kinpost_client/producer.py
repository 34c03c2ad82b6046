"""A producer: a plugin's registration with a session, kept alive, and the mail that is sent by it."""

from __future__ import annotations

import asyncio
import logging
from types import TracebackType
from typing import Self
from uuid import uuid4

from kinpost.v1 import admin_service_pb2, producer_service_pb2

from kinpost_client import convert
from kinpost_client.calls import Calls
from kinpost_client.errors import KinpostError, ProducerNotFound
from kinpost_client.records import Accepted, Registration
from kinpost_client.terms import Mode, ModeName

log = logging.getLogger("kinpost_client")

RENEWALS_PER_LEASE = 4
INTERVAL_SECONDS_MIN = 0.02


class Producer:
    """A plugin's registration with one session, as an asynchronous context; `Client.producer` makes it.

    Within it the registration is renewed in time; one that lapsed all the same, while the server could not be reached,
    is made anew by the next renewal or send. Leaving ends it. What was sent stays, and is known by its key for ever.
    """

    def __init__(self, calls: Calls, session_id: str, client_producer_id: str, description: str) -> None:
        self._calls = calls
        self._session_id = session_id
        self._client_producer_id = client_producer_id
        self._description = description
        self._registration: Registration | None = None
        self._interval_seconds = 0.0
        self._renewing: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    async def __aenter__(self) -> Self:
        await self._register(None)
        self._renewing = asyncio.create_task(self._renew_for_ever(), name="kinpost producer")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.wait([self._renewing])
        registration = self.registration
        request = producer_service_pb2.UnregisterProducerRequest(
            session_id=registration.session_id, producer_id=registration.producer_id
        )
        try:
            await self._calls.unary(self._calls.producers.UnregisterProducer, request)
        except KinpostError as failure:
            log.warning("a producer could not be unregistered, and will lapse: %s", failure)

    @property
    def registration(self) -> Registration:
        """The registration as it was last made."""
        if self._registration is None:
            raise RuntimeError("a producer is used inside of its context: async with client.producer(...) as producer")
        return self._registration

    async def send(
        self,
        body: str,
        *,
        mode: Mode | ModeName = Mode.STEER,
        description: str = "",
        idempotency_key: str | None = None,
    ) -> Accepted:
        """Store a message in the session's log and wake it. `body` is 1 byte to 256 KiB; `description` is for people.

        The same `idempotency_key` (1 to 256 bytes without control characters) of the same plugin returns the first
        answer, also after this program was started anew. Raises InvalidRequest, ProducerInboxFull, IdempotencyConflict,
        SessionNotFound.
        """
        request = producer_service_pb2.SendProducerMessageRequest(
            session_id=self._session_id,
            idempotency_key=idempotency_key or str(uuid4()),
            mode=convert.message_mode(mode),
            description=description,
            body=body,
        )
        registration = self.registration
        while True:
            request.producer_id = registration.producer_id
            try:
                answer = await self._calls.unary(self._calls.producers.SendProducerMessage, request)
            except ProducerNotFound:
                registration = await self._register(registration)
            else:
                return convert.accepted(answer.accepted)

    async def discard(self, message_id: str) -> None:
        """Discard a message of this plugin that is not before a model request. Safe to repeat.

        Raises MessageNotFound, MessageClaimed.
        """
        request = producer_service_pb2.DiscardProducerMessageRequest(session_id=self._session_id, message_id=message_id)
        await self._calls.unary(self._calls.producers.DiscardProducerMessage, request)

    async def _register(self, lapsed: Registration | None) -> Registration:
        """Register, unless somebody else has done so since this registration lapsed."""
        async with self._lock:
            if self._registration is not None and self._registration is not lapsed:
                return self._registration
            request = producer_service_pb2.RegisterProducerRequest(
                session_id=self._session_id,
                client_producer_id=self._client_producer_id,
                description=self._description,
            )
            answer = await self._calls.unary(self._calls.producers.RegisterProducer, request)
            # By the server's own clock: this machine's may be another.
            info = await self._calls.unary(self._calls.admin.GetServerInfo, admin_service_pb2.GetServerInfoRequest())
            self._registration = convert.registration(answer.producer)
            lease = self._registration.lease_expire_time - convert.instant(info.server_time)
            self._interval_seconds = max(lease.total_seconds() / RENEWALS_PER_LEASE, INTERVAL_SECONDS_MIN)
            return self._registration

    async def _renew_for_ever(self) -> None:
        while True:
            await asyncio.sleep(self._interval_seconds)
            registration = self.registration
            request = producer_service_pb2.RenewProducersRequest(producer_ids=[registration.producer_id])
            try:
                answer = await self._calls.unary(
                    self._calls.producers.RenewProducers, request, attempt_seconds=max(self._interval_seconds, 1.0)
                )
                if registration.producer_id not in answer.renewed_producer_ids:
                    await self._register(registration)
            except KinpostError as failure:
                log.warning("a producer could not be renewed: %s", failure)
