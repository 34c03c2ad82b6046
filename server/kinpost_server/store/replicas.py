"""Hints between replicas: NOTIFY after a commit, outside of its transaction, and a lock that says who lives.

A hint says what to look at, and nothing that matters. One that is lost is made up for by whoever looks every so often.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import uuid
from collections.abc import Callable, Collection, Iterator

from kinpost_server.engine.ports import StoreFailed
from kinpost_server.engine.replica_ports import News
from kinpost_server.store.gate_board import SqlGateBoard
from kinpost_server.store.postgres import PostgresDatabase
from kinpost_server.store.postgres_wire import PostgresConnection

CHANNEL = "kinpost"
# A session lock that each replica shares: the database lets go of it for a replica that dies.
LIVING_LOCK = -3
# Held while a replica starts: of several that start together one finds itself alone, and gives all leases anew.
STARTING_LOCK = -4
STARTING_SECONDS_MAX = 60
RETRY_SECONDS = 0.25
LIVING = f"""
    SELECT count(DISTINCT pid) FROM pg_locks
    WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = 4294967295 AND objid = {LIVING_LOCK % (1 << 32)} AND objsubid = 1 AND granted AND pid <> $1
"""  # noqa: S608 - constants; a lock's number is stored in two halves


class PostgresReplicas:
    """The port's `Replicas`: one connection listens, another one tells."""

    def __init__(self, database: PostgresDatabase) -> None:
        self.replica_id = str(uuid.uuid4())
        self.board = SqlGateBoard(database, self.replica_id)
        self._database = database
        self._told: Callable[[Collection[News]], None] = lambda _news: None
        self._listening: PostgresConnection | None = None
        self._starting: PostgresConnection | None = None
        self._listener = threading.Thread(target=self._listen, name="replicas-listen", daemon=True)
        self._teller = threading.Thread(target=self._say, name="replicas-tell", daemon=True)
        self._bells: tuple[socket.socket, socket.socket] | None = None  # wake the listener, to end
        self._news: set[News] = set()
        self._changed = threading.Condition()
        self._ending = False

    def start(self, told: Callable[[Collection[News]], None]) -> None:
        """Live, and have `told` called at each hint of another replica. Raises StoreFailed."""
        self._told = told
        with self._failing():
            self._starting = self._database.connect_writer()
            self._starting.execute_plainly(
                f"SET lock_timeout = '{STARTING_SECONDS_MAX}s'; SET statement_timeout = '{STARTING_SECONDS_MAX}s'; "
                f"SELECT pg_advisory_lock({STARTING_LOCK})"
            )
            self._listening = self._connect()
        self._bells = socket.socketpair()
        self._listener.start()
        self._teller.start()

    def started(self) -> None:
        """Let others start."""
        starting, self._starting = self._starting, None
        if starting is not None:
            starting.close()

    def tell(self, news: Collection[News]) -> None:
        """Give the others a hint; does not wait for it."""
        with self._changed:
            self._news.update(news)
            self._changed.notify()

    def others(self) -> int:
        """Return how many other replicas live. Raises StoreFailed."""
        listening = self._listening
        with self._failing(), contextlib.closing(self._database.connect_reader()) as connection:
            mine = listening.process_id if listening is not None else 0
            (count,) = connection.execute(LIVING, [mine]).fetchone() or (0,)
            return int(count)

    def stop(self) -> None:
        """Live no longer."""
        self.started()
        with self._changed:
            self._ending = True
            self._changed.notify()
        if self._bells is not None:
            self._bells[0].send(b"!")
            self._listener.join()
            self._teller.join()
            for bell in self._bells:
                bell.close()
        self.board.close()

    def _connect(self) -> PostgresConnection:
        connection = self._database.connect_writer()
        try:
            connection.execute_plainly(f"SELECT pg_advisory_lock_shared({LIVING_LOCK}); LISTEN {CHANNEL}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _listen(self) -> None:
        assert self._bells is not None
        bell = self._bells[1]
        while not self._ending:
            try:
                if self._listening is None:
                    self._listening = self._connect()
                    self._told(set(News))  # whatever was said meanwhile was not heard
                self._hear(self._listening, bell)
            except (self._database.driver_error, OSError):  # of the latter kind: no file left to open
                if self._listening is not None:
                    self._listening.close()
                    self._listening = None
                _wait(bell.fileno(), seconds=RETRY_SECONDS)
        if self._listening is not None:
            self._listening.close()

    def _hear(self, connection: PostgresConnection, bell: socket.socket) -> None:
        _wait(connection.fileno(), bell.fileno())
        news: set[News] = set()
        for hint in connection.notifications():
            letters, _, by = hint.partition(" ")
            if by != self.replica_id:
                news |= {one for one in News if one.value in letters}
        if news:
            self._told(news)

    def _say(self) -> None:
        connection: PostgresConnection | None = None
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._news or self._ending)
                news, self._news = self._news, set()
                if not news:
                    break
            hint = f"{''.join(sorted(one.value for one in news))} {self.replica_id}"
            connection = self._notify(connection, hint)
        if connection is not None:
            connection.close()

    def _notify(self, connection: PostgresConnection | None, hint: str) -> PostgresConnection | None:
        """Say it, over a new connection where the one at hand has been cut; return the one that serves next time."""
        for fresh in (connection is None, True):
            try:
                if fresh:
                    connection = self._database.connect_writer()
                assert connection is not None
                connection.execute("SELECT pg_notify($1, $2)", [CHANNEL, hint])
            except (self._database.driver_error, OSError):
                if connection is not None:
                    connection.close()
                    connection = None
                if fresh:
                    break  # the others will look by themselves
            else:
                break
        return connection

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except self._database.driver_error as error:
            raise StoreFailed(str(error).strip()) from error


def _wait(*files: int, seconds: float | None = None) -> None:
    """Wait until one of these files can be read. Unlike `select`, `poll` takes a file of any number."""
    poll = select.poll()
    for file in files:
        poll.register(file, select.POLLIN)
    poll.poll(None if seconds is None else seconds * 1000)
