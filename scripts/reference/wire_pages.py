"""The pages of the RPCs and of the events, from the contract and its comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from google.protobuf.descriptor_pb2 import FieldDescriptorProto

from reference.contract import Contract, Field, Message, Method, own_name, paragraphs
from reference.errors_page import anchor, by_code
from reference.markdown import code, heading, page, prose, table

RPC_INTRODUCTION = """\
The services of `kinpost.v1`, with the comments of the contract itself, which is in `proto/kinpost/v1`.
Every call but `GetServerInfo` needs `authorization: Bearer TOKEN`.
A client names the protocol that it speaks in the metadata key `kinpost-protocol-version`.
What the codes mean is on the page of [errors](errors.md); what events hold is on the page of [events](events.md).
"""
EVENTS_INTRODUCTION = """\
Every event of a session's log is an `Event` with one of these payloads.
How to follow them is told on the page about [events and cursors](../concepts/events.md).
Payloads only ever gain fields, so that old logs stay readable.
"""
SCALARS = {
    getattr(FieldDescriptorProto, f"TYPE_{name.upper()}"): name
    for name in ("double", "float", "int32", "int64", "uint32", "uint64", "bool", "string", "bytes")
}

_CODE = re.compile(r"\b[a-z_]+:[a-z_]+\b")


class WirePages:
    """The two pages, which link to each other."""

    PAYLOAD: ClassVar[str] = "payload"

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        payloads = [field for field in contract.messages["Event"].fields if field.oneof == self.PAYLOAD]
        self._payloads = {own_name(field.proto.type_name): field for field in payloads}

    def rpc_page(self) -> str:
        """Return the page of services, messages and enumerations."""
        return page("RPCs", [*RPC_INTRODUCTION.splitlines(), "", *self._services(), *self._nouns()])

    def events_page(self) -> str:
        """Return the page of event payloads."""
        lines = [*EVENTS_INTRODUCTION.splitlines(), "", *self._message(self._contract.messages["Event"], 2)]
        for name, field in self._payloads.items():
            message = self._contract.messages[name]
            lines += [
                *self._message(message, 2),
                f"Field {field.proto.number} of `Event`, {code(field.proto.name)}.",
                "",
            ]
        return page("Events", lines)

    # RPCs

    def _services(self) -> Iterator[str]:
        for service in self._contract.services:
            yield from heading(2, service.name, service.name.lower())
            yield from _comment(service.comment)
            for method in service.methods:
                yield from self._method(service.name, method)

    def _method(self, service: str, method: Method) -> Iterator[str]:
        proto = method.proto
        yield from heading(3, proto.name, f"{service}-{proto.name}".lower())
        asked = self._linked(own_name(proto.input_type))
        answered = self._linked(own_name(proto.output_type))
        asking = "a stream of " if proto.client_streaming else ""
        answering = "a stream of " if proto.server_streaming else ""
        yield f"Takes {asking}{asked}, returns {answering}{answered}."
        yield ""
        yield from _comment(method.comment)

    def _nouns(self) -> Iterator[str]:
        yield from heading(2, "Messages", "messages")
        for name, message in sorted(self._contract.messages.items()):
            if not message.map_entry and not self._is_event(name):
                yield from self._message(message, 3)
        yield from heading(2, "Enumerations", "enumerations")
        for name, enumeration in sorted(self._contract.enumerations.items()):
            yield from heading(3, name, name.lower().replace(".", "-"))
            yield from _comment(enumeration.comment)
            rows = [
                (code(value), str(number), prose(comment) or self._event_at(number, name))
                for value, number, comment in enumeration.values
            ]
            told = any(row[2] for row in rows)  # of some the names say it all
            heads = ("value", "number", "what it means")
            yield from table(heads if told else heads[:2], rows if told else [row[:2] for row in rows])

    def _event_at(self, number: int, enumeration: str) -> str:
        """Return the event that a value of EventType stands for; nothing for other enumerations."""
        names = [name for name, field in self._payloads.items() if field.proto.number == number]
        return self._linked(names[0]) if names and enumeration == "EventType" else ""

    # Both

    def _is_event(self, name: str) -> bool:
        return name == "Event" or name in self._payloads

    def _message(self, message: Message, level: int) -> Iterator[str]:
        yield from heading(level, message.name, message.name.lower().replace(".", "-"))
        yield from _comment(message.comment)
        for oneof, comment in message.oneofs:
            yield f"Of {code(oneof)} one is set: {prose(' '.join(comment.split()))}"
            yield ""
        here = "events" if self._is_event(message.name) else "rpc"
        rows = [self._field(field, here) for field in message.fields]
        yield from table(("field", "type", "number", "what it is"), rows)
        if not message.fields:
            yield "It has no fields."
            yield ""

    def _field(self, field: Field, here: str) -> tuple[str, str, str, str]:
        proto = field.proto
        about = prose(" ".join(field.comment.split()))
        if field.oneof:
            about = f"{about} One of {code(field.oneof)}.".strip()
        return code(proto.name), self._type(proto, here), str(proto.number), about

    def _type(self, proto: FieldDescriptorProto, here: str) -> str:
        entry = self._contract.entry_of(proto)
        if entry is not None:
            key, value = (self._type(field.proto, here) for field in entry.fields)
            return f"map of {key} to {value}"
        name = SCALARS.get(proto.type) or self._linked(own_name(proto.type_name), here)
        if proto.label == FieldDescriptorProto.LABEL_REPEATED:
            return f"list of {name}"
        return f"optional {name}" if proto.proto3_optional else name

    def _linked(self, name: str, here: str = "rpc") -> str:
        if name not in self._contract.messages and name not in self._contract.enumerations:
            return code(name)
        there = "events" if self._is_event(name) else "rpc"
        place = "" if there == here else f"{there}.md"
        return f"[{name}]({place}#{name.lower().replace('.', '-')})"


def _comment(comment: str) -> Iterator[str]:
    for paragraph in paragraphs(comment):
        yield _CODE.sub(_linked_code, prose(paragraph).replace("\\_", "_"))
        yield ""


def _linked_code(found: re.Match[str]) -> str:
    name = found.group()
    return f"[{code(name)}](errors.md#{anchor(name)})" if name in by_code() else name
