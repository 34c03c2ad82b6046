"""Alembic's entry: `migrate.py` hands the connection over, in a transaction that ends after the migrations."""

import kinpost_server.store.tables  # noqa: F401 - registers the tables
from alembic import context
from sqlmodel import SQLModel

context.configure(connection=context.config.attributes["connection"], target_metadata=SQLModel.metadata)
context.run_migrations()
