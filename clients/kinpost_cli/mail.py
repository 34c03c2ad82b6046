"""`kinpost mail`: what a session was sent, or sent, and where it stands."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from google.protobuf.json_format import MessageToDict
from kinpost.v1 import event_service_pb2, message_pb2, messaging_service_pb2, session_pb2
from kinpost.v1.session_pb2 import Session

from kinpost_cli.calls import Calls
from kinpost_cli.command import AsJson, SessionName, connected
from kinpost_cli.mailbox import OWNERS, REASONS, TYPES, Item, Mailbox
from kinpost_cli.naming import find_session, name_of
from kinpost_cli.output import Column, Output, progress
from kinpost_cli.text import word

MODES = message_pb2.DESCRIPTOR.enum_types_by_name["MessageMode"]
STATES = message_pb2.DESCRIPTOR.enum_types_by_name["MessageState"]
COLUMNS = (Column("accepted"), Column("from"), Column("state"), Column("mode"), Column("body", cut=True))
SENT_COLUMNS = (Column("accepted"), Column("to"), Column("state"), Column("mode"), Column("message id", cut=True))


@connected
def mail(
    calls: Calls,
    session: SessionName,
    everything: Annotated[bool, typer.Option("--all", help="Also what was consumed or discarded")] = False,
    sent: Annotated[bool, typer.Option("--sent", help="What the session sent, newest first")] = False,
    bodies: Annotated[bool, typer.Option("--bodies", help="Whole bodies, each below its line")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the mail of a session that waits, in the order in which it is delivered."""
    found = find_session(calls, session)
    output = Output(as_json=as_json)
    if sent:
        _show_sent(calls, found, output, everything=everything)
        return
    held = is_held(found)
    items = [item for item in read_mailbox(calls, found.session_id).items.values() if everything or item.waits]
    if as_json:
        for item in items:
            output.object(_object(item, held=held))
    elif not items:
        name = name_of(found)
        output.line(f"{name} never had mail" if everything else f"no mail waits for {name}")
    elif bodies:
        for item in items:
            output.line("  ".join(_row(output, item, held=held)[:-1]))
            output.text(f"{item.accepted.body}\n")
    else:
        output.table(COLUMNS, (_row(output, item, held=held) for item in items))


def read_mailbox(calls: Calls, session_id: str) -> Mailbox:
    """Return a session's mail, folded from its log."""
    mailbox = Mailbox()
    request = event_service_pb2.ListEventsRequest(session_id=session_id, event_types=TYPES)
    with progress("reading the log") as seen:
        for page in calls.pages(calls.events.ListEvents, request):
            for event in page.events:
                mailbox.apply(event)
            seen.add(len(page.events))
    return mailbox


def is_held(session: Session) -> bool:
    """Whether a session's mail is held until a person opens it."""
    if session.availability == session_pb2.AVAILABILITY_ARCHIVED:
        return session.no_wake
    return session.availability in (session_pb2.AVAILABILITY_PAUSED, session_pb2.AVAILABILITY_USER_CLOSED)


def _row(output: Output, item: Item, *, held: bool) -> tuple[str, ...]:
    state = f"{item.state}: {item.reason}" if item.reason else item.state
    return (
        output.time(item.accept_time),
        item.sender,
        "held" if held and item.waits and item.state != "claimed" else state,
        word(MODES, item.accepted.mode),
        item.accepted.body,
    )


def _object(item: Item, *, held: bool) -> dict[str, Any]:
    """Return a message for programs: its acceptance as the log has it, and where it stands."""
    accepted = MessageToDict(item.accepted)
    accepted.pop("requestDigest", None)
    facts: dict[str, Any] = {
        **accepted,
        "acceptTime": item.accept_time.ToJsonString(),
        "state": f"MESSAGE_STATE_{item.state.upper()}",
        "deliveryCount": item.deliveries,
        "held": held and item.waits,
    }
    if item.reason:
        facts["discardReason"] = f"DISCARD_REASON_{item.reason.upper()}"
    return facts


def _show_sent(calls: Calls, session: Session, output: Output, *, everything: bool) -> None:
    request = messaging_service_pb2.ListSentMessagesRequest(session_id=session.session_id)
    if not everything:
        request.states.extend(
            message_pb2.MessageState.Value(f"MESSAGE_STATE_{state}")
            for state in ("ACCEPTED", "ADMITTED", "CLAIMED", "RELEASED")
        )
    messages = calls.all(calls.messaging.ListSentMessages, request, "sent_messages", "reading what it sent")
    if output.as_json:
        for message in messages:
            output.object(message)
    elif not messages:
        name = name_of(session)
        output.line(f"{name} sent nothing" if everything else f"nothing that {name} sent waits")
    else:
        output.table(SENT_COLUMNS, (_sent_row(output, message) for message in messages))


def _sent_row(output: Output, message: message_pb2.SentMessage) -> tuple[str, ...]:
    state = word(STATES, message.state)
    if message.discard_reason:
        state = f"{state}: {word(REASONS, message.discard_reason)}"
    elif message.held:
        state = f"held: {message.held_reason}" if message.held_reason else "held"
    recipient = message.recipient_handle or message.recipient_session_id
    owner = "" if message.owner == message_pb2.PRODUCER_OWNER_AGENT else f" ({word(OWNERS, message.owner)})"
    return output.time(message.accept_time), f"{recipient}{owner}", state, word(MODES, message.mode), message.message_id
