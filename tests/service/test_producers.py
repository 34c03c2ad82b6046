"""Registrations: made, kept, ended and listed; a registration is a plugin's, and lasts as long as it is renewed."""

from __future__ import annotations

import asyncio

import pytest
from calls import fresh
from ledger import kinds, payloads
from uuid_utils import uuid4

REGISTERED, UNREGISTERED = "producer_registered", "producer_unregistered"
PLUGIN, PERSON, SERVICE = 5, 4, 1  # origins
SHORT = {"producers": {"lease_seconds": 2.0}, "delivery": {"sweep_seconds": 0.02}}


@pytest.fixture
async def plugin(server):
    return await server.make_token("plugin", plugin_name="ci")


@pytest.fixture
async def session(runtime):
    return await runtime.session()


async def listed(client, session, **fields) -> list[str]:
    page = await client.producers.ListProducers(session_id=session.session_id, **fields)
    return [producer.producer_id for producer in page.producers]


async def told(client, session) -> list:
    """What the log says of registrations, in order."""
    return payloads(await client.log(session_id=session.session_id), REGISTERED, UNREGISTERED)


async def lapsed(client, session, producer) -> None:
    """Wait until a registration has lapsed."""
    stream = client.subscribe(session_id=session.session_id, event_types=[121])
    await stream.until(
        lambda frame: any(e.producer_unregistered.producer_id == producer.producer_id for e in frame.events)
    )
    stream.cancel()


async def test_a_registration_is_told_in_the_log_and_listed(server, runtime, plugin, session, wire):
    producer = await plugin.register(session, client_producer_id="build", description="tells of builds")
    assert (producer.session_id, producer.owner) == (session.session_id, wire.message.PRODUCER_OWNER_PLUGIN)
    assert (producer.owner_name, producer.client_producer_id) == ("ci", "build")
    assert producer.description == "tells of builds"
    assert producer.lease_expire_time.seconds - producer.create_time.seconds >= 60
    log = await runtime.log(session_id=session.session_id)
    assert kinds(log) == ["session_created", REGISTERED]
    assert (log[-1].origin, log[-1].producer_registered.producer) == (PLUGIN, producer)
    page = await runtime.producers.ListProducers(session_id=session.session_id)
    assert list(page.producers) == [producer]


async def test_registering_again_returns_the_registration_that_stands(server, runtime, plugin, session):
    first = await plugin.register(session, client_producer_id="build", description="one")
    second = await plugin.register(session, client_producer_id="build", description="two")
    assert (second.producer_id, second.description) == (first.producer_id, "one")
    same_plugin = await server.make_token("plugin", plugin_name="ci")
    assert (await same_plugin.register(session, client_producer_id="build")).producer_id == first.producer_id
    other = await plugin.register(session, client_producer_id="deploy")
    assert other.producer_id != first.producer_id
    assert len(await told(runtime, session)) == 2


async def test_registrations_of_one_batch_agree_with_each_other(server, runtime, plugin, session):
    """Whether they meet in one commit or not, one id is one registration."""
    made = await asyncio.gather(*(plugin.register(session, client_producer_id="build") for _ in range(20)))
    assert len({producer.producer_id for producer in made}) == 1
    assert len(await told(runtime, session)) == 1


async def test_a_registration_ends_once(server, runtime, plugin, session, refused):
    producer = await plugin.register(session, client_producer_id="build")
    ends = {"session_id": session.session_id, "producer_id": producer.producer_id}
    await plugin.producers.UnregisterProducer(**ends)
    await plugin.producers.UnregisterProducer(**ends)
    ended = await told(runtime, session)
    assert [getattr(event, "lapsed", None) for event in ended] == [None, False]
    assert await listed(runtime, session) == []
    with refused("producer:not_found"):
        await plugin.produce(producer)
    assert list((await plugin.producers.RenewProducers(producer_ids=[producer.producer_id])).renewed_producer_ids) == []
    again = await plugin.register(session, client_producer_id="build")
    assert again.producer_id != producer.producer_id
    await plugin.producers.UnregisterProducer(**ends)  # a late repeat does not end the new one
    assert await listed(runtime, session) == [again.producer_id]
    with refused("producer:not_found"):
        await plugin.producers.UnregisterProducer(session_id=session.session_id, producer_id=str(uuid4()))


async def test_an_admin_ends_any_registration_and_makes_none(server, runtime, plugin, session, refused):
    producer = await plugin.register(session)
    with refused("auth:forbidden"):
        await server.admin.register(session)
    with refused("auth:forbidden"):
        await server.admin.produce(producer)
    await server.admin.producers.UnregisterProducer(session_id=session.session_id, producer_id=producer.producer_id)
    log = await runtime.log(session_id=session.session_id)
    assert (log[-1].origin, log[-1].producer_unregistered.producer_id) == (PERSON, producer.producer_id)


async def test_producers_are_listed_in_pages_in_their_order(server, runtime, plugin, session):
    made = [(await plugin.register(session)).producer_id for _ in range(7)]
    elsewhere = await plugin.register(await runtime.session())
    found, token = [], ""
    while True:
        page = await runtime.producers.ListProducers(session_id=session.session_id, page_size=3, page_token=token)
        found += [producer.producer_id for producer in page.producers]
        token = page.next_page_token
        if not token:
            break
    assert found == made
    assert elsewhere.producer_id not in found


@pytest.mark.parametrize("overrides", [{"producers": {"registered_per_session_max": 2}}])
async def test_a_session_has_only_so_many_producers(server, runtime, plugin, session, refused):
    first = await plugin.register(session, client_producer_id="one")
    await (await server.make_token("plugin", plugin_name="other")).register(session)
    with refused("producer:too_many"):
        await plugin.register(session, client_producer_id="two")
    assert (await plugin.register(session, client_producer_id="one")).producer_id == first.producer_id
    await plugin.register(await runtime.session(), client_producer_id="two")
    await plugin.producers.UnregisterProducer(session_id=session.session_id, producer_id=first.producer_id)
    await plugin.register(session, client_producer_id="two")


async def test_the_registrations_of_a_deleted_session_end_with_it(server, runtime, plugin, session, refused):
    producer = await plugin.register(session)
    await plugin.produce(producer)
    await runtime.sessions.DeleteSession(session_id=session.session_id)
    events = kinds(await server.admin.log(all=True))
    assert events[-3:] == [UNREGISTERED, "session_deleted", "wake_withdrawn"]
    with refused("producer:not_found"):
        await plugin.produce(producer)
    with refused("session:not_found"):
        await plugin.register(session)
    with refused("session:not_found"):
        await listed(plugin, session)
    await plugin.producers.UnregisterProducer(session_id=session.session_id, producer_id=producer.producer_id)


@pytest.mark.parametrize("overrides", [SHORT])
async def test_a_registration_that_is_not_renewed_lapses(server, runtime, plugin, session, refused):
    producer = await plugin.register(session, client_producer_id="build")
    await lapsed(runtime, session, producer)
    log = await runtime.log(session_id=session.session_id)
    assert (log[-1].origin, log[-1].producer_unregistered.lapsed) == (SERVICE, True)
    with refused("producer:not_found"):
        await plugin.produce(producer)
    assert await listed(runtime, session) == []
    await plugin.producers.UnregisterProducer(session_id=session.session_id, producer_id=producer.producer_id)
    again = await plugin.register(session, client_producer_id="build")
    assert again.producer_id != producer.producer_id
    assert await plugin.produce(again)


@pytest.mark.parametrize("overrides", [SHORT])
async def test_renewal_keeps_a_registration_and_a_send_renews_it_too(server, runtime, plugin, session):
    kept = await plugin.register(session, client_producer_id="kept")
    sending = await plugin.register(session, client_producer_id="sending")
    gone = await plugin.register(session, client_producer_id="gone")
    stream = runtime.subscribe(session_id=session.session_id, event_types=[121])
    first = asyncio.create_task(stream.events(1))
    while not first.done():  # the others are renewed while the third runs out
        renewed = await plugin.producers.RenewProducers(producer_ids=[kept.producer_id, kept.producer_id, str(uuid4())])
        assert list(renewed.renewed_producer_ids) == [kept.producer_id]
        await plugin.produce(sending)
        await asyncio.wait((first,), timeout=0.1)
    assert [event.producer_unregistered.producer_id for event in first.result()] == [gone.producer_id]
    log = await runtime.log(session_id=session.session_id)
    assert [payload.producer_id for payload in payloads(log, UNREGISTERED)] == [gone.producer_id]
    stream.cancel()


async def test_leases_begin_anew_with_the_server(server, runtime, plugin, session):
    """A registration whose lease ran out while nobody could renew it is still there."""
    producer = await plugin.register(session)
    await server.restart(producers={"lease_seconds": 100.0})
    plugin, runtime = server.client(plugin.secret), server.client(runtime.secret)
    (found,) = (await runtime.producers.ListProducers(session_id=session.session_id)).producers
    assert found.producer_id == producer.producer_id
    assert found.lease_expire_time.seconds - producer.lease_expire_time.seconds >= 25
    assert await plugin.produce(producer)


async def test_a_revoked_token_renews_nothing_and_its_plugin_goes_on(server, runtime, plugin, session, refused):
    producer = await plugin.register(session)
    await server.revoke(plugin.token_id)
    with refused("auth:unauthenticated"):
        await plugin.producers.RenewProducers(producer_ids=[producer.producer_id])
    same_plugin = await server.make_token("plugin", plugin_name="ci")
    renewed = await same_plugin.producers.RenewProducers(producer_ids=[producer.producer_id])
    assert list(renewed.renewed_producer_ids) == [producer.producer_id]
    assert await same_plugin.produce(producer, idempotency_key=fresh("key"))
