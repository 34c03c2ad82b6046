"""Producers through the client: registered, renewed by themselves, made anew when they lapsed, and ended."""

from __future__ import annotations

import asyncio

import pytest
from kinpost.v1.producer_service_pb2 import RegisterProducerRequest, UnregisterProducerRequest
from kinpost_client import Owner, RecipientState, Registration
from kinpost_client.errors import (
    Forbidden,
    IdempotencyConflict,
    InvalidRequest,
    MessageClaimed,
    MessageNotFound,
    ProducerInboxFull,
    SessionNotFound,
    TooManyProducers,
)

UNREGISTERED = "producer_unregistered"


@pytest.fixture
async def plugin(tree, link, server):
    return await link(server.address, (await tree.admin.tokens.create("plugin", plugin_name="ci")).secret)


async def standing(client, session) -> list[Registration]:
    return [registration async for registration in client.list_producers(session.session_id)]


async def test_a_producer_sends_in_its_context_and_is_unregistered_on_leaving(tree, plugin, runtime, soon):
    async with plugin.producer(tree.child.session_id, "build", description="tells of builds") as producer:
        (registration,) = await standing(tree.host, tree.child)
        assert registration == producer.registration
        assert (registration.owner, registration.owner_name) == (Owner.PLUGIN, "ci")
        assert (registration.client_producer_id, registration.description) == ("build", "tells of builds")
        sent = await producer.send("all green", mode="queue", description="build 7")
        assert (sent.mode, sent.recipient_state, sent.replayed) == ("queue", RecipientState.QUEUED, False)
    assert await standing(tree.host, tree.child) == []
    offers = runtime.offers()
    async with runtime.run(await soon(anext(offers))) as run:
        async for turn in run.turns():
            (mail,) = turn.mail
    assert (mail.message_id, mail.owner, mail.body) == (sent.message_id, Owner.PLUGIN, "all green")
    assert (mail.sender.name, mail.sender.producer_id) == ("ci", registration.producer_id)


@pytest.mark.parametrize(
    "overrides", [{"producers": {"lease_seconds": 2.0}, "delivery": {"sweep_seconds": 0.02}}], ids=["short leases"]
)
async def test_a_producer_is_renewed_for_as_long_as_it_is_used(tree, plugin):
    """One beside it that nobody renews lapses twice over meanwhile."""
    async with plugin.producer(tree.child.session_id, "kept") as producer:
        first = producer.registration.producer_id
        for _ in range(2):
            lapsed = (await tree.kinds(tree.child, UNREGISTERED)).count(UNREGISTERED)
            request = plugin._calls.producers.RegisterProducer  # by hand: nobody renews it
            await plugin._calls.unary(
                request, RegisterProducerRequest(session_id=tree.child.session_id, client_producer_id="left alone")
            )
            await tree.until(tree.child, UNREGISTERED, lapsed + 1)
        assert producer.registration.producer_id == first
        assert [r.client_producer_id for r in await standing(tree.host, tree.child)] == ["kept"]


async def test_a_producer_that_lapsed_is_registered_anew_by_its_next_send(tree, plugin):
    async with plugin.producer(tree.child.session_id, "build") as producer:
        first = await producer.send("one", idempotency_key="1")
        lost = producer.registration

        await plugin._calls.unary(
            plugin._calls.producers.UnregisterProducer,
            UnregisterProducerRequest(session_id=lost.session_id, producer_id=lost.producer_id),
        )
        sent = await asyncio.gather(*(producer.send(f"{number}") for number in range(10)))
        assert len({accepted.message_id for accepted in sent}) == 10
        assert producer.registration.producer_id != lost.producer_id
        assert len(await standing(tree.host, tree.child)) == 1
        again = await producer.send("one", idempotency_key="1")
        assert (again.message_id, again.replayed) == (first.message_id, True)


async def test_what_a_producer_is_refused(tree, plugin, link, server):
    async with plugin.producer(tree.child.session_id, "build") as producer:
        sent = await producer.send("one", idempotency_key="1")
        with pytest.raises(IdempotencyConflict):
            await producer.send("other", idempotency_key="1")
        with pytest.raises(InvalidRequest):
            await producer.send(" ")
        for _ in range(2):
            await producer.discard(sent.message_id)
        with pytest.raises(MessageNotFound):
            await producer.discard(tree.child.session_id)
    with pytest.raises(Forbidden):
        await tree.host.producer(tree.child.session_id, "build").__aenter__()
    with pytest.raises(SessionNotFound):
        await plugin.producer("0a1b2c3d-0000-4000-8000-00000000000a", "build").__aenter__()
    with pytest.raises(RuntimeError):
        await plugin.producer(tree.child.session_id, "build").send("outside of its context")


@pytest.mark.parametrize("overrides", [{"producers": {"registered_per_session_max": 1, "pending_per_session_max": 1}}])
async def test_the_caps_of_producers_are_errors_of_their_own(tree, plugin, runtime, soon):
    async with plugin.producer(tree.child.session_id, "build") as producer:
        with pytest.raises(TooManyProducers):
            await plugin.producer(tree.child.session_id, "deploy").__aenter__()
        sent = await producer.send("one")
        with pytest.raises(ProducerInboxFull):
            await producer.send("two")
        async with runtime.run(await soon(anext(runtime.offers()))) as run:
            async for _ in run.turns():
                with pytest.raises(MessageClaimed):
                    await producer.discard(sent.message_id)


async def test_a_producer_goes_on_over_a_servers_restart(far_tree, link, process):
    secret = (await far_tree.admin.tokens.create("plugin", plugin_name="ci")).secret
    plugin = await link(process.address, secret)
    async with plugin.producer(far_tree.child.session_id, "build") as producer:
        first = await producer.send("before", idempotency_key="1")
        await process.kill()
        sending = asyncio.create_task(producer.send("before", idempotency_key="1"))
        await process.start()
        again = await sending
        assert (again.message_id, again.replayed) == (first.message_id, True)
        await producer.send("after")
        assert len(await standing(far_tree.host, far_tree.child)) == 1
