"""What is done beside commands, between two batches: what falls due, wakes that wait, and what others stored.

All of it runs in the committer's thread, and what it changes goes through commands like any other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from kinpost_server.domain.event import Event
from kinpost_server.engine.attach import Detach
from kinpost_server.engine.batch import Committer
from kinpost_server.engine.deliver_parked import ExpirePeerRecords
from kinpost_server.engine.gathering import Pending
from kinpost_server.engine.observe import (
    MAKES_SESSIONS,
    Observe,
    declines,
    next_offer_times,
    note_unseen,
    wakes_wait,
)
from kinpost_server.engine.ports import StoredEvent
from kinpost_server.engine.sweep import Due, OfferWakes, Reconcile

STANDSTILL_SECONDS_MIN = 1.0
OFFERS_MAX = 256  # of one commit


class Upkeep:
    """The committer's other work. Every method is of its thread: from elsewhere through `gathering.call`."""

    def __init__(self, committer: Committer, decode: Callable[[bytes], Event]) -> None:
        self._committer = committer
        self._store = committer.store
        self._runtimes = committer.runtimes
        self._settings = committer.settings
        self._decode = decode
        self._sweep_waits = False
        self._swept = time.monotonic()
        committer.slot_freed = self.offer_waiting

    def offer_waiting(self) -> None:
        """Offer the wakes that wait to the runtimes that have room, until none waits for one of them."""
        self._runtimes.slot_freed = False
        self._see()
        before: list[str] | None = None
        while attachments := [a for a in self._runtimes.attachments.values() if a.free]:
            now = self._committer.now()
            limit = min(sum(a.slots_max - len(a.held) for a in attachments), OFFERS_MAX)
            held_back = self._runtimes.forget_declined(now) + len(self._runtimes.offer_times)
            limit += min(held_back, OFFERS_MAX)  # those may be found, and are not offered
            tokens = sorted({a.token_id for a in attachments})
            agents = sorted({agent for a in attachments if a.any_session for agent in a.agents})
            session_ids = self._committer.read(partial(self._store.wakes_to_offer, tokens, agents, now, limit))
            if session_ids:
                self._committer.process([Pending(OfferWakes(session_ids))])
            if len(session_ids) < limit or session_ids == before:
                return  # all that wait, or again those that cannot be offered
            before = session_ids

    def observe(self, stored: Sequence[StoredEvent]) -> None:
        """Take in what another replica stored: who holds which session, and whose wake waits for a runtime here."""
        if any(event.type in MAKES_SESSIONS for event in stored):
            self._committer.count_hosted_anew()
        if not self._runtimes.attachments:
            return
        for declined in declines(stored, self._decode):
            self._runtimes.decline(*declined)
        note_unseen(self._runtimes, stored, self._decode)
        self._see()
        if wakes_wait(stored):
            self._runtimes.slot_freed = True
            self._runtimes.offer_times.update(next_offer_times(stored, self._decode, self._committer.now()))

    def _see(self) -> None:
        if self._runtimes.unseen:
            self._committer.process([Pending(Observe(list(self._runtimes.unseen)))])

    def sweep(self, until: int | None = None) -> None:
        """Carry out what has fallen due until now, or `until`; let runtimes go that left while the store was away.

        A page at a time: what is left after a full one waits behind the commands that have come meanwhile, not for the
        next tick. A page that comes again as it was cannot be carried out, and waits for the tick.
        """
        for attachment in [a for a in self._runtimes.attachments.values() if a.gone]:
            self._committer.process([Pending(Detach(attachment))])
        self._sweep_page(self._committer.now() if until is None else until, None)
        self._offer_in_time()

    def _offer_in_time(self) -> None:
        """Look for wakes that were held back, or made at other replicas, and that may be offered by now."""
        now, times = self._committer.now(), self._runtimes.offer_times
        if any(time <= now for time in times):
            self._runtimes.offer_times = {time for time in times if time > now}
            self.offer_waiting()

    def _sweep_page(self, until: int, before: Due | None) -> None:
        due = self._due(until)
        for command in due.commands(until):
            self._committer.process([Pending(command)])
        if due.is_full and due != before and not self._sweep_waits:
            self._sweep_waits = True
            self._committer.gathering.call(partial(self._sweep_on, until, due))

    def _sweep_on(self, until: int, before: Due) -> None:
        self._sweep_waits = False
        self._sweep_page(until, before)

    def _due(self, until: int) -> Due:
        self._committer.begin()
        try:
            return Due.of(self._store, until)
        finally:
            self._store.rollback()

    def sweep_in_time(self) -> None:
        """Sweep, unless the service stood still since it last did: a lock, a stopped process, a disk that hung.

        Leases run only while the service can answer, so after a standstill they begin anew. One that is shorter than
        the quarter that leases have to spare costs nobody his run, and does not count. Only what is due by then is
        carried out, so that one that comes while it is looked for is seen the next time.
        """
        self._committer.begin()
        self._store.rollback()
        until, now = self._committer.now(), time.monotonic()
        passed, self._swept = now - self._swept, now
        limits = self._settings.delivery
        lease_seconds = min(limits.run_lease_seconds, self._settings.producers.lease_seconds)
        if passed > limits.sweep_seconds + max(STANDSTILL_SECONDS_MIN, lease_seconds / 4):
            self._committer.log("stood_still", {"seconds": round(passed, 1)})
            self._committer.renew_leases()
        else:
            self.sweep(until)

    def reconcile_all(self, page: int = 256) -> None:
        """Look at every session that could have a wrong wake, and report what had to be mended."""
        after = ""
        while session_ids := self._committer.read(partial(self._store.suspects, after, page)):
            after = session_ids[-1]
            self._committer.process([Pending(Reconcile(session_ids))])

    def expire_peer_records(self) -> None:
        """Delete what is kept of peer mail no longer."""
        expired = self._committer.read(
            partial(self._store.peer.expired, *self._settings.peer.kept_since(self._committer.now()))
        )
        if expired.any:
            self._committer.process([Pending(ExpirePeerRecords(expired))])

    def drop_events(self, root_session_id: str, newest_position: int, limit: int) -> int:
        """Drop events that are kept no longer, in a commit of their own; return how many."""
        self._committer.begin()
        try:
            count = self._store.drop_events(root_session_id, newest_position, limit)
            self._store.commit()  # of no drop, too: the indexes may have been brought up to date for it
        finally:
            self._store.rollback()  # does nothing after a commit
        return count
