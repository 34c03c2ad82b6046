"""Restarts, cut connections, lost answers, leases: what the client makes of them."""

import asyncio

import grpc
import pytest
from kinpost.v1 import PROTOCOL_VERSION
from kinpost_client import Outcome, Retry, RunLeaseLost
from kinpost_client.errors import CursorOutOfRange, Forbidden, OtherLog, Unauthenticated, Unreachable
from kinpost_server.transport.cursor import cursor_of

SHORT_LEASES = {"delivery": {"run_lease_seconds": 2.0, "heartbeat_seconds": 0.1, "sweep_seconds": 0.05}}


async def offered(runtime, soon):
    """The next offer."""
    return await soon(anext(runtime.offers()))


async def test_a_run_outlives_a_killed_server(process, far_tree, soon):
    tree = far_tree
    async with tree.host.runtime("north", agents=["lead", "explore"], slots=4) as runtime:
        await tree.admin.send_user_message(tree.child.session_id, "begin")
        async with runtime.run(await offered(runtime, soon)) as run:
            bodies = []
            async for turn in run.turns():
                bodies.append([mail.body for mail in turn.mail])
                if turn.number == 1:
                    await tree.admin.send_user_message(tree.child.session_id, "accepted before the kill")
                    await process.kill()
                    sending = asyncio.create_task(run.send(tree.parent.handle, "sent while it is down"))
                    await process.start()
                    sent = await soon(sending)
                    turn.more()
        assert run.outcome is Outcome.COMPLETED
        assert bodies == [["begin"], ["accepted before the kill"]]
        async with runtime.run(await offered(runtime, soon)) as woken:
            assert [[mail.message_id for mail in turn.mail] async for turn in woken.turns()] == [[sent.message_id]]

    consumed = await tree.kinds(tree.child, "producer_message_accepted", "producer_message_consumed", "run_started")
    assert sorted(consumed) == sorted(["producer_message_accepted", "producer_message_consumed"] * 2 + ["run_started"])


async def test_a_subscription_has_neither_hole_nor_repeat_through_a_kill(process, far_tree, soon):
    tree = far_tree
    seen = []

    async def follow(until: int) -> None:
        async for event in events:
            seen.append((event.position, event.type))
            if event.type == "producer_message_accepted":
                until -= 1
            if not until:
                return

    events = tree.admin.subscribe(root_session_id=tree.parent.session_id)
    await tree.approver.set_availability(tree.child.session_id, "paused")
    await tree.admin.send_user_message(tree.child.session_id, "1")
    await soon(follow(1))
    following = asyncio.create_task(follow(3))
    await tree.admin.send_user_message(tree.child.session_id, "2")
    await process.kill()
    sending = asyncio.create_task(tree.admin.send_user_message(tree.child.session_id, "3"))
    await process.start()
    await soon(sending)
    await process.restart()
    await tree.admin.send_user_message(tree.child.session_id, "4")
    await soon(following)
    await events.aclose()

    listed = [
        (event.position, event.type) async for event in tree.admin.list_events(root_session_id=tree.parent.session_id)
    ]
    assert seen == listed
    again = tree.admin.subscribe(root_session_id=tree.parent.session_id, after_cursor=events.cursor)
    async with again:
        await tree.admin.send_user_message(tree.child.session_id, "5")
        # The cursor stands behind the last frame that was seen whole, so it may repeat but skips nothing. How much a
        # frame holds is the server's affair.
        rest = []
        while not rest or rest[-1] != "5":
            event = await soon(anext(again))
            if event.type == "producer_message_accepted":
                rest.append(event.payload.body)
    assert rest == ["1", "2", "3", "4", "5"][-len(rest) :]


async def test_a_cut_attachment_is_opened_anew_and_keeps_its_runs(tree, server, wire_to, link, soon):
    wire = await wire_to(server.address)
    far = await link(wire.address, tree.secret)
    async with far.runtime("north", agents=["lead", "explore"], slots=4) as runtime:
        await tree.admin.send_user_message(tree.child.session_id, "begin")
        async with runtime.run(await offered(runtime, soon)) as run:
            async for turn in run.turns():
                if turn.number == 1:
                    wire.cut()
                    await tree.admin.send_user_message(tree.child.session_id, "more")
                    turn.more()
        await tree.admin.send_user_message(tree.parent.session_id, "next")
        async with runtime.run(await offered(runtime, soon)) as another:
            assert [turn.prompt async for turn in another.turns()] == ["next"]

    assert (run.outcome, run.number) == (Outcome.COMPLETED, 1)
    assert wire.opened >= 2


async def test_a_server_that_is_slow_to_take_a_connection_is_reached(tree, server, wire_to, link, soon):
    """The one that was begun is waited for, and not given up and begun anew."""
    wire = await wire_to(server.address)
    wire.hold_answers()
    client = await link(wire.address, tree.secret)
    calling = asyncio.create_task(client.get_session(tree.parent.session_id))
    done, _ = await asyncio.wait([calling], timeout=2.0)
    assert (done, wire.opened) == (set(), 1)
    wire.let_answers_pass()
    assert (await soon(calling)).session_id == tree.parent.session_id


async def test_a_stop_that_was_missed_is_told_when_the_runtime_attaches_anew(tree, server, wire_to, link, soon):
    wire = await wire_to(server.address)
    far = await link(wire.address, tree.secret)
    async with far.runtime("north", agents=["lead", "explore"], slots=4) as runtime:
        run = runtime.start(tree.parent.session_id)
        asking = asyncio.Event()

        async def body() -> None:
            async with run:
                async for _ in run.turns():
                    asking.set()
                    await asyncio.Event().wait()

        working = asyncio.create_task(body())
        await soon(asking.wait())
        wire.hold_answers()
        await tree.approver.cancel_run(tree.parent.session_id)
        wire.cut()
        wire.let_answers_pass()
        await soon(asyncio.wait([working]))

    assert run.outcome is Outcome.CANCELLED


async def test_twenty_lost_answers_are_one_acceptance(tree, server, wire_to, link, soon):
    wire = await wire_to(server.address)
    far = await link(wire.address, tree.secret, retry=Retry(first_seconds=0.001, max_seconds=0.001))
    async with (
        tree.host.runtime("north", agents=["lead"], slots=1) as runtime,
        runtime.start(tree.parent.session_id) as run,
    ):
        async for turn in run.turns():
            lost = wire.lose(b'"message_id"', 20)
            result = await soon(
                far.call_tool(
                    *(tree.parent.session_id, run.run_id, "send_message"),
                    {"to": tree.child.handle, "body": "once"},
                    tool_call_id=f"{turn.claim_seq}:call_1",
                )
            )

    accepted = [event for event in await tree.log(tree.child) if event.type == "producer_message_accepted"]
    assert [event.payload.message_id for event in accepted] == [result.structured["message_id"]]
    assert len(lost) == 20
    assert all(accepted[0].payload.message_id.encode() in answer for answer in lost)


async def test_each_step_of_a_run_is_taken_once_though_its_answer_is_lost(tree, server, wire_to, link, soon):
    wire = await wire_to(server.address)
    far = await link(wire.address, tree.secret)

    async def losing(event: str, count: int, work):
        """Do it while answers are lost, until it is in the log; then let its repetition through."""
        wire.hold_answers()
        working = asyncio.ensure_future(work)
        await tree.until(tree.child, event, count)
        wire.cut()
        wire.let_answers_pass()
        return await soon(working)

    async with far.runtime("north", agents=["explore"], slots=1) as runtime:
        await tree.admin.send_user_message(tree.child.session_id, "begin")
        run = runtime.run(await offered(runtime, soon))
        turns = run.turns()

        await losing("producer_messages_claimed", 1, run.__aenter__())
        turn = await anext(turns)
        assert turn.prompt == "begin"
        turn.more()
        turn = await losing("producer_messages_claimed", 2, anext(turns))
        await losing("turn_committed", 2, turn.commit())
        await tree.admin.send_user_message(tree.child.session_id, "more")
        turn = await losing("producer_messages_claimed", 3, anext(turns))
        assert turn.prompt == "more"
        await losing("producer_messages_released", 1, turn.release())
        turn = await anext(turns)
        assert (turn.prompt, turn.mail[0].delivery_count) == ("more", 2)
        await losing("run_finished", 1, anext(turns, None))
        await run.__aexit__(None, None, None)

    assert run.outcome is Outcome.COMPLETED
    kinds = ("run_started", "producer_messages_claimed", "turn_committed", "producer_messages_released", "run_finished")
    assert await tree.kinds(tree.child, *kinds) == [
        "run_started",
        *("producer_messages_claimed", "turn_committed") * 2,
        *("producer_messages_claimed", "producer_messages_released"),
        *("producer_messages_claimed", "turn_committed"),
        "run_finished",
    ]


async def test_a_token_whose_secret_was_lost_is_replaced(tree, server, wire_to, link, soon):
    wire = await wire_to(server.address)
    far = await link(wire.address, server.admin_secret)
    before = [token.token_id async for token in far.tokens.list()]

    wire.hold_answers()
    making = asyncio.create_task(far.tokens.create("observer"))
    while [token.token_id async for token in tree.admin.tokens.list()] == before:
        pass
    wire.cut()
    wire.let_answers_pass()
    made = await soon(making)

    lost, kept = [token async for token in far.tokens.list() if token.token_id not in before]
    assert (lost.revoke_time is not None, kept.revoke_time, kept.token_id) == (True, None, made.token_id)
    observer = await link(server.address, made.secret)
    assert [session async for session in observer.list_sessions()]
    await far.tokens.revoke(made.token_id)
    with pytest.raises(Unauthenticated):
        await observer.get_session(tree.parent.session_id)
    assert made.secret not in repr(made)


@pytest.mark.parametrize("overrides", [SHORT_LEASES])
async def test_the_lease_is_renewed_during_a_long_tool_call(tree, link, server, soon):
    silent = await tree.host.create_session("explore", parent_session_id=tree.parent.session_id, starter="wake")
    async with (
        tree.host.runtime("north", agents=["lead", "explore"], slots=4) as runtime,
        runtime.start(tree.parent.session_id) as run,
    ):
        async for turn in run.turns():
            turn.keep()
            # A run that nobody renews begins after ours and lapses: so ours is older than a lease.
            for _ in range(2):
                forgotten = runtime.start(silent.session_id)
                await forgotten.__aenter__()
                runtime.left(forgotten)
                await tree.until(silent, "run_finished", forgotten.number)
            assert (await tree.state_of(tree.parent)).active_run_id == run.run_id

    assert run.outcome is Outcome.COMPLETED
    assert [payload.lease_lost for payload in await tree.finished(silent)] == [True, True]


@pytest.mark.parametrize("overrides", [SHORT_LEASES])
async def test_a_run_whose_lease_lapsed_is_stopped(tree, server, wire_to, link, soon):
    wire = await wire_to(server.address)
    far = await link(wire.address, tree.secret)
    async with far.runtime("north", agents=["explore"], slots=1) as runtime:
        await tree.admin.send_user_message(tree.child.session_id, "begin")
        run = runtime.run(await offered(runtime, soon))
        asking = asyncio.Event()

        async def body() -> None:
            async with run:
                async for _ in run.turns():
                    asking.set()
                    await asyncio.Event().wait()

        working = asyncio.create_task(body())
        await soon(asking.wait())
        # The server is out of reach for longer than the lease.
        wire.hold_answers()
        wire.cut()
        wire.target = ("127.0.0.1", 9)
        await tree.until(tree.child, "run_finished")
        wire.target = (server.address.split(":")[0], int(server.address.split(":")[1]))
        wire.let_answers_pass()
        with pytest.raises(RunLeaseLost):
            await soon(working)

        assert run.outcome is Outcome.INTERRUPTED
        async with runtime.run(await offered(runtime, soon)) as again:
            assert [turn.mail[0].body async for turn in again.turns()] == ["begin"]


async def test_a_server_that_is_not_there_is_said_so(link):
    nobody = await link("127.0.0.1:9", "secret", retry=Retry(give_up_seconds=0))
    with pytest.raises(Unreachable):
        await nobody.server_info()


async def test_a_server_that_comes_later_is_waited_for(process, link, soon):
    await process.kill()
    early = await link(process.address, None)
    asking = asyncio.create_task(early.server_info())
    await process.start()

    assert (await soon(asking)).protocol_version == PROTOCOL_VERSION


@pytest.mark.parametrize(
    "kind, error", [("session", Forbidden), ("observer", None)], ids=["a session's token", "an observer's"]
)
async def test_who_may_follow_a_tree(tree, link, server, soon, kind, error):
    bound = [tree.child.session_id] if kind == "session" else []
    secret = (await tree.admin.tokens.create(kind, session_ids=bound)).secret
    client = await link(server.address, secret)
    events = client.subscribe(root_session_id=tree.parent.session_id)
    if error is not None:
        with pytest.raises(error):
            await soon(anext(events))
    else:
        assert (await soon(anext(events))).type == "session_created"
    await events.aclose()


async def test_a_cursor_of_elsewhere_is_an_error_of_its_own(tree, server, soon):
    beyond = cursor_of(server.engine.log_id, 1 << 40)
    foreign = cursor_of("00000000-0000-7000-8000-000000000000", 1)

    with pytest.raises(CursorOutOfRange):
        await soon(anext(tree.host.subscribe(session_id=tree.child.session_id, after_cursor=beyond)))
    with pytest.raises(OtherLog):
        await soon(anext(tree.host.subscribe(session_id=tree.child.session_id, after_cursor=foreign)))


async def test_a_subscription_that_was_interrupted_goes_on(tree, soon):
    events = tree.host.subscribe(session_id=tree.child.session_id)
    assert (await soon(anext(events))).seq == 1
    waiting = asyncio.ensure_future(anext(events))
    await asyncio.wait([waiting], timeout=0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await tree.admin.send_user_message(tree.child.session_id, "begin")

    assert (await soon(anext(events))).seq == 2
    await events.aclose()


async def test_the_channel_is_the_contexts(tree):
    assert isinstance(tree.host._channel, grpc.aio.Channel)
    await tree.host.__aexit__(None, None, None)
    with pytest.raises(RuntimeError, match="inside of its context"):
        await tree.host.get_session(tree.parent.session_id)
