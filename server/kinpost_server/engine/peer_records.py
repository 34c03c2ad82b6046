"""The part of a batch's view that is peer mail's: what was loaded of it, overlaid with what earlier commands did."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from kinpost_server.domain.dead_letter import DeadLetter
from kinpost_server.domain.rate_window import RateWindow
from kinpost_server.engine.command import Deferred
from kinpost_server.engine.peer_ports import (
    AnswerKey,
    Exchange,
    Expired,
    FirstAnswer,
    Parked,
    PeerBody,
    PeerChanges,
    PeerStore,
)

K = TypeVar("K")
V = TypeVar("V")


class Loaded(Generic[K, V]):
    """Records of one kind: asked for while loading, read while deciding."""

    __slots__ = ("_known", "_load", "_wanted")

    def __init__(self, load: Callable[[Iterable[K]], dict[K, V]]) -> None:
        self._load = load
        self._known: dict[K, V | None] = {}
        self._wanted: dict[K, None] = {}  # in the order of asking

    def want(self, key: K) -> V | None:
        """Ask for a record, and return it once it is loaded."""
        if key in self._known:
            return self._known[key]
        self._wanted[key] = None
        return None

    def fetch(self) -> bool:
        """Load what was asked for; return whether anything was."""
        if not self._wanted:
            return False
        found = self._load(self._wanted)
        for key in self._wanted:
            self._known[key] = found.get(key)
        self._wanted.clear()
        return True

    def get(self, key: K) -> V | None:
        """Return a record as it is now, None when there is none. Raises Deferred when it was not asked for in time."""
        try:
            return self._known[key]
        except KeyError:
            raise Deferred from None

    def put(self, key: K, value: V | None) -> None:
        """Let a record be this from now on."""
        self._known[key] = value


class PeerRecords:
    """What peer mail has beside the sessions' logs.

    `landing` holds the targets whose run this batch ended for a message: until the batch is stored nobody else's
    message may land there. `in_flight` are the requests that this batch answered.
    """

    def __init__(self, store: PeerStore, changes: PeerChanges) -> None:
        self.windows = Loaded[str, RateWindow](store.load_windows)
        self.answers = Loaded[AnswerKey, FirstAnswer](store.load_answers)
        self.last_writers = Loaded[Exchange, str](store.load_exchanges)
        self.bodies = Loaded[str, PeerBody](store.load_bodies)
        self.parked = Loaded[str, Parked](store.load_parked)
        self.dead_letters = Loaded[str, DeadLetter](store.load_dead_letters)
        self.landing: set[str] = set()
        self.in_flight: set[AnswerKey] = set()
        self._changes = changes
        self._kinds = (self.windows, self.answers, self.last_writers, self.bodies, self.parked, self.dead_letters)

    def fetch(self) -> bool:
        """Load what was asked for; return whether anything was."""
        fetched = False
        for kind in self._kinds:
            fetched = kind.fetch() or fetched
        return fetched

    def window(self, token_id: str) -> RateWindow:
        """Return a token's rate window, a new one for its first call."""
        window = self.windows.get(token_id)
        if window is None:
            window = RateWindow(token_id)
            self.windows.put(token_id, window)
        return window

    def put_window(self, window: RateWindow) -> None:
        """Store a window as it is now."""
        self._changes.windows[window.token_id] = window

    def put_answer(self, key: AnswerKey, answer: FirstAnswer) -> None:
        """Keep the first answer to a request."""
        self.answers.put(key, answer)
        self._changes.answers[key] = answer
        self.in_flight.add(key)

    def put_last_writer(self, pair: Exchange, source_session_id: str) -> None:
        """Remember who of two sessions wrote last."""
        self.last_writers.put(pair, source_session_id)
        self._changes.exchanges[pair] = source_session_id

    def put_body(self, body: PeerBody) -> None:
        """Let a sender read back what it sent, or store how often it was fetched."""
        self.bodies.put(body.body_id, body)
        self._changes.bodies[body.body_id] = body

    def put_parked(self, parked: Parked) -> None:
        """Let a message wait for a slot, or for longer."""
        self.parked.put(parked.parked_id, parked)
        self._changes.parked[parked.parked_id] = parked

    def drop_parked(self, parked_id: str) -> None:
        """Let a message wait no longer."""
        self.parked.put(parked_id, None)
        self._changes.parked[parked_id] = None

    def put_dead_letter(self, letter: DeadLetter) -> None:
        """Keep a message that could not be delivered, or what became of it."""
        self.dead_letters.put(letter.dead_letter_id, letter)
        self._changes.dead_letters[letter.dead_letter_id] = letter

    def expire(self, expired: Expired) -> None:
        """Delete what is kept no longer."""
        self._changes.expired = expired
