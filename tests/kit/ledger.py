"""What became of mail and runs, read from the log alone: the rules that hold in whatever order things happened."""

from __future__ import annotations

import asyncio
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from kinpost.v1 import approval_pb2, message_pb2

PAUSE_SECONDS = 0.01
WAITING = ("accepted", "admitted", "released")


async def came(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait until a condition of this loop holds, looking a hundred times a second. Raises AssertionError otherwise."""
    never = asyncio.get_running_loop().create_future()
    try:
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.wait([never], timeout=PAUSE_SECONDS)
    except TimeoutError:
        raise AssertionError(f"not within {seconds:g} s: {inspect.getsource(condition).strip()}") from None


def kind(event: Any) -> str:
    """Return the name of what happened, as `run_started`."""
    return event.WhichOneof("payload")


def kinds(events: Iterable[Any]) -> list[str]:
    """Return the names of what happened, in order."""
    return [kind(event) for event in events]


def payloads(events: Iterable[Any], *names: str) -> list[Any]:
    """Return what the events of these names say, in order."""
    return [getattr(event, kind(event)) for event in events if kind(event) in names]


class Ledger:
    """The log, read to the end; each rule that an event breaks is an AssertionError with the event."""

    def __init__(self, events: Iterable[Any]) -> None:
        self.state: dict[str, str] = {}  # of each message
        self.body: dict[str, str] = {}
        self.reason: dict[str, str] = {}  # of those discarded
        self.recipient: dict[str, str] = {}
        self.run_of: dict[str, str] = {}  # the run that consumed a message
        self.mode: dict[str, int] = {}
        self.runs: dict[str, list[str]] = defaultdict(list)  # of each session
        self.active: dict[str, str] = {}
        self.wakes: dict[str, str] = {}  # the one that stands, of each session
        self.approvals: dict[str, str] = {}  # where each stands
        self._asked: dict[str, list[str]] = defaultdict(list)  # by each run
        self._claims: dict[tuple[str, int], list[str]] = {}
        self._accepted: dict[str, int] = {}
        self._started: dict[str, int] = {}
        self._consumed: dict[tuple[str, int], int] = defaultdict(int)  # the newest accepted, of a session and a mode
        self._seqs: dict[str, int] = defaultdict(int)
        position = 0
        for event in events:
            assert event.position > position, f"positions rise: {event}"
            position = event.position
            assert event.seq == self._seqs[event.session_id] + 1, f"seq has neither hole nor repeat: {event}"
            self._seqs[event.session_id] = event.seq
            take = getattr(self, f"_{kind(event)}", None)
            if take is not None:
                take(event, getattr(event, kind(event)))

    def of(self, state: str) -> set[str]:
        """Return the messages that are in a state."""
        return {message_id for message_id, is_now in self.state.items() if is_now == state}

    def settled(self, *accepted: str) -> None:
        """Assert that nothing runs or waits, and that all these messages were consumed or discarded with a reason."""
        assert set(accepted) <= set(self.state)
        assert self.active == {}
        assert self.wakes == {}
        assert self.of("consumed") | self.of("discarded") == set(self.state)
        assert set(self.reason) == self.of("discarded")

    def _producer_message_accepted(self, event: Any, payload: Any) -> None:
        assert payload.message_id not in self.state, f"accepted twice: {event}"
        self.state[payload.message_id] = "accepted"
        self.body[payload.message_id] = payload.body
        self.recipient[payload.message_id] = event.session_id
        self.mode[payload.message_id] = payload.mode
        self._accepted[payload.message_id] = event.seq

    def _producer_message_admitted(self, event: Any, payload: Any) -> None:
        self._step(event, payload.message_id, WAITING, "admitted")
        assert self.active[event.session_id] == payload.run_id, f"admitted into no active run: {event}"
        if self.mode[payload.message_id] == message_pb2.MESSAGE_MODE_QUEUE:
            before = self._accepted[payload.message_id] < self._started[payload.run_id]
            assert before, f"queue mail joins the run that it met: {event}"
        self.run_of[payload.message_id] = payload.run_id

    def _producer_messages_claimed(self, event: Any, payload: Any) -> None:
        assert self.active[event.session_id] == payload.run_id, f"claimed by no active run: {event}"
        live = [claim for claim in self._claims if claim[0] == event.session_id]
        assert live == [], f"a second live claim: {event}"
        self._claims[event.session_id, event.seq] = list(payload.message_ids)
        in_order = sorted(payload.message_ids, key=self._accepted.__getitem__)
        assert list(payload.message_ids) == in_order, f"not in accepted order: {event}"
        for message_id in payload.message_ids:
            assert self.run_of[message_id] == payload.run_id, f"not admitted into this run: {event}"
            self._step(event, message_id, ("admitted", "released"), "claimed")

    def _producer_messages_released(self, event: Any, payload: Any) -> None:
        held = self._claims.pop((event.session_id, payload.claim_seq))
        assert held == list(payload.message_ids), f"releases other mail than was claimed: {event}"
        for message_id in held:
            self._step(event, message_id, ("claimed",), "released")

    def _turn_committed(self, event: Any, payload: Any) -> None:
        held = self._claims.pop((event.session_id, payload.claim_seq))
        assert len(held) == payload.consumed_count, f"consumes other mail than was claimed: {event}"

    def _producer_message_consumed(self, event: Any, payload: Any) -> None:
        self._step(event, payload.message_id, ("claimed",), "consumed")
        # Whatever is given back waits in its old place, so within a mode nothing is consumed out of its order.
        place = (event.session_id, self.mode[payload.message_id])
        accepted = self._accepted[payload.message_id]
        assert accepted > self._consumed[place], f"consumed out of order: {event}"
        self._consumed[place] = accepted

    def _producer_message_discarded(self, event: Any, payload: Any) -> None:
        self._step(event, payload.message_id, WAITING, "discarded")
        name = message_pb2.DiscardReason.Name(payload.reason).removeprefix("DISCARD_REASON_").lower()
        assert name != "unspecified", f"discarded without a reason: {event}"
        self.reason[payload.message_id] = name

    def _run_started(self, event: Any, payload: Any) -> None:
        assert event.session_id not in self.active, f"a second active run: {event}"
        self.active[event.session_id] = payload.run_id
        self._started[payload.run_id] = event.seq
        self.runs[event.session_id].append(payload.run_id)
        assert payload.number == len(self.runs[event.session_id]), f"misnumbered: {event}"

    def _run_finished(self, event: Any, payload: Any) -> None:
        assert self.active.pop(event.session_id) == payload.run_id, f"another run ends: {event}"
        live = [claim for claim in self._claims if claim[0] == event.session_id]
        assert live == [], f"a claim outlives its run: {event}"
        asked = [id_ for id_ in self._asked[payload.run_id] if self.approvals[id_] in ("pending", "allowed")]
        assert asked == [], f"a question outlives its run: {event}"

    def _approval_requested(self, event: Any, payload: Any) -> None:
        asked = payload.approval
        assert asked.approval_id not in self.approvals, f"asked twice: {event}"
        assert self.active[event.session_id] == asked.run_id == event.run_id, f"asked by no active run: {event}"
        self.approvals[asked.approval_id] = "pending"
        self._asked[asked.run_id].append(asked.approval_id)

    def _approval_decided(self, event: Any, payload: Any) -> None:
        denied = payload.decision == approval_pb2.APPROVAL_DECISION_DENY
        self._settle(event, payload.approval_id, ("pending",), "denied" if denied else "allowed")

    def _approval_used(self, event: Any, payload: Any) -> None:
        self._settle(event, payload.approval_id, ("pending", "allowed"), "used")
        assert self.state[payload.message_id] == "accepted", f"used for no new message: {event}"

    def _approval_expired(self, event: Any, payload: Any) -> None:
        self._settle(event, payload.approval_id, ("pending",), "expired")

    def _approval_cancelled(self, event: Any, payload: Any) -> None:
        self._settle(event, payload.approval_id, ("pending", "allowed"), "cancelled")

    def _settle(self, event: Any, approval_id: str, before: tuple[str, ...], after: str) -> None:
        assert self.approvals[approval_id] in before, f"{self.approvals[approval_id]} cannot become {after}: {event}"
        assert approval_id in self._asked[self.active[event.session_id]], f"of no active run: {event}"
        self.approvals[approval_id] = after

    def _wake_requested(self, event: Any, payload: Any) -> None:
        assert event.session_id not in self.wakes, f"a second wake: {event}"
        assert event.session_id not in self.active, f"a wake of a session that runs: {event}"
        self.wakes[event.session_id] = payload.wake_id

    def _wake_settled(self, event: Any, payload: Any) -> None:
        assert self.wakes.pop(event.session_id) == payload.wake_id, f"another wake: {event}"
        assert self.active[event.session_id] == payload.run_id, f"settled by another run: {event}"

    def _wake_withdrawn(self, event: Any, payload: Any) -> None:
        assert self.wakes.pop(event.session_id) == payload.wake_id, f"another wake: {event}"

    def _step(self, event: Any, message_id: str, before: tuple[str, ...], after: str) -> None:
        assert self.state[message_id] in before, f"{self.state[message_id]} cannot become {after}: {event}"
        self.state[message_id] = after
