"""Every refusal of the service, one class each.

A class's docstring says when it is raised, and is its text for people where the raiser has nothing better to say.
`code` is stable: clients act on it. The table of gRPC codes and HTTP statuses is in `transport/status.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar


class Refusal(Exception):
    """The request was refused; nothing was written."""

    code: ClassVar[str] = ""

    def __init__(
        self,
        detail: str = "",
        *,
        field: str = "",
        retry_after_seconds: float | None = None,
        metadata: dict[str, str] | None = None,
    ) -> None:
        self.detail = detail or (type(self).__doc__ or "").strip().splitlines()[0]
        self.field = field
        self.retry_after_seconds = retry_after_seconds
        self.metadata = metadata or {}
        super().__init__(self.text)

    @property
    def text(self) -> str:
        """What the caller reads: the code, then the detail."""
        return f"{self.code}: {self.detail}" if self.code else self.detail

    def text_that(self, fits: Callable[[str], bool]) -> str:
        """Return the text; where it does not fit and one that is shorter and whole can be made, that one."""
        return self.text


class InvalidRequest(Refusal):
    """The request is not well formed."""

    code = "request:invalid"

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(f"{field}: {detail}", field=field)


class RequestTooLarge(Refusal):
    """The request is larger than the server reads."""

    code = "request:too_large"


class RequestTimeout(Refusal):
    """The body of the request did not come in time."""

    code = "request:timeout"


class UnsupportedVersion(Refusal):
    """The client speaks a version of the protocol that this server does not."""

    code = "protocol:unsupported_version"


class Unauthenticated(Refusal):
    """A bearer token is needed, and the given one is missing, unknown, expired or revoked."""

    code = "auth:unauthenticated"


class Forbidden(Refusal):
    """The token's scope does not cover this call."""

    code = "auth:forbidden"


class IdempotencyConflict(Refusal):
    """The same identity was used before with other content."""

    code = "idempotency:conflict"


class SessionNotFound(Refusal):
    """There is no such session, or it is not the caller's."""

    code = "session:not_found"


class TooManySessions(Refusal):
    """The token hosts as many sessions as it may."""

    code = "session:too_many"


class SessionExists(Refusal):
    """The session id is taken by a session of other content."""

    code = "session:exists"


class SessionNotOpen(Refusal):
    """The session may not run now: a person paused, closed or archived it, or it keeps failing."""

    code = "session:not_open"


class SessionLogMoved(Refusal):
    """The session's log has moved on since the caller looked."""

    code = "session:log_moved"


class RunNotActive(Refusal):
    """The session has no such active run."""

    code = "run:not_active"


class RunLeaseLost(Refusal):
    """The run's lease lapsed; its mail waits for the next run."""

    code = "run:lease_lost"


class RunCancelled(Refusal):
    """The run was cancelled."""

    code = "run:cancelled"


class RunAlreadyActive(Refusal):
    """The session has an active run already."""

    code = "run:already_active"


class RuntimeReplaced(Refusal):
    """The same runtime attached anew; this attachment has ended."""

    code = "runtime:replaced"


class ClaimLost(Refusal):
    """The claim was settled or given back before."""

    code = "claim:lost"


class ClaimOutstanding(Refusal):
    """The run has a claim that is neither committed nor released."""

    code = "claim:outstanding"


class WakeSettled(Refusal):
    """The wake is settled, withdrawn, or offered to another runtime."""

    code = "wake:settled"


class MessageNotFound(Refusal):
    """There is no such message, or it is not the caller's."""

    code = "message:not_found"


class MessageClaimed(Refusal):
    """The message is before a model request, or was seen by a committed turn."""

    code = "message:claimed"


class MessagingDisabled(Refusal):
    """Agent messaging is switched off on this server."""

    code = "send_message:disabled"


class InvalidArguments(Refusal):
    """The tool's arguments are missing, unknown or of the wrong type."""

    code = "send_message:invalid_arguments"


class InvalidBody(Refusal):
    """The body is empty, too long, or not text."""

    code = "send_message:invalid_body"


class UnknownSession(Refusal):
    """No session has this UUID."""

    code = "send_message:unknown_session"


class UnknownReference(Refusal):
    """The reference is no handle of the sender's tree."""

    code = "send_message:unknown_reference"

    def __init__(
        self,
        detail: str = "",
        *,
        shorten: Callable[[Callable[[str], bool]], str] | None = None,
        retry_after_seconds: float | None = None,
        metadata: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail, retry_after_seconds=retry_after_seconds, metadata=metadata)
        self._shorten = shorten

    def text_that(self, fits: Callable[[str], bool]) -> str:
        """Return the text with as many peers as fit, and the count of the others."""
        return self.text if self._shorten is None or fits(self.text) else self._shorten(fits)

    @property
    def text(self) -> str:
        """Begins with its own words, `unknown subagent reference`, not with the code: the contract says so."""
        return self.detail


class NotTreePeer(Refusal):
    """The recipient is in another delegation tree."""

    code = "send_message:not_tree_peer"


class SelfSend(Refusal):
    """A session cannot message itself."""

    code = "send_message:self_send"


class InboxFull(Refusal):
    """The recipient has as many pending agent messages as it may have; try again when it has read some."""

    code = "send_message:inbox_full"


class InflightFull(Refusal):
    """Too many messages of this sender to this recipient are still unread; try again when it has read some."""

    code = "send_message:inflight_full"


class MaxHopsExceeded(Refusal):
    """The chain of agent messages is as long as it may become."""

    code = "send_message:max_hops_exceeded"


class EngineShutdown(Refusal):
    """The server is shutting down; repeat the call when it is back."""

    code = "send_message:engine_shutdown"


class ShuttingDown(Refusal):
    """The server is shutting down; repeat the call when it is back."""

    code = "server:shutting_down"


class PermissionDenied(Refusal):
    """The agent's message rules deny this."""

    code = "permission:denied"


class PluginBlocked(Refusal):
    """A plugin blocked this tool call."""

    code = "plugin:blocked"


class PluginFailed(Refusal):
    """A plugin that is to judge this tool call did not answer."""

    code = "plugin:no_answer"


class ApprovalNotFound(Refusal):
    """There is no such approval, or it is not the session's."""

    code = "approval:not_found"


class TooManyApprovals(Refusal):
    """The session has as many questions before people as it may have; try again when one is answered."""

    code = "approval:too_many"


class ApprovalDenied(PermissionDenied):
    """A person was asked and refused."""

    code = "approval:denied"


class ApprovalExpired(Refusal):
    """A person was asked, and nobody answered in time."""

    code = "approval:expired"


class ApprovalCancelled(Refusal):
    """A person was asked, and the asking run ended first."""

    code = "approval:cancelled"


class ProducerInboxFull(Refusal):
    """The session has as many pending messages of other producers as it may have."""

    code = "producer:inbox_full"


class ProducerNotFound(Refusal):
    """There is no such registration of the caller's in this session; register again."""

    code = "producer:not_found"


class TooManyProducers(Refusal):
    """The session has as many registered producers as it may have."""

    code = "producer:too_many"


class UnknownTool(Refusal):
    """There is no such tool."""

    code = "tool:unknown"


class TokenNotFound(Refusal):
    """There is no such token."""

    code = "token:not_found"


class CursorInvalid(InvalidRequest):
    """The cursor is not one that this service made."""


class CursorOutOfRange(Refusal):
    """The cursor lies beyond the end of the log."""

    code = "events:cursor_out_of_range"


class CursorExpired(Refusal):
    """The cursor, or the point of the log, is older than the events that are kept."""

    code = "events:cursor_expired"


class OtherLog(Refusal):
    """The cursor belongs to another log."""

    code = "events:other_log"


class Overloaded(Refusal):
    """The server has as much waiting as it takes; try again shortly."""

    code = "server:overloaded"


class StorageUnavailable(Refusal):
    """The store does not answer; nothing was written, or a repeat of the same call will tell."""

    code = "storage:unavailable"
