"""Tokens, for an admin: who may call, and for what."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from datetime import datetime
from uuid import uuid4

from kinpost.v1 import admin_service_pb2, token_pb2

from kinpost_client import convert
from kinpost_client.calls import Calls
from kinpost_client.records import NewToken, Token
from kinpost_client.terms import TokenKindName


class Tokens:
    """What an admin does with tokens; `client.tokens` is it. Others get Forbidden."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def create(
        self,
        kind: TokenKindName,
        *,
        session_ids: Iterable[str] = (),
        plugin_name: str = "",
        expire_time: datetime | None = None,
    ) -> NewToken:
        """Make a token and return its secret, which is shown this once.

        `session_ids`: exactly one for `session`, 1 to 1000 for `peer`. `plugin_name`: for `plugin`. Raises
        InvalidRequest, Forbidden, SessionNotFound.
        """
        request = admin_service_pb2.CreateTokenRequest(
            scope=token_pb2.TokenScope(kind=convert.token_kind(kind), plugin_name=plugin_name),
            session_ids=session_ids,
        )
        if expire_time is not None:
            request.expire_time.CopyFrom(convert.timestamp(expire_time))
        while True:
            request.client_token_id = str(uuid4())
            made = await self._calls.unary(self._calls.admin.CreateToken, request)
            if made.secret:
                return NewToken(made.token_id, made.secret)
            # The first answer was lost on its way, and its secret with it: nobody can use that token.
            await self.revoke(made.token_id)

    async def list(self) -> AsyncIterator[Token]:
        """Return all tokens, revoked ones included, in the order of their making."""
        request = admin_service_pb2.ListTokensRequest()
        while True:
            page = await self._calls.unary(self._calls.admin.ListTokens, request)
            for token in page.tokens:
                yield convert.token(token)
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def revoke(self, token_id: str) -> Token:
        """End a token at once. Safe to repeat. Raises TokenNotFound."""
        request = admin_service_pb2.RevokeTokenRequest(token_id=token_id)
        answer = await self._calls.unary(self._calls.admin.RevokeToken, request)
        return convert.token(answer.token)
