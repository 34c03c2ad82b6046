"""Whom a send reaches: an id, or exactly a handle of the sender's own tree. All else has its own answer."""

from __future__ import annotations

from types import SimpleNamespace

import grpc
import pytest
from mail import DOORS, by_rpc, by_tool, nothing_written, stored, two
from uuid_utils import uuid4

ANYONE = {"parent": "allow", "child": "allow", "sibling": "allow", "*": "allow"}
UNKNOWN = ("send_message:unknown_reference", grpc.StatusCode.NOT_FOUND)
UNKNOWN_ID = ("send_message:unknown_session", grpc.StatusCode.NOT_FOUND)
OTHER_TREE = ("send_message:not_tree_peer", grpc.StatusCode.PERMISSION_DENIED)
SELF = ("send_message:self_send", grpc.StatusCode.INVALID_ARGUMENT)
NOBODY = str(uuid4())


@pytest.fixture
async def world(server, runtime):
    """Two trees, with a deleted child in each, and a run of the first root."""
    made = SimpleNamespace()
    made.root = await runtime.session(rules=ANYONE, agent="lead")
    made.child = await runtime.session(made.root)
    made.grandchild = await runtime.session(made.child)
    made.other_root = await runtime.session(agent="other")
    made.other_child = await runtime.session(made.other_root, agent="other")
    made.gone = await runtime.session(made.root, agent="gone")
    made.other_gone = await runtime.session(made.other_root, agent="gone")
    await runtime.sessions.DeleteSession(session_id=made.gone.session_id)
    await runtime.sessions.DeleteSession(session_id=made.other_gone.session_id)
    made.run = await runtime.run(made.root)
    return made


# what is written as the recipient, and how it is answered
REFUSED = {
    "another root": (lambda w: w.other_root.session_id, OTHER_TREE),
    "a child of another root": (lambda w: w.other_child.session_id, OTHER_TREE),
    "another root, in capitals": (lambda w: w.other_root.session_id.upper(), OTHER_TREE),
    "itself": (lambda w: w.root.session_id, SELF),
    "itself, in capitals": (lambda w: w.root.session_id.upper(), SELF),
    "itself, by its handle": (lambda w: w.root.handle, SELF),
    "an id of nobody": (lambda _: NOBODY, UNKNOWN_ID),
    "the id of nothing": (lambda _: "00000000-0000-0000-0000-000000000000", UNKNOWN_ID),
    "a deleted session's id": (lambda w: w.gone.session_id, UNKNOWN_ID),
    "another tree's deleted session's id": (lambda w: w.other_gone.session_id, UNKNOWN_ID),
    "a handle of nobody": (lambda _: "nobody_00000000", UNKNOWN),
    "a deleted session's handle": (lambda w: w.gone.handle, UNKNOWN),
    "another tree's handle": (lambda w: w.other_child.handle, UNKNOWN),
    "another root's handle": (lambda w: w.other_root.handle, UNKNOWN),
    "another tree's deleted handle": (lambda w: w.other_gone.handle, UNKNOWN),
    "a handle in capitals": (lambda w: w.child.handle.upper(), UNKNOWN),
    "a handle with a capital": (lambda w: w.child.handle.capitalize(), UNKNOWN),
    "a handle in full width": (lambda w: "".join(chr(ord(c) + 0xFEE0) for c in w.child.handle), UNKNOWN),
    "a handle with a full-width line": (lambda w: w.child.handle.replace("_", "＿"), UNKNOWN),
    "a handle with a Cyrillic letter": (lambda w: w.child.handle.replace("e", "е"), UNKNOWN),
    "a handle with a Greek letter": (lambda w: w.child.handle.replace("o", "ο"), UNKNOWN),
    "a handle with an accent": (lambda w: w.child.handle.replace("e", "é"), UNKNOWN),
    "a handle with a combining accent": (lambda w: w.child.handle.replace("e", "e\u0301", 1), UNKNOWN),
    "a handle with a zero-width space": (lambda w: w.child.handle.replace("_", "\u200b_"), UNKNOWN),
    "a handle with a soft hyphen": (lambda w: w.child.handle + "\u00ad", UNKNOWN),
    "a handle with a right-to-left mark": (lambda w: "\u200f" + w.child.handle, UNKNOWN),
    "the beginning of a handle": (lambda w: w.child.handle[:-1], UNKNOWN),
    "the end of a handle": (lambda w: w.child.handle[1:], UNKNOWN),
    "an agent's name": (lambda _: "explore", UNKNOWN),
    "the digits of a handle": (lambda w: w.child.handle.rpartition("_")[2], UNKNOWN),
    "a handle and more": (lambda w: w.child.handle + "0", UNKNOWN),
    "a handle after more": (lambda w: "x" + w.child.handle, UNKNOWN),
    "a handle and a blank": (lambda w: w.child.handle + " ", UNKNOWN),
    "a handle and a line's end": (lambda w: w.child.handle + "\n", UNKNOWN),
    "a handle in quotes": (lambda w: f'"{w.child.handle}"', UNKNOWN),
    "a handle with a sign before it": (lambda w: "@" + w.child.handle, UNKNOWN),
    "a handle as a pattern": (lambda w: w.child.handle.replace("_", "%"), UNKNOWN),
    "everybody": (lambda _: "*", UNKNOWN),
    "a word for the parent": (lambda _: "parent", UNKNOWN),
    "a word for the root": (lambda _: "root", UNKNOWN),
    "a blank": (lambda _: " ", UNKNOWN),
    "an id in braces": (lambda w: "{" + w.child.session_id + "}", UNKNOWN),
    "an id as an address": (lambda w: "urn:uuid:" + w.child.session_id, UNKNOWN),
    "an id without hyphens": (lambda w: w.child.session_id.replace("-", ""), UNKNOWN),
    "the beginning of an id": (lambda w: w.child.session_id[:-1], UNKNOWN),
    "an id and a blank": (lambda w: w.child.session_id + " ", UNKNOWN),
    "an id in full width": (lambda w: w.child.session_id.replace("-", "－"), UNKNOWN),
    "the longest there is": (lambda _: "a" * 256, UNKNOWN),
}


async def test_each_wrong_recipient_has_its_own_stable_answer(server, runtime, world):
    """Whatever is not a peer is refused by its own code, twice alike, by each door, and nothing is written."""
    told = {}
    async with nothing_written(server):
        for name, (written, _) in REFUSED.items():
            to = written(world)
            first, again = [await by_rpc(runtime, world.run, to, call=f"{name} {n}") for n in range(2)]
            told[name] = (first.code, first.refusal.grpc_code)
            assert (again.code, again.text) == (first.code, first.text)
            assert first.refusal.info.domain == "kinpost"
            assert first.refusal.info.reason == first.code.upper().replace(":", "_")
            assert first.refusal.info.metadata["code"] == first.code
            beginning = "unknown subagent reference" if told[name] == UNKNOWN else f"{first.code}: "
            for answer in (first, *[await DOORS[d](runtime, world.run, to) for d in ("CallTool", "BatchSendMessages")]):
                assert answer.code == first.code
                assert answer.text.startswith(beginning)
    assert told == {name: answer for name, (_, answer) in REFUSED.items()}


async def test_a_refused_call_leaves_nothing_behind(server, runtime, world):
    """The tool call of a refused send may be used for another: it was no first answer."""
    assert (await by_rpc(runtime, world.run, "nobody_00000000", "one", call="same")).code == UNKNOWN[0]
    assert (await by_tool(runtime, world.run, world.other_root, "two", call="same")).code == OTHER_TREE[0]
    sent = await by_rpc(runtime, world.run, world.child, "three", call="same")
    assert (sent.code, sent.replayed) == ("", False)
    assert [m.body for m in await stored(runtime, world.child)] == ["three"]


@pytest.mark.parametrize("door", DOORS)
async def test_peers_of_the_same_root_are_reached(runtime, world, door):
    """With equal roots, id in either case and handle reach the session, however deep it is."""
    for recipient in (world.child, world.grandchild):
        for to in (recipient.session_id, recipient.session_id.upper(), recipient.handle):
            assert (await DOORS[door](runtime, world.run, to)).code == ""
        assert [m.to for m in await stored(runtime, recipient)] == [
            recipient.session_id,
            recipient.session_id.upper(),
            recipient.handle,
        ]


async def test_the_same_handle_in_two_trees_is_two_sessions(runtime, wire):
    """A handle is looked up in the sender's tree alone, though another tree has the same one."""
    imported = {"state": wire.session.SESSION_STATE_IDLE, "handle": "explore_1a2b3c4d"}
    trees = []
    for _ in range(2):
        root = await runtime.session(rules=ANYONE)
        trees.append((await runtime.run(root), await runtime.session(root, imported=imported)))
    for number, (run, _) in enumerate(trees):
        assert (await by_rpc(runtime, run, "explore_1a2b3c4d", f"tree {number}")).code == ""
    assert [[m.body for m in await stored(runtime, child)] for _, child in trees] == [["tree 0"], ["tree 1"]]


async def test_a_session_without_a_handle_is_reached_by_its_id(runtime):
    """A session without a handle has one address, its id, and so has the sender that its recipient sees."""
    parent = await runtime.session(rules=ANYONE, without_handle=True)
    child = await runtime.session(parent, without_handle=True)
    run = await runtime.run(parent)
    assert not child.HasField("handle")
    assert (await by_rpc(runtime, run, child)).code == ""
    started = await runtime.start(child, attempt_id="first")
    (mail,) = started.claim.messages
    assert (mail.sender.session_id, mail.sender.HasField("handle")) == (parent.session_id, False)
    assert mail.rendered_text.startswith(f'<agent_message from="{parent.session_id}">\n')


async def test_the_sender_is_whose_run_it_is(runtime):
    """What is stored of the sender comes from the calling session and run, not from what was said."""
    parent, child, run = await two(runtime, agent="child")
    await by_tool(runtime, run, child, f"I am {child.handle}", call="call 1")
    (accepted,) = await stored(runtime, child)
    assert (accepted.sender.session_id, accepted.sender.handle) == (parent.session_id, parent.handle)
    assert (accepted.sender.run_id, accepted.sender.tool_call_id) == (run.run_id, "call 1")


async def test_a_handle_is_never_given_again(runtime, world, refused, wire):
    """A deleted session's handle is not free: nobody can take its name to get its mail."""
    imported = {"state": wire.session.SESSION_STATE_IDLE, "handle": world.gone.handle}
    with refused("request:invalid", field="imported.handle"):
        await runtime.session(world.root, imported=imported)
    assert (await by_rpc(runtime, world.run, world.gone.handle)).code == UNKNOWN[0]


NO_HANDLES = {
    "explore\ud800_00000000": UNKNOWN[0],
    "explore_00000000\0": UNKNOWN[0],
    "\0": UNKNOWN[0],
    "\n": UNKNOWN[0],
    "x" * 257: "send_message:invalid_arguments",
    "": "send_message:invalid_arguments",
}


async def test_what_no_handle_can_be(server, runtime, world):
    """A model's recipient that is no text, empty or too long is refused like any other mistake of its own."""
    async with nothing_written(server):
        told = {to: (await by_tool(runtime, world.run, to)).code for to in NO_HANDLES}
    assert told == NO_HANDLES
