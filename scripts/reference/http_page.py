"""The page of the HTTP routes, from their OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

from kinpost_server.engine.engine import Engine
from kinpost_server.transport.http.routes import Routes
from kinpost_server.transport.limits import HttpLimits

from reference.markdown import code, heading, page, prose, table

INTRODUCTION = """\
Peer mail over HTTP, by default on 127.0.0.1:19519; see [how to use it](../how-to/peer-mail.md).
The server tells the same as an OpenAPI document, at `/openapi.json`.
Every route but the retired one needs `Authorization: Bearer TOKEN`.
Errors are JSON, with `ok` false and the name of the [error](errors.md) in `error`.
"""


def http_page() -> str:
    """Return the page."""
    document = http_document()
    lines = [*INTRODUCTION.splitlines(), ""]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            lines += _operation(f"{method.upper()} {path}", operation)
    lines += heading(2, "Answers and bodies", "schemas")
    for name, schema in sorted(document["components"]["schemas"].items()):
        lines += heading(3, name, name.lower())
        lines += _schema(schema)
    return page("HTTP routes", lines)


def http_document() -> dict[str, Any]:
    """Return the document, which needs no engine."""
    nobody = cast("Engine", SimpleNamespace(peer=None, caller_of=None, look_for_tokens=None))
    return Routes(nobody, HttpLimits()).application().openapi()


def _operation(title: str, operation: dict[str, Any]) -> Iterator[str]:
    anchor = title.lower().replace("{", "").replace("}", "").replace("/", "-").replace(" ", "")
    yield from heading(2, code(title), anchor)
    yield prose(operation.get("description", "").strip())
    yield ""
    parameters = operation.get("parameters", [])
    rows = [(code(each["name"]), each["in"], _type(each["schema"]), _about(each)) for each in parameters]
    yield from table(("parameter", "in", "type", "what it is"), rows)
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body is not None:
        yield "Body:"
        yield ""
        yield from _schema(body)
    yield from table(
        ("status", "what it means", "answer"), [_response(*each) for each in operation["responses"].items()]
    )


def _about(parameter: dict[str, Any]) -> str:
    about = prose(parameter.get("description", ""))
    return (
        f"{about}{'' if not about or about.endswith('.') else '.'}{' Required.' if parameter.get('required') else ''}"
    )


def _response(http_status: str, response: dict[str, Any]) -> tuple[str, str, str]:
    schema = response.get("content", {}).get("application/json", {}).get("schema", {})
    return http_status, prose(response["description"]), _type(schema)


def _schema(schema: dict[str, Any]) -> Iterator[str]:
    needed = schema.get("required", [])
    rows = []
    for name, field in schema.get("properties", {}).items():
        about = prose(field.get("description", ""))
        rows.append((code(name), _type(field), "yes" if name in needed else "no", about))
    told = any(row[3] for row in rows)
    heads = ("field", "type", "always there", "what it is")
    yield from table(heads if told else heads[:3], rows if told else [row[:3] for row in rows])


def _type(schema: dict[str, Any]) -> str:
    """Return a schema in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " or ".join(dict.fromkeys(_type(each) for each in schema[union]))
    if "const" in schema:
        return code(json.dumps(schema["const"]))
    if "enum" in schema:
        return ", ".join(code(json.dumps(value)) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return prose(" ".join([str(schema.get("type", "any")), *_limits(schema)]))


def _limits(schema: dict[str, Any]) -> Iterator[str]:
    words = {"format": "", "minLength": "from ", "minimum": "from ", "maxLength": "to ", "maximum": "to "}
    for name, word in words.items():
        if name in schema:
            yield f"{word}{schema[name]:,}" if word else f"({schema[name]})"
