"""A list under a cursor whose items are blocks of lines. Only what is seen is drawn, so a long one costs no more."""

from __future__ import annotations

import textwrap
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, ClassVar, Generic, TypeVar

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from kinpost_watch.harmless import harmless_line

Item = TypeVar("Item")
# A line is pieces of text, each with the name of a tone (`good`, `dim`), empty for the plain one.
Pieces = list[tuple[str, str]]

TONES = frozenset(
    {
        *("agent", "user", "plugin", "delegation", "peer", "unknown"),
        *("run", "session", "asking", "good", "warning", "trouble", "dim", "strong"),
    }
)


class BlockList(ScrollView, Generic[Item], can_focus=True):
    """The list. Whoever makes one says how an item looks (`lines_of`) and what is an item's identity (`key_of`).

    The cursor stays on its item when others come and go. With `following`, it stays on the last one.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "Page up", show=False),
        Binding("pagedown,ctrl+f", "page(1)", "Page down", show=False),
        Binding("home,g", "first", "First", show=False),
        Binding("end,G", "last", "Last", show=False),
        Binding("enter", "choose", "Open", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"block-list--cursor", *(f"tone--{tone}" for tone in TONES)}
    DEFAULT_CSS = """
    BlockList {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
        scrollbar-background-hover: $surface;
        scrollbar-background-active: $surface;
        scrollbar-color: $foreground 25%;
        background: $surface;
        color: $foreground;
    }
    BlockList > .block-list--cursor { background: $foreground 10%; }
    BlockList:focus > .block-list--cursor { background: $primary 35%; }
    BlockList > .tone--agent { color: $text-primary; text-style: bold; }
    BlockList > .tone--user { color: $text-success; text-style: bold; }
    BlockList > .tone--plugin { color: $text-accent; text-style: bold; }
    BlockList > .tone--delegation { color: $text-secondary; text-style: bold; }
    BlockList > .tone--peer { color: $text-warning; text-style: bold; }
    BlockList > .tone--unknown { text-style: bold; }
    BlockList > .tone--run { color: $text-secondary; }
    BlockList > .tone--session { color: $text-accent; }
    BlockList > .tone--asking { color: $text-warning; text-style: bold; }
    BlockList > .tone--good { color: $text-success; }
    BlockList > .tone--warning { color: $text-warning; }
    BlockList > .tone--trouble { color: $text-error; }
    BlockList > .tone--dim { color: $foreground 60%; }
    BlockList > .tone--strong { text-style: bold; }
    """

    class Moved(Message):
        """The cursor stands on another item."""

        def __init__(self, block_list: BlockList[Any]) -> None:
            super().__init__()
            self.block_list = block_list

        @property
        def control(self) -> BlockList[Any]:
            """The list."""
            return self.block_list

    class Chosen(Moved):
        """Somebody wants to see an item."""

    def __init__(self, *, id: str | None = None, empty: str = "") -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.shows_cursor = True
        self.items: Sequence[Item] = []
        self.cursor = 0
        self.following = False
        self.empty = empty
        self._ends: Sequence[int] = []  # of each block, the line after its last
        self._blocks: dict[object, list[Pieces]] = {}
        self._blocks_width = 0
        self._styles_of_tones: dict[tuple[str, bool, bool], Style] = {}

    # What a list of a kind says

    def key_of(self, item: Item) -> object:
        """Return what an item is known by."""
        raise NotImplementedError

    def lines_of(self, item: Item, width: int) -> list[Pieces]:
        """Return how an item looks, at least one line."""
        raise NotImplementedError

    # Items

    @property
    def chosen(self) -> Item | None:
        """The item under the cursor."""
        return self.items[self.cursor] if self.items else None

    @property
    def line_width(self) -> int:
        """The cells of a line."""
        return max(8, self.size.width - self.scrollbar_size_vertical)

    def show(self, items: Sequence[Item], *, keep_looks: bool = True) -> None:
        """Show these items, which nobody changes afterwards. The cursor stays on its item.

        `keep_looks`: those known before look as before.
        """
        chosen, above = self.chosen, self._top() - self.scroll_offset.y
        key = None if chosen is None else self.key_of(chosen)
        if not keep_looks:
            self._blocks.clear()
        self.items = items
        self._lay_out()
        if self.following:
            self.cursor = max(0, len(items) - 1)
        elif key is not None:
            self.cursor = self._index_of(key, min(self.cursor, max(0, len(items) - 1)))
        if self.following:
            self._scroll(self.virtual_size.height)
        else:
            self._scroll(self._top() - above)  # the item stands where it stood
            if self.shows_cursor:
                self._reveal()
        self.refresh()

    def look_again(self) -> None:
        """Draw anew: something about the items has changed, though not their number or heights."""
        self._blocks.clear()
        self.refresh()

    def put_cursor(self, index: int) -> None:
        """Set the cursor, as a person does."""
        self.cursor = max(0, min(index, len(self.items) - 1))
        self._reveal()
        self.refresh()
        self.post_message(self.Moved(self))

    def scroll_lines(self, count: int) -> None:
        """Scroll by lines, and leave the cursor where it is."""
        self._scroll(self.scroll_offset.y + count)
        self.refresh()

    # Keys and mouse

    def action_move(self, count: int) -> None:
        """Move by items."""
        self.put_cursor(self.cursor + count)

    def action_page(self, count: int) -> None:
        """Move by screens."""
        line = self._top() + count * max(1, self.size.height - 1)
        index = bisect_right(self._ends, max(0, line))
        self.put_cursor(index if index != self.cursor else self.cursor + count)

    def action_first(self) -> None:
        """Move to the first item."""
        self.put_cursor(0)

    def action_last(self) -> None:
        """Move to the last item."""
        self.put_cursor(len(self.items) - 1)

    def action_choose(self) -> None:
        """Open the item under the cursor."""
        if self.items:
            self.post_message(self.Chosen(self))

    def on_click(self, event: Click) -> None:
        """Put the cursor where the mouse is; a second click opens."""
        index = bisect_right(self._ends, event.y + self.scroll_offset.y)
        if index < len(self.items):
            again = index == self.cursor and event.chain > 1
            self.put_cursor(index)
            if again:
                self.action_choose()

    def on_resize(self, event: Resize) -> None:
        """Lay out anew for the new width."""
        if self.line_width != self._blocks_width:
            self.show(self.items, keep_looks=False)
        elif self.shows_cursor:
            self._reveal()

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Draw one line of the screen."""
        width = self.size.width
        line = y + self.scroll_offset.y
        index = bisect_right(self._ends, line)
        if index >= len(self.items):
            text = self.empty if y == 0 and not self.items else ""
            return Strip([Segment(text, self._style("dim"))]).adjust_cell_length(width, self._style(""))
        chosen = index == self.cursor and self.shows_cursor
        begin = self._ends[index - 1] if index else 0
        pieces = self._block(self.items[index])[line - begin]
        segments = [Segment(_safe(text), self._style(tone, chosen=chosen)) for text, tone in pieces]
        return Strip(segments).adjust_cell_length(width, self._style("", chosen=chosen))

    def notify_style_update(self) -> None:
        """Forget how tones look: theme or focus have changed."""
        super().notify_style_update()
        self._styles_of_tones.clear()

    def _style(self, tone: str, *, chosen: bool = False) -> Style:
        """Return how a tone looks here; colours with an alpha are mixed with what is behind them."""
        key = (tone, chosen, self.has_focus)
        style = self._styles_of_tones.get(key)
        if style is None:
            _, behind = self.background_colors
            colour = self.styles.color
            bold = None
            if chosen:
                behind += self.get_component_styles("block-list--cursor").background
            if tone in TONES:
                looks = self.get_component_styles(f"tone--{tone}")
                bold = looks.text_style.bold
                if looks.has_rule("color"):
                    colour = behind.get_contrast_text(looks.color.a) if looks.auto_color else looks.color
            style = Style(color=(behind + colour).rich_color, bgcolor=behind.rich_color, bold=bold)
            self._styles_of_tones[key] = style
        return style

    def _block(self, item: Item) -> list[Pieces]:
        key = self.key_of(item)
        block = self._blocks.get(key)
        if block is None:
            block = self._blocks[key] = self.lines_of(item, self._blocks_width)
        return block

    def _lay_out(self) -> None:
        if self.line_width != self._blocks_width:
            self._blocks.clear()
            self._blocks_width = self.line_width
        self._ends = self.ends_of(self.items)
        if len(self._blocks) > 2 * len(self.items) + 100:  # what left the list
            self._blocks.clear()
        self.virtual_size = Size(self.size.width, self._ends[-1] if self._ends else 0)

    def ends_of(self, items: Sequence[Item]) -> Sequence[int]:
        """Return where each block ends; a list of one-line items need not ask each."""
        return list(accumulate(len(self._block(item)) for item in items))

    def _top(self) -> int:
        return self._ends[self.cursor - 1] if 0 < self.cursor <= len(self._ends) else 0

    def _index_of(self, key: object, nearby: int) -> int:
        """Return where an item is now, or the nearby index when it has gone."""
        for index, item in enumerate(self.items):
            if self.key_of(item) == key:
                return index
        return nearby

    def _reveal(self) -> None:
        """Scroll as little as shows the item under the cursor."""
        if not self.items or not self.size.height:
            return
        top, end = self._top(), self._ends[self.cursor]
        if end > self.scroll_offset.y + self.size.height:
            self._scroll(end - self.size.height)
        if top < self.scroll_offset.y:
            self._scroll(top)

    def _scroll(self, line: int) -> None:
        line = max(0, min(line, self.virtual_size.height - self.size.height))
        self.set_reactive(BlockList.scroll_target_y, float(line))
        self.scroll_y = float(line)


def wrapped(text: str, width: int, lines_max: int) -> list[str]:
    """Return a text in lines of so many cells, no more than `lines_max`; the last one says when there is more."""
    lines: list[str] = []
    for line in text.split("\n", lines_max + 1)[: lines_max + 1]:
        seen = line[: width * (lines_max + 1)]
        if cell_len(seen) <= width:
            lines.append(seen)
        elif cell_len(seen) == len(seen):
            lines += textwrap.wrap(seen, width, break_on_hyphens=False) or [""]
        else:
            lines += chop_cells(seen, width)
        if len(lines) > lines_max:
            break
    if len(lines) > lines_max:
        del lines[lines_max:]
        last = lines[-1]
        lines[-1] = f"{last if cell_len(last) <= width - 2 else set_cell_size(last, width - 2)} …"
    return lines


def _safe(text: str) -> str:
    """Return a piece as it may be drawn: whatever was forgotten before, no control goes out."""
    return text if text.isprintable() else harmless_line(text)
