"""A database that is large at once: rows made up by SQL itself, a million events and messages in seconds.

The rows are nobody's: their data is no event. They are as many as those of a service that has run for long, and as
widely spread.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import psycopg
import sqlalchemy as sa
from kinpost_server.store import tables as _tables  # noqa: F401 - registers the tables
from kinpost_server.store.columns import Id, Ids
from sqlmodel import SQLModel

EVENTS = 1_000_000  # each of them accepts a message
SESSIONS = 10_000
TREES = 100
TAIL = 1_000  # the events that SQLite has not indexed yet
MESSAGE_IDS = 1_000_000_000  # and the other ids of things, far from those of sessions

SESSION = f"n % {SESSIONS}"
TREE = f"n % {TREES}"
SENDER = f"(n * 7 + {TREES}) % {SESSIONS}"

# How many rows each table has, and what is not simply of its column's type; an id is given by its number.
ROWS: dict[str, tuple[int, dict[str, str]]] = {
    "event": (EVENTS, {"seq": f"n / {SESSIONS} + 1"}),
    "event_of_session": (EVENTS - TAIL, {"seq": f"n / {SESSIONS} + 1"}),
    "event_of_tree": (EVENTS - TAIL, {}),
    "message": (
        EVENTS,
        {
            "message_id": f"n + {MESSAGE_IDS}",
            "sender_session_id": SENDER,
            "sender_run_id": SENDER,
            "accept_seq": f"n / {SESSIONS} + 1",
            "state": f"CASE WHEN n > {EVENTS - SESSIONS} THEN 1 ELSE 5 END",
            "forked_from": "NULL",
        },
    ),
    "message_of_sender": (EVENTS - TAIL, {"sender_session_id": SENDER}),
    "session": (SESSIONS, {"position": f"n * {EVENTS // SESSIONS}", "parent_session_id": TREE}),
    "session_host": (SESSIONS, {}),
    "run": (5 * SESSIONS, {"run_id": "n", "state": f"CASE WHEN n <= {SESSIONS} THEN 1 ELSE 3 END"}),
    "claim": (20 * SESSIONS, {"claim_seq": f"n / {SESSIONS}"}),
    "wake": (1_000, {"state": "n % 2 + 1"}),
    "wake_route": (2_000, {}),
    "approval": (20_000, {"state": "n % 10 + 1", "decision": "n % 5", "recipient_session_id": SENDER}),
    "replay": (100_000, {}),
    "token": (50, {}),
    "runtime": (50, {}),
    "producer": (SESSIONS, {"end_time": "CASE WHEN n % 2 = 0 THEN n END"}),
    "peer_window": (50, {}),
    "peer_answer": (20_000, {}),
    "peer_exchange": (20_000, {"higher_session_id": "n"}),
    "peer_body": (20_000, {}),
    "peer_parked": (5_000, {}),
    "dead_letter": (20_000, {}),
    "dropped": (SESSIONS // 2, {"number": "n / 100", "session_id": "n"}),
    "gate_stream": (5, {}),
    "gate_question": (50, {}),
}
LARGE = frozenset(name for name, (count, _) in ROWS.items() if count >= 1_000)


def fill_sqlite(path: str) -> None:
    """Fill a migrated file that nobody else has open. What a crash would cost is of no interest here."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(
        "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN"
    )
    for name, (count, given) in ROWS.items():
        numbers = f"WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})"
        table = SQLModel.metadata.tables[name]
        order = ", ".join(column.name for column in table.primary_key.columns)
        connection.execute(_insert(table, given, "CAST(printf('%016d', {}) AS BLOB)", numbers, f"ORDER BY {order}"))
    connection.execute(f"UPDATE log SET indexed_position = {EVENTS - TAIL}")
    connection.execute("COMMIT")
    connection.close()


def lengthen_postgres(connection: psycopg.Connection[Any], events: int) -> None:
    """Give a migrated database that is empty a log of so many events and messages, and nothing else."""
    for name in ("event", "message"):
        connection.execute(_insert_postgres(name, events))
    connection.execute(f"UPDATE log SET indexed_position = {events}")


def fill_postgres(connection: psycopg.Connection[Any]) -> None:
    """Fill a migrated database; its indexes are made anew afterwards, which is faster."""
    found = connection.execute(
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename IN ('event', 'message') "
        "AND indexname NOT LIKE '%pkey'"
    ).fetchall()
    for name, _ in found:
        connection.execute(f"DROP INDEX {name}")
    views = {name for (name,) in connection.execute("SELECT viewname FROM pg_views WHERE schemaname = 'public'")}
    for name, (count, _) in ROWS.items():
        if name not in views:
            connection.execute(_insert_postgres(name, count))
    for _, definition in found:
        connection.execute(definition)
    connection.execute(f"UPDATE log SET indexed_position = {EVENTS}")


def _insert_postgres(name: str, count: int) -> str:
    numbers = f"WITH numbers AS (SELECT n FROM generate_series(1, {count}) AS n)"
    return _insert(SQLModel.metadata.tables[name], ROWS[name][1], "lpad(to_hex({}), 32, '0')::uuid", numbers, "")


def _insert(table: sa.Table, given: dict[str, str], as_id: str, numbers: str, order: str) -> str:
    columns = {column.name: _value(column, given, as_id) for column in table.columns}
    selected = ", ".join(f"{value} AS {name}" for name, value in columns.items())
    return f"INSERT INTO {table.name} ({', '.join(columns)}) {numbers} SELECT {selected} FROM numbers {order}"


def _value(column: sa.Column[Any], given: dict[str, str], as_id: str) -> str:
    name, type_ = column.name, column.type
    if isinstance(type_, Id):
        value = given.get(name, TREE if name.startswith("root_") else SESSION if name.endswith("session_id") else "n")
        return value if value == "NULL" else as_id.format(value)
    if name in given:
        return given[name]
    if isinstance(type_, sa.Boolean):
        return "n < 0"
    if isinstance(type_, sa.Text):
        return "'text ' || n"
    if isinstance(type_, Ids | sa.LargeBinary):
        return "CAST('bytes ' || n AS {})".format("BYTEA" if "uuid" in as_id else "BLOB")
    return "1" if isinstance(type_, sa.SmallInteger) else "n"
