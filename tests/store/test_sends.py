"""What a run has sent is known for ever, and a long run costs few bytes a send."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st
from kinpost_server.store.sends import POSITIONS_MAX, Sends


@given(st.integers(0, 3 * POSITIONS_MAX))
def test_each_call_is_at_hand_or_known_to_be_older(count):
    sends = Sends("run", {f"call {number}": number for number in range(count)})
    at_hand = [number for number in range(count) if sends.position(f"call {number}") == number]
    older = [number for number in range(count) if sends.may_hold(f"call {number}")]
    assert older + at_hand == list(range(count))
    assert min(count, POSITIONS_MAX) <= len(at_hand) < 2 * POSITIONS_MAX
    assert not any(sends.may_hold(f"other {number}") or sends.position(f"other {number}") for number in range(100))


def test_a_hundred_thousand_sends_cost_less_than_three_mebibytes():
    sends = Sends("run")
    tracemalloc.start()
    try:
        for number in range(100_000):
            sends.add(f"a tool call of a usual length, {number}", number)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 3 << 20
