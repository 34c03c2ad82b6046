"""`kinpost tokens`: who may call, and for what."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated
from uuid import uuid4

import typer
from kinpost.v1 import admin_service_pb2, token_pb2
from kinpost.v1.token_pb2 import Token

from kinpost_cli.calls import Calls
from kinpost_cli.command import AsJson, connected, group
from kinpost_cli.endings import WrongUse, tell
from kinpost_cli.exit_codes import EPILOG
from kinpost_cli.naming import find_token, is_id, list_tokens, session_id_of
from kinpost_cli.output import Column, Output
from kinpost_cli.text import later, local_time, word, words

KINDS = token_pb2.DESCRIPTOR.enum_types_by_name["TokenKind"]
COLUMNS = (
    Column("token"),
    Column("kind"),
    Column("made"),
    Column("ends"),
    Column("for", cut=True),
)
NEEDED_SESSIONS = "--session: exactly one for session, one or more for peer, none for the others"

tokens = group("Who may call, and for what. Needs an admin's token.")


class Kind(StrEnum):
    """What a token is for."""

    ADMIN = "admin"
    RUNTIME = "runtime"
    SESSION = "session"
    OBSERVER = "observer"
    APPROVER = "approver"
    PLUGIN = "plugin"
    PEER = "peer"


@tokens.command("create", epilog=EPILOG)
@connected
def create(
    calls: Calls,
    kind: Annotated[Kind, typer.Argument(help="What it is for")],
    session: Annotated[
        list[str] | None,
        typer.Option(
            "--session",
            metavar="SESSION",
            help="The session that it acts as (session), or those that it acts for (peer, may be repeated): "
            "an id, a handle, or the beginning of either if only one fits",
        ),
    ] = None,
    plugin_name: Annotated[str, typer.Option("--plugin-name", help="For plugin: 1 to 64 of a-z, 0-9, _ and -")] = "",
    wait: Annotated[
        str | None, typer.Option("--expires-in", metavar="DURATION", help="How long it opens doors, as 12h or 30d")
    ] = None,
    until: Annotated[str | None, typer.Option("--expires-at", metavar="TIME", help="Until when, ISO 8601")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a token and print its secret, which is shown this once.

    The secret alone goes to standard output: TOKEN=$(kinpost tokens create runtime)
    """
    try:
        expire_time = later(wait, until)
    except ValueError as fault:
        raise WrongUse(f"--expires-in, --expires-at: {fault}") from None
    count = len(session or ())
    if (kind is Kind.SESSION and count != 1) or (kind is Kind.PEER and not count):
        raise WrongUse(NEEDED_SESSIONS)
    if count and kind not in (Kind.SESSION, Kind.PEER):
        raise WrongUse(NEEDED_SESSIONS)
    if bool(plugin_name) != (kind is Kind.PLUGIN):
        raise WrongUse("--plugin-name goes with plugin, and only with it")
    request = admin_service_pb2.CreateTokenRequest(
        client_token_id=str(uuid4()),
        scope=token_pb2.TokenScope(
            kind=token_pb2.TokenKind.ValueType(words(KINDS)[kind]),
            plugin_name=plugin_name,
        ),
        session_ids=[session_id_of(calls, name) for name in session or ()],
    )
    if expire_time is not None:
        request.expire_time.CopyFrom(expire_time)
    made = calls.unary(calls.admin.CreateToken, request)
    output = Output(as_json=as_json)
    if as_json:
        output.object(made)
        return
    output.line(made.secret)
    output.flush()
    ends = f", ends {local_time(expire_time)}" if expire_time is not None else ""
    tell(f"a token of kind {kind.value}, {made.token_id}{ends}; this is the only time that its secret is shown")


@tokens.command("list", epilog=EPILOG)
@connected
def list_(
    calls: Calls,
    everything: Annotated[bool, typer.Option("--all", help="Also those that were revoked")] = False,
    as_json: AsJson = False,
) -> None:
    """List tokens, without their secrets, in the order of their making."""
    found = [token for token in list_tokens(calls) if everything or not token.HasField("revoke_time")]
    output = Output(as_json=as_json)
    if as_json:
        for token in found:
            output.object(token)
    else:
        ids = output.ids(token.token_id for token in found)
        output.table(COLUMNS, (_row(output, token, ids[token.token_id]) for token in found))


@tokens.command("revoke", epilog=EPILOG)
@connected
def revoke(
    calls: Calls,
    name: Annotated[
        str, typer.Argument(metavar="TOKEN", help="Its id (not its secret), or the beginning of it if only one fits")
    ],
    as_json: AsJson = False,
) -> None:
    """End a token at once. Safe to repeat."""
    token_id = name.lower() if is_id(name) else find_token(calls, name).token_id
    request = admin_service_pb2.RevokeTokenRequest(token_id=token_id)
    revoked = calls.unary(calls.admin.RevokeToken, request).token
    output = Output(as_json=as_json)
    if as_json:
        output.object(revoked)
    else:
        output.line(f"{revoked.token_id}: revoked {local_time(revoked.revoke_time)}")


def _row(output: Output, token: Token, token_id: str) -> tuple[str, ...]:
    kind = word(KINDS, token.scope.kind)
    ends = output.time(token.expire_time) if token.HasField("expire_time") else "never"
    if token.HasField("revoke_time"):
        ends = f"revoked {output.time(token.revoke_time)}"
    return (
        token_id,
        f"{kind}:{token.scope.plugin_name}" if token.scope.plugin_name else kind,
        output.time(token.create_time),
        ends,
        " ".join(token.session_ids),
    )
