"""Peer mail that could not be delivered, and the key that delivers it again."""

from __future__ import annotations

from typing import ClassVar

from kinpost_client import Client, DeadLetter, KinpostError
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from kinpost_watch.block_list import BlockList
from kinpost_watch.dialogs import ConfirmDialog, TextDialog
from kinpost_watch.forest import Forest
from kinpost_watch.harmless import harmless, harmless_line
from kinpost_watch.lists import DeadLetterList, named, when

UNIMPLEMENTED = "grpc:unimplemented"
LETTERS_MAX = 1000


class DeadLettersScreen(Screen[None]):
    """The newest dead letters, `LETTERS_MAX` at most, as they are when the screen opens or is asked again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "redeliver", "Redeliver"),
        Binding("f5,u", "load", "Look again"),
        Binding("escape,d,q", "app.pop_screen", "Back"),
    ]
    DEFAULT_CSS = """
    DeadLettersScreen > .bar { height: auto; max-height: 4; background: $panel; padding: 0 1; text-style: bold; }
    DeadLettersScreen > BlockList { height: 1fr; }
    """

    def __init__(self, client: Client, forest: Forest) -> None:
        super().__init__()
        self._client, self._forest = client, forest
        self._list = DeadLetterList(forest)

    def compose(self) -> ComposeResult:
        """Make heading, list and footer."""
        yield Static("dead letters: loading", classes="bar", markup=False, id="told")
        yield self._list
        yield Footer()

    def on_mount(self) -> None:
        """Load them."""
        self._list.focus()
        self.action_load()

    @work(exclusive=True)
    async def action_load(self) -> None:
        """Ask for them anew."""
        letters: list[DeadLetter] = []
        try:
            async for letter in self._client.peers.list_dead_letters():
                letters.append(letter)
                if len(letters) >= LETTERS_MAX:
                    break
            self._list.empty = "No dead letters."
        except KinpostError as failure:
            self._list.empty = ""
            if failure.code == UNIMPLEMENTED:
                self._tell("This server does not serve peer mail, so it keeps no dead letters.")
            else:
                self._tell(f"dead letters: {harmless_line(str(failure))}")
        else:
            self._tell(f"dead letters: {len(letters)}" + (" (the newest)" if len(letters) >= LETTERS_MAX else ""))
        self._list.show(letters, keep_looks=False)

    def on_block_list_chosen(self, event: BlockList.Chosen) -> None:
        """Show the whole of a letter."""
        event.stop()
        if (letter := self._list.chosen) is not None:
            facts = "\n".join(f"{name}: {value}" for name, value in self._facts(letter))
            self.app.push_screen(TextDialog("Dead letter", harmless(letter.text), facts))

    @work
    async def action_redeliver(self) -> None:
        """Ask whether it is meant, then deliver it again."""
        letter = self._list.chosen
        if letter is None:
            return
        dialog = ConfirmDialog("Deliver again?", self._facts(letter), harmless(letter.text), asks_reason=False)
        if await self.app.push_screen_wait(dialog) is None:
            return
        try:
            delivery = await self._client.peers.redeliver(letter.dead_letter_id)
        except KinpostError as failure:
            self.notify(harmless_line(str(failure)), title="Not delivered", severity="error", markup=False)
        else:
            self.notify(delivery.message_id or "it waits to be delivered", title="Delivered again", markup=False)
        self.action_load()

    def _facts(self, letter: DeadLetter) -> list[tuple[str, str]]:
        return [
            ("from", named(self._forest, letter.source_session_id)),
            ("to", named(self._forest, letter.target_session_id)),
            ("died", f"{when(letter.create_time)}: {letter.reason.replace('_', ' ')}"),
        ]

    def _tell(self, text: str) -> None:
        self.query_one("#told", Static).update(Content(text))
