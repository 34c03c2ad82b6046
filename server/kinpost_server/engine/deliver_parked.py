"""DeliverParked and ExpirePeerRecords: what falls due in peer mail by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.peer import Route
from kinpost_server.domain.peer_errors import SendFailed
from kinpost_server.engine import peer_ladder
from kinpost_server.engine.command import Command
from kinpost_server.engine.peer_funnel import through_funnel
from kinpost_server.engine.peer_ports import Expired, Parked
from kinpost_server.engine.peer_post import Post
from kinpost_server.engine.send_peer_message import broken
from kinpost_server.engine.view import View


@dataclass(slots=True)
class DeliverParked(Command[None]):
    """Give messages that wait for a slot their turn, the longest waiting first."""

    parked_ids: list[str]

    at_shutdown = None

    def load(self, view: View) -> None:
        for parked_id in self.parked_ids:
            parked = view.peer.parked.want(parked_id)
            if parked is not None:
                peer_ladder.load(view, _post(view, parked))

    def decide(self, view: View) -> None:
        for parked_id in self.parked_ids:
            parked = view.peer.parked.get(parked_id)
            if parked is not None:
                self._turn(view, parked)

    def _turn(self, view: View, parked: Parked) -> None:
        limits = view.settings.peer
        window = view.peer.window(parked.token_id)
        window.slide(view.now, limits)
        if len(window.call_times) >= limits.calls_max:
            parked.due_time = window.turn_time(0, view.now, limits)
            view.peer.put_parked(parked)
            return
        post = _post(view, parked)
        token = view.token(parked.token_id)
        if token is not None and token.valid_at(view.now):
            peer_ladder.in_order(view, post)
        else:
            through_funnel(view, post, post.target_session_ids, _token_is_gone)
        # Last, so that it still waits should its delivery break.
        view.peer.drop_parked(parked.parked_id)
        window = view.peer.window(parked.token_id)
        window.parked_count -= 1
        view.peer.put_window(window)

    def instead(self) -> Sequence[Command[None]]:
        """Each alone, so that one that breaks holds up no other; that one is given up."""
        if len(self.parked_ids) > 1:
            return [DeliverParked([parked_id]) for parked_id in self.parked_ids]
        return [GiveUpParked(parked_id) for parked_id in self.parked_ids]


@dataclass(slots=True)
class GiveUpParked(Command[None]):
    """Keep a message as a dead letter whose delivery broke for a fault of the service's own, at its turn."""

    parked_id: str

    at_shutdown = None

    def load(self, view: View) -> None:
        parked = view.peer.parked.want(self.parked_id)
        if parked is not None:
            peer_ladder.load(view, _post(view, parked))

    def decide(self, view: View) -> None:
        parked = view.peer.parked.get(self.parked_id)
        if parked is None:
            return
        window = view.peer.window(parked.token_id)
        view.peer.drop_parked(parked.parked_id)
        window.parked_count -= 1
        view.peer.put_window(window)
        broken(view, _post(view, parked))


@dataclass(slots=True)
class ExpirePeerRecords(Command[None]):
    """Delete first answers and dead letters that are kept no longer."""

    expired: Expired

    at_shutdown = None

    def load(self, view: View) -> None:
        pass

    def decide(self, view: View) -> None:
        view.peer.expire(self.expired)


def _token_is_gone() -> None:
    raise SendFailed("the token by which it was sent does not hold any more")


def _post(view: View, parked: Parked) -> Post:
    token = view.token(parked.token_id)
    caller = Caller(parked.token_id, TokenKind.OBSERVER)
    if token is not None:
        caller = Caller(token.token_id, token.kind, frozenset(token.session_ids), token.plugin_name)
    return Post(
        caller,
        Route.MESSAGE,
        parked.source_session_id,
        (parked.target_session_id,),
        parked.letter,
        has_waited=True,
    )
