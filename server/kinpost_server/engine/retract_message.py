"""RetractMessage: a sender takes back what is not before a model request."""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain.errors import MessageClaimed, MessageNotFound
from kinpost_server.domain.event import Origin
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.message import DiscardReason, MessageState
from kinpost_server.engine import turns
from kinpost_server.engine.access import own_session
from kinpost_server.engine.command import Command
from kinpost_server.engine.ports import SentMessage
from kinpost_server.engine.reading import sent_snapshot
from kinpost_server.engine.view import View


@dataclass(slots=True)
class RetractMessage(Command[SentMessage]):
    """Discard a waiting message of the caller's session; one that was discarded before stays so."""

    caller: Caller
    session_id: str
    message_id: str

    def load(self, view: View) -> None:
        view.want_session(self.session_id)
        message = view.want_message(self.message_id)
        if message is not None:
            view.want_session(message.session_id)

    def decide(self, view: View) -> SentMessage:
        own_session(view, self.caller, self.session_id)
        message = view.message(self.message_id)
        if message is None or message.sent_by != self.session_id:
            raise MessageNotFound
        recipient = view.session(message.session_id)
        if recipient is None:
            raise MessageNotFound
        message = turns.newest(recipient, message)
        if message.state in (MessageState.CLAIMED, MessageState.CONSUMED):
            raise MessageClaimed(f"the message is {message.state.name.lower()}")
        if message.waiting:
            turns.discard(view, recipient, message, DiscardReason.RETRACTED, Origin.AGENT)
        return sent_snapshot(message, recipient)
