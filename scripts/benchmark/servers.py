"""The processes under measurement: the real server and the echo, each on a free port of the loopback."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmark.databases import Databases

START_SECONDS_MAX = 60

# The guards are opened so that senders never wait for readers: what is measured is acceptance.
SETTINGS = {
    "KINPOST_MESSAGING__MAX_PENDING_PER_SESSION": "1000000",
    "KINPOST_MESSAGING__MAX_INFLIGHT_PER_PAIR": "0",
    # Agents that are not called for a while, as while a long log is written, still have their runs.
    "KINPOST_DELIVERY__RUN_LEASE_SECONDS": "86400",
    "KINPOST_LOG__LEVEL": "error",
}


@dataclass
class Process:
    """A server that is ready."""

    process: subprocess.Popen[str]
    target: str
    token: str = ""
    database_url: str = ""  # empty for the file in its own data folder

    def stop(self) -> None:
        """End it, and wait for its end."""
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def memory_bytes(self) -> int:
        """How much of it is resident."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


def start_echo() -> Process:
    """Start the yardstick."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmark.echo"], stdout=subprocess.PIPE, text=True, env=_env({})
    )
    assert process.stdout is not None
    port = process.stdout.readline().strip()
    return Process(process, f"127.0.0.1:{port}")


def start_kinpost(folder: Path, database_url: str = "", token: str = "") -> Process:
    """Start the real server over a data folder, or over a database; `token` is the admin's where another made it."""
    ready = folder / "ready"
    ready.unlink(missing_ok=True)
    command = [
        str(Path(sys.executable).parent / "kinpost"),
        "serve",
        "--listen=127.0.0.1:0",
        "--no-http-enabled",
        f"--data={folder}",
        f"--ready-file={ready}",
    ]
    if database_url:
        command.append(f"--storage-database-url={database_url}")
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, text=True, env=_env(SETTINGS))
    deadline = time.monotonic() + START_SECONDS_MAX
    while not (ready.exists() and ready.read_text().strip()):
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise SystemExit("the server did not start")
        time.sleep(0.05)
    token = token or (folder / "admin.token").read_text().strip()
    return Process(process, ready.read_text().strip(), token, database_url)


@contextmanager
def served(kind: Databases) -> Iterator[Process]:
    """A server over a new database of its own; all of it is gone afterwards."""
    url = kind.make()
    try:
        with joining(url) as server:
            yield server
    finally:
        kind.drop(url)


@contextmanager
def joining(url: str, token: str = "") -> Iterator[Process]:
    """A server over a database that may have others; `token` is the admin's where one of those made it."""
    with tempfile.TemporaryDirectory(prefix="kinpost-bench-") as folder:
        server = start_kinpost(Path(folder), url, token)
        try:
            yield server
        finally:
            server.stop()


def _env(settings: dict[str, str]) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KINPOST_")}
    return clean | settings | {"PYTHONPATH": str(Path(__file__).parent.parent)}
