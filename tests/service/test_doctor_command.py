"""`kinpost doctor` as people and programs run it."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from mail import two

pytestmark = pytest.mark.only(
    "sqlite", because="what is examined is a file; tests/engine examine PostgreSQL's rows as one"
)

KINPOST = Path(sys.executable).with_name("kinpost")


def doctor(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run it."""
    return subprocess.run(
        [KINPOST, "doctor", "--data", folder, *options], capture_output=True, text=True, check=False, timeout=60
    )


def change(folder: Path, statement: str) -> None:
    """Change the database behind everybody's back."""
    with contextlib.closing(sqlite3.connect(folder / "kinpost.db", isolation_level=None)) as connection:
        connection.execute(statement)


async def test_the_data_of_a_running_server_is_examined_as_it_is_at_one_moment(server):
    runtime = await server.make_token("runtime")
    _parent, child, run = await two(runtime)
    for number in range(3):
        await runtime.send(run, child, f"mail {number}")
    told = doctor(server.folder)
    assert (told.returncode, told.stdout) == (0, "sound: 7 events, and every projection is what they make\n")
    assert told.stderr.startswith("kinpost: a server is running on ")
    await server.stop()
    told = doctor(server.folder, "--json")
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")
    await server.start()


async def test_each_difference_is_a_row_for_people_and_an_object_for_programs(server):
    runtime = await server.make_token("runtime")
    parent, child, _run = await two(runtime)
    await server.stop()
    change(server.folder, f"UPDATE session SET depth = 7, agent = '[red]' WHERE depth = {child.depth}")
    told = doctor(server.folder, "--json")
    assert (told.returncode, told.stderr) == (1, "")
    assert [json.loads(line) for line in told.stdout.splitlines()] == [
        {"session_id": child.session_id, "table": "session", "row": "", "column": column, "expected": e, "found": f}
        for column, e, f in (("depth", child.depth, 7), ("agent", child.agent, "[red]"))
    ]
    told = doctor(server.folder)
    assert told.returncode == 1
    heading, *rows, count = told.stdout.splitlines()
    assert heading.split() == ["session", "table", "row", "column", "expected", "found"]
    assert [row.split()[-3:] for row in rows if "session" in row] == [
        ["depth", "1", "7"],
        ["agent", "explore", "[red]"],
    ]
    assert parent.session_id not in told.stdout
    assert count.startswith("2 differences in ")
    await server.start()


def test_data_that_cannot_be_read_has_a_code_of_its_own(tmp_path):
    told = doctor(tmp_path / "nowhere")
    assert (told.returncode, told.stdout) == (3, "")
    assert "nowhere/kinpost.db is not there" in told.stderr
    assert not (tmp_path / "nowhere").exists()
    (tmp_path / "kinpost.db").write_text("no database" * 100)
    told = doctor(tmp_path)
    assert (told.returncode, told.stdout) == (3, "")
    assert "not a database" in told.stderr
    assert doctor(tmp_path, "--nonsense").returncode == 2
