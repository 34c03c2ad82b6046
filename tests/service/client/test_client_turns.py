"""What becomes of a turn's mail: kept, given back, or in the next turn."""

import pytest
from kinpost_client import Mode, Outcome, Owner, RecipientState, StopReason, TurnLeftOpen
from kinpost_client.calls import Calls

CLAIMS = (
    "producer_messages_claimed",
    "producer_messages_released",
    "turn_committed",
    "run_finished",
)


async def offered(runtime, soon):
    """The next offer."""
    return await soon(anext(runtime.offers()))


async def test_mail_arrives_as_objects(tree, runtime, soon):
    async with runtime.start(tree.parent.session_id) as run:
        async for _ in run.turns():
            sent = await run.send(tree.child.handle, "look left", tool_call_id="call_1")
            own_run_id = run.run_id

    async with runtime.run(await offered(runtime, soon)) as run:
        turns = [turn async for turn in run.turns()]

    assert sent.recipient_state is RecipientState.QUEUED
    (turn,) = turns
    (mail,) = turn.mail
    assert (mail.message_id, mail.owner, mail.mode, mail.body) == (
        sent.message_id,
        Owner.AGENT,
        Mode.STEER,
        "look left",
    )
    assert (mail.sender.session_id, mail.sender.handle, mail.sender.run_id) == (
        tree.parent.session_id,
        tree.parent.handle,
        own_run_id,
    )
    assert mail.sender.tool_call_id is not None
    assert mail.sender.tool_call_id.endswith(":call_1")
    assert mail.text.startswith(f'<agent_message from="{tree.parent.handle}">\nlook left\n')
    assert turn.prompt == mail.text
    assert (mail.agent_hop, mail.delivery_count) == (0, 1)
    assert 0 <= mail.age_seconds < 60


async def test_going_on_keeps_the_turn_with_one_call_each(tree, runtime, soon, monkeypatch):
    called = []
    unary = Calls.unary

    async def counted(self, method, request, **options):
        called.append(type(request).__name__)
        return await unary(self, method, request, **options)

    await tree.admin.send_user_message(tree.child.session_id, "begin")
    offer = await offered(runtime, soon)
    monkeypatch.setattr(Calls, "unary", counted)
    async with runtime.run(offer) as run:
        async for turn in run.turns():
            if turn.number < 3:
                turn.more()
    monkeypatch.undo()

    called = [name for name in called if name != "HeartbeatRequest"]  # as time goes by
    assert called == ["StartRunRequest", "ClaimMessagesRequest", "ClaimMessagesRequest", "FinishRunRequest"]
    assert run.outcome is Outcome.COMPLETED
    assert await tree.kinds(tree.child, *CLAIMS) == [
        *("producer_messages_claimed", "turn_committed") * 3,
        "run_finished",
    ]


async def test_a_failed_model_request_gives_the_mail_back_and_fails_the_run(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")

    run = runtime.run(await offered(runtime, soon))

    async def body() -> None:
        async with run:
            async for _ in run.turns():
                raise OSError("the model is away")

    with pytest.raises(OSError, match="the model is away"):
        await body()

    assert run.outcome is Outcome.FAILED
    (ended,) = await tree.finished(tree.child)
    assert ended.reason == "OSError: the model is away"
    assert ended.consumed_count == 0
    async with runtime.run(await offered(runtime, soon)) as run:
        async for turn in run.turns():
            assert [(mail.body, mail.delivery_count) for mail in turn.mail] == [("begin", 2)]
    assert (await tree.kinds(tree.child)).count("producer_message_consumed") == 1


async def test_a_failure_after_the_reply_is_kept_consumes_the_mail(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")

    run = runtime.run(await offered(runtime, soon))

    async def body() -> None:
        async with run:
            async for turn in run.turns():
                turn.more()
                raise OSError("the tool broke")

    with pytest.raises(OSError, match="the tool broke"):
        await body()

    (ended,) = await tree.finished(tree.child)
    assert (run.outcome, ended.consumed_count) == (Outcome.FAILED, 1)
    assert (await tree.state_of(tree.child)).pending_count == 0


async def test_mail_given_back_comes_with_the_next_turn_of_the_same_run(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")
    seen = []

    async with runtime.run(await offered(runtime, soon)) as run:
        async for turn in run.turns():
            seen += [(turn.number, mail.body, mail.delivery_count) for mail in turn.mail]
            if turn.number == 1:
                await turn.release("the model is busy")
                await turn.release("once more")

    assert seen == [(1, "begin", 1), (2, "begin", 2)]
    assert await tree.kinds(tree.child, *CLAIMS) == [
        "producer_messages_claimed",
        "producer_messages_released",
        "producer_messages_claimed",
        "turn_committed",
        "run_finished",
    ]


async def test_steer_mail_is_in_the_next_turn_and_in_none_before(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")
    bodies = []

    async with runtime.run(await offered(runtime, soon)) as run:
        async for turn in run.turns():
            bodies.append([mail.body for mail in turn.mail])
            if turn.number == 1:
                accepted = await tree.admin.send_user_message(tree.child.session_id, "turn left")
                turn.more()
            if turn.number == 2:
                turn.more()

    assert accepted.recipient_state is RecipientState.RUNNING
    assert bodies == [["begin"], ["turn left"], []]


async def test_steer_mail_that_comes_during_the_last_turn_goes_on_with_the_run(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")
    bodies = []

    async with runtime.run(await offered(runtime, soon)) as run:
        async for turn in run.turns():
            bodies.append([mail.body for mail in turn.mail])
            if turn.number == 1:
                await tree.admin.send_user_message(tree.child.session_id, "one more thing")
                await tree.admin.send_user_message(tree.child.session_id, "later", mode="queue")

    assert bodies == [["begin"], ["one more thing"]]
    async with runtime.run(await offered(runtime, soon)) as later:
        bodies = [[mail.body for mail in turn.mail] async for turn in later.turns()]
    assert (later.number, bodies) == (2, [["later"]])


async def test_a_committed_turn_is_settled_at_once_and_once(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")

    async with runtime.run(await offered(runtime, soon)) as run:
        async for turn in run.turns():
            await turn.commit()
            await turn.commit()
            assert (await tree.kinds(tree.child))[-2:] == ["turn_committed", "producer_message_consumed"]

    assert await tree.kinds(tree.child, "turn_committed", "run_finished") == ["turn_committed", "run_finished"]


async def test_leaving_the_loop_with_a_kept_turn_completes_the_run(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")

    async with runtime.run(await offered(runtime, soon)) as run:
        async for turn in run.turns():
            turn.keep()
            break

    (ended,) = await tree.finished(tree.child)
    assert (run.outcome, ended.consumed_count) == (Outcome.COMPLETED, 1)


async def test_leaving_the_loop_inside_a_turn_of_which_nothing_was_said_is_an_error(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")

    run = runtime.run(await offered(runtime, soon))

    async def body() -> None:
        async with run:
            async for _ in run.turns():
                break

    with pytest.raises(TurnLeftOpen, match="call keep"):
        await body()

    (ended,) = await tree.finished(tree.child)
    assert (run.outcome, ended.consumed_count) == (Outcome.FAILED, 0)
    assert (await tree.state_of(tree.child)).pending_count == 1


async def test_leaving_after_giving_back_completes_the_run_and_the_mail_waits(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")

    async with runtime.run(await offered(runtime, soon)) as run:
        async for turn in run.turns():
            await turn.release()
            break

    assert run.outcome is Outcome.COMPLETED
    assert (await tree.state_of(tree.child)).pending_count == 1


async def test_a_run_left_without_a_turn_loses_no_mail(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")

    async with runtime.run(await offered(runtime, soon)) as run:
        pass

    assert run.outcome is Outcome.COMPLETED
    assert (await tree.state_of(tree.child)).pending_count == 1
    async with runtime.run(await offered(runtime, soon)) as run:
        assert [turn.mail[0].body async for turn in run.turns()] == ["begin"]


async def test_a_settled_turn_takes_no_more_words(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")
    turns = []

    async with runtime.run(await offered(runtime, soon)) as run:
        async for turn in run.turns():
            turns.append(turn)
            if turn.number == 1:
                turn.more()
                with pytest.raises(RuntimeError, match="is kept"):
                    await turn.release()
            elif turn.number == 2:
                with pytest.raises(RuntimeError, match="has gone on"):
                    turns[0].keep()
                await turn.release()
                for word in (turn.keep, turn.more):
                    with pytest.raises(RuntimeError, match="was given back"):
                        word()
        with pytest.raises(RuntimeError, match="asked for once"):
            await anext(run.turns())

    assert len(turns) == 3


async def test_a_paused_session_tells_its_run_and_gets_no_more_mail(tree, runtime, soon):
    await tree.admin.send_user_message(tree.child.session_id, "begin")
    seen = []

    async with runtime.run(await offered(runtime, soon)) as run:
        async for turn in run.turns():
            seen.append((turn.stop_reason, [mail.body for mail in turn.mail]))
            if turn.number == 1:
                await tree.approver.set_availability(tree.child.session_id, "paused", reason="lunch")
                await tree.admin.send_user_message(tree.child.session_id, "held")
                turn.more()

    assert seen == [(None, ["begin"]), (StopReason.NOT_OPEN, [])]
    assert (await tree.state_of(tree.child)).pending_count == 1
    await tree.approver.set_availability(tree.child.session_id, "open")
    async with runtime.run(await offered(runtime, soon)) as run:
        assert [turn.mail[0].body async for turn in run.turns()] == ["held"]
