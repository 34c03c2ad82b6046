"""Which tests run on less than every database: as many as are known here, each with a reason."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from deployments import AS_REPLICAS_TOO, POSTGRES, REPLICAS, SQLITE

# How many marks a module has. Another one is worth a thought: what the service does must not depend on its database.
MARKS: Mapping[str, int] = {
    "engine/test_approvals.py": 1,
    "faults/test_damaged_log.py": 1,
    "faults/test_full_disk.py": 1,
    "faults/test_locked_database.py": 1,
    "service/cli/test_cli_commands.py": 1,
    "service/peers/test_peer_replay.py": 2,
    "service/test_approval_waits.py": 3,
    "service/test_availability.py": 1,
    "service/test_backup.py": 1,
    "service/test_doctor_command.py": 1,
    "service/test_process.py": 1,
    "service/test_producer_races.py": 3,
    "service/test_retention.py": 5,
    "service/test_secrets.py": 1,
    "service/test_subscription_crowd.py": 2,
    "service/test_subscription_resumption.py": 1,
    "service/test_wake_attachments.py": 3,
    "service/test_wake_offers.py": 6,
}
REASON_WORDS_MIN = 4


def marks(source: str) -> list[tuple[int, tuple[object, ...], str]]:
    """Line, deployments and reason of each mark of a module."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.only"):
            reason = next((keyword.value for keyword in node.keywords if keyword.arg == "because"), None)
            text = reason.value if isinstance(reason, ast.Constant) else ""
            found.append((node.lineno, tuple(getattr(each, "value", None) for each in node.args), str(text)))
    return found


def faulty_marks(files: Mapping[str, str]) -> list[str]:
    """Marks that name no deployment or no reason."""
    return [
        f"{path}:{line}: {deployments}, {reason!r}"
        for path, source in files.items()
        if path.startswith("tests/") and path.endswith(".py")
        for line, deployments, reason in marks(source)
        if not deployments
        or not set(deployments) <= {SQLITE, POSTGRES, REPLICAS}
        or len(reason.split()) < REASON_WORDS_MIN
    ]


def marks_by_module(files: Mapping[str, str]) -> dict[str, int]:
    """How many marks each module has that has any."""
    counts = Counter(
        {
            path: len(marks(source))
            for path, source in files.items()
            if path.startswith("tests/") and path.endswith(".py")
        }
    )
    return {path.removeprefix("tests/"): count for path, count in sorted(counts.items()) if count}


def test_each_mark_names_a_deployment_and_a_reason(repository_files):
    assert faulty_marks(repository_files) == []


def test_a_mark_without_a_reason_is_found():
    files = {
        "tests/unit/test_a.py": "@pytest.mark.only('sqlite')\ndef test_a(): ...\n",
        "tests/unit/test_b.py": "@pytest.mark.only(because='it is so for a reason')\ndef test_b(): ...\n",
        "tests/unit/test_c.py": "@pytest.mark.only('oracle', because='it is so for a reason')\ndef test_c(): ...\n",
        "tests/unit/test_d.py": "@pytest.mark.only('sqlite', because='it is so for a reason')\ndef test_d(): ...\n",
    }
    assert [fault.partition(":")[0] for fault in faulty_marks(files)] == list(files)[:3]


def test_no_more_is_kept_from_a_database_than_is_known(repository_files):
    assert marks_by_module(repository_files) == dict(MARKS)


def test_a_new_mark_is_counted():
    mark = "@pytest.mark.only('sqlite', because='it is so for a reason')\ndef test_{}(): ...\n"
    files = {"tests/unit/test_a.py": mark.format("a") + mark.format("b"), "server/a.py": mark.format("c")}
    assert marks_by_module(files) == {"unit/test_a.py": 2}


def test_what_runs_as_replicas_too_is_there(repository: Path):
    assert [place for place in AS_REPLICAS_TOO if not (repository / "tests" / place).is_file()] == []
