"""SessionService: sessions and trees."""

from __future__ import annotations

import asyncio

from kinpost.v1 import session_service_pb2 as pb
from uuid_utils import uuid7

from kinpost_server.domain.address import is_handle
from kinpost_server.domain.errors import InvalidRequest
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.permission import Decision, RulesInvalid, check_rules
from kinpost_server.domain.session import Availability, SessionState, Starter
from kinpost_server.engine.create_session import CreateSession, Imported
from kinpost_server.engine.delete_session import DeleteSession
from kinpost_server.engine.engine import Engine
from kinpost_server.engine.fork_session import ForkSession
from kinpost_server.engine.revert_session import RevertSession
from kinpost_server.engine.set_availability import SetAvailability
from kinpost_server.transport import convert, fields
from kinpost_server.transport.agent_document import AgentDocumentInvalid, rules_of_document
from kinpost_server.transport.cursor import id_of, page_token_of
from kinpost_server.transport.rpc import Service

DESCRIPTION_BYTES_MAX = 1024
DOCUMENT_CHARACTERS_AT_ONCE = 8192  # a longer one is read in a thread, since YAML takes its time
IMPORTABLE_STATES = frozenset(SessionState) - {SessionState.QUEUED, SessionState.RUNNING}
DECISIONS = {number: decision for decision, number in convert.DECISIONS.items()}


class SessionHandlers(Service):
    """The RPCs of SessionService."""

    DESCRIPTOR = pb.DESCRIPTOR.services_by_name["SessionService"]

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def CreateSession(self, caller: Caller, request: pb.CreateSessionRequest) -> pb.CreateSessionResponse:
        """Make a session."""
        if len(request.agent_document) > DOCUMENT_CHARACTERS_AT_ONCE:
            command = await asyncio.to_thread(_create_session, caller, request)
        else:
            command = _create_session(caller, request)
        snapshot = await self._engine.execute(command)
        return pb.CreateSessionResponse(session=convert.session(snapshot))

    async def GetSession(self, caller: Caller, request: pb.GetSessionRequest) -> pb.GetSessionResponse:
        """Return a session."""
        snapshot = await self._engine.get_session(caller, fields.uuid(request.session_id, "session_id"))
        return pb.GetSessionResponse(session=convert.session(snapshot))

    async def ListSessions(self, caller: Caller, request: pb.ListSessionsRequest) -> pb.ListSessionsResponse:
        """Return a page of sessions."""
        snapshots, place = await self._engine.list_sessions(
            caller,
            fields.optional_uuid(request.root_session_id, "root_session_id"),
            fields.chosen(request.states, "states", SessionState),
            fields.chosen(request.availabilities, "availabilities", Availability),
            id_of(request.page_token),
            fields.page_size(request.page_size),
        )
        return pb.ListSessionsResponse(
            sessions=[convert.session(snapshot) for snapshot in snapshots], next_page_token=page_token_of(place)
        )

    async def SetAvailability(self, caller: Caller, request: pb.SetAvailabilityRequest) -> pb.SetAvailabilityResponse:
        """Set whether a session may be woken."""
        availability = fields.choice(request.availability, "availability", Availability)
        if request.HasField("until_time") and availability is not Availability.PAUSED:
            raise InvalidRequest("until_time", "goes only with PAUSED")
        if request.no_wake and availability is not Availability.ARCHIVED:
            raise InvalidRequest("no_wake", "goes only with ARCHIVED")
        command = SetAvailability(
            caller,
            fields.uuid(request.session_id, "session_id"),
            availability,
            fields.text(request.reason, "reason", bytes_max=fields.REASON_BYTES_MAX),
            fields.time(request.until_time, "until_time") if request.HasField("until_time") else None,
            request.no_wake,
        )
        return pb.SetAvailabilityResponse(session=convert.session(await self._engine.execute(command)))

    async def RevertSession(self, caller: Caller, request: pb.RevertSessionRequest) -> pb.RevertSessionResponse:
        """Go back to a point of the session's log."""
        command = RevertSession(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.sequence(request.to_seq, "to_seq"),
            fields.sequence(request.expected_last_seq, "expected_last_seq"),
            request.pause,
        )
        if command.to_seq > command.expected_last_seq:
            raise InvalidRequest("to_seq", "lies beyond expected_last_seq")
        snapshot = await self._engine.execute_history(command)
        return pb.RevertSessionResponse(session=convert.session(snapshot))

    async def ForkSession(self, caller: Caller, request: pb.ForkSessionRequest) -> pb.ForkSessionResponse:
        """Continue from a point of a session's log in another session."""
        command = ForkSession(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.sequence(request.at_seq, "at_seq"),
            fields.uuid(request.new_session_id, "new_session_id"),
        )
        snapshot = await self._engine.execute_history(command)
        return pb.ForkSessionResponse(session=convert.session(snapshot))

    async def DeleteSession(self, caller: Caller, request: pb.DeleteSessionRequest) -> pb.DeleteSessionResponse:
        """Delete a session."""
        command = DeleteSession(
            caller,
            fields.uuid(request.session_id, "session_id"),
            fields.text(request.reason, "reason", bytes_max=fields.REASON_BYTES_MAX),
        )
        await self._engine.execute(command)
        return pb.DeleteSessionResponse()


def _create_session(caller: Caller, request: pb.CreateSessionRequest) -> CreateSession:
    parent_session_id = fields.optional_uuid(request.parent_session_id, "parent_session_id")
    parent_run_id = fields.optional_uuid(request.parent_run_id, "parent_run_id")
    parent_tool_call_id = fields.key(
        request.parent_tool_call_id, "parent_tool_call_id", bytes_min=0, bytes_max=fields.CALL_ID_BYTES_MAX
    )
    starter = fields.optional_choice(request.starter, "starter", Starter)
    if not parent_session_id:
        for field, value in (("parent_run_id", parent_run_id), ("parent_tool_call_id", parent_tool_call_id)):
            if value:
                raise InvalidRequest(field, "goes only with parent_session_id")
        if starter is Starter.DELEGATOR:
            raise InvalidRequest("starter", "a root has no delegator")
    return CreateSession(
        caller,
        fields.uuid(request.session_id, "session_id") if request.session_id else str(uuid7()),
        parent_session_id or None,
        parent_run_id or None,
        parent_tool_call_id or None,
        fields.name(request.agent, "agent"),
        _rules(request),
        fields.text(request.description, "description", bytes_max=DESCRIPTION_BYTES_MAX),
        request.without_handle,
        starter,
        request.first_message if request.HasField("first_message") else None,
        _imported(request) if request.HasField("imported") else None,
    )


def _imported(request: pb.CreateSessionRequest) -> Imported:
    imported = request.imported
    state = fields.choice(imported.state, "imported.state", SessionState)
    if state not in IMPORTABLE_STATES:
        raise InvalidRequest("imported.state", "must be IDLE or an outcome")
    if imported.handle and request.without_handle:
        raise InvalidRequest("imported.handle", "does not go with without_handle")
    if imported.handle and not is_handle(imported.handle):
        raise InvalidRequest("imported.handle", "is not a handle, like explore_1a2b3c4d")
    create_time = None
    if imported.HasField("create_time"):
        create_time = fields.time(imported.create_time, "imported.create_time")
    return Imported(state, imported.handle, create_time)


def _rules(request: pb.CreateSessionRequest) -> dict[str, Decision]:
    """Return the message rules; a built-in agent, like any without a document, has none."""
    source = request.WhichOneof("rules")
    if source == "agent_document":
        document = request.agent_document
        try:
            return rules_of_document(document)
        except AgentDocumentInvalid as fault:
            raise InvalidRequest("agent_document", str(fault).removeprefix("agent_document: ")) from None
    rules: dict[str, Decision] = {}
    if source == "message_rules":
        for index, rule in enumerate(request.message_rules.rules):
            field = f"message_rules.rules[{index}]"
            if rule.pattern in rules:
                raise InvalidRequest(f"{field}.pattern", "stands twice")
            decision = DECISIONS.get(rule.decision)
            if decision is None:
                raise InvalidRequest(f"{field}.decision", "must be ALLOW, ASK or DENY")
            rules[rule.pattern] = decision
    try:
        check_rules(rules)
    except RulesInvalid as fault:
        field = "message_rules.rules"
        if fault.pattern is not None:
            field = f"{field}[{list(rules).index(fault.pattern)}].pattern"
        raise InvalidRequest(field, fault.reason) from None
    return rules
