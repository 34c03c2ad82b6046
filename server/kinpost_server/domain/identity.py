"""Who calls, and what a token is for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class TokenKind(IntEnum):
    """What a token is for."""

    ADMIN = 1
    RUNTIME = 2
    SESSION = 3
    OBSERVER = 4
    APPROVER = 5
    PLUGIN = 6
    PEER = 7


@dataclass(slots=True, frozen=True)
class Token:
    """A token without its secret; `secret_digest` is the SHA-256 of it."""

    token_id: str
    kind: TokenKind
    plugin_name: str
    session_ids: tuple[str, ...]
    secret_digest: bytes
    create_time: int
    expire_time: int | None = None
    revoke_time: int | None = None

    def valid_at(self, now: int) -> bool:
        """Whether it still opens the door."""
        return self.revoke_time is None and (self.expire_time is None or now < self.expire_time)


@dataclass(slots=True, frozen=True)
class Caller:
    """Whoever makes a request, as its token says."""

    token_id: str
    kind: TokenKind
    session_ids: frozenset[str] = frozenset()
    plugin_name: str = ""

    @property
    def is_person(self) -> bool:
        """Whether what it does counts as a person's doing."""
        return self.kind in (TokenKind.ADMIN, TokenKind.APPROVER)


SERVICE = Caller("", TokenKind.ADMIN)
