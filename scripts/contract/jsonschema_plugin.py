"""The protoc plugin's work: descriptors in, one self-contained JSON Schema (draft 2020-12) a message out.

A field at its default is not printed, so no field is required; a name that the contract does not have is
refused; at most one arm of a oneof may be there. What a value looks like is in `jsonschema_rules`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from google.protobuf import descriptor_pool
from google.protobuf.compiler import plugin_pb2
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from contract.descriptors import enum_of, is_map, message_of
from contract.jsonschema_rules import WELL_KNOWN, Schema, enum_schema, map_key_schema, scalar_schema

DRAFT = "https://json-schema.org/draft/2020-12/schema"

# Field numbers in google/protobuf/descriptor.proto, of which the paths of comments are made.
_FILE_MESSAGE, _FILE_ENUM, _MESSAGE_FIELD, _MESSAGE_NESTED, _MESSAGE_ENUM = 4, 5, 2, 3, 4


class Comments:
    """The comment before each message, enum and field, by full name."""

    def __init__(self, files: list[FileDescriptorProto]) -> None:
        self._texts: dict[tuple[str, tuple[int, ...]], str] = {}
        for file in files:
            for location in file.source_code_info.location:
                text = " ".join(location.leading_comments.split())
                self._texts[file.name, tuple(location.path)] = text

    def of(self, thing: Descriptor | EnumDescriptor | FieldDescriptor) -> Schema:
        """Returns the comment as a schema's description, or nothing."""
        text = self._texts.get(self._place(thing), "")
        return {"description": text} if text else {}

    def _place(self, thing: Descriptor | EnumDescriptor | FieldDescriptor) -> tuple[str, tuple[int, ...]]:
        """The file of a thing and its path in the file's descriptor."""
        parent = thing.containing_type
        if isinstance(thing, FieldDescriptor):
            if parent is None:
                raise ValueError(f"{thing.full_name} is an extension")
            file, path = self._place(parent)
            return file, (*path, _MESSAGE_FIELD, thing.index)
        message = isinstance(thing, Descriptor)
        if parent is None:
            names = thing.file.message_types_by_name if message else thing.file.enum_types_by_name
            number = _FILE_MESSAGE if message else _FILE_ENUM
            return thing.file.name, (number, list(names).index(thing.name))
        names = parent.nested_types_by_name if message else parent.enum_types_by_name
        file, path = self._place(parent)
        return file, (*path, _MESSAGE_NESTED if message else _MESSAGE_ENUM, list(names).index(thing.name))


class SchemaOf:
    """The schema of one message, with everything it refers to under `$defs`."""

    def __init__(self, message: Descriptor, comments: Comments) -> None:
        self._root = message
        self._comments = comments
        self._definitions: dict[str, Schema] = {}

    def build(self) -> Schema:
        """Returns the whole schema; raises ValueError for a type whose JSON form is not known."""
        body = self._message(self._root)
        schema = {"$schema": DRAFT, "title": self._root.full_name, **body}
        if self._definitions:
            schema["$defs"] = dict(sorted(self._definitions.items()))
        return schema

    def _message(self, message: Descriptor) -> Schema:
        schema: Schema = {
            **self._comments.of(message),
            "type": "object",
            "properties": {field.json_name: self._field(field) for field in message.fields},
            "additionalProperties": False,
        }
        choices = [self._at_most_one(group.fields) for group in message.oneofs if len(group.fields) > 1]
        if choices:
            schema["allOf"] = choices
        return schema

    @staticmethod
    def _at_most_one(fields: Sequence[FieldDescriptor]) -> Schema:
        present = [{"required": [field.json_name]} for field in fields]
        return {"oneOf": [*present, {"not": {"anyOf": present}}]}

    def _field(self, field: FieldDescriptor) -> Schema:
        comment = self._comments.of(field)
        if is_map(field):
            entry = message_of(field).fields_by_name
            key, value = entry["key"], entry["value"]
            keys = map_key_schema(key.type)
            names = {"propertyNames": keys} if keys else {}
            return {**comment, "type": "object", **names, "additionalProperties": self._value(value)}
        if field.is_repeated:
            return {**comment, "type": "array", "items": self._value(field)}
        return {**comment, **self._value(field)}

    def _value(self, field: FieldDescriptor) -> Schema:
        if field.type == FieldDescriptor.TYPE_ENUM:
            enum = enum_of(field)
            return self._reference(enum.full_name, lambda: {**self._comments.of(enum), **enum_schema(enum)})
        if field.type != FieldDescriptor.TYPE_MESSAGE:
            return scalar_schema(field.type)
        message = message_of(field)
        if message.full_name in WELL_KNOWN:
            return WELL_KNOWN[message.full_name]
        if message.full_name.startswith("google.protobuf."):
            raise ValueError(f"no JSON form is known for {message.full_name}")
        if message is self._root:
            return {"$ref": "#"}
        return self._reference(message.full_name, lambda: self._message(message))

    def _reference(self, name: str, make: Callable[[], Schema]) -> Schema:
        if name not in self._definitions:
            self._definitions[name] = {}
            self._definitions[name] = make()
        return {"$ref": f"#/$defs/{name}"}


def answer(request_bytes: bytes) -> bytes:
    """Answers one request of protoc.

    The parameter names the messages to write, with a plus sign between them. Each gets a file, and so does
    every message that is an arm of one of its oneofs.
    """
    request = plugin_pb2.CodeGeneratorRequest.FromString(request_bytes)
    response = plugin_pb2.CodeGeneratorResponse(
        supported_features=plugin_pb2.CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL
    )
    pool = descriptor_pool.DescriptorPool()
    for file in request.proto_file:
        pool.Add(file)  # protoc sends them in the order of their imports
    comments = Comments(list(request.proto_file))
    try:
        for root_name in filter(None, request.parameter.split("+")):
            root = pool.FindMessageTypeByName(root_name)
            arms = [
                message_of(field)
                for group in root.oneofs
                for field in group.fields
                if field.type == FieldDescriptor.TYPE_MESSAGE
            ]
            for message in (root, *arms):
                text = json.dumps(SchemaOf(message, comments).build(), indent=2, ensure_ascii=False)
                response.file.add(name=f"{message.name}.schema.json", content=text + "\n")
    except (KeyError, ValueError) as error:
        response.error = str(error)
    return response.SerializeToString()
