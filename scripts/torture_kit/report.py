"""What people get: a table of what was done, and what was found."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table

from torture_kit.history import History
from torture_kit.journal import PEER, PLUGIN, USER, Journal


@dataclass(slots=True)
class Report:
    """All numbers of a run, in the order in which they are shown."""

    seed: int
    numbers: dict[str, Any] = field(default_factory=dict)
    findings: dict[str, int] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)  # kinds of trouble, and why

    def take_journal(self, journal: Journal, start_seconds: list[float]) -> None:
        """Add what the clients did and were told."""
        tally = journal.tally
        first = ("kills", "kills while it started")
        self.numbers |= {name: tally[name] for name in first}
        if start_seconds:
            self.numbers["seconds from start to serving, median"] = round(statistics.median(start_seconds), 2)
        self.numbers["messages asked for"] = len(journal.sends)
        self.numbers["messages accepted, as answered"] = journal.accepted_count
        self.numbers |= {name: tally[name] for name in sorted(tally) if name not in first}
        self.numbers |= {f"refused: {code}": count for code, count in sorted(journal.refusals.items())}
        self.numbers |= {f"failed and repeated: {code}": count for code, count in sorted(journal.failures.items())}
        self.findings = journal.found_counts
        self.texts = [f"{finding.kind}: {finding.text}" for finding in journal.findings]

    def take_history(self, history: History) -> None:
        """Add what the log tells."""
        states = Counter(mail.state for mail in history.mail.values())
        self.numbers["events"] = history.counts.total()
        self.numbers["messages in the log"] = len(history.mail)
        self.numbers |= {f"messages {state} in the end": count for state, count in sorted(states.items())}
        scopes = Counter(mail.identity.scope for mail in history.mail.values())
        self.numbers |= {f"messages of a {scope}": scopes[scope] for scope in (USER, PEER, PLUGIN)}
        self.numbers |= {name: count for name, count in sorted(history.counts.items()) if ":" in name}
        for name in ("run_started", "lapsed runs", "turn_committed", "wake_requested", "wake_failed"):
            self.numbers[f"log: {name.replace('_', ' ')}"] = history.counts[name]

    def print(self, console: Console) -> None:
        """Show it to a person."""
        table = Table(title=f"Torture with seed {self.seed}")
        table.add_column("what")
        table.add_column("count", justify="right")
        for name, value in self.numbers.items():
            table.add_row(name, f"{value:,}")
        console.print(table)
        for name, reason in self.left_out.items():
            console.print(f"left out: {name}: {reason}", markup=False)
        found = Table(title="Findings")
        found.add_column("what must not be")
        found.add_column("count", justify="right")
        for kind in sorted({*KINDS, *self.findings}):
            count = self.findings.get(kind, 0)
            found.add_row(kind, f"{count:,}", style="bold red" if count else None)
        console.print(found)
        for text in self.texts:
            console.print(text, style="red", markup=False)

    def as_json(self) -> str:
        """Return it for a program."""
        content = {
            "seed": self.seed,
            "numbers": self.numbers,
            "left_out": self.left_out,
            "findings": self.findings,
            "texts": self.texts,
        }
        return json.dumps(content, indent=2)


# Shown with their zero, so that the table says what was looked for.
KINDS = (
    "lost",
    "consumed twice",
    "stored twice",
    "refused but stored",
    "out of nowhere",
    "two answers",
    "two runs",
    "body",
    "order",
    "steps",
    "claims",
    "approvals",
    "letters",
    "wakes",
    "notices",
    "not delivered",
    "not drained",
    "subscriber",
    "projections",
    "file",
    "server",
    "refusal",
    "unanswered",
    "client",
    "trouble",
)
