"""Connections to PostgreSQL: their settings, and how values travel.

Every statement is prepared once a connection and then runs by its plan. The plans are told to use the indexes: each
statement has one that serves, and a plan must not depend on how large a table was when it was made.
"""

from __future__ import annotations

import select
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, cast

import psycopg
from psycopg.adapt import AdaptersMap, Buffer, Loader
from psycopg.pq import ExecStatus
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumperUnknown, TextLoader

from kinpost_server.store.arrays import ESCAPE, Literal, escape_text, unescape_text

APPLICATION = "kinpost"  # as which the server knows us
CONNECT_SECONDS = 5
# A machine that is gone is noticed after so long.
SILENCE_SECONDS = 15
PREPARED_MAX = 1000  # more than the store has statements
# A process that hangs, or is cut off without a word, lets go of its locks; whoever works is silent for milliseconds.
IDLE_IN_TRANSACTION_SECONDS = 10
PLANNING = (
    "-c plan_cache_mode=force_generic_plan -c jit=off -c enable_seqscan=off -c enable_bitmapscan=off "
    "-c enable_hashjoin=off -c enable_mergejoin=off"
)


class _EscapedDumper(StrDumperUnknown):
    """A text on its way to the database."""

    def dump(self, obj: str) -> Buffer | None:
        if "\0" in obj or ESCAPE in obj:
            obj = escape_text(obj)
        return super().dump(obj)


class _EscapedLoader(Loader):
    """A text on its way from the database."""

    def load(self, data: Buffer) -> str:
        return unescape_text(str(data, "utf-8"))


def _adapters() -> AdaptersMap:
    adapters = AdaptersMap(psycopg.adapters)
    adapters.register_dumper(str, _EscapedDumper)
    adapters.register_dumper(Literal, StrDumperUnknown)
    adapters.register_dumper(int, Int8Dumper)  # one type for all numbers, so that each statement is prepared once
    adapters.register_loader("text", _EscapedLoader)
    adapters.register_loader("uuid", TextLoader)
    return adapters


class _Context:
    """What a connection adapts values by."""

    adapters = _adapters()
    connection = None


class PostgresConnection:
    """A connection outside of any transaction until one is begun."""

    def __init__(self, conninfo: str, options: str) -> None:
        self._connection = psycopg.connect(
            conninfo,
            autocommit=True,
            prepare_threshold=0,
            context=cast(Any, _Context),
            cursor_factory=cast(Any, psycopg.RawCursor),
            application_name=APPLICATION,
            connect_timeout=CONNECT_SECONDS,
            keepalives_idle=SILENCE_SECONDS // 3,
            keepalives_interval=SILENCE_SECONDS // 3,
            keepalives_count=2,
            tcp_user_timeout=SILENCE_SECONDS * 1000,
            options=options,
        )
        self._connection.prepared_max = PREPARED_MAX

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> psycopg.Cursor[Any]:
        """Run one statement."""
        cursor = self._connection.execute(cast(Any, sql), parameters)
        if sql == "COMMIT" and cursor.statusmessage != "COMMIT":
            raise psycopg.OperationalError("the transaction had failed and was rolled back")
        return cursor

    def execute_plainly(self, sql: str) -> list[bytes | None]:
        """Run a text of statements that are not prepared, in one round trip; return the last one's first row."""
        result = self._connection.pgconn.exec_(sql.encode())
        if result.status not in {ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK}:
            raise psycopg.errors.error_from_result(result)
        return [result.get_value(0, number) for number in range(result.nfields)] if result.ntuples else []

    def pipeline(self) -> AbstractContextManager[object]:
        """Send statements without waiting for each: what one raises comes when somebody fetches, or at the end."""
        return self._connection.pipeline()

    def fileno(self) -> int:
        """Return the socket to wait at for notifications."""
        return self._connection.fileno()

    def has_news(self) -> bool:
        """Whether something waits to be read, be it the end of the connection, or the end has been read."""
        if self._connection.closed:
            return True
        poll = select.poll()  # unlike `select`, it takes a file of any number
        poll.register(self.fileno(), select.POLLIN)
        return bool(poll.poll(0))

    def notifications(self) -> list[str]:
        """Return what came by NOTIFY; does not wait."""
        wire = self._connection.pgconn
        wire.consume_input()
        found = []
        while (notification := wire.notifies()) is not None:
            found.append(notification.extra.decode("utf-8", "replace"))
        return found

    @property
    def process_id(self) -> int:
        """The server's process that serves it."""
        return self._connection.info.backend_pid

    def close(self) -> None:
        """Close it; an open transaction is rolled back."""
        self._connection.close()
