"""What has been seen: the event log as it streams in, and what the runtimes report of their models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from google.protobuf.message import Message
from kinpost_client import Event

Found = TypeVar("Found")
Payload = TypeVar("Payload", bound=Message)


@dataclass(frozen=True, slots=True)
class Reported:
    """One line of a runtime: what its model was shown or said, or what a tool came to."""

    kind: str
    facts: dict[str, Any]

    def shows(self, text: str, agent: str = "") -> bool:
        """Whether it is a model request, of this agent, that puts this text before the model for the first time."""
        if self.kind != "request" or (agent and self.facts["agent"] != agent):
            return False
        return any(text in shown for shown in self.facts["texts"])


@dataclass
class Evidence:
    """Everything seen so far, in the order of its coming."""

    events: list[Event] = field(default_factory=list)
    reports: list[Reported] = field(default_factory=list)
    _more: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, seen: Event | Reported) -> None:
        """Take in an event or a report, and wake whoever waits for it."""
        if isinstance(seen, Event):
            self.events.append(seen)
        else:
            self.reports.append(seen)
        self._more.set()
        self._more = asyncio.Event()

    async def wait_for(self, look: Callable[[], Found | None]) -> Found:
        """Return what `look` finds, as soon as it finds something."""
        while (found := look()) is None:
            await self._more.wait()
        return found

    async def event(self, kind: type[Payload], fits: Callable[[Event, Payload], bool]) -> tuple[Event, Payload]:
        """Wait for an event with such a payload."""
        return await self.wait_for(lambda: next((pair for pair in self.of(kind) if fits(*pair)), None))

    async def report(self, fits: Callable[[Reported], bool]) -> Reported:
        """Wait for a report."""
        return await self.wait_for(lambda: next((report for report in self.reports if fits(report)), None))

    def of(self, kind: type[Payload]) -> Iterator[tuple[Event, Payload]]:
        """Return the events with such a payload, and their payloads."""
        return ((event, event.payload) for event in self.events if isinstance(event.payload, kind))

    def requests(self, text: str, agent: str) -> list[Reported]:
        """Return the agent's model requests that put this text before its model for the first time."""
        return [report for report in self.reports if report.shows(text, agent)]
