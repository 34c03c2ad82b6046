"""Who reports the end of its run to its parent, and the hop that the report carries."""

from __future__ import annotations

import pytest
from delegations import ACCEPTED, ANYONE, delegate, reports
from kinpost.v1 import message_pb2 as words
from kinpost.v1 import run_pb2, session_pb2
from ledger import payloads


@pytest.fixture
async def parent(runtime):
    return await runtime.session(rules=ANYONE)


@pytest.fixture
async def run(runtime, parent):
    return await runtime.run(parent)


async def test_a_delegation_in_the_foreground_is_its_calls_own_result(runtime, parent, run):
    """Without the tool call the parent waits itself: nothing comes beside."""
    child = await delegate(runtime, run, parent_tool_call_id="")
    await runtime.finish(await runtime.run(child), reason="done")
    assert await reports(runtime, parent) == []


@pytest.mark.parametrize("left_out", [{"parent_run_id": ""}, {"parent_run_id": "", "parent_tool_call_id": ""}], ids=str)
async def test_what_no_run_delegated_reports_nothing(runtime, parent, run, left_out):
    child = await delegate(runtime, run, **left_out)
    await runtime.finish(await runtime.run(child))
    assert await reports(runtime, parent) == []


@pytest.mark.parametrize("state", [session_pb2.SESSION_STATE_COMPLETED, session_pb2.SESSION_STATE_IDLE])
async def test_an_imported_child_was_delegated_elsewhere(runtime, parent, run, state):
    child = await delegate(runtime, run, imported={"state": state}, starter=0)
    await runtime.finish(await runtime.run(child))
    assert await reports(runtime, parent) == []


async def test_a_grandchild_reports_to_its_own_parent(runtime, parent, run):
    child = await delegate(runtime, run)
    work = await runtime.run(child)
    grandchild = await delegate(runtime, work)
    await runtime.finish(await runtime.run(grandchild))
    assert await reports(runtime, parent) == []
    assert len(await reports(runtime, child)) == 1


async def test_a_childs_runtime_need_not_be_its_parents(server, runtime, parent, run):
    worker = await server.make_token("runtime")
    child = await delegate(runtime, run, starter=session_pb2.STARTER_WAKE, first_message="begin")
    attached = await worker.attach(agents=["explore"], session_scope=2)
    offer = await attached.told("wake_offer")
    started = await worker.start(child, wake_id=offer.wake_id, attempt_id="first")
    await worker.finish(started.run, commit_claim_seq=started.claim.claim_seq, reason="done")
    attached.cancel()
    assert len(await reports(runtime, parent)) == 1


async def test_the_child_may_write_under_its_delegators_call_id(runtime, parent, run):
    """The report names the tool call that began the delegation; the child's own calls are others."""
    child = await delegate(runtime, run, parent_tool_call_id="call")
    work = await runtime.run(child)
    sent = await runtime.send(work, parent, "before the end", tool_call_id="call")
    await runtime.finish(work)
    again = await runtime.send(work, parent, "before the end", tool_call_id="call")
    assert (again.message_id, again.replayed) == (sent.message_id, True)
    (report,) = await reports(runtime, parent)
    assert report.message_id != sent.message_id


# Hops


@pytest.mark.parametrize("overrides", [{"messaging": {"max_hops": 1}}])
async def test_a_report_carries_its_runs_hop_into_the_parents_sends(runtime, parent, run, refused):
    """sibling -> child (hop 0), child ends, its parent's next send is hop 1, and the one after would be hop 2."""
    sibling = await delegate(runtime, run)
    child = await delegate(runtime, run)
    await runtime.send(await runtime.run(sibling), child, "hop 0")
    started = await runtime.start(child, attempt_id="first")
    assert [m.agent_hop for m in started.claim.messages] == [0]
    await runtime.finish(started.run, commit_claim_seq=started.claim.claim_seq)
    claim = await runtime.claim(run)
    assert [m.agent_hop for m in claim.messages] == [0]
    await runtime.commit(run, claim)
    await runtime.send(run, sibling, "hop 1")
    (mail,) = payloads(await runtime.log(session_id=sibling.session_id), ACCEPTED)
    assert mail.agent_hop == 1
    # And on: the sibling, woken by hop 1, delegates; its child's run inherits the hop and reports it back.
    await runtime.finish(await run_of(runtime, sibling))
    again = await runtime.start(sibling, attempt_id="again")
    assert [m.agent_hop for m in again.claim.messages] == [1]
    grandchild = await delegate(runtime, again.run, first_message="go on")
    inner = await runtime.start(grandchild, attempt_id="inner")
    assert [m.agent_hop for m in inner.claim.messages] == [1]
    with refused("send_message:max_hops_exceeded"):
        await runtime.send(inner.run, sibling, "hop 2")
    await runtime.finish(inner.run, commit_claim_seq=inner.claim.claim_seq)
    (report,) = await reports(runtime, sibling)
    assert report.agent_hop == 1


async def run_of(runtime, session):
    """Return the session's active run."""
    return run_pb2.Run(session_id=session.session_id, run_id=(await runtime.look(session)).active_run_id)


async def test_the_sender_sees_its_report_among_what_it_sent(runtime, parent, run):
    child = await delegate(runtime, run)
    await runtime.finish(await runtime.run(child))
    (sent,) = (await runtime.messaging.ListSentMessages(session_id=child.session_id)).sent_messages
    assert (sent.owner, sent.recipient_session_id) == (words.PRODUCER_OWNER_DELEGATION, parent.session_id)
