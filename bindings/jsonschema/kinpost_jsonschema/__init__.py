"""JSON Schemas, draft 2020-12, for tool arguments and events. Generated: do not edit."""

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
