"""Calls to the service by its synchronous stubs: metadata, deadlines, pages, typed failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from time import sleep
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import grpc
from kinpost.v1 import PROTOCOL_VERSION
from kinpost.v1.admin_service_pb2_grpc import AdminServiceStub
from kinpost.v1.approval_service_pb2_grpc import ApprovalServiceStub
from kinpost.v1.event_service_pb2_grpc import EventServiceStub
from kinpost.v1.messaging_service_pb2_grpc import MessagingServiceStub
from kinpost.v1.peer_service_pb2_grpc import PeerServiceStub
from kinpost.v1.run_service_pb2_grpc import RunServiceStub
from kinpost.v1.session_service_pb2_grpc import SessionServiceStub
from kinpost_client.calls import VERSION_KEY
from kinpost_client.channel import open_synchronous_channel
from kinpost_client.wire_errors import FailedCall, kinpost_error

from kinpost_cli.connection import Connection
from kinpost_cli.output import progress

if TYPE_CHECKING:
    from google.protobuf.message import Message

PAGE_SIZE = 1000
Answer = TypeVar("Answer")


class Calls(AbstractContextManager["Calls"]):
    """The service's stubs on one channel, closed with the context. A call is made once: a person repeats it."""

    def __init__(self, connection: Connection, channel: grpc.Channel) -> None:
        self.connection = connection
        self.channel = channel
        self.sessions = SessionServiceStub(channel)
        self.runs = RunServiceStub(channel)
        self.messaging = MessagingServiceStub(channel)
        self.events = EventServiceStub(channel)
        self.approvals = ApprovalServiceStub(channel)
        self.admin = AdminServiceStub(channel)
        self.peers = PeerServiceStub(channel)
        self.authorization: tuple[tuple[str, str], ...] = ()
        if connection.token is not None:
            self.authorization = (("authorization", f"Bearer {connection.token}"),)
        self.metadata = ((VERSION_KEY, str(PROTOCOL_VERSION)), *self.authorization)
        self.wait: Callable[[float], None] = sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.channel.close()

    def unary(self, method: Callable[..., Answer], request: Message, *, with_version: bool = True) -> Answer:
        """Call and return the answer. Raises KinpostError."""
        metadata = self.metadata if with_version else self.authorization
        try:
            return method(request, timeout=self.connection.seconds, metadata=metadata)
        except grpc.RpcError as error:
            raise kinpost_error(cast("FailedCall", error)) from None

    def pages(self, method: Callable[..., Answer], request: Any) -> Iterator[Answer]:
        """Yield the pages of a list, one after the other. Raises KinpostError."""
        request.page_size = PAGE_SIZE
        while True:
            page: Any = self.unary(method, request)
            yield page
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def all(self, method: Callable[..., Any], request: Any, field: str, doing: str) -> list[Any]:
        """Return all entries of a list, with progress. Raises KinpostError."""
        entries: list[Any] = []
        with progress(doing) as seen:
            for page in self.pages(method, request):
                found = getattr(page, field)
                entries += found
                seen.add(len(found))
        return entries


def open_calls(connection: Connection) -> Calls:
    """Return the stubs of a connection. Nothing is sent before the first call."""
    channel = open_synchronous_channel(
        connection.address, tls=connection.tls, root_certificates=connection.root_certificates
    )
    return Calls(connection, channel)
