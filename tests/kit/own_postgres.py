"""A PostgreSQL server of one test's own, to be stopped and starved; and the way to a shared one through a cable.

It listens on 127.0.0.1, on a port that the kernel chose when it was made and that is held for it, so that whoever was
connected finds it again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg
from cable import Cable
from ports import hold_port
from postgres_server import ROLE, PostgresServer, connected, make_folder, run, start, watch_over
from small_disk import SmallDisk
from sqlalchemy.engine import URL, make_url

# Small, and with what a crash costs: whatever is not flushed by a commit stays in memory as long as it can.
OPTIONS = (
    "-c fsync=off -c max_connections=100 -c shared_buffers=16MB -c wal_writer_delay=10s -c autovacuum=off "
    "-c unix_socket_directories='' -c listen_addresses=127.0.0.1 -c log_min_messages=warning -c lc_messages=C"
)
DISK_FULL = "No space left on device"


class OwnPostgres:
    """Started by entering it; `options` are more of the server's, as `-c name=value`.

    `disk_bytes` is the size of a disk of its own, which not every machine lets us have.
    """

    def __init__(self, options: str = "", *, disk_bytes: int = 0) -> None:
        self._options = f"{OPTIONS} {options}"
        self._disk_bytes = disk_bytes
        self._disk: SmallDisk | None = None

    def __enter__(self) -> Self:
        self.folder, self._binaries = make_folder()
        watch_over({"folder": str(self.folder), "bin": str(self._binaries)})
        self._held = hold_port()
        self.port = self._held.getsockname()[1]
        try:
            if self._disk_bytes:
                self._move_to_disk()
            self.start()
            self.execute("CREATE DATABASE kinpost TEMPLATE template0 ENCODING 'UTF8'")
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        with contextlib.suppress(subprocess.SubprocessError):
            self.stop()
        self._held.close()
        if self._disk is not None:
            self._disk.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _move_to_disk(self) -> None:
        aside, data = self.folder / "aside", self.data
        data.rename(aside)
        data.mkdir(mode=0o700)
        self._disk = SmallDisk(data, self._disk_bytes)
        subprocess.run([*self._disk.within, "cp", "-a", f"{aside}/.", data], check=True)
        shutil.rmtree(aside)

    def fill_disk(self) -> None:
        """Leave it no room on its disk. To be called again: what it gives back meanwhile is room."""
        disk = os.statvfs(self.data)
        if not disk.f_bavail:
            return
        used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
        assert self._disk is not None
        self._disk.resize(used, check=False)  # refused when it has taken more in between

    def free_disk(self) -> None:
        """Give it its whole disk again."""
        assert self._disk is not None
        self._disk.resize(self._disk_bytes)

    @property
    def full_count(self) -> int:
        """How often it has logged that its disk is full."""
        return self.log.read_text(errors="replace").count(DISK_FULL)

    @property
    def serves(self) -> bool:
        """Whether its first process lives."""
        try:
            os.kill(self.process_id, 0)
        except (OSError, IndexError):
            return False
        return True

    @property
    def data(self) -> Path:
        """The cluster's folder, as we see it."""
        return self._disk.folder if self._disk is not None else self.folder / "data"

    @property
    def _within(self) -> tuple[str, ...]:
        return self._disk.within if self._disk is not None else ()

    @property
    def log(self) -> Path:
        """What it logged."""
        return self.folder / "log"

    @property
    def server_url(self) -> URL:
        """The way in, without a database."""
        return make_url(f"postgresql://{ROLE}@127.0.0.1:{self.port}/postgres")

    @property
    def url(self) -> str:
        """The service's database, empty at first."""
        return f"postgresql+psycopg://{ROLE}@127.0.0.1:{self.port}/kinpost"

    @property
    def process_id(self) -> int:
        """The process that all others descend from."""
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def start(self) -> None:
        """Start it, after a crash too, and wait until it serves."""
        start(self.folder, self._binaries, f"{self._options} -c port={self.port}", self._within)

    def stop(self, mode: str = "immediate") -> None:
        """Stop it: `fast` cuts everybody off first, `immediate` is a crash."""
        run(*self._within, self._binaries / "pg_ctl", "-D", self.folder / "data", "-m", mode, "-w", "stop")

    def execute(self, sql: str) -> None:
        """Run a statement."""
        PostgresServer(self.server_url, "").execute(sql)


def cable_to(url: str) -> Cable:
    """Return a cable to the server of a database; `through` gives the URL that leads through it."""
    parsed = make_url(url)
    host = parsed.host or str(parsed.query.get("host", "127.0.0.1"))
    port = parsed.port or 5432
    return Cable(f"{host}/.s.PGSQL.{port}" if host.startswith("/") else f"{host}:{port}")


def through(cable: Cable, url: str) -> str:
    """Return the URL of the same database through a cable. Nothing is encrypted, so that the cable can read along."""
    host, _, port = cable.address.rpartition(":")
    parsed = make_url(url)
    query = {name: value for name, value in parsed.query.items() if name != "host"}
    query |= {"sslmode": "disable", "gssencmode": "disable"}
    return parsed.set(host=host, port=int(port), query=query).render_as_string(hide_password=False)


def answers(url: str) -> bool:
    """Whether a database lets us in."""
    try:
        with connected(url):
            return True
    except psycopg.OperationalError:
        return False


def cut_off_all(url: str) -> int:
    """Have the server end all connections to a database; return how many it could tell so."""
    with connected(url) as connection:
        cursor = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
            "AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        return sum(ended for (ended,) in cursor.fetchall())


def cut_off_one(url: str, number: int) -> int:
    """Have the server end one connection to a database, whichever has this place among them; return how many it did."""
    with connected(url) as connection:
        cursor = connection.execute(
            "WITH other AS (SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
            "AND backend_type = 'client backend' AND pid <> pg_backend_pid()) "
            "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM other ORDER BY pid "
            "OFFSET %s %% greatest(1, (SELECT count(*) FROM other)) LIMIT 1) AS one",
            [number],
        )
        return sum(ended for (ended,) in cursor.fetchall())
