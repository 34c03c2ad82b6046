"""Registrations of producers."""

import sqlalchemy as sa
from alembic import op
from kinpost_server.store.columns import Id

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "producer",
        sa.Column("producer_id", Id(), nullable=False),
        sa.Column("session_id", Id(), nullable=False),
        sa.Column("owner", sa.SmallInteger(), nullable=False),
        sa.Column("owner_name", sa.Text(), nullable=False),
        sa.Column("client_producer_id", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("create_time", sa.BigInteger(), nullable=False),
        sa.Column("lease_expire_time", sa.BigInteger(), nullable=False),
        sa.Column("end_time", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("producer_id"),
        sqlite_with_rowid=False,
    )
    registered = sa.text("end_time IS NULL")
    op.create_index(
        "producer_registered",
        "producer",
        ["session_id", "owner", "owner_name", "client_producer_id"],
        unique=True,
        sqlite_where=registered,
        postgresql_where=registered,
    )
    op.create_index(
        "producer_lease", "producer", ["lease_expire_time"], sqlite_where=registered, postgresql_where=registered
    )


def downgrade() -> None:
    op.drop_table("producer")
