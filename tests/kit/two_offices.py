"""Two offices over one PostgreSQL database, as two replicas are, for whoever would else have one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kinpost_server.domain.event import Event
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.refold import Refold
from kinpost_server.domain.session import Session
from kinpost_server.engine.batch import Committer, Outcome
from kinpost_server.engine.command import Command
from kinpost_server.engine.ports import Reader, Store, StoredEvent
from kinpost_server.engine.runtimes import Attachment
from kinpost_server.engine.settings import EngineSettings
from kinpost_server.engine.upkeep import Upkeep
from kinpost_server.store.examining import Difference
from office import Office, the_one

ORDERS = 1 << 61  # so many bits, a prime number: whatever is done again and again is done by either


class TwoOffices:
    """Whatever is asked of it is done by one of the two, and the other has heard of it before anything else is done.

    `order` says by its bits who does what: nought is the first one. Time, ids and notices are common to both.
    """

    def __init__(self, path: Path, url: str, settings: EngineSettings) -> None:
        self.order = 0
        self._turn = 0
        self.first = Office(path, url, settings, others_first_seconds=1.0)
        self.second = Office(
            path,
            url,
            settings,
            notices=self.first.notices,
            mended=self.first.mended,
            logged=self.first.logged,
            ids=self.first.ids,
            others_first_seconds=1.0,
        )
        self._unread: dict[int, list[StoredEvent]] = {id(office): [] for office in self._both}
        self.first.tell = self._teller(self.second)
        self.second.tell = self._teller(self.first)
        self.mended, self.logged, self.new_id = self.first.mended, self.first.logged, self.first.new_id

    @property
    def _both(self) -> tuple[Office, Office]:
        return self.first, self.second

    def _teller(self, other: Office) -> Callable[[Outcome], None]:
        def tell(outcome: Outcome) -> None:
            self._unread[id(other)] += outcome.stored
            for token in outcome.tokens.values():
                other.book.put(token)

        return tell

    def _next(self) -> tuple[Office, Office]:
        """Return who has its turn, and the other."""
        bit = self.order >> (self._turn % (ORDERS.bit_length() - 1)) & 1
        self._turn += 1
        return (self.second, self.first) if bit else (self.first, self.second)

    def _follow(self) -> None:
        while any(self._unread.values()):
            for office in self._both:
                stored, self._unread[id(office)] = self._unread[id(office)], []
                office.observe(stored)

    @property
    def time(self) -> int:
        """What the clock of both says."""
        return self.first.time

    @time.setter
    def time(self, time: int) -> None:
        self.first.time = self.second.time = time

    def together(self, *commands: Command[Any]) -> list[Any]:
        """Decide commands in one batch of one of the two."""
        office, _ = self._next()
        answers = office.together(*commands)
        self._follow()
        return answers

    def do(self, command: Command[Any]) -> Any:
        """Decide one command and return its answer. Raises its refusal."""
        return the_one(self.together(command))

    def attach(self, caller: Caller, runtime_id: str, *, any_session: bool = False, slots: int = 100) -> Attachment:
        """Attach a runtime to one of the two; at the other it is attached no longer."""
        office, other = self._next()
        attachment = office.attach(caller, runtime_id, any_session=any_session, slots=slots)
        replaced = other.committer.runtimes.attachments.get(runtime_id)
        if replaced is not None:
            other.committer.runtimes.detach(replaced)
        self._follow()
        return attachment

    def detach(self, runtime_id: str) -> None:
        """Let a runtime go, wherever it is attached."""
        for office in self._both:
            office.detach(runtime_id)
        self._follow()

    def advance(self, seconds: float) -> None:
        """Let time pass; both carry out what falls due."""
        office, other = self._next()
        office.advance(seconds)
        self.time = office.time
        self._follow()
        other.advance(0)
        self._follow()

    def restart(self) -> None:
        """Close one of the two and open it anew."""
        office, _ = self._next()
        self._follow()
        office.restart(alone=False)
        self._follow()

    def close(self) -> None:
        """Close both."""
        for office in self._both:
            office.store.close()

    def session(self, session_id: str) -> Session:
        """Return a session as one of the two has it."""
        office, _ = self._next()
        return office.session(session_id)

    # What is read, and what no turn is taken for, is the first one's.

    @property
    def store(self) -> Store:
        """The first one's."""
        return self.first.store

    @property
    def reader(self) -> Reader:
        """The first one's."""
        return self.first.reader

    @property
    def committer(self) -> Committer:
        """The first one's."""
        return self.first.committer

    @property
    def upkeep(self) -> Upkeep:
        """The first one's."""
        return self.first.upkeep

    def differences(self) -> list[Difference]:
        """Return what the doctor finds."""
        return self.first.differences()

    def stored(self, session_id: str = "") -> list[StoredEvent]:
        """Return the stored events of a session, or all."""
        return self.first.stored(session_id)

    def events(self, session_id: str = "") -> list[Event]:
        """Return the events of a session, or all, read back from the log."""
        return self.first.events(session_id)

    def folded(self, session_id: str) -> Session:
        """Return the fold of a session's log."""
        return self.first.folded(session_id)

    def refold(self, session_id: str, before_position: int = 1 << 62) -> Refold:
        """Return the fold of a session's log up to a position."""
        return self.first.refold(session_id, before_position)
