"""Forks: a message may be a copy of another."""

import sqlalchemy as sa
from alembic import op
from kinpost_server.store.columns import Id

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("message", sa.Column("forked_from", Id(), nullable=True))


def downgrade() -> None:
    op.drop_column("message", "forked_from")
