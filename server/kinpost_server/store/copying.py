"""Backups of a SQLite database: taken while a server writes, checked before they are named, restored as a new log."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from kinpost_server.engine.ports import StoreFailed
from kinpost_server.store.columns import id_to_bytes
from kinpost_server.store.read_only import ReadOnlySqlite

PAGES_AT_A_TIME = 4096
UNFINISHED = ".unfinished"

Progress = Callable[[int, int], None]


class BackupDamaged(StoreFailed):
    """The copy is not sound; it was not given its name."""


class Copied(NamedTuple):
    """What a backup holds."""

    bytes: int
    last_position: int
    log_id: str


def back_up(source: Path, target: Path, progress: Progress) -> Copied:
    """Copy the database at one moment of it into a new file, and check the copy.

    The server goes on writing meanwhile. `progress` gets the pages done and all of them. The file is for its owner
    only. Raises StoreFailed when either file cannot be used or `target` is there, BackupDamaged when the copy is not
    sound; nothing is left then.
    """
    with ReadOnlySqlite(source).moment(older=True) as connection:
        return _copied(connection, target, progress, lambda _copy: None)


def restore(backup: Path, target: Path, progress: Progress) -> Copied:
    """Copy a backup to where a server will open it, as a log of its own: cursors of the original are none of it.

    Raises what `back_up` does.
    """
    log_id = str(uuid.uuid4())

    def renew(copy: sqlite3.Connection) -> None:
        copy.execute("UPDATE log SET log_id = ?", (id_to_bytes(log_id),))

    with ReadOnlySqlite(backup).moment(older=True) as connection:
        return _copied(connection, target, progress, renew)


def _copied(
    source: sqlite3.Connection, target: Path, progress: Progress, change: Callable[[sqlite3.Connection], None]
) -> Copied:
    unfinished = target.with_name(f"{target.name}{UNFINISHED}")
    try:
        with _made(unfinished):
            with contextlib.closing(sqlite3.connect(unfinished, isolation_level=None)) as copy:
                # In the transaction that stands: the copy is of its moment, and a writer does not make it begin anew.
                source.backup(
                    copy, pages=PAGES_AT_A_TIME, progress=lambda _status, left, total: progress(total - left, total)
                )
                copy.execute("PRAGMA journal_mode = DELETE")  # one file, whole by itself
                change(copy)
                copied = _checked(copy, unfinished)
            _name(unfinished, target)
    except sqlite3.Error as error:
        raise StoreFailed(f"{target}: {error}") from error
    except OSError as error:
        raise StoreFailed(f"{target}: {error.strerror}") from error
    return copied


@contextlib.contextmanager
def _made(unfinished: Path) -> Iterator[None]:
    """Make an empty file, which is gone if anything fails."""
    unfinished.unlink(missing_ok=True)
    os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield
    finally:
        unfinished.unlink(missing_ok=True)
        unfinished.with_name(f"{unfinished.name}-journal").unlink(missing_ok=True)


def _checked(copy: sqlite3.Connection, path: Path) -> Copied:
    faults = [fault for (fault,) in copy.execute("PRAGMA integrity_check(5)") if fault != "ok"]
    if faults:
        raise BackupDamaged(f"the copy is damaged: {'; '.join(faults)}")
    (log_id,) = copy.execute("SELECT log_id FROM log").fetchone()
    (position,) = copy.execute("SELECT coalesce(max(position), 0) FROM event").fetchone()
    return Copied(path.stat().st_size, position, str(uuid.UUID(bytes=log_id)))


def _name(unfinished: Path, target: Path) -> None:
    """Give the file its name, durably; one that is there is not replaced."""
    descriptor = os.open(unfinished, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.link(unfinished, target)
    except FileExistsError:
        raise StoreFailed(f"{target} is there already") from None
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
