"""What differs between two states of the contract, in names that a person knows."""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.descriptor_pb2 import DescriptorProto, EnumDescriptorProto, FileDescriptorSet

from contract.descriptors import own_files


def changes(old: FileDescriptorSet, new: FileDescriptorSet) -> list[str]:
    """Returns one line for each file, message, field, enum, value, service and RPC that is not the same."""
    before, after = dict(_parts(old)), dict(_parts(new))
    lines = [f"added {_quoted(name)}" for name in after if name not in before]
    lines += [f"removed {_quoted(name)}" for name in before if name not in after]
    lines += [f"changed {_quoted(name)}" for name in after if name in before and after[name] != before[name]]
    return lines


def _quoted(name: str) -> str:
    kind, _, what = name.partition(" ")
    return f"{kind} `{what}`"


def _parts(contract: FileDescriptorSet) -> Iterator[tuple[str, bytes]]:
    for file in own_files(contract):
        for message in file.message_type:
            yield from _message_parts(f"{file.package}.{message.name}", message)
        for enum in file.enum_type:
            yield from _enum_parts(f"{file.package}.{enum.name}", enum)
        for service in file.service:
            name = f"{file.package}.{service.name}"
            for method in service.method:
                yield f"rpc {name}/{method.name}", method.SerializeToString(deterministic=True)
            del service.method[:]
            yield f"service {name}", service.SerializeToString(deterministic=True)
        for parts in (file.message_type, file.enum_type, file.service):
            del parts[:]
        yield f"file {file.name}", file.SerializeToString(deterministic=True)


def _message_parts(name: str, message: DescriptorProto) -> Iterator[tuple[str, bytes]]:
    for field in message.field:
        yield f"field {name}.{field.name}", field.SerializeToString(deterministic=True)
    for nested in message.nested_type:
        yield from _message_parts(f"{name}.{nested.name}", nested)
    for enum in message.enum_type:
        yield from _enum_parts(f"{name}.{enum.name}", enum)
    # What is left: names of oneofs, reserved numbers, options.
    rest = DescriptorProto()
    rest.CopyFrom(message)
    for parts in (rest.field, rest.nested_type, rest.enum_type):
        del parts[:]
    yield f"message {name}", rest.SerializeToString(deterministic=True)


def _enum_parts(name: str, enum: EnumDescriptorProto) -> Iterator[tuple[str, bytes]]:
    for value in enum.value:
        yield f"value {name}.{value.name}", value.SerializeToString(deterministic=True)
    rest = EnumDescriptorProto()
    rest.CopyFrom(enum)
    del rest.value[:]
    yield f"enum {name}", rest.SerializeToString(deterministic=True)
