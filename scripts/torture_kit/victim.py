"""The server under torture: `kinpost serve` in a process of its own, killed at random moments and started again."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from kinpost_server.store.opening import sqlite_url

from torture_kit.journal import Journal

START_SECONDS_MAX = 60.0
END_SECONDS_MAX = 60.0
NO_DATABASE = 3  # the exit code of a server that starts without one
READY = "kinpost listening on "

# Short leases and pauses, so that all of them happen in a minute; opened guards, so that they are met but not always;
# small checkpoints and claims, so that there are many.
SETTINGS = {
    "KINPOST_SERVER__LINGER_SECONDS": "0.001",
    "KINPOST_STORAGE__CHECKPOINT_PAGES": "200",
    "KINPOST_MESSAGING__MAX_HOPS": "0",
    "KINPOST_MESSAGING__MAX_PENDING_PER_SESSION": "400",
    "KINPOST_MESSAGING__MAX_INFLIGHT_PER_PAIR": "120",
    "KINPOST_APPROVALS__EXPIRE_SECONDS": "4",
    "KINPOST_PEER__CALLS_MAX": "10",
    "KINPOST_PEER__WINDOW_SECONDS": "8",
    "KINPOST_PRODUCERS__LEASE_SECONDS": "4",
    "KINPOST_DELIVERY__RUN_LEASE_SECONDS": "4",
    "KINPOST_DELIVERY__HEARTBEAT_SECONDS": "1",
    "KINPOST_DELIVERY__OFFER_SECONDS": "3",
    "KINPOST_DELIVERY__OFFER_RETRY_SECONDS": "0.1",
    "KINPOST_DELIVERY__OFFER_RETRY_MAX_SECONDS": "1",
    "KINPOST_DELIVERY__FAILING_DELAY_SECONDS": "0.05",
    "KINPOST_DELIVERY__FAILING_DELAY_MAX_SECONDS": "1",
    "KINPOST_DELIVERY__CLAIM_BYTES_MAX": "20000",
    "KINPOST_DELIVERY__RECONCILE_SECONDS": "3",
    "KINPOST_EVENTS__HEARTBEAT_SECONDS": "2",
    "KINPOST_LOG__LEVEL": "warning",
    "KINPOST_LOG__FORMAT": "json",
}


class Victim:
    """A server over one data folder, and another's database where a URL is given.

    The first start chooses its port; later ones keep it. `within` is a command that runs the server as its last
    arguments say, `settings` are more of the environment's.
    """

    def __init__(self, folder: Path, journal: Journal, *, name: str = "server", database_url: str = "") -> None:
        self.name = name
        self.data = folder / ("data" if name == "server" else f"data of {name}")
        self.database_url = database_url or sqlite_url(self.data / "kinpost.db")
        self.within: tuple[str | Path, ...] = ()
        self.settings = SETTINGS | ({"KINPOST_STORAGE__DATABASE_URL": database_url} if database_url else {})
        self.log = folder / f"{name}.log"
        self.address = "127.0.0.1:0"
        self.start_seconds: list[float] = []
        self._journal = journal
        self._process: asyncio.subprocess.Process | None = None
        self._expected_end = False
        self._ready = False
        self.lock = asyncio.Lock()  # of whoever ends and starts it, or wants nobody to
        self.may_give_up = False  # where its database may go away while it starts

    @property
    def admin_token(self) -> str:
        """The secret that the server wrote at its first start."""
        return (self.data / "admin.token").read_text().strip()

    @property
    def serves(self) -> bool:
        """Whether it has said that it is ready, and lives."""
        return self._ready and self._process is not None and self._process.returncode is None

    async def start(self) -> bool:
        """Start it and wait until it serves; return False when it was killed before that."""
        begin = time.monotonic()
        self._expected_end = self._ready = False
        clean = {name: value for name, value in os.environ.items() if not name.startswith("KINPOST_")}
        with self.log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(*self.within, Path(sys.executable).with_name("kinpost")),
                *("serve", "--data", self.data, "--listen", self.address, "--no-http-enabled"),
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=clean | self.settings,
                cwd=self.data.parent,
            )
        self._process = process
        assert process.stdout is not None
        try:
            async with asyncio.timeout(START_SECONDS_MAX):
                line = (await process.stdout.readline()).decode()
        except TimeoutError:
            line = ""
            self._journal.found("server", f"not ready after {START_SECONDS_MAX:.0f} s")
        if line.startswith(READY):
            self.address = line.removeprefix(READY).strip()
            self.start_seconds.append(time.monotonic() - begin)
            self._ready = True
            return True
        code = await process.wait()
        if not self._expected_end and self.may_give_up and code == NO_DATABASE:
            self._journal.tally["starts given up without a database"] += 1
        elif not self._expected_end:
            self._journal.found("server", f"ended by itself while it started, with {code}: see {self.log.name}")
        return False

    async def kill(self) -> None:
        """End it with SIGKILL, in the middle of whatever it does."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> None:
        """End it gracefully."""
        code = await self._end(signal.SIGTERM)
        if code != 0:
            self._journal.found("server", f"ended with {code} after SIGTERM")

    async def _end(self, number: int) -> int | None:
        process = self._process
        if process is None:
            return None
        # Without a database it gives up while it starts: that is for whoever starts it to tell.
        gave_up = not self._ready and self.may_give_up and process.returncode == NO_DATABASE
        if process.returncode is not None and not self._expected_end and not gave_up:
            self._journal.found("server", f"ended by itself, with {process.returncode}: see {self.log.name}")
        self._expected_end = True
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
        try:
            async with asyncio.timeout(END_SECONDS_MAX):
                return await process.wait()
        except TimeoutError:
            self._journal.found("server", f"did not end within {END_SECONDS_MAX:.0f} s of signal {number}")
            process.kill()
            return await process.wait()


async def kill_often(
    victim: Victim, journal: Journal, rng: random.Random, mean_seconds: float, go_on: Callable[[], bool]
) -> None:
    """Kill the server at random moments, also while it starts, and start it again, as long as `go_on`.

    The pauses between "it serves" and the kill are of any length up to twice this mean.
    """
    while go_on():
        await pause(rng.uniform(0, 2 * mean_seconds), go_on)
        async with victim.lock:
            if not go_on():
                return
            await victim.kill()
            journal.tally["kills"] += 1
            while not await _started(victim, journal, rng):
                pass


async def _started(victim: Victim, journal: Journal, rng: random.Random) -> bool:
    """Start the server, and now and then kill it before it serves; return whether it does."""
    starting = asyncio.create_task(victim.start())
    if rng.random() < 0.2:
        usual = victim.start_seconds[-1]
        await asyncio.wait([starting], timeout=rng.uniform(0.3, 1.0) * usual)
        if not starting.done():
            await victim.kill()
            journal.tally["kills"] += 1
            journal.tally["kills while it started"] += 1
            await starting  # what it said may be on its way still
            return False
    return await starting


async def pause(seconds: float, go_on: Callable[[], bool]) -> None:
    """Wait, for no longer than it goes on."""
    end = time.monotonic() + seconds
    while go_on() and time.monotonic() < end:  # noqa: ASYNC110 - a clock and a count end it: nobody sets an event
        await asyncio.sleep(min(0.1, max(0.0, end - time.monotonic())))
