"""What a person reads: the transcripts of the agents and the event log, side by side as they come."""

from __future__ import annotations

from kinpost.v1 import event_pb2, run_pb2
from kinpost_client import Event
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from kinpost_demo.evidence import Reported

COLOURS = {"lead": "cyan", "scout": "green", "scribe": "magenta", "user": "yellow", "server": "red"}
NAME_WIDTH = 15
TEXT_CHARACTERS_MAX = 400


class Narrator:
    """Prints. On a terminal in colour; into a file or a pipe as plain lines."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._names: dict[str, str] = {}

    def heading(self, number: int, of: int, title: str) -> None:
        """Announce a step."""
        self._console.print()
        self._console.print(f"[bold]── {number} of {of} · {escape(title)}[/]")

    def seen(self, title: str, proof: str) -> None:
        """Say that a step was seen, and what shows it."""
        self._console.print(f"[bold green]   ✓ {escape(title)}[/]", Text(f"  {proof}", style="dim"), soft_wrap=True)

    def say(self, who: str, text: str) -> None:
        """Print one line of somebody's."""
        line = Text(f"{who:<{NAME_WIDTH}} ", style=COLOURS.get(who.partition("_")[0], "bold"))
        first, *rest = text.splitlines() or [""]
        self._console.print(line + Text(first, style="default"), soft_wrap=True)
        for more in rest:
            self._console.print(Text(" " * NAME_WIDTH + " " + more), soft_wrap=True)

    def report(self, report: Reported) -> None:
        """Print what a runtime reports."""
        facts = report.facts
        who = self._names.get(facts.get("session_id", ""), facts.get("agent", ""))
        match report.kind:
            case "ready":
                if facts["handle"]:
                    self._names[facts["root_session_id"]] = facts["handle"]
            case "delegated":
                self._names[facts["child_session_id"]] = facts["child"]
            case "request":
                shown = "\n".join(_cut(text) for text in facts["texts"])
                head = f"model request {facts['turn']} of run {facts['run']}"
                tools = f", may use {', '.join(facts['tools'])}" if facts["tools"] else ""
                self.say(who, f"» {head}{tools}\n{_indented(shown)}")
            case "calls":
                arguments = ", ".join(f"{name}={value!r}" for name, value in facts["arguments"].items())
                self.say(who, f"« {facts['tool']}({arguments})")
            case "says":
                self.say(who, f"« {facts['text']}")
            case "surveying":
                self.say(who, f"… surveys the {facts['place']}, which takes a while")

    def event(self, event: Event) -> None:
        """Print an entry of the event log."""
        who = self._names.get(event.session_id, "")
        payload = event.payload
        if isinstance(payload, event_pb2.SessionCreated):
            who = self._names[event.session_id] = payload.session.handle
        words = event.type.replace("_", " ").removeprefix("producer ")
        self._console.print(
            Text(f"{who:<{NAME_WIDTH}}   · {event.position:>3} {words}{_more(event)}", style="dim"), soft_wrap=True
        )


def _more(event: Event) -> str:
    """Return what an event's line says beyond its name."""
    payload = event.payload
    match payload:
        case event_pb2.ProducerMessageAccepted():
            sender = payload.sender.handle or "its user"
            mode = "queue" if payload.mode == 2 else "steer"
            return f", {mode}, from {sender}: {_cut(payload.body, 60)!r}"
        case event_pb2.ProducerMessagesClaimed():
            return f": {len(payload.message_ids)}"
        case event_pb2.RunStarted():
            return f": run {payload.number}, by {payload.runtime_id}"
        case event_pb2.RunFinished():
            outcome = run_pb2.RunState.Name(payload.outcome).removeprefix("RUN_STATE_").lower()
            return f": {outcome}, {payload.reason}" if payload.reason else f": {outcome}"
        case event_pb2.WakeOffered():
            return f" to {payload.runtime_id}"
        case event_pb2.WakeFailed():
            return f": {payload.reason}"
        case _:
            return ""


def _cut(text: str, most: int = TEXT_CHARACTERS_MAX) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
