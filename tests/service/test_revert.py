"""A session goes back to a point of its log: whatever its mail had come to, before the point and after it."""

from __future__ import annotations

import asyncio

import grpc
import pytest
from calls import fresh
from kinpost.v1 import message_pb2, session_pb2
from ledger import kinds, payloads
from mail import two
from uuid_utils import uuid4

OPEN, PAUSED, USER_CLOSED = (
    session_pb2.Availability.Value(f"AVAILABILITY_{name}") for name in ("OPEN", "PAUSED", "USER_CLOSED")
)
STATE, REASON = message_pb2.MessageState, message_pb2.DiscardReason


async def revert(client, session, to_seq, **fields):
    """Revert from where the log is now; returns the session."""
    if "expected_last_seq" not in fields:
        fields["expected_last_seq"] = (await client.look(session)).last_seq
    answer = await client.sessions.RevertSession(session_id=session.session_id, to_seq=to_seq, **fields)
    return answer.session


async def names(client, session) -> list[str]:
    """What happened in a session, in order."""
    return kinds(await client.log(session_id=session.session_id))


class Life:
    """One message of a parent's run to its child, taken through its life step by step."""

    def __init__(self, server, runtime, parent, child, run) -> None:
        self.server, self.runtime, self.parent, self.child, self.sender = server, runtime, parent, child, run
        self.claims = 0

    async def accept(self):
        self.sent = await self.runtime.send(self.sender, self.child, "the mail", tool_call_id="the call")

    async def hold(self):
        await self.server.admin.sessions.SetAvailability(session_id=self.child.session_id, availability=PAUSED)

    async def open(self):
        await self.server.admin.sessions.SetAvailability(session_id=self.child.session_id, availability=OPEN)

    async def start(self):
        self.run = await self.runtime.run(self.child)

    async def claim(self):
        self.claimed = await self.runtime.claim(self.run)
        assert [message.body for message in self.claimed.messages] == ["the mail"]

    async def release(self):
        await self.runtime.runs.ReleaseClaim(
            session_id=self.child.session_id, run_id=self.run.run_id, claim_seq=self.claimed.claim_seq
        )

    async def consume(self):
        await self.runtime.commit(self.run, self.claimed)

    async def finish(self):
        await self.runtime.finish(self.run, "FAILED")
        del self.run

    async def retract(self):
        await self.runtime.messaging.RetractMessage(session_id=self.parent.session_id, message_id=self.sent.message_id)

    async def view(self):
        """What the sender sees."""
        own = {"session_id": self.parent.session_id, "message_id": self.sent.message_id}
        return (await self.runtime.messaging.GetSentMessage(**own)).sent_message


LIVES = {
    "consumed": ("accept", "start", "claim", "consume", "finish"),
    "given back, then consumed": ("accept", "start", "claim", "release", "claim", "consume", "finish"),
    "given back by its end": ("accept", "start", "claim", "finish"),
    "admitted and consumed by the second run": (
        "accept",
        "start",
        "claim",
        "finish",
        "start",
        "claim",
        "consume",
        "finish",
    ),
    "joined a run": ("start", "accept", "claim", "consume", "finish"),
    "taken back": ("accept", "start", "claim", "finish", "retract"),
    "held": ("hold", "accept", "open", "start", "claim", "consume", "finish"),
    "held again": ("accept", "start", "claim", "finish", "hold"),
}
POINTS = [(life, at) for life, steps in LIVES.items() for at in range(len(steps) + 1)]


@pytest.fixture
async def life(server, runtime):
    parent, child, run = await two(runtime)
    return Life(server, runtime, parent, child, run)


def outcome_of(steps, at):
    """What the sender sees after a revert to before the step `at`: state, reason, deliveries."""
    before, after = steps[:at], steps[at:]
    if "retract" in steps:
        return "DISCARDED", "RETRACTED", steps.count("claim")  # what is dead is not touched
    if "accept" in after:
        return "DISCARDED", "REVERTED", 0
    if "consume" in before:
        return "CONSUMED", "UNSPECIFIED", before.count("claim")
    return "ACCEPTED", "UNSPECIFIED", before.count("claim")


@pytest.mark.parametrize("name, at", POINTS)
async def test_mail_is_as_it_was_at_the_point_and_what_came_later_is_dead(life, name, at):
    steps = LIVES[name]
    for index, step in enumerate(steps):
        if index == at:
            point = (await life.runtime.look(life.child)).last_seq
        await getattr(life, step)()
    if at == len(steps):
        point = (await life.runtime.look(life.child)).last_seq
    before, after = steps[:at], steps[at:]
    reverted = await revert(life.runtime, life.child, point)
    view = await life.view()
    expected = outcome_of(steps, at)
    assert (STATE.Name(view.state)[14:], REASON.Name(view.discard_reason)[15:], view.delivery_count) == expected
    waits = expected[0] == "ACCEPTED"
    held = steps[-1] == "hold"
    # Counts, the wake, the sender's list and log, and the session itself.
    assert (reverted.pending_count, view.held) == (int(waits), waits and held)
    assert not reverted.HasField("active_run_id")
    log = await life.runtime.log(session_id=life.child.session_id)
    assert reverted.last_seq == len(log) == log[-1].seq
    wakes = [kind for kind in kinds(log) if kind.startswith("wake_")]
    assert (wakes[-1:] == ["wake_requested"]) == (waits and not held)
    (fact,) = payloads(log, "session_reverted")
    assert fact.to_seq == point
    came_back = waits and "consume" in after
    assert list(fact.restored_message_ids) == [life.sent.message_id] * (
        came_back or ("accept" in after and "consume" in after)
    )
    told = payloads(await life.runtime.log(session_id=life.parent.session_id), "sent_message_undeliverable")
    assert [fact.reason for fact in told] == [REASON.Value("DISCARD_REASON_REVERTED")] * (expected[1] == "REVERTED")
    page = await life.runtime.messaging.ListSentMessages(session_id=life.parent.session_id)
    assert list(page.sent_messages) == [view]
    # The sender's repeat is answered as ever, and so is the revert's.
    first = life.sent
    await life.accept()
    assert (life.sent.message_id, life.sent.replayed) == (first.message_id, True)
    again = await revert(life.runtime, life.child, point, expected_last_seq=fact_seq(log))
    assert again == reverted
    # Whoever runs it next gets what waits, and nothing else.
    if not held:
        started = await life.runtime.start(life.child, attempt_id="next")
        assert [message.body for message in started.claim.messages] == ["the mail"] * waits
        assert [message.delivery_count for message in started.claim.messages] == [before.count("claim") + 1] * waits
        assert await life.runtime.commit(started.run, started.claim) == [first.message_id] * waits
        await life.runtime.finish(started.run)


def fact_seq(log) -> int:
    """The seq of the event before the last revert."""
    return next(event.seq for event in reversed(log) if event.HasField("session_reverted")) - 1


async def test_nothing_is_undone_under_a_run_or_behind_somebodys_back(life, refused):
    await life.accept()
    await life.start()
    with refused("run:already_active"):
        await revert(life.runtime, life.child, 1)
    last_seq = (await life.runtime.look(life.child)).last_seq
    await life.finish()
    for wrong in (last_seq, last_seq + 1000, 2**63 - 1):
        with refused("session:log_moved"):
            await revert(life.runtime, life.child, 1, expected_last_seq=wrong)
    assert "session_reverted" not in await names(life.runtime, life.child)


async def test_of_the_same_call_twice_at_once_one_counts_and_both_are_answered(life):
    await life.accept()
    last_seq = (await life.runtime.look(life.child)).last_seq
    calls = [revert(life.runtime, life.child, 1, expected_last_seq=last_seq) for _ in range(8)]
    answers = await asyncio.gather(*calls)
    assert all(answer == answers[0] for answer in answers)
    assert (await names(life.runtime, life.child)).count("session_reverted") == 1


async def test_a_repeat_is_answered_though_the_session_runs_again(life, refused):
    await life.accept()
    last_seq = (await life.runtime.look(life.child)).last_seq
    await revert(life.runtime, life.child, 2, expected_last_seq=last_seq)
    await life.start()
    again = await revert(life.runtime, life.child, 2, expected_last_seq=last_seq)
    assert again.active_run_id == life.run.run_id
    with refused("session:log_moved"):  # another point is another call
        await revert(life.runtime, life.child, 1, expected_last_seq=last_seq)


@pytest.mark.parametrize("by", ["person", "runtime"])
async def test_a_revert_may_pause_in_the_same_step(life, by):
    client = life.server.admin if by == "person" else life.runtime
    for step in ("accept", "start", "claim", "consume", "finish"):
        await getattr(life, step)()
    attached = await life.runtime.attach()
    reverted = await revert(client, life.child, 2, pause=True)
    assert (reverted.availability, reverted.availability_reason, reverted.pending_count) == (PAUSED, "reverted", 1)
    assert not [kind for kind in await names(life.runtime, life.child) if kind == "wake_offered"]
    changed = payloads(await life.runtime.log(session_id=life.child.session_id), "session_availability_changed")
    assert [fact.by_person for fact in changed] == [by == "person"]
    await life.open()
    offer = await attached.told("wake_offer")
    assert offer.session_id == life.child.session_id
    attached.cancel()


async def test_what_was_consumed_wakes_the_session_when_nobody_pauses_it(life):
    for step in ("accept", "start", "claim", "consume", "finish"):
        await getattr(life, step)()
    attached = await life.runtime.attach()
    await revert(life.runtime, life.child, 2)
    offer = await attached.told("wake_offer")
    assert (offer.session_id, offer.pending_count) == (life.child.session_id, 1)
    attached.cancel()


async def test_an_offer_goes_when_the_mail_that_it_was_for_is_undone(life):
    attached = await life.runtime.attach()
    await life.accept()
    offer = await attached.told("wake_offer")
    await revert(life.runtime, life.child, 1)
    assert (await attached.told("wake_withdrawn")).wake_id == offer.wake_id
    attached.cancel()


async def test_what_people_decided_stands(server, life):
    await life.accept()
    closed = await server.admin.sessions.SetAvailability(
        session_id=life.child.session_id, availability=USER_CLOSED, reason="enough"
    )
    reverted = await revert(server.admin, life.child, 1, pause=True)
    assert (reverted.availability, reverted.availability_reason) == (USER_CLOSED, "enough")
    assert reverted.last_seq > closed.session.last_seq


async def test_a_point_within_a_run_leaves_the_session_interrupted(life):
    for step in ("accept", "start", "claim"):
        await getattr(life, step)()
    point = (await life.runtime.look(life.child)).last_seq
    await life.consume()
    await life.runtime.finish(life.run)
    reverted = await revert(life.runtime, life.child, point)
    assert reverted.state == session_pb2.SESSION_STATE_INTERRUPTED
    assert (await revert(life.runtime, life.child, 1)).state == session_pb2.SESSION_STATE_IDLE


async def test_a_delegated_session_that_was_started_needs_no_delegator_again(server, runtime):
    parent = await runtime.session(rules={"child": "allow"})
    child = await runtime.session(parent, starter=session_pb2.STARTER_DELEGATOR, first_message="do this")
    started = await runtime.start(child, attempt_id="first")
    await runtime.commit(started.run, started.claim)
    await runtime.finish(started.run)
    attached = await runtime.attach()
    reverted = await revert(runtime, child, 2)
    assert (reverted.state, reverted.pending_count) == (session_pb2.SESSION_STATE_IDLE, 1)
    assert (await attached.told("wake_offer")).session_id == child.session_id
    attached.cancel()


async def test_failing_runs_that_are_undone_delay_no_wake(life):
    await life.accept()
    for _ in range(3):
        await life.start()
        await life.claim()
        await life.finish()
    assert (await life.runtime.look(life.child)).failing_runs == 3
    reverted = await revert(life.runtime, life.child, 2)
    assert reverted.failing_runs == 0
    started = await life.runtime.start(life.child, attempt_id="next")
    await life.runtime.finish(started.run, "FAILED")
    assert (await life.runtime.look(life.child)).failing_runs == 1


@pytest.mark.parametrize("overrides", [{"messaging": {"max_inflight_per_pair": 1}}])
async def test_the_window_of_the_pair_counts_what_waits_again_and_nothing_dead(life, refused):
    for step in ("accept", "start", "claim", "consume", "finish"):
        await getattr(life, step)()
    await revert(life.runtime, life.child, 2)
    with refused("send_message:inflight_full"):
        await life.runtime.send(life.sender, life.child)
    await revert(life.runtime, life.child, 1)
    await life.runtime.send(life.sender, life.child)


async def test_the_hops_of_a_run_are_those_of_the_mail_that_it_gets(life):
    """A run after a revert is as deep as what it is given then, and no deeper."""
    grandchild = await life.runtime.session(life.child)
    child = await life.runtime.session(life.parent, rules={"*": "allow"})
    life.child = child
    for step in ("accept", "start", "claim", "consume", "finish"):
        await getattr(life, step)()
    for point, hop in ((2, 1), (1, 0)):
        await revert(life.runtime, child, point)
        started = await life.runtime.start(child, attempt_id=fresh("attempt"))
        await life.runtime.send(started.run, grandchild)
        await life.runtime.finish(started.run, "FAILED")
        accepted = payloads(await life.runtime.log(session_id=grandchild.session_id), "producer_message_accepted")
        assert accepted[-1].agent_hop == hop


async def test_what_an_undone_run_made_is_there_and_its_calls_are_answered_as_before(life, refused):
    for step in ("accept", "start", "claim"):
        await getattr(life, step)()
    made = await life.runtime.session(life.child, parent_run_id=life.run.run_id)
    await life.consume()
    run, claim = life.run, life.claimed
    await life.runtime.finish(run)
    await revert(life.runtime, life.child, 2)
    assert (await life.runtime.look(made)).parent_session_id == life.child.session_id
    assert await life.runtime.commit(run, claim) == [life.sent.message_id]
    assert (await life.runtime.start(life.child, client_run_id=run.client_run_id)).run.run_id == run.run_id
    with refused("run:not_active"):
        await life.runtime.claim(run)
    assert (await life.runtime.look(life.child)).pending_count == 1
    started = await life.runtime.start(life.child, attempt_id="next")
    assert started.run.number == run.number + 1


async def test_a_revert_goes_before_an_earlier_one_and_not_into_what_that_undid(server, life, refused):
    bodies = []
    points = []
    for number in range(4):
        await life.runtime.user(life.child, f"mail {number}")
        points.append((await life.runtime.look(life.child)).last_seq)
        bodies.append(f"mail {number}")
    await revert(life.runtime, life.child, points[2])
    await revert(life.runtime, life.child, points[1])
    end = (await life.runtime.look(life.child)).last_seq
    for undone in (points[2], points[3], points[1] + 1):
        with refused("request:invalid", field="to_seq") as told:
            await revert(life.runtime, life.child, undone)
        assert "fork" in told.text
    await life.runtime.user(life.child, "mail 4")
    await server.restart()
    runtime = server.client(life.runtime.secret)
    reverted = await revert(runtime, life.child, end)  # after both: they stand
    assert reverted.pending_count == 2
    started = await runtime.start(life.child, attempt_id="first")
    assert [message.body for message in started.claim.messages] == ["mail 0", "mail 1"]


async def test_consumed_mail_that_expired_or_was_replaced_meanwhile_dies_when_it_comes_back(server, life):
    first = await life.runtime.send(life.sender, life.child, "first")
    point = (await life.runtime.look(life.child)).last_seq
    started = await life.runtime.start(life.child, attempt_id="first")
    await life.runtime.send(life.sender, life.child, "in its place", supersedes_message_id=first.message_id)
    await life.runtime.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    reverted = await revert(life.runtime, life.child, point)
    assert reverted.pending_count == 0
    page = await life.runtime.messaging.ListSentMessages(session_id=life.parent.session_id)
    assert [REASON.Name(view.discard_reason)[15:] for view in page.sent_messages] == ["REVERTED", "SUPERSEDED"]


async def test_more_mail_than_one_revert_restores_is_undone_in_steps(life, refusal_of, monkeypatch):
    monkeypatch.setattr("kinpost_server.engine.revert_session.CONSUMED_MAX", 2)
    for number in range(5):
        await life.runtime.user(life.child, f"mail {number}")
        started = await life.runtime.start(life.child, attempt_id=fresh("attempt"))
        await life.runtime.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    steps = 0
    to_seq = 2
    while True:
        steps += 1
        try:
            reverted = await revert(life.runtime, life.child, to_seq)
        except grpc.aio.AioRpcError as error:
            told = refusal_of(error)
            assert (told.code, told.field) == ("request:invalid", "to_seq")
            to_seq = int(told.text.split("revert to ")[1].split()[0])
            continue
        if to_seq == 2:
            break
        to_seq = 2
    assert (steps, reverted.pending_count) == (5, 1)


async def test_a_revert_of_a_deleted_session_finds_nothing(server, life, refused):
    await server.admin.sessions.DeleteSession(session_id=life.child.session_id)
    with refused("session:not_found"):
        await server.admin.sessions.RevertSession(session_id=life.child.session_id, to_seq=1, expected_last_seq=2)
    with refused("session:not_found"):
        await server.admin.sessions.ForkSession(session_id=life.child.session_id, at_seq=1, new_session_id=str(uuid4()))
