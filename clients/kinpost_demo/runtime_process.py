"""One runtime in a process of its own: it hosts some agents and reports, line by line, what their models see.

Its parent writes JSON lines to its standard input: first where and what it is, then the places whose survey may end.
It ends when that input does.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections import defaultdict
from typing import Any

from kinpost_client import connect

from kinpost_demo.agents import RULES, Host


def report(kind: str, **facts: Any) -> None:
    """Write one line to the parent."""
    sys.stdout.write(json.dumps({"kind": kind, **facts}) + "\n")
    sys.stdout.flush()


class Orders:
    """What the parent says."""

    def __init__(self) -> None:
        self._lines = asyncio.StreamReader()
        self._done: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    async def open(self) -> None:
        """Begin to read standard input."""
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(self._lines), sys.stdin)

    async def next(self) -> dict[str, Any] | None:
        """Return the next line, None at the end."""
        line = await self._lines.readline()
        return json.loads(line) if line else None

    async def follow(self) -> None:
        """Carry out what is said until the parent goes."""
        while (order := await self.next()) is not None:
            self._done[order["surveyed"]].set()

    async def survey(self, place: str) -> str:
        """Return what a survey finds, once the parent lets it end."""
        await self._done[place].wait()
        return f"{place}: 12 crates, dry"


async def work() -> None:
    """Attach and run until the parent closes our input."""
    orders = Orders()
    await orders.open()
    life = await orders.next()
    assert life is not None
    async with (
        connect(life["address"], token=life["token"]) as client,
        client.runtime(life["name"], agents=life["agents"], any_session=life["any_session"], slots=4) as runtime,
    ):
        root = None
        if life["root"]:
            root = await client.create_session(
                life["root"], message_rules=RULES[life["root"]], description="Leads the survey."
            )
        report("ready", root_session_id=root.session_id if root else "", handle=root.handle if root else "")
        serving = asyncio.create_task(runtime.serve(Host(report, orders.survey)))
        following = asyncio.create_task(orders.follow())
        await asyncio.wait([serving, following], return_when=asyncio.FIRST_COMPLETED)
        serving.cancel()
        await asyncio.wait([serving])
        if not serving.cancelled():
            serving.result()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(name)s %(message)s")
    asyncio.run(work())
