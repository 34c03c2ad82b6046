"""The betterproto binding against the real server: every call of one answer and every stream of the server's."""

import importlib
import re
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest
from kinpost.v1 import PROTOCOL_VERSION
from uuid_utils import uuid4, uuid7

ROOT = Path(__file__).parents[2]
CALL_SECONDS = 60.0


@pytest.fixture
def binding(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bindings/betterproto")
    return importlib.import_module("kinpost_betterproto")


@pytest.fixture
async def dataclasses(server, binding):
    """The stubs of each service, and the channel that they share."""
    services = importlib.import_module("kinpost_betterproto.services")
    async with grpc.aio.insecure_channel(server.address) as channel:
        names = [name for name in vars(services) if name.endswith("ServiceStub")]
        yield SimpleNamespace(
            stubs={name.removesuffix("Stub"): getattr(services, name)(channel) for name in names},
            channel=channel,
        )


def options_of(secret):
    """What each call of a token's holder carries."""
    versions = ("kinpost-protocol-version", str(PROTOCOL_VERSION))
    return {"metadata": (("authorization", f"Bearer {secret}"), versions), "timeout": CALL_SECONDS}


async def test_a_message_walks_all_the_way_as_dataclasses(runtime, dataclasses, binding):
    options, stubs = options_of(runtime.secret), dataclasses.stubs
    sessions, runs = stubs["SessionService"], stubs["RunService"]
    parent = binding.CreateSessionRequest(
        session_id=str(uuid7()),
        agent="default",
        message_rules=binding.MessageRules(
            rules=[binding.MessageRule(pattern="child", decision=binding.RuleDecision.ALLOW)]
        ),
    )
    parent = (await sessions.create_session(parent, **options)).session
    child = binding.CreateSessionRequest(
        session_id=str(uuid7()), parent_session_id=parent.session_id, agent="explore", starter=binding.Starter.WAKE
    )
    child = (await sessions.create_session(child, **options)).session
    assert child.parent_session_id == parent.session_id
    assert child.state is binding.SessionState.IDLE

    attach = binding.AttachRuntimeRequest(runtime_id="one", agents=["explore"], run_slots_max=2)
    attach.session_scope = binding.SessionScope.OWN
    attached = runs.attach_runtime(attach, **options)
    assert (await attached.read()).attached.run_lease.total_seconds() > 0

    start = binding.StartRunRequest(session_id=parent.session_id, client_run_id="first", runtime_id="one")
    run = (await runs.start_run(start, **options)).run
    send = binding.SendMessageRequest(
        session_id=parent.session_id,
        run_id=run.run_id,
        tool_call_id="call",
        to=child.handle,
        body="look at this \U0010fffd",
        mode=binding.MessageMode.STEER,
    )
    sent = (await stubs["MessagingService"].send_message(send, **options)).accepted
    assert sent.recipient_state is binding.RecipientState.QUEUED
    tools = await stubs["ToolService"].list_tools(binding.ListToolsRequest(session_id=parent.session_id), **options)
    assert [tool.name for tool in tools.tools] == ["send_message"]

    offer = None
    while offer is None:
        offer = (await attached.read()).wake_offer
    assert offer.session_id == child.session_id
    start = binding.StartRunRequest(
        session_id=child.session_id, wake_id=offer.wake_id, attempt_id="attempt", runtime_id="one"
    )
    started = await runs.start_run(start, **options)
    (mail,) = started.claim.messages
    assert (mail.message_id, mail.body, mail.agent_hop) == (sent.message_id, send.body, 0)
    finish = binding.FinishRunRequest(
        session_id=child.session_id,
        run_id=started.run.run_id,
        outcome=binding.RunState.COMPLETED,
        commit_claim_seq=started.claim.claim_seq,
    )
    ended = await runs.finish_run(finish, **options)
    assert ended.run.state is binding.RunState.COMPLETED
    attached.cancel()

    subscribe = binding.SubscribeEventsRequest(session_id=child.session_id, after_seq=0)
    events, frame = [], binding.SubscribeEventsResponse()
    following = stubs["EventService"].subscribe_events(subscribe, **options)
    while not frame.caught_up:
        frame = await following.read()
        events += frame.events
    following.cancel()
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    (consumed,) = (event.producer_message_consumed for event in events if event.producer_message_consumed)
    assert consumed.message_id == sent.message_id


async def outcome(call):
    """What became of a call: its answer's bytes, or the code and the text of its refusal."""
    try:
        if hasattr(call, "read"):
            return await call.read()
        return await call
    except grpc.aio.AioRpcError as error:
        # An id is made anew for each request.
        return error.code(), re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "an id", error.details())


async def test_every_call_has_the_outcome_of_the_official_stub(server, dataclasses, binding):
    """An empty request to each RPC: mostly refused, and always as the official binding is refused."""
    seen, options = {}, options_of(server.admin_secret)
    for path in sorted((ROOT / "bindings/python/kinpost/v1").glob("*_service_pb2.py")):
        (service,) = importlib.import_module(f"kinpost.v1.{path.stem}").DESCRIPTOR.services_by_name.values()
        official = getattr(importlib.import_module(f"kinpost.v1.{path.stem}_grpc"), f"{service.name}Stub")
        for method in service.methods:
            if method.client_streaming:
                continue
            request = {"page_size": 1} if "page_size" in method.input_type.fields_by_name else {}
            if "client_token_id" in method.input_type.fields_by_name:
                request = {"client_token_id": str(uuid4())}
            theirs = method.input_type._concrete_class(**request)
            ours = getattr(binding, method.input_type.name)(**request)
            name = re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower()
            call = getattr(dataclasses.stubs[service.name], name)
            expected = await outcome(getattr(official(dataclasses.channel), method.name)(theirs, **options))
            got = await outcome(call(ours, **options))
            if isinstance(expected, tuple):
                assert got == expected, method.full_name
            else:
                assert type(got) is getattr(binding, method.output_type.name)
            seen[method.name] = expected
    assert {"GetServerInfo", "ListTokens", "SubscribeEvents", "AttachRuntime"} < set(seen)
    assert not isinstance(seen["GetServerInfo"], tuple)
    assert seen["AttachRuntime"][0] is grpc.StatusCode.INVALID_ARGUMENT
