"""The mail that waits in one session, as the loaded part of its log tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from kinpost.v1 import event_pb2 as pb
from kinpost_client import Event, Mode, Owner, convert

from kinpost_watch.harmless import cut, harmless_line
from kinpost_watch.rows import sender_name

MESSAGES_MAX = 2000
BODY_CHARACTERS_MAX = 200
ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that is neither consumed nor discarded: `state` is accepted, admitted, claimed or released.

    While its log is read, also one that has ended.
    """

    message_id: str
    seq: int
    state: str
    owner: Owner
    mode: Mode
    sender: str
    body: str


class WaitingMail:
    """What waits, `MESSAGES_MAX` of it at most.

    The log is taken in from its end: first `append` its last page, then `prepend` the pages before it, as far as there
    is mail to be found; then it is `settled`, and `append` takes what comes live. What a later event said of a message
    counts, also when its acceptance is read only afterwards.
    """

    def __init__(self) -> None:
        self._known: dict[str, Waiting] = {}
        self._later: dict[str, str] = {}  # the states of messages whose acceptance is not read yet
        self._reverted = False
        self._settled = False
        self.stale = False

    @property
    def messages(self) -> list[Waiting]:
        """What waits, oldest first."""
        return [message for message in self._known.values() if message.state != ENDED]

    @property
    def counts(self) -> Counter[str]:
        """How many messages are in each state."""
        return Counter(message.state for message in self.messages)

    def append(self, events: Iterable[Event]) -> None:
        """Take in events that follow the log's known end. `stale` afterwards: it must be read anew, after a revert."""
        for event in events:
            self._apply(event)
        if self._settled:
            self.settle()

    def prepend(self, events: Iterable[Event]) -> None:
        """Take in events that come before the log's known beginning."""
        earlier = WaitingMail()
        earlier.append(events)
        known: dict[str, Waiting] = {}
        for message_id, message in earlier._known.items():
            known[message_id] = replace(message, state=self._later.pop(message_id, self._past(message.state)))
        later = {message_id: self._past(state) for message_id, state in earlier._later.items()}
        self._known = {**known, **self._known}
        self._later = {**later, **self._later}
        self._reverted |= earlier._reverted

    def settle(self) -> None:
        """Say that nothing earlier will be read: what was kept for it goes."""
        self._settled = True
        self._known = {message.message_id: message for message in self.messages[-MESSAGES_MAX:]}
        self._later.clear()

    def _past(self, state: str) -> str:
        """Return what became of a state of the pages before a revert: what waited is merely accepted."""
        return "accepted" if self._reverted and state != ENDED else state

    def _apply(self, event: Event) -> None:
        match payload := event.payload:
            case pb.ProducerMessageAccepted():
                self._known[payload.message_id] = Waiting(
                    message_id=payload.message_id,
                    seq=event.seq,
                    state="accepted",
                    owner=convert.term(Owner, payload.owner),
                    mode=convert.term(Mode, payload.mode),
                    sender=sender_name(payload),
                    body=cut(harmless_line(payload.body[: BODY_CHARACTERS_MAX + 1]), BODY_CHARACTERS_MAX),
                )
            case pb.ProducerMessageAdmitted():
                self._set([payload.message_id], "admitted")
            case pb.ProducerMessagesClaimed():
                self._set(payload.message_ids, "claimed")
            case pb.ProducerMessagesReleased():
                self._set(payload.message_ids, "released")
            case pb.ProducerMessageConsumed() | pb.ProducerMessageDiscarded():
                self._set([payload.message_id], ENDED)
            case pb.SessionReverted():
                self._reverted = True
                self.stale |= self._settled and bool(payload.restored_message_ids)
                waiting = [*self._known, *self._later]
                self._set([key for key in waiting if self._state(key) != ENDED], "accepted")
                self._set(payload.restored_message_ids, "accepted")

    def _state(self, message_id: str) -> str:
        known = self._known.get(message_id)
        return known.state if known else self._later[message_id]

    def _set(self, message_ids: Iterable[str], state: str) -> None:
        for message_id in message_ids:
            known = self._known.get(message_id)
            if known is None:
                self._later[message_id] = state
            else:
                self._known[message_id] = replace(known, state=state)
