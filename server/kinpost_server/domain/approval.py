"""Approvals: what an `ask` rule puts before a person, and what came of it.

There is one for each (session, run, tool call). An allow is a right to one acceptance; an allow for the tree is also a
grant, which serves whoever of the tree asks for the same operation: the same tool with arguments of the same names, to
the same recipient. The numbers of the enumerations are those of the wire; a test holds them equal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple
from uuid import UUID, uuid5

from kinpost_server.domain.body import content_digest
from kinpost_server.domain.errors import InvalidArguments
from kinpost_server.domain.lifecycle import BrokenLifecycle
from kinpost_server.domain.message import Mode
from kinpost_server.domain.tools import MODES, SEND_MESSAGE

SECOND = 1_000_000  # of microseconds, as all times within the service


class ApprovalState(IntEnum):
    """Where an approval stands."""

    PENDING = 1
    ALLOWED = 2
    USED = 3
    DENIED = 4
    EXPIRED = 5
    CANCELLED = 6


class ApprovalDecision(IntEnum):
    """What a person answers."""

    ALLOW_ONCE = 1
    ALLOW_FOR_TREE = 2
    DENY = 3


# A pending one is used without an answer of its own when a grant has come meanwhile.
NEXT_STATES = {
    ApprovalState.PENDING: frozenset(ApprovalState) - {ApprovalState.PENDING},
    ApprovalState.ALLOWED: frozenset({ApprovalState.USED, ApprovalState.CANCELLED}),
}


@dataclass(slots=True, frozen=True)
class ApprovalLimits:
    """`[approvals]`. `expire_seconds` 0 means never; `waits_max` are the calls that wait for a person at a time."""

    expire_seconds: float = 0.0
    pending_per_session_max: int = 8
    waits_max: int = 1024
    waits_per_token_max: int = 256


@dataclass(slots=True)
class Approval:
    """One question. Times are microseconds; a run's own approvals go without `arguments_json`, which may be long."""

    approval_id: str
    session_id: str
    root_session_id: str
    run_id: str
    tool_call_id: str
    tool_name: str
    recipient_session_id: str
    request_digest: bytes
    create_time: int
    expire_time: int | None = None
    state: ApprovalState = ApprovalState.PENDING
    decision: ApprovalDecision | None = None
    reason: str = ""
    decide_time: int | None = None
    arguments_json: str = ""
    position: int = 0

    @property
    def open(self) -> bool:
        """Whether something can still come of it."""
        return self.state in NEXT_STATES

    def state_at(self, now: int) -> ApprovalState:
        """Return where it stands: what has fallen due counts before the sweep comes by."""
        if self.state is ApprovalState.PENDING and self.expire_time is not None and self.expire_time <= now:
            return ApprovalState.EXPIRED
        return self.state

    def become(self, state: ApprovalState) -> None:
        """Go on to a state. Raises BrokenLifecycle when it does not follow."""
        if state not in NEXT_STATES.get(self.state, ()):
            raise BrokenLifecycle(f"an approval that is {self.state.name} cannot become {state.name}")
        self.state = state


@dataclass(slots=True, frozen=True)
class PendingApproval:
    """The answer to a call that waits for a person."""

    approval_id: str
    root_session_id: str
    expire_time: int | None


class GrantKey(NamedTuple):
    """What a grant is bound to: the tree, the recipient, and the tool with the names of its arguments."""

    root_session_id: str
    recipient_session_id: str
    operation: str


class SendRequest(NamedTuple):
    """A send as it is put before a person; `expire_after` is in microseconds, 0 for never."""

    to: str
    body: str
    mode: Mode
    expire_after: int = 0
    supersedes_message_id: str = ""


def approval_id_of(run_id: str, tool_call_id: str) -> str:
    """Return the id of the one approval that a tool call of a run can have."""
    return str(uuid5(UUID(run_id), tool_call_id))


def arguments_of(request: SendRequest) -> dict[str, object]:
    """Return the arguments of `send_message`; what only a runtime can ask for is there when it did."""
    arguments: dict[str, object] = {"to": request.to, "body": request.body, "mode": request.mode.name.lower()}
    if request.expire_after:
        arguments["expire_after_seconds"] = request.expire_after / SECOND
    if request.supersedes_message_id:
        arguments["supersedes_message_id"] = request.supersedes_message_id
    return arguments


def arguments_json_of(request: SendRequest) -> str:
    """Return the arguments as a person reads them."""
    return json.dumps(arguments_of(request), ensure_ascii=False)


def request_of(arguments_json: str) -> SendRequest:
    """Return the send that was put before a person. Raises InvalidArguments for one that this program cannot make."""
    given = json.loads(arguments_json)
    try:
        return SendRequest(
            given["to"],
            given["body"],
            MODES[given["mode"]],
            round(given.get("expire_after_seconds", 0) * SECOND),
            given.get("supersedes_message_id", ""),
        )
    except KeyError as missing:
        raise InvalidArguments(f"the approval is of an older form, without {missing}") from None


def request_digest_of(arguments_json: str) -> bytes:
    """Return the digest by which a repeat of the call is known: of recipient, body and mode as they were given."""
    given = json.loads(arguments_json)
    return content_digest(given.get("to", ""), given.get("body", ""), given.get("mode", "").upper())


def operation_of(tool_name: str, arguments_json: str) -> str:
    """Return a tool with the names of its arguments: a grant for one form of a call serves no other form."""
    return _operation(tool_name, json.loads(arguments_json))


def grant_of(root_session_id: str, recipient_session_id: str, request: SendRequest) -> GrantKey:
    """Return the grant that would serve a send."""
    return GrantKey(root_session_id, recipient_session_id, _operation(SEND_MESSAGE, arguments_of(request)))


def _operation(tool_name: str, argument_names: Iterable[str]) -> str:
    return f"{tool_name}({', '.join(sorted(argument_names))})"
