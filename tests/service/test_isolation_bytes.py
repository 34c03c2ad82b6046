"""Another's object is answered byte for byte as one that does not exist, but for the id that was asked for.

Code, text, details and every other piece of metadata are compared; each RPC of the contract is asked as each stranger.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from approving import asks
from calls import SERVICES, fresh
from uuid_utils import uuid4, uuid7

STRANGERS = ["another runtime", "another session", "a peer", "a neighbour's runtime", "a neighbour"]
COMPLETED, CANCELLED = 2, 5
BODY = {"mode": 1, "body": "the mail"}

Table = dict[str, tuple[str, dict[str, Any]]]


@pytest.fixture
async def scene(server, runtime):
    """A tree of `runtime` with a run, a claim, mail, an approval, a wake and a plugin's registration."""
    session = await runtime.session(agent="default", rules={"*": "allow"})
    child = await runtime.session(session)
    run = await runtime.run(session)
    sent = await runtime.send(run, child, "the mail", tool_call_id="the mail")
    asking = await runtime.session(session, rules={"parent": "ask"})
    approval_id = await asks(runtime, await runtime.run(asking), session)
    await runtime.user(session, "the mail", client_message_id="the mail")
    claim = await runtime.claim(run)
    plugin = await server.make_token("plugin", plugin_name="mine")
    producer = await plugin.register(session, client_producer_id="one")
    (requested,) = [e for e in await runtime.log(session_id=child.session_id) if e.HasField("wake_requested")]
    return SimpleNamespace(
        session_id=session.session_id,
        handle=session.handle,
        run_id=run.run_id,
        client_run_id=run.client_run_id,
        child_id=child.session_id,
        message_id=sent.message_id,
        asking_id=asking.session_id,
        approval_id=approval_id,
        wake_id=requested.wake_requested.wake_id,
        producer_id=producer.producer_id,
        plugin_message_id=(await plugin.produce(producer, idempotency_key="key")).message_id,
        claim_seq=claim.claim_seq,
        attempt_id=claim.attempt_id,
    )


def nobodys(scene: SimpleNamespace) -> SimpleNamespace:
    """Return ids of the same form, of things that never were."""
    made = {}
    for name, value in vars(scene).items():
        made[name] = value
        if name == "handle":
            made[name] = f"{value[:-8]}{str(uuid4())[:8]}"
        elif name.endswith("_id") and len(str(value)) == 36:
            made[name] = str(uuid7() if value[14] == "7" else uuid4())
    return SimpleNamespace(**made)


async def stranger(server: Any, runtime: Any, scene: SimpleNamespace, kind: str) -> SimpleNamespace:
    """Return a client that has no part in the scene, with a session, a child and a run of its own."""
    other = await server.make_token("runtime")
    if kind.startswith("a neighbour"):  # of the same tree, but another runtime's
        parent = SimpleNamespace(session_id=scene.session_id)
        own = await runtime.session(parent, agent="worker", rules={"*": "allow"})
        attached = await other.attach(agents=["worker"], session_scope=2)
        await runtime.user(own)
        run = (await other.start(own, wake_id=(await attached.told("wake_offer")).wake_id)).run
        attached.cancel()
    else:
        own = await other.session(rules={"*": "allow"})
        run = await other.run(own)
    child = await other.session(own)
    client = other
    if kind in ("another session", "a neighbour"):
        client = await server.make_token("session", own.session_id)
    elif kind == "a peer":
        client = await server.make_token("peer", own.session_id)
    return SimpleNamespace(client=client, session_id=own.session_id, run_id=run.run_id, child_id=child.session_id)


def of_session(it: SimpleNamespace) -> Table:
    """Return each call that names a session: here `it`, with all that it has."""
    own = {"session_id": it.session_id}
    run = {**own, "run_id": it.run_id}
    call = {"tool_call_id": "the mail"}
    arguments = json.dumps({"to": it.child_id, "body": "the mail"})
    keyed = {"idempotency_key": "key", "body": "hello"}
    peer = {"source_session_id": it.session_id, "text": "hello"}
    return {
        "CreateSession": ("sessions", {"parent_session_id": it.session_id, "agent": "explore"}),
        "GetSession": ("sessions", own),
        "ListSessions": ("sessions", {"root_session_id": it.session_id}),
        "SetAvailability": ("sessions", {**own, "availability": 2}),
        "RevertSession": ("sessions", {**own, "to_seq": 1, "expected_last_seq": 2}),
        "ForkSession": ("sessions", {**own, "at_seq": 1, "new_session_id": str(uuid4())}),
        "DeleteSession": ("sessions", own),
        "AttachRuntime": ("runs", {"runtime_id": fresh("runtime"), "run_slots_max": 1, "held_runs": [run]}),
        "Heartbeat": ("runs", {"runtime_id": fresh("runtime"), "runs": [run]}),
        "DeclineWake": ("runs", {"session_id": it.child_id, "wake_id": it.wake_id}),
        "StartRun": ("runs", {**own, "client_run_id": it.client_run_id}),
        "ClaimMessages": ("runs", {**run, "attempt_id": it.attempt_id}),
        "CommitTurn": ("runs", {**run, "claim_seq": it.claim_seq}),
        "ReleaseClaim": ("runs", {**run, "claim_seq": it.claim_seq}),
        "FinishRun": ("runs", {**run, "outcome": COMPLETED}),
        "CancelRun": ("runs", run),
        "SendMessage": ("messaging", {**run, **call, **BODY, "to": it.child_id}),
        "BatchSendMessages": ("messaging", {**run, "sends": [{**call, **BODY, "to": it.child_id}]}),
        "SendUserMessage": ("messaging", {**own, "client_message_id": "the mail", "body": "the mail"}),
        "RetractMessage": ("messaging", {**own, "message_id": it.message_id}),
        "GetSentMessage": ("messaging", {**own, "message_id": it.message_id}),
        "ListSentMessages": ("messaging", own),
        "ListTools": ("tools", own),
        "CallTool": ("tools", {**run, **call, "name": "send_message", "arguments_json": arguments}),
        "RegisterProducer": ("producers", {**own, "client_producer_id": "one"}),
        "RenewProducers": ("producers", {"producer_ids": [it.producer_id]}),
        "SendProducerMessage": ("producers", {**own, "producer_id": it.producer_id, **keyed}),
        "DiscardProducerMessage": ("producers", {**own, "message_id": it.plugin_message_id}),
        "UnregisterProducer": ("producers", {**own, "producer_id": it.producer_id}),
        "ListProducers": ("producers", own),
        "InterceptToolCalls": ("producers", {"verdict": {"intercept_id": f"{it.run_id}.1", "decision": 1}}),
        "SubscribeEvents": ("events", own),
        "SubscribeEvents of a tree": ("events", {"root_session_id": it.session_id}),
        "SubscribeEvents past the end": ("events", {**own, "after_seq": 1_000_000}),
        "ListEvents": ("events", own),
        "ListEvents past the end": ("events", {**own, "after_seq": 1_000_000}),
        "ListApprovals": ("approvals", {"root_session_id": it.session_id}),
        "GetApproval": ("approvals", {"session_id": it.asking_id, "approval_id": it.approval_id}),
        "DecideApproval": (
            "approvals",
            {"session_id": it.asking_id, "approval_id": it.approval_id, "decision": 1},
        ),
        "SendPeerMessage": ("peers", {**peer, "session_id": it.child_id}),
        "FollowUp": ("peers", {**peer, "session_id": it.child_id}),
        "QueuePeerMessage": ("peers", {**peer, "session_id": it.child_id}),
        "BroadcastPeerMessage": ("peers", {**peer, "session_ids": [it.child_id]}),
        "GetPeerBody": ("peers", {"body_id": it.message_id}),
        "ListPeerMessagesSent": ("peers", own),
        "ListDeadLetters": ("peers", {}),
        "RedeliverDeadLetter": ("peers", {"dead_letter_id": it.message_id}),
        "CreateToken": ("admin", {"client_token_id": str(uuid4()), "scope": {"kind": 3}, "session_ids": [it.run_id]}),
        "RevokeToken": ("admin", {"token_id": it.run_id}),
    }


def of_own_session(own: SimpleNamespace, it: SimpleNamespace) -> Table:
    """Return each call that names the caller's own session, and in it what is another's."""
    named = {"session_id": own.session_id}
    theirs = {**named, "run_id": it.run_id}
    run = {**named, "run_id": own.run_id}
    to_handle = {"to": it.handle, "body": "hello"}
    return {
        "CreateSession": (
            "sessions",
            {"parent_session_id": own.session_id, "parent_run_id": it.run_id, "agent": "explore"},
        ),
        "AttachRuntime": ("runs", {"runtime_id": fresh("runtime"), "run_slots_max": 1, "held_runs": [theirs]}),
        "Heartbeat": ("runs", {"runtime_id": fresh("runtime"), "runs": [theirs]}),
        "DeclineWake": ("runs", {**named, "wake_id": it.wake_id}),
        "StartRun by a wake": ("runs", {**named, "wake_id": it.wake_id}),
        "StartRun": ("runs", {**named, "client_run_id": it.client_run_id}),
        "ClaimMessages": ("runs", {**theirs, "attempt_id": it.attempt_id}),
        "ClaimMessages and commit": (
            "runs",
            {**theirs, "attempt_id": it.attempt_id, "commit_claim_seq": it.claim_seq},
        ),
        "CommitTurn": ("runs", {**theirs, "claim_seq": it.claim_seq}),
        "ReleaseClaim": ("runs", {**theirs, "claim_seq": it.claim_seq}),
        "FinishRun": ("runs", {**theirs, "outcome": COMPLETED}),
        "CancelRun": ("runs", theirs),
        "SendMessage": ("messaging", {**theirs, "tool_call_id": "the mail", **BODY, "to": it.child_id}),
        "SendMessage to a handle": ("messaging", {**run, "tool_call_id": "handle", **to_handle}),
        "SendMessage in place of": (
            "messaging",
            {
                **run,
                "tool_call_id": "instead",
                "to": own.child_id,
                "body": "hello",
                "supersedes_message_id": it.message_id,
            },
        ),
        "BatchSendMessages": ("messaging", {**run, "sends": [{"tool_call_id": "batch", **to_handle}]}),
        "RetractMessage": ("messaging", {**named, "message_id": it.message_id}),
        "GetSentMessage": ("messaging", {**named, "message_id": it.message_id}),
        "CallTool": (
            "tools",
            {**run, "tool_call_id": "tool", "name": "send_message", "arguments_json": json.dumps(to_handle)},
        ),
        "GetApproval": ("approvals", {**named, "approval_id": it.approval_id}),
        "DecideApproval": ("approvals", {**named, "approval_id": it.approval_id, "decision": 1}),
        "UnregisterProducer": ("producers", {**named, "producer_id": it.producer_id}),
    }


async def said(client: Any, service: str, rpc: str, fields: dict[str, Any]) -> tuple[str, str]:
    """Make a call and return its code, and all that came back; of a stream the first frame."""
    call = getattr(getattr(client, service), rpc)(**fields)
    try:
        answer = await (call.read() if hasattr(call, "read") else call)
    except grpc.aio.AioRpcError as error:
        metadata = [sorted(tuple(pair) for pair in given) for given in (error.trailing_metadata(), initial(error))]
        return error.code().name, repr((error.details(), metadata))
    call.cancel()
    if "lease_expire_time" in answer.DESCRIPTOR.fields_by_name:
        answer.ClearField("lease_expire_time")  # of the moment of the call
    return "OK", repr(answer.SerializeToString(deterministic=True))


def initial(error: grpc.aio.AioRpcError) -> Any:
    return error.initial_metadata() or ()


async def compared(
    client: Any, table: Callable[[SimpleNamespace], Table], theirs: SimpleNamespace
) -> dict[str, tuple[str, str]]:
    """Ask of what is another's and of what is not there; return what differs, by case: nothing, if all is well."""
    absent = nobodys(theirs)
    differ = {}
    for (case, (service, given)), (_, (_, made_up)) in zip(table(theirs).items(), table(absent).items(), strict=True):
        rpc = case.split()[0]
        found, missing = await said(client, service, rpc, given), await said(client, service, rpc, made_up)
        if (found[0], masked(found[1], theirs)) != (missing[0], masked(missing[1], absent)):
            differ[case] = (found, missing)
    return differ


def masked(text: str, ids: SimpleNamespace) -> str:
    """Return a text with each id replaced by its name."""
    for name, value in vars(ids).items():
        if len(str(value)) > 8:
            text = text.replace(str(value), f"<{name}>")
    return text


async def delete(admin: Any, session_id: str) -> None:
    """Delete a session, whatever it does."""
    with contextlib.suppress(grpc.aio.AioRpcError):
        await admin.runs.CancelRun(session_id=session_id)
    await admin.sessions.DeleteSession(session_id=session_id)


@pytest.mark.parametrize("state", ["alive", "deleted"])
@pytest.mark.parametrize("kind", STRANGERS)
async def test_anothers_session_is_answered_as_none(server, runtime, scene, kind, state):
    one = await stranger(server, runtime, scene, kind)
    if state == "deleted":
        for session_id in (scene.child_id, scene.asking_id, scene.session_id):
            await delete(server.admin, session_id)
    before = await server.admin.log(root_session_id=scene.session_id)
    assert await compared(one.client, of_session, scene) == {}
    assert await server.admin.log(root_session_id=scene.session_id) == before


# What a neighbour's handle is, its tree may know: it may write to it.
TO_NEIGHBOURS = ("SendMessage to a handle", "BatchSendMessages", "CallTool")


@pytest.mark.parametrize("kind", STRANGERS)
async def test_what_is_anothers_is_not_there_in_ones_own_session(server, runtime, scene, kind):
    one = await stranger(server, runtime, scene, kind)
    before = await runtime.log(session_id=scene.session_id)

    def table(it: SimpleNamespace) -> Table:
        cases = of_own_session(one, it)
        return {case: call for case, call in cases.items() if "neighbour" not in kind or case not in TO_NEIGHBOURS}

    assert await compared(one.client, table, scene) == {}
    assert await runtime.log(session_id=scene.session_id) == before


async def test_what_another_plugin_has_is_answered_as_none(server, scene):
    other = await server.make_token("plugin", plugin_name="other")
    given = ("RenewProducers", "SendProducerMessage", "DiscardProducerMessage", "UnregisterProducer")

    def table(it: SimpleNamespace) -> Table:
        ids = SimpleNamespace(**{**vars(it), "session_id": scene.session_id})
        cases = {name: call for name, call in of_session(ids).items() if name in given}
        agents = {"session_id": scene.child_id, "message_id": it.message_id}  # an agent's mail is no plugin's either
        return {**cases, "DiscardProducerMessage of an agent": ("producers", agents)}

    assert await compared(other, table, scene) == {}


@pytest.mark.parametrize("kind", ["approver", "plugin"])
async def test_what_a_session_sent_is_not_there_for_who_may_not_see_it(server, scene, kind):
    client = await server.make_token(kind)

    def table(it: SimpleNamespace) -> Table:
        return {name: call for name, call in of_session(it).items() if name in ("GetSentMessage", "ListSentMessages")}

    assert await compared(client, table, scene) == {}


@pytest.mark.parametrize("ended", ["active", "completed", "cancelled"])
async def test_a_run_of_another_host_is_answered_as_none(server, runtime, ended):
    """Both runtimes host the session; what the other's run claimed, sent and asked is the other's."""
    root = await runtime.session()
    session = await runtime.session(root, agent="worker", rules={"child": "allow", "parent": "ask"})
    child = await runtime.session(session)
    other = await server.make_token("runtime")
    attached = await other.attach(agents=["worker"], session_scope=2)
    await runtime.user(session)
    offer = await attached.told("wake_offer")
    started = await other.start(session, wake_id=offer.wake_id, attempt_id="first")
    attached.cancel()
    run = started.run
    await other.send(run, child, "the mail", tool_call_id="the mail")
    await asks(other, run, root, call="asked")
    await other.commit(run, started.claim)
    if ended == "completed":
        await other.finish(run)
    elif ended == "cancelled":
        await server.admin.runs.CancelRun(session_id=session.session_id, run_id=run.run_id)
    theirs = SimpleNamespace(
        run_id=run.run_id, child_id=child.session_id, claim_seq=started.claim.claim_seq, attempt_id="first"
    )

    def table(it: SimpleNamespace) -> Table:
        run = {"session_id": session.session_id, "run_id": it.run_id}
        call = {"tool_call_id": "the mail", "to": child.session_id}
        arguments = json.dumps({"to": child.session_id, "body": "the mail"})
        return {
            "CreateSession": (
                "sessions",
                {"parent_session_id": session.session_id, "parent_run_id": it.run_id, "agent": "explore"},
            ),
            "Heartbeat": ("runs", {"runtime_id": "mine", "runs": [run]}),
            "AttachRuntime": ("runs", {"runtime_id": "mine", "run_slots_max": 1, "held_runs": [run]}),
            "ClaimMessages": ("runs", {**run, "attempt_id": it.attempt_id}),
            "CommitTurn": ("runs", {**run, "claim_seq": it.claim_seq}),
            "ReleaseClaim": ("runs", {**run, "claim_seq": it.claim_seq}),
            "FinishRun": ("runs", {**run, "outcome": COMPLETED}),
            "FinishRun with the commit": ("runs", {**run, "outcome": COMPLETED, "commit_claim_seq": it.claim_seq}),
            "FinishRun cancelled": ("runs", {**run, "outcome": CANCELLED}),
            "SendMessage": ("messaging", {**run, **call, "body": "the mail"}),
            "SendMessage with other content": ("messaging", {**run, **call, "body": "another"}),
            "SendMessage that was asked for": (
                "messaging",
                {**run, "tool_call_id": "asked", "to": root.session_id, "body": "hello"},
            ),
            "BatchSendMessages": ("messaging", {**run, "sends": [{**call, "body": "the mail"}]}),
            "CallTool": (
                "tools",
                {**run, "tool_call_id": "the mail", "name": "send_message", "arguments_json": arguments},
            ),
        }

    assert await compared(runtime, table, theirs) == {}


def test_the_table_has_each_rpc_that_names_anything():
    named = {name for service in SERVICES.values() for name in service.methods_by_name}
    it = SimpleNamespace(**dict.fromkeys(("child_id", "run_id", "session_id"), "x"))
    it = SimpleNamespace(**{**dict.fromkeys(SCENE, "x"), **vars(it)})
    assert {case.split()[0] for case in of_session(it)} == named - {"GetServerInfo", "ListTokens"}


SCENE = (
    *("session_id", "handle", "run_id", "client_run_id", "child_id", "message_id", "asking_id", "approval_id"),
    *("wake_id", "producer_id", "plugin_message_id", "claim_seq", "attempt_id"),
)
