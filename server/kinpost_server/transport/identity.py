"""Who calls, and in which version of the protocol: what the metadata of a call says."""

from __future__ import annotations

from collections.abc import Iterable

from kinpost.v1 import PROTOCOL_VERSION

from kinpost_server.domain.errors import Unauthenticated, UnsupportedVersion

PROTOCOL_VERSION_MIN = 19  # the oldest that this server still serves
VERSION_KEY = "kinpost-protocol-version"
_SERVED = frozenset(str(version) for version in range(PROTOCOL_VERSION_MIN, PROTOCOL_VERSION + 1))
_SECRET_CHARACTERS_MAX = 256
_VERSION_CHARACTERS_SHOWN = 20


def read_metadata(metadata: Iterable[tuple[str, str | bytes]] | None) -> str:
    """Return the `authorization` header, empty when there is none.

    Raises UnsupportedVersion when the client says that it speaks a version which is not served here.
    """
    authorization = ""
    for key, value in metadata or ():
        if key == "authorization":
            authorization = value if isinstance(value, str) else ""
        elif key == VERSION_KEY and value not in _SERVED:
            raise _unsupported(value)
    return authorization


def secret_of(authorization: str) -> str:
    """Return the bearer token of an `authorization` header. Raises Unauthenticated."""
    scheme, _, secret = authorization.partition(" ")
    if scheme != "Bearer" and scheme.lower() != "bearer":
        raise Unauthenticated
    if not 0 < len(secret) <= _SECRET_CHARACTERS_MAX:
        raise Unauthenticated
    return secret


def _unsupported(value: str | bytes) -> UnsupportedVersion:
    shown = value if isinstance(value, str) else value.decode("ascii", "replace")
    shown = shown[:_VERSION_CHARACTERS_SHOWN]
    served = (
        f"version {PROTOCOL_VERSION}"
        if PROTOCOL_VERSION_MIN == PROTOCOL_VERSION
        else f"versions {PROTOCOL_VERSION_MIN} to {PROTOCOL_VERSION}"
    )
    return UnsupportedVersion(
        f"the client speaks version {shown!r} of the protocol, this server {served}",
        metadata={
            "client_version": shown,
            "server_version": str(PROTOCOL_VERSION),
            "server_version_min": str(PROTOCOL_VERSION_MIN),
        },
    )
