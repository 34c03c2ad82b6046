"""What the store has to know of the configuration; `kinpost_server.settings` fills it."""

from __future__ import annotations

from dataclasses import dataclass

MEBIBYTE = 1 << 20


@dataclass(slots=True, frozen=True)
class StoreSettings:
    """`[store]`: patience in seconds, memory in bytes, counts."""

    busy_timeout_seconds: float = 5.0
    statement_seconds: float = 30.0
    commit_resolve_seconds: float = 10.0
    page_cache_bytes: int = 64 * MEBIBYTE
    checkpoint_pages: int = 4000
    reader_connections_max: int = 4
    cached_sessions_max: int = 20_000
    cached_body_bytes_max: int = 64 * MEBIBYTE
    # Looking at so many rows one by one takes a fraction of a millisecond, indexing them a few milliseconds.
    unindexed_events_max: int = 1024
