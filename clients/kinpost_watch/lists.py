"""The lists beside the main ones: waiting mail, approvals, dead letters, kinds of rows."""

from __future__ import annotations

import json
from datetime import datetime

from kinpost_client import Approval, DeadLetter
from rich.cells import cell_len

from kinpost_watch.block_list import BlockList, Pieces, wrapped
from kinpost_watch.forest import Forest
from kinpost_watch.harmless import harmless, harmless_line, short_id
from kinpost_watch.rows import Kind
from kinpost_watch.waiting import Waiting

BODY_LINES_MAX = 4


class WaitingList(BlockList[Waiting]):
    """The mail that waits in a session, the next to be delivered first; a message a line."""

    def key_of(self, item: Waiting) -> object:
        """Return the message with its state."""
        return item

    def lines_of(self, item: Waiting, width: int) -> list[Pieces]:
        """Return the line of a message."""
        head = f" {item.state} · {item.owner} {item.mode}" + (f" from {item.sender}" if item.sender else "") + ": "
        return [[(head, item.owner.value), (wrapped(item.body, max(8, width - cell_len(head)), 1)[0], "")]]


class ApprovalList(BlockList[Approval]):
    """What waits for a person, oldest first."""

    def __init__(self, forest: Forest) -> None:
        super().__init__(empty="Nothing waits for a person.")
        self._forest = forest

    def key_of(self, item: Approval) -> object:
        """Return the approval's id."""
        return item.approval_id

    def lines_of(self, item: Approval, width: int) -> list[Pieces]:
        """Return who asks for what, and the beginning of the body."""
        asker = self._forest.name(item.session_id)
        recipient = self._forest.name(item.recipient_session_id) if item.recipient_session_id else "nobody"
        head = f" asks for {harmless_line(item.tool_name)}, {when(item.create_time)}"
        body = wrapped(body_of(item), max(8, width - 4), BODY_LINES_MAX)
        return [
            [("? ", "asking"), (asker, "strong"), (" → ", "dim"), (recipient, "strong"), (head, "dim")],
            *[[("  │ ", "dim"), (line, "")] for line in body],
            [("", "")],
        ]


class DeadLetterList(BlockList[DeadLetter]):
    """Peer mail that could not be delivered, newest first."""

    def __init__(self, forest: Forest) -> None:
        super().__init__()
        self._forest = forest

    def key_of(self, item: DeadLetter) -> object:
        """Return the letter's id."""
        return item.dead_letter_id

    def lines_of(self, item: DeadLetter, width: int) -> list[Pieces]:
        """Return from whom to whom, why it died, and the beginning of the text."""
        why = item.reason.replace("_", " ") + (f", {harmless_line(item.detail)}" if item.detail else "")
        again = f" · redelivered {when(item.redeliver_time)}" if item.redeliver_time else ""
        body = wrapped(harmless(item.text), max(8, width - 4), BODY_LINES_MAX)
        return [
            [
                ("✗ " if item.redeliver_time is None else "✓ ", "trouble" if item.redeliver_time is None else "good"),
                (self._forest.name(item.source_session_id), "strong"),
                (" → ", "dim"),
                (self._forest.name(item.target_session_id), "strong"),
                (f" {when(item.create_time)}{again}", "dim"),
            ],
            *[[(f"  {line}", "dim")] for line in wrapped(why, max(8, width - 2), 2)],
            *[[("  │ ", "dim"), (line, "")] for line in body],
            [("", "")],
        ]


class KindList(BlockList[Kind]):
    """The kinds of rows, each shown or hidden."""

    def __init__(self, shown: set[Kind]) -> None:
        super().__init__()
        self.shown = shown

    def key_of(self, item: Kind) -> object:
        """Return the kind."""
        return item

    def lines_of(self, item: Kind, width: int) -> list[Pieces]:
        """Return its line."""
        return [[("[x] " if item in self.shown else "[ ] ", "good" if item in self.shown else "dim"), (item.value, "")]]


def body_of(approval: Approval) -> str:
    """Return the text that an approval is about: the body when there is one, else all arguments. Harmless."""
    body = approval.arguments.get("body")
    return harmless(body if isinstance(body, str) else json.dumps(approval.arguments, ensure_ascii=False, indent=2))


def named(forest: Forest, session_id: str) -> str:
    """Return a session with its name and its whole id, for decisions."""
    if not session_id:
        return "nobody"
    name = forest.name(session_id)
    return session_id if name == short_id(session_id) else f"{name} ({harmless_line(session_id)})"


def when(instant: datetime) -> str:
    """Return an instant as people of this place read it."""
    return f"{instant.astimezone():%d %b %H:%M:%S}"
