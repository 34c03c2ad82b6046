"""What is asked of a new session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from kinpost.v1 import session_pb2, session_service_pb2

from kinpost_client import convert
from kinpost_client.terms import Decision, SessionState


@dataclass(frozen=True, slots=True)
class Imported:
    """What a session of another system brings along: `state` is idle or an outcome, `handle` its handle there."""

    state: SessionState
    handle: str = ""
    create_time: datetime | None = None


@dataclass(frozen=True, slots=True)
class SessionWishes:
    """The fields of `CreateSession`, as `Client.create_session` tells them."""

    agent: str
    session_id: str | None = None
    parent_session_id: str | None = None
    parent_run_id: str = ""
    parent_tool_call_id: str = ""
    first_message: str | None = None
    description: str = ""
    message_rules: Mapping[str, str] | None = None
    agent_document: str | None = None
    starter: str | None = None
    without_handle: bool = False
    imported: Imported | None = None

    def request(self) -> session_service_pb2.CreateSessionRequest:
        """Return the request, with a session id of our own when none was given, so that repeating it is safe.

        Raises ValueError for rules given twice, and for words that are none of the contract's.
        """
        if self.message_rules is not None and self.agent_document is not None:
            raise ValueError("message_rules and agent_document exclude each other")
        request = session_service_pb2.CreateSessionRequest(
            session_id=self.session_id or str(uuid4()),
            parent_session_id=self.parent_session_id or "",
            parent_run_id=self.parent_run_id,
            parent_tool_call_id=self.parent_tool_call_id,
            agent=self.agent,
            description=self.description,
            first_message=self.first_message,
            without_handle=self.without_handle,
        )
        if self.starter is not None:
            request.starter = convert.starter(self.starter)
        if self.agent_document is not None:
            request.agent_document = self.agent_document
        if self.message_rules is not None:
            request.message_rules.SetInParent()
            for pattern, decision in self.message_rules.items():
                wire = session_pb2.RuleDecision.ValueType(convert.number(Decision, decision))
                request.message_rules.rules.add(pattern=pattern, decision=wire)
        if self.imported is not None:
            _import(request.imported, self.imported)
        return request


def _import(wire: session_service_pb2.ImportedSession, imported: Imported) -> None:
    wire.state = session_pb2.SessionState.ValueType(convert.number(SessionState, imported.state))
    wire.handle = imported.handle
    if imported.create_time is not None:
        wire.create_time.CopyFrom(convert.timestamp(imported.create_time))
