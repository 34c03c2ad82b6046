"""Approvals in the store: with their run, by their id, as grants, and in lists."""

from __future__ import annotations

import pytest
from kinpost_server.domain import event as e
from kinpost_server.domain.approval import ApprovalDecision, ApprovalState, GrantKey, operation_of
from scribe import TOKEN, Batch, whole

OPERATION = operation_of("send_message", '{"to": "", "body": "", "mode": ""}')


@pytest.fixture
def asked(scribe):
    """A tree whose root asks about its child: an approval in each state, in the order of the states."""
    with scribe.batch() as batch:
        root = batch.create()
        child = batch.create(root)
        batch.run(root)
        approvals = [batch.ask(root, child, expire_time=batch.time + 5) for _ in ApprovalState]
    with scribe.batch() as batch:
        root = batch.session(root.session_id)
        _, allowed, used, denied, expired, cancelled = [approval.approval_id for approval in approvals]
        batch.emit(root, e.ApprovalDecided(allowed, ApprovalDecision.ALLOW_ONCE, "yes", TOKEN))
        batch.emit(root, e.ApprovalDecided(used, ApprovalDecision.ALLOW_FOR_TREE, "all", TOKEN))
        batch.emit(root, e.ApprovalUsed(used, scribe.new_id()))
        batch.emit(root, e.ApprovalDecided(denied, ApprovalDecision.DENY, "no", TOKEN))
        batch.emit(root, e.ApprovalExpired(expired))
        batch.emit(root, e.ApprovalCancelled(cancelled))
    return root, child, approvals


def test_a_run_has_its_approvals_without_their_arguments(opened, scribe, asked):
    root, _, approvals = asked
    before = whole(root)
    opened.store.forget([root.session_id])
    (again,) = scribe.load(root.session_id).values()
    assert whole(again) == before
    assert [approval.state for approval in again.run.approvals.values()] == list(ApprovalState)
    assert {approval.arguments_json for approval in again.run.approvals.values()} == {""}
    assert all(approval.position for approval in approvals)


def test_an_approval_that_ends_in_its_first_batch_comes_back_whole(opened, scribe):
    with scribe.batch() as batch:
        root = batch.create()
        batch.run(root)
        approval = batch.ask(root, root)
        batch.emit(root, e.ApprovalDecided(approval.approval_id, ApprovalDecision.DENY, "no", TOKEN))
        batch.finish(root)
    opened.store.begin()
    stored = opened.store.load_approvals([approval.approval_id])[approval.approval_id]
    opened.store.rollback()
    assert (stored.state, stored.decision, stored.reason) == (ApprovalState.DENIED, ApprovalDecision.DENY, "no")
    stored.arguments_json = ""
    assert stored == approval


def test_an_approval_is_found_by_its_id_with_its_arguments(opened, asked):
    *_, approvals = asked
    opened.store.begin()
    found = opened.store.load_approvals([approval.approval_id for approval in approvals] + ["no id"])
    opened.store.rollback()
    assert [found[approval.approval_id].state for approval in approvals] == list(ApprovalState)
    assert len(found) == len(approvals)
    assert all("ü" in stored.arguments_json for stored in found.values())
    for approval in approvals:
        assert opened.reader.get_approval(approval.approval_id) == found[approval.approval_id]
    assert opened.reader.get_approval("no id") is None


def test_only_an_answer_for_the_tree_is_a_grant(opened, asked):
    root, child, approvals = asked
    key = GrantKey(root.session_id, child.session_id, OPERATION)
    others = [
        key._replace(operation="send_message(body, recipient_session_id)"),
        key._replace(recipient_session_id=root.session_id),
        key._replace(root_session_id=child.session_id),
    ]
    opened.store.begin()
    assert opened.store.load_grants([key, *others]) == {key: approvals[2].approval_id}
    assert [alike.approval_id for alike in opened.store.load_pending_alike(key, 10)] == [approvals[0].approval_id]
    assert all(opened.store.load_pending_alike(other, 10) == [] for other in others)
    opened.store.rollback()


def test_a_list_is_of_the_tree_newest_first_and_as_long_as_was_asked(opened, scribe, asked):
    root, child, approvals = asked
    with scribe.batch() as batch:
        child = batch.session(child.session_id)
        batch.run(child)
        deep = batch.ask(child, root)
        other = batch.create()
        batch.run(other)
        batch.ask(other, other)
    ids = [deep.approval_id, *(approval.approval_id for approval in approvals[::-1])]

    def listed(states=(), before=0, limit=100, bytes_max=1 << 20):
        page, more = opened.reader.list_approvals(root.session_id, states, before, limit, bytes_max)
        return [approval.approval_id for approval in page], more

    assert listed() == (ids, False)
    assert listed(limit=7) == (ids, False)
    assert listed(limit=3) == (ids[:3], True)
    assert listed(before=approvals[-1].position) == (ids[2:], False)
    assert listed([ApprovalState.PENDING]) == ([ids[0], ids[-1]], False)
    assert listed(bytes_max=1) == (ids[:1], True)
    assert opened.reader.list_approvals("no id", (), 0, 10, 1) == ([], False)


def test_nothing_of_an_approval_is_stored_when_its_batch_is_not(opened, scribe, asked):
    root, child, _ = asked
    before = whole(root)
    opened.store.begin()
    batch = Batch(scribe)
    lost = batch.ask(batch.session(root.session_id), child)
    opened.store.write(batch.changes)
    opened.store.rollback()
    assert opened.reader.get_approval(lost.approval_id) is None
    assert whole(scribe.load(root.session_id)[root.session_id]) == before
