"""The lists of the main screen: the trees, and the transcript of a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from kinpost_client import Availability, SessionState
from rich.cells import cell_len, set_cell_size
from textual.binding import Binding, BindingType
from textual.message import Message

from kinpost_watch.block_list import BlockList, Pieces, wrapped
from kinpost_watch.forest import Forest, Line
from kinpost_watch.rows import Row

# A letter's worth of shape and of colour, so that neither is needed.
STATES: dict[SessionState, tuple[str, str]] = {
    SessionState.IDLE: ("○", "dim"),
    SessionState.QUEUED: ("◌", "dim"),
    SessionState.RUNNING: ("●", "good"),
    SessionState.COMPLETED: ("✓", "good"),
    SessionState.FAILED: ("✗", "trouble"),
    SessionState.INTERRUPTED: ("!", "warning"),
    SessionState.CANCELLED: ("⊘", "warning"),
    SessionState.UNKNOWN: ("?", "dim"),
}
AVAILABILITIES: dict[Availability, str] = {
    Availability.PAUSED: "paused",
    Availability.ARCHIVED: "archived",
    Availability.ENDED: "ended",
    Availability.USER_CLOSED: "closed",
    Availability.UNKNOWN: "?",
}
BODY_LINES_MAX = 6
EARLY_ROWS = 50  # so many rows before the end of the window, the next page is asked for


class ForestList(BlockList[Line]):
    """The trees, a session a line: state, name, and at the right what asks for attention."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "fold", "Fold", show=False),
        Binding("right,l", "unfold", "Unfold", show=False),
    ]

    def __init__(self, forest: Forest, *, id: str) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, empty="No sessions yet.")
        self._forest = forest

    def key_of(self, item: Line) -> object:
        """Return the session."""
        return item.session_id

    def ends_of(self, items: Sequence[Line]) -> Sequence[int]:
        """Return one line for each."""
        return range(1, len(items) + 1)

    def lines_of(self, item: Line, width: int) -> list[Pieces]:
        """Return the line of a session."""
        place = self._forest.places.get(item.session_id)
        if place is None:
            return [[("", "")]]
        sign, tone = STATES[place.state]
        right: Pieces = []
        if item.folded_count:
            right.append((f" +{item.folded_count}", "dim"))
        if place.availability is not Availability.OPEN:
            right.append((f" {AVAILABILITIES[place.availability]}", "warning" if place.holds else "dim"))
        if place.asking_count:
            right.append((f" ?{place.asking_count}", "asking"))
        if place.pending_count:
            right.append((f" ✉{place.pending_count}", "warning" if place.holds else "strong"))
        room = width - 1 - sum(cell_len(text) for text, _ in right)
        left = f"{item.branches}{sign} "
        name_room = max(4, room - cell_len(left))
        name = place.name if cell_len(place.name) <= name_room else set_cell_size(place.name, name_room - 1) + "…"
        return [
            [
                (item.branches, "dim"),
                (f"{sign} ", tone),
                (set_cell_size(name, name_room), "strong" if place.state is SessionState.RUNNING else ""),
                *right,
            ]
        ]

    def action_fold(self) -> None:
        """Fold the children of the session away, or go to its parent."""
        if (line := self.chosen) is None:
            return
        place = self._forest.places[line.session_id]
        if place.children and line.session_id not in self._forest.folded:
            self._set_folded(line, folded=True)
        elif place.parent_session_id in self._forest.places:
            self.put_cursor(self._index_of(place.parent_session_id, self.cursor))

    def action_unfold(self) -> None:
        """Show the children of the session."""
        if (line := self.chosen) is not None:
            self._set_folded(line, folded=False)

    def _set_folded(self, line: Line, *, folded: bool) -> None:
        self._forest.fold(line.session_id, folded=folded)
        self.show(self._forest.lines(), keep_looks=False)


class TranscriptList(BlockList[Row]):
    """The rows of a session's log. It asks for more when the cursor nears an end of what is loaded."""

    class WantsEarlier(Message):
        """The cursor is near the first loaded row."""

    class WantsLater(Message):
        """The cursor is near the last loaded row, which is not the log's newest."""

    class WantsEdge(Message):
        """Somebody wants to be at the very beginning of the log, or at its end."""

        def __init__(self, *, end: bool) -> None:
            super().__init__()
            self.end = end

    reaches_end = True  # whether the last row is the newest that there is to show

    def key_of(self, item: Row) -> object:
        """Return the event's number."""
        return item.seq

    def lines_of(self, item: Row, width: int) -> list[Pieces]:
        """Return the title, and the beginning of the body."""
        head = f"{item.seq:>6} {item.time.astimezone():%H:%M:%S} "
        title_width = max(8, width - len(head))
        titles = wrapped(item.title, title_width, 3)
        tone = item.tone
        lines: list[Pieces] = [[(head, "dim"), (titles[0], tone)]]
        lines += [[(" " * len(head), ""), (more, tone)] for more in titles[1:]]
        if item.body:
            body = wrapped(item.body, max(8, width - 10), BODY_LINES_MAX)
            lines += [[("       │ ", "dim"), (line, "")] for line in body]
        return lines

    def put_cursor(self, index: int) -> None:
        """Set the cursor; near an end of what is loaded more of it is asked for."""
        super().put_cursor(index)
        self.following = self.reaches_end and self.cursor == len(self.items) - 1
        if self.cursor < EARLY_ROWS:
            self.post_message(self.WantsEarlier())
        if self.cursor >= len(self.items) - EARLY_ROWS:
            self.post_message(self.WantsLater())

    def action_first(self) -> None:
        """Go to the beginning of the log."""
        self.following = False
        self.post_message(self.WantsEdge(end=False))

    def action_last(self) -> None:
        """Go to the end of the log, and follow it."""
        self.post_message(self.WantsEdge(end=True))
