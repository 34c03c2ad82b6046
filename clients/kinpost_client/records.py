"""What the service tells: frozen records. Instants are aware datetimes in UTC, ids are UUID strings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from google.protobuf.message import Message

from kinpost_client.terms import (
    ApprovalDecision,
    ApprovalState,
    Availability,
    Decision,
    Mode,
    Origin,
    Owner,
    RecipientState,
    SessionState,
    Starter,
    TokenKind,
)


@dataclass(frozen=True, slots=True)
class Session:
    """One agent's conversation. `handle` is its short name in its tree, if it has one."""

    session_id: str
    root_session_id: str
    parent_session_id: str | None
    parent_run_id: str | None
    parent_tool_call_id: str | None
    depth: int
    handle: str | None
    agent: str
    description: str
    message_rules: Mapping[str, Decision]
    starter: Starter
    state: SessionState
    availability: Availability
    availability_reason: str
    until_time: datetime | None
    no_wake: bool
    create_time: datetime
    last_seq: int
    active_run_id: str | None
    pending_count: int
    failing_runs: int


@dataclass(frozen=True, slots=True)
class Sender:
    """Where a message came from: derived by the service from the caller, never from what a model wrote."""

    session_id: str | None
    handle: str | None
    run_id: str | None
    tool_call_id: str | None
    producer_id: str | None
    name: str | None


@dataclass(frozen=True, slots=True)
class Mail:
    """One message, as it is put before one model request.

    `text` goes into the prompt as a user turn: the body in its frame, the same at every delivery. `body` is what the
    sender wrote, byte for byte. `delivery_count` above 1: it was before a request already that was not kept.
    """

    message_id: str
    owner: Owner
    mode: Mode
    sender: Sender
    body: str
    text: str
    agent_hop: int | None
    accept_time: datetime
    age_seconds: float
    delivery_count: int


@dataclass(frozen=True, slots=True)
class Accepted:
    """The promise that a message is stored. `replayed`: the same call was accepted before."""

    message_id: str
    mode: Mode
    recipient_state: RecipientState
    replayed: bool


@dataclass(frozen=True, slots=True)
class Registration:
    """A producer's registration with a session. It lapses at `lease_expire_time` unless it is renewed."""

    producer_id: str
    session_id: str
    owner: Owner
    owner_name: str
    client_producer_id: str
    description: str
    create_time: datetime
    lease_expire_time: datetime


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as a session's model may see it; `parameters` is a JSON Schema, draft 2020-12."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool call came to: `text` is for the model, also when the call was refused (`is_error`, `code`)."""

    text: str
    is_error: bool
    code: str
    structured: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Approval:
    """A question to a person, one for each tool call of a run; `arguments` are those of the tool `tool_name`."""

    approval_id: str
    session_id: str
    root_session_id: str
    run_id: str
    tool_call_id: str
    tool_name: str
    recipient_session_id: str
    arguments: Mapping[str, Any]
    state: ApprovalState
    decision: ApprovalDecision | None
    reason: str
    create_time: datetime
    decide_time: datetime | None
    expire_time: datetime | None


@dataclass(frozen=True, slots=True)
class Offer:
    """A session with mail needs a run: `runtime.run(offer)` starts it."""

    wake_id: str
    session_id: str
    root_session_id: str
    agent: str
    offer_number: int
    expire_time: datetime
    pending_count: int


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of a session's log.

    `type` is the payload's name in the contract (`producer_message_accepted`), and `payload` its generated message; a
    payload that this client does not know has the type `unknown` and no payload.
    """

    session_id: str
    root_session_id: str
    seq: int
    position: int
    event_time: datetime
    run_id: str | None
    origin: Origin
    type: str
    payload: Message | None


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret."""

    token_id: str
    kind: TokenKind
    plugin_name: str
    session_ids: tuple[str, ...]
    create_time: datetime
    expire_time: datetime | None
    revoke_time: datetime | None


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token just made. The secret is shown this once, and not by `repr`."""

    token_id: str
    secret: str

    def __repr__(self) -> str:
        return f"NewToken(token_id={self.token_id!r})"


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What server this is."""

    protocol_version: int
    protocol_version_min: int
    server_version: str
    log_id: str
    server_time: datetime
    request_bytes_max: int


@dataclass(frozen=True, slots=True)
class GatedCall:
    """A model's tool call that waits for a plugin's verdict, until `expire_time`."""

    session_id: str
    root_session_id: str
    run_id: str
    tool_call_id: str
    name: str
    arguments_json: str
    expire_time: datetime
