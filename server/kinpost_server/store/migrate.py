"""The schema: made and brought up to date when a database is opened, in one transaction, under the server's lock.

Migrations expand first and contract in a later release, so that for a while an older program can still serve a newer
schema: `log.compatible_from_number` says from which number on.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, select, update

from kinpost_server.store import tables
from kinpost_server.store.errors import ForeignDatabase, SchemaTooNew

SCHEMA_NUMBER = 8  # the newest file in migrations/versions; a test holds them equal
COMPATIBLE_FROM_NUMBER = 1  # the oldest program that can serve what those files leave behind
ENVELOPE_KEY_BYTES = 32
LOG = tables.table_of(tables.LogRow)


class Log(NamedTuple):
    """What there is once in a database."""

    log_id: str
    envelope_key: bytes


def migrate(
    connection: Connection, new_log_id: str, keep_writers_out: Callable[[Connection], None] = lambda _connection: None
) -> Log:
    """Bring the schema up to date; a new log gets this id, and a key of its own.

    `keep_writers_out` is called before anything is changed that others may be using.

    Raises SchemaTooNew for a schema that this program cannot serve, ForeignDatabase for tables that are not ours.
    """
    number, compatible_from = _stored_numbers(connection)
    if number > SCHEMA_NUMBER:
        if compatible_from > SCHEMA_NUMBER:
            raise SchemaTooNew(
                f"the database has schema {number}, which needs a program that knows schema {compatible_from}; "
                f"this one knows {SCHEMA_NUMBER}: start a newer release of Kinpost"
            )
    elif number < SCHEMA_NUMBER:
        keep_writers_out(connection)
        command.upgrade(alembic_config(connection), "head")
        if number == 0:
            _begin_log(connection, new_log_id)
        connection.execute(
            update(LOG).values(schema_number=SCHEMA_NUMBER, compatible_from_number=COMPATIBLE_FROM_NUMBER)
        )
    return Log(*connection.execute(select(LOG.c.log_id, LOG.c.envelope_key)).one())


def _stored_numbers(connection: Connection) -> tuple[int, int]:
    """Return the schema's number and the oldest program's; 0 and 0 for an empty database."""
    names = set(sa.inspect(connection).get_table_names())
    if not names:
        return 0, 0
    if not {"log", "alembic_version"} <= names:
        raise ForeignDatabase(f"the database holds tables that are not Kinpost's: {', '.join(sorted(names)[:5])}")
    numbers = connection.execute(select(LOG.c.schema_number, LOG.c.compatible_from_number)).one()
    return numbers[0], numbers[1]


def alembic_config(connection: Connection) -> Config:
    """Return what Alembic's commands need to work within the connection's transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _begin_log(connection: Connection, log_id: str) -> None:
    connection.execute(
        LOG.insert().values(
            number=1,
            log_id=log_id,
            envelope_key=secrets.token_bytes(ENVELOPE_KEY_BYTES),
            schema_number=0,
            compatible_from_number=0,
            indexed_position=0,
            mark=0,
        )
    )
