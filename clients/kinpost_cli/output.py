"""What a command prints: tables for people, one JSON object a line for programs; progress beside it."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.status import Status
from rich.table import Table
from rich.text import Text

from kinpost_cli.text import beginnings, local_time, plain, short_time

WIDTH_IN_A_PIPE = 10_000  # nothing is cut where no person's screen ends
CUT_WIDTH_MIN = 12
PROGRESS_SECONDS = 1.0  # what is done by then needs none
STYLES = {
    "running": "green",
    "failed": "red",
    "interrupted": "red",
    "cancelled": "yellow",
    "paused": "yellow",
    "user_closed": "yellow",
    "held": "yellow",
    "pending": "yellow",
    "discarded": "red",
    "denied": "red",
    "ok": "green",
    "bad": "red",
}


class Column(NamedTuple):
    """A column: `cut` shortens what does not fit on the screen, in place of folding it."""

    heading: str
    cut: bool = False
    right: bool = False


class _Console(Console):
    """Rich's own would end the program by itself when its reader leaves."""

    def on_broken_pipe(self) -> None:
        """Let the command end as it ends for every other cause."""
        raise BrokenPipeError


class Output:
    """Standard output. Colours are for terminals only, and NO_COLOR is honoured."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._terminal = terminal = sys.stdout.isatty()
        self._console = _Console(
            color_system=None if os.environ.get("NO_COLOR") else "auto",
            highlight=False,
            markup=False,
            emoji=False,
            soft_wrap=False,
            width=None if terminal else WIDTH_IN_A_PIPE,
        )

    def object(self, message: Message | dict[str, Any]) -> None:
        """Print one object, for programs: a message as the official JSON printing has it."""
        given = MessageToDict(message) if isinstance(message, Message) else message
        sys.stdout.write(f"{json.dumps(given)}\n")

    def line(self, text: str) -> None:
        """Print a line for people, whole."""
        sys.stdout.write(f"{plain(text)}\n")

    def text(self, text: str) -> None:
        """Print text of several lines for people."""
        sys.stdout.write(f"{plain(text, lines=True)}\n")

    @property
    def on_terminal(self) -> bool:
        """Whether a person's screen is what is written to."""
        return self._terminal

    def cut_line(self, line: Text) -> None:
        """Print a line for people, shortened to their screen."""
        self._console.print(line, no_wrap=True, overflow="ellipsis", crop=True)

    def time(self, wire: Timestamp) -> str:
        """Return an instant for a table: whole in a pipe, on a terminal as short as its day allows."""
        return short_time(wire) if self._terminal else local_time(wire)

    def ids(self, given: Iterable[str]) -> dict[str, str]:
        """Return how ids are shown: whole in a pipe, on a terminal the shortest beginnings that tell them apart."""
        return beginnings(given) if self._terminal else {each: each for each in given}

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
        """Print a table for people. What may be cut gets the room that the others leave."""
        cells = [[styled(value) for value in row] for row in rows]
        headed = any(column.heading for column in columns)
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_header=headed)
        widths = [
            max([cell_len(column.heading), *(row[place].cell_len for row in cells)])
            for place, column in enumerate(columns)
        ]
        taken = sum(width + 2 for width, column in zip(widths, columns, strict=True) if not column.cut)
        room = max(self._console.width - taken, CUT_WIDTH_MIN)
        for width, column in zip(widths, columns, strict=True):
            table.add_column(
                column.heading,
                overflow="ellipsis" if column.cut else "fold",
                no_wrap=column.cut,
                justify="right" if column.right else "left",
                width=min(width, room) if column.cut else None,
            )
        for row in cells:
            table.add_row(*row)
        self.show(table)

    def show(self, drawn: RenderableType) -> None:
        """Print something drawn, without the blanks at the ends of its lines."""
        if self._terminal:
            self._console.print(drawn)
            return
        with self._console.capture() as capture:
            self._console.print(drawn)
        for line in capture.get().splitlines():
            sys.stdout.write(f"{line.rstrip()}\n")

    def flush(self) -> None:
        """Let go of what was printed: whoever follows reads it now."""
        sys.stdout.flush()


def styled(value: str, style: str = "") -> Text:
    """Return a value as text that is nobody's markup, in its colour."""
    return Text(plain(value), style=style or STYLES.get(value.partition(" ")[0].rstrip(":"), ""))


class Progress:
    """How far a long work is: on a terminal's standard error, nothing elsewhere."""

    def __init__(self, doing: str) -> None:
        self.count = 0
        self._doing = doing
        self._began = time.monotonic()
        self._status: Status | None = None

    def add(self, count: int) -> None:
        """Tell of so many more."""
        self.count += count
        if self._status is None and time.monotonic() - self._began > PROGRESS_SECONDS:
            console = Console(stderr=True, highlight=False)
            if console.is_terminal:
                self._status = Status("", console=console)
                self._status.start()
        if self._status is not None:
            self._status.update(f"{self._doing}: {self.count}")

    def end(self) -> None:
        """Take it off the screen."""
        if self._status is not None:
            self._status.stop()


@contextmanager
def progress(doing: str) -> Iterator[Progress]:
    """Show progress while the context lasts."""
    shown = Progress(doing)
    try:
        yield shown
    finally:
        shown.end()
