"""RunService: runs, claims and wakes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

from kinpost.v1 import run_pb2
from kinpost.v1 import run_service_pb2 as pb

from kinpost_server.domain.errors import InvalidRequest
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.run import Run, RunState
from kinpost_server.engine.attach import DeclineWake
from kinpost_server.engine.cancel_run import CancelRun
from kinpost_server.engine.claim_messages import ClaimMessages
from kinpost_server.engine.engine import Engine
from kinpost_server.engine.finish_run import FinishRun
from kinpost_server.engine.heartbeat import Heartbeat
from kinpost_server.engine.runtimes import Notice, RunStop, WakeOffer
from kinpost_server.engine.settle_claim import CommitTurn, ReleaseClaim
from kinpost_server.engine.start_run import StartRun
from kinpost_server.transport import convert, fields
from kinpost_server.transport.rpc import Service, Write

AGENTS_MAX = 1000
RUNS_MAX = 10_000
RETRY_SECONDS_MAX = 3600
OUTCOMES = frozenset(RunState) - {RunState.ACTIVE}
SESSION_SCOPES = frozenset({pb.SESSION_SCOPE_UNSPECIFIED, pb.SESSION_SCOPE_OWN, pb.SESSION_SCOPE_ANY})
HEARTBEAT = pb.AttachRuntimeResponse(heartbeat=pb.RuntimeHeartbeat()).SerializeToString()


class RunHandlers(Service):
    """The RPCs of RunService."""

    DESCRIPTOR = pb.DESCRIPTOR.services_by_name["RunService"]

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._delivery = engine.settings.delivery

    async def AttachRuntime(self, caller: Caller, request: pb.AttachRuntimeRequest, write: Write) -> None:
        """Tell a runtime of offers, withdrawals and stops until it leaves."""
        attached = await self._engine.attach(
            caller,
            runtime_id=fields.key(request.runtime_id, "runtime_id", bytes_max=fields.ID_BYTES_MAX),
            agents=_agents(request),
            any_session=_any_session(request),
            slots_max=fields.count(request.run_slots_max, "run_slots_max", least=1, most=RUNS_MAX),
            held_runs=_references(request.held_runs, "held_runs"),
        )
        try:
            first = pb.RuntimeAttached(
                heartbeat_interval=convert.duration(int(self._delivery.heartbeat_seconds * convert.SECOND)),
                run_lease=convert.duration(int(self._delivery.run_lease_seconds * convert.SECOND)),
                stopped_runs=[convert.run_stop(stop) for stop in attached.stopped_runs],
            )
            await write(pb.AttachRuntimeResponse(attached=first).SerializeToString())
            await self._tell(caller, attached, write)
        finally:
            await attached.close()

    async def _tell(self, caller: Caller, notices: AsyncIterator[Notice], write: Write) -> None:
        """Write what a runtime is to be told, and a heartbeat when there is nothing for that long."""
        waiting: asyncio.Future[Notice] | None = None
        try:
            while True:
                if waiting is None:
                    waiting = asyncio.ensure_future(anext(notices))
                await asyncio.wait((waiting,), timeout=self._delivery.heartbeat_seconds)
                self._engine.check_token(caller)
                if waiting.done():
                    notice, waiting = waiting.result(), None
                    await write(_notice(notice).SerializeToString())
                else:
                    await write(HEARTBEAT)
        finally:
            if waiting is not None:
                waiting.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
                waiting.cancel()

    async def Heartbeat(self, caller: Caller, request: pb.HeartbeatRequest) -> pb.HeartbeatResponse:
        """Renew the leases of a runtime's runs."""
        answer = await self._engine.execute(
            Heartbeat(
                caller,
                fields.key(request.runtime_id, "runtime_id", bytes_max=fields.ID_BYTES_MAX),
                _references(request.runs, "runs"),
            )
        )
        return pb.HeartbeatResponse(
            runs=[
                pb.RunLease(
                    session_id=lease.session_id,
                    run_id=lease.run_id,
                    state=run_pb2.RunState.ValueType(lease.state or 0),
                    stop_reason=run_pb2.StopReason.ValueType(lease.stop_reason),
                )
                for lease in answer.runs
            ],
            lease_expire_time=convert.timestamp(answer.lease_expire_time),
        )

    async def DeclineWake(self, caller: Caller, request: pb.DeclineWakeRequest) -> pb.DeclineWakeResponse:
        """Give an offer back."""
        retry_after = 0
        if request.HasField("retry_after"):
            retry_after = fields.duration(request.retry_after, "retry_after", seconds_max=RETRY_SECONDS_MAX)
        command = DeclineWake(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.uuid(request.wake_id, "wake_id"),
            fields.text(request.reason, "reason", bytes_max=fields.REASON_BYTES_MAX),
            retry_after,
        )
        await self._engine.execute(command)
        return pb.DeclineWakeResponse()

    async def StartRun(self, caller: Caller, request: pb.StartRunRequest) -> pb.StartRunResponse:
        """Start a run."""
        identity = request.WhichOneof("identity")
        if identity is None:
            raise InvalidRequest("identity", "is missing: set wake_id or client_run_id")
        id_bytes_max = fields.ID_BYTES_MAX
        command = StartRun(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.uuid(request.wake_id, "wake_id") if identity == "wake_id" else "",
            fields.key(request.client_run_id, "client_run_id", bytes_max=id_bytes_max)
            if identity == "client_run_id"
            else "",
            fields.key(request.attempt_id, "attempt_id", bytes_min=0, bytes_max=id_bytes_max),
            fields.key(request.runtime_id, "runtime_id", bytes_min=0, bytes_max=id_bytes_max),
            request.bytes_max,
        )
        started = await self._engine.execute(command)
        return pb.StartRunResponse(
            run=convert.run(started.run),
            claim=convert.claim(started.claim) if started.claim is not None else None,
        )

    async def ClaimMessages(self, caller: Caller, request: pb.ClaimMessagesRequest) -> pb.ClaimMessagesResponse:
        """Commit the previous claim and reserve mail for the next model request."""
        command = ClaimMessages(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.uuid(request.run_id, "run_id"),
            fields.key(request.attempt_id, "attempt_id", bytes_max=fields.ID_BYTES_MAX),
            _commit_claim_seq(request),
            request.bytes_max,
        )
        claimed = await self._engine.execute(command)
        return pb.ClaimMessagesResponse(
            claim=convert.claim(claimed.claim), stop_reason=run_pb2.StopReason.ValueType(claimed.stop_reason)
        )

    async def CommitTurn(self, caller: Caller, request: pb.CommitTurnRequest) -> pb.CommitTurnResponse:
        """Mark a claim's messages as consumed."""
        command = CommitTurn(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.uuid(request.run_id, "run_id"),
            fields.sequence(request.claim_seq, "claim_seq"),
        )
        consumed = await self._engine.execute(command)
        return pb.CommitTurnResponse(consumed_message_ids=consumed)

    async def ReleaseClaim(self, caller: Caller, request: pb.ReleaseClaimRequest) -> pb.ReleaseClaimResponse:
        """Give a claim back."""
        command = ReleaseClaim(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.uuid(request.run_id, "run_id"),
            fields.sequence(request.claim_seq, "claim_seq"),
            fields.text(request.reason, "reason", bytes_max=fields.REASON_BYTES_MAX),
        )
        await self._engine.execute(command)
        return pb.ReleaseClaimResponse()

    async def FinishRun(self, caller: Caller, request: pb.FinishRunRequest) -> pb.FinishRunResponse:
        """End a run, or go on with mail that waits."""
        outcome = fields.choice(request.outcome, "outcome", RunState)
        if outcome not in OUTCOMES:
            raise InvalidRequest("outcome", "must be COMPLETED, FAILED, INTERRUPTED or CANCELLED")
        if request.by_person and outcome is not RunState.CANCELLED:
            raise InvalidRequest("by_person", "goes only with CANCELLED")
        if request.continue_attempt_id and outcome is not RunState.COMPLETED:
            raise InvalidRequest("continue_attempt_id", "goes only with COMPLETED")
        command = FinishRun(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.uuid(request.run_id, "run_id"),
            outcome,
            fields.text(request.reason, "reason", bytes_max=fields.REASON_BYTES_MAX),
            request.by_person,
            _commit_claim_seq(request),
            fields.key(request.continue_attempt_id, "continue_attempt_id", bytes_min=0, bytes_max=fields.ID_BYTES_MAX),
        )
        answer = await self._engine.execute(command)
        if isinstance(answer, Run):
            return pb.FinishRunResponse(run=convert.run(answer))
        return pb.FinishRunResponse(claim=convert.claim(answer))

    async def CancelRun(self, caller: Caller, request: pb.CancelRunRequest) -> pb.CancelRunResponse:
        """Cancel a run."""
        command = CancelRun(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.optional_uuid(request.run_id, "run_id"),
            fields.text(request.reason, "reason", bytes_max=fields.REASON_BYTES_MAX),
            request.by_person,
        )
        cancelled = await self._engine.execute(command)
        return pb.CancelRunResponse(run=convert.run(cancelled.run), session=convert.session(cancelled.session))


def _notice(notice: Notice) -> pb.AttachRuntimeResponse:
    if isinstance(notice, WakeOffer):
        return pb.AttachRuntimeResponse(
            wake_offer=pb.WakeOffer(
                wake_id=notice.wake_id,
                session_id=notice.session_id,
                root_session_id=notice.root_session_id,
                agent=notice.agent,
                offer_number=notice.offer_number,
                expire_time=convert.timestamp(notice.expire_time),
                pending_count=notice.pending_count,
            )
        )
    if isinstance(notice, RunStop):
        return pb.AttachRuntimeResponse(run_stop=convert.run_stop(notice))
    return pb.AttachRuntimeResponse(
        wake_withdrawn=pb.WakeOfferWithdrawn(
            wake_id=notice.wake_id,
            session_id=notice.session_id,
            reason=pb.WithdrawReason.ValueType(notice.reason),
        )
    )


def _agents(request: pb.AttachRuntimeRequest) -> frozenset[str]:
    fields.few(len(request.agents), "agents", most=AGENTS_MAX)
    return frozenset(fields.name(agent, f"agents[{index}]") for index, agent in enumerate(request.agents))


def _any_session(request: pb.AttachRuntimeRequest) -> bool:
    scope = request.session_scope
    if scope not in SESSION_SCOPES:
        raise InvalidRequest("session_scope", f"{scope} is not one of its values")
    if scope != pb.SESSION_SCOPE_ANY:
        return False
    if not request.agents:
        raise InvalidRequest("agents", "is missing: session_scope ANY needs them")
    return True


def _references(references: Iterable[run_pb2.RunReference], field: str) -> list[tuple[str, str]]:
    """Return the (session, run) pairs, each once and in their order."""
    pairs = [
        (
            fields.uuid(reference.session_id, f"{field}[{index}].session_id"),
            fields.uuid(reference.run_id, f"{field}[{index}].run_id"),
        )
        for index, reference in enumerate(references)
    ]
    fields.few(len(pairs), field, most=RUNS_MAX)
    return pairs


def _commit_claim_seq(request: pb.ClaimMessagesRequest | pb.FinishRunRequest) -> int:
    if not request.HasField("commit_claim_seq"):
        return 0
    return fields.sequence(request.commit_claim_seq, "commit_claim_seq")
