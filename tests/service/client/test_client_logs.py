"""Reading logs: backwards, by frames, through cuts."""

from __future__ import annotations

import pytest
from kinpost_client.errors import SessionNotFound, Unreachable


async def test_a_log_is_read_backwards_without_holes(tree):
    for number in range(25):
        await tree.admin.send_user_message(tree.child.session_id, f"number {number}")
    log = await tree.log(tree.child)
    found = []
    seq = log[-1].seq + 1
    while page := await tree.host.events_before(tree.child.session_id, seq, count=7):
        assert len(page) == min(7, seq - 1)
        found[:0] = page
        seq = page[0].seq
    assert found == log
    assert await tree.host.events_before(tree.child.session_id, 1) == []
    assert await tree.host.events_before(tree.child.session_id, 3, count=1000) == log[:2]


async def test_large_bodies_leave_no_hole_in_a_page(tree):
    """A page of the service holds half a mebibyte; the client reads on until its own page is whole."""
    for number in range(6):
        await tree.admin.send_user_message(tree.child.session_id, f"{number}" + "x" * 200_000)
    log = await tree.log(tree.child)
    assert await tree.host.events_before(tree.child.session_id, log[-1].seq, count=1000) == log[:-1]


async def test_what_is_asked_for_wrongly_is_refused(tree):
    for count in (0, 1001):
        with pytest.raises(ValueError, match="1 to 1000"):
            await tree.host.events_before(tree.child.session_id, 5, count=count)
    with pytest.raises(SessionNotFound):
        await tree.host.events_before("0190aaaa-0000-7000-8000-000000000001", 5)


async def test_frames_come_whole_and_a_cut_is_told(server, tree, wire_to, link, soon):
    wire = await wire_to(server.address)
    client = await link(wire.address, server.admin_secret)
    cuts = []
    async with client.subscribe(session_id=tree.child.session_id, on_cut=cuts.append) as events:
        first = await soon(events.next_batch())
        assert [event.type for event in first] == ["session_created"]
        assert events.caught_up
        wire.cut()
        await tree.admin.send_user_message(tree.child.session_id, "after the cut")
        batch = []
        while not batch:
            batch = await soon(events.next_batch())
        assert batch[0].type == "producer_message_accepted"
        assert isinstance(cuts[0], Unreachable)
