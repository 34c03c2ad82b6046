"""The hop guard: a chain of agent mail stops exactly at its limit, and nothing but new work shortens it."""

from __future__ import annotations

import grpc
import pytest
from calls import fresh
from mail import DOORS, advance, by_rpc, nothing_written, payloads, stored, two

ANYONE = {"parent": "allow", "child": "allow", "sibling": "allow", "*": "allow"}
EXCEEDED = "send_message:max_hops_exceeded"


async def three(runtime):
    """Return A, its child B and its child C, who may write to each other."""
    a = await runtime.session(rules=ANYONE, agent="a")
    b = await runtime.session(a, rules=ANYONE, agent="b")
    return [a, b, await runtime.session(b, rules=ANYONE, agent="c")]


async def pass_on(runtime, sessions, number: int):
    """Let the session whose turn it is read what it has, in a new run, and write to the next."""
    me, following = sessions[number % len(sessions)], sessions[(number + 1) % len(sessions)]
    started = await runtime.start(me, attempt_id=fresh("attempt"))
    hops = [m.agent_hop for m in started.claim.messages]
    answer = await by_rpc(runtime, started.run, following, f"hop {number}")
    await runtime.commit(started.run, started.claim)
    await runtime.finish(started.run)
    return hops, answer


@pytest.mark.parametrize("overrides", [{"messaging": {"max_hops": limit}} for limit in (1, 2, 3, 5)], ids=str)
async def test_a_chain_stops_at_exactly_the_limit(server, runtime, overrides):
    """A -> B -> C -> A and on: the send of the limit's hop passes, the next is refused."""
    limit = overrides["messaging"]["max_hops"]
    sessions = await three(runtime)
    for number in range(limit + 1):  # the first send is hop 0
        hops, answer = await pass_on(runtime, sessions, number)
        assert answer.code == ""
        assert hops == ([number - 1] if number else [])
    _, refused = await pass_on(runtime, sessions, limit + 1)
    assert (refused.code, refused.refusal.grpc_code) == (EXCEEDED, grpc.StatusCode.FAILED_PRECONDITION)
    assert refused.refusal.info.reason == "SEND_MESSAGE_MAX_HOPS_EXCEEDED"
    assert f"hop {limit + 1} of a chain that may have {limit}" in refused.text
    hops = [m.agent_hop for s in sessions for m in await stored(runtime, s)]
    assert sorted(hops) == list(range(limit + 1))


@pytest.mark.parametrize("overrides", [{"messaging": {"max_hops": 3}}])
async def test_a_chain_goes_on_across_restarts(server, runtime):
    """A restart between any two hops, and in the middle of a run, changes nothing of a chain."""
    sessions = await three(runtime)
    for number in range(4):
        assert (await pass_on(runtime, sessions, number))[1].code == ""
        await server.restart()
        runtime = server.client(runtime.secret)
    started = await runtime.start(sessions[4 % 3], attempt_id="first")
    await server.restart()
    runtime = server.client(runtime.secret)
    assert (await by_rpc(runtime, started.run, sessions[2])).code == EXCEEDED
    await runtime.commit(started.run, started.claim)
    await server.restart()
    runtime = server.client(runtime.secret)
    assert (await by_rpc(runtime, started.run, sessions[2])).code == EXCEEDED


async def deep(runtime, limit: int = 1):
    """Return a child in whose run a message of the limit's hop was admitted and claimed, and its parent."""
    parent, child, run = await two(runtime, rules={"child": "allow"}, child_rules={"parent": "allow"})
    child_run = await runtime.run(child)
    await by_rpc(runtime, run, child)
    await runtime.claim(child_run)
    await by_rpc(runtime, child_run, parent, "hop 1")
    claim = await runtime.claim(run)
    assert [m.agent_hop for m in claim.messages] == [limit]
    return parent, child, run, claim


@pytest.mark.parametrize("overrides", [{"messaging": {"max_hops": 1}}])
async def test_giving_back_does_not_reset_the_hop(server, runtime):
    """The hop is the run's from admission on: neither a release, nor an empty claim, nor a restart takes it away."""
    parent, child, run, claim = await deep(runtime)
    async with nothing_written(server):
        for door in DOORS.values():
            assert (await door(runtime, run, child)).code == EXCEEDED
    await runtime.runs.ReleaseClaim(session_id=parent.session_id, run_id=run.run_id, claim_seq=claim.claim_seq)
    assert (await by_rpc(runtime, run, child)).code == EXCEEDED
    await server.restart()
    runtime = server.client(runtime.secret)
    assert (await by_rpc(runtime, run, child)).code == EXCEEDED


@pytest.mark.parametrize("end", ["FAILED", "INTERRUPTED", "CANCELLED", "lapsed"])
@pytest.mark.parametrize("overrides", [{"messaging": {"max_hops": 1}}])
async def test_a_new_run_reads_the_same_mail_at_the_same_depth(server, runtime, end):
    """When the run ends without having read it, the mail's depth counts in the run that is given it next."""
    parent, child, run, _ = await deep(runtime)
    if end == "lapsed":
        advance(server, 100)
    else:
        await runtime.finish(run, end)
    following = await runtime.run(parent)
    before = await by_rpc(runtime, following, child)  # it was given nothing yet
    assert before.code == ""
    (mail,) = (await runtime.claim(following)).messages
    assert (mail.agent_hop, mail.delivery_count) == (1, 2)
    assert (await by_rpc(runtime, following, child)).code == EXCEEDED


@pytest.mark.parametrize("overrides", [{"messaging": {"max_hops": 1}}])
async def test_the_guard_recovers_with_the_next_run(runtime):
    """When the deep message is consumed and its run over, the next run begins at 0."""
    parent, child, run, claim = await deep(runtime)
    await runtime.commit(run, claim)
    assert (await by_rpc(runtime, run, child)).code == EXCEEDED
    await runtime.finish(run)
    sent = await by_rpc(runtime, await runtime.run(parent), child)
    assert sent.code == ""
    assert (await stored(runtime, child))[-1].agent_hop == 0


async def test_the_deepest_counts(runtime):
    """A run's sends are one deeper than the deepest mail that it was given, in whichever order it came."""
    parent = await runtime.session(rules=ANYONE)
    first, second = [await runtime.session(parent, rules=ANYONE) for _ in range(2)]
    run, first_run, second_run = [await runtime.run(s) for s in (parent, first, second)]
    await by_rpc(runtime, run, first)  # 0
    await runtime.claim(first_run)
    await by_rpc(runtime, first_run, parent)  # 1
    await by_rpc(runtime, second_run, parent)  # 0
    claim = await runtime.claim(run)
    assert [m.agent_hop for m in claim.messages] == [1, 0]
    await by_rpc(runtime, run, second)
    assert (await stored(runtime, second))[-1].agent_hop == 2


async def test_what_waits_does_not_count(runtime):
    """Mail that the run was not given yet, and queue mail for the next run, leave its hop alone."""
    parent, child, run = await two(runtime, child_rules=ANYONE)
    child_run = await runtime.run(child)
    await runtime.claim(child_run)
    await by_rpc(runtime, run, child, mode="queue")
    await by_rpc(runtime, run, child, mode="steer")
    await by_rpc(runtime, child_run, parent)
    await runtime.claim(child_run)
    await by_rpc(runtime, child_run, parent)
    assert [m.agent_hop for m in await stored(runtime, parent)] == [0, 1]


@pytest.mark.parametrize("overrides", [{"messaging": {"max_hops": 1}}])
async def test_mail_of_people_is_no_hop(server, runtime):
    """A person's message neither carries a hop nor lengthens a chain."""
    parent, child, run = await two(runtime)
    await server.admin.user(parent)
    claim = await runtime.claim(run)
    assert not claim.messages[0].HasField("agent_hop")
    await by_rpc(runtime, run, child)
    assert [m.agent_hop for m in await stored(runtime, child)] == [0]


@pytest.mark.parametrize("overrides", [{"messaging": {"max_hops": 2}}])
async def test_a_delegation_carries_its_runs_hop(runtime):
    """A child's first message counts with the hop of the run that delegated it: delegating shortens no chain."""
    parent, child, run, claim = await deep(runtime)
    born = await runtime.session(parent, rules=ANYONE, parent_run_id=run.run_id, first_message="carry on")
    born_run = await runtime.run(born)
    (first,) = (await runtime.claim(born_run)).messages
    assert (first.agent_hop, first.body) == (1, "carry on")
    sent = await by_rpc(runtime, born_run, child)  # hop 2
    assert sent.code == ""
    assert (await stored(runtime, child))[-1].agent_hop == 2
    run = await runtime.run(await runtime.session(born, rules=ANYONE, first_message="and on"))
    assert [m.HasField("agent_hop") for m in (await runtime.claim(run)).messages] == [True]
    assert claim.messages


async def test_a_delegation_of_a_run_without_mail_is_no_hop(runtime):
    """A delegation by a run that was given no agent mail begins a chain."""
    parent, _, run = await two(runtime)
    born = await runtime.session(parent, rules=ANYONE, parent_run_id=run.run_id, first_message="begin")
    born_run = await runtime.run(born)
    (first,) = (await runtime.claim(born_run)).messages
    assert not first.HasField("agent_hop")
    await by_rpc(runtime, born_run, parent)
    assert [m.agent_hop for m in await stored(runtime, parent)] == [0]


@pytest.mark.parametrize("overrides", [{"messaging": {"max_hops": limit}} for limit in (0, -1, -100)], ids=str)
async def test_no_limit(server, runtime, overrides):
    """0 and less switch the guard off; hops are counted all the same."""
    sessions = await three(runtime)
    for number in range(7):
        assert (await pass_on(runtime, sessions, number))[1].code == ""
    hops = [m.agent_hop for s in sessions for m in await stored(runtime, s)]
    assert sorted(hops) == list(range(7))


async def test_the_hop_is_never_in_the_text(runtime):
    """The hop is in the claim's fields and in the log, and in nothing that a model reads."""
    parent, _, run, _ = await deep(runtime)
    claim = await runtime.claim(run)
    (mail,) = claim.messages
    assert mail.agent_hop == 1
    assert mail.rendered_text.splitlines()[1] == mail.body == "hop 1"
    assert "agent_hop" not in mail.rendered_text
    assert mail.message_id not in mail.rendered_text
    assert [p.agent_hop for p in await payloads(runtime, parent, "producer_message_accepted")] == [1]
