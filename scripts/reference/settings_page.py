"""The page of all settings, from the sections' models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import get_args

from kinpost_server.settings import Key, keys, sections

from reference.markdown import code, heading, page, prose, table

INTRODUCTION = """\
Each key can be given in three ways.
What is nearer wins: an option of `kinpost serve`, then an environment variable, then a key of `kinpost.toml`.
`kinpost config` prints such a file with every key and its default.
A name that does not exist, a value of the wrong type and a value out of bounds are refused at the start.
The message names the key.

"""


def settings_page() -> str:
    """Return the page."""
    return page("Settings", [*INTRODUCTION.splitlines(), *_sections()])


def _sections() -> Iterator[str]:
    for name, model in sections().items():
        yield from heading(2, f"[{name}]", name)
        yield from [f"{prose(line)}." for line in (model.__doc__ or "").strip().splitlines()]
        yield ""
        rows = [_row(key) for key in keys() if key.section == name]
        yield from table(("key", "default", "bounds", "what it is"), rows)


def _row(key: Key) -> tuple[str, str, str, str]:
    names = f"**{code(key.name)}**<br>{code(key.option)}<br>{code(key.variable)}"
    default = code(json.dumps(key.field.default, ensure_ascii=False))
    return names, default, _bounds(key), prose(f"{key.field.description}.")


def _bounds(key: Key) -> str:
    """Return what values are taken, beyond their type."""
    choices = get_args(key.field.annotation)
    if choices:
        return ", ".join(code(choice) for choice in choices)
    found = {
        name: getattr(bound, name) for bound in key.field.metadata for name in ("ge", "le") if hasattr(bound, name)
    }
    ends = [f"{found['ge']:,}"] if "ge" in found else []
    ends += [f"{found['le']:,}"] if "le" in found else []
    return " to ".join(ends)
