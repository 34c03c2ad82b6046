"""The torture finds faults of peer mail, of a plugin's mail and of approvals, each put into a sound log or journal."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kinpost.v1 import approval_pb2, event_pb2, message_pb2
from stories import RUN, SESSION, event, found, in_place, twice, with_payload, without
from torture_kit.journal import PEER, PLUGIN, Identity, Journal, Send, body_of

QUESTION, ALLOW = "a-question", approval_pb2.APPROVAL_DECISION_ALLOW_ONCE
CALL = Identity(SESSION, RUN, "a-call")
LETTER = Identity(SESSION, PEER, "a-letter")
DEAD = Identity(SESSION, PEER, "a-dead-letter")
NOTE = Identity(SESSION, PLUGIN, "a-note")
OWNERS = {PEER: message_pb2.PRODUCER_OWNER_PEER, PLUGIN: message_pb2.PRODUCER_OWNER_PLUGIN}
MAIL = {"asked-message": CALL, "peer-message": LETTER, "plugin-message": NOTE}
CLAIM_SEQ = 14


def accepted(message_id: str) -> event_pb2.Event:
    """Return the acceptance of one of the messages."""
    identity = MAIL[message_id]
    sender = message_pb2.MessageSender(session_id=identity.session_id)
    if identity == CALL:
        sender.run_id, sender.tool_call_id = identity.scope, identity.key
    return event(
        "producer_message_accepted",
        message_id=message_id,
        owner=OWNERS.get(identity.scope, message_pb2.PRODUCER_OWNER_AGENT),
        mode=message_pb2.MESSAGE_MODE_QUEUE,
        body=body_of(identity),
        idempotency_key="" if identity == CALL else identity.key,
        sender=sender,
    )


def asked(approval_id: str = QUESTION) -> event_pb2.Event:
    approval = approval_pb2.Approval(approval_id=approval_id, session_id=SESSION, run_id=RUN, tool_call_id=CALL.key)
    return event("approval_requested", approval=approval)


def story() -> list[event_pb2.Event]:
    """Return a sound log: a person allows a send, a peer and a plugin write, another letter dies, and all is read."""
    return [
        event("session_created"),
        event("run_started", run_id=RUN, client_run_id="by-itself"),
        asked(),
        event("approval_decided", approval_id=QUESTION, decision=ALLOW),
        accepted("asked-message"),
        event("approval_used", approval_id=QUESTION, message_id="asked-message"),
        accepted("peer-message"),
        event("peer_message_sent", message_id="peer-message", target_session_id=SESSION),
        event("peer_dead_letter_recorded", dead_letter_id="a-dead-letter", target_session_id=SESSION),
        accepted("plugin-message"),
        *(event("producer_message_admitted", message_id=message_id, run_id=RUN) for message_id in MAIL),
        event("producer_messages_claimed", run_id=RUN, attempt_id="an-attempt", message_ids=tuple(MAIL)),
        event("turn_committed", run_id=RUN, claim_seq=CLAIM_SEQ, consumed_count=3),
        *(
            event("producer_message_consumed", message_id=message_id, run_id=RUN, claim_seq=CLAIM_SEQ)
            for message_id in MAIL
        ),
        event("run_finished", run_id=RUN),
    ]


def journal() -> Journal:
    """Return the journal that goes with it."""
    made = Journal()
    for message_id, identity in MAIL.items():
        made.sends[identity] = Send(SESSION, message_pb2.MESSAGE_MODE_QUEUE)
        made.accepted(identity, message_id, replayed=False)
    made.asked_of_person(CALL, QUESTION)
    made.carried_out.add(CALL)
    made.asks[SESSION] = SESSION
    made.refused_for_good.add(DEAD)
    made.letters[DEAD] = 1
    return made


def test_a_sound_story_is_no_finding() -> None:
    assert found(story(), journal()) == set()


IN_THE_LOG: dict[str, tuple[str, Callable[[list[event_pb2.Event]], None]]] = {
    "a question is not there": ("lost", without(2)),
    "a call is asked of twice": ("approvals", in_place(2, asked(), asked("another-question"))),
    "a question of a run that is not active": (
        "approvals",
        in_place(1, asked(), event("run_started", run_id=RUN, client_run_id="by-itself")),
    ),
    "a question without an answer is used": ("approvals", in_place(2, event("session_created"))),
    "an answer comes again": ("approvals", twice(3)),
    "an allow is used twice": ("approvals", twice(5)),
    "a question that expires once it is decided": (
        "approvals",
        in_place(5, event("approval_expired", approval_id=QUESTION)),
    ),
    "a question that is cancelled once it is used": (
        "approvals",
        in_place(18, event("approval_cancelled", approval_id=QUESTION)),
    ),
    "a question that is left over": ("approvals", without(5)),
    "a denial that is carried out": (
        "approvals",
        with_payload(3, decision=approval_pb2.APPROVAL_DECISION_DENY),
    ),
    "an allow for another message": ("approvals", with_payload(5, message_id="another-message")),
    "what was allowed is not there": ("lost", without(4)),
    "nobody was asked": ("approvals", lambda events: events.__setitem__(slice(2, 6), [accepted("asked-message")])),
    "a peer's message is not there": ("lost", without(6)),
    "a sender is not told of a peer's message": ("notices", without(7)),
    "a sender is told twice of a peer's message": ("notices", twice(7)),
    "a sender is told of a plugin's message": ("notices", with_payload(7, message_id="plugin-message")),
    "a dead letter is not there": ("letters", without(8)),
    "a dead letter comes again": ("letters", twice(8)),
    "a peer's message under another key": ("body", with_payload(6, body=body_of(DEAD))),
    "a plugin's message is not there": ("lost", without(9)),
    "a plugin's message comes again": ("stored twice", twice(9)),
    "another's key": ("out of nowhere", with_payload(9, idempotency_key="another-note")),
}


@pytest.mark.parametrize("fault", IN_THE_LOG)
def test_a_fault_of_the_log_is_found(fault: str) -> None:
    kind, change = IN_THE_LOG[fault]
    events = story()
    change(events)
    assert kind in found(events, journal())


IN_THE_JOURNAL: dict[str, tuple[str, Callable[[Journal], object]]] = {
    "another question": ("two answers", lambda kept: kept.asked_of_person(CALL, "another-question")),
    "a question of another send": ("lost", lambda kept: kept.asked_of_person(NOTE, QUESTION)),
    "a denial": ("refused but stored", lambda kept: kept.denied.add(CALL)),
    "an allow of what is not there": ("lost", lambda kept: kept.carried_out.add(CALL._replace(key="never"))),
    "a dead letter that is not kept": ("lost", lambda kept: kept.letters.clear()),
    "a letter that was to be delivered in its turn": (
        "lost",
        lambda kept: kept.parked.add(LETTER._replace(key="a-parked-letter")),
    ),
    "a plugin's message that was taken back": ("lost", lambda kept: kept.retracted.add("plugin-message")),
    "a retraction of what may be taken back": (
        "refusal",
        lambda kept: kept.retraction_refused("plugin-message", "message:not_found"),
    ),
}


@pytest.mark.parametrize("fault", IN_THE_JOURNAL)
def test_a_promise_that_is_not_kept_is_found(fault: str) -> None:
    kind, change = IN_THE_JOURNAL[fault]
    kept = journal()
    change(kept)
    assert kind in found(story(), kept)


def test_what_was_parked_is_known_by_its_text_or_is_a_dead_letter() -> None:
    """It comes into the log without its key."""
    events, kept = story(), journal()
    with_payload(6, idempotency_key="")(events)
    kept.parked |= {LETTER, DEAD}
    assert found(events, kept) == set()


@pytest.mark.parametrize("asked_for", [True, False])
def test_a_plugins_mail_is_discarded_by_its_owner_alone(asked_for: bool) -> None:
    discarded = event(
        "producer_message_discarded", message_id="plugin-message", reason=message_pb2.DISCARD_REASON_OWNER
    )
    kept = Journal()
    kept.sends[NOTE] = Send(SESSION, message_pb2.MESSAGE_MODE_QUEUE)
    kept.accepted(NOTE, "plugin-message", replayed=False)
    if asked_for:
        kept.retractions_asked.add("plugin-message")
    events = [event("session_created"), accepted("plugin-message"), discarded]
    assert found(events, kept) == (set() if asked_for else {"lost"})
