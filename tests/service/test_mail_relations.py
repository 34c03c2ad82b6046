"""Who is what to whom: the labels that rules are matched with, from the origins that were stored."""

from __future__ import annotations

from mail import batch, by_rpc, read_all
from uuid_utils import uuid4

LABELS = ("parent", "child", "sibling", "*")
# name -> parent
FAMILY = {
    "root": None,
    "uncle": "root",
    "mother": "root",
    "cousin": "uncle",
    "brother": "mother",
    "me": "mother",
    "son": "me",
    "grandson": "son",
    "nephew": "brother",
    "second cousin": "cousin",
}
# What the second is to the first, where it is neither its parent, its child, nor its sibling.
OTHERS = [
    ("root", "me"),  # a grandchild
    ("me", "root"),  # a grandparent
    ("me", "uncle"),
    ("uncle", "me"),  # a nephew
    ("me", "cousin"),
    ("me", "nephew"),
    ("nephew", "me"),
    ("me", "grandson"),
    ("grandson", "root"),
    ("cousin", "nephew"),
    ("nephew", "second cousin"),
    ("second cousin", "me"),
    ("me", "second cousin"),
]
RELATED = {
    ("root", "uncle"): "child",
    ("root", "mother"): "child",
    ("mother", "root"): "parent",
    ("me", "mother"): "parent",
    ("mother", "me"): "child",
    ("me", "son"): "child",
    ("me", "brother"): "sibling",
    ("brother", "me"): "sibling",
    ("uncle", "mother"): "sibling",
    ("cousin", "uncle"): "parent",
    ("grandson", "son"): "parent",
    ("nephew", "brother"): "parent",
}


def expected(sender: str, recipient: str) -> str:
    """Return the label by the family tree alone."""
    if FAMILY[recipient] == sender:
        return "child"
    if FAMILY[sender] == recipient:
        return "parent"
    return "sibling" if FAMILY[sender] is not None and FAMILY[sender] == FAMILY[recipient] else "*"


async def family(runtime, allowed: str):
    """Make the family; only recipients of one label may be written to."""
    rules = {label: "allow" if label == allowed else "deny" for label in LABELS}
    made = {}
    for name, parent in FAMILY.items():
        made[name] = await runtime.session(made.get(parent), rules=rules, description=name)
    return made


async def labels_of(runtime, made, runs, allowed: str) -> set[tuple[str, str]]:
    """Return the pairs whose label it is: those whose sends are accepted. The others must be denied."""
    pairs = set()
    for sender, run in runs.items():
        others = [name for name in made if name != sender]
        answers = await batch(runtime, run, *({"to": made[name].handle} for name in others))
        assert {answer.code for answer in answers} <= {"", "permission:denied"}
        pairs |= {(sender, name) for name, answer in zip(others, answers, strict=True) if not answer.code}
    return pairs


async def test_every_label_of_every_pair(runtime):
    """All four labels are right for every two of a family of four generations, in both directions."""
    found = {}
    for label in LABELS:
        made = await family(runtime, label)
        runs = {name: await runtime.run(session) for name, session in made.items()}
        for pair in await labels_of(runtime, made, runs, label):
            assert pair not in found
            found[pair] = label
    assert found == {(a, b): expected(a, b) for a in FAMILY for b in FAMILY if a != b}
    assert {pair: found[pair] for pair in OTHERS} == dict.fromkeys(OTHERS, "*")
    assert {pair: found[pair] for pair in RELATED} == RELATED


async def test_labels_outlive_a_restart_and_a_deleted_parent(server, runtime):
    """Labels come from stored origins: neither a restart nor the parent's deletion changes them."""
    made = await family(runtime, "sibling")
    run = await runtime.run(made["me"])
    await server.admin.sessions.DeleteSession(session_id=made["mother"].session_id)
    await server.restart()
    runtime = server.client(runtime.secret)
    assert (await by_rpc(runtime, run, made["brother"])).code == ""
    assert (await by_rpc(runtime, run, made["cousin"])).code == "permission:denied"


async def test_what_a_model_says_of_itself_changes_no_label(runtime):
    """Handles, names and descriptions that speak of a relationship make none."""
    root = await runtime.session(agent="parent", description="parent")
    me = await runtime.session(root, rules={"child": "allow", "*": "deny"}, agent="parent")
    other = await runtime.session(root, agent="child", description="child of me")
    run = await runtime.run(me)
    assert other.handle.startswith("child_")
    assert (await by_rpc(runtime, run, other.handle)).code == "permission:denied"


async def test_imported_sessions_have_the_labels_of_their_origins(runtime, wire):
    """A session brought from elsewhere is its parent's child like any other."""
    root = await runtime.session(rules={"child": "allow"})
    imported = {"state": wire.session.SESSION_STATE_FAILED, "handle": "explore_0a0b0c0d"}
    old = await runtime.session(root, rules={"parent": "allow", "sibling": "allow"}, imported=imported)
    new = await runtime.session(root)
    assert (await by_rpc(runtime, await runtime.run(root), "explore_0a0b0c0d")).recipient_state == "waking_finished"
    run = await runtime.run(old)
    assert (await by_rpc(runtime, run, root)).code == ""
    assert (await by_rpc(runtime, run, new)).code == ""


async def test_sibling_to_sibling_and_child_to_parent(runtime):
    """With rules that allow it, siblings write to each other and a child to its parent, and each message arrives."""
    root = await runtime.session()
    a = await runtime.session(root, rules={"sibling": "allow", "parent": "allow"})
    b = await runtime.session(root, rules={"sibling": "allow"})
    run_a, run_b = await runtime.run(a), await runtime.run(b)
    to_b = await by_rpc(runtime, run_a, b.handle, "from a")
    to_a = await by_rpc(runtime, run_b, a.session_id, "from b")
    to_root = await by_rpc(runtime, run_a, root.handle, "up")
    assert (await by_rpc(runtime, run_b, root)).code == "permission:denied"
    assert [(m.message_id, m.body, m.sender.handle) for m in (await runtime.claim(run_b)).messages] == [
        (to_b.message_id, "from a", a.handle)
    ]
    assert [(m.message_id, m.body, m.sender.handle) for m in (await runtime.claim(run_a)).messages] == [
        (to_a.message_id, "from b", b.handle)
    ]
    assert await read_all(runtime, root) == [to_root.message_id]


async def test_two_trees_are_not_related(runtime):
    """Two roots are of different trees, whatever the rules for strangers say."""
    mine = await runtime.session(rules={"*": "allow", "sibling": "allow", "parent": "allow", "child": "allow"})
    other = await runtime.session(session_id=str(uuid4()))
    assert (await by_rpc(runtime, await runtime.run(mine), other)).code == "send_message:not_tree_peer"


async def test_patterns_choose_among_the_labels(runtime):
    """A literal label beats a pattern, the longer literal part beats the shorter, and no match is deny."""
    root = await runtime.session()
    made = await runtime.session(root, rules={"p*": "allow", "parent": "deny", "*i*": "deny", "*ibl*": "allow"})
    sibling, child = await runtime.session(root), await runtime.session(made)
    run = await runtime.run(made)
    codes = {s.handle: (await by_rpc(runtime, run, s)).code for s in (root, sibling, child)}
    assert codes == {root.handle: "permission:denied", sibling.handle: "", child.handle: "permission:denied"}
