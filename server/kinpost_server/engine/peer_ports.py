"""What the engine asks of a store for peer mail, beside `ports.py`. Nothing of it is asked by other calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from kinpost_server.domain.dead_letter import DeadLetter
from kinpost_server.domain.errors import Refusal
from kinpost_server.domain.peer import Delivery, Letter, Route
from kinpost_server.domain.rate_window import RateWindow


class AnswerKey(NamedTuple):
    """The identity of a request: whose, by which way, under which key of the client's."""

    token_id: str
    route: Route
    key: str


class Result(NamedTuple):
    """What came of a message to one target: a delivery, or the name of an error with its detail."""

    session_id: str
    delivery: Delivery | None
    error: str = ""
    detail: str = ""
    refusal: Refusal | None = None  # of a first answer; it is not stored

    def repeated(self) -> Result:
        """Return it as the answer to a repeat."""
        return self._replace(delivery=replace(self.delivery, idempotent=True)) if self.delivery is not None else self


class FirstAnswer(NamedTuple):
    """The first answer to a request: one result, or one for each target of a broadcast."""

    create_time: int
    results: list[Result]


class Exchange(NamedTuple):
    """Two sessions, the lower id first."""

    lower_session_id: str
    higher_session_id: str

    @classmethod
    def of(cls, one: str, other: str) -> Exchange:
        """Return the pair, in whichever order it is named."""
        return cls(min(one, other), max(one, other))


@dataclass(slots=True)
class PeerBody:
    """A message that its sender may read back. Times are microseconds."""

    body_id: str
    source_session_id: str
    send_time: int
    fetch_count: int = 0


@dataclass(slots=True)
class Parked:
    """A message that waits for a slot of its token; `due_time` is when it is looked at."""

    parked_id: str
    token_id: str
    due_time: int
    source_session_id: str
    target_session_id: str
    letter: Letter


class StoredBody(NamedTuple):
    """A stored message as a peer reads it: its whole text and its summary. The text may be `kept` no longer."""

    body_id: str
    source_session_id: str
    target_session_id: str
    text: str
    tldr: str | None
    send_time: int
    kept: bool = True


class Expired(NamedTuple):
    """What is kept no longer: answers and dead letters made before these instants; and whether there are any."""

    answers_before: int
    dead_letters_before: int
    any: bool


@dataclass(slots=True)
class PeerChanges:
    """What one batch writes of peer mail. None for what is deleted."""

    windows: dict[str, RateWindow] = field(default_factory=dict)
    answers: dict[AnswerKey, FirstAnswer] = field(default_factory=dict)
    exchanges: dict[Exchange, str] = field(default_factory=dict)
    bodies: dict[str, PeerBody] = field(default_factory=dict)
    parked: dict[str, Parked | None] = field(default_factory=dict)
    dead_letters: dict[str, DeadLetter] = field(default_factory=dict)
    expired: Expired | None = None

    def __bool__(self) -> bool:
        return bool(
            self.windows
            or self.answers
            or self.exchanges
            or self.bodies
            or self.parked
            or self.dead_letters
            or self.expired
        )


class PeerStore(Protocol):
    """The writing side. Every method raises StoreFailed when the database does not answer."""

    def load_windows(self, token_ids: Iterable[str]) -> dict[str, RateWindow]:
        """Return the rate windows that exist, as they were stored."""

    def load_answers(self, keys: Iterable[AnswerKey]) -> dict[AnswerKey, FirstAnswer]:
        """Return the first answers that are stored, however old."""

    def load_exchanges(self, pairs: Iterable[Exchange]) -> dict[Exchange, str]:
        """Return, for each pair that wrote, who of it wrote last."""

    def load_bodies(self, body_ids: Iterable[str]) -> dict[str, PeerBody]:
        """Return what senders may read back."""

    def load_parked(self, parked_ids: Iterable[str]) -> dict[str, Parked]:
        """Return messages that wait for a slot."""

    def load_dead_letters(self, dead_letter_ids: Iterable[str]) -> dict[str, DeadLetter]:
        """Return dead letters."""

    def due_parked(self, now: int, limit: int) -> list[str]:
        """Return messages whose turn has come, the longest waiting first."""

    def expired(self, answers_before: int, dead_letters_before: int) -> Expired:
        """Look whether anything was made before these instants."""


class PeerReader(Protocol):
    """The reading side. Every method raises StoreFailed when the database does not answer."""

    def body(self, body_id: str) -> StoredBody | None:
        """Return a peer message by its id, in whatever state, if it was sent with a summary."""

    def sent(self, source_session_id: str, limit: int) -> list[StoredBody]:
        """Return what a session sent with a summary, newest first."""

    def holds_since(self) -> int | None:
        """Return when the oldest body of all was sent, None when there is none."""

    def dead_letters(self, source_session_ids: list[str] | None, before: str, limit: int) -> list[DeadLetter]:
        """Return dead letters of these sessions, of all for None, newest first, after the one named by `before`."""
