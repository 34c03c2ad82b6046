"""Sessions that may not wake: nothing wakes them meanwhile, nothing is lost, and order is kept when they are opened."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from calls import fresh
from kinpost.v1 import session_pb2 as words
from ledger import Ledger, kinds, payloads
from mail import advance

OPEN, PAUSED, ARCHIVED, ENDED, USER_CLOSED = (
    words.Availability.Value(f"AVAILABILITY_{name}") for name in ("OPEN", "PAUSED", "ARCHIVED", "ENDED", "USER_CLOSED")
)
NOT_OPEN = 3
HELD = 4
STEER, QUEUE = 1, 2
CHANGED = "session_availability_changed"
CLOSINGS = {
    "paused": {"availability": PAUSED, "reason": "lunch"},
    "closed": {"availability": USER_CLOSED},
    "put away": {"availability": ARCHIVED, "no_wake": True},
}


@pytest.fixture(params=CLOSINGS)
def closing(request):
    return CLOSINGS[request.param]


@pytest.fixture
async def session(runtime):
    return await runtime.session()


async def put(client, session, **fields):
    """Set a session's availability; returns the session."""
    return (await client.sessions.SetAvailability(session_id=session.session_id, **fields)).session


def bodies(claim) -> list[str]:
    return [message.body for message in claim.messages]


async def wakes(client, session) -> list[str]:
    log = await client.log(session_id=session.session_id)
    return [name.removeprefix("wake_") for name in kinds(log) if name.startswith("wake_")]


async def test_what_comes_meanwhile_is_held_and_delivered_in_order_when_a_person_opens(
    server, runtime, session, closing, refused
):
    """Mail from before and meanwhile, of both modes, over a restart."""
    attached = await runtime.attach()
    await put(server.admin, session, **closing)
    for number, mode in enumerate((STEER, QUEUE, STEER, QUEUE)):
        accepted = await runtime.user(session, f"mail {number}", mode=mode)
        assert accepted.recipient_state == HELD
    assert await wakes(runtime, session) == []
    await server.restart()
    runtime = server.client(runtime.secret)
    attached = await runtime.attach()
    with refused("session:not_open"):
        await runtime.run(session)
    await runtime.user(session, "mail 4")
    assert await wakes(runtime, session) == []
    await put(server.admin, session, availability=OPEN)
    offer = await attached.told("wake_offer")
    assert await wakes(runtime, session) == ["requested", "offered"]
    assert offer.pending_count == 5
    started = await runtime.start(session, wake_id=offer.wake_id, attempt_id="first")
    assert bodies(started.claim) == [f"mail {number}" for number in range(5)]
    attached.cancel()


async def test_a_pause_after_an_offer_takes_it_back(server, runtime, session, closing, refused):
    attached = await runtime.attach()
    await runtime.user(session, "the mail")
    offer = await attached.told("wake_offer")
    await put(server.admin, session, **closing)
    assert (await attached.told("wake_withdrawn")).wake_id == offer.wake_id
    for identity in ({"wake_id": offer.wake_id}, {"client_run_id": fresh("run")}):
        with refused("session:not_open"):
            await runtime.start(session, **identity, attempt_id="first")
    assert await wakes(runtime, session) == ["requested", "offered", "withdrawn"]
    await put(server.admin, session, availability=OPEN)
    again = await attached.told("wake_offer")
    assert again.wake_id != offer.wake_id
    with refused("wake:settled"):
        await runtime.start(session, wake_id=offer.wake_id)
    started = await runtime.start(session, wake_id=again.wake_id, attempt_id="first")
    assert bodies(started.claim) == ["the mail"]
    attached.cancel()


async def test_a_pause_during_a_run_gives_it_no_more_mail_and_lets_it_finish(server, runtime, session, closing):
    await runtime.user(session, "mail 0")
    started = await runtime.start(session, attempt_id="first")
    run = {"session_id": session.session_id, "run_id": started.run.run_id}
    await runtime.user(session, "mail 1")
    await put(server.admin, session, **closing)
    await runtime.user(session, "mail 2")
    answer = await runtime.runs.ClaimMessages(**run, attempt_id="second", commit_claim_seq=started.claim.claim_seq)
    assert (bodies(answer.claim), answer.claim.more_pending, answer.stop_reason) == ([], False, NOT_OPEN)
    (lease,) = (await runtime.runs.Heartbeat(runtime_id="the-runtime", runs=[run])).runs
    assert (lease.state, lease.stop_reason) == (1, NOT_OPEN)
    ended = await runtime.finish(
        started.run, commit_claim_seq=answer.claim.claim_seq, continue_attempt_id="one more thing"
    )
    assert ended.run.consumed_count == 1
    assert "requested" not in (await wakes(runtime, session))[2:]
    await put(server.admin, session, availability=OPEN)
    assert bodies((await runtime.start(session, attempt_id="opened")).claim) == ["mail 1", "mail 2"]


async def test_mail_that_a_paused_run_gives_back_is_held_too(server, runtime, session, closing):
    await runtime.user(session, "mail 0")
    started = await runtime.start(session, attempt_id="first")
    await put(server.admin, session, **closing)
    again = await runtime.claim(started.run, attempt_id="first")
    assert again == started.claim  # the claim that lives is its own
    await runtime.finish(started.run, "FAILED")
    assert (await wakes(runtime, session))[-1] != "requested"
    await put(server.admin, session, availability=OPEN)
    assert bodies((await runtime.start(session, attempt_id="opened")).claim) == ["mail 0"]


async def test_a_pause_ends_at_its_time_and_the_mail_wakes_the_session(server, runtime, session):
    attached = await runtime.attach()
    until_time = datetime.now(UTC) + timedelta(hours=1)
    paused = await put(server.admin, session, availability=PAUSED, until_time=until_time)
    assert paused.until_time.ToDatetime(UTC) == until_time
    accepted = await runtime.user(session, "the mail")
    assert accepted.recipient_state == HELD
    advance(server, 3601)
    offer = await attached.told("wake_offer")
    log = await runtime.log(session_id=session.session_id)
    assert kinds(log)[1:] == [
        CHANGED,
        "producer_message_accepted",
        CHANGED,
        "wake_requested",
        "wake_offered",
    ]
    opened = log[3]
    assert opened.session_availability_changed.availability == OPEN
    assert opened.event_time.ToDatetime(UTC) >= until_time
    started = await runtime.start(session, wake_id=offer.wake_id, attempt_id="first")
    assert bodies(started.claim) == ["the mail"]
    look = await runtime.look(session)
    assert (look.availability, look.HasField("until_time")) == (OPEN, False)
    attached.cancel()


async def test_a_pause_that_ends_during_a_run_lets_it_have_its_mail_again(server, runtime, session):
    run = await runtime.run(session)
    await put(server.admin, session, availability=PAUSED, until_time=datetime.now(UTC) + timedelta(seconds=30))
    await runtime.user(session, "the mail")
    assert bodies(await runtime.claim(run)) == []
    advance(server, 31)
    watching = runtime.subscribe(session_id=session.session_id)
    while (await runtime.look(session)).availability == PAUSED:
        await watching.next()
    assert bodies(await runtime.claim(run)) == ["the mail"]
    watching.cancel()


async def test_a_pause_whose_time_passes_while_the_server_is_down_ends_when_it_is_up(server, runtime, session):
    await runtime.user(session, "the mail")
    await put(server.admin, session, availability=PAUSED, until_time=datetime.now(UTC) + timedelta(seconds=0.3))
    await server.restart()
    attached = await (runtime := server.client(runtime.secret)).attach()
    offer = await attached.told("wake_offer")
    assert bodies((await runtime.start(session, wake_id=offer.wake_id, attempt_id="1")).claim) == ["the mail"]
    attached.cancel()


async def test_a_new_pause_takes_the_place_of_an_earlier_ones_end(server, runtime, session):
    """Paused until soon, then paused for good: the first end opens nothing."""
    marker = await runtime.session()
    soon = datetime.now(UTC) + timedelta(seconds=0.2)
    await put(server.admin, session, availability=PAUSED, until_time=soon)
    await put(server.admin, session, availability=PAUSED)
    await put(server.admin, marker, availability=PAUSED, until_time=soon + timedelta(seconds=0.1))
    watching = runtime.subscribe(session_id=marker.session_id)
    await watching.events(3)  # created, paused, opened: the earlier end is past too
    assert (await runtime.look(session)).availability == PAUSED
    watching.cancel()


@pytest.mark.parametrize("availability", [ARCHIVED, ENDED])
async def test_what_was_put_away_or_has_ended_is_opened_by_its_next_run(server, runtime, session, availability):
    attached = await runtime.attach()
    await put(runtime, session, availability=availability)
    accepted = await runtime.user(session, "the mail")
    assert accepted.recipient_state != HELD
    offer = await attached.told("wake_offer")
    assert (await runtime.look(session)).availability == availability  # not yet: an offer is no run
    started = await runtime.start(session, wake_id=offer.wake_id, attempt_id="first")
    assert bodies(started.claim) == ["the mail"]
    assert (await runtime.look(session)).availability == OPEN
    await put(runtime, session, availability=availability)
    answer = await runtime.runs.ClaimMessages(
        session_id=session.session_id, run_id=started.run.run_id, attempt_id="second"
    )
    assert (bodies(answer.claim), answer.stop_reason) == (["the mail"], 0)
    attached.cancel()


async def test_the_sender_sees_that_its_mail_is_held_and_why(server, runtime, closing):
    parent = await runtime.session(rules={"child": "allow"})
    child = await runtime.session(parent)
    sent = await runtime.send(await runtime.run(parent), child)
    own = {"session_id": parent.session_id, "message_id": sent.message_id}
    assert not (await runtime.messaging.GetSentMessage(**own)).sent_message.held
    await put(server.admin, child, **closing)
    view = (await runtime.messaging.GetSentMessage(**own)).sent_message
    assert view.held
    assert view.held_reason == closing.get("reason", words.Availability.Name(closing["availability"])[13:].lower())
    assert view.HasField("held_time")
    await put(server.admin, child, availability=OPEN)
    view = (await runtime.messaging.GetSentMessage(**own)).sent_message
    assert (view.held, view.held_reason, view.HasField("held_time")) == (False, "", False)


async def test_a_runtime_pauses_and_opens_its_own_session_and_undoes_nothing_of_a_persons(
    server, runtime, session, refused
):
    await put(runtime, session, availability=PAUSED, reason="the machine is busy")
    assert (await put(runtime, session, availability=OPEN)).availability == OPEN
    with refused("auth:forbidden"):
        await put(runtime, session, availability=USER_CLOSED)
    for fields in CLOSINGS.values():
        await put(server.admin, session, **fields)
        for availability in (OPEN, PAUSED, ARCHIVED, ENDED):
            with refused("auth:forbidden"):
                await put(runtime, session, availability=availability)
        await put(server.admin, session, availability=OPEN)
    # What a person opened, the runtime may pause; a person's word on top of it makes it the person's.
    await put(runtime, session, availability=PAUSED, reason="busy")
    await put(server.admin, session, availability=PAUSED, reason="busy")
    with refused("auth:forbidden"):
        await put(runtime, session, availability=OPEN)
    origins = [event.by_person for event in payloads(await runtime.log(session_id=session.session_id), CHANGED)]
    assert origins[:3] == [False, False, True]


async def test_opening_and_closing_over_and_over_loses_nothing(server, runtime, session, closing):
    sent = []
    for number in range(5):
        await put(server.admin, session, **closing)
        sent.append((await runtime.user(session, f"mail {number}", mode=QUEUE)).message_id)
        await put(server.admin, session, availability=OPEN)
    started = await runtime.start(session, attempt_id="first")
    assert [message.message_id for message in started.claim.messages] == sent
    await runtime.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    Ledger(await runtime.log(session_id=session.session_id)).settled(*sent)


@pytest.mark.only("sqlite", "postgres", because="of replicas only the one where the runtime attached offers the wake")
async def test_an_answer_tells_the_last_seq_after_its_commit(server, runtime):
    """The wake that a commit brings or takes away is in its answer too."""
    attached = await runtime.attach()
    for number in range(3):
        made = await runtime.session(first_message=f"mail {number}")
        assert made.last_seq == len(await runtime.log(session_id=made.session_id)) == 4  # with wake and offer
        for availability in (PAUSED, OPEN):
            put = await server.admin.sessions.SetAvailability(session_id=made.session_id, availability=availability)
            assert put.session.last_seq == len(await runtime.log(session_id=made.session_id))
        run = await runtime.run(made)
        cancelled = await server.admin.runs.CancelRun(session_id=made.session_id, run_id=run.run_id)
        assert cancelled.session.last_seq == len(await runtime.log(session_id=made.session_id))
    attached.cancel()
