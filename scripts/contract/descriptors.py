"""The contract as protobuf describes it: compiled, and boiled down to a digest."""

from __future__ import annotations

import hashlib
from pathlib import Path

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from contract.checkout import Checkout


def compile_contract(checkout: Checkout, home: Path) -> FileDescriptorSet:
    """Compiles the contract with all that it imports, without comments; raises ToolError when it does not."""
    place = home / "contract.binpb"
    checkout.protoc(["--include_imports", f"--descriptor_set_out={place}", *checkout.contract_files()], home, home)
    return FileDescriptorSet.FromString(place.read_bytes())


def own_files(contract: FileDescriptorSet) -> list[FileDescriptorProto]:
    """Returns copies of the files that are the contract's own, not imported from elsewhere, by name."""
    copies = FileDescriptorSet()
    copies.CopyFrom(contract)
    ours = (file for file in copies.file if not file.package.startswith("google."))
    return sorted(ours, key=lambda file: file.name)


def digest(contract: FileDescriptorSet) -> str:
    """Returns a digest of the contract that neither comments nor the order of files change."""
    hashed = hashlib.sha256()
    for file in own_files(contract):
        hashed.update(file.SerializeToString(deterministic=True))
    return f"sha256:{hashed.hexdigest()}"


def message_of(field: FieldDescriptor) -> Descriptor:
    """Returns the message type of a field that has one; raises ValueError when it has none."""
    if field.message_type is None:
        raise ValueError(f"{field.full_name} is no message")
    return field.message_type


def enum_of(field: FieldDescriptor) -> EnumDescriptor:
    """Returns the enum type of a field that has one; raises ValueError when it has none."""
    if field.enum_type is None:
        raise ValueError(f"{field.full_name} is no enum")
    return field.enum_type


def is_map(field: FieldDescriptor) -> bool:
    """Whether a field is a map, which descriptors show as a repeated message of keys and values."""
    return field.type == FieldDescriptor.TYPE_MESSAGE and message_of(field).GetOptions().map_entry
