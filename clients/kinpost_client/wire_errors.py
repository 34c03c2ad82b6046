"""From a gRPC failure to the exception that it means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from kinpost_client.errors import REFUSALS, DeadlineExceeded, KinpostError, Unreachable

DETAILS_KEY = "grpc-status-details-bin"
DOMAIN = "kinpost"
# Without details a call was cut off, not refused. Every call carries an identity, so that repeating it is safe.
CUT_OFF = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)


class FailedCall(Protocol):
    """What gRPC raises, from its synchronous stubs and its asynchronous ones."""

    def code(self) -> grpc.StatusCode:
        """Return the status."""

    def details(self) -> str | None:
        """Return the text."""

    def trailing_metadata(self) -> Iterable[tuple[str, str | bytes]] | None:
        """Return what came after the status."""


def kinpost_error(error: FailedCall) -> KinpostError:
    """Return the exception that a failed call means.

    The class is found by the stable code in the failure's `ErrorInfo`; an unknown code gives `KinpostError` itself. A
    failure without one did not come from a Kinpost server's own table: then the gRPC code tells.
    """
    status = _details(error.trailing_metadata())
    info = error_details_pb2.ErrorInfo()
    delay = error_details_pb2.RetryInfo()
    for detail in status.details:
        if detail.Is(info.DESCRIPTOR):
            detail.Unpack(info)
        elif detail.Is(delay.DESCRIPTOR):
            detail.Unpack(delay)
    text = error.details() or ""
    if info.domain != DOMAIN or not info.metadata.get("code"):
        return _without_details(error.code(), text)
    code = info.metadata["code"]
    cls = REFUSALS.get(code)
    return (cls or KinpostError)(
        text or code,
        code=code,
        transient=error.code() is grpc.StatusCode.UNAVAILABLE if cls is None else None,
        retry_after_seconds=delay.retry_delay.ToTimedelta().total_seconds() if delay.HasField("retry_delay") else None,
        metadata=info.metadata,
    )


def _details(metadata: Iterable[tuple[str, str | bytes]] | None) -> status_pb2.Status:
    for key, value in metadata or ():
        if key == DETAILS_KEY and isinstance(value, bytes):
            try:
                return status_pb2.Status.FromString(value)
            except DecodeError:
                break
    return status_pb2.Status()


def _without_details(code: grpc.StatusCode, text: str) -> KinpostError:
    if code in CUT_OFF:
        return Unreachable(f"{Unreachable.CODE}: {text}" if text else "")
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return DeadlineExceeded()
    name = code.name.lower()
    return KinpostError(f"grpc:{name}: {text}", code=f"grpc:{name}")
