"""The client: one connection, and what a program asks of the service on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import grpc
from kinpost.v1 import (
    admin_service_pb2,
    messaging_service_pb2,
    producer_service_pb2,
    run_service_pb2,
    session_service_pb2,
)

from kinpost_client import convert, event_requests, tool_calls
from kinpost_client.approvals import Approvals
from kinpost_client.calls import Calls
from kinpost_client.channel import open_channel
from kinpost_client.errors import KinpostError
from kinpost_client.gate import Gate, Judge
from kinpost_client.peers import Peers
from kinpost_client.producer import Producer
from kinpost_client.records import Accepted, Event, Registration, ServerInfo, Session, Tool, ToolResult
from kinpost_client.retry import Retry
from kinpost_client.runtime import Runtime
from kinpost_client.session_requests import Imported, SessionWishes
from kinpost_client.subscription import Subscription
from kinpost_client.terms import AvailabilityName, DecisionName, Mode, ModeName, StarterName
from kinpost_client.tokens import Tokens


def connect(
    target: str = "127.0.0.1:7419",
    *,
    token: str | None = None,
    tls: bool | None = None,
    root_certificates: bytes | None = None,
    retry: Retry | None = None,
) -> Client:
    """Return a client for `host:port`, to be entered with `async with`.

    `ipv4:host:port,host:port` names several replicas, and so does `dns:///name:port` where the name has an address for
    each: calls are spread over those that say that they serve. Over TLS each one's certificate must name the first
    address, or the name.
    `token` is the bearer secret; only `server_info` goes without. `tls` None means TLS for every target that is not on
    this machine's loopback; `root_certificates` (PEM) takes the place of the system's. `retry` is how patiently calls
    are repeated. Nothing is sent before the first call.
    """
    return Client(target, token=token, tls=tls, root_certificates=root_certificates, retry=retry or Retry())


class Client:
    """A client, as an asynchronous context; `connect` makes it. Its methods raise the classes of KinpostError.

    Each call that changes something carries an identity, so that it is carried out once however often it is repeated.
    """

    def __init__(
        self, target: str, *, token: str | None, tls: bool | None, root_certificates: bytes | None, retry: Retry
    ) -> None:
        self._target = target
        self._token = token
        self._tls = tls
        self._root_certificates = root_certificates
        self._retry = retry
        self._channel: grpc.aio.Channel | None = None
        self._open_calls: Calls | None = None

    async def __aenter__(self) -> Self:
        self._channel = open_channel(self._target, tls=self._tls, root_certificates=self._root_certificates)
        self._open_calls = Calls(self._channel, self._token, self._retry)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        channel, self._channel, self._open_calls = self._channel, None, None
        if channel is not None:
            await channel.close()

    @property
    def _calls(self) -> Calls:
        if self._open_calls is None:
            raise RuntimeError("a client is used inside of its context: async with connect(...) as client")
        return self._open_calls

    # Runtimes

    def runtime(
        self, runtime_id: str, *, agents: Iterable[str] = (), any_session: bool = False, slots: int = 1
    ) -> Runtime:
        """Return a runtime of this token, to be entered with `async with`: it attaches and stays attached.

        `runtime_id` is its own lasting name, 1 to 128 bytes. It is offered the sessions that this token hosts, and with
        `any_session` every session of its `agents` (`*` for all). `slots`, 1 to 10000, is how many runs it holds at
        once. Entering raises Forbidden when the id belongs to another token.
        """
        return Runtime(self._calls, runtime_id, agents, any_session=any_session, slots=slots)

    async def cancel_run(
        self, session_id: str, *, run_id: str = "", reason: str = "", by_person: bool = False
    ) -> Session:
        """Cancel the named run, or whichever is active, and return the session. Its mail waits again.

        `by_person` also pauses the session; an approver's or admin's cancel always does. Raises RunNotActive,
        SessionNotFound.
        """
        if not run_id:  # named, so that a repeat does not cancel the next one
            run_id = (await self.get_session(session_id)).active_run_id or ""
        request = run_service_pb2.CancelRunRequest(
            session_id=session_id, run_id=run_id, reason=reason, by_person=by_person
        )
        answer = await self._calls.unary(self._calls.runs.CancelRun, request)
        return convert.session(answer.session)

    # Sessions

    async def create_session(
        self,
        agent: str,
        *,
        message_rules: Mapping[str, DecisionName] | None = None,
        agent_document: str | None = None,
        description: str = "",
        first_message: str | None = None,
        parent_session_id: str | None = None,
        starter: StarterName | None = None,
        without_handle: bool = False,
        imported: Imported | None = None,
        session_id: str | None = None,
    ) -> Session:
        """Make a session, a root or a child of `parent_session_id`, that this token hosts; a run uses `delegate`.

        `message_rules` maps relationships (`parent`, `child`, `sibling`, patterns) to allow, ask or deny; or they are
        in the front matter of `agent_document`; with neither the agent's built-in rules hold, which are none. With your
        own `session_id` a repeat returns the session. Raises InvalidRequest, SessionExists, SessionNotFound (no such
        parent), Forbidden.
        """
        wishes = SessionWishes(
            agent=agent,
            session_id=session_id,
            parent_session_id=parent_session_id,
            message_rules=message_rules,
            agent_document=agent_document,
            description=description,
            first_message=first_message,
            starter=starter,
            without_handle=without_handle,
            imported=imported,
        )
        answer = await self._calls.unary(self._calls.sessions.CreateSession, wishes.request())
        return convert.session(answer.session)

    async def get_session(self, session_id: str) -> Session:
        """Return a session. Raises SessionNotFound, also when it is not this token's."""
        request = session_service_pb2.GetSessionRequest(session_id=session_id)
        answer = await self._calls.unary(self._calls.sessions.GetSession, request)
        return convert.session(answer.session)

    async def list_sessions(self, root_session_id: str = "") -> AsyncIterator[Session]:
        """Return the sessions of a tree, or of all, in the order of their making. Raises Forbidden, SessionNotFound."""
        request = session_service_pb2.ListSessionsRequest(root_session_id=root_session_id, page_size=1000)
        while True:
            page = await self._calls.unary(self._calls.sessions.ListSessions, request)
            for session in page.sessions:
                yield convert.session(session)
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def set_availability(
        self,
        session_id: str,
        availability: AvailabilityName,
        *,
        reason: str = "",
        until_time: datetime | None = None,
        no_wake: bool = False,
    ) -> Session:
        """Say whether a session may be woken. `until_time` ends a pause by itself; `no_wake` goes with `archived`.

        Raises Forbidden for what only a person may undo; SessionNotFound, InvalidRequest.
        """
        request = session_service_pb2.SetAvailabilityRequest(
            session_id=session_id, availability=convert.availability(availability), reason=reason, no_wake=no_wake
        )
        if until_time is not None:
            request.until_time.CopyFrom(convert.timestamp(until_time))
        answer = await self._calls.unary(self._calls.sessions.SetAvailability, request)
        return convert.session(answer.session)

    async def revert_session(
        self, session_id: str, to_seq: int, *, expected_last_seq: int, pause: bool = False
    ) -> Session:
        """Take a session back to the event `to_seq` of its log, the last that shall still count, and return it.

        `expected_last_seq` is its newest event as you know it (`Session.last_seq`). What was consumed since waits
        again, and wakes the session unless you `pause` it; what was accepted since is discarded. Safe to repeat.
        Raises SessionLogMoved, RunAlreadyActive, InvalidRequest (no such point, or one that a revert undid),
        SessionNotFound, Forbidden.
        """
        request = session_service_pb2.RevertSessionRequest(
            session_id=session_id, to_seq=to_seq, expected_last_seq=expected_last_seq, pause=pause
        )
        answer = await self._calls.unary(self._calls.sessions.RevertSession, request)
        return convert.session(answer.session)

    async def fork_session(self, session_id: str, at_seq: int, *, new_session_id: str | None = None) -> Session:
        """Make a sibling that continues from the event `at_seq` of a session's log, with the mail pending there.

        With your own `new_session_id` (a UUID) a repeat returns the fork. Raises SessionNotFound, SessionExists,
        InvalidRequest (no such point), TooManySessions, Forbidden.
        """
        request = session_service_pb2.ForkSessionRequest(
            session_id=session_id, at_seq=at_seq, new_session_id=new_session_id or str(uuid4())
        )
        answer = await self._calls.unary(self._calls.sessions.ForkSession, request)
        return convert.session(answer.session)

    # Mail and tools

    def producer(self, session_id: str, client_producer_id: str, *, description: str = "") -> Producer:
        """Return a producer of this plugin's token, to be entered with `async with`: it registers and stays registered.

        `client_producer_id`, 1 to 128 bytes, names it among this plugin's in the session; `description` is for people.
        Entering raises Forbidden for a token that is no plugin's, SessionNotFound, TooManyProducers.
        """
        return Producer(self._calls, session_id, client_producer_id, description)

    def gate(self, judge: Judge, *tool_names: str) -> Gate:
        """Return the gate of this plugin's token, to be entered with `async with`: it judges tool calls meanwhile.

        `judge` gets each call of the named tools, of all without names, before the service judges it; it returns None
        to let it pass, or the reason to block it. At most 100 names. Entering raises Forbidden for a token that is no
        plugin's.
        """
        return Gate(self._calls, judge, tool_names)

    async def list_producers(self, session_id: str) -> AsyncIterator[Registration]:
        """Return a session's producers in the order of their registration. Raises SessionNotFound."""
        request = producer_service_pb2.ListProducersRequest(session_id=session_id)
        while True:
            page = await self._calls.unary(self._calls.producers.ListProducers, request)
            for producer in page.producers:
                yield convert.registration(producer)
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def send_user_message(
        self, session_id: str, body: str, *, mode: Mode | ModeName = Mode.STEER, client_message_id: str | None = None
    ) -> Accepted:
        """Write to a session as its user; no message rule applies. `body` is 1 byte to 256 KiB.

        The same `client_message_id` (1 to 256 bytes) again returns the first answer. Raises SessionNotFound,
        InvalidRequest, ProducerInboxFull, IdempotencyConflict, Forbidden.
        """
        request = messaging_service_pb2.SendUserMessageRequest(
            session_id=session_id,
            client_message_id=client_message_id or str(uuid4()),
            body=body,
            mode=convert.message_mode(mode),
        )
        answer = await self._calls.unary(self._calls.messaging.SendUserMessage, request)
        return convert.accepted(answer.accepted)

    async def list_tools(self, session_id: str) -> list[Tool]:
        """Return what a session's model may see; may be empty. Raises SessionNotFound."""
        return await tool_calls.list_tools(self._calls, session_id)

    async def call_tool(
        self,
        session_id: str,
        run_id: str,
        name: str,
        arguments: str | Mapping[str, Any],
        *,
        tool_call_id: str,
        approval_wait_seconds: float | None = None,
    ) -> ToolResult:
        """Carry out a model's tool call for a run that another program holds; a holder uses `run.call_tool`.

        `tool_call_id`, 1 to 256 bytes, must be unique within the run: the same again returns the first acceptance. What
        the tool refuses is a result; see `run.call_tool` for `approval_wait_seconds`. Raises SessionNotFound,
        InvalidRequest.
        """
        return await tool_calls.call_tool(
            self._calls, session_id, run_id, tool_call_id, name, arguments, approval_wait_seconds
        )

    # Events

    def subscribe(
        self,
        *,
        session_id: str | None = None,
        root_session_id: str | None = None,
        after_cursor: str | None = None,
        after_seq: int | None = None,
        from_now: bool = False,
        event_types: Iterable[str] = (),
        on_cut: Callable[[KinpostError], None] | None = None,
    ) -> Subscription:
        """Return the events of a session, of a tree, or with neither of all: stored ones, then live ones, for ever.

        They begin after a cursor, after a sequence number of the session, with what comes from now on, or with the
        first that is kept. `event_types` are names of payloads (`run_started`). `on_cut` is told each time that the
        stream was cut and is opened again. Raises ValueError for contradictions.
        """
        request = event_requests.subscribe(session_id, root_session_id, after_cursor, after_seq, from_now, event_types)
        return Subscription(self._calls, request, on_cut)

    async def list_events(
        self,
        *,
        session_id: str | None = None,
        root_session_id: str | None = None,
        after_cursor: str | None = None,
        after_seq: int | None = None,
        event_types: Iterable[str] = (),
    ) -> AsyncIterator[Event]:
        """Return the same events as `subscribe`, up to the end of the log."""
        request = event_requests.listing(session_id, root_session_id, after_cursor, after_seq, event_types)
        while True:
            page = await self._calls.unary(self._calls.events.ListEvents, request)
            for event in page.events:
                yield convert.event(event)
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def events_before(self, session_id: str, seq: int, *, count: int = 200) -> list[Event]:
        """Return the `count` events (1 to 1000) of a session that come before the event `seq`, oldest first.

        Fewer at the beginning of the log, none before it; a log is so read backwards without reading it whole. Raises
        SessionNotFound, Forbidden, CursorExpired (they are no longer kept).
        """
        request = event_requests.before(session_id, seq, count)
        events: list[Event] = []
        while request.page_size:
            page = await self._calls.unary(self._calls.events.ListEvents, request)
            events += (convert.event(event) for event in page.events)
            # large bodies may need several pages
            if not page.next_page_token or (page.events and page.events[-1].seq >= seq - 1):
                break
            request.page_token = page.next_page_token
        return [event for event in events if event.seq < seq]

    # The server

    @property
    def approvals(self) -> Approvals:
        """What waits for a person, for an approver."""
        return Approvals(self._calls)

    @property
    def peers(self) -> Peers:
        """Mail from any session to any other."""
        return Peers(self._calls)

    @property
    def tokens(self) -> Tokens:
        """Tokens, for an admin."""
        return Tokens(self._calls)

    async def server_info(self) -> ServerInfo:
        """Return what server this is. Needs no token. Raises UnsupportedVersion."""
        info = await self._calls.unary(self._calls.admin.GetServerInfo, admin_service_pb2.GetServerInfoRequest())
        return ServerInfo(
            info.protocol_version,
            info.protocol_version_min,
            info.server_version,
            info.log_id,
            convert.instant(info.server_time),
            info.request_bytes_max,
        )
