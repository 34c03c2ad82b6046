"""Two replicas on one database: what the client makes of the death of one."""

from __future__ import annotations

from kinpost_client import Outcome


async def offered(runtime, soon):
    """The next offer."""
    return await soon(anext(runtime.offers()))


async def test_a_run_goes_on_at_the_other_whichever_is_killed_and_offers_come_too(replica_processes, spread_tree, soon):
    tree = spread_tree
    bodies, woken = [], []
    async with tree.host.runtime("north", agents=["lead", "explore"], slots=4) as runtime:
        await tree.admin.send_user_message(tree.child.session_id, "begin")
        async with runtime.run(await offered(runtime, soon)) as run:
            async for turn in run.turns():
                bodies.append([mail.body for mail in turn.mail])
                if turn.number > len(replica_processes):
                    continue
                replica = replica_processes[turn.number - 1]
                await replica.kill()
                await tree.admin.send_user_message(tree.child.session_id, f"without {turn.number}")
                await tree.admin.send_user_message(tree.parent.session_id, "wake up")
                async with runtime.run(await offered(runtime, soon)) as other:
                    woken += [[mail.body for mail in one.mail] async for one in other.turns()]
                await replica.start()
                turn.more()
    assert run.outcome is Outcome.COMPLETED
    assert (bodies, woken) == ([["begin"], ["without 1"], ["without 2"]], [["wake up"]] * 2)
    counted = await tree.kinds(tree.child, "producer_message_accepted", "producer_message_consumed", "run_started")
    assert sorted(counted) == sorted(["producer_message_accepted", "producer_message_consumed"] * 3 + ["run_started"])


async def test_a_subscription_goes_on_at_the_other_with_neither_hole_nor_repeat(replica_processes, spread_tree, soon):
    tree = spread_tree
    seen = []

    async def followed() -> None:
        while True:
            event = await soon(anext(events))
            seen.append(event.position)
            if event.type == "producer_message_accepted":
                return

    await tree.approver.set_availability(tree.child.session_id, "paused")
    async with tree.admin.subscribe(root_session_id=tree.parent.session_id) as events:
        await tree.admin.send_user_message(tree.child.session_id, "before")
        await followed()
        for replica in replica_processes:
            await replica.kill()
            await tree.admin.send_user_message(tree.child.session_id, "meanwhile")
            await followed()
            await replica.start()
    listed = [event.position async for event in tree.admin.list_events(root_session_id=tree.parent.session_id)]
    assert seen == listed
