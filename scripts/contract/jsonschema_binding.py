"""The JSON Schema binding: the arguments of each tool, the event, and the payload of each event."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorSet

from contract.checkout import Checkout
from contract.descriptors import own_files
from contract.python_binding import version_module

EVENT = "kinpost.v1.Event"

_PACKAGE = '''"""JSON Schemas, draft 2020-12, for tool arguments and events. Generated: do not edit."""

import json
from importlib.resources import files
from typing import Any

from kinpost_jsonschema.version import PROTOCOL_VERSION as PROTOCOL_VERSION

_SCHEMAS = files(__name__) / "schemas"


def _load(path: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((_SCHEMAS / path).read_text(encoding="utf-8"))
    return schema


def event_schema() -> dict[str, Any]:
    """Returns the schema of an event as protobuf's JSON printing writes it."""
    return _load(_load("index.json")["event"])


def payload_schemas() -> dict[str, dict[str, Any]]:
    """Returns the schema of each event payload, by its name in the event."""
    return {name: _load(path) for name, path in _load("index.json")["payloads"].items()}


def tool_schemas() -> dict[str, dict[str, Any]]:
    """Returns the schema of each tool's arguments, by the tool's name."""
    return {name: _load(path) for name, path in _load("index.json")["tools"].items()}
'''


def tool_schema_files(checkout: Checkout) -> dict[str, Path]:
    """Returns the file of each tool's argument schema: they live with the server, which serves their text."""
    folder = checkout.root / "server" / "kinpost_server" / "domain" / "tools"
    return {path.name.removesuffix(".schema.json"): path for path in sorted(folder.glob("*.schema.json"))}


def write_jsonschema(checkout: Checkout, contract: FileDescriptorSet, target: Path, home: Path) -> None:
    """Writes the package `kinpost_jsonschema` into the folder `target`; `contract` gives the names of payloads."""
    package = target / "kinpost_jsonschema"
    schemas = package / "schemas"
    for name in ("events", "tools"):
        (schemas / name).mkdir(parents=True, exist_ok=True)
    checkout.protoc(
        [
            f"--plugin=protoc-gen-jsonschema={checkout.root / 'scripts' / 'protoc-gen-jsonschema'}",
            f"--jsonschema_out={EVENT}:{schemas / 'events'}",
            "kinpost/v1/event.proto",
        ],
        home,
        home,
    )
    tools = tool_schema_files(checkout)
    for path in tools.values():
        shutil.copyfile(path, schemas / "tools" / path.name)
    (package / "__init__.py").write_text(_PACKAGE, encoding="utf-8")
    (package / "py.typed").write_text("", encoding="utf-8")
    version = checkout.protocol_version()
    (package / "version.py").write_text(version_module(version), encoding="utf-8")
    index = {
        "protocol_version": version,
        "event": "events/Event.schema.json",
        "payloads": {
            field.json_name: f"events/{field.type_name.rsplit('.', 1)[1]}.schema.json"
            for field in _payload_fields(contract)
        },
        "tools": {name: f"tools/{path.name}" for name, path in tools.items()},
    }
    (schemas / "index.json").write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")


def _payload_fields(contract: FileDescriptorSet) -> list[FieldDescriptorProto]:
    for file in own_files(contract):
        for message in file.message_type:
            if f"{file.package}.{message.name}" == EVENT:
                payload = [group.name for group in message.oneof_decl].index("payload")
                arms = (field for field in message.field if field.HasField("oneof_index"))
                return [field for field in arms if field.oneof_index == payload]
    raise ValueError(f"the contract has no {EVENT}")
