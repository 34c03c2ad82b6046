"""What the engine asks of a store that several replicas share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from kinpost_server.domain.tools import ToolCall


class BeginAgain(Exception):
    """A lock could only have been had out of order, or not in time: the batch is to be rolled back and begun again.

    The store then takes in order what it has learnt of. Only a store that is shared raises it.
    """


class RuntimeOwner(NamedTuple):
    """Whose a runtime id is, and the newest attachment under it, None before the first one."""

    token_id: str
    attachment_id: str | None


class ActiveRun(NamedTuple):
    """A session's active run, whose it is, and the runtime that has it."""

    session_id: str
    run_id: str
    token_id: str
    runtime_id: str | None


class StandingOffer(NamedTuple):
    """A wake that is offered to a runtime."""

    session_id: str
    wake_id: str


class News(Enum):
    """What a hint says that others should look at. Looking at more, or later, does no harm."""

    EVENTS = "e"
    TOKENS = "t"
    RUNTIMES = "r"
    GATES = "g"


class Replicas(Protocol):
    """The replicas of one service on one database: they tell each other that there is more, and nothing else.

    Any thread. Hints may be lost, and raise nothing when they are.
    """

    def start(self, told: Callable[[Collection[News]], None]) -> None:
        """Let others know that this replica lives, and have `told` called, in any thread, at each of their hints.

        Replicas start one after the other: the next one waits here until this one has `started`, or died. Raises
        StoreFailed when the database does not answer.
        """

    def started(self) -> None:
        """Let others start: what whoever is alone has to do is done."""

    def tell(self, news: Collection[News]) -> None:
        """Give the others a hint; does not wait for it."""

    def others(self) -> int:
        """Return how many other replicas live. Raises StoreFailed when the database does not answer."""

    def stop(self) -> None:
        """Live no longer. Blocks until nothing is told any more."""

    @property
    def board(self) -> GateBoard:
        """Where replicas put tool calls before each other's plugins."""


class GateStream(NamedTuple):
    """A plugin's stream at some replica; ids rise with the time of attaching. No tool names stand for all tools."""

    stream_id: str
    plugin_name: str
    tool_names: frozenset[str]

    def sees(self, tool_name: str) -> bool:
        """Whether it asked for calls of this tool."""
        return not self.tool_names or tool_name in self.tool_names


class Question(NamedTuple):
    """A tool call that is put before a stream of another replica, until an instant."""

    question_id: str
    stream_id: str
    call: ToolCall
    expire_time: int


class GateAnswer(NamedTuple):
    """What became of a question; `allowed` is None when the plugin left before it answered."""

    allowed: bool | None
    reason: str


class GateBoard(Protocol):
    """Rows that live for seconds: whose plugins are attached where, and what they are asked. Any one thread at a time.

    Every method raises StoreFailed when the database does not answer.
    """

    def show(self, streams: Sequence[GateStream], now: int, expire_time: int) -> list[GateStream]:
        """Let exactly these streams be this replica's until then; return the others'. Drops what expired."""

    def elsewhere(self) -> list[GateStream]:
        """Return the streams of the other replicas."""

    def ask(self, question: Question) -> None:
        """Put a question."""

    def questions(self, stream_ids: Sequence[str]) -> list[Question]:
        """Return what these streams are asked and is not answered."""

    def answer(self, question_id: str, answer: GateAnswer) -> None:
        """Answer a question, if it is still asked."""

    def answers(self, question_ids: Sequence[str]) -> dict[str, GateAnswer]:
        """Return the answers that there are."""

    def drop(self, question_ids: Sequence[str]) -> None:
        """Ask no longer."""
