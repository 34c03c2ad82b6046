"""A short torture finds nothing. What the torture looks for is shown in `test_torture_findings.py`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from postgres_server import given_url
from small_disk import may_have_one

ROOT = Path(__file__).parents[2]
LINES = 40  # of the end of a log
ACCEPTED = "messages accepted, as answered"
# What there is beside agents' mail; approvals that were used led to messages.
TRIED = ("messages of a user", "messages of a peer", "messages of a plugin", "approvals: used")
# Everything that may befall replicas and their PostgreSQL, beside kills.
TROUBLES = {
    "a connection cut",
    "a connection cut after its COMMIT was done",
    "a connection cut before its COMMIT arrived",
    "a replica parted from the database",
    "a replica parted from the database for more than 5 s",
    "a rolling upgrade over a migration",
    "all connections cut",
    "all connections of a replica cut",
    "the clock of a replica set ahead",
    "the clock of a replica set back",
    "the database crashed",
    "the database restarted",
    "the database's disk full",
}

pytestmark = pytest.mark.timeout(4500)


def told(ran: subprocess.CompletedProcess[str]) -> str:
    """Return what a torture printed, and the ends of its servers' logs when their folder was kept."""
    kept = re.search(r"the data is kept in (.+)", ran.stderr)
    logs = sorted(Path(kept[1]).glob("server*.log")) if kept else []
    ends = [line for log in logs for line in (log.name, *log.read_text(errors="replace").splitlines()[-LINES:])]
    return "\n".join([ran.stdout, ran.stderr, *ends])


def run(command: list[str | Path], seconds: float) -> subprocess.CompletedProcess[str]:
    """Run a torture to its end; one that takes longer is ended with its servers. Raises AssertionError for that."""
    own = {name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"}  # it is no worker
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=own, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except BaseException as fault:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            if not isinstance(fault, subprocess.TimeoutExpired):
                raise
            raise AssertionError(f"it did not end within {seconds:g} s:\n{out}\n{err}") from None
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def tortured(limit: str, amount: float, *options: str, accepted: int) -> dict[str, Any]:
    """Torture, longer and longer until so many messages were accepted, and some of each kind; nothing may be found.

    Returns the report.
    """
    report: dict[str, Any] = {}
    for factor in (1, 4, 12):
        command = [ROOT / "scripts" / "torture", limit, str(amount * factor), "--json", *options]
        # A minute, or a round of troubles, and as long as it takes to come to an end.
        seconds = 900 + 60 * amount * factor
        ran = run(command, seconds)
        assert ran.returncode == 0, told(ran)
        report = json.loads(ran.stdout)
        assert (report["findings"], report["texts"]) == ({}, [])
        numbers = report["numbers"]
        if numbers[ACCEPTED] >= accepted and all(numbers.get(name) for name in TRIED):
            break
    return report


def test_a_short_torture_of_two_replicas_on_postgres_finds_nothing(tmp_path: Path) -> None:
    """Whatever there is befalls them and their database once, while agents send and subscribers follow."""
    report = tortured("--rounds", 1, "--database", "postgres", "--replicas", "2", "--kill-seconds", "8", accepted=100)
    numbers, left_out = report["numbers"], set(report["left_out"])
    if given_url():
        assert left_out == {"the database crashed", "the database restarted", "the database's disk full"}
    else:
        assert left_out == (set() if may_have_one(tmp_path) else {"the database's disk full"})
    happened = {name.removeprefix("trouble: ") for name, count in numbers.items() if count}
    assert TROUBLES - happened == left_out
    assert numbers["kills"] >= 1
    assert numbers[ACCEPTED] >= 100
    assert all(numbers.get(name) for name in TRIED)
    assert numbers["subscribers resumed"] > 0


def test_a_short_torture_finds_nothing() -> None:
    """Some thousand messages, a kill about every second: nothing lost, nothing twice, and all of it was tried."""
    numbers = tortured("--minutes", 0.5, "--messages", "20000", "--kill-seconds", "1", accepted=200)["numbers"]
    assert numbers["kills"] >= 2
    accepted = numbers[ACCEPTED]
    assert accepted >= 200
    assert numbers["messages in the log"] >= accepted
    assert numbers["messages consumed in the end"] > 0
    assert numbers["calls that were repeated until answered"] > 0
    assert all(numbers.get(name) for name in TRIED)
    assert numbers["subscribers resumed"] > 0
    assert numbers["rows compared with the fold of the log"] > accepted
