"""SendProducerMessage and DiscardProducerMessage: a plugin's mail by registration."""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain import event as e
from kinpost_server.domain.body import content_digest
from kinpost_server.domain.errors import EngineShutdown, MessageClaimed, MessageNotFound, ProducerNotFound
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.message import Acceptance, DiscardReason, MessageState, Mode, Owner, Sender
from kinpost_server.engine import turns
from kinpost_server.engine.acceptance import accept, check_producer, replayed
from kinpost_server.engine.command import Command
from kinpost_server.engine.ports import ReplayKey
from kinpost_server.engine.register_producer import owns, renew, require_plugin
from kinpost_server.engine.view import View


@dataclass(slots=True)
class SendProducerMessage(Command[Acceptance]):
    """Store a registered producer's message.

    A repeat is known by session, plugin and key, whatever became of the registration or the session since.
    """

    caller: Caller
    session_id: str
    producer_id: str
    idempotency_key: str
    body: str
    mode: Mode
    description: str = ""

    at_shutdown = EngineShutdown

    def load(self, view: View) -> None:
        view.want_replay(self._key)
        view.want_producer(self.producer_id)
        view.want_session(self.session_id)

    def decide(self, view: View) -> Acceptance:
        require_plugin(self.caller)
        digest = content_digest(self.body, self.mode.name, self.description)
        earlier = replayed(view, self._key, digest, "idempotency_key")
        if earlier is not None:
            return earlier
        producer = view.producer(self.producer_id)
        session = view.session(self.session_id)
        if producer is None or not producer.active or not owns(self.caller, producer):
            raise ProducerNotFound
        if producer.session_id != self.session_id or session is None or session.deleted:
            raise ProducerNotFound
        check_producer(view, session, self.body)
        renew(view, producer)
        return accept(
            view,
            session,
            e.MessageAccepted(
                message_id=view.new_id(),
                owner=Owner.PLUGIN,
                mode=self.mode,
                body=self.body,
                sender=Sender(producer_id=producer.producer_id, name=producer.owner_name),
                recipient_state=session.recipient_state,
                to=self.session_id,
                request_digest=digest,
                idempotency_key=self.idempotency_key,
                description=self.description,
            ),
            e.Origin.PLUGIN,
            self._key,
        )

    @property
    def _key(self) -> ReplayKey:
        return ReplayKey(self.session_id, f"plugin:{self.caller.plugin_name}", self.idempotency_key)


@dataclass(slots=True)
class DiscardProducerMessage(Command[None]):
    """Discard a waiting message of the caller's plugin; one that was discarded before stays so."""

    caller: Caller
    session_id: str
    message_id: str

    def load(self, view: View) -> None:
        view.want_session(self.session_id)
        view.want_message(self.message_id)

    def decide(self, view: View) -> None:
        require_plugin(self.caller)
        session, message = view.session(self.session_id), view.message(self.message_id)
        if session is None or message is None or message.session_id != self.session_id:
            raise MessageNotFound
        if message.owner is not Owner.PLUGIN or message.sender.name != self.caller.plugin_name:
            raise MessageNotFound
        if message.forked_from is not None:
            raise MessageNotFound  # a registration does not cross to a fork, and what it sent is nobody's there
        message = turns.newest(session, message)
        if message.state in (MessageState.CLAIMED, MessageState.CONSUMED):
            raise MessageClaimed(f"the message is {message.state.name.lower()}")
        if message.waiting:
            turns.discard(view, session, message, DiscardReason.OWNER, e.Origin.PLUGIN)
