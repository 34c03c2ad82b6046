"""The trees: every session with its state and its waiting mail, as the list and the events since tell them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from google.protobuf.message import Message
from kinpost.v1 import event_pb2 as pb
from kinpost_client import Availability, Event, Outcome, Session, SessionState, convert

from kinpost_watch.harmless import harmless_line, short_id

# What the forest keeps of; others are counted. A session costs about a kilobyte.
SESSIONS_MAX = 20_000

# What changes a session's line. Steps between acceptance and consumption do not.
EVENT_TYPES = (
    "session_created",
    "session_availability_changed",
    "session_unqueued",
    "session_forked",
    "session_reverted",
    "session_deleted",
    "run_started",
    "run_finished",
    "producer_message_accepted",
    "producer_message_consumed",
    "producer_message_discarded",
)


@dataclass(slots=True)
class Place:
    """One session in the forest. Its text is harmless."""

    session_id: str
    root_session_id: str
    parent_session_id: str | None
    name: str
    agent: str
    description: str
    state: SessionState
    availability: Availability
    availability_reason: str
    no_wake: bool
    pending_count: int
    seq: int  # the newest event that it knows of
    asking_count: int = 0  # approvals that wait for a person
    children: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether its mail is held until a person opens it."""
        return self.availability in (Availability.PAUSED, Availability.USER_CLOSED) or (
            self.availability is Availability.ARCHIVED and self.no_wake
        )

    def mentions(self, folded: str) -> bool:
        """Whether a case-folded text stands in its name, agent, description, id or state."""
        told = f"{self.name}\n{self.agent}\n{self.description}\n{self.session_id}\n{self.state}\n{self.availability}"
        return folded in told.casefold()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the shown forest: a session and the branches before it."""

    session_id: str
    branches: str
    folded_count: int  # of its descendants, when they are folded away


class Forest:
    """The sessions, `SESSIONS_MAX` of them at most, in the order of their making below their parents."""

    def __init__(self, sessions_max: int = SESSIONS_MAX) -> None:
        self.places: dict[str, Place] = {}
        self.left_out: set[str] = set()
        self.folded: set[str] = set()
        self.wanted = ""
        self._sessions_max = sessions_max
        self._roots: list[str] = []
        self._lines: list[Line] | None = None

    def clear(self) -> None:
        """Forget the sessions, but not what is folded or wanted."""
        self.places.clear()
        self.left_out.clear()
        self._roots.clear()
        self._lines = None

    def put(self, session: Session) -> None:
        """Take in a session as the service tells it."""
        known = self.places.get(session.session_id)
        if known is not None:
            if session.last_seq >= known.seq:
                self._update(known, session)
            return
        if len(self.places) >= self._sessions_max:
            if len(self.left_out) < self._sessions_max:
                self.left_out.add(session.session_id)
            return
        place = Place(
            session_id=session.session_id,
            root_session_id=session.root_session_id,
            parent_session_id=session.parent_session_id,
            name=harmless_line(session.handle or f"{session.agent} {short_id(session.session_id)}"),
            agent=harmless_line(session.agent),
            description=harmless_line(session.description),
            state=session.state,
            availability=session.availability,
            availability_reason=harmless_line(session.availability_reason),
            no_wake=session.no_wake,
            pending_count=session.pending_count,
            seq=session.last_seq,
        )
        self.places[place.session_id] = place
        parent = self.places.get(place.parent_session_id or "")
        if parent is None:  # a root, or the top of what this token may see
            self._roots.append(place.session_id)
        else:
            parent.children.append(place.session_id)
        self._lines = None

    def apply(self, event: Event) -> str | None:
        """Take in an event. Returns the id of a session that must be asked for anew, None mostly."""
        payload = event.payload
        if isinstance(payload, pb.SessionCreated | pb.SessionForked):
            if event.session_id not in self.places:
                self.put(convert.session(payload.session))
                if (made := self.places.get(event.session_id)) is not None:
                    made.seq = max(made.seq, event.seq)
            return None
        place = self.places.get(event.session_id)
        if place is None or event.seq <= place.seq:
            return None
        place.seq = event.seq
        if isinstance(payload, pb.SessionReverted):  # what it went back to is the service's to say
            return place.session_id
        if isinstance(payload, pb.SessionDeleted):
            self._remove(place)
        else:
            _change(place, payload)
        return None

    def lines(self) -> list[Line]:
        """Return what is shown: all that is not folded away; with a wanted text its finds, below their ancestors."""
        if self._lines is None:
            shown = self._found() if self.wanted else None
            self._lines = list(self._walk(shown))
        return self._lines

    def want(self, text: str) -> None:
        """Show only sessions that mention a text; empty for all."""
        self.wanted = text.casefold()
        self._lines = None

    def fold(self, session_id: str, *, folded: bool) -> None:
        """Fold a session's children away, or unfold them."""
        if folded and self.places[session_id].children:
            self.folded.add(session_id)
        else:
            self.folded.discard(session_id)
        self._lines = None

    def name(self, session_id: str) -> str:
        """Return a session's name, or the end of its id."""
        place = self.places.get(session_id)
        return place.name if place else short_id(session_id)

    def ask(self, session_ids: list[str]) -> None:
        """Say whose questions wait for a person, once for each question."""
        for place in self.places.values():
            place.asking_count = 0
        for session_id in session_ids:
            if session_id in self.places:
                self.places[session_id].asking_count += 1

    @property
    def roots(self) -> list[str]:
        """The tops of the trees, in the order of their making."""
        return self._roots

    def _update(self, place: Place, session: Session) -> None:
        place.state = session.state
        place.availability = session.availability
        place.availability_reason = harmless_line(session.availability_reason)
        place.no_wake = session.no_wake
        place.pending_count = session.pending_count
        place.seq = session.last_seq

    def _remove(self, place: Place) -> None:
        """Take a session away; its children stay, in its place."""
        parent = self.places.get(place.parent_session_id or "")
        siblings = self._roots if parent is None else parent.children
        index = siblings.index(place.session_id)
        siblings[index : index + 1] = place.children
        for child in place.children:
            self.places[child].parent_session_id = place.parent_session_id if parent else None
        del self.places[place.session_id]
        self.folded.discard(place.session_id)
        self._lines = None

    def _found(self) -> set[str]:
        shown: set[str] = set()
        for place in self.places.values():
            if place.mentions(self.wanted):
                above: Place | None = place
                while above is not None and above.session_id not in shown:
                    shown.add(above.session_id)
                    above = self.places.get(above.parent_session_id or "")
        return shown

    def _walk(self, shown: set[str] | None) -> Iterator[Line]:
        # Without recursion, since a chain of delegations may be longer than Python's stack.
        stack = [(root, "", "") for root in reversed(self._among(self._roots, shown))]
        while stack:
            session_id, lead, branches = stack.pop()
            children = self._among(self.places[session_id].children, shown)
            folded = session_id in self.folded and shown is None
            yield Line(session_id, branches, self._count_below(session_id) if folded else 0)
            if not folded:
                for index, child in enumerate(reversed(children)):
                    last = index == 0
                    stack.append((child, lead + ("  " if last else "│ "), lead + ("└ " if last else "├ ")))

    def _count_below(self, session_id: str) -> int:
        count, stack = 0, list(self.places[session_id].children)
        while stack:
            count += 1
            stack += self.places[stack.pop()].children
        return count

    @staticmethod
    def _among(session_ids: list[str], shown: set[str] | None) -> list[str]:
        return session_ids if shown is None else [session_id for session_id in session_ids if session_id in shown]


def _change(place: Place, payload: Message | None) -> None:
    match payload:
        case pb.ProducerMessageAccepted():
            place.pending_count += 1
        case pb.ProducerMessageConsumed() | pb.ProducerMessageDiscarded():
            place.pending_count = max(0, place.pending_count - 1)
        case pb.RunStarted():
            place.state = SessionState.RUNNING
        case pb.RunFinished():
            place.state = SessionState(convert.term(Outcome, payload.outcome).value)
        case pb.SessionUnqueued():
            place.state = SessionState.IDLE
        case pb.SessionAvailabilityChanged():
            place.availability = convert.term(Availability, payload.availability)
            place.availability_reason = harmless_line(payload.reason)
            place.no_wake = payload.no_wake
