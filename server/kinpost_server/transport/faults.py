"""Errors that are nobody's business but the server's: into its log, under an id that the caller is told."""

from __future__ import annotations

import secrets

import structlog

from kinpost_server.engine.accident import facts_of

log = structlog.get_logger(__name__)


def log_internal(failure: BaseException) -> str:
    """Log an error, without its own words, and return the id by which it is found."""
    error_id = secrets.token_hex(8)
    log.error("internal_error", error_id=error_id, **facts_of(failure))
    return error_id
