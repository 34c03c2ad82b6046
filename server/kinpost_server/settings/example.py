"""`kinpost config`: a configuration in which every key is explained."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

import typer

from kinpost_server.settings.loading import DEFAULT_FILE, keys, sections

WIDTH = 100
HEAD = f"""\
# Every key of Kinpost with its default; what is commented out is as if it were not there. Kinpost reads it from
# {DEFAULT_FILE} in its folder, or from where --config or KINPOST_CONFIG say. An environment variable wins over the
# file, and an option of `kinpost serve` over both."""


def config() -> None:
    """Print a configuration in which every key is explained, with its default and its environment variable."""
    typer.echo(example(), nl=False)


def example() -> str:
    """Return the text: TOML with all keys commented out."""
    return "\n".join([HEAD, *_lines()]) + "\n"


def _lines() -> Iterator[str]:
    models = sections()
    section = ""
    for key in keys():
        if key.section != section:
            section = key.section
            yield f"\n# {(models[section].__doc__ or '').splitlines()[0]}\n[{section}]"
        about = f"{key.field.description}. {key.variable}"
        yield from textwrap.wrap(about, WIDTH, initial_indent="# ", subsequent_indent="# ")
        yield f"# {key.name} = {_toml(key.field.default)}"


def _toml(value: object) -> str:
    """Return a value as TOML writes it, which for these is as JSON does."""
    return json.dumps(value, ensure_ascii=False)
