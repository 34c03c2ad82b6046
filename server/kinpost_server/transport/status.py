"""The error table: one row for each refusal, and how a refusal travels over gRPC.

A class without a row of its own has that of its nearest ancestor with one. What has none is INTERNAL, without any
text from inside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote

from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc import StatusCode

from kinpost_server.domain import errors, peer_errors

DOMAIN = "kinpost"
DETAILS_BYTES_MAX = 1024
METADATA_VALUE_CHARACTERS_MAX = 200
# A client of gRPC takes 8 KiB of trailing metadata unless told otherwise. The text is in it twice: percent-encoded, and
# in the details, which peers without raw binary headers get as base64. The rest is headroom for what gRPC adds.
TRAILER_BYTES_MAX = 7400
INTERNAL_CODE = "server:internal"
_TEXT_SAFE = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")

Trailers = tuple[tuple[str, bytes], ...]


class Row(NamedTuple):
    """How one refusal is told. `repeatable`: repeating the request unchanged is safe, and may help."""

    grpc_code: StatusCode
    http_status: int
    repeatable: bool = False


class Told(NamedTuple):
    """A refusal as gRPC carries it."""

    grpc_code: StatusCode
    text: str
    trailers: Trailers
    code: str


_INVALID = Row(StatusCode.INVALID_ARGUMENT, 400)
_NOT_FOUND = Row(StatusCode.NOT_FOUND, 404)
_DENIED = Row(StatusCode.PERMISSION_DENIED, 403)
_PRECONDITION = Row(StatusCode.FAILED_PRECONDITION, 409)
_EXISTS = Row(StatusCode.ALREADY_EXISTS, 409)
_ABORTED = Row(StatusCode.ABORTED, 409)
_FULL = Row(StatusCode.RESOURCE_EXHAUSTED, 429, repeatable=True)
_UNAVAILABLE = Row(StatusCode.UNAVAILABLE, 503, repeatable=True)

TABLE: dict[type[errors.Refusal], Row] = {
    errors.InvalidRequest: _INVALID,
    errors.RequestTooLarge: Row(StatusCode.RESOURCE_EXHAUSTED, 413),
    errors.RequestTimeout: Row(StatusCode.DEADLINE_EXCEEDED, 408),
    errors.UnsupportedVersion: Row(StatusCode.FAILED_PRECONDITION, 400),
    errors.Unauthenticated: Row(StatusCode.UNAUTHENTICATED, 401),
    errors.Forbidden: _DENIED,
    errors.IdempotencyConflict: _EXISTS,
    errors.SessionNotFound: _NOT_FOUND,
    errors.SessionExists: _EXISTS,
    errors.SessionNotOpen: _PRECONDITION,
    errors.SessionLogMoved: _PRECONDITION,
    errors.RunNotActive: _PRECONDITION,
    errors.RunLeaseLost: _PRECONDITION,
    errors.RunCancelled: _PRECONDITION,
    errors.RunAlreadyActive: _PRECONDITION,
    errors.RuntimeReplaced: _ABORTED,
    errors.ClaimLost: _ABORTED,
    errors.ClaimOutstanding: _PRECONDITION,
    errors.WakeSettled: _ABORTED,
    errors.MessageNotFound: _NOT_FOUND,
    errors.MessageClaimed: _PRECONDITION,
    errors.MessagingDisabled: _PRECONDITION,
    errors.InvalidArguments: _INVALID,
    errors.InvalidBody: _INVALID,
    errors.UnknownSession: _NOT_FOUND,
    errors.UnknownReference: _NOT_FOUND,
    errors.NotTreePeer: _DENIED,
    errors.SelfSend: _INVALID,
    errors.InboxFull: _FULL,
    errors.InflightFull: _FULL,
    errors.MaxHopsExceeded: _PRECONDITION,
    errors.EngineShutdown: _UNAVAILABLE,
    errors.ShuttingDown: _UNAVAILABLE,
    errors.PermissionDenied: _DENIED,
    errors.PluginBlocked: _DENIED,
    errors.PluginFailed: _UNAVAILABLE,
    errors.ApprovalNotFound: _NOT_FOUND,
    errors.TooManyApprovals: _FULL,
    errors.ApprovalDenied: _DENIED,
    errors.ApprovalExpired: _PRECONDITION,
    errors.ApprovalCancelled: _ABORTED,
    errors.TooManySessions: Row(StatusCode.RESOURCE_EXHAUSTED, 429, repeatable=False),
    errors.ProducerNotFound: _NOT_FOUND,
    errors.TooManyProducers: _FULL,
    errors.ProducerInboxFull: _FULL,
    errors.UnknownTool: _NOT_FOUND,
    errors.TokenNotFound: _NOT_FOUND,
    errors.CursorOutOfRange: Row(StatusCode.OUT_OF_RANGE, 416),
    errors.CursorExpired: Row(StatusCode.OUT_OF_RANGE, 410),
    errors.OtherLog: Row(StatusCode.OUT_OF_RANGE, 409),
    errors.Overloaded: Row(StatusCode.RESOURCE_EXHAUSTED, 503, repeatable=True),
    errors.StorageUnavailable: _UNAVAILABLE,
    peer_errors.InvalidPayload: _INVALID,
    peer_errors.TldrRequired: _INVALID,
    peer_errors.RateLimited: _FULL,
    peer_errors.TargetNotFound: _NOT_FOUND,
    peer_errors.TurnInFlight: _ABORTED,
    peer_errors.NeedsConfirmation: _PRECONDITION,
    peer_errors.DuplicateInFlight: _ABORTED,
    peer_errors.UserClosed: _PRECONDITION,
    peer_errors.WakeFailed: Row(StatusCode.INTERNAL, 500),
    peer_errors.SendFailed: Row(StatusCode.INTERNAL, 500),
    peer_errors.NotYourMessages: _DENIED,
    peer_errors.Retired: Row(StatusCode.UNIMPLEMENTED, 410),
}


def row_of(refusal: type[BaseException]) -> Row | None:
    """Return the row of a class or of its nearest ancestor that has one."""
    for ancestor in refusal.__mro__:
        row = TABLE.get(ancestor)
        if row is not None:
            return row
    return None


def told(refusal: errors.Refusal) -> Told | None:
    """Return what the caller is told of a refusal, or None when the table has no row for it."""
    row = row_of(type(refusal))
    if row is None:
        return None
    metadata = {"code": refusal.code}
    if refusal.field:
        metadata["field"] = refusal.field
    metadata.update((name, value) for name, value in refusal.metadata.items() if name not in metadata)
    seconds = refusal.retry_after_seconds
    return _told(row.grpc_code, refusal.code, refusal.text, metadata, seconds, refusal.text_that)


def told_internal(error_id: str) -> Told:
    """Return what the caller is told of an error that is nobody's business but the server's."""
    return _told(
        StatusCode.INTERNAL,
        INTERNAL_CODE,
        f"{INTERNAL_CODE}: an error inside the server, in its log as {error_id}",
        {"code": INTERNAL_CODE, "error_id": error_id},
        None,
    )


def _told(
    grpc_code: StatusCode,
    code: str,
    text: str,
    metadata: dict[str, str],
    retry_after_seconds: float | None,
    text_that: Callable[[Callable[[str], bool]], str] | None = None,
) -> Told:
    details = _details(code, metadata, retry_after_seconds)
    number: int = grpc_code.value[0]
    room = TRAILER_BYTES_MAX - _base64_bytes(sum(detail.ByteSize() for detail in details) + 64)
    if text_that is not None:
        text = text_that(lambda candidate: _fits(candidate, room))
    text = fitted(text, room)
    status = status_pb2.Status(code=number, message=text, details=details)
    return Told(grpc_code, text, (("grpc-status-details-bin", status.SerializeToString()),), code)


def _details(code: str, metadata: dict[str, str], retry_after_seconds: float | None) -> list[any_pb2.Any]:
    """Return at most 1 KiB of details; metadata that does not fit is left out, the last first."""
    info = error_details_pb2.ErrorInfo(
        reason=code.upper().replace(":", "_"),
        domain=DOMAIN,
        metadata={name: _cut(value) for name, value in metadata.items()},
    )
    messages: list[error_details_pb2.ErrorInfo | error_details_pb2.RetryInfo] = [info]
    if retry_after_seconds is not None:
        delay = duration_pb2.Duration()
        delay.FromNanoseconds(max(0, int(retry_after_seconds * 1_000_000_000)))
        messages.append(error_details_pb2.RetryInfo(retry_delay=delay))
    names = list(metadata)
    while True:
        packed = []
        for message in messages:
            detail = any_pb2.Any()
            detail.Pack(message)
            packed.append(detail)
        if sum(detail.ByteSize() for detail in packed) <= DETAILS_BYTES_MAX or not names:
            return packed
        del info.metadata[names.pop()]


def _cut(value: str) -> str:
    """Return a metadata value in bounds, without what has no UTF-8."""
    safe = value.encode("utf-8", "replace").decode()
    if len(safe) <= METADATA_VALUE_CHARACTERS_MAX:
        return safe
    return f"{safe[: METADATA_VALUE_CHARACTERS_MAX - 1]}…"


def fitted(text: str, room: int) -> str:
    """Return the text, or its beginning and `…`, so that it takes at most `room` bytes of the trailers.

    What has several lines is cut after a line.
    """
    text = text.encode("utf-8", "replace").decode()
    if _fits(text, room):
        return text
    kept = room - _cost("\n…")
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if _cost(text[:middle]) <= kept:
            low = middle
        else:
            high = middle - 1
    start = text[:low]
    end = start.rfind("\n")
    return f"{start[:end]}\n…" if end > 0 else f"{start}…"


def _fits(text: str, room: int) -> bool:
    return len(text) * 18 <= room or _cost(text.encode("utf-8", "replace").decode()) <= room  # 18: none costs more


def _cost(text: str) -> int:
    """Return what a text takes in the trailers: once percent-encoded, once in base64."""
    return len(quote(text, safe=_TEXT_SAFE)) + _base64_bytes(len(text.encode()))


def _base64_bytes(size: int) -> int:
    return (size + 2) // 3 * 4
