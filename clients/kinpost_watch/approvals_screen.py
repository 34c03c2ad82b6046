"""What waits for a person, and the keys that answer it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from kinpost_client import Approval, Client, KinpostError
from kinpost_client.terms import ApprovalDecisionName
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from kinpost_watch.block_list import BlockList
from kinpost_watch.dialogs import ConfirmDialog, TextDialog
from kinpost_watch.harmless import harmless_line
from kinpost_watch.lists import ApprovalList, body_of, named, when
from kinpost_watch.overview import Overview

HEADINGS: dict[ApprovalDecisionName, str] = {
    "allow_once": "Allow this once?",
    "allow_for_tree": "Allow for the whole tree, from now on?",
    "deny": "Deny?",
}


class ApprovalsScreen(Screen[None]):
    """All trees' questions, oldest first. Each answer is confirmed before it is given."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "decide('allow_once')", "Allow once"),
        Binding("t", "decide('allow_for_tree')", "Allow for the tree"),
        Binding("d", "decide('deny')", "Deny"),
        Binding("escape,a,q", "app.pop_screen", "Back"),
    ]
    DEFAULT_CSS = """
    ApprovalsScreen > .bar { height: 1; background: $panel; padding: 0 1; text-style: bold; }
    ApprovalsScreen > BlockList { height: 1fr; }
    """

    def __init__(self, client: Client, overview: Overview) -> None:
        super().__init__()
        self._client, self._overview = client, overview
        self._list = ApprovalList(overview.forest)

    def compose(self) -> ComposeResult:
        """Make heading, list and footer."""
        yield Static("", classes="bar", markup=False, id="asking")
        yield self._list
        yield Footer()

    def on_mount(self) -> None:
        """Show what waits now."""
        self.look_again()
        self._list.focus()

    def look_again(self) -> None:
        """Show what waits now."""
        approvals: Sequence[Approval] = list(self._overview.approvals.values())
        heading = f"{len(approvals)} wait for a person" if approvals else "approvals"
        if self._overview.approvals_refused:
            heading = f"approvals: {harmless_line(self._overview.approvals_refused)}"
        if self._overview.connection:
            heading += f" · {self._overview.connection}"
        self.query_one("#asking", Static).update(Content(heading))
        self._list.show(approvals, keep_looks=False)

    def on_block_list_chosen(self, event: BlockList.Chosen) -> None:
        """Show the whole of a question."""
        event.stop()
        if (approval := self._list.chosen) is not None:
            facts = "\n".join(f"{name}: {value}" for name, value in self._facts(approval))
            self.app.push_screen(TextDialog("Approval", body_of(approval), facts))

    @work
    async def action_decide(self, decision: ApprovalDecisionName) -> None:
        """Ask whether it is meant, with body and recipient, then answer."""
        approval = self._list.chosen
        if approval is None:
            return
        dialog = ConfirmDialog(HEADINGS[decision], self._facts(approval), body_of(approval), asks_reason=True)
        reason = await self.app.push_screen_wait(dialog)
        if reason is None:
            return
        try:
            done = await self._client.approvals.decide(
                approval.session_id, approval.approval_id, decision, reason=reason
            )
        except KinpostError as failure:
            self.notify(harmless_line(str(failure)), title="Not answered", severity="error", markup=False)
        else:
            self.notify(done.state.value, title=HEADINGS[decision].rstrip("?"), markup=False)
        try:
            await self._overview.refresh_approval(approval.session_id, approval.approval_id)
        except KinpostError as failure:
            self.notify(harmless_line(str(failure)), severity="error", markup=False)

    def _facts(self, approval: Approval) -> list[tuple[str, str]]:
        forest = self._overview.forest
        facts = [
            ("from", named(forest, approval.session_id)),
            ("to", named(forest, approval.recipient_session_id)),
            ("tool", harmless_line(approval.tool_name)),
            ("asked", when(approval.create_time)),
        ]
        if isinstance(mode := approval.arguments.get("mode"), str):
            facts.append(("mode", harmless_line(mode)))
        if approval.expire_time is not None:
            facts.append(("expires", when(approval.expire_time)))
        return facts
