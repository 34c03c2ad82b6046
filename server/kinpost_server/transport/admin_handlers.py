"""AdminService: the server itself, and its tokens."""

from __future__ import annotations

import re
from importlib.metadata import version

from kinpost.v1 import PROTOCOL_VERSION
from kinpost.v1 import admin_service_pb2 as pb

from kinpost_server.domain.errors import InvalidRequest
from kinpost_server.domain.identity import Caller, TokenKind
from kinpost_server.engine.engine import Engine
from kinpost_server.engine.tokens import CreateToken, RevokeToken
from kinpost_server.transport import convert, fields
from kinpost_server.transport.cursor import id_of, page_token_of
from kinpost_server.transport.identity import PROTOCOL_VERSION_MIN
from kinpost_server.transport.rpc import Service

SERVER_VERSION = version("kinpost")
SESSIONS_MAX = 1000
_PLUGIN_NAME = re.compile(r"[a-z0-9_-]{1,64}")


class AdminHandlers(Service):
    """The RPCs of AdminService."""

    DESCRIPTOR = pb.DESCRIPTOR.services_by_name["AdminService"]
    WITHOUT_TOKEN = frozenset({"GetServerInfo"})

    def __init__(self, engine: Engine, request_bytes_max: int) -> None:
        self._engine = engine
        self._request_bytes_max = request_bytes_max

    async def GetServerInfo(self, caller: Caller, request: pb.GetServerInfoRequest) -> pb.GetServerInfoResponse:
        """Tell what server this is."""
        return pb.GetServerInfoResponse(
            protocol_version=PROTOCOL_VERSION,
            protocol_version_min=PROTOCOL_VERSION_MIN,
            server_version=SERVER_VERSION,
            log_id=self._engine.log_id,
            server_time=convert.timestamp(self._engine.clock.now()),
            request_bytes_max=self._request_bytes_max,
        )

    async def CreateToken(self, caller: Caller, request: pb.CreateTokenRequest) -> pb.CreateTokenResponse:
        """Make a token."""
        kind = fields.choice(request.scope.kind, "scope.kind", TokenKind)
        command = CreateToken(
            caller,
            fields.uuid(request.client_token_id, "client_token_id"),
            kind,
            _plugin_name(request, kind),
            _session_ids(request, kind),
            fields.time(request.expire_time, "expire_time") if request.HasField("expire_time") else None,
        )
        token_id, secret = await self._engine.execute(command)
        return pb.CreateTokenResponse(token_id=token_id, secret=secret)

    async def ListTokens(self, caller: Caller, request: pb.ListTokensRequest) -> pb.ListTokensResponse:
        """Return a page of tokens, without secrets."""
        tokens, place = await self._engine.list_tokens(
            caller, id_of(request.page_token), fields.page_size(request.page_size)
        )
        return pb.ListTokensResponse(
            tokens=[convert.token(token) for token in tokens], next_page_token=page_token_of(place)
        )

    async def RevokeToken(self, caller: Caller, request: pb.RevokeTokenRequest) -> pb.RevokeTokenResponse:
        """End a token at once."""
        token = await self._engine.execute(RevokeToken(caller, fields.uuid(request.token_id, "token_id")))
        return pb.RevokeTokenResponse(token=convert.token(token))


def _plugin_name(request: pb.CreateTokenRequest, kind: TokenKind) -> str:
    name = request.scope.plugin_name
    if kind is not TokenKind.PLUGIN:
        if name:
            raise InvalidRequest("scope.plugin_name", "goes only with PLUGIN")
        return ""
    if not _PLUGIN_NAME.fullmatch(name):
        raise InvalidRequest(
            "scope.plugin_name", "is missing" if not name else "must be 1 to 64 of a-z, 0-9, `_` and `-`"
        )
    return name


def _session_ids(request: pb.CreateTokenRequest, kind: TokenKind) -> tuple[str, ...]:
    """Return the sessions that a token is bound to, each once."""
    given = len(request.session_ids)
    if kind is TokenKind.SESSION:
        fields.few(given, "session_ids", least=1, most=1)
    elif kind is TokenKind.PEER:
        fields.few(given, "session_ids", least=1, most=SESSIONS_MAX)
    elif given:
        raise InvalidRequest("session_ids", "goes only with SESSION and PEER")
    session_ids = [fields.uuid(value, f"session_ids[{index}]") for index, value in enumerate(request.session_ids)]
    return tuple(dict.fromkeys(session_ids))
