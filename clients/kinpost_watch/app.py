"""The main screen: trees, transcript, and what waits."""

from __future__ import annotations

from typing import Any, ClassVar

from kinpost_client import Client, KinpostError
from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Footer, Input, Static

from kinpost_watch.approvals_screen import ApprovalsScreen
from kinpost_watch.block_list import BlockList
from kinpost_watch.dead_letters_screen import DeadLettersScreen
from kinpost_watch.dialogs import KindsDialog, TextDialog, WaitingDialog
from kinpost_watch.forest import Place
from kinpost_watch.harmless import harmless_line
from kinpost_watch.help_text import HELP
from kinpost_watch.lists import WaitingList
from kinpost_watch.overview import Overview
from kinpost_watch.rows import Kind
from kinpost_watch.session_feed import SessionFeed
from kinpost_watch.transcript import Wanted
from kinpost_watch.views import AVAILABILITIES, ForestList, TranscriptList

PAINT_SECONDS = 0.03  # changes that come within it are drawn together
SETTLE_SECONDS = 0.08  # the cursor rests on a session so long before its log is asked for
STRIP_LINES_MAX = 3
ONLY_MAIN = {"approvals", "dead_letters", "waiting", "filter", "kinds", "follow", "clear"}


class Watch(App[None]):
    """`kinpost watch`, on a connected client: all trees, or the one of `root_session_id`."""

    TITLE = "kinpost watch"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "help", "Help", key_display="?"),
        Binding("q", "quit", "Quit"),
        Binding("a", "approvals", "Approvals"),
        Binding("d", "dead_letters", "Dead"),
        Binding("w", "waiting", "Waiting"),
        Binding("slash", "filter", "Filter", key_display="/"),
        Binding("v", "kinds", "Kinds"),
        Binding("f", "follow", "Follow"),
        Binding("escape", "clear", "Clear", show=False),
        Binding("t", "theme", "Light or dark", show=False),
        Binding("ctrl+q", "quit", "Quit", show=False),
    ]
    CSS = """
    #top { height: 1; background: $panel; color: $foreground; padding: 0 1; text-style: bold; }
    #top.trouble { background: $error; color: $text; }
    #panes { height: 1fr; }
    #left { width: 34%; min-width: 28; max-width: 48; border-right: vkey $foreground 25%; }
    #about { height: 1; padding: 0 1; background: $panel; }
    #top, #about, #doing, #waits { text-wrap: nowrap; text-overflow: ellipsis; }
    #doing { height: 1; padding: 0 1; color: $text-warning; display: none; }
    #waits { height: 1; padding: 0 1; background: $panel; }
    #waits.held { color: $text-warning; }
    #strip { height: 0; overflow-y: hidden; scrollbar-size-vertical: 0; }
    #transcript { height: 1fr; }
    #filter { display: none; padding: 0 1; background: $boost; }
    """

    def __init__(
        self,
        client: Client,
        address: str,
        *,
        root_session_id: str | None = None,
        session_id: str | None = None,
        light: bool = False,
    ) -> None:
        super().__init__()
        self.overview = Overview(client, root_session_id, self._touch)
        self.feed: SessionFeed | None = None
        self.wanted = Wanted()
        self._client, self._address = client, address
        self._first_session_id = session_id
        self._light = light
        self._painting: Timer | None = None
        self._settling: Timer | None = None
        self._filtering: BlockList[Any] | None = None  # the list that the filter line is for

    def compose(self) -> ComposeResult:
        """Make the panes."""
        yield Static("", id="top", markup=False)
        with Horizontal(id="panes"):
            with Vertical(id="left"):
                yield ForestList(self.overview.forest, id="forest")
            with Vertical(id="right"):
                yield Static("", id="about", markup=False)
                yield Static("", id="doing", markup=False)
                yield TranscriptList(id="transcript", empty="No session is chosen.")
                yield Static("", id="waits", markup=False)
                yield WaitingList(id="strip")
        yield Input(id="filter", placeholder="text to find: enter shows what has it, esc all", compact=True)
        yield Footer()

    def on_mount(self) -> None:
        """Begin to follow."""
        self.theme = "textual-light" if self._light else "textual-dark"
        self._forest_list.focus()
        strip = self.query_one("#strip", WaitingList)
        strip.can_focus = strip.shows_cursor = False
        self.run_worker(self.overview.run(), group="overview")
        self._paint()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a key means something on the screen that is open."""
        return action not in ONLY_MAIN or len(self.screen_stack) == 1

    # What is shown

    @property
    def _forest_list(self) -> ForestList:
        return self.screen_stack[0].query_one(ForestList)

    @property
    def _transcript_list(self) -> TranscriptList:
        return self.screen_stack[0].query_one(TranscriptList)

    def _touch(self) -> None:
        """Draw soon, once for all that changes until then."""
        if self._painting is None and self.is_running:
            self._painting = self.set_timer(PAINT_SECONDS, self._paint)

    def _paint(self) -> None:
        self._painting = None
        if not self.screen_stack:
            return  # it has ended meanwhile
        forest = self.overview.forest
        self._forest_list.show(forest.lines(), keep_looks=False)
        if self.feed is None and forest.places:
            session_id = self._first_session_id or forest.roots[0]
            if session_id in forest.places:
                self.open_session(session_id)
        self._paint_top()
        self._paint_session()
        if isinstance(self.screen, ApprovalsScreen):
            self.screen.look_again()

    def _paint_top(self) -> None:
        overview = self.overview
        count = len(overview.forest.places)
        parts = [f"kinpost {self._address}", f"{count} sessions" + ("" if overview.loaded else ", loading")]
        if overview.forest.left_out:
            parts.append(f"{len(overview.forest.left_out)} more left out")
        if overview.approvals:
            parts.append(f"?{len(overview.approvals)} to approve (a)")
        if overview.forest.wanted:
            parts.append(f"trees: {overview.forest.wanted}")
        if overview.connection:
            parts.insert(0, overview.connection)
        top = self.screen_stack[0].query_one("#top", Static)
        top.update(Content(harmless_line(" · ".join(parts))))
        top.set_class(bool(overview.connection) and overview.connection != "connecting", "trouble")

    def _paint_session(self) -> None:
        feed = self.feed
        if feed is None:
            return
        transcript, rows = feed.transcript, self._transcript_list
        rows.reaches_end = transcript.at_end
        if not transcript.at_end:
            rows.following = False
        rows.empty = "" if feed.doing else "Nothing to show."
        rows.show(list(transcript.rows))
        main = self.screen_stack[0]
        place = self.overview.forest.places.get(transcript.session_id)
        main.query_one("#about", Static).update(Content(self._about(place, feed)))
        doing = main.query_one("#doing", Static)
        doing.update(Content(harmless_line(feed.doing)))
        doing.display = bool(feed.doing) and feed.doing != "loading"
        self._paint_waiting(place, feed)

    def _about(self, place: Place | None, feed: SessionFeed) -> str:
        parts = [place.name, place.state.value] if place else [self.overview.forest.name(feed.transcript.session_id)]
        if not self.wanted.everything:
            parts.append("only " + ", ".join(self._filter_words()))
        if self._transcript_list.following:
            parts.append("following")
        elif not feed.transcript.at_end:
            parts.append(f"newest is {feed.transcript.newest_seq} (end)")
        if place and place.description:
            parts.append(place.description)
        return " · ".join(parts)

    def _filter_words(self) -> list[str]:
        kinds = [] if len(self.wanted.kinds) == len(Kind) else sorted(kind.value for kind in self.wanted.kinds)
        return ([f"“{harmless_line(self.wanted.text)}”"] if self.wanted.text else []) + kinds

    def _paint_waiting(self, place: Place | None, feed: SessionFeed) -> None:
        main = self.screen_stack[0]
        counts = feed.waiting.counts
        pending = place.pending_count if place else sum(counts.values())
        told = " · ".join(f"{count} {state}" for state, count in sorted(counts.items()))
        if not pending:
            text = "nothing waits"
        elif place and place.holds:
            why = f": {place.availability_reason}" if place.availability_reason else ""
            text = f"{pending} held, the session is {AVAILABILITIES[place.availability]}{why}"
        else:
            text = f"waiting: {told}" if told else f"waiting: {pending}"
        waits = main.query_one("#waits", Static)
        waits.update(Content(text))
        waits.set_class(bool(place and place.holds and pending), "held")
        strip = main.query_one("#strip", WaitingList)
        messages = feed.waiting.messages if pending else []
        lines = min(STRIP_LINES_MAX, len(messages))
        if strip.styles.height is None or strip.styles.height.value != lines:
            strip.styles.height = lines
        strip.show(messages[:STRIP_LINES_MAX])

    # Sessions

    def open_session(self, session_id: str) -> None:
        """Show a session's log."""
        if self.feed is not None and self.feed.transcript.session_id == session_id:
            return
        if self.feed is not None:
            self.feed.stop_searching()
        self.feed = feed = SessionFeed(self._client, session_id, self.wanted, self._touch)
        rows = self._transcript_list
        rows.following = True
        rows.show([], keep_looks=False)
        self.run_worker(self._follow_session(feed), group="session", exclusive=True)
        self._touch()

    async def _follow_session(self, feed: SessionFeed) -> None:
        try:
            await feed.run()
        except KinpostError as failure:
            feed.doing = harmless_line(str(failure))
            self._touch()

    @on(BlockList.Moved, "#forest")
    def _forest_moved(self) -> None:
        if self._settling is not None:
            self._settling.stop()
        self._settling = self.set_timer(SETTLE_SECONDS, self._open_under_cursor)

    @on(BlockList.Chosen, "#forest")
    def _forest_chosen(self) -> None:
        self._open_under_cursor()
        self._transcript_list.focus()

    def _open_under_cursor(self) -> None:
        if (line := self._forest_list.chosen) is not None:
            self.open_session(line.session_id)

    # The transcript

    @on(TranscriptList.WantsEarlier)
    def _wants_earlier(self) -> None:
        if self.feed is not None and not self.feed.transcript.at_beginning:
            self._page("earlier")

    @on(TranscriptList.WantsLater)
    def _wants_later(self) -> None:
        if self.feed is not None and not self.feed.transcript.at_end:
            self._page("later")

    @on(TranscriptList.WantsEdge)
    async def _wants_edge(self, event: TranscriptList.WantsEdge) -> None:
        self._page("end" if event.end else "beginning")

    @work
    async def _page(self, what: str) -> None:
        """Read a part of the log for the transcript."""
        feed, rows = self.feed, self._transcript_list
        if feed is None:
            return
        try:
            match what:
                case "earlier":
                    await feed.earlier()
                case "later":
                    await feed.later()
                case "wanted":
                    await feed.want(self.wanted)
                case _:
                    await feed.edge(end=what == "end")
                    rows.reaches_end = feed.transcript.at_end
                    rows.show(list(feed.transcript.rows))
                    rows.put_cursor(len(rows.items) - 1 if what == "end" else 0)
        except KinpostError as failure:
            self.notify(harmless_line(str(failure)), title="Not read", severity="error", markup=False)

    @on(BlockList.Chosen, "#transcript")
    @work
    async def _row_chosen(self) -> None:
        feed, row = self.feed, self._transcript_list.chosen
        if feed is None or row is None:
            return
        try:
            whole = await feed.whole_row(row)
        except KinpostError as failure:
            self.notify(harmless_line(str(failure)), title="Not read", severity="error", markup=False)
            return
        facts = f"event {row.seq} · {row.time.astimezone():%Y-%m-%d %H:%M:%S} · {row.kind.value}"
        self.push_screen(TextDialog(f"Event {row.seq}", "\n\n".join(filter(None, (whole.title, whole.body))), facts))

    # Keys

    def action_help(self) -> None:
        """Show all keys."""
        self.push_screen(TextDialog("Help", HELP))

    def action_approvals(self) -> None:
        """Show what waits for a person."""
        self.push_screen(ApprovalsScreen(self._client, self.overview))

    def action_dead_letters(self) -> None:
        """Show peer mail that died."""
        self.push_screen(DeadLettersScreen(self._client, self.overview.forest))

    def action_waiting(self) -> None:
        """Show all mail that waits in the session."""
        if self.feed is not None:
            name = self.overview.forest.name(self.feed.transcript.session_id)
            self.push_screen(WaitingDialog(f"Mail that waits for {name}", self.feed.waiting.messages))

    def action_follow(self) -> None:
        """Go to the end of the log, and stay there."""
        self._transcript_list.focus()
        self._page("end")

    def action_theme(self) -> None:
        """Change between light and dark."""
        self.theme = "textual-dark" if self.theme == "textual-light" else "textual-light"

    def action_filter(self) -> None:
        """Open the line for the text that rows, or sessions, must mention."""
        self._filtering = self._forest_list if self._forest_list.has_focus else self._transcript_list
        line = self.query_one("#filter", Input)
        line.value = self.overview.forest.wanted if self._filtering is self._forest_list else self.wanted.text
        line.display = True
        line.focus()

    @on(Input.Submitted, "#filter")
    def _filter_given(self, event: Input.Submitted) -> None:
        self._filter(event.value)

    def _filter(self, text: str) -> None:
        filtering, self._filtering = self._filtering or self._transcript_list, None
        self.query_one("#filter", Input).display = False
        filtering.focus()
        if filtering is self._forest_list:
            self.overview.forest.want(text)
            self._touch()
        else:
            self._want(Wanted(text, self.wanted.kinds))

    @work
    async def action_kinds(self) -> None:
        """Choose which kinds of rows are shown."""
        kinds = await self.push_screen_wait(KindsDialog(self.wanted.kinds))
        self._want(Wanted(self.wanted.text, kinds))

    def action_clear(self) -> None:
        """Close the filter line, else stop a search, else show everything again."""
        if self.query_one("#filter", Input).display:
            self._filter("")
        elif self.feed is not None and self.feed.stop_searching():
            return
        elif self._forest_list.has_focus:
            self.overview.forest.want("")
            self._touch()
        elif not self.wanted.everything:
            self._want(Wanted())

    def _want(self, wanted: Wanted) -> None:
        if wanted == self.wanted:
            return
        self.wanted = wanted
        self._transcript_list.following = True
        self._page("wanted")
