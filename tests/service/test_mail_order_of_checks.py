"""The checks of a send come in the stated order: of two faults in one call, the earlier one is told."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from calls import fresh, read_refusal
from mail import by_rpc, nothing_written, tool
from uuid_utils import uuid4

LIMITS = {"max_hops": 1, "max_pending_per_session": 3, "max_inflight_per_pair": 1}
KNOWN = "a call that sent before"
ANYONE = {"parent": "allow", "child": "allow", "sibling": "allow", "*": "allow"}

# In the order of the checks: what is at fault in a call, and the code that tells it.
CODES = {
    "arguments": "request:invalid",
    "replay": "idempotency:conflict",
    "disabled": "send_message:disabled",
    "body": "send_message:invalid_body",
    "run": "run:not_active",
    "reference": "send_message:unknown_reference",
    "id": "send_message:unknown_session",
    "itself": "send_message:self_send",
    "tree": "send_message:not_tree_peer",
    "permission": "permission:denied",
    "inbox": "send_message:inbox_full",
    "window": "send_message:inflight_full",
    "hops": "send_message:max_hops_exceeded",
}
# Two faults of one call, the earlier first. Missing are pairs that exclude each other: a call has one recipient.
PAIRS = [
    *(("arguments", other) for other in ("replay", "disabled", "body", "run", "reference", "itself", "hops")),
    *(("replay", other) for other in ("disabled", "body", "run", "reference", "itself", "tree", "inbox", "hops")),
    *(("disabled", other) for other in ("body", "run", "reference", "id", "itself", "tree", "permission", "hops")),
    *(("body", other) for other in ("run", "reference", "id", "itself", "tree", "permission", "inbox", "hops")),
    *(("run", other) for other in ("reference", "id", "itself", "tree", "permission", "inbox", "window")),
    *(("reference", other) for other in ("permission", "hops")),
    *(("id", other) for other in ("permission", "hops")),
    *(("itself", other) for other in ("permission", "inbox", "hops")),
    *(("tree", other) for other in ("permission", "inbox", "hops")),
    *(("permission", other) for other in ("inbox", "hops")),
    *(("inbox", other) for other in ("window", "hops")),
    ("window", "hops"),
]


async def fill(runtime, crowded: Any, count: int) -> None:
    """Let so many others of its tree write to a session."""
    for _ in range(count):
        sender = await runtime.session(crowded, rules=ANYONE)
        assert (await by_rpc(runtime, await runtime.run(sender), crowded)).code == ""


async def build(runtime, *, rules: dict[str, str], deep: bool = False) -> Any:
    """Make a sender around which every check can fail: `to` are recipients by what a send to them runs into.

    Its first run has ended. If `deep`, its second was given mail of the last hop that is allowed.
    """
    w = SimpleNamespace()
    parent = await runtime.session(rules=ANYONE)
    w.me = await runtime.session(parent, rules=rules)
    children = [await runtime.session(w.me, rules=ANYONE) for _ in range(5)]
    free, inbox, window, both, teller = children
    brother, full_brother = [await runtime.session(parent) for _ in range(2)]
    stranger, full_stranger = [await runtime.session() for _ in range(2)]
    for crowded, count in ((inbox, 3), (both, 2), (full_brother, 3), (full_stranger, 3)):
        await fill(runtime, crowded, count)
    w.runs = {"ended": await runtime.run(w.me)}
    known = await runtime.session(w.me)
    await by_rpc(runtime, w.runs["ended"], known, call=KNOWN)
    await runtime.finish(w.runs["ended"])
    w.runs["active"] = run = await runtime.run(w.me)
    for to in (await runtime.session(w.me), window, both):
        await by_rpc(runtime, run, to, call=KNOWN if to not in children else "")
    if deep:
        teller_run = await runtime.run(teller)
        assert (await by_rpc(runtime, await runtime.run(parent), teller)).code == ""
        assert len((await runtime.claim(teller_run)).messages) == 1
        assert (await by_rpc(runtime, teller_run, w.me)).code == ""
        assert [m.agent_hop for m in (await runtime.claim(run)).messages] == [1]
        await fill(runtime, w.me, 2)
    else:
        await fill(runtime, w.me, 3)
    w.to = {
        (): free,
        ("reference",): "nobody_00000000",
        ("id",): str(uuid4()),
        ("itself",): w.me,
        ("itself", "inbox"): w.me,
        ("tree",): stranger,
        ("tree", "inbox"): full_stranger,
        ("permission",): brother,
        ("permission", "inbox"): full_brother,
        ("inbox",): inbox,
        ("window",): window,
        ("inbox", "window"): both,
    }
    return w


async def code_of(runtime, w: Any, faults: set[str], by: str) -> str:
    """Send with these faults and return the code of the answer."""
    recipient = tuple(name for name in CODES if name in faults and (name,) in w.to)
    if "permission" in faults and len(recipient) > 1 and recipient not in w.to:
        recipient = recipient[:1]  # the sender has no rules at all
    to = w.to[recipient]
    given = {
        "to": to if isinstance(to, str) else to.handle if "tree" not in recipient else to.session_id,
        "body": "" if "body" in faults else "hello",
    }
    run = w.runs["ended" if "run" in faults else "active"]
    call = KNOWN if "replay" in faults else fresh("call")
    try:
        if by == "CallTool":
            arguments = {**given, "mode": "shout"} if "arguments" in faults else given
            return (await tool(runtime, run, arguments, call=call)).code
        mode = 99 if "arguments" in faults else 0
        await runtime.send(run, **given, tool_call_id=call, mode=mode)
    except grpc.aio.AioRpcError as error:
        return read_refusal(error).code
    return ""


@pytest.mark.parametrize("overrides", [{"messaging": LIMITS}])
@pytest.mark.parametrize("by", ["SendMessage", "CallTool"])
async def test_the_earlier_of_two_faults_is_told(server, runtime, by):
    """Each fault alone has its code, and of any two that can be in one call the earlier one is told."""
    open_rules = {**ANYONE, "sibling": "deny"}
    plain, deep, mute = [
        await build(runtime, rules=open_rules),
        await build(runtime, rules=open_rules, deep=True),
        await build(runtime, rules={}),
    ]
    codes = {**CODES, "arguments": "send_message:invalid_arguments"} if by == "CallTool" else CODES
    wanted = {(name,): code for name, code in codes.items()} | {pair: codes[pair[0]] for pair in PAIRS}
    told: dict[tuple[str, ...], str] = {}

    async def ask(cases: list[tuple[str, ...]]) -> None:
        for faults in cases:
            alone = "permission" in faults and {"reference", "id", "itself", "tree"} & set(faults)
            w = mute if alone else deep if "hops" in faults else plain
            told[faults] = await code_of(runtime, w, set(faults), by)

    async with nothing_written(server):
        await ask([faults for faults in wanted if "disabled" not in faults])
    assert await code_of(runtime, plain, set(), by) == ""
    await server.restart(messaging={**LIMITS, "enabled": False})
    runtime = server.client(runtime.secret)
    async with nothing_written(server):
        await ask([faults for faults in wanted if "disabled" in faults])
    assert told == wanted


def test_the_pairs_are_in_order_and_every_neighbour_is_there():
    """The table above holds each pair of neighbours that a call can be at fault by, and the earlier one first."""
    order = list(CODES)
    assert all(order.index(first) < order.index(second) for first, second in PAIRS)
    exclusive = {("reference", "id"), ("id", "itself"), ("itself", "tree")}
    neighbours = set(pairwise(order)) - exclusive
    assert neighbours <= set(PAIRS)
