"""What a run does: turns in which it reads its mail and sends, each settled in one of the ways there are."""

from __future__ import annotations

import random
from typing import Any

from kinpost.v1 import message_pb2, run_pb2, run_service_pb2
from kinpost_server.domain.peer import TLDR_NEEDED_PAST

from torture_kit.callers import Caller, Refused
from torture_kit.journal import PEER, ClaimName, Identity, body_of, key_of, tldr_of
from torture_kit.sending import RUN_ENDED, Sender
from torture_kit.world import World

TURNS_MAX = 8


class Work:
    """One run, from its first claim to its end."""

    def __init__(self, caller: Caller, world: World, session_id: str, run_id: str, rng: random.Random) -> None:
        self._caller = caller
        self._world = world
        self._journal = world.journal
        self._session_id = session_id
        self._run_id = run_id
        self._rng = rng
        self._sender = Sender(caller, world, session_id, run_id, rng)
        self._name = f"{rng.getrandbits(32):08x}"
        self._attempts = 0

    async def until_its_end(self, claim: run_pb2.Claim | None) -> None:
        """Turn after turn; returns when the run has ended, or was abandoned."""
        turn = 0
        try:
            if claim is None:
                claim = await self._claim(0)
            while claim is not None:
                self._read(claim)
                turn += 1
                if self._world.goes_on:
                    await self._sender.send_some()
                claim = await self._settle(claim, last=turn >= TURNS_MAX)
        except Refused as refusal:
            self._journal.tally[f"runs ended by others ({refusal.code})"] += 1
            if refusal.code not in RUN_ENDED:
                self._journal.found("refusal", f"a run's call was refused: {refusal.text}")

    def _read(self, claim: run_pb2.Claim) -> None:
        """Look at the mail, as a model would, but harder."""
        for message in claim.messages:
            sender, identity = message.sender, None
            if sender.run_id:
                identity = Identity(sender.session_id, sender.run_id, sender.tool_call_id)
            elif message.owner == message_pb2.PRODUCER_OWNER_PEER:
                identity = Identity(sender.session_id, PEER, key_of(message.body))
            if identity is not None and message.body != body_of(identity):
                self._journal.found("body", f"{message.message_id} is not what {identity} sent")
            shown = message.body
            if message.owner == message_pb2.PRODUCER_OWNER_PEER and len(shown) > TLDR_NEEDED_PAST:
                shown = tldr_of(shown)
            if shown not in message.rendered_text:
                self._journal.found("body", f"{message.message_id} is not whole in its frame")
            if message.delivery_count > 1:
                self._journal.tally["messages shown again"] += 1
        self._journal.tally["messages shown"] += len(claim.messages)
        ids = tuple(message.message_id for message in claim.messages)
        self._journal.claimed(self._session_id, claim.claim_seq, claim.attempt_id, ids)

    async def _settle(self, claim: run_pb2.Claim, *, last: bool) -> run_pb2.Claim | None:
        """End the turn one way or another, and return the next claim; None when the run is over."""
        ways: dict[str, float] = {"finish": 5, "commit": 2, "claim": 4}
        if self._world.goes_on:
            ways |= {"release": 0.5, "overtake": 0.3, "fail": 0.4, "interrupt": 0.2}
            ways |= {"abandon": 0.15} if self._world.loses_runs else {}
        if last:
            ways = {"finish": 1}
        (way,) = self._rng.choices(list(ways), list(ways.values()))
        self._journal.tally[f"turns: {way}"] += 1
        if way == "finish":
            return await self._finish(claim)
        if way == "commit":
            await self._commit(claim)
            return await self._claim(0)
        if way == "claim":
            return await self._claim(claim.claim_seq)
        if way == "release":
            await self._caller.ask("ReleaseClaim", self._named(run_service_pb2.ReleaseClaimRequest, claim))
            return await self._claim(0)
        if way == "overtake":
            return await self._claim(0)
        if way in ("fail", "interrupt"):
            outcome = run_pb2.RUN_STATE_FAILED if way == "fail" else run_pb2.RUN_STATE_INTERRUPTED
            request = self._named(run_service_pb2.FinishRunRequest, None)
            request.outcome = outcome
            await self._caller.ask("FinishRun", request)
        return None

    async def _claim(self, commit_claim_seq: int) -> run_pb2.Claim:
        self._attempts += 1
        request = self._named(run_service_pb2.ClaimMessagesRequest, None)
        request.attempt_id = f"{self._name}-{self._attempts}"
        if commit_claim_seq:
            request.commit_claim_seq = commit_claim_seq
        answer = await self._committing("ClaimMessages", request)
        claim: run_pb2.Claim = answer.claim
        return claim

    async def _finish(self, claim: run_pb2.Claim) -> run_pb2.Claim | None:
        request = self._named(run_service_pb2.FinishRunRequest, None)
        request.outcome = run_pb2.RUN_STATE_COMPLETED
        request.commit_claim_seq = claim.claim_seq
        if self._rng.random() < 0.8:
            self._attempts += 1
            request.continue_attempt_id = f"{self._name}-{self._attempts}"
        answer = await self._committing("FinishRun", request)
        return answer.claim if answer.HasField("claim") else None

    async def _committing(self, rpc: str, request: Any) -> Any:
        """Make a call that commits a claim on its way. Whatever becomes of the call: what became of the commit?"""
        try:
            answer = await self._caller.ask(rpc, request)
        except Refused:
            if request.commit_claim_seq:
                await self._learn(request.commit_claim_seq)
            raise
        if request.commit_claim_seq:
            name = ClaimName(self._session_id, request.commit_claim_seq)
            self._journal.commit_answered(name, self._journal.claims[name].message_ids)
        return answer

    async def _learn(self, claim_seq: int) -> None:
        request = self._named(run_service_pb2.CommitTurnRequest, None)
        request.claim_seq = claim_seq
        name = ClaimName(self._session_id, claim_seq)
        try:
            answer = await self._caller.ask("CommitTurn", request)
        except Refused:
            self._journal.not_committed.add(name)
        else:
            self._journal.commit_answered(name, tuple(answer.consumed_message_ids))

    async def _commit(self, claim: run_pb2.Claim) -> None:
        request = self._named(run_service_pb2.CommitTurnRequest, claim)
        name = ClaimName(self._session_id, claim.claim_seq)

        async def once() -> None:
            answer = await self._caller.ask("CommitTurn", request)
            self._journal.commit_answered(name, tuple(answer.consumed_message_ids))

        async def again() -> None:
            try:
                await once()
            except Refused as refusal:
                self._journal.found("two answers", f"the commit of {name} was answered, then {refusal.code}")

        try:
            await once()
        except Refused:
            self._journal.not_committed.add(name)
            raise
        self._caller.perhaps_again(again)

    def _named(self, request_class: Any, claim: run_pb2.Claim | None) -> Any:
        request = request_class(session_id=self._session_id, run_id=self._run_id)
        if claim is not None:
            request.claim_seq = claim.claim_seq
        return request
