"""Registrations of producers in the store: written, ended, made anew, found by id, session and lease."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kinpost_server.domain.message import Owner
from kinpost_server.domain.producer import Producer
from kinpost_server.engine.ports import Changes, RowRefused
from scribe import TIME, Scribe


@pytest.fixture
def opened(database):
    return database.open()


def producer(scribe: Scribe, session_id: str, **fields) -> Producer:
    made = Producer(scribe.new_id(), session_id, Owner.PLUGIN, "ci", "büild", "tells of builds", TIME, TIME + 60)
    return replace(made, **fields)


def put(store, *producers: Producer) -> None:
    store.begin()
    try:
        store.write(Changes(producers={one.producer_id: one for one in producers}))
        store.commit()
    except BaseException:
        store.rollback()
        raise


def read(store, ask):
    store.begin()
    try:
        return ask(store)
    finally:
        store.rollback()


def test_registrations_are_read_back_as_they_were_written(database, opened):
    scribe = Scribe(opened.store)
    one, other = scribe.new_id(), scribe.new_id()
    first = producer(scribe, one)
    second = producer(scribe, one, client_producer_id="deploy", end_time=TIME + 5)
    third = producer(scribe, other)
    put(opened.store, first, second, third)
    opened.store.close()
    opened = database.open()
    ids = [first.producer_id, second.producer_id, third.producer_id, scribe.new_id(), "no id"]
    found = read(opened.store, lambda store: store.load_producers(ids))
    assert found == {one.producer_id: one for one in (first, second, third)}
    registered = read(opened.store, lambda store: store.load_registered([one, other, scribe.new_id(), "no id"]))
    assert registered == {one: [first], other: [third]}
    assert opened.reader.list_producers(one) == [first]
    assert opened.reader.list_producers("no id") == []


def test_a_registration_that_ended_makes_room_for_the_next_under_its_id_in_one_batch(opened):
    scribe = Scribe(opened.store)
    session_id = scribe.new_id()
    first = producer(scribe, session_id)
    put(opened.store, first)
    second = producer(scribe, session_id)
    with pytest.raises(RowRefused):
        put(opened.store, second)
    first.end_time = TIME + 5
    put(opened.store, second, first)
    assert opened.reader.list_producers(session_id) == [second]


def test_what_is_listed_is_in_the_order_of_its_making(opened):
    scribe = Scribe(opened.store)
    session_id = scribe.new_id()
    made = [producer(scribe, session_id, client_producer_id=f"{number}") for number in range(5)]
    put(opened.store, *reversed(made))
    assert opened.reader.list_producers(session_id) == made


def test_what_lapses_is_found_the_longest_first_and_what_ended_is_not(opened):
    scribe = Scribe(opened.store)
    due = [producer(scribe, scribe.new_id(), lease_expire_time=TIME + seconds) for seconds in (30, 10, 20, 40)]
    ended = producer(scribe, scribe.new_id(), lease_expire_time=TIME, end_time=TIME)
    put(opened.store, *due, ended)
    in_order = [due[1].producer_id, due[2].producer_id, due[0].producer_id]
    assert read(opened.store, lambda store: store.due_producers(TIME + 30, 10)) == in_order
    assert read(opened.store, lambda store: store.due_producers(TIME + 30, 2)) == in_order[:2]
    assert read(opened.store, lambda store: store.due_producers(TIME, 10)) == []


def test_leases_are_renewed_together_and_never_shortened(opened):
    scribe = Scribe(opened.store)
    session_id = scribe.new_id()
    short = producer(scribe, session_id, lease_expire_time=TIME + 10)
    long = producer(scribe, session_id, client_producer_id="long", lease_expire_time=TIME + 1000)
    ended = producer(scribe, session_id, lease_expire_time=TIME + 10, end_time=TIME + 1)
    put(opened.store, short, long, ended)
    assert opened.store.renew_leases(TIME + 7, TIME + 100) == 0
    found = read(opened.store, lambda store: store.load_producers([short.producer_id, ended.producer_id]))
    assert found[short.producer_id].lease_expire_time == TIME + 100
    assert found[ended.producer_id].lease_expire_time == TIME + 10
    assert [one.lease_expire_time for one in opened.reader.list_producers(session_id)] == [TIME + 100, TIME + 1000]
