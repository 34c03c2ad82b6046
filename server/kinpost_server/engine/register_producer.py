"""RegisterProducer, RenewProducers, UnregisterProducer, LapseProducers: a plugin's right to send into a session.

A registration is its owner's, which is the plugin, not the token: another token of the same plugin may use it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import NamedTuple

from kinpost_server.domain import event as e
from kinpost_server.domain.errors import Forbidden, ProducerNotFound, TooManyProducers
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.domain.message import Owner
from kinpost_server.domain.producer import Producer
from kinpost_server.domain.session import Session
from kinpost_server.engine.access import any_session
from kinpost_server.engine.command import Command
from kinpost_server.engine.settings import SECOND
from kinpost_server.engine.view import View


class Renewed(NamedTuple):
    """Which registrations were renewed, and until when all of them last."""

    producer_ids: list[str]
    lease_expire_time: int


@dataclass(slots=True)
class RegisterProducer(Command[Producer]):
    """Register a plugin to send into a session; while it lasts, the same client's id returns it as it was made."""

    caller: Caller
    session_id: str
    client_producer_id: str
    description: str = ""

    def load(self, view: View) -> None:
        view.want_session(self.session_id)
        view.want_registered(self.session_id)

    def decide(self, view: View) -> Producer:
        require_plugin(self.caller)
        session = any_session(view, self.session_id)
        registered = view.registered(self.session_id)
        for producer in registered:
            if owns(self.caller, producer) and producer.client_producer_id == self.client_producer_id:
                renew(view, producer)
                return copy.copy(producer)
        limit = view.settings.producers.registered_per_session_max
        if len(registered) >= limit:
            raise TooManyProducers(f"the session has {limit} registered producers, as many as it may")
        return copy.copy(self._register(view, session))

    def _register(self, view: View, session: Session) -> Producer:
        producer = Producer(
            view.new_id(),
            session.session_id,
            Owner.PLUGIN,
            self.caller.plugin_name,
            self.client_producer_id,
            self.description,
            view.now,
            _lease_end(view),
        )
        view.emit(
            session,
            e.ProducerRegistered(
                producer.producer_id,
                producer.owner,
                producer.owner_name,
                producer.client_producer_id,
                producer.description,
                producer.create_time,
                producer.lease_expire_time,
            ),
            origin=e.Origin.PLUGIN,
        )
        view.put_producer(producer)
        return producer


@dataclass(slots=True)
class RenewProducers(Command[Renewed]):
    """Let the leases of the caller's registrations begin anew; those that ended, or are another's, are left out."""

    caller: Caller
    producer_ids: list[str]

    def load(self, view: View) -> None:
        for producer_id in self.producer_ids:
            view.want_producer(producer_id)

    def decide(self, view: View) -> Renewed:
        require_plugin(self.caller)
        renewed = []
        for producer_id in dict.fromkeys(self.producer_ids):
            producer = view.producer(producer_id)
            if producer is not None and producer.active and owns(self.caller, producer):
                renew(view, producer)
                renewed.append(producer_id)
        return Renewed(renewed, view.now + _lease(view))


@dataclass(slots=True)
class UnregisterProducer(Command[None]):
    """End a registration, by its owner or an admin; one that has ended stays so, and what it sent stays too."""

    caller: Caller
    session_id: str
    producer_id: str

    def load(self, view: View) -> None:
        view.want_session(self.session_id)
        view.want_producer(self.producer_id)

    def decide(self, view: View) -> None:
        if self.caller.kind is not TokenKind.ADMIN:
            require_plugin(self.caller)
        producer = view.producer(self.producer_id)
        if producer is None or producer.session_id != self.session_id:
            raise ProducerNotFound
        if self.caller.kind is not TokenKind.ADMIN and not owns(self.caller, producer):
            raise ProducerNotFound
        origin = e.Origin.PERSON if self.caller.is_person else e.Origin.PLUGIN
        end(view, view.session(self.session_id), producer, origin)


@dataclass(slots=True)
class LapseProducers(Command[None]):
    """End these registrations, if their leases are over."""

    producer_ids: list[str]

    at_shutdown = None

    def load(self, view: View) -> None:
        for producer_id in self.producer_ids:
            producer = view.want_producer(producer_id)
            if producer is not None:
                view.want_session(producer.session_id)

    def decide(self, view: View) -> None:
        for producer_id in self.producer_ids:
            producer = view.producer(producer_id)
            if producer is not None and producer.lease_expire_time <= view.now:
                end(view, view.session(producer.session_id), producer, e.Origin.SERVICE, lapsed=True)


def require_plugin(caller: Caller) -> None:
    """Raise Forbidden unless the caller is a plugin: mail by registration has a plugin's name."""
    if caller.kind is not TokenKind.PLUGIN:
        raise Forbidden(f"producers are plugins': a token of kind {caller.kind.name.lower()} is none's")


def owns(caller: Caller, producer: Producer) -> bool:
    """Whether a registration is the caller's."""
    return producer.owner is Owner.PLUGIN and producer.owner_name == caller.plugin_name


def renew(view: View, producer: Producer) -> None:
    """Let a lease last at least its length from now on; stored with a quarter to spare, as runs' leases are."""
    if producer.lease_expire_time < view.now + _lease(view):
        producer.lease_expire_time = _lease_end(view)
        view.put_producer(producer)


def end(view: View, session: Session | None, producer: Producer, origin: e.Origin, *, lapsed: bool = False) -> None:
    """End a registration, once."""
    if not producer.active:
        return
    if session is not None and not session.deleted:
        view.emit(session, e.ProducerUnregistered(producer.producer_id, lapsed), origin=origin)
    producer.end_time = view.now
    view.put_producer(producer)


def _lease(view: View) -> int:
    return int(view.settings.producers.lease_seconds * SECOND)


def _lease_end(view: View) -> int:
    return view.now + _lease(view) + _lease(view) // 4
