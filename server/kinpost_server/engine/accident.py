"""What the log says of an error that nobody foresaw: what kind, and where. Not its own words: they may hold a body."""

from __future__ import annotations

from traceback import format_tb

KINDS_MAX = 8


def facts_of(failure: BaseException) -> dict[str, object]:
    """Return the kinds of an error and of what led to it, and the places that it came through, with their code."""
    kinds: list[str] = []
    cause: BaseException | None = failure
    while cause is not None and len(kinds) < KINDS_MAX:
        kinds.append(f"{type(cause).__module__}.{type(cause).__qualname__}")
        cause = cause.__cause__ or cause.__context__
    return {"kinds": kinds, "where": "".join(format_tb(failure.__traceback__))}
