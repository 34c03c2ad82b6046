"""JSON bodies, read strictly: one object, each name once, no numbers that are none, and only the fields of its form."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kinpost_server.domain.peer_errors import InvalidPayload

NAME_CHARACTERS_MAX = 64
BODY = "body"

Form = TypeVar("Form", bound=BaseModel)


def read_form(data: bytes, form: type[Form]) -> Form:
    """Return the body as this form. Raises InvalidPayload, naming the field that is at fault."""
    fields = read_object(data)
    for name, value in fields.items():
        if name not in _names(form):
            raise InvalidPayload(_shown(name), "is not a field of this body")
        if value is None:
            raise InvalidPayload(name, "is null; leave it out instead")
    try:
        return form.model_validate(fields)
    except ValidationError as fault:
        error = fault.errors(include_url=False, include_context=False, include_input=False)[0]
        first, *rest = error["loc"] or (BODY,)
        field = f"{first}[{rest[0]}]" if rest and isinstance(rest[0], int) else str(first)
        detail = "is missing" if error["type"] == "missing" else _lower(error["msg"])
        raise InvalidPayload(field, detail) from None


def read_object(data: bytes) -> dict[str, Any]:
    """Return a JSON object. Raises InvalidPayload."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InvalidPayload(BODY, "is not UTF-8") from None
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except RecursionError:
        raise InvalidPayload(BODY, "is nested too deeply") from None
    except ValueError as fault:  # of the parser, or a number of too many digits
        words = fault.msg if isinstance(fault, json.JSONDecodeError) else "it holds a number that cannot be read"
        raise InvalidPayload(BODY, f"is not JSON: {_lower(words)}") from None
    if not isinstance(value, dict):
        raise InvalidPayload(BODY, "is not an object")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InvalidPayload(_shown(name), "is there twice")
        found[name] = value
    return found


def _no_number(word: str) -> float:
    raise InvalidPayload(BODY, f"holds {word}, which is no number of JSON")


def _names(form: type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in form.model_fields.items()}


def _shown(name: str) -> str:
    """Return a field's name as it may be shown: the caller chose it."""
    shown = name if len(name) <= NAME_CHARACTERS_MAX else f"{name[:NAME_CHARACTERS_MAX]}…"
    return shown if shown.isprintable() else ascii(shown)


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]
