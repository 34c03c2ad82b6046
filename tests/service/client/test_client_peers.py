"""Peer mail through the client."""

from __future__ import annotations

import pytest
from kinpost_client.errors import (
    InvalidPayload,
    MessageNotFound,
    NeedsConfirmation,
    NotYourMessages,
    TargetNotFound,
    TldrRequired,
    UserClosed,
)

SOME_ID = "0a1b2c3d-0000-4000-8000-00000000000a"


@pytest.fixture
async def pair(tree):
    """Two sessions of different trees."""
    return [(await tree.host.create_session("explore")).session_id for _ in range(2)]


async def test_a_message_goes_out_once_and_is_read_back(tree, pair):
    source, target = pair
    sent = await tree.host.peers.send(source, target, "x" * 1001, tldr="many x", client_request_id="one")
    again = await tree.host.peers.send(source, target, "other", client_request_id="one")
    assert (sent.delivered, sent.queued, sent.woken_from, sent.idempotent) == (True, False, None, False)
    assert again == sent._replace(idempotent=True)
    listed = await tree.host.peers.list_sent(source)
    (message,) = listed.messages
    assert (message.text, message.tldr, message.target_session_id) == ("x" * 1001, "many x", target)
    assert message.send_time == listed.store_holds_since
    assert "summary" in listed.retained_scope
    measured = await tree.host.peers.get_body(message.body_id, meta_only=True)
    pulled = await tree.host.peers.get_body(message.body_id)
    assert (measured.text, measured.chars, measured.tokens) == (None, 1001, 251)
    assert pulled == measured._replace(text="x" * 1001)


async def test_each_way_of_sending(tree, pair):
    source, target = pair
    assert (await tree.host.peers.follow_up(source, target, "hello")).delivered
    assert (await tree.host.peers.queue(source, target, "hello")).delivered
    first, second = await tree.host.peers.broadcast(source, [target, SOME_ID], "hello")
    assert first.delivery is not None
    assert (first.delivery.delivered, first.error) == (True, "")
    assert (second.delivery, second.error) == (None, "session_not_found")


async def test_each_refusal_is_its_class(tree, pair):
    source, target = pair
    with pytest.raises(InvalidPayload) as caught:
        await tree.host.peers.send("", target, "hello")
    assert caught.value.field == "source_session_id"
    with pytest.raises(TldrRequired):
        await tree.host.peers.send(source, target, "x" * 1001)
    with pytest.raises(TargetNotFound):
        await tree.host.peers.send(source, SOME_ID, "hello")
    await tree.host.set_availability(target, "ended")
    with pytest.raises(NeedsConfirmation):
        await tree.host.peers.send(source, target, "hello")
    woken = await tree.host.peers.send(source, target, "hello", confirm_inactive_target=True)
    assert woken.woken_from == "ended"
    with pytest.raises(NotYourMessages):
        await tree.host.peers.list_sent(SOME_ID)
    with pytest.raises(MessageNotFound):
        await tree.host.peers.get_body(SOME_ID)


async def test_a_dead_letter_is_delivered_after_all(tree, pair):
    source, target = pair
    await tree.admin.set_availability(target, "user_closed")
    with pytest.raises(UserClosed):
        await tree.host.peers.send(source, target, "precious")
    (letter,) = [letter async for letter in tree.admin.peers.list_dead_letters()]
    assert (letter.text, letter.reason, letter.redeliver_time) == ("precious", "user_closed", None)
    await tree.admin.set_availability(target, "open")
    delivered = await tree.admin.peers.redeliver(letter.dead_letter_id)
    assert (delivered.delivered, delivered.idempotent) == (True, False)
    assert (await tree.admin.peers.redeliver(letter.dead_letter_id)).idempotent
