"""An allow for the tree is a grant: for every asker of the tree, and for the same operation only."""

from __future__ import annotations

import json

import pytest
from approving import asks, decide, listed, state, story
from by_hand import change_by_hand
from mail import DOORS, PENDING, by_rpc, stored, two

EVERYBODY = {"parent": "ask", "child": "ask", "sibling": "ask", "*": "ask"}


@pytest.fixture
async def approver(server):
    """A client that may answer."""
    return await server.make_token("approver")


@pytest.mark.parametrize("door", DOORS)
async def test_a_grant_serves_every_asker_of_the_tree(server, runtime, approver, door):
    """From then on nobody is asked, whoever of the tree writes to the same recipient, whatever it writes."""
    root, child, run = await two(runtime, rules=EVERYBODY, child_rules=EVERYBODY)
    other = await runtime.session(root, rules=EVERYBODY)
    deep = await runtime.session(other, rules=EVERYBODY)
    approval_id = await asks(runtime, run, child)
    assert (await decide(approver, root, approval_id, "tree")).state == 3
    for asker in (root, other, deep):
        asking = run if asker is root else await runtime.run(asker)
        told = await DOORS[door](runtime, asking, child.handle, "another body", "queue")
        assert told.code == "", told
    assert len(await stored(runtime, child)) == 4
    assert await listed(approver, root) == [approval_id]
    assert await story(runtime, other) == []


async def test_another_recipient_asks_again(runtime, approver):
    root, child, run = await two(runtime, rules=EVERYBODY)
    other = await runtime.session(root, rules=EVERYBODY)
    await decide(approver, root, await asks(runtime, run, child), "tree")
    await asks(runtime, run, other)
    await asks(runtime, await runtime.run(other), root)


async def test_an_allow_once_is_no_grant(runtime, approver):
    root, child, run = await two(runtime, rules=EVERYBODY)
    await decide(approver, root, await asks(runtime, run, child), "once")
    await asks(runtime, run, child)


async def test_a_grant_is_of_its_own_tree(runtime, approver):
    """The fork of a conversation, or any other tree, asks for itself."""
    root, child, run = await two(runtime, rules=EVERYBODY)
    await decide(approver, root, await asks(runtime, run, child), "tree")
    _, elsewhere, running = await two(runtime, rules=EVERYBODY)
    await asks(runtime, running, elsewhere)


async def test_a_rule_that_denies_is_not_overruled(runtime, approver):
    root, child, run = await two(runtime, rules=EVERYBODY)
    denied = await runtime.session(root, rules={"sibling": "deny"})
    await decide(approver, root, await asks(runtime, run, child), "tree")
    assert (await by_rpc(runtime, await runtime.run(denied), child)).code == "permission:denied"


async def test_guards_hold_under_a_grant(runtime, approver):
    root, child, run = await two(runtime, rules=EVERYBODY)
    await decide(approver, root, await asks(runtime, run, child), "tree")
    assert [(await by_rpc(runtime, run, child)).code for _ in range(4)] == ["", "", "", "send_message:inflight_full"]


async def test_a_send_of_another_form_asks_again(runtime, approver):
    """What only a runtime can ask for makes another operation of it."""
    root, child, run = await two(runtime, rules=EVERYBODY)
    await decide(approver, root, await asks(runtime, run, child), "tree")
    (first,) = await stored(runtime, child)
    await asks(runtime, run, child, supersedes_message_id=first.message_id)
    await asks(runtime, run, child, expire_after={"seconds": 5})


async def test_a_grant_answers_what_waits_already(server, runtime, approver):
    """Whatever waits for the same operation is decided with it, in every session of the tree; nothing else is."""
    root, child, run = await two(runtime, rules=EVERYBODY)
    other = await runtime.session(root, rules=EVERYBODY)
    running = await runtime.run(other)
    mine = [await asks(runtime, run, child, f"mine {n}", call=f"call {n}") for n in range(3)]
    theirs = await asks(runtime, running, child, "theirs", call="call")
    elsewhere = await asks(runtime, running, root, "to the root")
    longer = await asks(runtime, running, child, "of another form", expire_after={"seconds": 60})
    await decide(approver, root, mine[1], "tree", reason="all of it")
    assert sorted(message.body for message in await stored(runtime, child)) == ["mine 0", "mine 1", "mine 2", "theirs"]
    assert sorted(await listed(approver, root, "used")) == sorted([*mine, theirs])
    assert await listed(approver, root, "pending") == [longer, elsewhere]
    assert (await by_rpc(runtime, running, child, "theirs", call="call")).replayed
    assert (await decide(approver, other, theirs, "tree")).reason == "all of it"


async def test_what_a_grant_cannot_carry_out_at_once_keeps_its_right(runtime, approver):
    """The window of a pair lets four through; the others are allowed, and may be repeated."""
    root, child, run = await two(runtime, rules=EVERYBODY)
    asked = [await asks(runtime, run, child, call=f"call {n}") for n in range(6)]
    await decide(approver, root, asked[0], "tree")
    states = [await state(approver, root, approval_id) for approval_id in asked]
    assert states == ["used"] * 4 + ["allowed"] * 2
    assert (await by_rpc(runtime, run, child, call="call 5")).code == "send_message:inflight_full"


async def test_grants_survive_a_restart_and_the_end_of_the_run(server, runtime, approver):
    root, child, run = await two(runtime, rules=EVERYBODY)
    await decide(approver, root, await asks(runtime, run, child), "tree")
    await runtime.finish(run)
    await server.restart()
    runtime = server.client(runtime.secret)
    assert (await by_rpc(runtime, await runtime.run(root), child)).code == ""


async def test_a_grant_of_an_older_form_of_the_tool_does_not_carry_over(server, runtime, approver, tmp_path):
    """The recipient's argument had another name once: what was allowed under it is asked for again."""
    root, child, run = await two(runtime, rules=EVERYBODY)
    approval_id = await asks(runtime, run, child)
    await decide(approver, root, approval_id, "tree")
    assert (await by_rpc(runtime, run, child)).code == ""
    await server.stop()
    arguments = {"recipient_session_id": child.session_id, "body": "hello", "mode": "steer"}
    operation = "send_message(body, mode, recipient_session_id)"
    changed = change_by_hand(
        server.database, f"UPDATE approval SET arguments_json = '{json.dumps(arguments)}', operation = '{operation}'"
    )
    assert changed == 1
    await server.start()
    runtime = server.client(runtime.secret)
    assert (await by_rpc(runtime, run, child)).code == PENDING


async def test_a_question_of_an_older_form_can_be_answered_and_is_not_carried_out(server, runtime, approver):
    """It waited over an upgrade: nothing is sent that the tool of today would not send."""
    root, child, run = await two(runtime, rules=EVERYBODY)
    approval_id = await asks(runtime, run, child)
    await server.stop()
    change_by_hand(server.database, """UPDATE approval SET arguments_json = '{"recipient_session_id": "x"}'""")
    await server.start()
    approver = server.client(approver.secret)
    assert (await decide(approver, root, approval_id, "once")).state == 2
    assert await stored(server.admin, child) == []
