"""What sends, tool calls and producers can be refused with."""

from __future__ import annotations

from datetime import datetime

from kinpost_client.errors.base import KinpostError


class MessageNotFound(KinpostError):
    """There is no such message, or it is not this token's."""

    CODE = "message:not_found"


class MessageClaimed(KinpostError):
    """The message is before a model request, or was seen by a committed turn."""

    CODE = "message:claimed"


class MessagingDisabled(KinpostError):
    """Agent messaging is switched off on the server."""

    CODE = "send_message:disabled"


class InvalidArguments(KinpostError):
    """The tool's arguments are missing, unknown or of the wrong type."""

    CODE = "send_message:invalid_arguments"


class InvalidBody(KinpostError):
    """The body is empty, too long, or not text."""

    CODE = "send_message:invalid_body"


class UnknownSession(KinpostError):
    """No session has this UUID."""

    CODE = "send_message:unknown_session"


class UnknownReference(KinpostError):
    """The reference is no handle of the sender's tree; the text lists whom the sender may write to."""

    CODE = "send_message:unknown_reference"


class NotTreePeer(KinpostError):
    """The recipient is in another delegation tree."""

    CODE = "send_message:not_tree_peer"


class SelfSend(KinpostError):
    """A session cannot message itself."""

    CODE = "send_message:self_send"


class InboxFull(KinpostError):
    """The recipient has as many pending agent messages as it may have; try again when it has read some."""

    CODE = "send_message:inbox_full"
    RETRYABLE = True


class InflightFull(KinpostError):
    """Too many messages of this sender to this recipient are unread; try again when it has read some."""

    CODE = "send_message:inflight_full"
    RETRYABLE = True


class MaxHopsExceeded(KinpostError):
    """The chain of agent messages is as long as it may become."""

    CODE = "send_message:max_hops_exceeded"


class EngineShutdown(KinpostError):
    """The server is shutting down."""

    CODE = "send_message:engine_shutdown"
    RETRYABLE = TRANSIENT = True


class PermissionDenied(KinpostError):
    """The agent's message rules deny this."""

    CODE = "permission:denied"


class PluginBlocked(KinpostError):
    """A plugin blocked this tool call."""

    CODE = "plugin:blocked"


class PluginFailed(KinpostError):
    """A plugin that is to judge this tool call did not answer."""

    CODE = "plugin:no_answer"
    RETRYABLE = True


class ApprovalNotFound(KinpostError):
    """There is no such approval, or it is not the session's."""

    CODE = "approval:not_found"


class TooManyApprovals(KinpostError):
    """The session has as many questions before people as it may have; try again when one is answered."""

    CODE = "approval:too_many"
    RETRYABLE = True


class ApprovalDenied(PermissionDenied):
    """A person was asked and refused."""

    CODE = "approval:denied"


class ApprovalExpired(KinpostError):
    """A person was asked, and nobody answered in time."""

    CODE = "approval:expired"


class ApprovalCancelled(KinpostError):
    """A person was asked, and the asking run ended first."""

    CODE = "approval:cancelled"


class ApprovalPending(KinpostError):
    """A person was asked and has not answered yet; repeat the same call to learn the answer."""

    CODE = "client:approval_pending"

    def __init__(self, approval_id: str, expire_time: datetime | None) -> None:
        super().__init__()
        self.approval_id = approval_id
        self.expire_time = expire_time


class ProducerInboxFull(KinpostError):
    """The session has as many pending messages of people and plugins as it may have."""

    CODE = "producer:inbox_full"
    RETRYABLE = True


class ProducerNotFound(KinpostError):
    """There is no such registration of this plugin's in the session; register again."""

    CODE = "producer:not_found"


class TooManyProducers(KinpostError):
    """The session has as many registered producers as it may have."""

    CODE = "producer:too_many"
    RETRYABLE = True


class UnknownTool(KinpostError):
    """There is no such tool."""

    CODE = "tool:unknown"
