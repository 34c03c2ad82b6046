"""Replicas: a runtime is attached to one of them, and their plugins judge each other's calls."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("runtime", sa.Column("attachment_id", sa.Text(), nullable=True))
    op.create_table(
        "gate_stream",
        sa.Column("stream_id", sa.Text(), nullable=False),
        sa.Column("replica_id", sa.Text(), nullable=False),
        sa.Column("plugin_name", sa.Text(), nullable=False),
        sa.Column("tool_names", sa.Text(), nullable=False),
        sa.Column("expire_time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("stream_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "gate_question",
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("stream_id", sa.Text(), nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.Column("expire_time", sa.BigInteger(), nullable=False),
        sa.Column("answered", sa.Boolean(), nullable=False),
        sa.Column("allowed", sa.Boolean(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("question_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("gate_question_stream", "gate_question", ["stream_id"])


def downgrade() -> None:
    op.drop_table("gate_question")
    op.drop_table("gate_stream")
    op.drop_column("runtime", "attachment_id")
