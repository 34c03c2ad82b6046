"""Operation: an index for counting the sessions whose runs fail, and which events are no longer kept."""

import sqlalchemy as sa
from alembic import op
from kinpost_server.store.columns import Id

revision = "0008"
down_revision = "0007"

FAILING = sa.text("availability = 2 AND availability_reason = 'failing' AND NOT set_by_person")


def upgrade() -> None:
    op.create_index("session_failing", "session", ["availability_time"], sqlite_where=FAILING, postgresql_where=FAILING)
    op.create_table(
        "dropped",
        sa.Column("session_id", Id(), nullable=False),
        sa.Column("root_session_id", Id(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("session_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("dropped_tree", "dropped", ["root_session_id"])
    op.create_index("dropped_position", "dropped", ["position"])
    op.create_index("dropped_number", "dropped", ["number"])


def downgrade() -> None:
    op.drop_table("dropped")
    op.drop_index("session_failing", "session")
