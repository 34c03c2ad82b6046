"""An offer that comes again: it has one run here, whatever the service has heard."""

import asyncio
from datetime import UTC, datetime

import pytest
from kinpost_client.offers import Offers
from kinpost_client.records import Offer


@pytest.fixture
def running():
    return set()


@pytest.fixture
def offers(running):
    return Offers(None, frozenset(), 4, lambda: len(running), running.__contains__)


def offer(wake_id="w", number=1):
    return Offer(wake_id, "session", "root", "explore", number, datetime.now(UTC), 1)


async def nobody_is_offered(offers):
    waiting = asyncio.create_task(anext(offers))
    for _ in range(3):
        await asyncio.to_thread(lambda: None)
    assert not waiting.done()
    waiting.cancel()


async def test_it_waits_once(offers):
    offers.put(offer())
    offers.put(offer())
    await anext(offers)
    await nobody_is_offered(offers)


async def test_it_is_not_given_to_a_second_one_while_somebody_has_it(offers):
    """Also when it comes again over a new connection."""
    offers.put(offer())
    await anext(offers)
    offers.forget_all()
    offers.put(offer(number=2))
    await nobody_is_offered(offers)


async def test_it_is_nobodys_while_its_run_is_starting_and_comes_again_when_that_failed(offers, running):
    offers.put(offer())
    await anext(offers)
    running.add("w")
    offers.forget("w")
    offers.put(offer())
    await nobody_is_offered(offers)
    running.clear()
    offers.put(offer(number=2))
    assert (await anext(offers)).offer_number == 2


async def test_it_comes_again_after_it_was_withdrawn(offers):
    offers.put(offer())
    await anext(offers)
    offers.forget("w")
    offers.put(offer(number=2))
    assert (await anext(offers)).offer_number == 2
