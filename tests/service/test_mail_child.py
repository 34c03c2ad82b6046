"""A parent writes to its child, where its rules let it, and sees the tool only then."""

from __future__ import annotations

import json

import grpc
import pytest
from approving import listed
from mail import advance, by_rpc, by_tool, nothing_written, payloads, stored, tool, two


async def test_mail_to_a_running_child(server, runtime, wire):
    """Mail to a running child is in its next model request, and in none before it."""
    _, child, run = await two(runtime)
    started = await runtime.start(child, attempt_id="first")
    assert list(started.claim.messages) == []
    accepted = await runtime.send(run, child.handle, "look at this")
    assert accepted.recipient_state == wire.message.RECIPIENT_STATE_RUNNING
    again = await runtime.claim(started.run, attempt_id="first")  # the request that was on its way
    assert again == started.claim
    following = await runtime.claim(started.run, attempt_id="second", commit_claim_seq=started.claim.claim_seq)
    assert [(m.message_id, m.body) for m in following.messages] == [(accepted.message_id, "look at this")]
    third = await runtime.claim(started.run, attempt_id="third", commit_claim_seq=following.claim_seq)
    assert list(third.messages) == []
    assert [p.message_id for p in await payloads(runtime, child, "producer_message_consumed")] == [accepted.message_id]


@pytest.mark.parametrize("mode", ["steer", "queue"])
async def test_mail_to_a_queued_child(server, runtime, wire, mode):
    """Mail to a child that its delegator has yet to start waits without a wake, and is claimed as its run starts."""
    _, child, run = await two(runtime, starter=wire.session.STARTER_DELEGATOR)
    attached = await runtime.attach()
    sent = await by_rpc(runtime, run, child, "before you begin", mode)
    assert (sent.recipient_state, sent.mode) == ("queued", mode)
    looked = await runtime.look(child)
    assert (looked.state, looked.pending_count) == (wire.session.SESSION_STATE_QUEUED, 1)
    started = await runtime.start(child, attempt_id="first")
    assert [m.message_id for m in started.claim.messages] == [sent.message_id]
    assert await runtime.commit(started.run, started.claim) == [sent.message_id]
    assert await payloads(runtime, child, "wake_requested") == []
    attached.cancel()


async def test_mail_to_a_child_whose_delegator_never_comes(server, runtime, wire):
    """A queued child whose delegating run lapses is woken by the mail that waits for it."""
    parent = await runtime.session(rules={"child": "allow"})
    run = await runtime.run(parent)
    child = await runtime.session(parent, parent_run_id=run.run_id, starter=wire.session.STARTER_DELEGATOR)
    attached = await runtime.attach()
    sent = await by_rpc(runtime, run, child)
    advance(server, 100)
    offer = await attached.told("wake_offer")
    assert offer.session_id == child.session_id
    started = await runtime.start(child, wake_id=offer.wake_id, attempt_id="first")
    assert [m.message_id for m in started.claim.messages] == [sent.message_id]
    attached.cancel()


# rules, whether the tool is seen
VISIBILITY = [
    ({}, False),
    ({"child": "allow"}, True),
    ({"parent": "allow"}, True),
    ({"sibling": "allow"}, True),
    ({"*": "allow"}, True),
    ({"child": "ask"}, True),
    ({"*": "ask"}, True),
    ({"child": "deny"}, False),
    ({"*": "deny"}, False),
    ({"child": "deny", "parent": "deny", "sibling": "deny", "*": "deny"}, False),
    ({"child": "deny", "parent": "deny", "sibling": "ask", "*": "deny"}, True),
    ({"child": "deny", "parent": "deny", "sibling": "deny", "*": "allow"}, True),
    ({"c*": "allow"}, True),
    ({"c*": "allow", "child": "deny"}, False),
    ({"ch*": "deny", "c*": "allow"}, False),
    ({"cousin": "allow"}, False),
    ({"Child": "allow"}, False),
]


async def test_who_sees_the_tool(runtime):
    """A session's model sees the tool only when its rules allow, or ask a person about, some relationship."""
    seen = []
    for rules, _ in VISIBILITY:
        session = await runtime.session(rules=rules)
        tools = (await runtime.tools.ListTools(session_id=session.session_id)).tools
        seen.append((rules, [t.name for t in tools] == ["send_message"]))
        assert len(tools) in (0, 1)
    assert seen == VISIBILITY


async def test_what_the_model_sees_of_the_tool(runtime):
    """The tool's parameters are a strict JSON Schema of exactly `to`, `body` and `mode`."""
    session = await runtime.session(rules={"child": "allow"})
    (shown,) = (await runtime.tools.ListTools(session_id=session.session_id)).tools
    schema = json.loads(shown.parameters_json_schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    assert list(schema["properties"]) == ["to", "body", "mode"]
    assert schema["required"] == ["to", "body"]
    assert schema["properties"]["mode"]["enum"] == ["steer", "queue"]
    assert shown.description


async def test_an_agent_without_rules(server, runtime):
    """An agent without message rules, built in or not, has an empty tool list and may write to nobody."""
    for agent in ("default", "explore", "anything"):
        parent = await runtime.session(agent=agent)
        child = await runtime.session(parent)
        run = await runtime.run(parent)
        assert list((await runtime.tools.ListTools(session_id=parent.session_id)).tools) == []
        async with nothing_written(server):
            sent = await by_rpc(runtime, run, child)
            assert (sent.code, sent.refusal.grpc_code) == ("permission:denied", grpc.StatusCode.PERMISSION_DENIED)
            assert (await by_tool(runtime, run, child)).code == "permission:denied"


async def test_rules_of_an_agent_document(runtime):
    """Rules of a document's front matter are judged as rules given as fields."""
    document = "---\npermissions:\n  message:\n    child: allow\n    sibling: ask\n---\nYou lead.\n"
    parent = await runtime.session(agent_document=document)
    child = await runtime.session(parent)
    run = await runtime.run(parent)
    assert {(r.pattern, r.decision) for r in parent.message_rules} == {("child", 1), ("sibling", 2)}
    assert len((await runtime.tools.ListTools(session_id=parent.session_id)).tools) == 1
    assert (await by_rpc(runtime, run, child)).recipient_state == "queued"


async def test_ask(server, runtime):
    """Where a rule asks a person, the answer names what waits for them, by each door, and nothing is sent."""
    parent, child, run = await two(runtime, rules={"child": "ask"})
    sent = await by_rpc(runtime, run, child)
    result = await tool(runtime, run, {"to": child.handle, "body": "hello"})
    structured = json.loads(result.structured_json)
    assert structured == {"code": "approval:pending", "approval_id": structured["approval_id"]}
    assert (result.is_error, result.code) == (False, "approval:pending")
    assert result.text.startswith("approval:pending: a person was asked whether this message may be sent")
    assert structured["approval_id"] in result.text
    assert await listed(server.admin, parent, "pending") == [structured["approval_id"], sent.approval_id]
    assert await stored(runtime, child) == []
    assert (await runtime.look(parent)).active_run_id == run.run_id
