"""A token that was revoked or has expired opens nothing; what it had open ends, of every kind and also in silence."""

from __future__ import annotations

import asyncio
import datetime as dt

import pytest
from calls import SERVICES, fresh
from gatekeeper import Gatekeeper
from kinpost.v1 import token_pb2
from mail import advance, two
from uuid_utils import uuid4

HEARTBEATS = {"events": {"heartbeat_seconds": 0.1}, "delivery": {"heartbeat_seconds": 0.1}}
STREAMS = {"SubscribeEvents": "observer", "AttachRuntime": "runtime", "InterceptToolCalls": "plugin"}


async def opened(client, rpc):
    """Open a stream, wait until it stands, and return what raises when it ends."""
    if rpc == "SubscribeEvents":
        stream = client.subscribe(all=True, from_now=True)
        await stream.next()
        return stream.ended
    if rpc == "AttachRuntime":
        return (await client.attach()).ended
    return (await Gatekeeper(client).begin()).status


@pytest.mark.parametrize("overrides", [HEARTBEATS])
@pytest.mark.parametrize("how", ["revoked", "expired"])
@pytest.mark.parametrize("rpc", STREAMS)
async def test_a_quiet_stream_ends_with_its_token(server, refused, rpc, how):
    more = {}
    if how == "expired":
        more["expire_time"] = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=600)
    client = await server.make_token(STREAMS[rpc], **more)
    ended = await opened(client, rpc)
    if how == "revoked":
        await server.revoke(client.token_id)
    else:
        advance(server, 601, sweep=False)
    with refused("auth:unauthenticated"):
        await ended()
    with refused("auth:unauthenticated"):
        await (await opened(client, rpc))()


def test_each_kind_of_stream_is_asked():
    streams = {m.name for s in SERVICES.values() for m in s.methods if m.server_streaming}
    assert streams == set(STREAMS)


@pytest.mark.parametrize("overrides", [HEARTBEATS])
async def test_a_plugin_whose_token_ended_holds_no_call_up(server, runtime, refused):
    """Its stream is gone before a call comes, and who is not configured gates only while attached."""
    _, child, run = await two(runtime)
    plugin = await server.make_token("plugin")
    guard = await Gatekeeper(plugin).begin()
    await server.revoke(plugin.token_id)
    with refused("auth:unauthenticated"):
        await guard.status()
    assert await runtime.send(run, child)


async def test_a_repeat_after_revocation_gets_no_first_answer(server, runtime, refused):
    """Nor does another token, but for one of the same session, which is the same sender."""
    parent, child, run = await two(runtime)
    token = await server.make_token("session", parent.session_id)
    call = {"tool_call_id": fresh("call"), "body": "hello"}
    first = await token.send(run, child, **call)
    await server.revoke(token.token_id)
    with refused("auth:unauthenticated"):
        await token.send(run, child, **call)
    for other in (await server.make_token("runtime"), await server.make_token("session", child.session_id)):
        with refused("session:not_found"):
            await other.send(run, child, **call)
    again = await (await server.make_token("session", parent.session_id)).send(run, child, **call)
    assert (again.message_id, again.replayed) == (first.message_id, True)


async def test_a_revoked_tokens_id_cannot_be_taken_for_a_new_secret(server, refused):
    """CreateToken repeated under the same id tells no secret, before and after the token's end."""
    made = await server.make_token("observer")
    scope = token_pb2.TokenScope(kind=token_pb2.TOKEN_KIND_OBSERVER)
    for _ in range(2):
        again = await server.admin.admin.CreateToken(client_token_id=made.token_id, scope=scope)
        assert (again.token_id, again.secret) == (made.token_id, "")
        await server.revoke(made.token_id)
    with refused("auth:unauthenticated"):
        await made.sessions.ListSessions()


@pytest.mark.parametrize("overrides", [{"server": {"batch_commands_max": 1}}], ids=["a commit each"])
async def test_of_many_makers_of_one_token_one_gets_a_secret_and_it_is_the_tokens(server):
    """Each is decided before the one who takes answers in has heard of the one before."""
    for _ in range(5):
        made = {"scope": token_pb2.TokenScope(kind=token_pb2.TOKEN_KIND_OBSERVER), "client_token_id": str(uuid4())}
        answers = await asyncio.gather(*(server.admin.admin.CreateToken(**made) for _ in range(20)))
        (secret,) = {answer.secret for answer in answers if answer.secret}
        assert [answer.secret for answer in answers].count(secret) == 1
        await server.client(secret).log(all=True)
