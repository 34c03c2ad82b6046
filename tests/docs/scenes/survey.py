"""A tree in which a lead is at work, has asked a person twice, and a scout has mail that nobody has taken yet."""

import asyncio
import os
from pathlib import Path

from kinpost_client import connect
from kinpost_client.errors import ApprovalPending


async def main() -> None:
    admin = Path("kinpost-data/admin.token").read_text().strip()
    async with connect(os.environ["KINPOST_ADDRESS"], token=admin) as client:
        lead = await client.create_session(
            "lead", description="Plans the survey of the house", message_rules={"child": "ask"}
        )
        root, rules = lead.session_id, {"parent": "allow"}
        scout = await client.create_session(
            *("scout",),
            parent_session_id=root,
            description="Looks into the cellar",
            message_rules=rules,
            starter="wake",
        )
        scribe = await client.create_session("scribe", parent_session_id=root, without_handle=True, starter="wake")
        # Its one slot is taken by the lead's run, so that it is offered nothing.
        async with client.runtime("survey", slots=1) as runtime, runtime.start(root) as run:
            async for _ in run.turns():
                for to, body in (
                    (scout.session_id, "Look into the cellar too.\nAnd the attic."),
                    (scribe.session_id, "Write it down."),
                ):
                    try:
                        await run.send(to, body, approval_wait_seconds=0)
                    except ApprovalPending:
                        continue
                await client.send_user_message(scout.session_id, "Be quick about it.")
                print("ready", flush=True)
                await asyncio.Event().wait()


asyncio.run(main())
