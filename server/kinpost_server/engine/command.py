"""What a command is: it says what it touches, then decides on what was loaded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from kinpost_server.domain.errors import Refusal, ShuttingDown
from kinpost_server.domain.event import Event
from kinpost_server.domain.tools import ToolCall

if TYPE_CHECKING:
    from kinpost_server.engine.ports import Reader
    from kinpost_server.engine.view import View


Answer = TypeVar("Answer")


class Deferred(Exception):
    """An earlier command of the batch changed what this one needs: it is decided in the next batch."""


class GateNeeded(Exception):
    """A tool call has come as far as the plugins: they are asked, and then it is decided again."""

    def __init__(self, call: ToolCall) -> None:
        super().__init__(call.tool_call_id)
        self.call = call


class Command(ABC, Generic[Answer]):
    """One change of state. Its identity is its client's, so that repeating it is safe."""

    __slots__ = ()

    at_shutdown: ClassVar[type[Refusal] | None] = ShuttingDown

    @abstractmethod
    def load(self, view: View) -> None:
        """Ask the view for what `decide` needs.

        Called again after each round of loading, until no command asks for anything new.
        """

    @abstractmethod
    def decide(self, view: View) -> Answer:
        """Judge, emit what happened, and return the answer.

        Every check comes before the first emitted event. Raises a Refusal to refuse.
        """

    def instead(self) -> Sequence[Command[Answer]]:
        """Return what is carried out in its place when it broke, alone, for a fault of the service's own."""
        return ()


class GatedCommand(Command[Answer]):
    """A tool call. `decide` raises GateNeeded where plugins are to judge it first."""

    __slots__ = ()

    @abstractmethod
    def let_pass(self) -> None:
        """Let it be decided: plugins were asked."""

    def blocked(self, refusal: Refusal) -> Answer:
        """Return the answer to a call that a plugin blocked. Raises the refusal where that is the answer."""
        raise refusal


class HistoryCommand(Command[Answer]):
    """A command that needs to know what a log says of the past, which no longer changes.

    That is read beside the committer, before the command is decided.
    """

    __slots__ = ()

    @abstractmethod
    def look_back(self, reader: Reader, decode: Callable[[bytes], Event]) -> None:
        """Read it. Any thread; once."""

    def first_answer(self, reader: Reader, decode: Callable[[bytes], Event]) -> Answer | None:
        """Return what this very call was answered before, when it was refused because the log has moved on since."""
        return None
