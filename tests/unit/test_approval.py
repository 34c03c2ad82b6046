"""What is put before a person, and how it is known again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinpost_server.domain.approval import (
    Approval,
    ApprovalState,
    GrantKey,
    SendRequest,
    approval_id_of,
    arguments_json_of,
    grant_of,
    operation_of,
    request_digest_of,
    request_of,
)
from kinpost_server.domain.body import content_digest
from kinpost_server.domain.errors import InvalidArguments
from kinpost_server.domain.lifecycle import BrokenLifecycle
from kinpost_server.domain.message import Mode
from uuid_utils import uuid4, uuid7

DAYS_30 = 30 * 86_400 * 1_000_000
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=50)
REQUESTS = st.builds(
    SendRequest,
    TEXTS,
    TEXTS,
    st.sampled_from(Mode),
    st.integers(0, DAYS_30),
    st.one_of(st.just(""), st.uuids().map(str)),
)


@given(REQUESTS)
def test_what_was_asked_is_what_is_sent(request):
    """To the microsecond."""
    assert request_of(arguments_json_of(request)) == request


@given(REQUESTS)
def test_an_approval_knows_a_repeat_as_the_message_does(request):
    """By recipient, body and mode as they were given, and nothing else."""
    digest = content_digest(request.to, request.body, request.mode.name)
    assert request_digest_of(arguments_json_of(request)) == digest


@given(REQUESTS)
def test_a_grant_is_bound_to_names_not_to_values(request):
    key = grant_of("root", "recipient", request)
    assert key == GrantKey("root", "recipient", operation_of("send_message", arguments_json_of(request)))
    names = {"to", "body", "mode"}
    names |= {"expire_after_seconds"} if request.expire_after else set()
    names |= {"supersedes_message_id"} if request.supersedes_message_id else set()
    assert key.operation == f"send_message({', '.join(sorted(names))})"


@pytest.mark.parametrize("missing", ["to", "body", "mode"])
def test_an_older_form_is_known_and_cannot_be_sent(missing):
    arguments = json.loads(arguments_json_of(SendRequest("a", "b", Mode.STEER)))
    del arguments[missing]
    text = json.dumps(arguments)
    assert request_digest_of(text) != request_digest_of(arguments_json_of(SendRequest("a", "b", Mode.STEER)))
    with pytest.raises(InvalidArguments, match=missing):
        request_of(text)


def test_each_call_has_one_approval():
    run_id, other = str(uuid7()), str(uuid7())
    ids = {approval_id_of(run, call) for run in (run_id, other) for call in ("one", "two")}
    assert len(ids) == 4
    assert approval_id_of(run_id, "one") == approval_id_of(run_id, "one")


def approval(state: ApprovalState, expire_time: int | None = None) -> Approval:
    ids = [str(uuid4()) for _ in range(4)]
    return Approval(ids[0], ids[1], ids[1], ids[2], "call", "send_message", ids[3], b"", 1, expire_time, state)


STEPS = {
    ApprovalState.PENDING: "ALLOWED USED DENIED EXPIRED CANCELLED",
    ApprovalState.ALLOWED: "USED CANCELLED",
}


@pytest.mark.parametrize("before", ApprovalState)
@pytest.mark.parametrize("after", ApprovalState)
def test_the_states_follow_each_other_as_they_may(before, after):
    made = approval(before)
    if after.name in STEPS.get(before, "").split():
        assert made.open
        made.become(after)
        assert made.state is after
    else:
        with pytest.raises(BrokenLifecycle):
            made.become(after)
    assert made.open == (made.state in STEPS)


@pytest.mark.parametrize("state", ApprovalState)
def test_only_what_waits_expires_by_itself(state):
    assert approval(state).state_at(10**18) is state
    assert approval(state, 100).state_at(99) is state
    assert approval(state, 100).state_at(100) is (ApprovalState.EXPIRED if state is ApprovalState.PENDING else state)
