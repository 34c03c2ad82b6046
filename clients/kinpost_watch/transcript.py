"""The part of one session's log that is in memory: a window of rows that moves over the log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kinpost_client import Event

from kinpost_watch.rows import Kind, Row, row_of

ROWS_MAX = 1000


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows are shown: those of `kinds` that mention `text`, empty for all."""

    text: str = ""
    kinds: frozenset[Kind] = field(default_factory=lambda: frozenset(Kind))

    @property
    def everything(self) -> bool:
        """Whether it lets all rows pass."""
        return not self.text and len(self.kinds) == len(Kind)

    def passes(self, row: Row) -> bool:
        """Whether a row is shown."""
        return row.kind in self.kinds and (not self.text or row.mentions(self.text.casefold()))


class Transcript:
    """Rows of the events `first_seq` to `last_seq`, `ROWS_MAX` at most: what joins at one end drives out at the other.

    An empty one has `first_seq` one above `last_seq`. `newest_seq` is the log's newest event that is known of.
    """

    def __init__(self, session_id: str, last_seq: int, wanted: Wanted, rows_max: int = ROWS_MAX) -> None:
        self.session_id = session_id
        self.wanted = wanted
        self.rows: list[Row] = []
        self.newest_seq = last_seq
        self.last_seq = last_seq
        self.first_seq = last_seq + 1
        self._rows_max = rows_max

    @property
    def at_beginning(self) -> bool:
        """Whether the window reaches the log's first event."""
        return self.first_seq <= 1

    @property
    def at_end(self) -> bool:
        """Whether the window reaches the log's newest event, so that what comes joins it."""
        return self.last_seq >= self.newest_seq

    def follow(self, events: Sequence[Event]) -> None:
        """Take in what came live: it joins the window when that reaches the end."""
        joining = self.at_end
        if events:
            self.newest_seq = max(self.newest_seq, events[-1].seq)
        if joining:
            self.append(events)

    def append(self, events: Iterable[Event]) -> None:
        """Take in what follows the window."""
        fresh = [event for event in events if event.seq > self.last_seq]
        if not fresh:
            return
        self.last_seq = fresh[-1].seq
        self.newest_seq = max(self.newest_seq, self.last_seq)
        self.rows += self._shown(fresh)
        if len(self.rows) > self._rows_max:
            del self.rows[: -self._rows_max]
            self.first_seq = self.rows[0].seq

    def prepend(self, events: Iterable[Event]) -> int:
        """Take in what comes before the window. Returns how many rows joined it."""
        fresh = [event for event in events if event.seq < self.first_seq]
        if not fresh:
            return 0
        self.first_seq = fresh[0].seq
        joined = self._shown(fresh)
        self.rows[:0] = joined
        if len(self.rows) > self._rows_max:
            del self.rows[self._rows_max :]
            self.last_seq = self.rows[-1].seq
        return len(joined)

    def _shown(self, events: Iterable[Event]) -> list[Row]:
        return [row.short() for row in map(row_of, events) if self.wanted.passes(row)]
