"""The command `kinpost`. Its commands are entry points of the group `kinpost.commands`: functions or Typer apps.

Only the command that is asked for is imported.
"""

from __future__ import annotations

import io
import sys
from importlib.metadata import EntryPoint, entry_points, version
from typing import Annotated, Any

import typer
from kinpost.v1.version import PROTOCOL_VERSION
from typer.core import TyperGroup

from kinpost_cli.exit_codes import EPILOG, EXIT_INTERRUPTED

GROUP = "kinpost.commands"


class Commands(TyperGroup):
    """The commands that are installed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return their names, in order."""
        return sorted(entry_points(group=GROUP).names)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, None when there is none of this name."""
        return next((_command(point) for point in entry_points(group=GROUP, name=cmd_name)), None)


app = typer.Typer(cls=Commands, no_args_is_help=True, help="A durable post office for agents.", epilog=EPILOG)


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kinpost {version('kinpost')}, protocol {PROTOCOL_VERSION}")
        raise typer.Exit


@app.callback()
def _callback(
    *,
    tell_version: Annotated[
        bool, typer.Option("--version", help="Tell the version and exit", is_eager=True, callback=_tell_version)
    ] = False,
) -> None:
    """Everything is in the commands."""


def _command(point: EntryPoint) -> Any:
    target = point.load()
    if not isinstance(target, typer.Typer):
        single = typer.Typer(add_completion=False)
        single.command(point.name, epilog=EPILOG)(target)
        target = single
    command = typer.main.get_command(target)
    command.name = point.name
    return command


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What an encoding does not know is escaped: no output fails for it.
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
