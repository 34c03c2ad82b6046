"""The forest: what is shown of the trees."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kinpost.v1 import event_pb2, session_pb2
from kinpost_client import Availability, SessionState, convert
from kinpost_watch.forest import Forest
from made_events import event


def session(name, parent=None, **fields):
    wire = session_pb2.Session(
        session_id=name,
        root_session_id=parent or name,
        handle=name,
        agent="explore",
        state=1,
        availability=1,
        last_seq=1,
    )
    if parent:
        wire.parent_session_id = parent
    return replace(convert.session(wire), **fields)


def shown(forest):
    return [line.branches + line.session_id for line in forest.lines()]


@pytest.fixture
def forest():
    made = Forest()
    for name, parent in [("a", None), ("a1", "a"), ("a2", "a"), ("a11", "a1"), ("b", None), ("a3", "a")]:
        made.put(session(name, parent))
    return made


def test_children_stand_below_their_parents(forest):
    assert shown(forest) == ["a", "├ a1", "│ └ a11", "├ a2", "└ a3", "b"]


def test_what_is_folded_away_is_counted(forest):
    forest.fold("a", folded=True)
    assert [(line.session_id, line.folded_count) for line in forest.lines()] == [("a", 4), ("b", 0)]
    forest.fold("a", folded=False)
    assert len(forest.lines()) == 6


def test_a_find_is_shown_below_its_ancestors_although_they_are_folded(forest):
    forest.fold("a", folded=True)
    forest.want("A11")
    assert shown(forest) == ["a", "└ a1", "  └ a11"]
    forest.want("")
    assert shown(forest) == ["a", "b"]


def test_the_children_of_a_deleted_session_take_its_place(forest):
    forest.apply(event(2, event_pb2.SessionDeleted(), session_id="a1"))
    assert shown(forest) == ["a", "├ a11", "├ a2", "└ a3", "b"]
    forest.apply(event(2, event_pb2.SessionDeleted(), session_id="a"))
    assert shown(forest) == ["a11", "a2", "a3", "b"]
    forest.put(session("c", "a11"))
    assert shown(forest)[:2] == ["a11", "└ c"]


def test_what_the_list_knew_already_is_not_counted_twice(forest):
    forest.put(session("a", pending_count=3, last_seq=9))
    for seq in (8, 9, 10):
        forest.apply(event(seq, event_pb2.ProducerMessageAccepted(message_id="m"), session_id="a"))
    assert forest.places["a"].pending_count == 4


def test_events_change_the_line(forest):
    place = forest.places["a"]
    forest.apply(event(2, event_pb2.RunStarted(), session_id="a"))
    assert place.state is SessionState.RUNNING
    forest.apply(event(3, event_pb2.RunFinished(outcome=3), session_id="a"))
    assert place.state is SessionState.FAILED
    forest.apply(event(4, event_pb2.SessionAvailabilityChanged(availability=3, no_wake=True), session_id="a"))
    assert (place.availability, place.holds) == (Availability.ARCHIVED, True)
    assert forest.apply(event(5, event_pb2.SessionReverted(to_seq=1), session_id="a")) == "a"


def test_a_chain_may_be_longer_than_the_stack(forest):
    parent = "b"
    for number in range(5000):
        forest.put(session(f"c{number}", parent))
        parent = f"c{number}"
    assert len(forest.lines()) == 5006
    forest.fold("b", folded=True)
    assert [line.folded_count for line in forest.lines() if line.session_id == "b"] == [5000]


def test_what_does_not_fit_is_counted_and_not_kept():
    small = Forest(sessions_max=3)
    for number in range(10):
        small.put(session(f"s{number}"))
    assert (len(small.places), len(small.left_out)) == (3, 3)
