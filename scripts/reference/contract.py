"""The contract with its comments, as the pages need it: services, messages, enumerations and where they are told."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from contract.checkout import Checkout
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
    ServiceDescriptorProto,
)

PACKAGE = ".kinpost.v1."
# Numbers of fields in descriptor.proto, of which the paths of comments consist.
FILE_MESSAGES, FILE_ENUMS, FILE_SERVICES = 4, 5, 6
MESSAGE_FIELDS, MESSAGE_NESTED, MESSAGE_ENUMS, MESSAGE_ONEOFS = 2, 3, 4, 8
ENUM_VALUES, SERVICE_METHODS = 2, 2


@dataclass(frozen=True)
class Told:
    """A thing of the contract with its comment."""

    comment: str


@dataclass(frozen=True)
class Field(Told):
    """A field of a message."""

    proto: FieldDescriptorProto
    oneof: str


@dataclass(frozen=True)
class Message(Told):
    """A message; `name` is its own after the package, with those that it is nested in."""

    name: str
    fields: list[Field]
    oneofs: list[tuple[str, str]]
    map_entry: bool


@dataclass(frozen=True)
class Enumeration(Told):
    """An enumeration with its values: name, number, comment."""

    name: str
    values: list[tuple[str, int, str]]


@dataclass(frozen=True)
class Method(Told):
    """An RPC."""

    proto: MethodDescriptorProto


@dataclass(frozen=True)
class Service(Told):
    """A service."""

    name: str
    methods: list[Method]


@dataclass
class Contract:
    """All of it, in the order of its files."""

    services: list[Service] = field(default_factory=list)
    messages: dict[str, Message] = field(default_factory=dict)
    enumerations: dict[str, Enumeration] = field(default_factory=dict)

    def entry_of(self, proto: FieldDescriptorProto) -> Message | None:
        """Return the message of a map's entries, None for a field that is no map."""
        message = self.messages.get(own_name(proto.type_name))
        return message if message is not None and message.map_entry else None


def read_contract(root: Path) -> Contract:
    """Compile the contract with its comments. Raises ToolError."""
    checkout = Checkout(root)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        place = home / "contract.binpb"
        options = ["--include_source_info", f"--descriptor_set_out={place}"]
        checkout.protoc([*options, *checkout.contract_files()], home, home)
        files = FileDescriptorSet.FromString(place.read_bytes()).file
    contract = Contract()
    for file in files:
        _File(file, contract).read()
    return contract


def own_name(type_name: str) -> str:
    """Return the name of a type within the contract's package; of another's the whole name."""
    return type_name.removeprefix(PACKAGE).removeprefix(".")


class _File:
    """One file that is being read."""

    def __init__(self, file: FileDescriptorProto, contract: Contract) -> None:
        self._file = file
        self._contract = contract
        self._comments = {
            tuple(location.path): _text(location.leading_comments or location.trailing_comments)
            for location in file.source_code_info.location
        }

    def read(self) -> None:
        """Add what the file holds."""
        for index, service in enumerate(self._file.service):
            self._contract.services.append(self._service((FILE_SERVICES, index), service))
        for index, message in enumerate(self._file.message_type):
            self._message((FILE_MESSAGES, index), message, "")
        for index, enumeration in enumerate(self._file.enum_type):
            self._enumeration((FILE_ENUMS, index), enumeration, "")

    def _comment(self, *path: int) -> str:
        return self._comments.get(path, "")

    def _service(self, path: tuple[int, ...], service: ServiceDescriptorProto) -> Service:
        methods = [
            Method(self._comment(*path, SERVICE_METHODS, index), method) for index, method in enumerate(service.method)
        ]
        return Service(self._comment(*path), service.name, methods)

    def _message(self, path: tuple[int, ...], message: DescriptorProto, within: str) -> None:
        name = f"{within}{message.name}"
        oneofs = [one.name for one in message.oneof_decl]
        fields = [
            Field(
                self._comment(*path, MESSAGE_FIELDS, index),
                each,
                oneofs[each.oneof_index] if each.HasField("oneof_index") and not each.proto3_optional else "",
            )
            for index, each in enumerate(message.field)
        ]
        told = [
            (one, self._comment(*path, MESSAGE_ONEOFS, index))
            for index, one in enumerate(oneofs)
            if any(each.oneof == one for each in fields)
        ]
        self._contract.messages[name] = Message(
            self._comment(*path), name, fields, told, map_entry=message.options.map_entry
        )
        for index, nested in enumerate(message.nested_type):
            self._message((*path, MESSAGE_NESTED, index), nested, f"{name}.")
        for index, enumeration in enumerate(message.enum_type):
            self._enumeration((*path, MESSAGE_ENUMS, index), enumeration, f"{name}.")

    def _enumeration(self, path: tuple[int, ...], enumeration: EnumDescriptorProto, within: str) -> None:
        name = f"{within}{enumeration.name}"
        values = [
            (value.name, value.number, self._comment(*path, ENUM_VALUES, index))
            for index, value in enumerate(enumeration.value)
        ]
        self._contract.enumerations[name] = Enumeration(self._comment(*path), name, values)


def _text(comment: str) -> str:
    return "\n".join(line.removeprefix(" ") for line in comment.strip("\n").splitlines())


def paragraphs(comment: str) -> Iterator[str]:
    """Return the paragraphs of a comment, each in one line."""
    for paragraph in comment.split("\n\n"):
        yield " ".join(paragraph.split())
