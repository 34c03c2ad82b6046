"""One call to the service: its metadata, its repetition, its failure as a typed exception."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, TypeVar

import grpc
from kinpost.v1 import PROTOCOL_VERSION
from kinpost.v1.admin_service_pb2_grpc import AdminServiceStub
from kinpost.v1.approval_service_pb2_grpc import ApprovalServiceStub
from kinpost.v1.event_service_pb2_grpc import EventServiceStub
from kinpost.v1.messaging_service_pb2_grpc import MessagingServiceStub
from kinpost.v1.peer_service_pb2_grpc import PeerServiceStub
from kinpost.v1.producer_service_pb2_grpc import ProducerServiceStub
from kinpost.v1.run_service_pb2_grpc import RunServiceStub
from kinpost.v1.session_service_pb2_grpc import SessionServiceStub
from kinpost.v1.tool_service_pb2_grpc import ToolServiceStub

from kinpost_client.retry import Retry
from kinpost_client.wire_errors import kinpost_error

if TYPE_CHECKING:
    from kinpost.v1.admin_service_pb2_grpc import AdminServiceAsyncStub
    from kinpost.v1.approval_service_pb2_grpc import ApprovalServiceAsyncStub
    from kinpost.v1.event_service_pb2_grpc import EventServiceAsyncStub
    from kinpost.v1.messaging_service_pb2_grpc import MessagingServiceAsyncStub
    from kinpost.v1.peer_service_pb2_grpc import PeerServiceAsyncStub
    from kinpost.v1.producer_service_pb2_grpc import ProducerServiceAsyncStub
    from kinpost.v1.run_service_pb2_grpc import RunServiceAsyncStub
    from kinpost.v1.session_service_pb2_grpc import SessionServiceAsyncStub
    from kinpost.v1.tool_service_pb2_grpc import ToolServiceAsyncStub

VERSION_KEY = "kinpost-protocol-version"

Request = TypeVar("Request")
Response = TypeVar("Response")


class Calls:
    """The service's stubs on one channel, and the way to call them."""

    def __init__(self, channel: grpc.aio.Channel, token: str | None, retry: Retry) -> None:
        self.retry = retry
        self.sessions: SessionServiceAsyncStub = SessionServiceStub(channel)
        self.runs: RunServiceAsyncStub = RunServiceStub(channel)
        self.messaging: MessagingServiceAsyncStub = MessagingServiceStub(channel)
        self.tools: ToolServiceAsyncStub = ToolServiceStub(channel)
        self.producers: ProducerServiceAsyncStub = ProducerServiceStub(channel)
        self.peers: PeerServiceAsyncStub = PeerServiceStub(channel)
        self.events: EventServiceAsyncStub = EventServiceStub(channel)
        self.approvals: ApprovalServiceAsyncStub = ApprovalServiceStub(channel)
        self.admin: AdminServiceAsyncStub = AdminServiceStub(channel)
        metadata = [(VERSION_KEY, str(PROTOCOL_VERSION))]
        if token is not None:
            metadata.append(("authorization", f"Bearer {token}"))
        self.metadata = grpc.aio.Metadata(*metadata)

    async def unary(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        *,
        give_up_seconds: float | None = None,
        attempt_seconds: float | None = None,
        extra_seconds: float = 0.0,
    ) -> Response:
        """Call once, or as often as `Retry` lets it while the failure is transient. Raises KinpostError.

        Each attempt has `extra_seconds` more when the service was asked to wait so long before it answers.
        The request must carry an identity, so that repeating it does nothing twice.
        """
        retry = self.retry
        timeout = (attempt_seconds or retry.attempt_seconds) + extra_seconds
        patience = (retry.give_up_seconds if give_up_seconds is None else give_up_seconds) + extra_seconds
        give_up_time = time.monotonic() + patience
        delays = retry.delays()
        while True:
            try:
                return await method(request, timeout=timeout, metadata=self.metadata)
            except grpc.aio.AioRpcError as error:
                failure = kinpost_error(error)
            delay = max(next(delays), failure.retry_after_seconds or 0.0)
            if not failure.transient or time.monotonic() + delay > give_up_time:
                raise failure from None
            await asyncio.sleep(delay)
