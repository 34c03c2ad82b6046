"""The steps that the demonstration shows. It succeeds when each was seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from kinpost_demo.narrator import Narrator


class Step(Enum):
    """What is shown, in words for people."""

    DENIED = "a denied send, as the model sees it"
    UNKNOWN = "an unknown handle, as the model sees it"
    STEER = "a parent steers a running child at its next boundary"
    SIBLING = "sibling to sibling"
    PARENT = "child to parent"
    QUEUE = "a queued message starts the next run"
    WOKEN = "a finished child is woken"
    KILLED = "the server is killed between acceptance and delivery, and the message arrives once"
    WHOLE = "the event stream went on through the kill, with neither hole nor repeat"


@dataclass
class Checklist:
    """What was seen so far."""

    narrator: Narrator
    proofs: dict[Step, str] = field(default_factory=dict)

    def seen(self, step: Step, proof: str) -> None:
        """Tick a step off; `proof` is what showed it."""
        self.proofs[step] = proof
        self.narrator.seen(step.value, proof)

    @property
    def missing(self) -> list[Step]:
        """What was not seen."""
        return [step for step in Step if step not in self.proofs]
