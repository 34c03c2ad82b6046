"""`kinpost demo`: the demonstration, from the installed package."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from typing import Annotated

import typer
from rich.console import Console

from kinpost_demo.main import LIMIT_SECONDS, demonstrate

EXIT_USAGE = 2


def demo(
    *,
    seconds: Annotated[float, typer.Option(min=1, help="Give up after so long")] = LIMIT_SECONDS,
    python: Annotated[
        bool, typer.Option("--python", help="Run both runtimes in Python, also where Node is installed")
    ] = False,
    database: Annotated[str, typer.Option(metavar="URL", help="A PostgreSQL database that is empty")] = "",
) -> None:
    """Watch three agents, in two processes, write to each other through a real server of their own.

    Needs no other server, and leaves nothing behind.
    """
    if find_spec("pydantic_ai") is None:
        typer.echo("kinpost: the demo needs pydantic-ai", err=True)
        typer.echo("  next: pip install 'kinpost[demo]'", err=True)
        raise typer.Exit(EXIT_USAGE)
    code = asyncio.run(demonstrate(Console(highlight=False), seconds, typescript=not python, database=database))
    raise typer.Exit(code)
