"""The order of checks of peer mail: one function for every way in.

A message, a broadcast, a follow-up, a message that is only left, one that has waited for a slot, and a dead letter that
is delivered again all go down the same ladder.
"""

from __future__ import annotations

from kinpost_server.domain.address import parse_uuid
from kinpost_server.domain.errors import Forbidden, Refusal
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.peer import TARGETS_MAX, Delivery, check_key, check_letter, check_summary, dormancy
from kinpost_server.domain.peer_errors import (
    DuplicateInFlight,
    InvalidPayload,
    NeedsConfirmation,
    RateLimited,
    TargetGone,
    TargetNotFound,
    TurnInFlight,
    UserClosed,
    error_name,
)
from kinpost_server.domain.session import Availability, Session
from kinpost_server.engine import delegation
from kinpost_server.engine.access import hosts
from kinpost_server.engine.peer_delivery import deliver
from kinpost_server.engine.peer_funnel import through_funnel
from kinpost_server.engine.peer_ports import Exchange, FirstAnswer, Parked, Result
from kinpost_server.engine.peer_post import Post
from kinpost_server.engine.settings import SECOND
from kinpost_server.engine.view import View

WHAT_PROCEEDING_DOES = {
    "paused": "the message is held until a person lets the session go on",
    "archived": "the session is taken out of the archive and woken",
    "ended": "the session is started anew",
    "error": "the session, whose last run failed, is woken",
}


def load(view: View, post: Post) -> None:
    """Ask for what `in_order` needs."""
    source = view.want_session(post.source_session_id)
    view.peer.windows.want(post.caller.token_id)
    if post.answer_key is not None:
        view.peer.answers.want(post.answer_key)
    for target_id in post.target_session_ids:
        target = view.want_session(target_id)
        if source is not None and target is not None:
            view.peer.last_writers.want(Exchange.of(source.session_id, target.session_id))
            delegation.want_parent(view, target)


def in_order(view: View, post: Post) -> list[Result] | Refusal:
    """Judge a request in the contract's order of checks, and deliver what passes; the token was judged at the door.

    What is refused before the slot, or replayed, uses none; what is refused after it has used one. Whatever fails
    passes the funnel. A refusal of the whole request is returned, not raised: slots and dead letters are stored.
    """

    def request() -> list[Result]:
        check_letter(post.letter)  # the body; what is not of its form was refused at the door
        check_targets_and_key(post)
        source = acting_source(view, post)  # the source session's header
        check_summary(post.letter)
        known = known_answer(view, post)  # a known key, then the same key in flight
        if known is not None:
            return known
        results = [_result(target_id, to_one(source, target_id)) for target_id in post.target_session_ids]
        keep_answer(view, post, results)
        return results

    def to_one(source: Session, target_id: str) -> Delivery | Refusal:
        def steps() -> Delivery:
            parked = take_slot(view, post, target_id)  # the rate slot
            if parked is not None:
                return parked
            target = existing(view, target_id)
            check_not_closed(post, target)
            check_may_wake(post, target)
            check_confirmed(view, post, source, target)
            check_nobody_lands(view, post, target)
            return deliver(view, post, source, target)

        return through_funnel(view, post, (target_id,), steps)

    return through_funnel(view, post, post.target_session_ids, request)


def check_targets_and_key(post: Post) -> None:
    """Raise InvalidPayload for targets that are none, too many or named twice, and for a key that cannot be."""
    if not 1 <= len(post.target_session_ids) <= TARGETS_MAX:
        raise InvalidPayload(post.names.targets, f"must name 1 to {TARGETS_MAX} sessions")
    if len(set(post.target_session_ids)) < len(post.target_session_ids):
        raise InvalidPayload(post.names.targets, "names a session twice")
    check_key(post.key, post.names.key)


def acting_source(view: View, post: Post) -> Session:
    """Return the sender. Raises InvalidPayload when it is not named, Forbidden when the token does not act for it.

    A dead letter's sender was judged when it wrote; it may be deleted by now.
    """
    source_id = post.source_session_id
    if parse_uuid(source_id) is None:
        raise InvalidPayload(post.names.source, "is not a session id" if source_id else "is missing; it says who sends")
    source = view.session(source_id)
    if post.dead_letter_id and source is not None:
        return source
    if source is None or source.deleted or not acts_for(post.caller, source):
        raise Forbidden("the token does not act for this session, or there is no such session")
    if post.letter.allow_reopen_user_closed and post.caller.kind is not TokenKind.ADMIN:
        raise Forbidden("only an admin opens what a person closed")
    return source


def acts_for(caller: Caller, session: Session) -> bool:
    """Whether a token writes in a session's name."""
    return hosts(caller, session) or (caller.kind is TokenKind.PEER and session.session_id in caller.session_ids)


def known_answer(view: View, post: Post) -> list[Result] | None:
    """Return the first answer to a request that is repeated in time, whatever its body is now.

    Raises DuplicateInFlight while the first is being stored.
    """
    key = post.answer_key
    known = view.peer.answers.get(key) if key is not None else None
    if key is None or known is None:
        return None
    if key in view.peer.in_flight:
        raise DuplicateInFlight(retry_after_seconds=1.0)
    if known.create_time <= view.now - int(view.settings.peer.replay_seconds * SECOND):
        return None
    return [result.repeated() for result in known.results]


def keep_answer(view: View, post: Post, results: list[Result]) -> None:
    """Keep the answer for repeats, when anything came of the request: failures are not kept."""
    if post.answer_key is not None and any(result.delivery is not None for result in results):
        view.peer.put_answer(post.answer_key, FirstAnswer(view.now, results))


def take_slot(view: View, post: Post, target_id: str) -> Delivery | None:
    """Count the call; where the budget is spent, park the message if the sender wants that. Raises RateLimited."""
    limits = view.settings.peer
    window = view.peer.window(post.caller.token_id)
    window.slide(view.now, limits)
    if not post.has_waited and not window.has_room(limits):
        if not post.letter.queue_if_limited or window.parked_count >= limits.calls_max:
            milliseconds = window.retry_after_ms(view.now, limits)
            raise RateLimited(
                f"the token has made {limits.calls_max} calls in {limits.window_seconds:g} seconds, as many as it may",
                retry_after_seconds=milliseconds / 1000,
                metadata={"retry_after_ms": str(milliseconds)},
            )
        due_time = window.turn_time(window.parked_count, view.now, limits)
        view.peer.put_parked(
            Parked(view.new_id(), post.caller.token_id, due_time, post.source_session_id, target_id, post.letter)
        )
        window.parked_count += 1
        view.peer.put_window(window)
        return Delivery(delivered=False, queued=True)
    window.call_times.append(view.now)
    view.peer.put_window(window)
    return None


def existing(view: View, target_id: str) -> Session:
    """Return the target. Raises TargetNotFound when it never was, TargetGone when it was deleted."""
    target = view.session(target_id)
    if target is None:
        raise TargetNotFound
    if target.deleted:
        raise TargetGone
    return target


def check_not_closed(post: Post, target: Session) -> None:
    """Raise UserClosed for what a person closed, unless an admin opens it with the message."""
    closed = target.availability is Availability.USER_CLOSED and not post.letter.allow_reopen_user_closed
    if closed and not post.only_leaves:
        raise UserClosed(f"a person closed {target.label}; confirmInactiveTarget does not open it again")


def check_may_wake(post: Post, target: Session) -> None:
    """Raise UserClosed for what was archived so that nothing wakes it."""
    if target.availability is Availability.ARCHIVED and target.no_wake and not post.only_leaves:
        raise UserClosed(f"{target.label} was archived so that no message wakes it; only a person opens it again")


def check_confirmed(view: View, post: Post, source: Session, target: Session) -> None:
    """Raise NeedsConfirmation for a dormant target, unless it is the sender itself, or waits for the sender's reply."""
    dormant = dormancy(target)
    if dormant is None or post.only_leaves or post.letter.confirm_inactive_target or target is source:
        return
    if view.peer.last_writers.get(Exchange.of(source.session_id, target.session_id)) == target.session_id:
        return
    raise NeedsConfirmation(
        f"{target.label} is {dormant}; when you proceed, {WHAT_PROCEEDING_DOES[dormant]}. "
        "Send it again with confirmInactiveTarget: true to proceed"
    )


def check_nobody_lands(view: View, post: Post, target: Session) -> None:
    """Raise TurnInFlight while another message ends the target's run and is being stored.

    What has waited for its turn is delivered behind it, in the same batch: nobody is left who could send it again.
    """
    if target.session_id in view.peer.landing and not post.only_leaves and not post.has_waited:
        raise TurnInFlight(
            "another message is landing in this session at this instant, and sending again may deliver yours twice. "
            "To leave it durably use POST /session/:id/queue"
        )


def _result(target_id: str, answer: Delivery | Refusal) -> Result:
    if isinstance(answer, Delivery):
        return Result(target_id, answer)
    return Result(target_id, None, error_name(answer.code) or answer.code, answer.detail, answer)
