"""What any call can be refused with, and what can befall it."""

from __future__ import annotations

from kinpost_client.errors.base import KinpostError


class InvalidRequest(KinpostError):
    """The request is not well formed; `field` names what is wrong."""

    CODE = "request:invalid"

    @property
    def field(self) -> str:
        """The field, as the contract spells it; empty when the server named none."""
        return self.metadata.get("field", "")


class RequestTooLarge(KinpostError):
    """The request is larger than the server reads."""

    CODE = "request:too_large"


class RequestTimeout(KinpostError):
    """The body of the request did not come in time."""

    CODE = "request:timeout"


class UnsupportedVersion(KinpostError):
    """The server does not speak this client's version of the protocol."""

    CODE = "protocol:unsupported_version"


class Unauthenticated(KinpostError):
    """A bearer token is needed, and the given one is missing, unknown, expired or revoked."""

    CODE = "auth:unauthenticated"


class Forbidden(KinpostError):
    """The token's scope does not cover this call."""

    CODE = "auth:forbidden"


class IdempotencyConflict(KinpostError):
    """The same identity was used before with other content."""

    CODE = "idempotency:conflict"


class ShuttingDown(KinpostError):
    """The server is shutting down."""

    CODE = "server:shutting_down"
    RETRYABLE = TRANSIENT = True


class TokenNotFound(KinpostError):
    """There is no such token."""

    CODE = "token:not_found"


class CursorOutOfRange(KinpostError):
    """The cursor lies beyond the end of the log."""

    CODE = "events:cursor_out_of_range"


class CursorExpired(KinpostError):
    """The cursor is older than the events that are kept."""

    CODE = "events:cursor_expired"


class OtherLog(KinpostError):
    """The cursor belongs to another log: the server was restored, or is another one."""

    CODE = "events:other_log"


class Overloaded(KinpostError):
    """The server has as much waiting as it takes."""

    CODE = "server:overloaded"
    RETRYABLE = TRANSIENT = True


class InternalError(KinpostError):
    """An error inside the server; the text names the entry of its log."""

    CODE = "server:internal"


class StorageUnavailable(KinpostError):
    """The server's store does not answer; repeating the call tells whether it was carried out."""

    CODE = "storage:unavailable"
    RETRYABLE = TRANSIENT = True


class Unreachable(KinpostError):
    """No server answers at the target, or the connection broke before the answer."""

    CODE = "client:unreachable"
    RETRYABLE = TRANSIENT = True


class DeadlineExceeded(KinpostError):
    """The server did not answer in time."""

    CODE = "client:deadline_exceeded"
    RETRYABLE = TRANSIENT = True
