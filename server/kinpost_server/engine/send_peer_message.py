"""SendPeerMessage and BroadcastPeerMessage; and RecordPeerFailure, for a delivery that broke."""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain.errors import Refusal
from kinpost_server.domain.peer import Delivery, dormancy
from kinpost_server.domain.peer_errors import SendFailed, WakeFailed
from kinpost_server.engine import peer_ladder
from kinpost_server.engine.command import Command
from kinpost_server.engine.peer_funnel import through_funnel
from kinpost_server.engine.peer_ports import Result
from kinpost_server.engine.peer_post import Post
from kinpost_server.engine.view import View


@dataclass(slots=True)
class SendPeerMessage(Command[Delivery | Refusal]):
    """Deliver a message to one target, by whichever route. A refusal is an answer: it may have used a slot."""

    post: Post

    def load(self, view: View) -> None:
        peer_ladder.load(view, self.post)

    def decide(self, view: View) -> Delivery | Refusal:
        answer = peer_ladder.in_order(view, self.post)
        return answer if isinstance(answer, Refusal) else only(answer)


@dataclass(slots=True)
class BroadcastPeerMessage(Command[list[Result] | Refusal]):
    """Deliver a message to many targets: one result and one slot each."""

    post: Post

    def load(self, view: View) -> None:
        peer_ladder.load(view, self.post)

    def decide(self, view: View) -> list[Result] | Refusal:
        return peer_ladder.in_order(view, self.post)


@dataclass(slots=True)
class RecordPeerFailure(Command[Refusal]):
    """Keep a message whose delivery broke for a fault of the service's own, and return what its sender is told."""

    post: Post

    def load(self, view: View) -> None:
        peer_ladder.load(view, self.post)

    def decide(self, view: View) -> Refusal:
        return broken(view, self.post)


def broken(view: View, post: Post) -> Refusal:
    """Let a delivery that broke pass the funnel: it could not wake who sleeps, or else not send."""

    def fail() -> Refusal:
        targets = [view.session(target_id) for target_id in post.target_session_ids]
        if any(target is not None and target.may_wake and dormancy(target) for target in targets):
            raise WakeFailed
        raise SendFailed

    return through_funnel(view, post, post.target_session_ids, fail)


def only(results: list[Result]) -> Delivery | Refusal:
    """Return what came of a request to one target."""
    (result,) = results
    answer = result.delivery if result.delivery is not None else result.refusal
    assert answer is not None  # refusals are told by name only where a broadcast is replayed
    return answer
