"""A small model of what is put before people, beside the one of mail: written from the rules alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

OPEN = ("pending", "allowed")
CODES = {"denied": "approval:denied", "expired": "approval:expired", "cancelled": "approval:cancelled"}


@dataclass
class Question:
    """One approval. `send` is what it is about, `form` the names of its arguments."""

    approval_id: str
    session_id: str
    root: str
    run_id: str
    to: str
    form: tuple[str, ...]
    expire_time: int
    send: Any
    state: str = "pending"
    decision: str = ""

    @property
    def operation(self) -> tuple[str, str, tuple[str, ...]]:
        """What a grant is bound to."""
        return self.root, self.to, self.form


@dataclass
class Questions:
    """All of a test, in the order of their asking."""

    pending_max: int
    known: dict[str, Question] = field(default_factory=dict)
    grants: set[tuple[str, str, tuple[str, ...]]] = field(default_factory=set)

    def has_room(self, session_id: str) -> bool:
        """Whether a session may ask one more."""
        waiting = [q for q in self.known.values() if q.session_id == session_id and q.state == "pending"]
        return len(waiting) < self.pending_max

    def expire(self, now: int) -> None:
        """End what nobody answered in time."""
        for question in self.known.values():
            if question.state == "pending" and question.expire_time <= now:
                question.state = "expired"

    def cancel(self, run_id: str) -> None:
        """End what a run leaves open."""
        for question in self.known.values():
            if question.run_id == run_id and question.state in OPEN:
                question.state = "cancelled"

    def judge_answer(self, question: Question, decision: str) -> str | None:
        """Return the code that an answer gets, empty for one that is applied, None for one that changes nothing."""
        if question.decision:
            return None if question.decision == decision else "idempotency:conflict"
        if question.state == "used":  # under a grant
            return "idempotency:conflict" if decision == "DENY" else None
        return CODES.get(question.state, "")

    def alike(self, question: Question) -> list[Question]:
        """Return what waits for the same operation."""
        return [q for q in self.known.values() if q.operation == question.operation and q.state == "pending"]
