"""`kinpost watch`: the terminal UI, which is imported when it opens."""

from __future__ import annotations

import asyncio
import inspect
import sys
from typing import Annotated, Any

import typer

from kinpost_cli import calls
from kinpost_cli.command import OPTIONS, with_options
from kinpost_cli.connection import read_connection
from kinpost_cli.endings import WrongUse, endings
from kinpost_cli.naming import find_session


def _watch(session: str | None = None, light: bool = False) -> None:
    """Watch sessions and their mail in the terminal, and answer what waits for a person. ? shows all keys.

    It needs a token of kind admin, approver or observer; the last may only look.
    """


def _run(*, session: str | None, light: bool, **options: Any) -> None:
    with endings():
        connection = read_connection(**{name: options[name] for name in OPTIONS})
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise WrongUse("kinpost watch needs a terminal", "`kinpost events --follow` writes into files and pipes")
        if connection.token is None:
            raise WrongUse(f"no token; {connection.token_source}", "give one with --token-file or KINPOST_TOKEN")
        root_session_id = session_id = None
        if session is not None:
            with calls.open_calls(connection) as opened:
                found = find_session(opened, session)
            root_session_id, session_id = found.root_session_id, found.session_id

        from kinpost_watch.running import run

        asyncio.run(
            run(
                connection.address,
                connection.token,
                tls=connection.tls,
                root_certificates=connection.root_certificates,
                seconds=connection.seconds,
                root_session_id=root_session_id,
                session_id=session_id,
                light=light,
            )
        )


watch = with_options(
    _watch,
    _run,
    [
        inspect.Parameter(
            "session",
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                str | None,
                typer.Argument(metavar="SESSION", help="Only its tree, beginning with its log; without, all trees"),
            ],
        ),
        inspect.Parameter(
            "light",
            inspect.Parameter.KEYWORD_ONLY,
            default=False,
            annotation=Annotated[bool, typer.Option("--light", help="Begin with light colours; t changes them")],
        ),
    ],
)
