"""What could not be delivered is kept whole, listed, and delivered again once."""

from __future__ import annotations

import pytest
from kinpost_server.domain.errors import Forbidden
from kinpost_server.domain.peer_errors import SendFailed
from kinpost_server.engine import peer_delivery
from peer_doors import GrpcDoor, HttpDoor

OPEN, USER_CLOSED = 1, 5
LONG = "x" * 1001


@pytest.fixture
def put(server):
    """Set a session's availability, as a person."""

    async def into(session, availability: int) -> None:
        await server.admin.sessions.SetAvailability(session_id=session.session_id, availability=availability)

    return into


async def test_a_closed_targets_message_is_kept_and_the_sender_is_told(door, server, scene, put, log_of):
    await put(scene.target, USER_CLOSED)
    told = await door.send(scene.peer, scene.source, scene.target, LONG, tldr="many x")
    assert told.error == "user_closed"
    (letter,) = (await door.dead_letters(scene.peer)).letters
    assert (letter.source_session_id, letter.target_session_id) == (scene.source.session_id, scene.target.session_id)
    assert (letter.text, letter.tldr, letter.reason, letter.redelivered) == (LONG, "many x", "user_closed", False)
    (recorded,) = await log_of(scene.source, "peer_dead_letter_recorded")
    assert (recorded.dead_letter_id, recorded.target_session_id) == (letter.dead_letter_id, scene.target.session_id)
    assert (recorded.reason, recorded.detail) == (2, letter.detail)


async def test_a_target_that_is_gone_leaves_a_letter_and_one_that_never_was_none(door, server, runtime, scene, log_of):
    gone = await runtime.session()
    await server.admin.sessions.DeleteSession(session_id=gone.session_id)
    assert (await door.send(scene.peer, scene.source, gone)).error == "session_not_found"
    assert (await door.send(scene.peer, scene.source, "00000000-0000-4000-8000-000000000000")).error
    (letter,) = (await door.dead_letters(server.admin)).letters
    assert (letter.target_session_id, letter.reason) == (gone.session_id, "target_gone")
    assert len(await log_of(scene.source, "peer_dead_letter_recorded")) == 1


@pytest.mark.parametrize("overrides", [{"http": {"enabled": True}, "producers": {"pending_per_session_max": 2}}])
async def test_a_full_inbox_is_a_send_that_failed(door, server, runtime, scene):
    for _ in range(2):
        await door.send(scene.peer, scene.source, scene.target)
    told = await door.send(scene.peer, scene.source, scene.target, "one too many")
    assert (told.error, "2 messages" in told.detail) == ("send_failed", True)
    (letter,) = (await door.dead_letters(server.admin)).letters
    assert (letter.text, letter.reason) == ("one too many", "send_failed")
    run = await runtime.start(scene.target, attempt_id="a")
    await runtime.finish(run.run, commit_claim_seq=run.claim.claim_seq)
    assert (await door.redeliver(server.admin, letter.dead_letter_id)).delivered


@pytest.mark.parametrize(  # before anything is written, and after, when a refusal comes too late to be one
    "step, failure", [("accept", RuntimeError), ("_note", RuntimeError), ("_note", SendFailed), ("_note", Forbidden)]
)
@pytest.mark.parametrize("asleep, error", [(False, "send_failed"), (True, "wake_failed")])
async def test_a_delivery_that_breaks_inside_is_kept(
    door, server, scene, put, log_of, monkeypatch, asleep, error, step, failure
):
    if asleep:
        await put(scene.target, 4)

    def broken(*_arguments):
        raise failure("a disk of another age")

    monkeypatch.setattr(peer_delivery, step, broken)
    told = await door.send(scene.peer, scene.source, scene.target, "precious", confirm_inactive_target=True)
    assert told.error == error
    assert "disk" not in told.detail
    (letter,) = (await door.dead_letters(server.admin)).letters
    assert (letter.text, letter.reason) == ("precious", error)
    assert await log_of(scene.target, "producer_message_accepted") == []
    monkeypatch.undo()
    assert (await door.redeliver(server.admin, letter.dead_letter_id)).delivered


async def test_it_is_delivered_again_once(door, server, scene, put, log_of):
    await put(scene.target, USER_CLOSED)
    await door.send(scene.peer, scene.source, scene.target, LONG, tldr="many x")
    (letter,) = (await door.dead_letters(scene.peer)).letters
    told = await door.redeliver(scene.peer, letter.dead_letter_id)
    assert told.error == "user_closed"  # still
    assert len((await door.dead_letters(scene.peer)).letters) == 1
    await put(scene.target, 4)  # asleep: who delivers again has confirmed
    told = await door.redeliver(scene.peer, letter.dead_letter_id)
    assert (told.delivered, told.woken_from, told.idempotent) == (True, "ended", False)
    again = await door.redeliver(server.admin, letter.dead_letter_id)
    assert (again.delivered, again.woken_from, again.idempotent) == (True, "ended", True)
    (accepted,) = await log_of(scene.target, "producer_message_accepted")
    assert (accepted.body, accepted.tldr, accepted.sender.session_id) == (LONG, "many x", scene.source.session_id)
    (redelivered,) = await log_of(scene.source, "peer_dead_letter_redelivered")
    assert (redelivered.dead_letter_id, redelivered.message_id) == (letter.dead_letter_id, accepted.message_id)
    assert [one.redelivered for one in (await door.dead_letters(scene.peer)).letters] == [True]


async def test_letters_survive_a_restart_and_are_paged_newest_first(door, server, scene, put):
    await put(scene.target, USER_CLOSED)
    for number in range(5):
        await door.send(scene.peer, scene.source, scene.target, f"{number}")
    await server.restart()
    door = GrpcDoor() if door.name == "grpc" else HttpDoor(server.http_address)
    client, texts, token = server.client(scene.peer.secret), [], ""
    for size in (2, 2, 1):
        page = await door.dead_letters(client, 2, token)
        assert len(page.letters) == size
        texts += [letter.text for letter in page.letters]
        token = page.next_page_token
    assert (texts, token) == (["4", "3", "2", "1", "0"], "")
    await door.close()


async def test_a_letter_is_its_senders_and_peoples(door, server, runtime, scene, put):
    await put(scene.target, USER_CLOSED)
    await door.send(scene.peer, scene.source, scene.target)
    (letter,) = (await door.dead_letters(server.admin)).letters
    other = await server.make_token("peer", scene.target.session_id)
    assert (await door.dead_letters(other)).letters == []
    assert (await door.redeliver(other, letter.dead_letter_id)).error == "message_not_found"
    assert (await door.dead_letters(runtime)).error == "forbidden"
    assert (await door.redeliver(await server.make_token("observer"), letter.dead_letter_id)).error == "forbidden"
    assert len((await door.dead_letters(await server.make_token("approver"))).letters) == 1
    await put(scene.target, OPEN)
    assert (await door.redeliver(await server.make_token("approver"), letter.dead_letter_id)).delivered


async def test_what_passes_by_itself_raises_nothing(door, server, scene, put, log_of):
    await door.send(scene.peer, scene.source, scene.target, "")
    await door.send(scene.peer, scene.source, scene.target, LONG)
    await door.send(scene.peer, scene.target, scene.source)
    await put(scene.target, 4)
    assert (await door.send(scene.peer, scene.source, scene.target)).error == "inactive_target_needs_confirmation"
    assert (await door.dead_letters(server.admin)).letters == []
    assert await log_of(scene.source) == ["session_created"]
