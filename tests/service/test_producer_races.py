"""An owner's discard against a claim, at full speed in many sessions at once: one of them wins, never both."""

from __future__ import annotations

import asyncio
import random

import grpc
import pytest
from calls import fresh, read_refusal
from ledger import Ledger, payloads
from load import SETTINGS
from together import drain, in_one_batch

SESSIONS, ROUNDS, MESSAGES = 40, 13, 4  # 2080 races
CHANCE = random.Random(6)
STEER, QUEUE = 1, 2


@pytest.fixture
def overrides():
    return {**SETTINGS, "delivery": {**SETTINGS.get("delivery", {}), "failing_runs_max": 1_000_000}}


async def discarded(plugin, session, message) -> bool:
    """Discard, after none or a few turns of the loop; return whether it was done in time."""
    for _ in range(CHANCE.randrange(3)):
        await asyncio.to_thread(int)
    try:
        await plugin.discard(session, message)
    except grpc.aio.AioRpcError as error:
        if read_refusal(error).code != "message:claimed":
            raise
        return False
    return True


async def race(runtime, plugin, session, producer) -> tuple[int, int]:
    """Let one session claim, and keep or give back, while its mail is discarded; return the winners of each side."""
    run = await runtime.run(session)
    for _ in range(ROUNDS):
        sent = [await plugin.produce(producer, f"{number}") for number in range(MESSAGES)]
        claims = asyncio.create_task(runtime.claim(run))
        outcomes = await asyncio.gather(*(discarded(plugin, session, message) for message in sent))
        claim = await claims
        claimed = {message.message_id for message in claim.messages}
        gone = {message.message_id for message, in_time in zip(sent, outcomes, strict=True) if in_time}
        assert not claimed & gone, "claimed and discarded"
        assert claimed | gone >= {message.message_id for message in sent}, "neither"
        if CHANCE.random() < 0.5:
            assert set(await runtime.commit(run, claim)) == claimed
    await runtime.finish(run, "INTERRUPTED")
    log = await runtime.log(session_id=session.session_id)
    Ledger(log)  # consumed mail was claimed, discarded mail was not
    consumed = payloads(log, "producer_message_consumed")
    return len(payloads(log, "producer_message_discarded")), len({payload.message_id for payload in consumed})


async def test_thousands_of_discards_against_claims_have_one_winner_each(server, runtime):
    plugin = await server.make_token("plugin")
    sessions = [await runtime.session() for _ in range(SESSIONS)]
    producers = [await plugin.register(session) for session in sessions]
    won = await asyncio.gather(
        *(race(runtime, plugin, session, producer) for session, producer in zip(sessions, producers, strict=True))
    )
    by_discard, by_claim = (sum(side) for side in zip(*won, strict=True))
    assert by_discard > 50, "the race was none: claims always came first"
    assert by_claim > 50, "the race was none: discards always came first"
    await drain(runtime, *sessions)
    log = await server.admin.log(all=True)
    sent = {payload.message_id for payload in payloads(log, "producer_message_accepted")}
    assert len(sent) == SESSIONS * ROUNDS * MESSAGES
    Ledger(log).settled(*sent)


@pytest.mark.only("sqlite", "postgres", because="what one server decides in one batch")
@pytest.mark.parametrize("first", ["discard", "claim"])
async def test_in_one_commit_the_first_of_the_two_wins(server, runtime, first, refusal_of):
    plugin = await server.make_token("plugin")
    session = await runtime.session()
    producer = await plugin.register(session)
    run = await runtime.run(session)
    message = await plugin.produce(producer)
    calls = [plugin.discard(session, message), runtime.claim(run)]
    answers = await in_one_batch(server, *(calls if first == "discard" else reversed(calls)))
    done, claim = answers if first == "discard" else reversed(answers)
    if first == "discard":
        assert (done, len(claim.messages)) == (None, 0)
    else:
        assert (refusal_of(done).code, len(claim.messages)) == ("message:claimed", 1)


@pytest.mark.only("sqlite", "postgres", because="what one server decides in one batch")
async def test_a_send_its_discard_and_the_end_of_its_registration_in_one_commit(server, runtime, refusal_of):
    """What comes first is seen by what comes after, within a batch too."""
    plugin = await server.make_token("plugin")
    session = await runtime.session()
    producer = await plugin.register(session)
    key = fresh("key")

    async def end() -> None:
        ends = {"session_id": session.session_id, "producer_id": producer.producer_id}
        await plugin.producers.UnregisterProducer(**ends)

    sent, ended, again, late = await in_one_batch(
        server,
        plugin.produce(producer, idempotency_key=key),
        end(),
        plugin.produce(producer, idempotency_key=key),
        plugin.produce(producer),
    )
    assert (sent.message_id, again.replayed) == (again.message_id, True)
    assert not isinstance(ended, Exception)
    assert refusal_of(late).code == "producer:not_found"


@pytest.mark.only("sqlite", "postgres", because="what one server decides in one batch")
@pytest.mark.parametrize("overrides", [{"producers": {"pending_per_session_max": 3}}])
async def test_the_cap_holds_within_one_commit(server, runtime, refusal_of):
    """Whatever the owners, in whatever order."""
    plugin = await server.make_token("plugin")
    session = await runtime.session()
    producer = await plugin.register(session)
    answers = await in_one_batch(
        server, *(plugin.produce(producer) if n % 2 else runtime.user(session) for n in range(8))
    )
    refused = [answer for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]
    assert [refusal_of(error).code for error in refused] == ["producer:inbox_full"] * 5
    assert not any(isinstance(answer, grpc.aio.AioRpcError) for answer in answers[:3])
