"""PostgreSQL indexes the log by session, tree and sender as it goes; what SQLite keeps tables for are views there."""

from alembic import op

revision = "0006"
down_revision = "0005"

VIEWS = {
    "event_of_session": "SELECT session_id, seq, position FROM event",
    "event_of_tree": "SELECT root_session_id, position FROM event",
    "message_of_sender": (
        "SELECT sender_session_id, position FROM message WHERE sender_session_id IS NOT NULL AND forked_from IS NULL"
    ),
}


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    for name, selection in VIEWS.items():
        op.drop_table(name)
        op.execute(f"CREATE VIEW {name} AS {selection}")
    op.execute("CREATE UNIQUE INDEX event_session ON event (session_id, seq)")
    op.execute("CREATE INDEX event_tree ON event (root_session_id, position)")
    op.execute(
        "CREATE INDEX message_sender ON message (sender_session_id, position) "
        "WHERE sender_session_id IS NOT NULL AND forked_from IS NULL"
    )
    # A long run has many calls: a repeat is found by its own.
    op.execute(
        "CREATE INDEX message_call ON message (sender_session_id, sender_tool_call_id) "
        "WHERE sender_session_id IS NOT NULL AND forked_from IS NULL"
    )


def downgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    op.execute("DROP INDEX message_call")
    for name, index, columns in (
        ("event_of_session", "event_session", ("session_id uuid", "seq bigint", "position bigint")),
        ("event_of_tree", "event_tree", ("root_session_id uuid", "position bigint")),
        ("message_of_sender", "message_sender", ("sender_session_id uuid", "position bigint")),
    ):
        op.execute(f"DROP VIEW {name}")
        op.execute(f"DROP INDEX {index}")
        key = ", ".join(column.split()[0] for column in columns[:2])
        op.execute(
            f"CREATE TABLE {name} ({', '.join(f'{column} NOT NULL' for column in columns)}, PRIMARY KEY ({key}))"
        )
