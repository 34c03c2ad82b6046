"""A runtime's attachment: the stream that brings offers and stops, opened again whenever it breaks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import grpc
from kinpost.v1 import run_pb2, run_service_pb2

from kinpost_client import convert
from kinpost_client.calls import Calls
from kinpost_client.errors import KinpostError, Unreachable
from kinpost_client.leases import Leases
from kinpost_client.offers import Offers
from kinpost_client.wire_errors import kinpost_error

log = logging.getLogger("kinpost_client")

# The service says that the stream lives as often as it wants heartbeats; after three silent intervals, and a little for
# a slow machine, it does not.
SILENT_INTERVALS_MAX = 3
SILENCE_SPARE_SECONDS = 5.0
FIRST_MESSAGE_SECONDS = 10.0


class Attachment:
    """Keeps a runtime attached until it is closed, or until the service refuses it for good."""

    def __init__(
        self,
        calls: Calls,
        offers: Offers,
        leases: Leases,
        request: Callable[[], run_service_pb2.AttachRuntimeRequest],
    ) -> None:
        self._calls = calls
        self._offers = offers
        self._leases = leases
        self._request = request
        self._attached: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._silence_seconds = FIRST_MESSAGE_SECONDS

    async def start(self) -> None:
        """Attach, and stay so. Raises what the service refuses the attachment with.

        An unreachable service is waited for as long as any call is repeated.
        """
        self._attached = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._stay_attached(), name="kinpost attachment")
        try:
            async with asyncio.timeout(self._calls.retry.give_up_seconds + FIRST_MESSAGE_SECONDS):
                await self._attached
        except BaseException as error:
            await self.close()
            if isinstance(error, TimeoutError):
                raise Unreachable from None
            raise

    async def close(self) -> None:
        """Let go of the attachment: the service offers its sessions to others."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _stay_attached(self) -> None:
        try:
            await self._attach_again_and_again()
        except Exception as fault:
            log.exception("the attachment broke")
            self._offers.fail(fault)
            raise

    async def _attach_again_and_again(self) -> None:
        delays = self._calls.retry.delays()
        while True:
            try:
                await self._attach()
                failure: KinpostError = Unreachable("the service ended the attachment without saying why")
            except grpc.aio.AioRpcError as error:
                failure = kinpost_error(error)
            except TimeoutError:
                failure = Unreachable(f"{Unreachable.CODE}: the attachment has fallen silent")
            if not failure.transient:
                self._refused(failure)
                return
            if self._silence_seconds != FIRST_MESSAGE_SECONDS:  # it stood meanwhile
                delays = self._calls.retry.delays()
                self._silence_seconds = FIRST_MESSAGE_SECONDS
            log.info("attaching again: %s", failure)
            await asyncio.sleep(max(next(delays), failure.retry_after_seconds or 0.0))

    async def _attach(self) -> None:
        """Attach once and follow the stream to its end. Raises AioRpcError, TimeoutError when it falls silent."""
        call = self._calls.runs.AttachRuntime(self._request(), metadata=self._calls.metadata)
        try:
            messages = aiter(call)
            while True:
                async with asyncio.timeout(self._silence_seconds):
                    try:
                        message = await anext(messages)
                    except StopAsyncIteration:
                        return
                self._heed(message)
        finally:
            call.cancel()

    def _heed(self, message: run_service_pb2.AttachRuntimeResponse) -> None:
        match message.WhichOneof("message"):
            case "attached":
                self._stands(message.attached)
            case "wake_offer":
                self._offers.put(convert.offer(message.wake_offer))
            case "wake_withdrawn":
                self._offers.forget(message.wake_withdrawn.wake_id)
            case "run_stop":
                self._leases.stop(message.run_stop.run_id, message.run_stop.reason)
            case _:  # a heartbeat, or what a newer service says
                pass

    def _stands(self, attached: run_service_pb2.RuntimeAttached) -> None:
        interval = attached.heartbeat_interval.ToTimedelta().total_seconds()
        self._silence_seconds = SILENT_INTERVALS_MAX * interval + SILENCE_SPARE_SECONDS
        self._leases.set_interval(interval)
        self._offers.forget_all()
        for stopped in attached.stopped_runs:
            # An outcome of its own making is no reason to stop; one that is named is.
            self._leases.stop(stopped.run_id, stopped.reason or run_pb2.STOP_REASON_LEASE_LOST)
        if self._attached is not None and not self._attached.done():
            self._attached.set_result(None)

    def _refused(self, failure: KinpostError) -> None:
        log.warning("the attachment is over: %s", failure)
        self._offers.fail(failure)
        if self._attached is not None and not self._attached.done():
            self._attached.set_exception(failure)
