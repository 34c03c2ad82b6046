"""`kinpost doctor --data`: whether a data folder is what its log says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kinpost_server.engine.ports import StoreFailed
from kinpost_server.settings import SettingsFault, load
from kinpost_server.store.examining import Difference, Examined, examine
from kinpost_server.store.opening import DATABASE_FILE, is_postgres
from kinpost_server.store.read_only import ReadOnlySqlite
from kinpost_server.transport.event_codec import decode

EXIT_DIFFERENCES = 1
EXIT_DATA = 3
SHOWN_MAX = 1000  # in the table for people
HEADINGS = ("session", "table", "row", "column", "expected", "found")


def examine_data(data: Path, *, as_json: bool) -> None:
    """Rebuild every projection of a data folder from its log and report what differs. Changes nothing.

    A server may be running: then one moment of its data is looked at. With `as_json`, each difference is one JSON
    object a line. Raises typer.Exit with 1 when there are differences, 3 when the data cannot be read.
    """
    path = data / DATABASE_FILE
    if not path.exists() and is_postgres(_configured_url()):
        typer.echo(
            "kinpost: the configured database is PostgreSQL's, which this cannot examine; "
            "pg_dump to a file and pg_amcheck show whether it can be read",
            err=True,
        )
        raise typer.Exit(EXIT_DATA)
    server = ReadOnlySqlite(path).server()
    if server:
        typer.echo(
            f"kinpost: a server is running on {data} (process {server}); this is one moment of its data", err=True
        )
    lines = _Lines() if as_json else _Rows()
    try:
        examined = examine(path, decode, lines.add)
    except StoreFailed as fault:
        typer.echo(f"kinpost: {fault}", err=True)
        raise typer.Exit(EXIT_DATA) from None
    lines.end(examined)
    if lines.count:
        raise typer.Exit(EXIT_DIFFERENCES)


def _configured_url() -> str:
    try:
        return load({}, None).storage.database_url
    except SettingsFault:
        return ""  # what is wrong with it is for `serve` to tell


class _Lines:
    """Differences for programs, as they come."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, difference: Difference) -> None:
        self.count += 1
        sys.stdout.write(f"{json.dumps(difference._asdict())}\n")

    def end(self, examined: Examined) -> None:
        sys.stdout.flush()


class _Rows:
    """Differences for people."""

    def __init__(self) -> None:
        self.count = 0
        self._shown: list[Difference] = []

    def add(self, difference: Difference) -> None:
        self.count += 1
        if len(self._shown) < SHOWN_MAX:
            self._shown.append(difference)

    def end(self, examined: Examined) -> None:
        events = examined.events
        if self.count == 0:
            typer.echo(f"sound: {events} events, and every projection is what they make")
        if examined.sessions_dropped:
            typer.echo(f"not rebuilt: {examined.sessions_dropped} sessions, whose older events are no longer kept")
        if self.count == 0:
            return
        table = Table(box=None, pad_edge=False)
        for heading in HEADINGS:
            table.add_column(heading, overflow="fold")
        for difference in self._shown:
            table.add_row(*(Text(str(value)) for value in difference))  # what was found is nobody's markup
        Console().print(table)
        more = self.count - len(self._shown)
        typer.echo(f"{self.count} differences in {events} events" + (f"; {more} are not shown" if more else ""))
