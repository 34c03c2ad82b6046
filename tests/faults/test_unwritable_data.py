"""Data that the server may not use: it says so at once, names the data, and touches nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

DROP_CAPABILITY = 24  # PR_CAPBSET_DROP of prctl(2)
DAC_OVERRIDE, DAC_READ_SEARCH = 1, 2  # what lets root ignore permissions; see capabilities(7)


# Before it becomes the program that its arguments name, which permissions then concern, also as root. It is no fork of
# this process, since gRPC, which this process may be using, breaks what is forked.
_OBEY_PERMISSIONS = f"""
import ctypes, os, sys
for capability in ({DAC_OVERRIDE}, {DAC_READ_SEARCH}):
    ctypes.CDLL(None).prctl({DROP_CAPABILITY}, capability, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
OBEYING = [sys.executable, "-I", "-S", "-c", _OBEY_PERMISSIONS] if os.getuid() == 0 else []


def command(folder: Path) -> list[str | Path]:
    """A server over the folder `data` in it."""
    ports = ["--listen", "127.0.0.1:0", "--no-http-enabled"]
    return [Path(sys.executable).with_name("kinpost"), "serve", "--data", folder / "data", *ports]


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose `data` a server has made and left."""
    folder = tmp_path_factory.mktemp("used")
    with subprocess.Popen(command(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("kinpost listening on ")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 0
    return folder


def the_file_may_only_be_read(data: Path) -> None:
    (data / "kinpost.db").chmod(0o444)


def the_file_may_not_even_be_read(data: Path) -> None:
    (data / "kinpost.db").chmod(0)


def the_folder_may_only_be_read(data: Path) -> None:
    data.chmod(0o555)


def the_folder_may_not_be_entered(data: Path) -> None:
    data.chmod(0)


def the_lock_may_only_be_read(data: Path) -> None:
    (data / "kinpost.db.lock").chmod(0o444)


def a_folder_is_in_the_place_of_the_file(data: Path) -> None:
    (data / "kinpost.db").unlink()
    (data / "kinpost.db").mkdir()


def the_file_is_no_database(data: Path) -> None:
    (data / "kinpost.db").write_bytes(b"This is a letter, not a database. " * 500)


@pytest.mark.parametrize(
    "spoil",
    [
        the_file_may_only_be_read,
        the_file_may_not_even_be_read,
        the_folder_may_only_be_read,
        the_folder_may_not_be_entered,
        the_lock_may_only_be_read,
        a_folder_is_in_the_place_of_the_file,
        the_file_is_no_database,
    ],
)
def test_a_server_that_may_not_use_its_data_ends_at_once_and_says_why(
    used: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    data = tmp_path / "data"
    shutil.copytree(used / "data", data)
    spoil(data)
    ran = subprocess.run(
        [*OBEYING, *command(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        timeout=60,
    )
    assert (ran.returncode, ran.stdout) == (3, "")
    last = ran.stderr.splitlines()[-1]
    assert last.startswith(f"kinpost: {data}/kinpost.db: ")
    assert "Traceback" not in ran.stderr
    if "only" in spoil.__name__ or "not" in spoil.__name__:
        data.chmod(0o700)
        for path in data.iterdir():
            path.chmod(0o600)
        assert (data / "kinpost.db").read_bytes() == (used / "data" / "kinpost.db").read_bytes()
