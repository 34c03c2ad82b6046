"""What the commands have in common: the options of the connection, and how they end."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from kinpost_cli import calls
from kinpost_cli.connection import (
    ADDRESS_VARIABLE,
    ADMIN_TOKEN_FILE,
    DEFAULT_ADDRESS,
    DEFAULT_FOLDER,
    FOLDER_VARIABLE,
    TOKEN_VARIABLE,
    read_connection,
)
from kinpost_cli.endings import WrongUse, endings
from kinpost_cli.exit_codes import EPILOG, EXIT_USAGE

PANEL = "Connection"
SECONDS = 10.0
SEQ_MAX = 2**63 - 1

OPTIONS: dict[str, tuple[Any, Any]] = {
    "address": (
        str | None,
        typer.Option(
            "--address",
            metavar="HOST:PORT",
            help=f"The server. Environment: {ADDRESS_VARIABLE}. Default: {DEFAULT_ADDRESS}",
            rich_help_panel=PANEL,
        ),
    ),
    "token": (
        str | None,
        typer.Option(
            "--token",
            metavar="SECRET",
            help="The bearer token; others on this machine can see it. "
            f"Environment: {TOKEN_VARIABLE}. Default, for a server of this machine: the file {ADMIN_TOKEN_FILE} in "
            f"{FOLDER_VARIABLE}, else in ./{DEFAULT_FOLDER}, if it can be read",
            rich_help_panel=PANEL,
        ),
    ),
    "token_file": (
        Path | None,
        typer.Option("--token-file", metavar="FILE", help="A file with the token", rich_help_panel=PANEL),
    ),
    "tls": (
        bool | None,
        typer.Option(
            "--tls/--no-tls",
            help="Default: TLS, but for a server of this machine",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ),
    "root_certificates": (
        Path | None,
        typer.Option(
            "--root-certificates",
            metavar="FILE",
            help="Trust these certificates, PEM, in place of the system's; implies TLS",
            rich_help_panel=PANEL,
        ),
    ),
    "seconds": (
        float,
        typer.Option(
            "--seconds", metavar="NUMBER", help="How long to wait for an answer, 0.1 to 3600", rich_help_panel=PANEL
        ),
    ),
}

SessionName = Annotated[
    str, typer.Argument(metavar="SESSION", help="Its id, its handle, or the beginning of either if only one fits")
]
TreeName = Annotated[
    str | None, typer.Option("--tree", metavar="SESSION", help="Only the tree of this session, named as elsewhere")
]
AsJson = Annotated[bool, typer.Option("--json", help="For programs: one JSON object a line")]
Reason = Annotated[str, typer.Option("--reason", help="For people and for the log, at most 1024 bytes")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask")]


def group(about: str) -> typer.Typer:
    """Return an empty group of commands."""
    return typer.Typer(no_args_is_help=True, add_completion=False, help=about, epilog=EPILOG)


def with_options(function: Callable[..., None], run: Callable[..., None], own: list[inspect.Parameter]) -> Any:
    """Return `run` as a command named and described as `function`, with its own options and a connection's."""
    theirs = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=SECONDS if name == "seconds" else None,
            annotation=Annotated[kind, option],
        )
        for name, (kind, option) in OPTIONS.items()
    ]
    functools.update_wrapper(run, function)
    del vars(run)["__wrapped__"]  # typer reads the signature of what is wrapped, and this one has options of its own
    parameters = [*(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own), *theirs]
    vars(run)["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def connected(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command a connection: its first parameter is the service's calls, its failures become exit codes."""
    hints = get_type_hints(function, include_extras=True)
    _, *own = inspect.signature(function).parameters.values()

    def run(**options: Any) -> None:
        given = {name: options.pop(name) for name in OPTIONS}
        with endings():
            _check_text(options.values())
        with endings(), calls.open_calls(read_connection(**given)) as opened:
            function(opened, **options)

    made: Callable[..., None] = with_options(
        function, run, [parameter.replace(annotation=hints[parameter.name]) for parameter in own]
    )
    return made


def _check_text(values: Iterable[Any]) -> None:
    """Raise WrongUse for text that was not UTF-8 in the shell: nothing can carry it to the server."""
    for value in values:
        for text in value if isinstance(value, list) else [value]:
            try:
                str(text).encode()
            except UnicodeEncodeError:
                raise WrongUse("an argument is not UTF-8") from None


def seq_from(least: int) -> Callable[[str], int]:
    """Return what reads the place of an event in a session's log, `least` or more."""

    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(SEQ_MAX)) else -1
        if not least <= number <= SEQ_MAX:
            raise typer.BadParameter(f"{text!r} is no place in a log: {least} or more")
        return number

    return read


def confirm(question: str, *, yes: bool) -> None:
    """Ask before what cannot be undone. Raises WrongUse where nobody is there to be asked, typer.Exit after a no."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise WrongUse(f"{question} Nobody is here to be asked", "say --yes")
    if not typer.confirm(question, err=True):
        raise typer.Exit(EXIT_USAGE)
