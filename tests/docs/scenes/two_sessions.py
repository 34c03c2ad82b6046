"""Two sessions of different trees, which nobody runs: an editor and a builder."""

import asyncio
import os
from pathlib import Path

from kinpost_client import connect


async def main() -> None:
    admin = Path("kinpost-data/admin.token").read_text().strip()
    async with connect(os.environ["KINPOST_ADDRESS"], token=admin) as client:
        for agent in ("editor", "builder"):
            await client.create_session(agent)
    print("ready", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
