"""How PostgreSQL comes by what a statement names: the plan that it makes without knowing any value, and keeps.

It is asked for by PREPARE and EXECUTE, as the service runs its statements: `EXPLAIN (GENERIC_PLAN)` came with 16.
"""

from __future__ import annotations

import json
import re
from typing import Any

from kinpost_server.store.postgres_wire import PostgresConnection

# Of the connections of the store, which so plan here as they do for the service.
MODE = "SELECT 1 WHERE current_setting('plan_cache_mode') = 'force_generic_plan'"
COLUMNS = """
    SELECT attname FROM pg_attribute JOIN pg_index ON indexrelid = attrelid
    WHERE attrelid = to_regclass($1) AND attnum <= indnkeyatts ORDER BY attnum
"""


def plan_of(connection: PostgresConnection, sql: str) -> list[dict[str, Any]]:
    """Return all nodes of the plan, each as EXPLAIN tells of it."""
    assert connection.execute_plainly(MODE), "values would be looked at"
    count = max(map(int, re.findall(r"\$(\d+)", sql)), default=0)
    values = f"({', '.join(['NULL'] * count)})" if count else ""
    connection.execute_plainly(f"PREPARE explained AS {sql}")
    try:
        (told,) = connection.execute_plainly(f"EXPLAIN (FORMAT JSON) EXECUTE explained {values}")
    finally:
        connection.execute_plainly("DEALLOCATE explained")
    assert told is not None
    waiting, nodes = [json.loads(told)[0]["Plan"]], []
    while waiting:
        nodes.append(waiting.pop())
        waiting += nodes[-1].get("Plans", [])
    return nodes


def columns_of(connection: PostgresConnection, index: str) -> list[str]:
    """Return the columns of an index, in its order."""
    return [name for (name,) in connection.execute(COLUMNS, [index]).fetchall()]
