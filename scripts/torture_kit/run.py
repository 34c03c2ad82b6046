"""The run: a server, its killer, clients and subscribers; then peace, and the reckoning."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvloop
from cable import Cable
from kinpost.v1 import session_pb2, token_pb2
from kinpost_server.domain.errors import StorageUnavailable
from own_postgres import cable_to, through
from ports import hold_port
from postgres_server import VARIABLE
from rich.console import Console

from torture_kit.approvers import Approver
from torture_kit.callers import Caller
from torture_kit.clocks import Clocks
from torture_kit.cutting import CUTS
from torture_kit.followers import Follower, Seen
from torture_kit.history import History
from torture_kit.journal import Journal
from torture_kit.outages import database
from torture_kit.peers import Peer
from torture_kit.people import Person
from torture_kit.plugins import NAME, Plugin
from torture_kit.projections import check_projections
from torture_kit.promises import check_promises
from torture_kit.reckoning import Reckoning
from torture_kit.report import Report
from torture_kit.runtimes import Runtime
from torture_kit.troubles import Rounds, Stage, kills
from torture_kit.upgrading import Upgrade
from torture_kit.victim import Victim
from torture_kit.world import World, make_token

RUNTIMES = 3
PEERS = 6
TREES = 3
AGENTS_OF_A_TREE = 7
IMPATIENCE = 0.02
REPETITION = 0.03
DRAIN_SECONDS_MAX = 180.0
REACH_SECONDS_MAX = 60.0
# What the server logs when it had to mend something, or failed inside.
FAULTS_LOGGED = frozenset(
    {
        "internal_error",
        "service_command_failed",
        "committer_fault",
        "follower_fault",
        "retention_fault",
        "log_lost_its_end",
        "reconciliation_mended",
        "store_failed",
    }
)


def main(root: Path) -> int:
    """Torture and return 0 when nothing was found, 1 for a finding. The data folder is kept on a finding."""
    parser = argparse.ArgumentParser(prog="torture", description=__doc__)
    parser.add_argument(
        "--minutes", type=float, help="for how long messages are sent (default 1, or as the other limits need)"
    )
    parser.add_argument("--messages", type=int, help="how many messages are to be accepted (default: no limit)")
    parser.add_argument("--rounds", type=int, help="end once every trouble came so often (default: no limit)")
    parser.add_argument("--kill-seconds", type=float, default=4.0, help="mean time from serving to a kill (default 4)")
    parser.add_argument(
        "--database",
        choices=["sqlite", "postgres"],
        default="sqlite",
        help=f"postgres: one that is started for it, or of the server that {VARIABLE} names; it has its own troubles",
    )
    parser.add_argument("--replicas", type=int, default=1, help="how many servers share the database (default 1)")
    parser.add_argument("--seed", type=int, help="of all choices; the timing stays its own (default: a random one)")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the tables")
    options = parser.parse_args()
    if options.replicas < 1 or (options.replicas > 1 and options.database == "sqlite"):
        parser.error("only PostgreSQL is shared by several replicas: --database postgres --replicas 2")
    if options.rounds is not None and (options.rounds < 1 or options.database == "sqlite"):
        parser.error("only PostgreSQL has rounds of troubles, one or more: --database postgres --rounds 1")
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    limited = options.messages is not None or options.rounds is not None
    minutes = options.minutes or (24 * 60.0 if limited else 1.0)
    folder = Path(tempfile.mkdtemp(prefix="kinpost-torture-"))
    plan = Plan(seed, options.messages or 1 << 62, minutes, options.kill_seconds)
    with contextlib.ExitStack() as ending:
        torture = Torture(folder, plan)
        if options.database == "postgres":
            _put_on_postgres(torture, plan, options, folder, ending)
        report = uvloop.run(torture.run())
    if options.json:
        print(report.as_json())
    else:
        report.print(Console())
    if report.findings:
        print(f"torture: {sum(report.findings.values())} findings; the data is kept in {folder}", file=sys.stderr)
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    return 0


def _put_on_postgres(
    torture: Torture, plan: Plan, options: argparse.Namespace, folder: Path, ending: contextlib.ExitStack
) -> None:
    """Give a torture a database and everything that may befall replicas and it."""
    # A round takes about a minute.
    given = ending.enter_context(database(folder, options.minutes or options.rounds or plan.minutes))
    clocks, upgrade = Clocks(folder), Upgrade(folder / "newer")
    troubles = [*CUTS, *given.troubles, *clocks.troubles, upgrade.trouble]
    rounds = Rounds(troubles, rounds_max=options.rounds or 0)
    plan.database_url, plan.replicas, plan.database_fails = given.url, options.replicas, True
    plan.trouble, plan.left_out = rounds.befall, given.left_out
    torture.prepare = lambda torture: clocks.give(torture.victims)
    torture.goes_on = lambda: rounds.wanted


@dataclass(slots=True)
class Plan:
    """What is done, for how long, and to whom."""

    seed: int
    messages_max: int
    minutes: float
    kill_seconds: float = 4.0
    database_url: str = ""  # empty for SQLite, in the folder
    replicas: int = 1
    trouble: Callable[[Stage], Coroutine[Any, Any, None]] = kills
    database_fails: bool = False  # so that servers may say so
    clocks_differ: bool = False  # so that each replica mends what fell due by the other's
    left_out: dict[str, str] = field(default_factory=dict)  # kinds of trouble that cannot be had, and why


class Torture:
    """One run over a fresh folder."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self._plan = plan
        self.prepare: Callable[[Torture], None] = lambda _torture: None  # called before the servers are started
        self.goes_on: Callable[[], bool] = lambda: True  # asked beside the plan
        self._journal = Journal()
        self._folder = folder
        self.victims: list[Victim] = []
        self._cables: list[Cable] = []
        self._address = ""
        self._world = World(self._journal, plan.messages_max, self._is_wanted)
        self._history = History(self._journal.found)
        self._callers: list[Caller] = []
        self._followers: list[Follower] = []

    def _is_wanted(self) -> bool:
        return self.goes_on()

    async def run(self) -> Report:
        """Do it all, and return what was done and found."""
        begin = time.monotonic()
        report = Report(self._plan.seed, left_out=self._plan.left_out)
        async with contextlib.AsyncExitStack() as ending:
            await self._start(ending)
            try:
                await self._torture()
            finally:
                for caller in self._callers:
                    await caller.close()
                for victim in self.victims:
                    await victim.stop()
        database_url = self._plan.database_url or self.victims[0].database_url
        rows = check_projections(database_url, self._journal.found, drained=True)
        check_promises(self._journal, self._history)
        for victim in self.victims:
            self._read_log(victim)
        report.numbers["seconds"] = round(time.monotonic() - begin, 1)
        report.take_journal(self._journal, [seconds for victim in self.victims for seconds in victim.start_seconds])
        report.take_history(self._history)
        report.numbers["subscribers"] = len(self._followers)
        report.numbers["subscribers resumed"] = sum(follower.resumed for follower in self._followers)
        report.numbers["rows compared with the fold of the log"] = rows
        return report

    async def _start(self, ending: contextlib.AsyncExitStack) -> None:
        plan = self._plan
        for number in range(plan.replicas):
            name = "server" if number == 0 else f"server-{number + 1}"
            way = ""
            if plan.database_url:
                cable = await ending.enter_async_context(cable_to(plan.database_url))
                self._cables.append(cable)
                way = through(cable, plan.database_url)
            self.victims.append(Victim(self._folder, self._journal, name=name, database_url=way))
            self.victims[-1].may_give_up = plan.database_fails
            held = ending.enter_context(hold_port())
            self.victims[-1].address = "127.0.0.1:{1}".format(*held.getsockname())
        self.prepare(self)
        await asyncio.gather(*(victim.start() for victim in self.victims))
        self._address = "ipv4:" + ",".join(victim.address for victim in self.victims)

    async def _torture(self) -> None:
        journal, world, rng = self._journal, self._world, self._rng
        admin = self._caller(self.victims[0].admin_token, "admin")
        runtimes = await self._make_runtimes(admin)
        trees = rng("trees")
        for number in range(TREES):
            await world.make_tree(runtimes[number % RUNTIMES].caller, AGENTS_OF_A_TREE, trees)
        person = Person(admin, world, rng("person"))
        others = await self._make_others(admin)
        self._make_followers()
        world.end_time = time.monotonic() + 60 * self._plan.minutes
        for caller in self._callers:
            caller.impatience, caller.repetition = IMPATIENCE, REPETITION
        living: list[Person | Runtime] = [person, *runtimes]
        tasks = [asyncio.create_task(self._guarded(one.live())) for one in living]
        writing = [asyncio.create_task(self._guarded(one.live())) for one in others]  # they end by themselves
        following = [asyncio.create_task(self._guarded(follower.live())) for follower in self._followers]
        stage = Stage(
            self.victims,
            self._cables,
            self._plan.database_url,
            journal,
            rng("killer"),
            self._plan.kill_seconds,
            lambda: world.goes_on,
        )
        await self._guarded(self._plan.trouble(stage))
        while world.goes_on:  # noqa: ASYNC110 - a clock and a count end it: nobody sets an event
            await asyncio.sleep(0.1)
        expected = [
            Seen(session_id=follower.seen.session_id, root_session_id=follower.seen.root_session_id)
            for follower in self._followers
        ]
        await asyncio.gather(*writing)
        reckoning = Reckoning(admin, journal, self._history, expected)
        await reckoning.landed()
        await self._drain(person)
        for caller in self._callers:
            await caller.settled()
        await self._end(tasks)
        await reckoning.catch_up()
        self._history.finish()
        for follower, seen in zip(self._followers, expected, strict=True):
            await follower.reach(seen.position, REACH_SECONDS_MAX)
            follower.compare(seen)
        await self._end(following)

    def _rng(self, name: str) -> random.Random:
        return random.Random(f"{self._plan.seed}-{name}")  # noqa: S311 - choices to be repeated, no secrets

    def _caller(self, token: str, name: str) -> Caller:
        made = Caller(self._address, token, self._journal, self._rng(name))
        self._callers.append(made)
        return made

    async def _make_runtimes(self, admin: Caller) -> list[Runtime]:
        runtimes = []
        for number in range(RUNTIMES):
            name = f"runtime-{number}"
            secret = await make_token(admin, token_pb2.TOKEN_KIND_RUNTIME)
            caller = self._caller(secret, name)
            any_session = number > 0
            runtimes.append(Runtime(caller, self._world, name, self._rng(f"{name}-own"), any_session=any_session))
        return runtimes

    async def _make_others(self, admin: Caller) -> list[Peer | Plugin | Approver]:
        """Return those beside agents and people: who writes by peer routes, who by registration, and who decides."""
        world = self._world
        peers = [await make_token(admin, token_pb2.TOKEN_KIND_PEER, session_ids=world.places) for _ in range(PEERS)]
        plugin = await make_token(admin, token_pb2.TOKEN_KIND_PLUGIN, plugin_name=NAME)
        approver = await make_token(admin, token_pb2.TOKEN_KIND_APPROVER)
        return [
            *(
                Peer(self._caller(peer, f"peer-{number}"), world, f"peer-{number}", self._rng(f"peer-{number}-own"))
                for number, peer in enumerate(peers)
            ),
            Plugin(self._caller(plugin, "plugin"), world, self._rng("plugin-own")),
            Approver(self._caller(approver, "approver"), world, self._rng("approver-own")),
        ]

    def _make_followers(self) -> None:
        """Let some follow everything, some a tree, some a session."""
        scopes: dict[str, dict[str, str]] = {"all-1": {}, "all-2": {}}
        for number, root in enumerate(self._world.peers):
            scopes[f"tree-{number}"] = {"root_session_id": root}
            scopes[f"session-{number}"] = {"session_id": self._world.peers[root][-1].session_id}
        for name, scope in scopes.items():
            caller = self._caller(self.victims[0].admin_token, f"follower-{name}")
            self._followers.append(Follower(caller, self._journal, name, self._rng(f"{name}-own"), **scope))

    async def _guarded(self, life: Coroutine[Any, Any, None]) -> None:
        """Let a fault of our own clients be a finding too."""
        try:
            await life
        except Exception as fault:  # noqa: BLE001 - whatever it is, it must be seen
            self._journal.found("client", "".join(traceback.format_exception(fault)))

    async def _drain(self, person: Person) -> None:
        """Wait until all mail is delivered and no session runs."""
        end = time.monotonic() + DRAIN_SECONDS_MAX
        waiting = list(self._world.places)
        while waiting and time.monotonic() < end:
            looks = [(session_id, await person.look(session_id)) for session_id in self._world.places]
            waiting = [i for i, look in looks if look.pending_count or look.state == session_pb2.SESSION_STATE_RUNNING]
            await asyncio.sleep(0.2)
        for session_id in waiting:
            text = f"{session_id} has mail or runs {DRAIN_SECONDS_MAX:.0f} s after the last message"
            self._journal.found("not drained", text)

    @staticmethod
    async def _end(tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _read_log(self, victim: Victim) -> None:
        """Report what the server logged of its own faults: its words for them, and stacks but for one kind of gRPC's.

        gRPC prints one when the caller of a unary call has gone before its answer was sent; nobody is left to be told.
        """
        stack: list[str] = []
        for line in [*victim.log.read_text().splitlines(), ""]:
            if stack and not line.startswith(" "):
                if "ExecuteBatchError" not in line:
                    self._journal.found("server", f"it logged {stack[0]} … {line[:300]}")
                stack = []
            elif stack:
                stack.append(line)
            elif "Traceback" in line:
                stack = [line[:300]]
            elif _named(line) in FAULTS_LOGGED and not self._is_to_be_expected(line):
                self._journal.found("server", f"it logged {line[:300]}")

    def _is_to_be_expected(self, line: str) -> bool:
        if self._plan.clocks_differ and _named(line) == "reconciliation_mended":
            return True
        return self._plan.database_fails and _is_of_the_store(line)


def _named(line: str) -> str:
    try:
        return str(json.loads(line).get("event", ""))
    except (ValueError, AttributeError):
        return line


def _is_of_the_store(line: str) -> bool:
    """Whether a line says no more than that the database was away."""
    said = json.loads(line)
    away = f"{StorageUnavailable.__module__}.{StorageUnavailable.__name__}"
    return bool(said["event"] == "store_failed" or said.get("kinds") == [away])
