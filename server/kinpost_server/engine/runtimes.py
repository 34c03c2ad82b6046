"""The runtimes attached to this process: their slots, and who is offered which wake.

Used by the committer's thread alone; what a runtime is to be told is delivered after the commit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from uuid_utils import uuid7

from kinpost_server.domain import event as e
from kinpost_server.domain.run import Run, StopReason, WakeState
from kinpost_server.domain.session import Session


@dataclass(slots=True, frozen=True)
class WakeOffer:
    """A session needs a run."""

    wake_id: str
    session_id: str
    root_session_id: str
    agent: str
    offer_number: int
    expire_time: int
    pending_count: int


@dataclass(slots=True, frozen=True)
class WakeOfferWithdrawn:
    """An offer no longer stands; the reason is the wire's WithdrawReason: 1 settled, 2 not due, 3 expired."""

    wake_id: str
    session_id: str
    reason: int


@dataclass(slots=True, frozen=True)
class RunStop:
    """A run must stop."""

    session_id: str
    run_id: str
    reason: StopReason


Notice = WakeOffer | WakeOfferWithdrawn | RunStop
SETTLED, NOT_DUE, EXPIRED = 1, 2, 3
OTHERS_FIRST_SECONDS_MIN = 1.0
OBSERVED = frozenset({e.RunStarted, e.RunFinished, e.WakeOffered, e.WakeFailed, e.WakeWithdrawn})


@dataclass(slots=True, eq=False)
class Attachment:
    """One attached runtime. `deliver` is called on the event loop, with None when another attachment took over."""

    runtime_id: str
    token_id: str
    agents: frozenset[str]
    any_session: bool
    slots_max: int
    deliver: Callable[[Notice | None], None]
    held: set[str] = field(default_factory=set)
    attach_time: int = 0
    declined: dict[str, int] = field(default_factory=dict)  # sessions that it wants no offer of before an instant
    gone: bool = False  # set on the event loop when its stream ends; read by the committer
    attachment_id: str = field(default_factory=lambda: str(uuid7()))

    @property
    def free(self) -> bool:
        """Whether it can take another run."""
        return not self.gone and len(self.held) < self.slots_max

    def takes(self, session: Session) -> bool:
        """Whether the session is one that it is offered."""
        if self.token_id in session.host_token_ids:
            return True
        return self.any_session and self.names(session.agent)

    def names(self, agent: str) -> bool:
        """Whether it said that it runs this agent."""
        return agent in self.agents or "*" in self.agents


@dataclass(slots=True)
class Hold:
    """A session that counts against a runtime's slots, and what for: the run or the wake that it knows of."""

    attachment: Attachment
    run_id: str | None = None
    wake_id: str | None = None


class Runtimes:
    """All attachments. `held` sessions of one are those it runs or is offered."""

    def __init__(self) -> None:
        self.attachments: dict[str, Attachment] = {}
        self.outbox: list[tuple[Attachment, Notice | None]] = []
        self.slot_freed = False
        # Sessions that may stand elsewhere than runtimes here were told, and what is or was held of them besides.
        self.unseen: dict[str, list[Hold]] = {}
        self.others_first = 0  # microseconds that other replicas have for a wake before it comes back to who failed
        self.offer_times: set[int] = set()  # when to look for wakes that were held back here, or made at other replicas
        self._holds: dict[str, Hold] = {}
        self._before: dict[str, Hold | None] = {}  # what changed since runtimes were told last, as they know it

    def attach(self, attachment: Attachment) -> None:
        """Take a runtime in; an earlier attachment of the same id ends."""
        earlier = self.attachments.pop(attachment.runtime_id, None)
        if earlier is not None and earlier is not attachment:
            for session_id in earlier.held:
                self._holds.pop(session_id, None)
            self.outbox.append((earlier, None))
        self.attachments[attachment.runtime_id] = attachment
        self.slot_freed = True  # all of its slots: wakes may be waiting for it

    def attached(self, runtime_id: str | None, token_id: str | None) -> Attachment | None:
        """Return the runtime of this id, if it is attached here and is the token's."""
        attachment = self.attachments.get(runtime_id or "")
        return attachment if attachment is not None and attachment.token_id == token_id else None

    def is_replaced(self, attachment: Attachment) -> bool:
        """Whether a newer attachment has its place."""
        return self.attachments.get(attachment.runtime_id, attachment) is not attachment

    def detach(self, attachment: Attachment) -> None:
        """Let a runtime go; safe to repeat."""
        if self.attachments.get(attachment.runtime_id) is attachment:
            del self.attachments[attachment.runtime_id]
        for session_id in attachment.held:
            if self.holder(session_id) is attachment:
                del self._holds[session_id]
        attachment.held.clear()

    def hold(
        self, session_id: str, attachment: Attachment | None, *, run_id: str | None = None, wake_id: str | None = None
    ) -> None:
        """Count a session against a runtime's slots, and against no other's; for this run, or for the wake offered."""
        hold = self._holds.get(session_id)
        self._before.setdefault(session_id, replace(hold) if hold is not None else None)
        if hold is not None and hold.attachment is attachment:
            hold.run_id, hold.wake_id = run_id, wake_id
            return
        if hold is not None:
            del self._holds[session_id]
            hold.attachment.held.discard(session_id)
            self.slot_freed = True
        if attachment is not None:
            attachment.held.add(session_id)
            self._holds[session_id] = Hold(attachment, run_id, wake_id)

    def holder(self, session_id: str) -> Attachment | None:
        """Return the runtime against whose slots a session counts."""
        hold = self._holds.get(session_id)
        return hold.attachment if hold is not None else None

    def held_or_lost(self, session_id: str) -> list[Hold]:
        """Return what runtimes hold of a session, and what they held of it that has to be looked at."""
        hold, lost = self._holds.get(session_id), self.unseen.get(session_id, [])
        return [*lost, hold] if hold is not None and hold not in lost else lost

    def decline(self, session_id: str, runtime_id: str, time: int, until: int) -> None:
        """Offer a runtime a session no more before `until`, as it said at a time, here or at another replica.

        Kept in memory: a runtime that attaches anew, or to a new server, has declined nothing.
        """
        attachment = self.attachments.get(runtime_id)
        if attachment is not None and attachment.attach_time <= time:
            attachment.declined[session_id] = until

    def held_back_until(self, session: Session, now: int) -> list[int]:
        """Return when those who declined the session may be offered it again, for the session to fall due then.

        Where other replicas look at it too, what holds it back here is not theirs: `look_again` remembers that.
        """
        if self.others_first:
            return []
        times = [self._held_back(attachment, session) for attachment in self.attachments.values()]
        return [time for time in times if time > now]

    def _held_back(self, attachment: Attachment, session: Session) -> int:
        until = attachment.declined.get(session.session_id, 0)
        wake = session.wake
        if self.others_first and wake is not None and wake.runtime_id == attachment.runtime_id:
            until = max(until, wake.next_offer_time + self.others_first)
        return until

    def forget_declined(self, now: int) -> int:
        """Forget what was declined up to now, and return how much is left."""
        left = 0
        for attachment in self.attachments.values():
            for session_id in [id_ for id_, until in attachment.declined.items() if until <= now]:
                del attachment.declined[session_id]
            left += len(attachment.declined)
        return left

    @property
    def held_count(self) -> int:
        """How many sessions count against slots."""
        return len(self._holds)

    def take_outbox(self) -> list[tuple[Attachment, Notice | None]]:
        """Return what runtimes are told now that the batch is stored."""
        self._before.clear()
        notices, self.outbox = self.outbox, []
        return notices

    def forget_held(self) -> dict[str, Hold]:
        """Forget who holds what, before it is counted anew, and what was not told; but not who lost his place.

        Return what was held as the runtimes know it: without what a batch changed that was not stored.
        """
        told = self._holds | self._before
        before = {session_id: hold for session_id, hold in told.items() if hold is not None}
        self._holds = {}
        self.outbox = [(attachment, notice) for attachment, notice in self.outbox if notice is None]
        for attachment in self.attachments.values():
            attachment.held.clear()
        return before

    def doubt(self, before: dict[str, Hold]) -> None:
        """Keep what runtimes know of and the count did not find as it was, until its sessions have been looked at.

        So are offers that the count found, and that nobody was told of.
        """
        for session_id, hold in list(self._holds.items()):
            if hold.wake_id is not None and before.get(session_id) != hold:
                self.hold(session_id, None)
                self.unseen.setdefault(session_id, [])
        for session_id, hold in before.items():
            counted = self._holds.get(session_id)
            if counted == hold or self.attachments.get(hold.attachment.runtime_id) is not hold.attachment:
                continue
            if counted is None:
                self.hold(session_id, hold.attachment, run_id=hold.run_id, wake_id=hold.wake_id)
                self.unseen.setdefault(session_id, [])
            else:
                self.unseen.setdefault(session_id, []).append(hold)
        self._before.clear()
        if self.unseen:
            self.slot_freed = True

    def pick(self, session: Session, now: int) -> Attachment | None:
        """Return the best free runtime for a session: one that names its agent and did not just fail, least loaded.

        None that declined it for longer than until now, nor whoever just failed while other replicas come first.
        """
        refused_by = session.wake.runtime_id if session.wake is not None else None
        best: Attachment | None = None
        best_rank: tuple[bool, bool, float] | None = None
        for attachment in self.attachments.values():
            if not attachment.free or not attachment.takes(session):
                continue
            until = self._held_back(attachment, session)
            if until > now:
                self.look_again(until)
                continue
            rank = (
                attachment.runtime_id == refused_by,
                not attachment.names(session.agent),
                len(attachment.held) / attachment.slots_max,
            )
            if best_rank is None or rank < best_rank:
                best, best_rank = attachment, rank
        return best

    def look_again(self, time: int) -> None:
        """Remember when a wake may be offered: another replica may look first, and take it for due never."""
        if self.others_first:
            self.offer_times.add(time)

    def offer_to(self, attachment: Attachment, session: Session) -> None:
        """Tell a runtime of the offer that the session's wake carries."""
        wake = session.wake
        assert wake is not None
        assert wake.expire_time is not None
        offer = WakeOffer(
            wake.wake_id,
            session.session_id,
            session.root_session_id,
            session.agent,
            wake.offer_number,
            wake.expire_time,
            len(session.mail),
        )
        self.hold(session.session_id, attachment, wake_id=wake.wake_id)
        self.outbox.append((attachment, offer))

    def stop(self, session: Session, run_id: str, reason: StopReason) -> None:
        """Tell the runtime that holds a run to stop it."""
        hold = self._holds.get(session.session_id)
        if hold is not None and hold.run_id == run_id:  # of what it started elsewhere, it is told when that is read
            self.outbox.append((hold.attachment, RunStop(session.session_id, run_id, reason)))

    def observe(self, session: Session, payload: e.Payload) -> None:
        """Follow what happens to wakes and runs; called before the event is applied."""
        if type(payload) not in OBSERVED:
            return
        self.overtake(session)
        if isinstance(payload, e.RunStarted):
            self._started(session, payload)
        elif isinstance(payload, e.RunFinished):
            self.hold(session.session_id, None)
        elif isinstance(payload, e.WakeFailed | e.WakeWithdrawn):
            wake = session.wake
            holder = self.holder(session.session_id)
            if holder is not None and wake is not None and wake.state is WakeState.OFFERED:
                reason = NOT_DUE if isinstance(payload, e.WakeWithdrawn) else EXPIRED
                self.outbox.append((holder, WakeOfferWithdrawn(wake.wake_id, session.session_id, reason)))
                self.hold(session.session_id, None)

    def overtake(self, session: Session) -> None:
        """Let go of what another replica has ended or settled before that was read here; it is looked at soon."""
        hold = self._holds.get(session.session_id)
        if hold is not None and not _stands(hold, session):
            self.unseen.setdefault(session.session_id, []).append(hold)
            self.hold(session.session_id, None)

    def _started(self, session: Session, payload: e.RunStarted) -> None:
        offered_to = self.holder(session.session_id)
        runner = self.attached(payload.runtime_id, payload.token_id)
        names_none = payload.runtime_id is None
        if names_none and offered_to is not None and offered_to.token_id == payload.token_id:
            runner = offered_to
        wake = session.wake
        taken_up = offered_to is runner and wake is not None and payload.wake_id == wake.wake_id
        if offered_to is not None and wake is not None and not taken_up:
            self.outbox.append((offered_to, WakeOfferWithdrawn(wake.wake_id, session.session_id, SETTLED)))
        self.hold(session.session_id, runner, run_id=payload.run_id)

    # What other replicas did

    def concerns(self, session_id: str) -> bool:
        """Whether a session counts against somebody's slots here."""
        return session_id in self._holds

    def settle(self, session: Session, hold: Hold, ended: RunStop | None, settled_by: Run | None) -> None:
        """Tell a runtime what it has lost, by what another replica did, of what it holds or held of a session.

        `ended` is the stop of its run, None when that goes on or ended itself; `settled_by` is the run that the wake
        which it was offered has become.
        """
        if self.attachments.get(hold.attachment.runtime_id) is not hold.attachment:
            return
        wake = session.wake
        if hold.wake_id is not None:
            stays = wake is not None and wake.wake_id == hold.wake_id
            stands = stays and self._offered_to(session) is hold.attachment
            is_taken = settled_by is not None and self._runner(settled_by, hold) is hold.attachment
            if not stands and not is_taken:
                reason = EXPIRED if stays else SETTLED if settled_by or session.run else NOT_DUE
                notice = WakeOfferWithdrawn(hold.wake_id, session.session_id, reason)
                self.outbox.append((hold.attachment, notice))
        if ended is not None:
            self.outbox.append((hold.attachment, ended))

    def see(self, session: Session) -> None:
        """Take in where a session stands after another replica changed it; what was held of it is settled."""
        hold = self._holds.get(session.session_id)
        run, wake, offered_to = session.run, session.wake, self._offered_to(session)
        if run is not None:
            self.hold(session.session_id, self._runner(run, hold), run_id=run.run_id)
        elif offered_to is not None and wake is not None and (hold is None or hold.wake_id != wake.wake_id):
            self.offer_to(offered_to, session)  # whoever made it knew of another attachment of this runtime
        else:
            self.hold(session.session_id, offered_to, wake_id=wake.wake_id if wake is not None else None)

    def _offered_to(self, session: Session) -> Attachment | None:
        wake = session.wake
        if wake is None or wake.state is not WakeState.OFFERED:
            return None
        return self.attached(wake.runtime_id, wake.token_id)

    def _runner(self, run: Run, hold: Hold | None) -> Attachment | None:
        runner = self.attached(run.runtime_id, run.token_id)
        if runner is None and run.runtime_id is None and hold is not None and hold.attachment.token_id == run.token_id:
            known = hold.run_id == run.run_id or (hold.wake_id is not None and hold.wake_id == run.wake_id)
            return hold.attachment if known else None
        return runner


def _stands(hold: Hold, session: Session) -> bool:
    """Whether what a runtime knows of a session is where it stands: its offer, or its run."""
    run, wake = session.run, session.wake
    if hold.wake_id is None:
        return run is not None and run.run_id == hold.run_id
    if wake is None or wake.state is not WakeState.OFFERED:
        return False
    return (wake.wake_id, wake.runtime_id) == (hold.wake_id, hold.attachment.runtime_id)
