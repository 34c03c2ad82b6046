"""A plugin: it registers with sessions, writes into them, and takes some of it back."""

from __future__ import annotations

import asyncio
import random

from kinpost.v1 import message_pb2, producer_service_pb2

from torture_kit.callers import Caller, Refused, is_sure
from torture_kit.journal import PLUGIN, Identity, Send, body_of
from torture_kit.sending import FULL
from torture_kit.world import Somebody, World

NAME = "torture"
WRITE_SECONDS = 0.15
LAPSED = "producer:not_found"


class Plugin(Somebody):
    """Somebody with a plugin's token. Its registrations lapse where it does not write for some seconds."""

    def __init__(self, caller: Caller, world: World, rng: random.Random) -> None:
        super().__init__(caller, world, rng)
        self._registered: dict[str, str] = {}  # session to registration

    async def live(self) -> None:
        """Write, as long as it goes on."""
        while self._world.goes_on:
            await self._write()
            await asyncio.sleep(self._rng.expovariate(1 / WRITE_SECONDS))

    async def _write(self) -> None:
        self._count += 1
        session_id = self._rng.choice(sorted(self._world.places))
        identity = Identity(session_id, PLUGIN, f"plugin-{self._count}")
        mode = message_pb2.MESSAGE_MODE_QUEUE if self._rng.random() < 0.3 else message_pb2.MESSAGE_MODE_STEER
        send = self._journal.sends[identity] = Send(session_id, mode)
        request = producer_service_pb2.SendProducerMessageRequest(
            session_id=session_id, idempotency_key=identity.key, mode=mode, body=body_of(identity)
        )

        async def once() -> None:
            accepted = (await self._caller.ask("SendProducerMessage", request)).accepted
            self._journal.accepted(identity, accepted.message_id, replayed=accepted.replayed)

        while self._world.goes_on and not send.message_ids:
            request.producer_id = await self._registration(session_id)
            try:
                await once()
            except Refused as refusal:
                if refusal.code == LAPSED:
                    self._journal.refusals[refusal.code] += 1
                    del self._registered[session_id]
                    continue
                self._journal.refused(identity, refusal.code, sure=is_sure(refusal))
                if refusal.code not in FULL:
                    self._journal.found("refusal", f"a plugin's message was refused: {refusal.text}")
                return
        if not send.message_ids:
            return  # it lapsed, and no more is wanted
        self._caller.perhaps_again(once)
        if self._rng.random() < 0.1:
            await self._discard(session_id, send.message_ids[0])

    async def _registration(self, session_id: str) -> str:
        if session_id not in self._registered:
            request = producer_service_pb2.RegisterProducerRequest(session_id=session_id, client_producer_id="the only")
            producer = (await self._caller.ask("RegisterProducer", request)).producer
            self._registered[session_id] = producer.producer_id
            self._journal.tally["registrations"] += 1
        return self._registered[session_id]

    async def _discard(self, session_id: str, message_id: str) -> None:
        self._journal.retractions_asked.add(message_id)
        request = producer_service_pb2.DiscardProducerMessageRequest(session_id=session_id, message_id=message_id)
        try:
            await self._caller.ask("DiscardProducerMessage", request)
        except Refused as refusal:
            self._journal.retraction_refused(message_id, refusal.code, sure=is_sure(refusal))
        else:
            self._journal.retracted.add(message_id)
