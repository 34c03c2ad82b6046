"""The log's own form: domain events to serialised wire events, and back.

Most payloads are written and read field by field under the same names, so a field that is added on both sides needs
nothing here. Fields are set one by one in place, enumerations as plain numbers: that halves the cost of an event.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, fields
from enum import IntEnum
from typing import Any, NamedTuple, get_args, get_type_hints

from google.protobuf.message import Message
from kinpost.v1 import approval_pb2, event_pb2, message_pb2, session_pb2

from kinpost_server.domain import event as e
from kinpost_server.domain.body import fork_digest
from kinpost_server.domain.message import Mode, Owner, RecipientState, Sender
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.session import SessionState, Starter

SECOND = 1_000_000  # of microseconds, as all times within the service

# Fields that the wire calls otherwise.
WIRE_NAMES: dict[tuple[type[e.Payload], str], str] = {
    (e.MessageDiscarded, "superseded_by"): "superseded_by_message_id",
}
DECISIONS = {
    Decision.ALLOW: session_pb2.RULE_DECISION_ALLOW,
    Decision.ASK: session_pb2.RULE_DECISION_ASK,
    Decision.DENY: session_pb2.RULE_DECISION_DENY,
}
DECISIONS_READ = {number: decision for decision, number in DECISIONS.items()}


class Arm(NamedTuple):
    """One payload of the wire's oneof."""

    name: str
    write: Callable[[e.Event, Any, Any], None]
    read: Callable[[Any], e.Payload]


def encode(event: e.Event) -> bytes:
    """Return the serialised wire event. Raises ValueError or TypeError for what the wire cannot carry."""
    payload = event.payload
    arm = ARMS[payload.TYPE]
    wire = event_pb2.Event()
    wire.session_id = event.session_id
    wire.root_session_id = event.root_session_id
    wire.seq = event.seq
    wire.position = event.position
    _set_instant(wire.event_time, event.event_time)
    if event.run_id is not None:
        wire.run_id = event.run_id
    wire.origin = int(event.origin)  # type: ignore[assignment]
    arm.write(event, payload, getattr(wire, arm.name))
    return wire.SerializeToString()


def decode(data: bytes) -> e.Event:
    """Return the event. A payload that this program does not know becomes a bare Payload, which folds to nothing.

    Raises google.protobuf.message.DecodeError for bytes that are no event.
    """
    wire = event_pb2.Event.FromString(data)
    name = wire.WhichOneof("payload")
    arm = ARMS_BY_NAME.get(name or "")
    return e.Event(
        session_id=wire.session_id,
        root_session_id=wire.root_session_id,
        seq=wire.seq,
        event_time=_instant(wire.event_time),
        run_id=wire.run_id if wire.HasField("run_id") else None,
        origin=e.Origin(wire.origin),
        payload=arm.read(getattr(wire, arm.name)) if arm is not None else e.Payload(),
        position=wire.position,
    )


def decode_body(data: bytes) -> str:
    """Return the body that an accepted event carries."""
    return event_pb2.Event.FromString(data).producer_message_accepted.body


def _set_instant(wire: Any, time: int) -> None:
    wire.seconds, rest = divmod(time, SECOND)
    wire.nanos = rest * 1000


def _instant(wire: Any) -> int:
    time: int = wire.seconds * SECOND + wire.nanos // 1000
    return time


def _optional(wire: Message, name: str) -> Any:
    return getattr(wire, name) if wire.HasField(name) else None


def _write_accepted(_event: e.Event, payload: e.MessageAccepted, wire: Any) -> None:
    """By hand: every send writes one."""
    wire.message_id = payload.message_id
    wire.owner = int(payload.owner)
    wire.mode = int(payload.mode)
    wire.body = payload.body
    _write_sender(payload.sender, wire.sender)
    wire.recipient_state = int(payload.recipient_state)
    wire.to = payload.to
    wire.request_digest = payload.request_digest
    wire.description = payload.description
    if payload.agent_hop is not None:
        wire.agent_hop = payload.agent_hop
    if payload.idempotency_key is not None:
        wire.idempotency_key = payload.idempotency_key
    if payload.expire_time is not None:
        _set_instant(wire.expire_time, payload.expire_time)
    if payload.supersedes_message_id is not None:
        wire.supersedes_message_id = payload.supersedes_message_id
    if payload.forked_from_message_id is not None:
        wire.forked_from_message_id = payload.forked_from_message_id
    if payload.tldr is not None:
        wire.tldr = payload.tldr


def _write_sender(sender: Sender, wire: Any) -> None:
    wire.SetInParent()  # a sender of whom nothing is known is still there
    if sender.session_id is not None:
        wire.session_id = sender.session_id
    if sender.handle is not None:
        wire.handle = sender.handle
    if sender.run_id is not None:
        wire.run_id = sender.run_id
    if sender.tool_call_id is not None:
        wire.tool_call_id = sender.tool_call_id
    if sender.producer_id is not None:
        wire.producer_id = sender.producer_id
    if sender.name is not None:
        wire.name = sender.name


def _read_accepted(wire: event_pb2.ProducerMessageAccepted) -> e.MessageAccepted:
    sender = wire.sender
    return e.MessageAccepted(
        message_id=wire.message_id,
        owner=Owner(wire.owner),
        mode=Mode(wire.mode),
        body=wire.body,
        sender=Sender(**{field.name: _optional(sender, field.name) for field in fields(Sender)}),
        recipient_state=RecipientState(wire.recipient_state),
        to=wire.to,
        request_digest=wire.request_digest,
        agent_hop=_optional(wire, "agent_hop"),
        idempotency_key=_optional(wire, "idempotency_key"),
        description=wire.description,
        expire_time=_instant(wire.expire_time) if wire.HasField("expire_time") else None,
        supersedes_message_id=_optional(wire, "supersedes_message_id"),
        forked_from_message_id=_optional(wire, "forked_from_message_id"),
        tldr=_optional(wire, "tldr"),
    )


def _write_created(event: e.Event, payload: e.SessionCreated, wire: event_pb2.SessionCreated) -> None:
    """By hand: the wire shows the whole session as it began."""
    _write_session(event, payload, wire.session)
    wire.request_digest = payload.request_digest
    wire.host_token_id = payload.host_token_id
    wire.imported = payload.imported


def _write_session(event: e.Event, payload: e.SessionCreated, wire: session_pb2.Session) -> None:
    wire.CopyFrom(
        session_pb2.Session(
            session_id=event.session_id,
            root_session_id=event.root_session_id,
            parent_session_id=payload.parent_session_id,
            parent_run_id=payload.parent_run_id,
            parent_tool_call_id=payload.parent_tool_call_id,
            depth=payload.depth,
            handle=payload.handle,
            agent=payload.agent,
            description=payload.description,
            starter=session_pb2.Starter.ValueType(payload.starter),
            state=session_pb2.SessionState.ValueType(payload.state),
            availability=session_pb2.AVAILABILITY_OPEN,
            last_seq=event.seq,
        )
    )
    _set_instant(wire.create_time, payload.create_time)
    for pattern, decision in payload.message_rules.items():
        wire.message_rules.add(pattern=pattern, decision=DECISIONS[decision])


def _read_created(wire: event_pb2.SessionCreated) -> e.SessionCreated:
    return _read_session(wire.session, wire.request_digest, wire.host_token_id, imported=wire.imported)


def _write_forked(event: e.Event, payload: e.SessionForked, wire: event_pb2.SessionForked) -> None:
    wire.from_session_id = payload.from_session_id
    wire.at_seq = payload.at_seq
    _write_session(event, payload.session, wire.session)


def _read_forked(wire: event_pb2.SessionForked) -> e.SessionForked:
    digest = fork_digest(wire.from_session_id, wire.at_seq)
    return e.SessionForked(wire.from_session_id, wire.at_seq, _read_session(wire.session, digest, "", imported=False))


def _read_session(
    session: session_pb2.Session, request_digest: bytes, host_token_id: str, *, imported: bool
) -> e.SessionCreated:
    return e.SessionCreated(
        parent_session_id=_optional(session, "parent_session_id"),
        parent_run_id=_optional(session, "parent_run_id"),
        parent_tool_call_id=_optional(session, "parent_tool_call_id"),
        depth=session.depth,
        handle=_optional(session, "handle"),
        agent=session.agent,
        description=session.description,
        message_rules={rule.pattern: DECISIONS_READ[rule.decision] for rule in session.message_rules},
        starter=Starter(session.starter),
        state=SessionState(session.state),
        create_time=_instant(session.create_time),
        request_digest=request_digest,
        host_token_id=host_token_id,
        imported=imported,
    )


def _write_requested(event: e.Event, payload: e.ApprovalRequested, wire: event_pb2.ApprovalRequested) -> None:
    """By hand: the wire shows the whole approval as it began."""
    wire.approval.CopyFrom(
        approval_pb2.Approval(
            approval_id=payload.approval_id,
            session_id=event.session_id,
            root_session_id=event.root_session_id,
            run_id=payload.run_id,
            tool_call_id=payload.tool_call_id,
            tool_name=payload.tool_name,
            recipient_session_id=payload.recipient_session_id,
            arguments_json=payload.arguments_json,
            state=approval_pb2.APPROVAL_STATE_PENDING,
        )
    )
    _set_instant(wire.approval.create_time, event.event_time)
    if payload.expire_time is not None:
        _set_instant(wire.approval.expire_time, payload.expire_time)


def _read_requested(wire: event_pb2.ApprovalRequested) -> e.ApprovalRequested:
    approval = wire.approval
    return e.ApprovalRequested(
        approval_id=approval.approval_id,
        run_id=approval.run_id,
        tool_call_id=approval.tool_call_id,
        tool_name=approval.tool_name,
        recipient_session_id=approval.recipient_session_id,
        arguments_json=approval.arguments_json,
        expire_time=_instant(approval.expire_time) if approval.HasField("expire_time") else None,
    )


def _write_registered(event: e.Event, payload: e.ProducerRegistered, wire: event_pb2.ProducerRegistered) -> None:
    """By hand: the wire shows the registration as it began."""
    producer = wire.producer
    producer.producer_id = payload.producer_id
    producer.session_id = event.session_id
    producer.owner = message_pb2.ProducerOwner.ValueType(payload.owner)
    producer.owner_name = payload.owner_name
    producer.client_producer_id = payload.client_producer_id
    producer.description = payload.description
    _set_instant(producer.create_time, payload.create_time)
    _set_instant(producer.lease_expire_time, payload.lease_expire_time)


def _read_registered(wire: event_pb2.ProducerRegistered) -> e.ProducerRegistered:
    producer = wire.producer
    return e.ProducerRegistered(
        producer_id=producer.producer_id,
        owner=Owner(producer.owner),
        owner_name=producer.owner_name,
        client_producer_id=producer.client_producer_id,
        description=producer.description,
        create_time=_instant(producer.create_time),
        lease_expire_time=_instant(producer.lease_expire_time),
    )


class _Field(NamedTuple):
    """A field of a payload that is written and read without a word of its own."""

    name: str
    wire_name: str
    optional: bool
    write: Callable[[Any, str, Any], None]
    read: Callable[[Any], Any] | None


def _set_number(wire: Any, name: str, value: int) -> None:
    setattr(wire, name, int(value))


def _set_list(wire: Any, name: str, value: tuple[str, ...]) -> None:
    getattr(wire, name).extend(value)


def _set_time(wire: Any, name: str, value: int) -> None:
    _set_instant(getattr(wire, name), value)


def _field(payload: type[e.Payload], name: str, hint: Any) -> _Field:
    wire_name = WIRE_NAMES.get((payload, name), name)
    optional = type(None) in get_args(hint)
    if name.endswith("_time"):
        return _Field(name, wire_name, optional, _set_time, _instant)
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        return _Field(name, wire_name, optional, _set_number, hint)
    if hint == tuple[str, ...]:
        return _Field(name, wire_name, optional, _set_list, tuple)
    return _Field(name, wire_name, optional, setattr, None)


def stored_fields(payload: type[e.Payload]) -> list[Field[Any]]:
    """Return the fields of a payload that are in the log."""
    return [field for field in fields(payload) if not field.metadata.get("given")]


def _arm(payload: type[e.Payload]) -> Arm:
    """Return the arm of a payload whose fields are the wire's."""
    hints = get_type_hints(payload)
    plan = [_field(payload, field.name, hints[field.name]) for field in stored_fields(payload)]

    def write(_event: e.Event, source: Any, wire: Any) -> None:
        wire.SetInParent()  # a payload of nothing but defaults is still there
        for field in plan:
            value = getattr(source, field.name)
            if value is not None:
                field.write(wire, field.wire_name, value)

    def read(wire: Any) -> e.Payload:
        values: dict[str, Any] = {}
        for field in plan:
            value = _optional(wire, field.wire_name) if field.optional else getattr(wire, field.wire_name)
            values[field.name] = value if value is None or field.read is None else field.read(value)
        return payload(**values)

    return Arm(_arm_name(payload), write, read)


def _arm_name(payload: type[e.Payload]) -> str:
    return event_pb2.Event.DESCRIPTOR.fields_by_number[payload.TYPE].name


ARMS: dict[int, Arm] = {payload.TYPE: _arm(payload) for payload in e.PAYLOADS} | {
    e.SessionCreated.TYPE: Arm(_arm_name(e.SessionCreated), _write_created, _read_created),
    e.SessionForked.TYPE: Arm(_arm_name(e.SessionForked), _write_forked, _read_forked),
    e.MessageAccepted.TYPE: Arm(_arm_name(e.MessageAccepted), _write_accepted, _read_accepted),
    e.ApprovalRequested.TYPE: Arm(_arm_name(e.ApprovalRequested), _write_requested, _read_requested),
    e.ProducerRegistered.TYPE: Arm(_arm_name(e.ProducerRegistered), _write_registered, _read_registered),
}
ARMS_BY_NAME = {arm.name: arm for arm in ARMS.values()}
