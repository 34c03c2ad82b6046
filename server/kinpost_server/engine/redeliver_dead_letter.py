"""RedeliverDeadLetter: a message that could not be delivered is sent again, and stays sent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kinpost_server.domain import event as e
from kinpost_server.domain.dead_letter import DeadLetter
from kinpost_server.domain.errors import MessageNotFound, Refusal
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.peer import Delivery, Letter, Route
from kinpost_server.engine import peer_ladder
from kinpost_server.engine.access import require
from kinpost_server.engine.command import Command
from kinpost_server.engine.peer_post import Post
from kinpost_server.engine.send_peer_message import only
from kinpost_server.engine.view import View


@dataclass(slots=True)
class RedeliverDeadLetter(Command[Delivery | Refusal]):
    """Deliver a dead letter; asking for it says that a sleeping target shall be woken. A repeat changes nothing."""

    caller: Caller
    dead_letter_id: str

    def load(self, view: View) -> None:
        letter = view.peer.dead_letters.want(self.dead_letter_id)
        if letter is not None:
            peer_ladder.load(view, self._post(letter))

    def decide(self, view: View) -> Delivery | Refusal:
        require(self.caller, TokenKind.APPROVER, TokenKind.PEER, TokenKind.SESSION)
        letter = view.peer.dead_letters.get(self.dead_letter_id)
        if letter is None or not (self.caller.is_person or letter.source_session_id in self.caller.session_ids):
            raise MessageNotFound("there is no such dead letter, or it is not the caller's")
        if letter.redeliver_time is not None:
            return Delivery(True, letter.queued, letter.woken_from, letter.message_id or "", idempotent=True)
        answer = peer_ladder.in_order(view, self._post(letter))
        if isinstance(answer, Refusal):
            return answer
        delivery = only(answer)
        if isinstance(delivery, Delivery):
            self._mark(view, letter, delivery)
        return delivery

    def _mark(self, view: View, letter: DeadLetter, delivery: Delivery) -> None:
        view.peer.put_dead_letter(
            replace(
                letter,
                redeliver_time=view.now,
                message_id=delivery.message_id,
                woken_from=delivery.woken_from,
                queued=delivery.queued,
            )
        )
        source = view.session(letter.source_session_id)
        if source is not None and not source.deleted:
            redelivered = e.PeerDeadLetterRedelivered(letter.dead_letter_id, delivery.message_id)
            view.emit(source, redelivered, origin=e.Origin.PEER)

    def _post(self, letter: DeadLetter) -> Post:
        return Post(
            self.caller,
            Route.REDELIVERY,
            letter.source_session_id,
            (letter.target_session_id,),
            Letter(letter.text, letter.tldr, confirm_inactive_target=True),
            dead_letter_id=letter.dead_letter_id,
        )
