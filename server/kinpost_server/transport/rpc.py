"""One wrapper around every RPC, bytes in and bytes out: version, token, size, parse, handle, serialise, refuse.

A service is a class whose methods bear the names of its RPCs. What a class does not have is UNIMPLEMENTED.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, NoReturn, TypeVar

import grpc.aio
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from kinpost_server.domain.errors import InvalidRequest, Refusal, Unauthenticated
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.transport.faults import log_internal
from kinpost_server.transport.identity import read_metadata, secret_of
from kinpost_server.transport.intake import Intake
from kinpost_server.transport.limits import StreamSlots, TransportLimits
from kinpost_server.transport.malformed import first_fault
from kinpost_server.transport.status import Told, told, told_internal
from kinpost_server.transport.tracing import Tracing

Context = grpc.aio.ServicerContext[bytes, bytes]
Write = Callable[[bytes], Awaitable[None]]
Unary = Callable[[Caller, Any], Awaitable[Message | bytes]]
Stream = Callable[[Caller, Any, Write], Awaitable[None]]
Dialogue = Callable[[Caller, "Requests", Write], Awaitable[None]]
Request = TypeVar("Request", bound=Message)

NOBODY = Caller("", TokenKind.OBSERVER)  # of an RPC that needs no token; nothing may be decided by it


STREAM_OPEN = ("kinpost-stream", "open")  # initial metadata: the first request was taken


class Service:
    """The RPCs of one service of the contract: a method each, named as the RPC."""

    DESCRIPTOR: ClassVar[ServiceDescriptor]
    # RPCs that need no token; their caller means nothing, and their request, which is empty, is not read.
    WITHOUT_TOKEN: ClassVar[frozenset[str]] = frozenset()

    @property
    def full_name(self) -> str:
        """The service's name on the wire."""
        return self.DESCRIPTOR.full_name


class Requests:
    """The requests of a call on which both sides go on: the first, then as they come."""

    def __init__(self, intake: Intake, context: Context, request_class: type[Message], first: Message) -> None:
        self.first: Any = first
        self._intake = intake
        self._context = context
        self._request_class = request_class

    async def begin(self) -> None:
        """Let the client know that its first request was taken."""
        await self._context.send_initial_metadata((STREAM_OPEN,))

    async def next(self) -> Any | None:
        """Return the next request, None when the client has no more. Raises InvalidRequest, RequestTooLarge."""
        data = await self._intake.read_more(self._context)
        return None if data is None else _parsed(self._request_class, data)


class CallerGone(Exception):
    """An answer could not be written: there is nobody to tell, and nothing to report."""


class Door:
    """What every call passes on its way to a handler."""

    def __init__(
        self,
        caller_of: Callable[[str], Caller],
        look_again: Callable[[], Awaitable[bool]],
        limits: TransportLimits,
        tracing: Tracing | None = None,
    ) -> None:
        self.limits = limits
        self.streams = StreamSlots(limits.streams_per_token_max)
        self.intake = Intake(limits)
        self.calls = 0  # those that are being answered, streams included
        self.taken = 0  # all that ever came
        self._caller_of = caller_of
        self._look_again = look_again
        self._tracing = tracing

    def handlers(self, service: Service) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return a raw handler for each RPC that the service has. Raises TypeError for a name that is none."""
        methods = service.DESCRIPTOR.methods_by_name
        named = [name for name in vars(type(service)) if name[0].isupper() and not name.isupper()]
        for name in named:
            if name not in methods:
                raise TypeError(f"{service.full_name} has no RPC {name}")
        return {name: self._handler(service, methods[name], getattr(service, name)) for name in named}

    def _handler(
        self, service: Service, method: MethodDescriptor, function: Any
    ) -> grpc.RpcMethodHandler[bytes, bytes]:
        request_class: type[Message] = GetMessageClass(method.input_type)
        streaming = method.client_streaming or method.server_streaming
        if streaming:
            handle: Any = self._stream(function, request_class, many=method.client_streaming)
        else:
            open_to_all = method.name in service.WITHOUT_TOKEN
            handle = self._unary(function, request_class, open_to_all=open_to_all)
        if self._tracing is not None:
            handle = self._tracing.rpc(service.full_name, method.name, handle)
        if streaming:
            return grpc.stream_stream_rpc_method_handler(handle)
        return grpc.stream_unary_rpc_method_handler(handle)

    def _unary(
        self, function: Unary, request_class: type[Message], *, open_to_all: bool
    ) -> Callable[[object, Context], Awaitable[bytes]]:
        intake = self.intake
        caller_of = self._caller
        tracing = self._tracing

        async def handle(_requests: object, context: Context) -> bytes:  # noqa: RET503 - _abort never returns
            token_id, size = "", 0
            data, request = b"", None
            self.calls += 1
            self.taken += 1
            try:
                authorization = read_metadata(context.invocation_metadata())
                caller = NOBODY if open_to_all else await caller_of(secret_of(authorization))
                # Who needs no token has nothing to say: it is not read, so that nothing of a stranger's is kept.
                data = b"" if open_to_all else await intake.read(caller, context)
                token_id, size = caller.token_id, len(data)
                request = _parsed(request_class, data)
                data = b""  # parsed, it is only a second copy
                if tracing is not None:
                    tracing.asked(caller, request)
                answer = await function(caller, request)
                return answer if isinstance(answer, bytes) else answer.SerializeToString()
            except Refusal as refusal:
                fault = told(refusal) or _internal(refusal)
            except Exception as failure:  # noqa: BLE001 - the one catch-all of the service
                fault = _internal(failure)
            finally:
                self.calls -= 1
                if size:
                    intake.room.give_back(token_id, size)
            # gRPC keeps the exception that ends a call, and with it this frame, until the collector comes by.
            data, request = b"", None
            if tracing is not None:
                tracing.refused(fault)
            await _abort(context, fault)

        return handle

    def _stream(
        self, function: Stream | Dialogue, request_class: type[Message], *, many: bool
    ) -> Callable[[object, Context], Awaitable[None]]:
        intake = self.intake
        caller_of = self._caller
        tracing = self._tracing

        async def handle(_requests: object, context: Context) -> None:
            async def write(answer: bytes) -> None:
                try:
                    await context.write(answer)
                except Exception as failure:
                    # gRPC's own, and sometimes before it knows that the call has ended with its connection
                    raise CallerGone from failure

            self.calls += 1
            self.taken += 1
            try:
                caller = await caller_of(secret_of(read_metadata(context.invocation_metadata())))
                with self.streams.taken(caller):
                    data = await intake.read(caller, context)
                    intake.room.give_back(caller.token_id, len(data))
                    request = _parsed(request_class, data)
                    if tracing is not None:
                        tracing.asked(caller, request)
                    said: Any = Requests(intake, context, request_class, request) if many else request
                    await function(caller, said, write)
                    return
            except Refusal as refusal:
                fault = told(refusal) or _internal(refusal)
            except CallerGone as gone:
                raise asyncio.CancelledError from gone
            except Exception as failure:
                if context.done():
                    raise asyncio.CancelledError from failure
                fault = _internal(failure)
            finally:
                self.calls -= 1
            if tracing is not None:
                tracing.refused(fault)
            await _abort(context, fault)

        return handle

    async def _caller(self, secret: str) -> Caller:
        """Return who a secret belongs to; it may be of a token that another replica has just made."""
        try:
            return self._caller_of(secret)
        except Unauthenticated:
            if not await self._look_again():
                raise
        return self._caller_of(secret)

    async def drained(self, seconds: float) -> None:
        """Return when no call and no stream is left, and none has come for so many seconds."""
        taken = -1
        while self.calls or taken != self.taken:
            taken = self.taken
            await asyncio.sleep(seconds)


def _parsed(request_class: type[Request], data: bytes) -> Request:
    request = request_class()
    try:
        request.ParseFromString(data)
    except DecodeError:
        field, fault = first_fault(request_class.DESCRIPTOR, data)
        raise InvalidRequest(field, fault) from None
    return request


def _internal(failure: BaseException) -> Told:
    return told_internal(log_internal(failure))


async def _abort(context: Context, fault: Told) -> NoReturn:
    await context.abort(fault.grpc_code, fault.text, fault.trailers)
    raise AssertionError  # abort never returns
