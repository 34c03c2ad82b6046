"""Peer mail: summaries, rate windows, first answers, bodies, what waits for a slot, and dead letters."""

import sqlalchemy as sa
from alembic import op
from kinpost_server.store.columns import Id

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("message", sa.Column("tldr", sa.Text(), nullable=True))
    op.create_table(
        "peer_window",
        sa.Column("token_id", sa.Text(), nullable=False),
        sa.Column("call_times", sa.LargeBinary(), nullable=False),
        sa.Column("parked_count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("token_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "peer_answer",
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("create_time", sa.BigInteger(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key_hash"),
        sqlite_with_rowid=False,
    )
    op.create_index("peer_answer_time", "peer_answer", ["create_time"])
    op.create_table(
        "peer_exchange",
        sa.Column("lower_session_id", Id(), nullable=False),
        sa.Column("higher_session_id", Id(), nullable=False),
        sa.Column("last_source_session_id", Id(), nullable=False),
        sa.PrimaryKeyConstraint("lower_session_id", "higher_session_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "peer_body",
        sa.Column("body_id", Id(), nullable=False),
        sa.Column("source_session_id", Id(), nullable=False),
        sa.Column("send_time", sa.BigInteger(), nullable=False),
        sa.Column("fetch_count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("body_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("peer_body_source", "peer_body", ["source_session_id", "send_time"])
    op.create_index("peer_body_time", "peer_body", ["send_time"])
    op.create_table(
        "peer_parked",
        sa.Column("parked_id", Id(), nullable=False),
        sa.Column("token_id", sa.Text(), nullable=False),
        sa.Column("due_time", sa.BigInteger(), nullable=False),
        sa.Column("source_session_id", Id(), nullable=False),
        sa.Column("target_session_id", Id(), nullable=False),
        sa.Column("letter", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("parked_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("peer_parked_due", "peer_parked", ["due_time", "parked_id"])
    op.create_table(
        "dead_letter",
        sa.Column("dead_letter_id", Id(), nullable=False),
        sa.Column("source_session_id", Id(), nullable=False),
        sa.Column("target_session_id", Id(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("tldr", sa.Text(), nullable=True),
        sa.Column("reason", sa.SmallInteger(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("create_time", sa.BigInteger(), nullable=False),
        sa.Column("redeliver_time", sa.BigInteger(), nullable=True),
        sa.Column("message_id", Id(), nullable=True),
        sa.Column("woken_from", sa.Text(), nullable=True),
        sa.Column("queued", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("dead_letter_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("dead_letter_time", "dead_letter", ["create_time"])


def downgrade() -> None:
    for table in ("dead_letter", "peer_parked", "peer_body", "peer_exchange", "peer_answer", "peer_window"):
        op.drop_table(table)
    op.drop_column("message", "tldr")
