"""Answers: the contract's JSON, with its names and statuses."""

from __future__ import annotations

from datetime import UTC, datetime
from math import ceil
from typing import Any

from fastapi.responses import JSONResponse

from kinpost_server.domain.dead_letter import DeadLetter
from kinpost_server.domain.errors import Refusal, Unauthenticated
from kinpost_server.domain.peer import Delivery
from kinpost_server.domain.peer_errors import RateLimited, error_name
from kinpost_server.domain.summary import tokens_of
from kinpost_server.engine.peer_ports import Result, StoredBody
from kinpost_server.transport.faults import log_internal
from kinpost_server.transport.status import row_of

# The contract's names; of every other code the two parts are joined.
NAMES = {
    "auth:unauthenticated": "unauthorized",
    "auth:forbidden": "forbidden",
    "request:invalid": "invalid_request",
    "request:too_large": "payload_too_large",
    "server:overloaded": "overloaded",
    "server:shutting_down": "shutting_down",
}
DETAIL_CHARACTERS_MAX = 800


def name_of(refusal: Refusal) -> str:
    """Return the error's name."""
    return error_name(refusal.code) or NAMES.get(refusal.code) or refusal.code.replace(":", "_")


def refused(failure: Exception) -> JSONResponse:
    """Return the answer to a request that was refused, or that met an error inside."""
    row = row_of(type(failure))
    if not isinstance(failure, Refusal) or row is None:
        detail = f"an error inside the server, in its log as {log_internal(failure)}"
        return told(500, "internal_error", detail)
    body: dict[str, Any] = {"ok": False, "error": name_of(failure)}
    headers = {}
    if isinstance(failure, RateLimited):
        body["retryAfterMs"] = int(failure.metadata["retry_after_ms"])
    else:
        body["detail"] = failure.detail[:DETAIL_CHARACTERS_MAX].encode("utf-8", "replace").decode()
    if failure.retry_after_seconds is not None:
        headers["Retry-After"] = str(ceil(failure.retry_after_seconds))
    if isinstance(failure, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(body, row.http_status, headers)


def told(status: int, error: str, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return an answer that is no refusal of the engine's."""
    return JSONResponse({"ok": False, "error": error, "detail": detail}, status, headers)


def delivered(delivery: Delivery) -> dict[str, Any]:
    """Return what came of a message, in the contract's order; a repeat only adds `idempotent`."""
    body: dict[str, Any] = {"ok": True, "delivered": delivery.delivered}
    if delivery.queued:
        body["queued"] = True
    body["wokenFrom"] = delivery.woken_from
    if delivery.idempotent:
        body["idempotent"] = True
    return body


def broadcast(results: list[Result]) -> dict[str, Any]:
    """Return one result for each target."""
    again = any(result.delivery is not None and result.delivery.idempotent for result in results)
    body: dict[str, Any] = {"ok": True, "results": [_result(result) for result in results]}
    return {**body, "idempotent": True} if again else body


def _result(result: Result) -> dict[str, Any]:
    if result.delivery is None:
        return {"sessionId": result.session_id, "ok": False, "error": result.error, "detail": result.detail}
    told_of = delivered(result.delivery)
    told_of.pop("idempotent", None)  # said once, of the whole
    return {"sessionId": result.session_id, **told_of}


def size(stored: StoredBody) -> dict[str, Any]:
    """Return the size of a body."""
    return {"ok": True, "chars": len(stored.text), "tokens": tokens_of(stored.text)}


def sent(stored: StoredBody) -> dict[str, Any]:
    """Return a message as its sender reads it back."""
    return {
        "bodyId": stored.body_id,
        "targetSessionId": stored.target_session_id,
        "text": stored.text,
        "tldr": stored.tldr,
        "chars": len(stored.text),
        "tokens": tokens_of(stored.text),
        "sendTime": instant(stored.send_time),
    }


def dead_letter(letter: DeadLetter) -> dict[str, Any]:
    """Return a message that could not be delivered."""
    return {
        "deadLetterId": letter.dead_letter_id,
        "sourceSessionId": letter.source_session_id,
        "targetSessionId": letter.target_session_id,
        "text": letter.text,
        "tldr": letter.tldr,
        "reason": letter.reason.name.lower(),
        "detail": letter.detail,
        "createTime": instant(letter.create_time),
        "redeliverTime": None if letter.redeliver_time is None else instant(letter.redeliver_time),
    }


def instant(time: int) -> str:
    """Return an instant of microseconds as RFC 3339 has it, in UTC."""
    whole = datetime.fromtimestamp(time // 1_000_000, UTC).replace(microsecond=time % 1_000_000)
    return whole.isoformat(timespec="milliseconds").replace("+00:00", "Z")
