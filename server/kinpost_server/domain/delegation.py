"""Delegations: what a parent's model reads when the run that it delegated has ended."""

from __future__ import annotations

from kinpost_server.domain.run import RunState

ENDINGS = {
    RunState.COMPLETED: "has completed",
    RunState.FAILED: "has failed at",
    RunState.INTERRUPTED: "was interrupted in",
    RunState.CANCELLED: "was cancelled in",
}
NO_REASON = "It left no word about it."
ONLY_REPORT = "It reports this once. What it does from here on reaches you only if it writes to you."


def report_body(label: str, description: str, outcome: RunState, reason: str, *, by_person: bool) -> str:
    """Return the body of a report: who ended how, at what, and the reason that its runtime gave.

    `label` is the delegated session's handle or id. An ending that is not the work's own is followed by what can be
    hoped for.
    """
    task = f"what you delegated to it: {description}" if description.strip() else "what you delegated to it."
    ending = "was stopped by a person in" if by_person else ENDINGS[outcome]
    parts = [f"{label} {ending} {task}", reason if reason.strip() else NO_REASON]
    if outcome is not RunState.COMPLETED:
        parts.append(ONLY_REPORT)
    return "\n\n".join(parts)
