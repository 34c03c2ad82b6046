"""A short torture finds nothing. What the torture looks for is shown in `test_torture_findings.py`."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINES = 40  # of the end of a log
ACCEPTED = "messages accepted, as answered"

pytestmark = pytest.mark.timeout(1800)


def told(ran: subprocess.CompletedProcess[str]) -> str:
    """Return what a torture printed, and the ends of its servers' logs when their folder was kept."""
    kept = re.search(r"the data is kept in (.+)", ran.stderr)
    logs = sorted(Path(kept[1]).glob("server*.log")) if kept else []
    ends = [line for log in logs for line in (log.name, *log.read_text(errors="replace").splitlines()[-LINES:])]
    return "\n".join([ran.stdout, ran.stderr, *ends])


def tortured(minutes: float, *options: str, accepted: int) -> dict[str, int]:
    """Torture, longer and longer until so many messages were accepted; nothing may be found. Returns the numbers."""
    numbers = {ACCEPTED: 0}
    for factor in (1, 4, 12):
        command = [ROOT / "scripts" / "torture", "--minutes", str(minutes * factor), "--json", *options]
        seconds = 250 + 60 * minutes * factor
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
        assert ran.returncode == 0, told(ran)
        report = json.loads(ran.stdout)
        assert (report["findings"], report["texts"]) == ({}, [])
        numbers = report["numbers"]
        if numbers[ACCEPTED] >= accepted:
            break
    return numbers


def test_a_short_torture_of_two_replicas_on_postgres_finds_nothing() -> None:
    """Both are killed, and cut off from their database in every way, while agents send and subscribers follow."""
    numbers = tortured(0.4, "--database", "postgres", "--replicas", "2", "--kill-seconds", "6", accepted=100)
    assert numbers["kills"] >= 1
    assert sum(count for name, count in numbers.items() if name.startswith("connections cut")) >= 3
    assert numbers[ACCEPTED] >= 100
    assert numbers["subscribers resumed"] > 0


def test_a_short_torture_finds_nothing() -> None:
    """Some thousand messages, a kill about every second: nothing lost, nothing twice, and all of it was tried."""
    numbers = tortured(0.5, "--messages", "20000", "--kill-seconds", "1", accepted=200)
    assert numbers["kills"] >= 2
    accepted = numbers[ACCEPTED]
    assert accepted >= 200
    assert numbers["messages in the log"] >= accepted
    assert numbers["messages consumed in the end"] > 0
    assert numbers["calls that were repeated until answered"] > 0
    assert numbers["subscribers resumed"] > 0
    assert numbers["rows compared with the fold of the log"] > accepted
