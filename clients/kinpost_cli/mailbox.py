"""The mail of a session, folded from its log: what came, from whom, and where it stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from google.protobuf.timestamp_pb2 import Timestamp
from kinpost.v1 import event_pb2, message_pb2
from kinpost.v1 import event_service_pb2 as service_pb
from kinpost.v1.event_pb2 import Event

from kinpost_cli.text import word

OWNERS = message_pb2.DESCRIPTOR.enum_types_by_name["ProducerOwner"]
REASONS = message_pb2.DESCRIPTOR.enum_types_by_name["DiscardReason"]
WAITING = frozenset({"accepted", "admitted", "released", "claimed"})
TYPES = (
    service_pb.EVENT_TYPE_SESSION_REVERTED,
    service_pb.EVENT_TYPE_PRODUCER_MESSAGE_ACCEPTED,
    service_pb.EVENT_TYPE_PRODUCER_MESSAGE_ADMITTED,
    service_pb.EVENT_TYPE_PRODUCER_MESSAGES_CLAIMED,
    service_pb.EVENT_TYPE_PRODUCER_MESSAGES_RELEASED,
    service_pb.EVENT_TYPE_PRODUCER_MESSAGE_CONSUMED,
    service_pb.EVENT_TYPE_PRODUCER_MESSAGE_DISCARDED,
)


@dataclass
class Item:
    """A message as it stands; `deliveries` is how often it was put before a model request."""

    accepted: event_pb2.ProducerMessageAccepted
    accept_time: Timestamp
    state: str = "accepted"
    reason: str = ""
    deliveries: int = 0

    @property
    def waits(self) -> bool:
        """Whether it has not been consumed and has not died."""
        return self.state in WAITING

    @property
    def sender(self) -> str:
        """Who wrote it: a handle, a name, a session's id, else the kind of owner."""
        sender = self.accepted.sender
        return sender.handle or sender.name or sender.session_id or word(OWNERS, self.accepted.owner)


class Mailbox:
    """All messages of a session, in accepted order."""

    def __init__(self) -> None:
        self.items: dict[str, Item] = {}

    def apply(self, event: Event) -> None:
        """Take in the next event of the session's log."""
        kind = event.WhichOneof("payload")
        if kind == "producer_message_accepted":
            accepted = event.producer_message_accepted
            self.items[accepted.message_id] = Item(accepted, event.event_time)
        elif kind == "producer_message_admitted":
            self._stand([event.producer_message_admitted.message_id], "admitted")
        elif kind == "producer_messages_claimed":
            self._stand(event.producer_messages_claimed.message_ids, "claimed")
        elif kind == "producer_messages_released":
            self._stand(event.producer_messages_released.message_ids, "released")
        elif kind == "producer_message_consumed":
            self._stand([event.producer_message_consumed.message_id], "consumed")
        elif kind == "producer_message_discarded":
            discarded = event.producer_message_discarded
            self._stand([discarded.message_id], "discarded", word(REASONS, discarded.reason))
        elif kind == "session_reverted":
            # All that waits afterwards is accepted and in no run; what came after the point is discarded next.
            waiting = [message_id for message_id, item in self.items.items() if item.waits]
            self._stand([*waiting, *event.session_reverted.restored_message_ids], "accepted")

    def _stand(self, message_ids: Iterable[str], state: str, reason: str = "") -> None:
        for message_id in message_ids:
            item = self.items.get(message_id)
            if item is not None:
                item.state, item.reason = state, reason
                item.deliveries += state == "claimed"
