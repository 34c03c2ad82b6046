"""The ways into the log: what is read by session, by tree and by sender must be what the whole log holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kinpost_server.domain.event import Event, MessageAccepted
from kinpost_server.engine.ports import OWNERS_OF_SENT, Reader, Scope, StoredEvent
from kinpost_server.transport.event_codec import decode

from torture_kit.history import Report

CHUNK = 500
CHUNK_BYTES = 8 << 20


class Routes:
    """Takes the whole log, then compares."""

    def __init__(self) -> None:
        self._positions: dict[Scope, list[int]] = defaultdict(list)
        self._sent: dict[str, list[str]] = defaultdict(list)

    def take(self, event: Event) -> None:
        """Add the next event."""
        self._positions[Scope(session_id=event.session_id)].append(event.position)
        self._positions[Scope(root_session_id=event.root_session_id)].append(event.position)
        payload = event.payload
        if isinstance(payload, MessageAccepted) and payload.owner in OWNERS_OF_SENT and payload.sender.session_id:
            self._sent[payload.sender.session_id].append(payload.message_id)

    def compare(self, reader: Reader, report: Report) -> int:
        """Compare each session's and tree's pages, and what each session sent; return how many rows were compared."""
        compared = 0
        for scope, positions in self._positions.items():
            found = [stored.position for stored in events_of(reader, scope)]
            if found != positions:
                report("projections", f"{scope} reads {len(found)} events, the log has {len(positions)}")
            compared += len(positions)
        for session_id, message_ids in self._sent.items():
            sent = list(_sent_by(reader, session_id))
            if sent != message_ids[::-1]:
                report("projections", f"{session_id} is told of {len(sent)} sent messages, not {len(message_ids)}")
            compared += len(message_ids)
        return compared


def events_of(reader: Reader, scope: Scope) -> Iterator[StoredEvent]:
    """Return all events of a scope, in order."""
    position = 0
    while True:
        page, upto = reader.events_after(scope, position, (), CHUNK, CHUNK_BYTES)
        yield from page
        if upto <= position:
            return
        position = upto


def all_events(reader: Reader) -> Iterator[Event]:
    """Return the whole log, decoded."""
    return (decode(stored.data) for stored in events_of(reader, Scope()))


def _sent_by(reader: Reader, session_id: str) -> Iterator[str]:
    before = 0
    while page := reader.list_sent(session_id, (), before, CHUNK):
        yield from (sent.message.message_id for sent in page)
        before = page[-1].message.position
