"""The identity of a tool call: unique within its run, though some models use an id again."""

from __future__ import annotations

from hashlib import sha256

TOOL_CALL_ID_BYTES_MAX = 256


def tool_call_id_of(claim_seq: int, model_id: str) -> str:
    """Return the id that the service knows a model's tool call by: the turn, then the model's own id.

    The turn is named by its claim and not by its number, which begins anew when a runtime resumes a run after a crash.
    An id that would be longer than 256 bytes is replaced by its digest.
    """
    prefix = f"{claim_seq}:"
    data = model_id.encode("utf-8", "replace")
    if len(prefix) + len(data) > TOOL_CALL_ID_BYTES_MAX:
        return f"{prefix}sha256-{sha256(data).hexdigest()}"
    return prefix + model_id
