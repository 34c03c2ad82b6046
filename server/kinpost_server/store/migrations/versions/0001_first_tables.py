"""The first tables."""

import sqlalchemy as sa
from alembic import op
from kinpost_server.store.columns import Id, Ids, Position

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "event",
        sa.Column("position", Position(), nullable=False),
        sa.Column("session_id", Id(), nullable=False),
        sa.Column("root_session_id", Id(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.SmallInteger(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("position"),
    )
    op.create_table(
        "event_of_session",
        sa.Column("session_id", Id(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "seq"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "event_of_tree",
        sa.Column("root_session_id", Id(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("root_session_id", "position"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "session",
        sa.Column("position", Position(), nullable=False),
        sa.Column("session_id", Id(), nullable=False),
        sa.Column("root_session_id", Id(), nullable=False),
        sa.Column("parent_session_id", Id(), nullable=True),
        sa.Column("parent_run_id", Id(), nullable=True),
        sa.Column("parent_tool_call_id", sa.Text(), nullable=True),
        sa.Column("depth", sa.BigInteger(), nullable=False),
        sa.Column("handle", sa.Text(), nullable=True),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("message_rules", sa.Text(), nullable=False),
        sa.Column("starter", sa.SmallInteger(), nullable=False),
        sa.Column("create_time", sa.BigInteger(), nullable=False),
        sa.Column("request_digest", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("availability", sa.SmallInteger(), nullable=False),
        sa.Column("availability_reason", sa.Text(), nullable=False),
        sa.Column("availability_time", sa.BigInteger(), nullable=False),
        sa.Column("until_time", sa.BigInteger(), nullable=True),
        sa.Column("no_wake", sa.Boolean(), nullable=False),
        sa.Column("set_by_person", sa.Boolean(), nullable=False),
        sa.Column("queued_time", sa.BigInteger(), nullable=False),
        sa.Column("run_count", sa.BigInteger(), nullable=False),
        sa.Column("failing_runs", sa.BigInteger(), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("due_time", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("position"),
    )
    _partial("session_due", "session", ["due_time"], "due_time IS NOT NULL")
    _partial("session_handle", "session", ["root_session_id", "handle"], "handle IS NOT NULL", unique=True)
    op.create_index("session_id", "session", ["session_id"], unique=True)
    _partial("session_queued", "session", ["parent_run_id"], "state = 2")
    op.create_index("session_tree", "session", ["root_session_id", "position"])
    op.create_table(
        "session_host",
        sa.Column("session_id", Id(), nullable=False),
        sa.Column("token_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "token_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("session_host_token", "session_host", ["token_id"])
    op.create_table(
        "run",
        sa.Column("session_id", Id(), nullable=False),
        sa.Column("run_id", Id(), nullable=False),
        sa.Column("identity_hash", sa.LargeBinary(), nullable=False),
        sa.Column("root_session_id", Id(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("token_id", sa.Text(), nullable=False),
        sa.Column("start_time", sa.BigInteger(), nullable=False),
        sa.Column("start_seq", sa.BigInteger(), nullable=False),
        sa.Column("start_position", sa.BigInteger(), nullable=False),
        sa.Column("wake_id", Id(), nullable=True),
        sa.Column("client_run_id", sa.Text(), nullable=True),
        sa.Column("runtime_id", sa.Text(), nullable=True),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("end_time", sa.BigInteger(), nullable=True),
        sa.Column("lease_expire_time", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by_person", sa.Boolean(), nullable=False),
        sa.Column("lease_lost", sa.Boolean(), nullable=False),
        sa.Column("hop", sa.BigInteger(), nullable=False),
        sa.Column("admitted_count", sa.BigInteger(), nullable=False),
        sa.Column("consumed_count", sa.BigInteger(), nullable=False),
        sa.Column("at_first_boundary", sa.Boolean(), nullable=False),
        sa.Column("end_position", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("session_id", "run_id"),
        sqlite_with_rowid=False,
    )
    _partial("run_active", "run", ["session_id"], "state = 1", unique=True)
    op.create_index("run_identity", "run", ["session_id", "identity_hash"], unique=True)
    op.create_table(
        "claim",
        sa.Column("session_id", Id(), nullable=False),
        sa.Column("claim_seq", sa.BigInteger(), nullable=False),
        sa.Column("run_id", Id(), nullable=False),
        sa.Column("attempt_id", sa.Text(), nullable=False),
        sa.Column("message_ids", Ids(), nullable=False),
        sa.Column("more_pending", sa.Boolean(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "claim_seq"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "message",
        sa.Column("position", Position(), nullable=False),
        sa.Column("message_id", Id(), nullable=False),
        sa.Column("session_id", Id(), nullable=False),
        sa.Column("accept_seq", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.SmallInteger(), nullable=False),
        sa.Column("mode", sa.SmallInteger(), nullable=False),
        sa.Column("sender_session_id", Id(), nullable=True),
        sa.Column("sender_handle", sa.Text(), nullable=True),
        sa.Column("sender_run_id", Id(), nullable=True),
        sa.Column("sender_tool_call_id", sa.Text(), nullable=True),
        sa.Column("body_bytes", sa.BigInteger(), nullable=False),
        sa.Column("accept_time", sa.BigInteger(), nullable=False),
        sa.Column("agent_hop", sa.BigInteger(), nullable=True),
        sa.Column("request_digest", sa.LargeBinary(), nullable=False),
        sa.Column("recipient_state", sa.SmallInteger(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("delivery_count", sa.BigInteger(), nullable=False),
        sa.Column("sender_producer_id", sa.Text(), nullable=True),
        sa.Column("sender_name", sa.Text(), nullable=True),
        sa.Column("expire_time", sa.BigInteger(), nullable=True),
        sa.Column("run_id", Id(), nullable=True),
        sa.Column("claim_seq", sa.BigInteger(), nullable=True),
        sa.Column("admit_time", sa.BigInteger(), nullable=True),
        sa.Column("claim_time", sa.BigInteger(), nullable=True),
        sa.Column("end_time", sa.BigInteger(), nullable=True),
        sa.Column("discard_reason", sa.SmallInteger(), nullable=True),
        sa.Column("superseded_by", Id(), nullable=True),
        sa.PrimaryKeyConstraint("position"),
    )
    op.create_index("message_id", "message", ["message_id"], unique=True)
    _partial("message_pending", "message", ["session_id", "position"], "state <= 4")
    op.create_table(
        "message_of_sender",
        sa.Column("sender_session_id", Id(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("sender_session_id", "position"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "wake",
        sa.Column("session_id", Id(), nullable=False),
        sa.Column("wake_id", Id(), nullable=False),
        sa.Column("request_time", sa.BigInteger(), nullable=False),
        sa.Column("next_offer_time", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("offer_number", sa.BigInteger(), nullable=False),
        sa.Column("runtime_id", sa.Text(), nullable=True),
        sa.Column("token_id", sa.Text(), nullable=True),
        sa.Column("expire_time", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("session_id"),
        sqlite_with_rowid=False,
    )
    _partial("wake_offered", "wake", ["runtime_id"], "state = 2")
    _partial("wake_waiting", "wake", ["next_offer_time"], "state = 1")
    op.create_table(
        "wake_route",
        sa.Column("session_id", Id(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("next_offer_time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "route"),
        sqlite_with_rowid=False,
    )
    op.create_index("wake_route_time", "wake_route", ["route", "next_offer_time"])
    op.create_table(
        "replay",
        sa.Column("session_id", Id(), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("message_id", Id(), nullable=False),
        sa.Column("recipient_session_id", Id(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("mode", sa.SmallInteger(), nullable=False),
        sa.Column("recipient_state", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "key_hash"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "token",
        sa.Column("token_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("plugin_name", sa.Text(), nullable=False),
        sa.Column("session_ids", Ids(), nullable=False),
        sa.Column("secret_digest", sa.LargeBinary(), nullable=False),
        sa.Column("create_time", sa.BigInteger(), nullable=False),
        sa.Column("expire_time", sa.BigInteger(), nullable=True),
        sa.Column("revoke_time", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("token_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "runtime",
        sa.Column("runtime_id", sa.Text(), nullable=False),
        sa.Column("token_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("runtime_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "log",
        sa.Column("number", sa.SmallInteger(), nullable=False),
        sa.Column("log_id", Id(), nullable=False),
        sa.Column("envelope_key", sa.LargeBinary(), nullable=False),
        sa.Column("schema_number", sa.BigInteger(), nullable=False),
        sa.Column("compatible_from_number", sa.BigInteger(), nullable=False),
        sa.Column("indexed_position", sa.BigInteger(), nullable=False),
        sa.Column("mark", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )


def _partial(name: str, table: str, columns: list[str], where: str, *, unique: bool = False) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition)


def downgrade() -> None:
    op.drop_table("log")
    op.drop_table("runtime")
    op.drop_table("token")
    op.drop_table("replay")
    op.drop_table("wake_route")
    op.drop_table("wake")
    op.drop_table("message_of_sender")
    op.drop_table("message")
    op.drop_table("claim")
    op.drop_table("run")
    op.drop_table("session_host")
    op.drop_table("session")
    op.drop_table("event_of_tree")
    op.drop_table("event_of_session")
    op.drop_table("event")
