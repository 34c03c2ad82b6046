"""`kinpost events` as a stream: Ctrl-C, a reader that leaves, a server that goes and comes again."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import Any

import pytest
from commands import CommandLine


class Follower:
    """A command that follows, line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.seen: list[dict[str, Any]] = []

    async def until(self, fits: Any) -> None:
        """Read on to an event that fits."""
        assert self.process.stdout is not None
        try:
            async with asyncio.timeout(60):
                while line := await self.process.stdout.readline():
                    self.seen.append(json.loads(line))
                    if fits(self.seen[-1]):
                        return
        except TimeoutError:
            raise AssertionError(f"nothing that fits came; the last: {self.seen[-3:]}") from None
        assert self.process.stderr is not None
        raise AssertionError(f"the command ended: {(await self.process.stderr.read()).decode()}")

    async def interrupt(self) -> tuple[int, str, str]:
        """Press Ctrl-C; returns exit code and what else was written."""
        self.process.send_signal(signal.SIGINT)
        async with asyncio.timeout(60):
            out, err = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, out.decode(), err.decode()


def accepted(body: str) -> Any:
    """Whether an event is the acceptance of this body."""
    return lambda event: event.get("producerMessageAccepted", {}).get("body") == body


async def test_ctrl_c_ends_following_cleanly_and_the_cursor_goes_on_behind_it(kinpost, server):
    session = await server.admin.session()
    await server.admin.user(session, "one")
    follower = Follower(await kinpost.start("events", "--follow", "--json", "--show-cursor"))
    await follower.until(accepted("one"))
    await server.admin.user(session, "two")
    await follower.until(accepted("two"))
    code, out, err = await follower.interrupt()
    assert (code, out) == (130, "")
    assert err.startswith("kinpost: go on with --after ")
    await server.admin.user(session, "three")
    rest = (await kinpost.did("events", "--json", "--after", err.split()[-1])).objects
    assert [each["position"] for each in follower.seen + rest] == [
        each["position"] for each in (await kinpost.did("events", "--json")).objects
    ]
    assert accepted("three")(rest[-1])


@pytest.mark.parametrize("options", [["--json"], []])
async def test_ctrl_c_says_nothing_and_leaves_no_traceback(kinpost, server, options):
    await server.admin.session()
    process = await kinpost.start("events", "--follow", *options)
    assert process.stdout is not None
    async with asyncio.timeout(60):
        assert await process.stdout.readline()
    assert await Follower(process).interrupt() == (130, "", "")


async def test_a_reader_that_leaves_ends_the_command_quietly(kinpost, server):
    session = await server.admin.session()
    for _ in range(8):  # more than a pipe holds, or the command would never learn of it
        await server.admin.user(session, "x" * 100_000)
    for options in ([], ["--json"], ["--follow", "--json"]):
        process = await kinpost.start("events", *options)
        assert process.stdout is not None
        async with asyncio.timeout(60):
            assert await process.stdout.readline()
            process._transport.get_pipe_transport(1).close()
            err = await process.stderr.read()
            assert (await process.wait(), err) == (141, b"")


@pytest.fixture
async def far_kinpost(process, tmp_path):
    """The command line of a server in a process of its own."""
    async with CommandLine(tmp_path, process.address, process.folder) as made:
        yield made


async def test_following_outlives_the_server_without_hole_or_repeat(process, far_kinpost):
    kinpost = far_kinpost
    session = await process.admin.session()
    follower = Follower(await kinpost.start("events", "--follow", "--from-now", "--json"))
    # from-now begins when the server says so: what is sent until then may be missed, so it is sent until one is seen
    watching = asyncio.create_task(follower.until(lambda event: "producerMessageAccepted" in event))
    while not watching.done():
        await process.admin.user(session, "first")
        await asyncio.wait([watching], timeout=0.2)
    await watching
    for number, end in enumerate((process.kill, None, process.kill)):
        if end is not None:
            await end()
        await process.restart()
        await process.admin.user(session, f"after {number}")
        await follower.until(accepted(f"after {number}"))
    code, _, err = await follower.interrupt()
    assert code == 130
    assert err.count("nothing is lost") == err.count("kinpost: the server answers again") >= 3
    assert "Traceback" not in err
    positions = [int(each["position"]) for each in follower.seen]
    stored = (await kinpost.did("events", "--json")).objects
    assert positions == [int(each["position"]) for each in stored if int(each["position"]) >= positions[0]]
    assert positions == list(range(positions[0], positions[-1] + 1))
