"""Stops: by a person, by the service, by the program itself, and in every moment of a run."""

import asyncio

import pytest
from kinpost_client import Outcome, RunCancelled, RunEnded
from kinpost_client.errors import (
    RunNotActive,
)


async def offered(runtime, soon):
    """The next offer."""
    return await soon(anext(runtime.offers()))


async def test_a_person_stops_a_run_and_its_task_gets_run_cancelled(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")
    asking, interrupted = asyncio.Event(), []
    run = runtime.run(await offered(runtime, soon))

    async def body() -> None:
        async with run:
            async for _ in run.turns():
                asking.set()
                try:
                    await asyncio.Event().wait()  # a model that never answers
                except asyncio.CancelledError:
                    interrupted.append("in the model's call")
                    raise

    working = asyncio.create_task(body())
    await soon(asking.wait())
    session = await tree.approver.cancel_run(tree.child.session_id, reason="enough")
    with pytest.raises(RunCancelled):
        await soon(working)

    assert interrupted == ["in the model's call"]
    assert working.cancelling() == 0
    assert (run.outcome, session.availability, session.pending_count) == (Outcome.CANCELLED, "paused", 1)
    await tree.approver.set_availability(tree.child.session_id, "open")
    async with runtime.run(await offered(runtime, soon)) as again:
        assert [turn.mail[0].delivery_count async for turn in again.turns()] == [2]


async def test_a_call_of_a_cancelled_run_says_so_itself(tree, runtime, soon):
    run = runtime.start(tree.parent.session_id)

    async def body() -> None:
        async with run:
            run.stop = lambda _: None  # the notice is slower than the run's next call
            async for _ in run.turns():
                await tree.host.cancel_run(tree.parent.session_id, reason="by its own runtime")

    with pytest.raises(RunCancelled, match="by its own runtime"):
        await body()

    assert run.outcome is Outcome.CANCELLED
    assert (await tree.state_of(tree.parent)).availability == "open"


async def test_a_stop_that_comes_while_the_run_is_being_ended_counts_when_it_goes_on(tree, runtime, soon, monkeypatch):
    run = runtime.start(tree.parent.session_id)
    turns = []
    finish = run._calls.finish

    async def finish_and_be_cancelled(*arguments, **options):
        answer = await finish(*arguments, **options)
        # The answer is on its way while the run is cancelled, and the notice of that is faster.
        await tree.host.cancel_run(tree.parent.session_id)
        run.stop(RunCancelled())
        return answer

    monkeypatch.setattr(run._calls, "finish", finish_and_be_cancelled)

    async def body() -> None:
        async with run:
            async for turn in run.turns():
                turns.append(turn.number)
                await tree.admin.send_user_message(tree.parent.session_id, "one more thing")

    with pytest.raises(RunCancelled):
        await soon(body())

    assert (turns, run.outcome) == ([1], Outcome.CANCELLED)


async def test_a_cancelled_task_interrupts_its_run_and_the_mail_comes_again(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")
    asking = asyncio.Event()
    run = runtime.run(await offered(runtime, soon))

    async def body() -> None:
        async with run:
            async for _ in run.turns():
                asking.set()
                await asyncio.Event().wait()

    working = asyncio.create_task(body())
    await soon(asking.wait())
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await soon(working)

    assert run.outcome is Outcome.INTERRUPTED
    async with runtime.run(await offered(runtime, soon)) as again:
        assert [turn.mail[0].body async for turn in again.turns()] == ["begin"]


async def test_leaving_a_runtime_breaks_off_its_runs(tree, soon):
    asking = asyncio.Event()

    async def body(run) -> None:
        async with run:
            async for _ in run.turns():
                asking.set()
                await asyncio.Event().wait()

    async with tree.host.runtime("south", agents=["lead"], slots=2) as runtime:
        run = runtime.start(tree.parent.session_id)
        working = asyncio.create_task(body(run))
        await soon(asking.wait())

    assert working.cancelled()
    assert run.outcome is Outcome.INTERRUPTED
    assert (await tree.state_of(tree.parent)).state == "interrupted"


async def test_a_start_that_is_cancelled_on_its_way_leaves_no_run(tree, runtime, soon, monkeypatch):
    starts, started = asyncio.Event(), asyncio.Event()
    run = runtime.start(tree.parent.session_id)
    start = run._start

    async def slow() -> None:
        starts.set()
        await start()
        started.set()

    monkeypatch.setattr(run, "_start", slow)
    entering = asyncio.create_task(run.__aenter__())
    await soon(starts.wait())
    entering.cancel()
    with pytest.raises(asyncio.CancelledError):
        await soon(entering)

    assert started.is_set()
    assert run.outcome is Outcome.INTERRUPTED
    async with runtime.start(tree.parent.session_id) as another:
        assert another.number == 2


async def test_a_childs_end_that_comes_out_of_its_parents_body_fails_the_parent(tree, runtime, soon):
    run = runtime.start(tree.parent.session_id)

    async def body() -> None:
        async with run:
            async for turn in run.turns():
                turn.keep()
                async with runtime.start(tree.child.session_id) as child_run:
                    async for _ in child_run.turns():
                        await tree.host.cancel_run(tree.child.session_id)
                        await asyncio.Event().wait()

    with pytest.raises(RunCancelled):
        await soon(body())

    assert run.outcome is Outcome.FAILED
    assert (await tree.state_of(tree.parent)).state == "failed"


async def test_an_ended_run_takes_no_calls(tree, runtime):
    async with runtime.start(tree.parent.session_id) as run:
        async for _ in run.turns():
            pass

    with pytest.raises(RunNotActive) as ended:
        await run.send(tree.child.handle, "too late")
    assert isinstance(ended.value, RunEnded)
