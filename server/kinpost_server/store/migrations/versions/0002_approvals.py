"""Approvals."""

import sqlalchemy as sa
from alembic import op
from kinpost_server.store.columns import Id, Position

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "approval",
        sa.Column("position", Position(), nullable=False),
        sa.Column("approval_id", Id(), nullable=False),
        sa.Column("session_id", Id(), nullable=False),
        sa.Column("root_session_id", Id(), nullable=False),
        sa.Column("run_id", Id(), nullable=False),
        sa.Column("tool_call_id", sa.Text(), nullable=False),
        sa.Column("tool_name", sa.Text(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("recipient_session_id", Id(), nullable=False),
        sa.Column("request_digest", sa.LargeBinary(), nullable=False),
        sa.Column("create_time", sa.BigInteger(), nullable=False),
        sa.Column("expire_time", sa.BigInteger(), nullable=True),
        sa.Column("arguments_json", sa.Text(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("decision", sa.SmallInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("decide_time", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("position"),
    )
    op.create_index("approval_id", "approval", ["approval_id"], unique=True)
    op.create_index("approval_run", "approval", ["session_id", "run_id"])
    op.create_index("approval_tree", "approval", ["root_session_id", "position"])
    for name, where in (("approval_grant", "decision = 2"), ("approval_pending", "state = 1")):
        condition = sa.text(where)
        columns = ["root_session_id", "recipient_session_id"]
        op.create_index(name, "approval", columns, sqlite_where=condition, postgresql_where=condition)


def downgrade() -> None:
    op.drop_table("approval")
