"""What opens above the main screen: help, a whole row, a decision to confirm, the kinds of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from kinpost_watch.block_list import BlockList, Pieces, wrapped
from kinpost_watch.lists import KindList, WaitingList
from kinpost_watch.rows import Kind
from kinpost_watch.waiting import Waiting

# Of a text in a dialog. The largest bodies are longer, and nobody reads them here to the end.
TEXT_CHARACTERS_MAX = 100_000
BORDER_LINES = 2
REASON_CHARACTERS_MAX = 256  # four bytes each: the contract takes 1024 bytes


class Dialog(ModalScreen[str | None]):
    """A box in the middle of the screen, closed by escape."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close")]
    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > Vertical {
        width: 90%; max-width: 110; height: auto; max-height: 90%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    Dialog .facts { color: $text-muted; margin-bottom: 1; }
    Dialog .keys { color: $text-muted; margin-top: 1; }
    Dialog BlockList { height: auto; background: $surface; }
    """

    def action_close(self) -> None:
        """Close without a result."""
        self.dismiss(None)

    def on_resize(self) -> None:
        """Give the text the room that the rest leaves, as soon as the rest has its size."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        for scroll in self.query(BlockList):
            others = [child for child in self.query_one(Vertical).children if child is not scroll]
            taken = sum(child.outer_size.height + child.styles.margin.height for child in others) + BORDER_LINES
            scroll.styles.max_height = max(1, self.size.height * 9 // 10 - taken)


class TextView(BlockList[tuple[int, str]]):
    """A harmless text, of which only the lines that are seen are drawn, however long it is."""

    def __init__(self, text: str) -> None:
        super().__init__(id="text")
        self.can_focus = self.shows_cursor = False
        self.text = _bounded(text)

    def on_mount(self) -> None:
        """Show the text."""
        self.show(list(enumerate(self.text.split("\n"))))

    def key_of(self, item: tuple[int, str]) -> object:
        """Return the number of the line."""
        return item[0]

    def lines_of(self, item: tuple[int, str], width: int) -> list[Pieces]:
        """Return the line, wrapped."""
        return [[(line, "")] for line in wrapped(item[1], width, TEXT_CHARACTERS_MAX)]

    def scroll_way(self, way: str) -> None:
        """Scroll up or down, by a page, to the beginning (`home`) or the end."""
        lines = {"up": -1, "down": 1, "page_up": 1 - self.size.height, "page_down": self.size.height - 1}
        self.scroll_lines(lines.get(way, self.virtual_size.height * (1 if way == "end" else -1)))


class TextDialog(Dialog):
    """A text to be read: scrolled with the arrow keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,q,question_mark", "close", "Close", show=False),
        *(
            Binding(keys, f"scroll('{way}')", way, show=False)
            for keys, way in [
                ("up,k", "up"),
                ("down,j", "down"),
                ("pageup", "page_up"),
                ("pagedown", "page_down"),
                ("home,g", "home"),
                ("end,G", "end"),
            ]
        ),
    ]

    def __init__(self, heading: str, text: str, facts: str = "") -> None:
        super().__init__()
        self._heading, self._text, self._facts = heading, text, facts

    def compose(self) -> ComposeResult:
        """Make heading, facts and text."""
        with Vertical() as box:
            box.border_title = Content(self._heading)
            box.border_subtitle = "esc closes"
            if self._facts:
                yield Static(Content(self._facts), classes="facts", markup=False)
            yield TextView(self._text)

    def action_scroll(self, way: str) -> None:
        """Scroll the text."""
        self.query_one(TextView).scroll_way(way)


class ConfirmDialog(Dialog):
    """A decision: all that it is about, and a reason to be given. Enter confirms, the result is the reason."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "confirm", "Yes", show=False),
        Binding("up", "scroll('up')", "Up", show=False),
        Binding("down", "scroll('down')", "Down", show=False),
        Binding("pageup", "scroll('page_up')", "Page up", show=False),
        Binding("pagedown", "scroll('page_down')", "Page down", show=False),
    ]
    DEFAULT_CSS = """
    ConfirmDialog > Vertical { border: round $warning; }
    ConfirmDialog #facts { margin-bottom: 1; }
    ConfirmDialog TextView { background: $boost; min-height: 1; }
    ConfirmDialog Input { margin-top: 1; padding: 0 1; background: $boost; }
    """

    def __init__(self, heading: str, facts: Sequence[tuple[str, str]], text: str, *, asks_reason: bool) -> None:
        super().__init__()
        self._heading, self._facts, self._text, self._asks_reason = heading, facts, text, asks_reason

    def compose(self) -> ComposeResult:
        """Make heading, facts, text and the line for the reason."""
        width = max(len(name) for name, _ in self._facts)
        with Vertical() as box:
            box.border_title = Content(self._heading)
            box.border_subtitle = "enter: yes, do it   esc: no"
            told = "\n".join(f"{name:<{width}}  {value}" for name, value in self._facts)
            yield Static(Content(told), markup=False, id="facts")
            yield TextView(self._text)
            if self._asks_reason:
                yield Input(
                    placeholder="reason, may be empty", max_length=REASON_CHARACTERS_MAX, compact=True, id="reason"
                )

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Confirm, with the reason."""
        event.stop()
        self.dismiss(event.value)

    def action_confirm(self) -> None:
        """Confirm where no reason is asked."""
        self.dismiss("")

    def action_scroll(self, way: str) -> None:
        """Scroll the text."""
        self.query_one(TextView).scroll_way(way)


class WaitingDialog(Dialog):
    """All mail that waits in a session."""

    def __init__(self, heading: str, messages: Sequence[Waiting]) -> None:
        super().__init__()
        self._heading, self._messages = heading, messages

    def compose(self) -> ComposeResult:
        """Make the list."""
        with Vertical() as box:
            box.border_title = Content(self._heading)
            box.border_subtitle = "esc closes"
            yield WaitingList(empty="Nothing waits.")

    def on_mount(self) -> None:
        """Fill the list."""
        self.query_one(WaitingList).show(self._messages)


class KindsDialog(ModalScreen[frozenset[Kind]]):
    """Which kinds of rows are shown. Escape or enter takes what is ticked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "take", "Done"),
        Binding("enter", "take", "Done", priority=True),
        Binding("space,x", "tick", "Show or hide"),
        Binding("a", "all", "All"),
        Binding("n", "none", "None"),
    ]
    DEFAULT_CSS = """
    KindsDialog { align: center middle; }
    KindsDialog > Vertical {
        width: 44; height: auto; border: round $primary; background: $surface; padding: 0 1;
    }
    KindsDialog BlockList { height: 9; overflow-y: hidden; background: $surface; }
    """

    def __init__(self, shown: frozenset[Kind]) -> None:
        super().__init__()
        self._list = KindList(set(shown))

    def compose(self) -> ComposeResult:
        """Make the list."""
        with Vertical() as box:
            box.border_title = "Rows to show"
            box.border_subtitle = "space · a all · n none · enter"
            yield self._list

    def on_mount(self) -> None:
        """Fill the list."""
        self._list.show(list(Kind))
        self._list.focus()

    def action_tick(self) -> None:
        """Show the kind under the cursor, or hide it."""
        if self._list.chosen is not None:
            self._set(self._list.shown ^ {self._list.chosen})

    def action_all(self) -> None:
        """Show all."""
        self._set(set(Kind))

    def action_none(self) -> None:
        """Hide all, to tick a few."""
        self._set(set())

    def action_take(self) -> None:
        """Close with what is ticked; nothing ticked is everything, since an empty transcript tells nothing."""
        self.dismiss(frozenset(self._list.shown or Kind))

    def _set(self, shown: set[Kind]) -> None:
        self._list.shown = shown
        self._list.look_again()


def _bounded(text: str) -> str:
    if len(text) <= TEXT_CHARACTERS_MAX:
        return text
    return f"{text[:TEXT_CHARACTERS_MAX]}\n… {len(text) - TEXT_CHARACTERS_MAX} more characters"
