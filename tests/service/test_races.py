"""Two calls that meet: decided in one batch, in either order, each order with its own right outcome.

After each, everything accepted is consumed exactly once or discarded with its reason, and never did two runs live.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from kinpost.v1 import session_pb2 as words
from ledger import Ledger, kinds
from together import drain, in_one_batch

QUEUE = 2


@pytest.fixture
async def scene(server, runtime, refusal_of):
    """A parent with a run, its child with one message, and `race`, which returns both answers, or codes of refusals."""
    parent = await runtime.session(rules={"child": "allow"})
    child = await runtime.session(parent)
    sending = await runtime.run(parent)
    old = await runtime.send(sending, child, "old")
    accepted = [old.message_id]

    async def race(order: str, first, second):
        """Decide two calls in one batch: in this order, or the other way round."""
        calls = [first(), second()] if order == "as told" else [second(), first()]
        answers = await in_one_batch(server, *calls)
        answers = [refusal_of(answer).code if isinstance(answer, Exception) else answer for answer in answers]
        return answers if order == "as told" else answers[::-1]

    async def settle(consumed: set[str], discarded: dict[str, str] | None = None) -> None:
        """Run all mail down, and hold the log against what should have become of it."""
        await drain(server.admin, child, parent)
        ledger = Ledger(await server.admin.log(all=True))
        ledger.settled(*accepted)
        assert ledger.of("consumed") == consumed
        assert ledger.reason == (discarded or {})

    return SimpleNamespace(
        parent=parent, child=child, sending=sending, old=old.message_id, race=race, settle=settle, accepted=accepted
    )


@pytest.fixture(params=["as told", "the other way round"])
def order(request):
    return request.param


def ids(claim) -> list[str]:
    return [message.message_id for message in claim.messages]


async def test_a_retraction_meets_a_claim(runtime, scene, order, refusal_of):
    run = await runtime.run(scene.child)
    own = {"session_id": scene.parent.session_id, "message_id": scene.old}
    retracted, claim = await scene.race(
        order, lambda: retract(runtime, own), lambda: runtime.claim(run, attempt_id="first")
    )
    if order == "as told":
        assert (retracted.sent_message.state, ids(claim)) == (6, [])
        await scene.settle(set(), {scene.old: "retracted"})
    else:
        assert (retracted, ids(claim)) == ("message:claimed", [scene.old])
        await scene.settle({scene.old})


async def retract(client, own):
    return await client.messaging.RetractMessage(**own)


@pytest.mark.parametrize("then", ["committed", "released"])
async def test_a_replacement_meets_a_claim(runtime, scene, order, then):
    """The old one is not taken from under a model request: it is discarded if it comes back."""
    run = await runtime.run(scene.child)
    new, claim = await scene.race(
        order,
        lambda: runtime.send(scene.sending, scene.child, "new", supersedes_message_id=scene.old),
        lambda: runtime.claim(run, attempt_id="first"),
    )
    scene.accepted.append(new.message_id)
    assert ids(claim) == ([new.message_id] if order == "as told" else [scene.old])
    if then == "committed":
        await runtime.commit(run, claim)
    if order == "as told" or then == "released":
        await scene.settle({new.message_id}, {scene.old: "superseded"})
    else:
        await scene.settle({scene.old, new.message_id})


async def test_a_cancel_meets_a_claim(server, runtime, scene, order):
    run = await runtime.run(scene.child)
    cancelled, claim = await scene.race(order, lambda: cancel(server.admin, run), lambda: runtime.claim(run))
    assert cancelled.run.state == 5
    if order == "as told":
        assert claim == "run:cancelled"
    else:
        assert ids(claim) == [scene.old]
    await scene.settle({scene.old})


async def cancel(client, run):
    return await client.runs.CancelRun(session_id=run.session_id, run_id=run.run_id)


async def test_a_cancel_meets_a_commit(server, runtime, scene, order):
    started = await runtime.start(scene.child, attempt_id="first")
    cancelled, consumed = await scene.race(
        order, lambda: cancel(server.admin, started.run), lambda: runtime.commit(started.run, started.claim)
    )
    assert cancelled.run.consumed_count == (0 if order == "as told" else 1)
    assert consumed == ("run:cancelled" if order == "as told" else [scene.old])
    assert (await runtime.look(scene.child)).pending_count == (1 if order == "as told" else 0)
    await scene.settle({scene.old})


async def test_a_cancel_meets_the_runs_own_end(server, runtime, scene, order):
    started = await runtime.start(scene.child, attempt_id="first")
    cancelled, ended = await scene.race(
        order,
        lambda: cancel(server.admin, started.run),
        lambda: runtime.finish(started.run, commit_claim_seq=started.claim.claim_seq),
    )
    if order == "as told":
        assert (cancelled.run.state, ended) == (5, "run:cancelled")
    else:
        assert (cancelled, ended.run.state) == ("run:not_active", 2)
    await scene.settle({scene.old})


@pytest.mark.parametrize("mode", [1, 2])
@pytest.mark.parametrize("goes_on", [False, True])
async def test_a_send_meets_the_end_of_a_run(runtime, scene, order, mode, goes_on):
    started = await runtime.start(scene.child, attempt_id="first")
    more = {"continue_attempt_id": "more"} if goes_on else {}
    new, ended = await scene.race(
        order,
        lambda: runtime.send(scene.sending, scene.child, "new", mode=mode),
        lambda: runtime.finish(started.run, commit_claim_seq=started.claim.claim_seq, **more),
    )
    scene.accepted.append(new.message_id)
    if goes_on and order == "as told" and mode != QUEUE:
        assert ids(ended.claim) == [new.message_id]
    else:
        assert ended.run.state == 2
        assert kinds(await runtime.log(session_id=scene.child.session_id))[-1] == "wake_requested"
    await scene.settle(set(scene.accepted))


@pytest.mark.parametrize("mode", [1, 2])
async def test_a_send_meets_the_start_of_a_run(runtime, scene, order, mode):
    new, started = await scene.race(
        order,
        lambda: runtime.send(scene.sending, scene.child, "new", mode=mode),
        lambda: runtime.start(scene.child, client_run_id="mine", attempt_id="first"),
    )
    scene.accepted.append(new.message_id)
    both = [scene.old, new.message_id]
    assert ids(started.claim) == (both if order == "as told" else [scene.old])
    assert new.recipient_state == (2 if order == "as told" else 1)
    await runtime.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    await scene.settle(set(both))


async def test_a_pause_meets_mail_and_its_offer(server, runtime, scene, order):
    attached = await runtime.attach()
    session = await runtime.session()
    await attached.told("wake_offer")  # the child's
    _, accepted = await scene.race(
        order, lambda: pause(server.admin, session), lambda: runtime.user(session, "the mail")
    )
    assert accepted.recipient_state == (4 if order == "as told" else 2)
    assert [name for name in kinds(await runtime.log(session_id=session.session_id)) if name.startswith("wake")] == []
    await server.admin.sessions.SetAvailability(session_id=session.session_id, availability=words.AVAILABILITY_OPEN)
    assert (await attached.told("wake_offer")).session_id == session.session_id
    attached.cancel()
    await drain(server.admin, session)
    scene.accepted.append(accepted.message_id)
    await scene.settle(set(scene.accepted))


async def pause(client, session):
    return await client.sessions.SetAvailability(session_id=session.session_id, availability=words.AVAILABILITY_PAUSED)


async def test_a_pause_meets_the_start_that_takes_up_an_offer(server, runtime, scene, order):
    attached = await runtime.attach()
    offer = await attached.told("wake_offer")
    _, started = await scene.race(
        order,
        lambda: pause(server.admin, scene.child),
        lambda: runtime.start(scene.child, wake_id=offer.wake_id, attempt_id="first"),
    )
    if order == "as told":
        assert started == "session:not_open"
        assert (await attached.told("wake_withdrawn")).wake_id == offer.wake_id
    else:
        assert ids(started.claim) == [scene.old]
    attached.cancel()
    await scene.settle({scene.old})


async def test_two_attempts_of_one_run_meet(runtime, scene, order, refused):
    run = await runtime.run(scene.child)
    one, two = await scene.race(
        order, lambda: runtime.claim(run, attempt_id="one"), lambda: runtime.claim(run, attempt_id="two")
    )
    assert ids(one) == ids(two) == [scene.old]
    overtaken, lives = (one, two) if order == "as told" else (two, one)
    with refused("claim:lost"):
        await runtime.commit(run, overtaken)
    assert await runtime.commit(run, lives) == [scene.old]
    await scene.settle({scene.old})


async def two_hosts(server, runtime, session):
    """Return a second runtime that hosts the session too, because it was offered and ran it once."""
    other = await server.make_token("runtime")
    attached = await other.attach(agents=["*"], session_scope=2)
    offer = await attached.told("wake_offer")
    run = await other.run(session, wake_id=offer.wake_id)
    await other.finish(run, "FAILED")
    attached.cancel()
    return other


async def standing_wake(client, session) -> str:
    log = await client.log(session_id=session.session_id)
    return [event.wake_requested.wake_id for event in log if event.HasField("wake_requested")][-1]


@pytest.mark.parametrize("by", ["the wake", "its own id", "the wake and its own id"])
async def test_two_runtimes_start_one_wake(server, runtime, scene, order, by):
    other = await two_hosts(server, runtime, scene.child)
    wake_id = await standing_wake(runtime, scene.child)
    identity = {"wake_id": wake_id} if by != "its own id" else {"client_run_id": "mine"}
    other_identity = {"wake_id": wake_id} if by == "the wake" else {"client_run_id": "its"}
    one, two = await scene.race(
        order,
        lambda: runtime.start(scene.child, **identity, attempt_id="first"),
        lambda: other.start(scene.child, **other_identity, attempt_id="first"),
    )
    won, lost = (one, two) if order == "as told" else (two, one)
    assert ids(won.claim) == [scene.old]
    loser = other_identity if order == "as told" else identity
    assert lost == ("wake:settled" if "wake_id" in loser else "run:already_active")
    await scene.settle({scene.old})


async def test_who_was_offered_the_wake_has_it_whoever_comes_first(server, runtime, scene, order):
    other = await two_hosts(server, runtime, scene.child)
    attached = await runtime.attach()
    offer = await attached.told("wake_offer")
    one, two = await scene.race(
        order,
        lambda: runtime.start(scene.child, wake_id=offer.wake_id, attempt_id="first"),
        lambda: other.start(scene.child, wake_id=offer.wake_id, attempt_id="first"),
    )
    assert (ids(one.claim), two) == ([scene.old], "wake:settled")
    attached.cancel()
    await scene.settle({scene.old})


async def test_a_decline_meets_a_start_of_the_same_offer(runtime, scene, order):
    attached = await runtime.attach()
    offer = await attached.told("wake_offer")
    declined, started = await scene.race(
        order,
        lambda: decline(runtime, offer),
        lambda: runtime.start(scene.child, wake_id=offer.wake_id, attempt_id="first"),
    )
    assert ids(started.claim) == [scene.old]
    assert (declined == "wake:settled") == (order != "as told")
    attached.cancel()
    await scene.settle({scene.old})


async def decline(client, offer):
    return await client.runs.DeclineWake(session_id=offer.session_id, wake_id=offer.wake_id)
