"""How agents send: one by one and in batches, in both modes, expiring, in place of earlier mail, and taken back."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from google.protobuf.duration_pb2 import Duration
from kinpost.v1 import message_pb2, messaging_service_pb2

from torture_kit.callers import Caller, Refused, is_sure
from torture_kit.journal import USER, Identity, Send, body_of
from torture_kit.world import Place, World

FULL = ("send_message:inbox_full", "send_message:inflight_full", "producer:inbox_full")
# Of a send of which a person is asked.
EXPIRED = "approval:expired"
NOT_ALLOWED = ("approval:too_many", "approval:denied", EXPIRED, "approval:cancelled")
# Of a send that replaces what is not there any more.
GONE = ("message:not_found",)
RUN_ENDED = ("run:lease_lost", "run:cancelled", "run:not_active")
APPROVAL_WAIT = Duration(seconds=2)
BATCH_MAX = 40
PARALLEL_MAX = 4


class Sender:
    """Sends for one run."""

    def __init__(self, caller: Caller, world: World, session_id: str, run_id: str, rng: random.Random) -> None:
        self._caller = caller
        self._world = world
        self._journal = world.journal
        self._session_id = session_id
        self._run_id = run_id
        self._rng = rng
        self._name = f"{rng.getrandbits(32):08x}"  # a runtime that died and came back may hold the same run again
        self._count = 0
        self._sent: dict[str, str] = {}  # the last message to each recipient

    async def send_some(self) -> None:
        """Send what a turn sends. Raises Refused when the run has ended."""
        rng = self._rng
        if rng.random() < 0.35:
            await self._send_batch(rng.randint(2, BATCH_MAX))
            return
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            results = await asyncio.gather(
                *(self._send() for _ in range(rng.randint(1, PARALLEL_MAX))), return_exceptions=True
            )
            for result in results:
                if isinstance(result, BaseException):
                    raise result
        if self._sent and rng.random() < 0.15:
            await self._retract(rng.choice(list(self._sent.values())))

    def _plan(self) -> tuple[Identity, Send, Place, float]:
        """Decide what to send, and write it down before it is asked for."""
        rng = self._rng
        self._count += 1
        identity = Identity(self._session_id, self._run_id, f"{self._name}-{self._count}")
        place = self._world.peer_of(self._session_id, rng)
        mode = message_pb2.MESSAGE_MODE_QUEUE if rng.random() < 0.3 else message_pb2.MESSAGE_MODE_STEER
        expire_seconds = rng.uniform(1, 3) if rng.random() < 0.05 else 0.0
        supersedes = self._sent.get(place.session_id, "") if rng.random() < 0.1 else ""
        send = Send(place.session_id, mode, bool(expire_seconds), supersedes)
        self._journal.sends[identity] = send
        return identity, send, place, expire_seconds

    def _fill(self, wire: Any, identity: Identity, send: Send, place: Place, expire_seconds: float) -> None:
        wire.tool_call_id = identity.key
        wire.to = place.handle if self._rng.random() < 0.5 else place.session_id
        wire.body = body_of(identity)
        wire.mode = send.mode
        if expire_seconds:
            wire.expire_after.CopyFrom(Duration(nanos=int(expire_seconds % 1 * 1e9), seconds=int(expire_seconds)))
        wire.supersedes_message_id = send.supersedes

    async def _send(self) -> None:
        identity, send, place, expire_seconds = self._plan()
        request = messaging_service_pb2.SendMessageRequest(session_id=self._session_id, run_id=self._run_id)
        self._fill(request, identity, send, place, expire_seconds)
        if self._rng.random() < 0.5:
            request.approval_wait.CopyFrom(APPROVAL_WAIT)

        async def once() -> None:
            answer = await self._caller.ask("SendMessage", request)
            self._take(identity, answer)

        try:
            await once()
        except Refused as refusal:
            self._refused(identity, refusal.code, sure=is_sure(refusal))
            if refusal.code in RUN_ENDED:
                raise
            return

        async def asked_again() -> None:
            """A send that waits for a person may get another answer each time it is made."""
            try:
                await once()
            except Refused as refusal:
                self._refused(identity, refusal.code, sure=is_sure(refusal))

        self._caller.perhaps_again(asked_again)

    async def _send_batch(self, size: int) -> None:
        planned = [self._plan() for _ in range(size)]
        request = messaging_service_pb2.BatchSendMessagesRequest(session_id=self._session_id, run_id=self._run_id)
        for plan in planned:
            self._fill(request.sends.add(), *plan)

        async def once() -> list[str]:
            answer, sure = await self._caller.ask_surely("BatchSendMessages", request)
            codes = []
            for (identity, *_), result in zip(planned, answer.results, strict=True):
                if result.HasField("error"):
                    self._refused(identity, result.error.code, sure=sure)
                    codes.append(result.error.code)
                else:
                    self._take(identity, result)
            return codes

        codes = await once()
        self._caller.perhaps_again(once)
        for code in codes:
            if code in RUN_ENDED:
                raise Refused(code, code=code)

    def _take(
        self,
        identity: Identity,
        answer: messaging_service_pb2.SendMessageResponse | messaging_service_pb2.BatchSendResult,
    ) -> None:
        if answer.HasField("pending_approval"):
            self._journal.asked_of_person(identity, answer.pending_approval.approval_id)
            return
        accepted = answer.accepted
        self._journal.accepted(identity, accepted.message_id, replayed=accepted.replayed)
        send = self._journal.sends[identity]
        self._sent[send.recipient] = accepted.message_id

    def _refused(self, identity: Identity, code: str, *, sure: bool) -> None:
        # That an approval expired is told before it is stored: until then it may be decided.
        self._journal.refused(identity, code, sure=sure and code != EXPIRED)
        if code not in FULL + GONE + RUN_ENDED + NOT_ALLOWED:
            self._journal.found("refusal", f"a send was refused with {code}")

    async def _retract(self, message_id: str) -> None:
        journal = self._journal
        journal.retractions_asked.add(message_id)
        request = messaging_service_pb2.RetractMessageRequest(session_id=self._session_id, message_id=message_id)
        try:
            await self._caller.ask("RetractMessage", request)
        except Refused as refusal:
            journal.retraction_refused(message_id, refusal.code, sure=is_sure(refusal))
        else:
            journal.retracted.add(message_id)


async def send_user_message(caller: Caller, world: World, session_id: str, key: str, rng: random.Random) -> None:
    """Write to a session as a person."""
    journal = world.journal
    identity = Identity(session_id, USER, key)
    mode = message_pb2.MESSAGE_MODE_QUEUE if rng.random() < 0.3 else message_pb2.MESSAGE_MODE_STEER
    journal.sends[identity] = Send(session_id, mode)
    request = messaging_service_pb2.SendUserMessageRequest(
        session_id=session_id, client_message_id=key, body=body_of(identity), mode=mode
    )

    async def once() -> None:
        answer = await caller.ask("SendUserMessage", request)
        journal.accepted(identity, answer.accepted.message_id, replayed=answer.accepted.replayed)

    try:
        await once()
    except Refused as refusal:
        journal.refused(identity, refusal.code, sure=is_sure(refusal))
        if refusal.code not in FULL:
            journal.found("refusal", f"a person's message was refused with {refusal.code}")
        return
    caller.perhaps_again(once)
