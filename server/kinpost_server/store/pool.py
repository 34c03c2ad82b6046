"""The reading connections: a few, each lent to one caller at a time."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from kinpost_server.engine.ports import StoreFailed
from kinpost_server.store.dialect import Connection, Database


class ReaderPool:
    """Lends connections; a caller waits while all are lent. One that failed is closed instead of lent again."""

    def __init__(self, database: Database, connections_max: int) -> None:
        self._database = database
        self._room = threading.BoundedSemaphore(connections_max)
        self._idle: list[Connection] = []
        self._guard = threading.Lock()
        self._closed = False

    @contextlib.contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection. Raises StoreFailed for whatever the database says in the meantime."""
        with self._room:
            connection: Connection | None = None
            try:
                connection = self._take()
                yield connection
            except self._database.driver_error as error:
                if connection is not None:
                    connection.close()
                self._drop_idle()  # they went the same way, or are made anew at little cost
                raise StoreFailed(str(error)) from error
            except BaseException:
                if connection is not None:
                    connection.close()
                raise
            self._put_back(connection)

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Lend a connection in a transaction: all that is read is of one moment."""
        with self.connection() as connection:
            connection.execute(self._database.begin_read)
            yield connection
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close the connections; those that are lent, when they come back."""
        with self._guard:
            self._closed = True
        self._drop_idle()

    def _drop_idle(self) -> None:
        with self._guard:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> Connection:
        with self._guard:
            if self._closed:
                raise StoreFailed("the store is closed")
            while self._idle:
                connection = self._idle.pop()
                if not self._database.is_cut(connection):
                    return connection
                connection.close()
        return self._database.connect_reader()

    def _put_back(self, connection: Connection) -> None:
        with self._guard:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()
