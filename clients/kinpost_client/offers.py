"""The offers of a runtime: those that wait to be asked for, and those that it cannot take."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Self

from kinpost.v1 import run_service_pb2

from kinpost_client.calls import Calls
from kinpost_client.errors import KinpostError
from kinpost_client.records import Offer
from kinpost_client.run_calls import cut

log = logging.getLogger("kinpost_client")
# A declined offer that nobody hears of lapses by itself.
DECLINE_SECONDS = 5.0
NO_SLOT_RETRY_SECONDS = 1.0


class Offers(AsyncIterator[Offer]):
    """Offers as they come. What the runtime cannot take is declined at once, so that others are asked."""

    def __init__(
        self,
        calls: Calls,
        agents: frozenset[str],
        slots: int,
        busy: Callable[[], int],
        runs_wake: Callable[[str], bool],
    ) -> None:
        self._calls = calls
        self._agents = agents
        self._slots = slots
        self._busy = busy
        self._runs_wake = runs_wake
        self._waiting: dict[str, Offer] = {}
        self._taken: dict[str, Offer] = {}
        self._changed = asyncio.Event()
        self._closed: Exception | None = None
        self._is_closed = False
        self._declining: set[asyncio.Task[None]] = set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Offer:
        while True:
            if self._waiting:
                wake_id = next(iter(self._waiting))
                offer = self._taken[wake_id] = self._waiting.pop(wake_id)
                return offer
            if self._closed is not None:
                raise self._closed
            if self._is_closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()

    def put(self, offer: Offer) -> None:
        """Take in an offer, or give it back when it cannot be run here.

        One whose wake is being started here, or is in somebody's hands, comes again when the service has not heard of
        that yet. It must not have two runs, each of which would think that the other one has crashed.
        """
        if offer.wake_id in self._waiting or offer.wake_id in self._taken or self._is_closed:
            return
        if self._runs_wake(offer.wake_id):
            return
        if not self._agents & {offer.agent, "*"} and self._agents:
            self._decline_soon(offer, f"this runtime does not run {offer.agent}", None)
        elif self._busy() + len(self._waiting) + len(self._taken) >= self._slots:
            self._decline_soon(offer, "no free slot", NO_SLOT_RETRY_SECONDS)
        else:
            self._waiting[offer.wake_id] = offer
            self._changed.set()

    def forget(self, wake_id: str) -> None:
        """Drop an offer that has been withdrawn, declined or started. Safe to repeat."""
        self._waiting.pop(wake_id, None)
        self._taken.pop(wake_id, None)

    def forget_session(self, session_id: str) -> None:
        """Drop the offers for a session that has a run here, however that run was started."""
        for offers in (self._waiting, self._taken):
            for wake_id in [wake_id for wake_id, offer in offers.items() if offer.session_id == session_id]:
                del offers[wake_id]

    def forget_all(self) -> None:
        """Drop what waits: after a cut the service offers anew what it still offers."""
        self._waiting.clear()

    async def decline(self, offer: Offer, reason: str, retry_after_seconds: float | None) -> None:
        """Give an offer back. Raises WakeSettled, SessionNotFound."""
        self.forget(offer.wake_id)
        request = run_service_pb2.DeclineWakeRequest(
            session_id=offer.session_id, wake_id=offer.wake_id, reason=cut(reason)
        )
        if retry_after_seconds is not None:
            request.retry_after.FromTimedelta(timedelta(seconds=retry_after_seconds))
        await self._calls.unary(self._calls.runs.DeclineWake, request)

    def fail(self, error: Exception) -> None:
        """End the iteration with an error: there will be no more offers."""
        self._closed = error
        self._changed.set()

    def close(self) -> None:
        """End the iteration."""
        self._is_closed = True
        self._waiting.clear()
        self._changed.set()

    async def settle(self) -> None:
        """Wait until what is being declined is declined."""
        await asyncio.gather(*self._declining)

    def _decline_soon(self, offer: Offer, reason: str, retry_after_seconds: float | None) -> None:
        task = asyncio.create_task(self._decline_quietly(offer, reason, retry_after_seconds))
        self._declining.add(task)
        task.add_done_callback(self._declining.discard)

    async def _decline_quietly(self, offer: Offer, reason: str, retry_after_seconds: float | None) -> None:
        try:
            async with asyncio.timeout(DECLINE_SECONDS):
                await self.decline(offer, reason, retry_after_seconds)
        except (KinpostError, TimeoutError) as failure:
            log.info("wake %s could not be declined, it will lapse: %s", offer.wake_id, failure)
