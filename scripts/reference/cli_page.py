"""The page of the command line, from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from kinpost_cli.exit_codes import EXIT_CODES
from kinpost_cli.main import app
from kinpost_server.settings import keys

from reference.markdown import code, heading, page, prose, table

INTRODUCTION = """\
`kinpost` talks to the server at `--address`, `KINPOST_ADDRESS`, or 127.0.0.1:7419.
Its token comes from `--token`, `--token-file` or `KINPOST_TOKEN`.
Without any of them, and for a server of this machine, it comes from `admin.token` in the data folder.
`kinpost COMMAND --help` says the same as this page; `kinpost --install-completion` sets up the shell.
"""


HEADS = ("argument or option", "what it is")
# Of every command that calls the server; told once.
CONNECTION = ("--address", "--token", "--token-file", "--tls", "--root-certificates", "--seconds")


def cli_page() -> str:
    """Return the page."""
    lines = [*INTRODUCTION.splitlines(), "", *heading(2, "Connection", "connection")]
    lines += ["Every command that calls the server has these options.", ""]
    lines += table(HEADS, _connection())
    lines += heading(2, "Exit codes", "exit-codes")
    lines += table(("code", "meaning"), [(code(number), meaning) for number, meaning in EXIT_CODES.items()])
    for words, command in commands():
        lines += _command(words, command)
    return page("Command line", lines)


def commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Return every command that does something, with its words after `kinpost`."""
    yield from _below((), typer.main.get_command(app))


def _below(words: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not hasattr(command, "list_commands"):
        yield words, command
        return
    for name in command.list_commands(None):
        yield from _below((*words, name), command.get_command(None, name))


def _connection() -> list[tuple[str, str]]:
    command = next(command for words, command in commands() if words == ("tree",))
    return [_row(parameter) for parameter in command.params if parameter.opts[0] in CONNECTION]


def _command(words: tuple[str, ...], command: Any) -> Iterator[str]:
    name = " ".join(words)
    yield from heading(2, f"kinpost {name}", "-".join(words))
    for line in (command.help or "").strip().splitlines():
        yield prose(line.strip())
    yield ""
    calls = all(any(option in parameter.opts for parameter in command.params) for option in CONNECTION)
    told_elsewhere = {key.option for key in keys()} if words == ("serve",) else set(CONNECTION if calls else ())
    own = [parameter for parameter in command.params if not told_elsewhere & set(parameter.opts)]
    yield from table(HEADS, [_row(parameter) for parameter in own])
    if words == ("serve",):
        yield "Each key of the [settings](settings.md) is an option too."
        yield ""
    if calls:
        yield "And the [options of the connection](#connection)."
        yield ""


def _row(parameter: Any) -> tuple[str, str]:
    names = [*parameter.opts, *parameter.secondary_opts]
    if parameter.param_type_name == "argument":
        names = [parameter.name.upper()]
    about = (getattr(parameter, "help", None) or "").replace("\\[", "[").strip()
    ended = about if not about or about.endswith(".") else f"{about}."
    required = " Required." if parameter.required and parameter.param_type_name != "argument" else ""
    return ", ".join(code(name) for name in names), prose(ended + required)
