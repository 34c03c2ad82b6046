"""A stop from outside becomes an exception of ours; a cancellation of somebody else's stays one."""

import asyncio

import pytest
from kinpost_client import RunCancelled, RunLeaseLost
from kinpost_client.stop import Stop


class Guarded:
    """A context that a stop interrupts, as a run is."""

    def __init__(self) -> None:
        self.stop = Stop()
        self.entered = asyncio.Event()

    async def __aenter__(self) -> None:
        self.stop.watch_current_task()
        self.entered.set()

    async def __aexit__(self, kind, error, traceback) -> None:
        stopped = await self.stop.settle(error)
        if stopped is not None:
            raise stopped from None

    async def work(self, body) -> None:
        """Run the body inside."""
        async with self:
            await body()


async def forever() -> None:
    """Wait until interrupted."""
    await asyncio.Event().wait()


async def test_a_stopped_task_gets_the_first_error_and_is_no_longer_cancelled():
    guarded = Guarded()

    async def task() -> tuple[BaseException, int]:
        with pytest.raises(RunCancelled) as caught:
            await guarded.work(forever)
        current = asyncio.current_task()
        assert current is not None
        return caught.value, current.cancelling()

    running = asyncio.create_task(task())
    await guarded.entered.wait()
    first = RunCancelled("run:cancelled: enough")
    guarded.stop.stop(first)
    guarded.stop.stop(RunLeaseLost())

    assert await running == (first, 0)


async def test_a_cancellation_of_somebody_elses_stays_one():
    guarded = Guarded()
    running = asyncio.create_task(guarded.work(forever))
    await guarded.entered.wait()

    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_cancellation_beside_a_stop_goes_first():
    guarded = Guarded()
    running = asyncio.create_task(guarded.work(forever))
    await guarded.entered.wait()

    guarded.stop.stop(RunCancelled())
    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_stop_that_comes_as_the_work_ends_does_not_strike_later():
    guarded = Guarded()
    stopped = RunCancelled()

    async def body() -> None:
        guarded.stop.stop(stopped)  # from another task's callback, say: nothing is awaited after it

    async def task() -> str:
        with pytest.raises(RunCancelled):
            await guarded.work(body)
        done = asyncio.Event()
        asyncio.get_running_loop().call_soon(done.set)
        await done.wait()  # a cancellation that was still on its way would come here
        return "went on"

    assert await asyncio.create_task(task()) == "went on"


async def test_after_it_is_settled_a_stop_interrupts_nothing():
    guarded = Guarded()

    async def nothing() -> None:
        pass

    async def task() -> str:
        await guarded.work(nothing)
        guarded.stop.stop(RunCancelled())
        done = asyncio.Event()
        asyncio.get_running_loop().call_soon(done.set)
        await done.wait()
        return "went on"

    assert await asyncio.create_task(task()) == "went on"


async def test_what_the_body_makes_of_a_stop_does_not_hide_it():
    guarded = Guarded()

    async def body() -> None:
        try:
            await forever()
        except asyncio.CancelledError:
            raise OSError("the tool broke off") from None

    running = asyncio.create_task(guarded.work(body))
    await guarded.entered.wait()
    guarded.stop.stop(RunCancelled())

    with pytest.raises(RunCancelled):
        await running
