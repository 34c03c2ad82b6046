"""The service's connections to PostgreSQL, told apart by what each ran last, and cut off by their kind."""

from __future__ import annotations

from typing import Any

import psycopg

# Whatever else a connection runs, it is seen with one of these again and again; and no other one ever is.
KINDS = {
    "the writer's": "query LIKE 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE%' OR query = 'ROLLBACK'",
    "the one that listens": "query LIKE '%; LISTEN kinpost'",
    "the one that tells": "query LIKE 'SELECT pg_notify(%'",
    "the plugin board's": "query LIKE '%gate_stream%' AND state = 'idle'",
    "a reader's": "query LIKE 'SELECT (SELECT%, log.indexed_position %' AND state = 'idle'",
}
OURS = "datname = current_database() AND application_name = 'kinpost'"


def cut_off(connection: psycopg.Connection[Any], kind: str) -> int:
    """Have the server end a connection of this kind, and return its process; 0 when none is seen at the moment."""
    told = connection.execute(
        "SELECT pid, pg_terminate_backend(pid) FROM "
        f"(SELECT pid FROM pg_stat_activity WHERE {OURS} AND ({KINDS[kind]}) ORDER BY random() LIMIT 1) AS one"
    )
    row = told.fetchone()
    if row is None:
        return 0
    process_id, is_told = row
    return int(process_id) if is_told else 0  # it has just ended by itself


def count(connection: psycopg.Connection[Any], kind: str) -> int:
    """Return how many of a kind are seen."""
    told = connection.execute(f"SELECT count(*) FROM pg_stat_activity WHERE {OURS} AND ({KINDS[kind]})")
    (found,) = told.fetchone() or (0,)
    return int(found)


def is_there(connection: psycopg.Connection[Any], process_id: int) -> bool:
    """Whether a process of the server's serves anybody."""
    told = connection.execute("SELECT FROM pg_stat_activity WHERE pid = %s", [process_id])
    return told.fetchone() is not None


def has_written(connection: psycopg.Connection[Any], process_id: int) -> bool:
    """Whether a process's transaction has written something, and is open with nothing under way."""
    told = connection.execute(
        "SELECT FROM pg_stat_activity WHERE pid = %s AND state = 'idle in transaction' AND backend_xid IS NOT NULL",
        [process_id],
    )
    return told.fetchone() is not None
