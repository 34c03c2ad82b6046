"""From an event to the row that shows it: one pure function, for live and replayed streams alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from kinpost.v1 import event_pb2 as pb
from kinpost.v1 import message_pb2, run_pb2
from kinpost_client import DeadLetterReason, Event, Mode, Outcome, Owner, RecipientState, convert
from kinpost_client.terms import ApprovalDecision, Availability

from kinpost_watch.harmless import cut, harmless, harmless_line, short_id

# Of a body, in the memory of the transcript; the whole of it is read when somebody opens the row.
KEPT_CHARACTERS_MAX = 2000


class Kind(StrEnum):
    """The kinds of rows, which a filter shows or hides."""

    MAIL = "mail"
    STEP = "steps of mail"
    RUN = "runs and turns"
    WAKE = "wakes"
    APPROVAL = "approvals"
    SESSION = "sessions"
    PRODUCER = "producers"
    PEER = "peer sends, dead letters"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Row:
    """What the transcript shows of one event. All its text is harmless; `tone` names how it looks."""

    seq: int
    time: datetime
    kind: Kind
    tone: str
    title: str
    body: str = ""
    shortened: bool = False

    def short(self) -> Row:
        """Return the row with no more of its body than the transcript keeps."""
        if len(self.body) <= KEPT_CHARACTERS_MAX:
            return self
        return replace(self, body=cut(self.body, KEPT_CHARACTERS_MAX), shortened=True)

    def mentions(self, folded: str) -> bool:
        """Whether a case-folded text stands in it."""
        return folded in self.title.casefold() or folded in self.body.casefold()


def row_of(event: Event) -> Row:
    """Return the row of an event. It depends on the event alone."""
    payload = event.payload
    if isinstance(payload, pb.ProducerMessageAccepted):
        return _mail(event, payload)
    kind, tone, title = _told(event, payload)
    return Row(event.seq, event.event_time, kind, tone, harmless_line(title), harmless(_body(payload)))


def sender_name(payload: pb.ProducerMessageAccepted) -> str:
    """Return who sent a message, as the service knows it; harmless."""
    sender = payload.sender
    name = sender.handle or sender.name or (short_id(sender.session_id) if sender.session_id else "")
    return harmless_line(name)


def body_of_arguments(arguments_json: str) -> str:
    """Return the text that a tool call is about: its body when it has one, else all its arguments."""
    try:
        body = json.loads(arguments_json).get("body")
    except (ValueError, AttributeError, RecursionError):
        body = None
    return body if isinstance(body, str) else arguments_json


def _mail(event: Event, payload: pb.ProducerMessageAccepted) -> Row:
    owner = convert.term(Owner, payload.owner)
    mode = convert.term(Mode, payload.mode)
    name = sender_name(payload)
    title = f"{owner} mail · {mode}" + (f" · from {name}" if name else "") + f" · {_message(payload.message_id)}"
    if convert.term(RecipientState, payload.recipient_state) is RecipientState.HELD:
        title += " · held"
    if payload.HasField("supersedes_message_id"):
        title += f" · replaces {_message(payload.supersedes_message_id)}"
    if payload.HasField("forked_from_message_id"):
        title += f" · continues {_message(payload.forked_from_message_id)}"
    if payload.HasField("expire_time"):
        title += f" · expires {_clock(payload.expire_time)}"
    if payload.description:
        title += f" · {harmless_line(payload.description)}"
    body = harmless(payload.body)
    if payload.HasField("tldr"):
        body = f"summary: {harmless_line(payload.tldr)}\n{body}"
    return Row(event.seq, event.event_time, Kind.MAIL, owner.value, harmless_line(title), body)


def _body(payload: Message | None) -> str:
    """Return the text of others that a row which is no mail carries along."""
    match payload:
        case pb.ApprovalRequested():
            return body_of_arguments(payload.approval.arguments_json)
        case pb.PeerMessageSent():
            return payload.preview
        case _:
            return ""


def _told(event: Event, payload: Message | None) -> tuple[Kind, str, str]:
    """Return kind, tone and title of an event that is no mail; the title is still to be made harmless."""
    match payload:
        case pb.ProducerMessageAdmitted():
            return Kind.STEP, "dim", f"admitted {_message(payload.message_id)} · run {short_id(payload.run_id)}"
        case pb.ProducerMessagesClaimed():
            more = ", more wait" if payload.more_pending else ""
            return Kind.STEP, "dim", f"claimed {_messages(payload.message_ids)} for a model request{more}"
        case pb.ProducerMessagesReleased():
            why = _released(payload.reason) + (f", {payload.detail}" if payload.detail else "")
            return Kind.STEP, "warning", f"released {_messages(payload.message_ids)}: {why}"
        case pb.ProducerMessageConsumed():
            return Kind.STEP, "good", f"consumed {_message(payload.message_id)}"
        case pb.ProducerMessageDiscarded():
            by = f" by {_message(payload.superseded_by_message_id)}" if payload.superseded_by_message_id else ""
            return Kind.STEP, "trouble", f"discarded {_message(payload.message_id)}: {_discarded(payload.reason)}{by}"
        case pb.SentMessageUndeliverable():
            what = f"{_message(payload.message_id)} to {short_id(payload.recipient_session_id)}"
            return Kind.STEP, "trouble", f"undeliverable: {what}, {_discarded(payload.reason)}"
        case pb.RunStarted():
            by = f", by {payload.runtime_id}" if payload.runtime_id else ""
            return Kind.RUN, "run", f"run {payload.number} started{by} · {short_id(payload.run_id)}"
        case pb.RunFinished():
            return _run_finished(payload)
        case pb.TurnCommitted():
            return Kind.RUN, "dim", f"turn kept, {payload.consumed_count} consumed"
        case _:
            return _told_of_wakes(event, payload)


def _run_finished(payload: pb.RunFinished) -> tuple[Kind, str, str]:
    outcome = convert.term(Outcome, payload.outcome)
    title = f"run {outcome}" + (" by a person" if payload.by_person else "") + f", {payload.consumed_count} consumed"
    if payload.lease_lost:
        title += ", its lease lapsed"
    if payload.failing_runs:
        title += f", {payload.failing_runs} in a row consumed none of their mail"
    if payload.reason:
        title += f": {payload.reason}"
    return Kind.RUN, "run" if outcome is Outcome.COMPLETED else "trouble", title


def _told_of_wakes(event: Event, payload: Message | None) -> tuple[Kind, str, str]:
    match payload:
        case pb.WakeRequested():
            when = f", not before {_clock(payload.not_before_time)}" if payload.HasField("not_before_time") else ""
            return Kind.WAKE, "dim", f"wake requested{when}"
        case pb.WakeOffered():
            return Kind.WAKE, "dim", f"wake offered to {payload.runtime_id}, offer {payload.offer_number}"
        case pb.WakeFailed():
            title = f"wake failed at {payload.runtime_id}: {payload.reason}; again at {_clock(payload.next_offer_time)}"
            if payload.HasField("declined_until_time"):
                title += f", not to it before {_clock(payload.declined_until_time)}"
            return Kind.WAKE, "warning", title
        case pb.WakeSettled():
            return Kind.WAKE, "dim", f"wake settled by run {short_id(payload.run_id)}"
        case pb.WakeWithdrawn():
            return Kind.WAKE, "dim", f"wake withdrawn: {payload.reason}"
        case _:
            return _told_of_approvals(event, payload)


def _told_of_approvals(event: Event, payload: Message | None) -> tuple[Kind, str, str]:
    match payload:
        case pb.ApprovalRequested():
            asked = payload.approval
            to = f" to {short_id(asked.recipient_session_id)}" if asked.recipient_session_id else ""
            return Kind.APPROVAL, "asking", f"asks a person: {asked.tool_name}{to} · {short_id(asked.approval_id)}"
        case pb.ApprovalDecided():
            decision = convert.term(ApprovalDecision, payload.decision)
            reason = f": {payload.reason}" if payload.reason else ""
            words = decision.value.replace("_", " ")
            tone = "trouble" if decision is ApprovalDecision.DENY else "good"
            return Kind.APPROVAL, tone, f"a person decided {short_id(payload.approval_id)}: {words}{reason}"
        case pb.ApprovalUsed():
            return (
                Kind.APPROVAL,
                "dim",
                f"approval {short_id(payload.approval_id)} used: {_message(payload.message_id)}",
            )
        case pb.ApprovalExpired():
            return Kind.APPROVAL, "warning", f"approval {short_id(payload.approval_id)} expired"
        case pb.ApprovalCancelled():
            return Kind.APPROVAL, "dim", f"approval {short_id(payload.approval_id)} cancelled: its run ended"
        case _:
            return _told_of_sessions(event, payload)


def _told_of_sessions(event: Event, payload: Message | None) -> tuple[Kind, str, str]:
    match payload:
        case pb.SessionCreated():
            made = payload.session
            what = "imported" if payload.imported else "created"
            title = f"session {what}: {made.handle or short_id(made.session_id)}, agent {made.agent}"
            return Kind.SESSION, "session", title + (f" · {made.description}" if made.description else "")
        case pb.SessionAvailabilityChanged():
            words = convert.term(Availability, payload.availability).value.replace("_", " ")
            until = f" until {_clock(payload.until_time)}" if payload.HasField("until_time") else ""
            held = ", mail is held" if payload.no_wake else ""
            reason = f": {payload.reason}" if payload.reason else ""
            return Kind.SESSION, "session", f"{words}{until}{held}{' by a person' * payload.by_person}{reason}"
        case pb.SessionUnqueued():
            return Kind.SESSION, "session", f"no longer waits for its delegator: {payload.reason}"
        case pb.SessionForked():
            return Kind.SESSION, "session", f"fork of {short_id(payload.from_session_id)} at {payload.at_seq}"
        case pb.SessionReverted():
            restored = f", {len(payload.restored_message_ids)} messages wait again"
            return Kind.SESSION, "warning", f"reverted to {payload.to_seq}{restored}"
        case pb.SessionDeleted():
            return Kind.SESSION, "trouble", f"deleted: {payload.reason}"
        case _:
            return _told_of_producers(event, payload)


def _told_of_producers(event: Event, payload: Message | None) -> tuple[Kind, str, str]:
    match payload:
        case pb.ProducerRegistered():
            made = payload.producer
            more = f" · {made.description}" if made.description else ""
            return Kind.PRODUCER, "plugin", f"producer {made.client_producer_id} of {made.owner_name} registered{more}"
        case pb.ProducerUnregistered():
            how = "lapsed" if payload.lapsed else "unregistered"
            return Kind.PRODUCER, "dim", f"producer {short_id(payload.producer_id)} {how}"
        case pb.PeerMessageSent():
            return Kind.PEER, "peer", f"peer mail sent to {short_id(payload.target_session_id)}"
        case pb.PeerDeadLetterRecorded():
            why = convert.term(DeadLetterReason, payload.reason).value.replace("_", " ")
            detail = f", {payload.detail}" if payload.detail else ""
            return Kind.PEER, "trouble", f"dead letter for {short_id(payload.target_session_id)}: {why}{detail}"
        case pb.PeerDeadLetterRedelivered():
            what = f"{short_id(payload.dead_letter_id)} as {_message(payload.message_id)}"
            return Kind.PEER, "good", f"dead letter redelivered: {what}"
        case _:
            return Kind.OTHER, "dim", event.type.replace("_", " ")


def _message(message_id: str) -> str:
    return f"#{short_id(message_id)}"


def _messages(message_ids: Sequence[str]) -> str:
    if not message_ids:
        return "nothing"
    names = [_message(message_id) for message_id in message_ids]
    return " ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _discarded(number: message_pb2.DiscardReason.ValueType) -> str:
    if number not in message_pb2.DiscardReason.values():
        return "unknown"
    return message_pb2.DiscardReason.Name(number).removeprefix("DISCARD_REASON_").lower()


def _released(number: run_pb2.ReleaseReason.ValueType) -> str:
    if number not in run_pb2.ReleaseReason.values():
        return "unknown"
    return run_pb2.ReleaseReason.Name(number).removeprefix("RELEASE_REASON_").lower().replace("_", " ")


def _clock(wire: Timestamp) -> str:
    return f"{convert.instant(wire):%H:%M:%S}Z"
