"""The life of a message: one table, the same for every producer.

`ARCHITECTURE.md` shows the same table to people; a test holds the two, and the wire enumeration, equal.
"""

from __future__ import annotations

from enum import StrEnum

from kinpost_server.domain.message import MessageState


class Step(StrEnum):
    """What can happen to a message."""

    ADMIT = "admit"
    CLAIM = "claim"
    RELEASE = "release"
    CONSUME = "consume"
    DISCARD = "discard"
    REVERT = "revert"


STEPS: dict[Step, tuple[frozenset[MessageState], MessageState]] = {
    Step.ADMIT: (
        frozenset({MessageState.ACCEPTED, MessageState.ADMITTED, MessageState.RELEASED}),
        MessageState.ADMITTED,
    ),
    Step.CLAIM: (frozenset({MessageState.ADMITTED, MessageState.RELEASED}), MessageState.CLAIMED),
    Step.RELEASE: (frozenset({MessageState.CLAIMED}), MessageState.RELEASED),
    Step.CONSUME: (frozenset({MessageState.CLAIMED}), MessageState.CONSUMED),
    Step.DISCARD: (
        frozenset({MessageState.ACCEPTED, MessageState.ADMITTED, MessageState.RELEASED}),
        MessageState.DISCARDED,
    ),
    Step.REVERT: (
        frozenset({MessageState.ADMITTED, MessageState.RELEASED, MessageState.CONSUMED}),
        MessageState.ACCEPTED,
    ),
}


class BrokenLifecycle(Exception):
    """A step was taken that the table does not allow: a fault of ours, never of a caller."""


def step(state: MessageState, action: Step) -> MessageState:
    """Return the state that a step leads to.

    Raises BrokenLifecycle when the table has no such step.
    """
    sources, target = STEPS[action]
    if state not in sources:
        raise BrokenLifecycle(f"{action} from {state.name}")
    return target
