"""CreateToken, RevokeToken, and the book of all tokens that every call is checked against."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace

from kinpost_server.domain.errors import IdempotencyConflict, SessionNotFound, TokenNotFound, Unauthenticated
from kinpost_server.domain.identity import Caller, Token, TokenKind
from kinpost_server.engine.access import require
from kinpost_server.engine.command import Command
from kinpost_server.engine.view import View


def digest_of(secret: str) -> bytes:
    """Return what is stored of a secret."""
    return hashlib.sha256(secret.encode()).digest()


def new_secret() -> str:
    """Return a secret of 256 random bits."""
    return f"kinpost_{secrets.token_urlsafe(32)}"


class TokenBook:
    """All tokens, by the digest of their secret. Replaced entries are seen by the next call."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._by_digest: dict[bytes, Token] = {}
        self._by_id: dict[str, Token] = {}
        self._callers: dict[bytes, Caller] = {}
        for token in tokens:
            self.put(token)

    def __len__(self) -> int:
        return len(self._by_id)

    def put(self, token: Token) -> None:
        """Take a token in, or its new version; what was revoked stays so, whenever an older version comes by."""
        known = self._by_id.get(token.token_id)
        if known is not None and known.revoke_time is not None and token.revoke_time is None:
            return
        if known is not None and known.secret_digest != token.secret_digest:
            del self._by_digest[known.secret_digest], self._callers[known.secret_digest]
        self._by_id[token.token_id] = token
        self._by_digest[token.secret_digest] = token
        self._callers[token.secret_digest] = Caller(
            token.token_id, token.kind, frozenset(token.session_ids), token.plugin_name
        )

    def get(self, token_id: str) -> Token | None:
        """Return a token by its id."""
        return self._by_id.get(token_id)

    def all(self) -> list[Token]:
        """Return all tokens in the order of their making."""
        return sorted(self._by_id.values(), key=lambda token: (token.create_time, token.token_id))

    def caller_of(self, secret: str, now: int) -> Caller:
        """Return who a secret belongs to. Raises Unauthenticated."""
        digest = digest_of(secret)
        token = self._by_digest.get(digest)
        if token is None or not token.valid_at(now):
            raise Unauthenticated
        return self._callers[digest]


@dataclass(slots=True)
class CreateToken(Command[tuple[str, str]]):
    """Make a token and return its id and secret; a repeat with the same content returns no secret."""

    caller: Caller
    token_id: str
    kind: TokenKind
    plugin_name: str = ""
    session_ids: tuple[str, ...] = ()
    expire_time: int | None = None

    def load(self, view: View) -> None:
        view.hold_token(self.token_id)
        for session_id in self.session_ids:
            view.want_session(session_id)

    def decide(self, view: View) -> tuple[str, str]:
        require(self.caller)
        existing = view.token(self.token_id)
        if existing is not None:
            asked = (self.kind, self.plugin_name, self.session_ids, self.expire_time)
            if asked != (existing.kind, existing.plugin_name, existing.session_ids, existing.expire_time):
                raise IdempotencyConflict("this client_token_id made another token before")
            return self.token_id, ""
        for session_id in self.session_ids:
            session = view.session(session_id)
            if session is None or session.deleted:
                raise SessionNotFound(f"session_ids: there is no session {session_id}")
        secret = new_secret()
        view.put_token(
            Token(
                self.token_id,
                self.kind,
                self.plugin_name,
                self.session_ids,
                digest_of(secret),
                view.now,
                self.expire_time,
            )
        )
        return self.token_id, secret


@dataclass(slots=True)
class RevokeToken(Command[Token]):
    """End a token at once; one that was revoked before stays so."""

    caller: Caller
    token_id: str

    def load(self, view: View) -> None:
        view.hold_token(self.token_id)

    def decide(self, view: View) -> Token:
        require(self.caller)
        token = view.token(self.token_id)
        if token is None:
            raise TokenNotFound
        if token.revoke_time is None:
            token = replace(token, revoke_time=view.now)
            view.put_token(token)
        return token
