"""What is wrong with a setting, in words: each names the key, and what was probably meant."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel


def told(error: Any, sections: Mapping[str, type[BaseModel]], prefix: str) -> str:
    """Return a fault of the merged settings, which is one of the environment or of an option: the file was checked."""
    section, *rest = (str(part) for part in error["loc"])
    variable = f"{prefix}{section}__{rest[0]}".upper() if rest else ""
    set_by_variable = {name.upper() for name in os.environ}
    found = f"{variable}: " if variable in set_by_variable else ""
    return f"{found}{why(section, {**error, 'loc': rest}, sections)}"


def why(section: str, error: Any, sections: Mapping[str, type[BaseModel]]) -> str:
    """Return what pydantic has against a key of a section."""
    key = ".".join(str(part) for part in error["loc"]) or section
    if error["type"] == "extra_forbidden":
        model = sections.get(section)
        known = model.model_fields if model is not None else ()
        return f"[{section}] {key}: there is no such key{nearest(key, known)}"
    message = error["msg"]
    return f"[{section}] {key}: {message[:1].lower()}{message[1:]}"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that was probably meant, as the end of a sentence; empty when none is near."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""
