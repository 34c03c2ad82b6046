"""Replicas cut off from their database: connections that end, commits whose answers are lost, and divided networks."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from functools import partial

import psycopg
from own_postgres import cut_off_all, cut_off_one

from torture_kit.troubles import Stage, Trouble
from torture_kit.victim import pause

HAPPENS_SECONDS_MAX = 10.0
PARTED_SECONDS_MAX = 3.0
# More than a run's lease of the torture, and than the time after which a replica that hears nothing ends its streams.
LAPSE_SECONDS = 5.0
PARTED_LONG_SECONDS = (6.0, 9.0)


async def _one(stage: Stage, rng: random.Random) -> bool:
    return await _by_the_server(stage, rng, partial(cut_off_one, stage.database_url, rng.randrange(1000)))


async def _all(stage: Stage, rng: random.Random) -> bool:
    return await _by_the_server(stage, rng, partial(cut_off_all, stage.database_url))


async def _by_the_server(stage: Stage, rng: random.Random, cut: Callable[[], int]) -> bool:
    """Cut while at least one replica is there to be cut off."""
    async with stage.held(rng):
        try:
            return await asyncio.to_thread(cut) > 0
        except psycopg.OperationalError:  # the database is not there itself
            return False


async def _of_a_replica(stage: Stage, rng: random.Random) -> bool:
    """Reset all that a replica has; it has noticed when it makes new ones."""
    async with stage.held(rng) as (_, cable):
        before = cable.connections
        cable.cut()
        return await stage.happens(lambda: cable.connections > before, HAPPENS_SECONDS_MAX)


async def _in_a_commit(when: str, stage: Stage, rng: random.Random) -> bool:
    """Wait for a commit to cut: until then nothing has happened."""
    async with stage.held(rng) as (_, cable):
        before = cable.commits_cut
        cable.cut_in_commit(when)
        try:
            return await stage.happens(lambda: cable.commits_cut > before, HAPPENS_SECONDS_MAX)
        finally:
            cable.cut_in_commit("")


async def _parted(stage: Stage, rng: random.Random) -> bool:
    """Part a replica that serves, for a while, in which it may be killed and started."""
    async with stage.held(rng) as (victim, cable):
        happens = victim.serves
        cable.part()
    try:
        await asyncio.sleep(rng.uniform(0, PARTED_SECONDS_MAX))
    finally:
        cable.join()
    return happens


async def _parted_long(stage: Stage, rng: random.Random) -> bool:
    """Part a replica so long that its runs' leases lapse and it ends its streams; it lives on."""
    async with stage.held(rng) as (victim, cable):
        begin = time.monotonic()
        cable.part()
        try:
            await pause(rng.uniform(*PARTED_LONG_SECONDS), stage.go_on)
        finally:
            cable.join()
        return victim.serves and time.monotonic() - begin > LAPSE_SECONDS


CUTS = (
    Trouble("a connection cut", _one, light=True),
    Trouble("all connections of a replica cut", _of_a_replica, light=True),
    Trouble("all connections cut", _all, light=True),
    Trouble("a connection cut before its COMMIT arrived", partial(_in_a_commit, "before"), light=True),
    Trouble("a connection cut after its COMMIT was done", partial(_in_a_commit, "after"), light=True),
    Trouble("a replica parted from the database", _parted, light=True),
    Trouble("a replica parted from the database for more than 5 s", _parted_long),
)
