"""The leases of a runtime's runs: one Heartbeat renews them all, and tells which of them must stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection

from kinpost.v1 import run_pb2, run_service_pb2

from kinpost_client import convert
from kinpost_client.calls import Calls
from kinpost_client.errors import KinpostError, RunCancelled, RunLeaseLost, RunNotActive, SessionNotFound
from kinpost_client.run import Run
from kinpost_client.terms import StopReason

log = logging.getLogger("kinpost_client")

ERRORS: dict[StopReason, type[KinpostError]] = {
    StopReason.CANCELLED: RunCancelled,
    StopReason.LEASE_LOST: RunLeaseLost,
    StopReason.DELETED: SessionNotFound,
    StopReason.UNKNOWN: RunNotActive,
}


class Leases:
    """Renews the leases of the runs in `runs`, which the runtime fills, as often as the service wants."""

    def __init__(self, calls: Calls, runtime_id: str, runs: Collection[Run]) -> None:
        self._calls = calls
        self._runtime_id = runtime_id
        self._runs = runs
        self._interval_seconds = 15.0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin."""
        self._task = asyncio.create_task(self._renew_all(), name="kinpost leases")

    async def close(self) -> None:
        """Renew no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def set_interval(self, seconds: float) -> None:
        """Set how often the service wants a Heartbeat."""
        self._interval_seconds = seconds

    def held(self) -> list[run_pb2.RunReference]:
        """Return the runs that the runtime holds."""
        return [
            run_pb2.RunReference(session_id=run.session_id, run_id=run.run_id) for run in self._runs if run.is_active
        ]

    def stop(self, run_id: str, reason: run_pb2.StopReason.ValueType) -> None:
        """Stop a run that the service has ended; with NOT_OPEN it may finish and is only told."""
        why = convert.term(StopReason, reason)
        for run in self._runs:
            if run.run_id != run_id:
                continue
            if why is StopReason.NOT_OPEN:
                run.stop_reason = why
            else:
                run.stop(ERRORS[why]())

    async def _renew_all(self) -> None:
        while True:
            await asyncio.sleep(self._interval_seconds)
            runs = self.held()
            if not runs:
                continue
            request = run_service_pb2.HeartbeatRequest(runtime_id=self._runtime_id, runs=runs)
            try:
                answer = await self._calls.unary(
                    self._calls.runs.Heartbeat, request, attempt_seconds=max(self._interval_seconds, 1.0)
                )
            except KinpostError as failure:
                log.warning("leases could not be renewed: %s", failure)
                continue
            for lease in answer.runs:
                self._heed(lease)

    def _heed(self, lease: run_service_pb2.RunLease) -> None:
        if lease.stop_reason:
            self.stop(lease.run_id, lease.stop_reason)
        elif lease.state == run_pb2.RUN_STATE_UNSPECIFIED:  # the service knows of no such run
            self.stop(lease.run_id, run_pb2.STOP_REASON_UNSPECIFIED)
