"""One call until it is answered: repeated with the same identity whatever happens to the server meanwhile."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from kinpost.v1 import (
    admin_service_pb2,
    approval_service_pb2,
    event_service_pb2,
    messaging_service_pb2,
    peer_service_pb2,
    producer_service_pb2,
    run_service_pb2,
    session_service_pb2,
)
from kinpost_client.channel import SPREADING
from kinpost_client.errors import DeadlineExceeded, KinpostError
from kinpost_client.wire_errors import kinpost_error

from torture_kit.journal import Journal

SERVICES = (
    admin_service_pb2.DESCRIPTOR.services_by_name["AdminService"],
    approval_service_pb2.DESCRIPTOR.services_by_name["ApprovalService"],
    event_service_pb2.DESCRIPTOR.services_by_name["EventService"],
    messaging_service_pb2.DESCRIPTOR.services_by_name["MessagingService"],
    peer_service_pb2.DESCRIPTOR.services_by_name["PeerService"],
    producer_service_pb2.DESCRIPTOR.services_by_name["ProducerService"],
    run_service_pb2.DESCRIPTOR.services_by_name["RunService"],
    session_service_pb2.DESCRIPTOR.services_by_name["SessionService"],
)
OPTIONS = (
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 300),
    ("grpc.enable_retries", 0),
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.service_config", SPREADING),
    ("grpc.max_receive_message_length", 64 << 20),
)
ATTEMPT_SECONDS = 10.0
IMPATIENT_SECONDS = 0.05
ANSWER_SECONDS_MAX = 120.0  # a call that is not answered for so long is a finding
AGAIN_SECONDS_MAX = 8.0

Refused = KinpostError
UNSURE = "unsure"


def is_sure(refusal: Refused) -> bool:
    """Whether no attempt at what was refused can be carried out any more."""
    return UNSURE not in refusal.metadata


class Caller:
    """Whoever holds a token, on a connection of its own.

    `impatience` is the share of calls whose first attempt gets a deadline of 50 ms; `repetition` the share of answered
    calls that are made once more later, answers and refusals alike.
    """

    def __init__(self, address: str, token: str, journal: Journal, rng: random.Random) -> None:
        self.journal = journal
        self.rng = rng
        self.impatience = 0.0
        self.repetition = 0.0
        self._channel = grpc.aio.insecure_channel(address, options=OPTIONS)
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._later: set[asyncio.Task[None]] = set()
        self._rpcs: dict[str, Any] = {}
        for service in SERVICES:
            for method in service.methods:
                if method.client_streaming:
                    continue
                kind = self._channel.unary_stream if method.server_streaming else self._channel.unary_unary
                self._rpcs[method.name] = kind(
                    f"/{service.full_name}/{method.name}",
                    request_serializer=method.input_type._concrete_class.SerializeToString,  # type: ignore[attr-defined]  # noqa: SLF001
                    response_deserializer=method.output_type._concrete_class.FromString,  # type: ignore[attr-defined]  # noqa: SLF001
                )

    async def ask(self, rpc: str, request: Any) -> Any:
        """Call until it is answered, and return the answer. Raises Refused for one that repeating will not change."""
        answer, _sure = await self.ask_surely(rpc, request)
        return answer

    async def ask_surely(self, rpc: str, request: Any) -> tuple[Any, bool]:
        """As `ask`; return as well whether this was the only attempt, as `is_sure` tells of a refusal.

        An attempt that failed may be carried out still, by a replica that has begun with it and waits for the database.
        """
        tally = self.journal.tally
        tally["calls"] += 1
        loop = asyncio.get_running_loop()
        begin_time = loop.time()
        give_up_time = begin_time + ANSWER_SECONDS_MAX
        seconds = IMPATIENT_SECONDS if self.rng.random() < self.impatience else ATTEMPT_SECONDS
        attempts = 0
        while True:
            attempts += 1
            tally["attempts"] += 1
            try:
                answer = await self._rpcs[rpc](request, metadata=self._metadata, timeout=seconds, wait_for_ready=True)
            except grpc.aio.AioRpcError as error:
                failure = kinpost_error(error)
            else:
                tally["calls that were repeated until answered"] += attempts > 1
                for watcher in self.journal.watchers:
                    watcher.answered(request, answer, begin_time)
                return answer, attempts == 1
            if not (failure.transient or isinstance(failure, DeadlineExceeded)):
                if failure.code.startswith(("server:", "grpc:")):
                    self.journal.found("refusal", f"{rpc}: {failure.text}")
                tally["calls that were repeated until answered"] += attempts > 1
                if attempts > 1:
                    failure.metadata[UNSURE] = "yes"
                raise failure
            if loop.time() > give_up_time:
                self.journal.found(
                    "unanswered", f"{rpc} is not answered for {ANSWER_SECONDS_MAX:.0f} s: {failure.text}"
                )
                raise failure
            self.journal.failures[failure.code] += 1
            seconds = ATTEMPT_SECONDS
            await asyncio.sleep(self.rng.uniform(0.01, 0.1))

    def perhaps_again(self, again: Callable[[], Awaitable[object]]) -> None:
        """Make an answered call once more, at some later time, or not at all. `again` says what a refusal means."""
        if self.rng.random() < self.repetition:
            self.journal.tally["answered calls made again"] += 1
            task = asyncio.create_task(self._again(again, self.rng.uniform(0, AGAIN_SECONDS_MAX)))
            self._later.add(task)
            task.add_done_callback(self._later.discard)

    async def _again(self, again: Callable[[], Awaitable[object]], seconds: float) -> None:
        await asyncio.sleep(seconds)
        try:
            await again()
        except Refused as refusal:
            self.journal.found("two answers", f"a call was answered, and made again was refused: {refusal.text}")

    async def stream(self, rpc: str, request: Any) -> AsyncIterator[Any]:
        """Return what a stream says. Raises Refused when it ends, also when the connection does."""
        call = self._rpcs[rpc](request, metadata=self._metadata, wait_for_ready=True)
        ended = Refused("the stream ended without saying why", code="grpc:ok")
        is_new = True
        try:
            async for answer in call:
                if is_new:
                    is_new = False
                    for watcher in self.journal.watchers:
                        watcher.stream_began(self)
                yield answer
        except grpc.aio.AioRpcError as error:
            ended = kinpost_error(error)
        finally:
            call.cancel()
        for watcher in () if is_new else self.journal.watchers:
            watcher.stream_ended(self, ended.code)
        raise ended

    async def settled(self) -> None:
        """Return when the calls that were to be made again are answered."""
        while self._later:
            await asyncio.gather(*self._later)

    async def close(self) -> None:
        """Close the connection."""
        await self._channel.close()
