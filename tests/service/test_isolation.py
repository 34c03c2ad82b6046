"""What is not the caller's is not there: the same answer for another's session as for one that never was.

Each test asks as every stranger there is, and looks at the log afterwards: nothing was written.
"""

from __future__ import annotations

from types import SimpleNamespace

import grpc
import pytest
from approving import asks
from calls import fresh
from kinpost.v1 import run_pb2
from uuid_utils import uuid4

STRANGERS = ["another runtime", "another session", "a peer"]
WITHOUT_POWER = ["observer", "plugin"]


@pytest.fixture
async def scene(server, runtime):
    """A session of `runtime` with a run, a claim, mail that waits, a wake's worth of history, and mail it sent."""
    session = await runtime.session(agent="default", rules={"*": "allow"})
    child = await runtime.session(session)
    run = await runtime.run(session)
    sent = await runtime.send(run, child)
    asking = await runtime.session(session, rules={"parent": "ask"})
    asked = await asks(runtime, await runtime.run(asking), session)
    await runtime.user(session, "the mail")
    claim = await runtime.claim(run)
    return SimpleNamespace(session=session, child=child, run=run, claim=claim, sent=sent, asking=asking, asked=asked)


async def stranger(server, kind: str):
    """Return a client of this kind that has nothing to do with the scene."""
    if kind == "another runtime":
        return await server.make_token("runtime")
    elsewhere = await (await server.make_token("runtime")).session(rules={"*": "allow"})
    return await server.make_token("session" if kind == "another session" else "peer", elsewhere.session_id)


def acts(scene, session_id: str, run_id: str) -> dict[str, tuple[str, dict]]:
    """Return each act of a runtime on a session: service and fields."""
    run = {"session_id": session_id, "run_id": run_id}
    peer = {"session_id": scene.child.session_id, "source_session_id": session_id, "text": "x"}
    return {
        "StartRun": ("runs", {"session_id": session_id, "client_run_id": scene.run.client_run_id}),
        "ClaimMessages": ("runs", {**run, "attempt_id": scene.claim.attempt_id}),
        "CommitTurn": ("runs", {**run, "claim_seq": scene.claim.claim_seq}),
        "ReleaseClaim": ("runs", {**run, "claim_seq": scene.claim.claim_seq}),
        "FinishRun": ("runs", {**run, "outcome": 3}),
        "DeclineWake": ("runs", {"session_id": session_id, "wake_id": str(uuid4())}),
        "CancelRun": ("runs", run),
        "SetAvailability": ("sessions", {"session_id": session_id, "availability": 2}),
        "RevertSession": ("sessions", {"session_id": session_id, "to_seq": 1, "expected_last_seq": 2}),
        "ForkSession": ("sessions", {"session_id": session_id, "at_seq": 1, "new_session_id": str(uuid4())}),
        "DeleteSession": ("sessions", {"session_id": session_id}),
        "SendMessage": ("messaging", {**run, "tool_call_id": "call", "to": scene.child.session_id, "body": "x"}),
        "RetractMessage": ("messaging", {"session_id": session_id, "message_id": scene.sent.message_id}),
        "SendUserMessage": ("messaging", {"session_id": session_id, "client_message_id": "1", "body": "x"}),
        "RegisterProducer": ("producers", {"session_id": session_id, "client_producer_id": "one"}),
        "SendProducerMessage": (
            "producers",
            {"session_id": session_id, "producer_id": str(uuid4()), "idempotency_key": "1", "body": "x"},
        ),
        "DiscardProducerMessage": ("producers", {"session_id": session_id, "message_id": scene.sent.message_id}),
        "UnregisterProducer": ("producers", {"session_id": session_id, "producer_id": str(uuid4())}),
        "SendPeerMessage": ("peers", peer),
        "FollowUp": ("peers", peer),
        "QueuePeerMessage": ("peers", peer),
        "CallTool": ("tools", {**run, "tool_call_id": "call", "name": "send_message", "arguments_json": "{}"}),
        "DecideApproval": ("approvals", {"session_id": session_id, "approval_id": scene.asked, "decision": 1}),
    }


def reads(scene, session_id: str) -> dict[str, tuple[str, dict]]:
    """Return each read of a session."""
    own = {"session_id": session_id}
    return {
        "GetSession": ("sessions", own),
        "ListTools": ("tools", own),
        "ListEvents": ("events", own),
        "ListProducers": ("producers", own),
        "SubscribeEvents": ("events", own),
        "GetSentMessage": ("messaging", {**own, "message_id": scene.sent.message_id}),
        "ListSentMessages": ("messaging", own),
        "GetApproval": ("approvals", {**own, "approval_id": scene.asked}),
        "ListApprovals": ("approvals", {"root_session_id": session_id}),
    }


async def answers(client, calls, refusal_of) -> dict[str, tuple[str, str]]:
    """Make each call, and return the code and the text of its refusal."""
    told = {}
    for name, (service, fields) in calls.items():
        call = getattr(getattr(client, service), name)(**fields)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await (call.read() if name == "SubscribeEvents" else call)
        refusal = refusal_of(caught.value)
        told[name] = (refusal.code, refusal.text)
    return told


@pytest.mark.parametrize("kind", STRANGERS)
async def test_what_is_not_ones_own_is_answered_as_what_is_not_there(server, runtime, scene, refusal_of, kind):
    client = await stranger(server, kind)
    before = await runtime.log(session_id=scene.session.session_id)
    theirs = {**acts(scene, scene.session.session_id, scene.run.run_id), **reads(scene, scene.session.session_id)}
    nobodys = {**acts(scene, str(uuid4()), str(uuid4())), **reads(scene, str(uuid4()))}
    found = await answers(client, theirs, refusal_of)
    assert found == await answers(client, nobodys, refusal_of)
    assert {code for code, _ in found.values()} <= {"session:not_found", "auth:forbidden"}
    assert await runtime.log(session_id=scene.session.session_id) == before
    assert await runtime.commit(scene.run, scene.claim)  # and the claim is where it was


@pytest.mark.parametrize("kind", WITHOUT_POWER)
async def test_who_may_only_look_changes_nothing(server, runtime, scene, refusal_of, kind):
    client = await server.make_token(kind)
    before = await runtime.log(session_id=scene.session.session_id)
    tried = acts(scene, scene.session.session_id, scene.run.run_id)
    if kind == "plugin":  # which may register, and then send what it likes
        tried = {name: call for name, call in tried.items() if call[0] != "producers"}
    found = await answers(client, tried, refusal_of)
    assert {code for code, _ in found.values()} == {"auth:forbidden"}
    assert await client.log(session_id=scene.session.session_id) == before


async def test_a_heartbeat_neither_renews_nor_tells_of_anothers_run(server, runtime, scene):
    other = await server.make_token("runtime")
    own = await other.session()
    run = await other.run(own)
    references = [
        {"session_id": scene.session.session_id, "run_id": scene.run.run_id},
        {"session_id": str(uuid4()), "run_id": str(uuid4())},
        {"session_id": own.session_id, "run_id": scene.run.run_id},
        {"session_id": own.session_id, "run_id": run.run_id},
    ]
    answer = await other.runs.Heartbeat(runtime_id="other", runs=references)
    assert [(lease.state, lease.stop_reason) for lease in answer.runs] == [(0, 0), (0, 0), (0, 0), (1, 0)]


async def test_a_run_is_named_with_its_own_session(runtime, scene, refused):
    """A run's id opens nothing in another session, even of the same runtime."""
    elsewhere = await runtime.session(rules={"*": "allow"})
    for name, (service, fields) in acts(scene, elsewhere.session_id, scene.run.run_id).items():
        if "run_id" in fields and name != "CallTool":
            with refused("run:not_active"):
                await getattr(getattr(runtime, service), name)(**fields)
    log = await runtime.log(session_id=elsewhere.session_id)
    assert len(log) == 1


async def test_a_run_that_another_host_of_the_session_started_is_not_ones_own(server, runtime, scene, refused):
    """A session may have had several hosts; a run has one."""
    await runtime.commit(scene.run, scene.claim)
    await runtime.finish(scene.run)
    other = await server.make_token("runtime")
    attached = await other.attach(agents=["default"], session_scope=2)
    await runtime.user(scene.session, "for whoever runs it next")
    offer = await attached.told("wake_offer")
    with refused("wake:settled"):
        await runtime.start(scene.session, wake_id=offer.wake_id)
    taken = await other.start(scene.session, wake_id=offer.wake_id, attempt_id="first")
    attached.cancel()
    run = {"session_id": scene.session.session_id, "run_id": taken.run.run_id}
    for call, more in (
        (runtime.runs.ClaimMessages, {"attempt_id": "first"}),
        (runtime.runs.CommitTurn, {"claim_seq": taken.claim.claim_seq}),
        (runtime.runs.ReleaseClaim, {"claim_seq": taken.claim.claim_seq}),
        (runtime.runs.FinishRun, {"outcome": 2}),
        (runtime.messaging.SendMessage, {"tool_call_id": "call", "to": scene.child.session_id, "body": "x"}),
    ):
        with refused("run:not_active"):
            await call(**run, **more)
    with refused("wake:settled"):
        await runtime.start(scene.session, wake_id=offer.wake_id)
    (lease,) = (await runtime.runs.Heartbeat(runtime_id="mine", runs=[run])).runs
    assert lease.state == 0
    await other.finish(taken.run, commit_claim_seq=taken.claim.claim_seq)
    with refused("run:not_active"):
        await runtime.finish(taken.run)
    with refused("wake:settled"):
        await runtime.start(scene.session, wake_id=offer.wake_id)


async def test_a_session_token_names_itself_alone(server, runtime, scene, refused):
    token = await server.make_token("session", scene.session.session_id)
    assert (await token.look(scene.session)).active_run_id == scene.run.run_id
    assert await token.send(scene.run, scene.child, "by the session itself")
    for session in (scene.child, await runtime.session()):
        with refused("session:not_found"):
            await token.look(session)
        with refused("session:not_found"):
            await token.send(run_pb2.Run(session_id=session.session_id, run_id=scene.run.run_id), scene.session)
    for call in (
        token.runs.AttachRuntime(runtime_id=fresh("runtime"), run_slots_max=1),
        token.events.SubscribeEvents(root_session_id=scene.session.root_session_id),
    ):
        with refused("auth:forbidden"):
            await call.read()
    with refused("auth:forbidden"):
        await token.runs.CancelRun(session_id=scene.session.session_id)


async def test_a_runtimes_id_belongs_to_the_token_that_first_used_it(server, runtime, scene, refused):
    """Nobody else attaches under it, reports under it, or starts runs whose stops would go to it."""
    attached = await runtime.attach("the-runtime")
    other = await server.make_token("runtime")
    own = await other.session()
    with refused("auth:forbidden"):
        await other.attach("the-runtime")
    with refused("auth:forbidden"):
        await other.runs.Heartbeat(runtime_id="the-runtime")
    with refused("auth:forbidden"):
        await other.run(own, runtime_id="the-runtime")
    run = await other.run(own)
    await server.admin.runs.CancelRun(session_id=own.session_id, run_id=run.run_id)
    await runtime.user(scene.child, "the next that it is told of is its own")
    await attached.told("wake_offer")
    told = [frame.WhichOneof("message") for frame in attached.seen]
    assert [kind for kind in told if kind != "heartbeat"] == ["attached", "wake_offer"]
    attached.cancel()
    await server.restart()
    other = server.client(other.secret)
    with refused("auth:forbidden"):
        await other.attach("the-runtime")


async def test_an_approver_opens_pauses_closes_and_stops_any_session(server, runtime, scene, wire):
    approver = await server.make_token("approver")
    for name in ("PAUSED", "OPEN", "ARCHIVED", "USER_CLOSED", "OPEN"):
        number = wire.session.Availability.Value(f"AVAILABILITY_{name}")
        answer = await approver.sessions.SetAvailability(session_id=scene.session.session_id, availability=number)
        assert answer.session.availability == number
    stopped = await approver.runs.CancelRun(session_id=scene.session.session_id)
    assert (stopped.run.run_id, stopped.run.by_person) == (scene.run.run_id, True)
    assert stopped.session.availability == wire.session.AVAILABILITY_PAUSED
    log = await approver.log(session_id=scene.session.session_id)
    told = [event for event in log if event.HasField("session_availability_changed")]
    assert {event.session_availability_changed.token_id for event in told} == {approver.token_id}
    assert all(event.session_availability_changed.by_person for event in told)


async def test_a_parents_runtime_may_cancel_its_childs_run_and_no_more_than_that(server, runtime, refused, wire):
    """Delegation across runtimes: the parent's stops the child, which stays messageable; it reads nothing of it."""
    worker = await server.make_token("runtime")
    parent = await runtime.session(rules={"child": "allow"})
    child = await runtime.session(parent)
    attached = await worker.attach(agents=["explore"], session_scope=2)
    await runtime.send(await runtime.run(parent), child, "do this")
    offer = await attached.told("wake_offer")
    run = (await worker.start(child, wake_id=offer.wake_id)).run
    with refused("run:not_active"):
        await runtime.claim(run)
    stopped = await runtime.runs.CancelRun(session_id=child.session_id, run_id=run.run_id, reason="not needed")
    assert (stopped.run.by_person, stopped.session.availability) == (False, wire.session.AVAILABILITY_OPEN)
    assert (await attached.told("run_stop")).run_id == run.run_id
    with refused("run:cancelled"):
        await worker.claim(run)
    attached.cancel()
    grandchild = await worker.session(await worker.session(child))
    with refused("session:not_found"):
        await runtime.runs.CancelRun(session_id=grandchild.session_id)


async def test_a_plugin_has_no_part_in_what_another_registered_or_sent(server, runtime, scene, refused):
    mine = await server.make_token("plugin", plugin_name="mine")
    other = await server.make_token("plugin", plugin_name="other")
    producer = await mine.register(scene.session, client_producer_id="one")
    message = await mine.produce(producer, idempotency_key="key")
    theirs = await other.register(scene.session, client_producer_id="one")
    assert theirs.producer_id != producer.producer_id
    before = await runtime.log(session_id=scene.session.session_id)
    with refused("producer:not_found"):
        await other.produce(producer)
    with refused("producer:not_found"):
        await other.producers.UnregisterProducer(session_id=producer.session_id, producer_id=producer.producer_id)
    with refused("message:not_found"):
        await other.discard(scene.session, message)
    renewed = await other.producers.RenewProducers(producer_ids=[producer.producer_id, theirs.producer_id])
    assert list(renewed.renewed_producer_ids) == [theirs.producer_id]
    assert await runtime.log(session_id=scene.session.session_id) == before
    assert (await other.produce(theirs, idempotency_key="key")).message_id != message.message_id


async def test_a_registration_opens_its_own_session_alone(server, runtime, scene, refused):
    plugin = await server.make_token("plugin")
    producer = await plugin.register(scene.session)
    message = await plugin.produce(producer)
    elsewhere = {"session_id": scene.child.session_id}
    with refused("producer:not_found"):
        await plugin.produce(producer, **elsewhere)
    with refused("producer:not_found"):
        await plugin.producers.UnregisterProducer(producer_id=producer.producer_id, **elsewhere)
    with refused("message:not_found"):
        await plugin.discard(scene.child, message)
