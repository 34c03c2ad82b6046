"""What the log tells of peer mail's rows, for `examining.py`: who wrote last, what can be read back, what is kept.

Not compared, because the log does not tell: what is counted and parked, the first answers, how often a body was
fetched, the text of a dead letter and how its target was, and which dead letters are too old to be kept.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from kinpost_server.domain import event as e
from kinpost_server.store.read_only import ReadOnlySqlite

Decode = Callable[[bytes], e.Event | None]
Differs = Callable[[Any, str, Any, str, Any, Any], None]  # session, table, row, column, expected, found

# Peer mail has owner 5. A fork's copy is nobody's message, so it tells nothing.
_EXCHANGES = """CREATE TEMP TABLE exchange AS SELECT min(session_id, sender_session_id) AS lower_session_id,
    max(session_id, sender_session_id) AS higher_session_id, sender_session_id AS last, max(position) AS position
    FROM message WHERE owner = 5 AND forked_from IS NULL GROUP BY 1, 2"""
_EXCHANGES_BY_PAIR = "CREATE INDEX temp.exchange_of_pair ON exchange (lower_session_id, higher_session_id)"
_LAST_WRITERS = """SELECT lower_session_id, higher_session_id, exchange.last, peer_exchange.last_source_session_id
    FROM exchange LEFT JOIN peer_exchange USING (lower_session_id, higher_session_id)
    WHERE peer_exchange.last_source_session_id IS NOT exchange.last
    UNION ALL SELECT lower_session_id, higher_session_id, exchange.last, peer_exchange.last_source_session_id
    FROM peer_exchange LEFT JOIN exchange USING (lower_session_id, higher_session_id) WHERE exchange.last IS NULL"""
_BODIES = """SELECT message.message_id, message.sender_session_id, message.accept_time, peer_body.source_session_id,
    peer_body.send_time FROM message LEFT JOIN peer_body ON peer_body.body_id = message.message_id
    WHERE owner = 5 AND forked_from IS NULL AND message.tldr IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM dropped
    WHERE dropped.session_id = message.session_id AND message.accept_seq <= dropped.seq)
    AND (peer_body.source_session_id IS NOT message.sender_session_id
    OR peer_body.send_time IS NOT message.accept_time)"""
_STRANGE_BODIES = """SELECT body_id, source_session_id FROM peer_body WHERE NOT EXISTS (SELECT 1 FROM message
    WHERE message.message_id = peer_body.body_id AND owner = 5 AND forked_from IS NULL AND tldr IS NOT NULL)"""
_LETTER_EVENTS = """SELECT event.session_id, event.data FROM place JOIN event ON event.position = place.position
    WHERE place.type = ? ORDER BY place.position"""
_KEPT = """SELECT source_session_id, target_session_id, reason, detail, create_time, redeliver_time, message_id
    FROM dead_letter WHERE dead_letter_id = ?"""
_TOLD = "CREATE TEMP TABLE letter_told (dead_letter_id BLOB, type INTEGER, PRIMARY KEY (dead_letter_id, type))"
# The log of a session that is deleted hears of its letters no more, and what was dropped tells of none.
_UNTOLD = """SELECT source_session_id, dead_letter_id, redeliver_time, message_id FROM dead_letter WHERE NOT EXISTS
    (SELECT 1 FROM session WHERE session.session_id = dead_letter.source_session_id AND session.deleted)
    AND dead_letter.source_session_id NOT IN (SELECT session_id FROM dropped)
    AND NOT EXISTS (SELECT 1 FROM letter_told AS told WHERE told.dead_letter_id = dead_letter.dead_letter_id
    AND told.type = ?)"""
A_ROW, MISSING = "a row", "no such row"


def examine_peers(database: ReadOnlySqlite, connection: sqlite3.Connection, decode: Decode, differs: Differs) -> None:
    """Compare; `place` is the temporary table of where each event lies."""
    for statement in (_EXCHANGES, _EXCHANGES_BY_PAIR, _TOLD):
        connection.execute(statement)
    for lower, higher, told, found in connection.execute(_LAST_WRITERS):
        if told and found:
            differs(lower, "peer_exchange", higher, "last_source_session_id", told, found)
        else:
            differs(lower, "peer_exchange", higher, "", *((A_ROW, MISSING) if told else (MISSING, A_ROW)))
    for body_id, source, time, found_source, found_time in connection.execute(_BODIES):
        if found_source is None:
            differs(source, "peer_body", body_id, "", A_ROW, MISSING)
        elif source != found_source:
            differs(source, "peer_body", body_id, "source_session_id", source, found_source)
        else:
            differs(source, "peer_body", body_id, "send_time", time, found_time)
    for body_id, source in connection.execute(_STRANGE_BODIES):
        differs(source, "peer_body", body_id, "", MISSING, A_ROW)
    _Letters(database, connection, decode, differs).examine()


class _Letters:
    """Dead letters: what the log tells of each that is kept, and what is kept that it does not tell of."""

    def __init__(
        self, database: ReadOnlySqlite, connection: sqlite3.Connection, decode: Decode, differs: Differs
    ) -> None:
        self._database, self._connection = database, connection
        self._decode, self._differs = decode, differs

    def examine(self) -> None:
        for session_id, event in self._told_by(e.PeerDeadLetterRecorded.TYPE):
            payload = event.payload
            assert isinstance(payload, e.PeerDeadLetterRecorded)
            self._compare(
                payload.dead_letter_id,
                source_session_id=session_id,
                target_session_id=self._database.id_in(payload.target_session_id),
                reason=int(payload.reason),
                detail=payload.detail,
                create_time=event.event_time,
            )
        for _, event in self._told_by(e.PeerDeadLetterRedelivered.TYPE):
            payload = event.payload
            assert isinstance(payload, e.PeerDeadLetterRedelivered)
            message_id = self._database.id_in(payload.message_id)
            self._compare(payload.dead_letter_id, redeliver_time=event.event_time, message_id=message_id)
        for source, letter_id, _, _ in self._connection.execute(_UNTOLD, (e.PeerDeadLetterRecorded.TYPE,)):
            self._differs(source, "dead_letter", letter_id, "", MISSING, A_ROW)
        untold = self._connection.execute(_UNTOLD, (e.PeerDeadLetterRedelivered.TYPE,))
        for source, letter_id, *found in untold:
            for column, value in zip(("redeliver_time", "message_id"), found, strict=True):
                if value is not None:
                    self._differs(source, "dead_letter", letter_id, column, None, value)

    def _told_by(self, type_: int) -> Iterator[tuple[bytes, e.Event]]:
        for session_id, data in self._connection.execute(_LETTER_EVENTS, (type_,)):
            event = self._decode(data)
            if event is not None:  # else it was reported with its session
                assert isinstance(event.payload, e.PeerDeadLetterRecorded | e.PeerDeadLetterRedelivered)
                letter_id = self._database.id_in(event.payload.dead_letter_id)
                self._connection.execute("INSERT OR IGNORE INTO letter_told VALUES (?, ?)", (letter_id, type_))
                yield session_id, event

    def _compare(self, dead_letter_id: str, **told: Any) -> None:
        letter_id = self._database.id_in(dead_letter_id)
        cursor = self._connection.execute(_KEPT, (letter_id,))
        names = [column[0] for column in cursor.description]
        row = cursor.fetchone()
        if row is None:
            return  # it was kept for its time
        kept = dict(zip(names, row, strict=True))
        for column, value in told.items():
            if kept[column] != value:
                self._differs(kept["source_session_id"], "dead_letter", letter_id, column, value, kept[column])
