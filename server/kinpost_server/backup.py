"""`kinpost backup` and `kinpost restore`: a data folder's database, copied while it is used and put back elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import Progress

from kinpost_server.engine.ports import StoreFailed
from kinpost_server.settings import SettingsFault, load
from kinpost_server.store.copying import BackupDamaged, Copied, back_up
from kinpost_server.store.copying import restore as put_back
from kinpost_server.store.opening import DATABASE_FILE, is_postgres
from kinpost_server.store.read_only import ReadOnlySqlite

EXIT_DAMAGED = 1
EXIT_DATA = 3
MEBIBYTE = 1 << 20

Folder = Annotated[
    Path, typer.Option("--data", help="Folder of the database", envvar="KINPOST_STORAGE__DATA_FOLDER", metavar="FOLDER")
]
DEFAULT_FOLDER = Path("kinpost-data")


def backup(
    file: Annotated[Path, typer.Argument(help="Where the backup is written; must not be there", metavar="FILE")],
    data: Folder = DEFAULT_FOLDER,
) -> None:
    """Copy the database into one file, of one moment, and check it. A server may go on writing meanwhile.

    The file holds all mail and, as digests, all tokens; it is made for its owner only. Keep `admin.token` as well: the
    database does not hold it.

    Ends with 0 when the backup is there, 1 when the copy was damaged, 2 for a wrong use, 3 when the data or the file
    cannot be used.
    """
    refuse_postgres(data, "back it up with pg_dump, which copies one moment of it while it is used")
    copied = _copy(lambda progress: back_up(data / DATABASE_FILE, file, progress))
    typer.echo(f"{file}: {copied.bytes / MEBIBYTE:.1f} MiB, {copied.last_position} events, of log {copied.log_id}")


def restore(
    file: Annotated[Path, typer.Argument(help="A backup", metavar="FILE")],
    data: Folder = DEFAULT_FOLDER,
) -> None:
    """Put a backup into a data folder that has no database, and check it; start the server on it afterwards.

    The restored log has an id of its own, so that subscribers notice: what happened after the backup is not in it.
    Tokens of the backup hold, those that were revoked since too: revoke them anew. Put `admin.token` back beside it.

    Ends with 0 when the database is there, 1 when the backup is damaged, 2 for a wrong use, 3 when the file or the
    folder cannot be used.
    """
    refuse_postgres(data, "put a dump back with pg_restore, into an empty database")
    target = data / DATABASE_FILE
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as fault:
        _end(f"cannot use the data folder {data}: {fault.strerror}")
    server = ReadOnlySqlite(target).server()
    if server:
        _end(f"a server is running on {data} (process {server})")
    if any(target.with_name(f"{target.name}{suffix}").exists() for suffix in ("", "-wal", "-journal")):
        _end(f"{target} is there already: move it away, or restore into another folder")
    copied = _copy(lambda progress: put_back(file, target, progress))
    typer.echo(f"{target}: {copied.last_position} events, as log {copied.log_id}")


def refuse_postgres(data: Path, instead: str) -> None:
    """End with 3 when the configuration names PostgreSQL and the data folder holds no SQLite file to speak of."""
    try:
        url = load({}, None).storage.database_url
    except SettingsFault:
        return  # what is wrong with it is for `serve` to tell
    if is_postgres(url) and not (data / DATABASE_FILE).exists():
        _end(f"the configured database is PostgreSQL's: {instead}")


def _copy(copy: Callable[[Callable[[int, int], None]], Copied]) -> Copied:
    try:
        with _shown() as progress:
            return copy(progress)
    except BackupDamaged as fault:
        _end(str(fault), EXIT_DAMAGED)
    except StoreFailed as fault:
        _end(str(fault))


@contextmanager
def _shown() -> Iterator[Callable[[int, int], None]]:
    """Show how far it is, on a terminal, on standard error."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("copying", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _end(why: str, code: int = EXIT_DATA) -> NoReturn:
    typer.echo(f"kinpost: {why}", err=True)
    raise typer.Exit(code)
