"""Runtimes: offers, slots, stops, and what becomes of their runs."""

import asyncio
import logging

import pytest
from kinpost_client import Outcome
from kinpost_client.errors import (
    Forbidden,
    PermissionDenied,
    RunAlreadyActive,
    RuntimeReplaced,
    SelfSend,
    SessionNotFound,
    UnknownReference,
    WakeSettled,
)


async def offered(runtime, soon):
    """The next offer."""
    return await soon(anext(runtime.offers()))


async def test_serve_runs_as_many_at_once_as_there_are_slots_and_outlives_a_failure(tree, runtime, soon, caplog):
    together, done = asyncio.Barrier(2), asyncio.Queue()
    await tree.admin.send_user_message(tree.parent.session_id, "fail")
    await tree.admin.send_user_message(tree.child.session_id, "work")

    async def handle(run) -> None:
        async for turn in run.turns():
            if turn.mail[0].delivery_count == 1:
                await together.wait()
            if turn.prompt == "fail" and turn.mail[0].delivery_count == 1:
                raise OSError("as told")
            done.put_nowait((turn.prompt, run.number))

    with caplog.at_level(logging.ERROR, "kinpost_client"):
        serving = asyncio.create_task(runtime.serve(handle))
        assert {await soon(done.get()), await soon(done.get())} == {("work", 1), ("fail", 2)}
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving

    assert [record.getMessage() for record in caplog.records if record.name == "kinpost_client"] == [
        f"the run of session {tree.parent.session_id} failed"
    ]


async def test_a_stopped_run_does_not_end_serving(tree, runtime, soon):
    asking, done = asyncio.Event(), asyncio.Queue()

    async def handle(run) -> None:
        async for turn in run.turns():
            if turn.prompt == "hang":
                asking.set()
                await asyncio.Event().wait()
            done.put_nowait(turn.prompt)

    serving = asyncio.create_task(runtime.serve(handle))
    await tree.admin.send_user_message(tree.parent.session_id, "hang")
    await soon(asking.wait())
    await tree.approver.cancel_run(tree.parent.session_id)
    await tree.admin.send_user_message(tree.child.session_id, "work")

    assert await soon(done.get()) == "work"
    serving.cancel()


async def test_an_offer_for_an_agent_that_is_not_run_here_is_given_back(tree, soon):
    async with tree.host.runtime("south", agents=["lead"], slots=4):
        await tree.admin.send_user_message(tree.child.session_id, "begin")
        failed = await tree.until(tree.child, "wake_failed")

    assert failed.payload.reason == "declined: this runtime does not run explore"


async def test_an_offer_beyond_the_slots_is_given_back_and_comes_when_there_is_room(tree, soon):
    async with tree.host.runtime("south", agents=["lead", "explore"], slots=2) as runtime:
        async with runtime.start(tree.parent.session_id) as delegating:
            more = await delegating.delegate("explore", first_message="go", starter="delegator")
            async with runtime.start(more.session_id) as child_run:
                await tree.admin.send_user_message(tree.child.session_id, "begin")
                requested = await tree.until(tree.child, "wake_requested")
                assert [turn.mail[0].body async for turn in child_run.turns()] == ["go"]
        async with runtime.run(await offered(runtime, soon)) as run:
            assert [turn.mail[0].body async for turn in run.turns()] == ["begin"]
        settled = await tree.until(tree.child, "wake_settled")

    assert settled.payload.wake_id == requested.payload.wake_id


async def test_declining_offers_the_session_to_another_runtime(tree, runtime, soon):
    async with tree.host.runtime("south", agents=["explore"], slots=1) as other:
        await tree.admin.send_user_message(tree.child.session_id, "begin")
        first = asyncio.ensure_future(anext(runtime.offers()))
        second = asyncio.ensure_future(anext(other.offers()))
        await soon(asyncio.wait([first, second], return_when=asyncio.FIRST_COMPLETED))
        declining, accepting, waiting = (runtime, other, second) if first.done() else (other, runtime, first)
        offer = (first if first.done() else second).result()

        await declining.decline(offer, "busy", retry_after_seconds=0.01)

        again = await soon(waiting)
        assert (again.wake_id, again.offer_number) == (offer.wake_id, 2)
        async with accepting.run(again) as run:
            assert [turn.number async for turn in run.turns()] == [1]


async def test_an_offer_that_was_withdrawn_is_not_handed_out(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")
    await tree.until(tree.child, "wake_offered")
    # A delegator starts the session itself: the offer is settled by that run.
    async with runtime.start(tree.child.session_id) as run:
        assert [turn.mail[0].body async for turn in run.turns()] == ["begin"]
    await tree.admin.send_user_message(tree.parent.session_id, "next")

    assert (await offered(runtime, soon)).session_id == tree.parent.session_id


async def test_the_loser_of_a_race_to_start_gets_wake_settled(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")
    offer = await offered(runtime, soon)
    async with runtime.start(tree.child.session_id) as run:
        late = runtime.run(offer)
        with pytest.raises(WakeSettled):
            await late.__aenter__()
        with pytest.raises(RunAlreadyActive):
            await runtime.start(tree.child.session_id).__aenter__()
        async for _ in run.turns():
            pass

    assert run.outcome is Outcome.COMPLETED


async def test_the_same_runtime_attached_anew_ends_the_earlier_attachment(tree, runtime, link, server, soon):
    elsewhere = await link(server.address, tree.secret)
    async with elsewhere.runtime("north", agents=["lead", "explore"], slots=4) as newer:
        with pytest.raises(RuntimeReplaced):
            await offered(runtime, soon)
        with pytest.raises(RuntimeReplaced):
            await soon(runtime.serve(lambda _: None))
        await tree.admin.send_user_message(tree.child.session_id, "begin")
        async with newer.run(await offered(newer, soon)) as run:
            assert [turn.prompt async for turn in run.turns()] == ["begin"]


async def test_a_runtime_id_of_another_token_is_refused_on_entering(tree, runtime, link, server):
    stranger = await link(server.address, (await tree.admin.tokens.create("runtime")).secret)
    with pytest.raises(Forbidden, match="belongs to another token"):
        await stranger.runtime("north").__aenter__()


async def test_a_delegator_starts_its_child_itself(tree, runtime):
    """It waits within its call, so that it names no tool call, and is told nothing beside."""
    turns = 0
    async with runtime.start(tree.parent.session_id) as run:
        async for _ in run.turns():
            turns += 1
            child = await run.delegate("explore", first_message="look around", description="Explores.")
            assert (child.state, child.parent_run_id, child.parent_tool_call_id) == ("queued", run.run_id, None)
            async with runtime.start(child.session_id) as child_run:
                bodies = [(turn.mail[0].owner, turn.mail[0].body) async for turn in child_run.turns()]

    assert bodies == [("delegation", "look around")]
    assert turns == 1


async def test_a_delegation_in_the_background_is_reported_as_mail(tree, runtime):
    """To the run that delegated, as long as it goes on; it names its tool call."""
    reports = []
    async with runtime.start(tree.parent.session_id) as run:
        async for turn in run.turns():
            reports += turn.mail
            if turn.number > 1:
                continue
            child = await run.delegate("explore", description="Explores.", tool_call_id="call_7")
            assert child.parent_tool_call_id == f"{turn.claim_seq}:call_7"
            async with runtime.start(child.session_id):
                pass

    (report,) = reports
    assert (report.owner, report.sender.session_id) == ("delegation", child.session_id)
    assert report.sender.tool_call_id == child.parent_tool_call_id
    assert report.text.startswith(f'<delegation_message from="{child.handle}">')


async def test_a_models_tool_call_is_known_by_its_turn(tree, runtime, soon):
    ids = []
    async with runtime.start(tree.parent.session_id) as run:
        async for turn in run.turns():
            call = {"to": tree.child.handle, "body": f"turn {turn.number}"}
            for _ in range(2):
                result = await run.call_tool("send_message", call, tool_call_id="call_1")
                assert not result.is_error
                ids.append(result.structured["message_id"])
            if turn.number == 1:
                turn.more()

    assert ids[0] == ids[1] != ids[2] == ids[3]


async def test_what_a_tool_refuses_is_a_result_and_what_a_send_refuses_is_raised(tree, runtime):
    async with runtime.start(tree.child.session_id) as run:
        async for _ in run.turns():
            refused = await run.call_tool(
                "send_message", '{"to": "explore_00000000", "body": "hello"}', tool_call_id="call_1"
            )
            with pytest.raises(UnknownReference) as unknown:
                await run.send("explore_00000000", "hello")
            with pytest.raises(SelfSend):
                await run.send(tree.child.session_id, "hello")
            with pytest.raises(PermissionDenied):
                await run.send((await run.delegate("explore")).session_id, "hello")

    assert (refused.is_error, refused.code) == (True, "send_message:unknown_reference")
    assert refused.text.startswith("unknown subagent reference")
    assert unknown.value.text == refused.text


async def test_a_run_is_taken_up_by_its_own_id_after_a_crash(tree, runtime, link, server):
    await tree.admin.send_user_message(tree.parent.session_id, "begin")
    crashed = runtime.start(tree.parent.session_id, client_run_id="job-7")
    await crashed.__aenter__()
    async for turn in crashed.turns():
        if turn.number == 1:
            await crashed.send(tree.child.handle, "first", tool_call_id="call_1")
            turn.more()
            await tree.admin.send_user_message(tree.parent.session_id, "more")
        else:
            break
    runtime.left(crashed)  # the program dies here: nothing more is said of the run

    elsewhere = await link(server.address, tree.secret)
    async with (
        elsewhere.runtime("north", agents=["lead"], slots=1) as newer,
        newer.start(tree.parent.session_id, client_run_id="job-7") as run,
    ):
        assert run.run_id == crashed.run_id
        async for turn in run.turns():
            bodies = [(mail.body, mail.delivery_count) for mail in turn.mail]
            # The model uses its id again: it is another turn, so it is another message.
            again = await run.send(tree.child.handle, "second", tool_call_id="call_1")
    async with newer.start(tree.parent.session_id, client_run_id="job-7") as ended:
        assert [turn async for turn in ended.turns()] == []

    assert bodies == [("more", 2)]
    assert not again.replayed
    assert (ended.run_id, ended.outcome) == (run.run_id, Outcome.COMPLETED)


async def test_a_stranger_sees_nothing(tree, runtime, link, server):
    stranger = await link(server.address, (await tree.admin.tokens.create("runtime")).secret)
    async with stranger.runtime("elsewhere") as theirs:
        with pytest.raises(SessionNotFound):
            await theirs.start(tree.parent.session_id).__aenter__()


async def test_a_cancel_that_is_repeated_cancels_no_later_run(tree, server, monkeypatch):
    """Its answer is lost, and another run has begun by the time it is made again."""
    runner = server.client(tree.secret)
    await runner.run(tree.parent)
    unary, later = tree.host._calls.unary, []

    async def repeated(rpc, request):
        answer = await unary(rpc, request)
        if rpc is tree.host._calls.runs.CancelRun:
            later.append(await runner.run(tree.parent))
            answer = await unary(rpc, request)
        return answer

    monkeypatch.setattr(tree.host._calls, "unary", repeated)
    await tree.host.cancel_run(tree.parent.session_id)
    assert (await tree.state_of(tree.parent)).active_run_id == later[0].run_id
