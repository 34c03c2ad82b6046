"""A runtime: a program that hosts agents. It is offered sessions that have mail, and runs them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self
from uuid import uuid4

from kinpost.v1 import run_service_pb2

from kinpost_client.attachment import Attachment
from kinpost_client.calls import Calls
from kinpost_client.errors import KinpostError, RunEnded, SessionNotFound, SessionNotOpen, WakeSettled
from kinpost_client.leases import Leases
from kinpost_client.offers import Offers
from kinpost_client.records import Offer
from kinpost_client.run import BREAK_OFF_SECONDS, Run

log = logging.getLogger("kinpost_client")

# Nobody's fault, and no reason to stop serving: the run was another's, or is over.
EXPECTED = (WakeSettled, RunEnded, SessionNotOpen, SessionNotFound)


class Runtime:
    """An attached runtime, as an asynchronous context; `Client.runtime` makes it.

    While it is entered it stays attached, through restarts of the server and cut connections, and renews the leases of
    its runs. Leaving it breaks off the runs that are still active.
    """

    def __init__(self, calls: Calls, runtime_id: str, agents: Iterable[str], *, any_session: bool, slots: int) -> None:
        self.runtime_id = runtime_id
        self._calls = calls
        self._agents = frozenset(agents)
        self._any_session = any_session
        self._slots = slots
        self._runs: set[Run] = set()
        self._idle = asyncio.Event()
        self._idle.set()
        self._offers = Offers(calls, self._agents, slots, self._busy, self._runs_wake)
        self._leases = Leases(calls, runtime_id, self._runs)
        self._attachment = Attachment(calls, self._offers, self._leases, self._attach_request)

    async def __aenter__(self) -> Self:
        await self._attachment.start()
        self._leases.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._offers.close()
        try:
            for run in list(self._runs):
                run.interrupt()
            with suppress(TimeoutError):
                async with asyncio.timeout(2 * BREAK_OFF_SECONDS):
                    await self._idle.wait()
        finally:
            await self._attachment.close()
            await self._leases.close()
            await self._offers.settle()

    def offers(self) -> AsyncIterator[Offer]:
        """Return the offers as they come, for ever. Run each with `run`, or give it back with `decline`.

        A loop that runs one offer after the other wants `slots=1`; `serve` runs as many at once as there are slots.
        An offer that lapses or is settled before it is asked for here is dropped. Raises what ended the attachment:
        RuntimeReplaced, Forbidden, Unauthenticated.
        """
        return self._offers

    async def decline(self, offer: Offer, reason: str = "", *, retry_after_seconds: float | None = None) -> None:
        """Give an offer back: another runtime is offered it first. `reason` is for people, cut at 1024 bytes.

        It is not offered again before `retry_after_seconds`, at most an hour. Raises WakeSettled, SessionNotFound.
        """
        await self._offers.decline(offer, reason, retry_after_seconds)

    def run(self, offer: Offer) -> Run:
        """Return the run of an offer; entering it starts it.

        Entering raises WakeSettled when another runtime was faster or the wake has lapsed, SessionNotOpen when a person
        has paused the session meanwhile, and RunEnded when the run was ended before its start was known here.
        """
        return Run(self, self._calls, offer.session_id, offer, "")

    def start(self, session_id: str, *, client_run_id: str | None = None) -> Run:
        """Return a run of a session that this runtime hosts, for a delegator that starts its child; entering starts it.

        It is not counted against the slots before it starts. The same `client_run_id` (1 to 128 bytes) again means the
        same run: after a crash the run is taken up, once ended it has no turns. Entering raises RunAlreadyActive,
        SessionNotOpen, SessionNotFound, RunEnded.
        """
        return Run(self, self._calls, session_id, None, client_run_id or str(uuid4()))

    async def serve(self, handler: Callable[[Run], Awaitable[None]]) -> None:
        """Run every offer with `handler`, as many at once as there are slots, until cancelled.

        A handler's exception fails its run, is logged, and stops nothing else. Cancelling breaks all runs off. Raises
        what ended the attachment, as `offers`.
        """
        ended: KinpostError | None = None
        async with asyncio.TaskGroup() as group:
            try:
                async for offer in self.offers():
                    group.create_task(self._handle(offer, handler), name=f"run of {offer.session_id}")
            except KinpostError as error:
                ended = error  # what runs may finish: its leases are renewed all the same
        if ended is not None:
            raise ended

    async def _handle(self, offer: Offer, handler: Callable[[Run], Awaitable[None]]) -> None:
        try:
            async with self.run(offer) as run:
                await handler(run)
        except EXPECTED as expected:
            log.info("the run of session %s is over: %s", offer.session_id, expected)
        except Exception:
            log.exception("the run of session %s failed", offer.session_id)

    # What its runs tell it

    def taken(self, run: Run) -> None:
        """Count a run that is about to start."""
        self._runs.add(run)
        self._idle.clear()
        if run.offer is not None:
            self._offers.forget(run.offer.wake_id)

    def started(self, run: Run) -> None:
        """Drop what was offered for a run's session: it has its run."""
        self._offers.forget_session(run.session_id)

    def left(self, run: Run) -> None:
        """Count a run no more. Safe to repeat."""
        self._runs.discard(run)
        if not self._runs:
            self._idle.set()

    def _attach_request(self) -> run_service_pb2.AttachRuntimeRequest:
        return run_service_pb2.AttachRuntimeRequest(
            runtime_id=self.runtime_id,
            agents=sorted(self._agents),
            session_scope=(
                run_service_pb2.SESSION_SCOPE_ANY if self._any_session else run_service_pb2.SESSION_SCOPE_OWN
            ),
            run_slots_max=self._slots,
            held_runs=self._leases.held(),
        )

    def _busy(self) -> int:
        return len(self._runs)

    def _runs_wake(self, wake_id: str) -> bool:
        return any(run.offer is not None and run.offer.wake_id == wake_id for run in self._runs)
