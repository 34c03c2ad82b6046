"""The writer's transaction: one connection, made anew after a failure, and commits whose outcome is always known."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from kinpost_server.engine.ports import StoreFailed
from kinpost_server.engine.replica_ports import BeginAgain
from kinpost_server.store.dialect import Connection, Database

LOOK_SECONDS_MIN = 0.01  # between two attempts to find out what became of a commit; doubles
LOOK_SECONDS_MAX = 1.0


class CommitUnknown(StoreFailed):
    """The database went away during a commit and did not come back in time to say whether it is stored.

    What is stored is read anew; a repeat of each call of the batch will tell.
    """


class Transaction:
    """One transaction at a time. Made in any thread, used by one."""

    def __init__(self, database: Database, resolve_seconds: float) -> None:
        self._database = database
        self._resolve_seconds = resolve_seconds
        self._connection: Connection | None = None
        self._begun = False
        self._in_vain = False  # whether a lock was waited for in vain
        self._patient = True  # whether that is tried once more: not if the transaction before ended by it
        self._lost = False  # the connection went away within a transaction that its owner has not given up yet
        self.connections = 0  # how many there have been
        self.clock_offset = 0  # how far the database's clock is ahead of ours; microseconds

    @property
    def connected(self) -> bool:
        """Whether the connection of the last use still stands."""
        return self._connection is not None

    @contextlib.contextmanager
    def connection(self) -> Iterator[Connection]:
        """Give the connection; what the driver raises becomes StoreFailed, and ends the connection.

        A lock that was waited for in vain is no such failure at first: BeginAgain. The next time it is, for whoever
        connects anew ends those who hang with locks.
        """
        if self._lost:
            raise StoreFailed("the connection was lost within the transaction")
        try:
            yield self._connected()
        except self._database.passing_errors as error:
            if not (self._patient and self._begun):
                self.disconnect()
                raise StoreFailed(str(error)) from error
            self._in_vain = True
            raise BeginAgain from error
        except self._database.driver_error as error:
            self.disconnect()
            raise StoreFailed(str(error)) from error

    def begin(self, *, alone: bool = False) -> None:
        """Begin. Raises StoreFailed when the database does not let us write."""
        self._lost = False
        self._patient, self._in_vain = not self._in_vain, False
        if self._connection is not None and self._database.is_cut(self._connection):
            self.disconnect()
        with self.connection() as connection:
            least, most = self._database.begin(connection, alone=alone)
        self.clock_offset = min(max(self.clock_offset, least), most)  # what was believed, unless it cannot be
        self._begun = True

    def rollback(self) -> None:
        """End it, storing nothing. Never raises; does nothing when none is begun."""
        begun, self._begun = self._begun, False
        self._lost = False
        if begun and self._connection is not None:
            try:
                self._connection.execute("ROLLBACK")
            except self._database.driver_error:
                self.disconnect()

    def commit(self, is_stored: Callable[[Connection], bool | None]) -> None:
        """End it, storing everything. A lost answer is resolved by looking, with `is_stored`, over a new connection.

        It answers None while that is not decided. Raises StoreFailed when nothing is stored, CommitUnknown when that
        could not be found out in time.
        """
        if self._lost:
            raise StoreFailed("the connection was lost within the transaction")
        connection = self._connected()
        self._begun = False
        try:
            connection.execute("COMMIT")
        except self._database.driver_error as error:
            self.disconnect()
            if not self._look(is_stored, error):
                raise StoreFailed(str(error)) from error

    def disconnect(self) -> None:
        """Give the connection up, and with it what was not committed; the next use makes another."""
        connection, self._connection = self._connection, None
        self._lost = self._lost or self._begun
        self._begun = False
        if connection is not None:
            with contextlib.suppress(self._database.driver_error):
                connection.close()

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._database.connect_writer()
            self.connections += 1
        return self._connection

    def _look(self, is_stored: Callable[[Connection], bool | None], lost: Exception) -> bool:
        """Find out what became of a commit."""
        deadline = time.monotonic() + self._resolve_seconds
        pause = LOOK_SECONDS_MIN
        while True:
            try:
                found = is_stored(self._connected())
                if found is not None:
                    return found
            except self._database.driver_error:
                self.disconnect()
            if time.monotonic() + pause > deadline:
                raise CommitUnknown(f"whether the last commit is stored is not known: {lost}") from lost
            time.sleep(pause)
            pause = min(2 * pause, LOOK_SECONDS_MAX)
