"""The walk of one message, whole: created, sent, woken, claimed, committed, finished, seen."""


async def test_a_message_is_sent_claimed_and_consumed(server, runtime, wire):
    parent = await runtime.session(rules={"child": "allow"}, agent="default")
    child = await runtime.session(parent)
    attached = await runtime.attach(agents=["explore"])
    run = await runtime.run(parent)
    accepted = await runtime.send(run, child.handle, "look at this")
    assert accepted.recipient_state == wire.message.RECIPIENT_STATE_QUEUED
    offer = await attached.told("wake_offer")
    assert (offer.session_id, offer.pending_count, offer.agent) == (child.session_id, 1, "explore")
    started = await runtime.start(child, wake_id=offer.wake_id, attempt_id="first")
    (mail,) = started.claim.messages
    assert (mail.message_id, mail.body) == (accepted.message_id, "look at this")
    assert mail.rendered_text.startswith(f'<agent_message from="{parent.handle}">\nlook at this\n')
    assert await runtime.commit(started.run, started.claim) == [accepted.message_id]
    ended = await runtime.finish(started.run)
    assert ended.run.state == wire.run.RUN_STATE_COMPLETED
    kinds = [event.WhichOneof("payload") for event in await runtime.log(session_id=child.session_id)]
    assert kinds == [
        "session_created",
        "producer_message_accepted",
        "wake_requested",
        "wake_offered",
        "run_started",
        "wake_settled",
        "producer_message_admitted",
        "producer_messages_claimed",
        "turn_committed",
        "producer_message_consumed",
        "run_finished",
    ]
    attached.cancel()
