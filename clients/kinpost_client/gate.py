"""A plugin's gate: tool calls come in before they are judged, and its verdicts go out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self

import grpc
from kinpost.v1 import producer_pb2, producer_service_pb2

from kinpost_client import convert
from kinpost_client.calls import Calls
from kinpost_client.errors import KinpostError, Unreachable
from kinpost_client.records import GatedCall
from kinpost_client.wire_errors import kinpost_error

log = logging.getLogger("kinpost_client")

JUDGED_AT_ONCE_MAX = 64
REASON_BYTES_MAX = 1024
STREAM_KEY = "kinpost-stream"  # `open` when the service has taken the filter

Judge = Callable[[GatedCall], Awaitable[str | None]]


class Gate:
    """A plugin's gate, as an asynchronous context; `Client.gate` makes it.

    Within it each tool call that the plugin asked for is given to `judge`, up to 64 at once: None lets it pass, a text
    blocks it and is what the model reads. A `judge` that raises answers nothing, which counts as the server's
    configuration says. A stream that breaks is opened again; `failure` is what ended it for good, if anything did.
    """

    def __init__(self, calls: Calls, judge: Judge, tool_names: tuple[str, ...]) -> None:
        self.failure: KinpostError | None = None
        self._calls = calls
        self._judge = judge
        self._filter = producer_service_pb2.InterceptFilter(tool_names=tool_names)
        self._stood = False
        self._writing = asyncio.Lock()
        self._room = asyncio.Semaphore(JUDGED_AT_ONCE_MAX)
        self._standing: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._standing = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._stand(), name="kinpost gate")
        try:
            retry = self._calls.retry
            async with asyncio.timeout(retry.give_up_seconds + retry.attempt_seconds):
                await self._standing
        except BaseException as error:
            await self._close()
            if isinstance(error, TimeoutError):
                raise Unreachable from None
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._close()

    async def _close(self) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _stand(self) -> None:
        assert self._standing is not None
        delays = self._calls.retry.delays()
        while True:
            try:
                await self._follow()
                failure: KinpostError = Unreachable("the service ended the gate's stream without saying why")
            except grpc.aio.AioRpcError as error:
                failure = kinpost_error(error)
            except grpc.aio.UsageError:  # the stream had ended when it was written to
                failure = Unreachable()
            if not failure.transient:
                break
            if self._stood:
                delays, self._stood = self._calls.retry.delays(), False
            log.info("gating again: %s", failure)
            await asyncio.sleep(max(next(delays), failure.retry_after_seconds or 0.0))
        self.failure = failure
        log.warning("the gate is over: %s", failure)
        if not self._standing.done():
            self._standing.set_exception(failure)

    async def _follow(self) -> None:
        """Follow one stream to its end. Raises AioRpcError, UsageError."""
        call = self._calls.producers.InterceptToolCalls(metadata=self._calls.metadata)
        judging: set[asyncio.Task[None]] = set()
        try:
            await call.write(producer_service_pb2.InterceptToolCallsRequest(filter=self._filter))
            opened = await call.initial_metadata()
            if opened.get(STREAM_KEY) == "open" and self._standing is not None:
                self._stood = True
                if not self._standing.done():
                    self._standing.set_result(None)
            async for asked in call:
                await self._room.acquire()
                task = asyncio.create_task(self._answer(call, asked))
                judging.add(task)
                task.add_done_callback(judging.discard)
        finally:
            for task in judging:
                task.cancel()
            call.cancel()

    async def _answer(self, call: Any, asked: producer_service_pb2.InterceptToolCallsResponse) -> None:
        verdict = producer_service_pb2.InterceptVerdict(
            intercept_id=asked.intercept_id, decision=producer_pb2.INTERCEPT_DECISION_ALLOW
        )
        try:
            reason = await self._judge(convert.gated_call(asked))
            if reason is not None:
                verdict.decision = producer_pb2.INTERCEPT_DECISION_BLOCK
                verdict.reason = reason.encode()[:REASON_BYTES_MAX].decode("utf-8", "ignore")
            async with self._writing:  # gRPC takes one message at a time
                await call.write(producer_service_pb2.InterceptToolCallsRequest(verdict=verdict))
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError, grpc.aio.UsageError):
            log.info("a verdict could not be given: the stream has ended")
        except Exception:
            log.exception("a tool call was not judged")
        finally:
            self._room.release()
