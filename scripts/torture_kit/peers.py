"""A peer: it writes to any session of any tree in the name of any other, by each of the routes of peer mail."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from kinpost.v1 import message_pb2, peer_service_pb2
from kinpost_server.domain.peer import TLDR_NEEDED_PAST

from torture_kit.callers import Caller, Refused, is_sure
from torture_kit.journal import PEER, Identity, Send, body_of, tldr_of
from torture_kit.world import Somebody, World

WRITE_SECONDS = 0.9  # with bursts in which a token spends its budget
CLOSED = "peer:user_closed"
# Of a target that somebody else interrupts at that moment, and of a token that has spent its budget.
NOT_NOW = ("peer:turn_in_flight", "peer:rate_limited")
IN_FLIGHT = "peer:duplicate_in_flight"
IN_FLIGHT_SECONDS = 0.2


class Peer(Somebody):
    """Somebody with a token for the sessions of all trees."""

    def __init__(self, caller: Caller, world: World, name: str, rng: random.Random) -> None:
        super().__init__(caller, world, rng)
        self._name = name

    async def live(self) -> None:
        """Write, as long as it goes on."""
        while self._world.goes_on:
            await self._write()
            await asyncio.sleep(self._rng.expovariate(1 / WRITE_SECONDS))

    async def _write(self) -> None:
        rng = self._rng
        self._count += 1
        source, target = rng.sample(sorted(self._world.places), 2)
        identity = Identity(source, PEER, f"{self._name}-{self._count}")
        self._journal.sends[identity] = Send(target, message_pb2.MESSAGE_MODE_QUEUE)
        route, request = self._request(identity, target)

        async def once() -> None:
            delivery = (await self._ask(route, request)).delivery
            if delivery.delivered:
                self._journal.accepted(identity, delivery.message_id, replayed=delivery.idempotent)
            elif identity not in self._journal.parked:
                self._journal.parked.add(identity)
                self._journal.tally["peer mail parked"] += 1

        try:
            await once()
        except Refused as refusal:
            self._refused(identity, refusal)
            return
        self._caller.perhaps_again(once)

    def _request(self, identity: Identity, target: str) -> tuple[str, Any]:
        """Return the name of a call, and what it is asked with."""
        text = body_of(identity)
        fields: dict[str, Any] = {
            "session_id": target,
            "source_session_id": identity.session_id,
            "text": text,
            "client_request_id": identity.key,
        }
        if len(text) > TLDR_NEEDED_PAST:
            fields["tldr"] = tldr_of(text)
        way = self._rng.random()
        if way < 0.3:
            return "QueuePeerMessage", peer_service_pb2.QueuePeerMessageRequest(**fields)
        if way < 0.5:
            return "FollowUp", peer_service_pb2.FollowUpRequest(**fields, confirm_inactive_target=True)
        request = peer_service_pb2.SendPeerMessageRequest(
            **fields,
            confirm_inactive_target=True,
            confirm_interrupt_turn=self._rng.random() < 0.1,
            queue_if_limited=self._rng.random() < 0.7,
        )
        return "SendPeerMessage", request

    async def _ask(self, route: str, request: Any) -> Any:
        """Return the answer; what is still being stored is asked for again."""
        while True:
            try:
                return await self._caller.ask(route, request)
            except Refused as refusal:
                if refusal.code != IN_FLIGHT:
                    raise
                self._journal.failures[refusal.code] += 1
            await asyncio.sleep(IN_FLIGHT_SECONDS)

    def _refused(self, identity: Identity, refusal: Refused) -> None:
        self._journal.refused(identity, refusal.code, sure=is_sure(refusal))
        if refusal.code == CLOSED:
            self._journal.refused_for_good.add(identity)
        elif refusal.code not in NOT_NOW:
            self._journal.found("refusal", f"peer mail was refused with {refusal.text}")
