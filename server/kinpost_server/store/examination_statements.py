"""What `examining.py` asks of a database beside whole rows: SQLite's words."""

from __future__ import annotations

# Which session's events lie where; several rows of one seq would be a fault of the log, and must not be one of ours.
PLACES = """CREATE TEMP TABLE place AS
    SELECT session_id, seq, position, type FROM event ORDER BY session_id, seq, position"""
PLACES_BY_SESSION = "CREATE INDEX temp.place_of_session ON place (session_id, seq, position)"
PLACES_BY_POSITION = "CREATE INDEX temp.place_of_position ON place (position)"
DROPPED = "SELECT session_id, seq FROM dropped"
SESSION_IDS = "SELECT DISTINCT session_id FROM place ORDER BY session_id"
EVENTS = """SELECT event.position, event.session_id, event.root_session_id, event.seq, event.type, event.data
    FROM place JOIN event ON event.position = place.position
    WHERE place.session_id = ? ORDER BY place.seq, place.position"""
HOSTINGS = """SELECT event.data FROM place JOIN event ON event.position = place.position
    WHERE place.session_id = ? AND place.position < ? AND place.type IN (20, 23, 40, 81)"""
REVERTS = """SELECT event.data FROM place JOIN event ON event.position = place.position
    WHERE place.session_id = ? AND place.type = ? ORDER BY place.seq"""
# The answers that people's sends have: other producers' are not examined.
REPLAYS_OF_USERS = """SELECT count(*) FROM replay JOIN message ON message.message_id = replay.message_id
    WHERE replay.session_id = ? AND message.owner = 2"""
PRODUCERS = """SELECT (SELECT count(*) FROM place WHERE type = 120),
    (SELECT count(*) FROM producer WHERE session_id NOT IN (SELECT session_id FROM dropped))"""
# Rows of which the log knows nothing: of sessions without events, and of messages, runs and claims without theirs.
STRANGERS = {
    "session": """SELECT session.session_id, session.position FROM session WHERE NOT EXISTS (SELECT 1 FROM place
        WHERE place.session_id = session.session_id AND place.position = session.position AND place.seq = 1)
        AND session.session_id NOT IN (SELECT session_id FROM dropped)""",
    "session_host": """SELECT session_id, token_id FROM session_host
        WHERE session_id NOT IN (SELECT session_id FROM place)""",
    "wake": "SELECT session_id, wake_id FROM wake WHERE session_id NOT IN (SELECT session_id FROM place)",
    "wake_route": "SELECT session_id, route FROM wake_route WHERE session_id NOT IN (SELECT session_id FROM place)",
    "replay": """SELECT session_id, message_id FROM replay WHERE message_id NOT IN (SELECT message_id FROM message)
        OR session_id NOT IN (SELECT session_id FROM place)""",
    "message": """SELECT message.session_id, message.position FROM message WHERE NOT EXISTS (SELECT 1 FROM place
        WHERE place.position = message.position AND place.type = 60)
        AND message.session_id NOT IN (SELECT session_id FROM dropped)""",
    "run": """SELECT run.session_id, run.run_id FROM run WHERE NOT EXISTS (SELECT 1 FROM place
        WHERE place.session_id = run.session_id AND place.seq = run.start_seq AND place.type = 40)
        AND run.session_id NOT IN (SELECT session_id FROM dropped)""",
    "approval": """SELECT approval.session_id, approval.position FROM approval WHERE NOT EXISTS (SELECT 1 FROM place
        WHERE place.position = approval.position AND place.type = 100)
        AND approval.session_id NOT IN (SELECT session_id FROM dropped)""",
    "claim": """SELECT claim.session_id, claim.claim_seq FROM claim WHERE NOT EXISTS (SELECT 1 FROM place
        WHERE place.session_id = claim.session_id AND place.seq = claim.claim_seq AND place.type = 62)
        AND claim.session_id NOT IN (SELECT session_id FROM dropped)""",
    "event_of_session": """SELECT entry.session_id, entry.seq FROM event_of_session AS entry WHERE NOT EXISTS
        (SELECT 1 FROM place, log WHERE place.session_id = entry.session_id AND place.seq = entry.seq
        AND place.position <= log.indexed_position)""",
    "event_of_tree": """SELECT entry.root_session_id, entry.position FROM event_of_tree AS entry WHERE NOT EXISTS
        (SELECT 1 FROM event, log WHERE event.position = entry.position AND event.position <= log.indexed_position
        AND event.root_session_id = entry.root_session_id)""",
    "message_of_sender": """SELECT entry.sender_session_id, entry.position FROM message_of_sender AS entry WHERE NOT
        EXISTS (SELECT 1 FROM message, log WHERE message.position = entry.position
        AND message.position <= log.indexed_position AND message.forked_from IS NULL
        AND message.sender_session_id = entry.sender_session_id)""",
}
# Entries that an index should have: session, key, what is expected and what is found in a column.
INDEXED = {
    ("event_of_session", "position"): """SELECT event.session_id, event.seq, event.position, entry.position
        FROM log JOIN event ON event.position <= log.indexed_position LEFT JOIN event_of_session AS entry
        ON entry.session_id = event.session_id AND entry.seq = event.seq WHERE entry.position IS NOT event.position""",
    ("event_of_tree", "position"): """SELECT event.root_session_id, event.position, event.position, NULL
        FROM log JOIN event ON event.position <= log.indexed_position WHERE NOT EXISTS (SELECT 1 FROM
        event_of_tree AS entry WHERE entry.root_session_id = event.root_session_id AND entry.position = event.position)
        """,
    ("message_of_sender", "position"): """SELECT message.sender_session_id, message.position, message.position, NULL
        FROM log JOIN message ON message.position <= log.indexed_position WHERE message.sender_session_id IS NOT NULL
        AND message.forked_from IS NULL AND NOT EXISTS (SELECT 1 FROM message_of_sender AS entry
        WHERE entry.sender_session_id = message.sender_session_id AND entry.position = message.position)""",
}
