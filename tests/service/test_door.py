"""What every call passes before it is handled: version, token, size, frame."""

from __future__ import annotations

import datetime as dt

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from kinpost.v1 import PROTOCOL_VERSION
from kinpost_server.transport.identity import PROTOCOL_VERSION_MIN
from uuid_utils import uuid4

SEND = "/kinpost.v1.MessagingService/SendMessage"
INFO = "/kinpost.v1.AdminService/GetServerInfo"
SUBSCRIBE = "/kinpost.v1.EventService/SubscribeEvents"


def bearer(secret):
    return ("authorization", f"Bearer {secret}")


async def raw(client, path, data=b"", *metadata, stream=False):
    """Call with bytes as they are; return bytes, of a stream the first."""
    if stream:
        call = client.channel.unary_stream(path)(data, metadata=metadata)
        first = await call.read()
        if first is not grpc.aio.EOF:
            call.cancel()
            return first
        return await call  # raises what it ended with
    return await client.channel.unary_unary(path)(data, metadata=metadata, timeout=60)


@pytest.mark.parametrize("path", [INFO, SEND, SUBSCRIBE])
async def test_an_unsupported_version_is_refused_before_anything_else(server, refused, path):
    nobody = server.client("")
    for version in ("18", "21", "0", "-1", "19.0", "x", "", "1" * 200):
        with refused("protocol:unsupported_version", grpc.StatusCode.FAILED_PRECONDITION) as told:
            await raw(nobody, path, b"\xff", ("kinpost-protocol-version", version), stream=path == SUBSCRIBE)
        assert f"versions {PROTOCOL_VERSION_MIN} to {PROTOCOL_VERSION}" in told.text
        assert version[:20] in told.text
        assert told.info.metadata["client_version"] == version[:20]
        assert told.info.metadata["server_version"] == str(PROTOCOL_VERSION)
        assert told.info.metadata["server_version_min"] == str(PROTOCOL_VERSION_MIN)


@pytest.mark.parametrize("version", [None, *range(PROTOCOL_VERSION_MIN, PROTOCOL_VERSION + 1)])
async def test_the_versions_from_the_oldest_to_the_own_and_none_are_served(server, wire, version):
    metadata = () if version is None else (("kinpost-protocol-version", str(version)),)
    info = wire.admin.GetServerInfoResponse.FromString(await raw(server.client(""), INFO, b"", *metadata))
    assert (info.protocol_version_min, info.protocol_version) == (PROTOCOL_VERSION_MIN, PROTOCOL_VERSION) == (19, 20)


async def test_the_server_tells_what_it_is_without_a_token(server):
    info = await server.client("").admin.GetServerInfo()
    assert info.log_id == server.engine.log_id
    assert info.request_bytes_max == 4 * 1024 * 1024
    now = dt.datetime.now(dt.UTC).timestamp()
    assert abs(info.server_time.seconds - now) < 60
    assert info.server_version


@pytest.mark.parametrize("path", [SEND, SUBSCRIBE])
async def test_without_a_good_token_there_is_one_answer(server, refused, path):
    headers = ("", "Bearer ", "Bearer kinpost_wrong", "Basic a2lucG9zdA==", "kinpost_wrong", f"Bearer {'x' * 4000}")
    attempts = [(("authorization", header),) for header in headers] + [(), (("authorization-bin", b"Bearer"),)]
    for metadata in attempts:
        with refused("auth:unauthenticated", grpc.StatusCode.UNAUTHENTICATED) as told:
            await raw(server.client(""), path, b"\xff", *metadata, stream=path == SUBSCRIBE)
        assert told.text == (
            "auth:unauthenticated: A bearer token is needed, and the given one is missing, unknown, expired or revoked."
        )


async def test_the_scheme_is_read_in_any_case(server, wire):
    metadata = ("authorization", f"bEARER {server.admin_secret}")
    answer = await raw(server.client(""), "/kinpost.v1.AdminService/ListTokens", b"", metadata)
    assert len(wire.admin.ListTokensResponse.FromString(answer).tokens) == 1


async def test_a_revoked_token_opens_nothing_from_then_on(server, refused):
    observer = await server.make_token("observer")
    watching = observer.subscribe(all=True, from_now=True)
    await watching.next()
    revoked = (await server.admin.admin.RevokeToken(token_id=observer.token_id)).token
    assert revoked.HasField("revoke_time")
    with refused("auth:unauthenticated"):
        await observer.sessions.ListSessions()
    # Its stream ends before it is given anything more.
    await server.admin.session()
    with refused("auth:unauthenticated"):
        while True:
            assert not (await watching.next()).events
    again = (await server.admin.admin.RevokeToken(token_id=observer.token_id)).token
    assert again == revoked


async def test_an_expired_token_opens_nothing(server, refused):
    past, future = Timestamp(seconds=1_000_000_000), Timestamp(seconds=4_000_000_000)
    expired = await server.make_token("observer", expire_time=past)
    with refused("auth:unauthenticated"):
        await expired.sessions.ListSessions()
    living = await server.make_token("observer", expire_time=future)
    await living.log(all=True)


async def test_a_request_that_is_too_large_has_a_stable_answer_and_breaks_nothing(server, refused, wire):
    admin = server.admin
    limit = server.settings.server.request_bytes_max

    def sized(size):
        request = wire.messaging.SendMessageRequest(session_id=str(uuid4()), body="x")
        request.body = "x" * (size - request.ByteSize() - 3 + 1)
        assert request.ByteSize() == size
        return request.SerializeToString()

    metadata = bearer(server.admin_secret)
    with refused("request:invalid", field="run_id"):  # of the largest size that is read
        await raw(admin, SEND, sized(limit), metadata)
    with refused("request:too_large", grpc.StatusCode.RESOURCE_EXHAUSTED) as told:
        await raw(admin, SEND, sized(limit + 1), metadata)
    assert told.text == f"request:too_large: the request has {limit + 1} bytes, at most {limit} are read"
    with pytest.raises(grpc.aio.AioRpcError) as caught:  # gRPC's own limit
        await raw(admin, SEND, b"x" * (5 * limit), metadata)
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await admin.admin.GetServerInfo()).request_bytes_max == limit


async def test_metadata_without_end_is_refused_and_breaks_nothing(server):
    nobody = server.client("")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await raw(nobody, INFO, b"", ("x-much", "x" * 100_000))
    assert caught.value.code() in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE)
    await nobody.admin.GetServerInfo()


async def test_bytes_that_are_no_request_are_invalid_and_the_field_is_named(server, refused):
    for data, field in (
        (b"\x2a\x02\xff\xfe", "body"),
        (b"\x0a\x01\x80", "session_id"),
        (b"\x0a\x7fabc", "session_id"),
        (b"\x07", "request"),
    ):
        with refused("request:invalid", grpc.StatusCode.INVALID_ARGUMENT, field=field):
            await raw(server.admin, SEND, data, bearer(server.admin_secret))


async def test_what_is_not_served_is_unimplemented(server):
    for path in (
        "/kinpost.v1.PeerService/Nothing",
        "/kinpost.v1.SessionService/Nothing",
        "/kinpost.v2.SessionService/GetSession",
        "/",
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await raw(server.admin, path, b"", bearer(server.admin_secret))
        assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED


async def test_an_error_inside_is_told_by_its_id_alone(server, refused, service_log, monkeypatch):
    async def broken(caller, session_id):
        raise KeyError("a secret of the inside")

    monkeypatch.setattr(server.engine, "get_session", broken)
    with refused("server:internal", grpc.StatusCode.INTERNAL) as told:
        await server.admin.sessions.GetSession(session_id=str(uuid4()))
    assert "secret" not in str(told.error)
    (entry,) = [entry for entry in service_log if entry["event"] == "internal_error"]
    service_log.remove(entry)
    assert entry["error_id"] == told.info.metadata["error_id"]
    assert entry["error_id"] in told.text
    assert entry["kinds"] == ["builtins.KeyError"]
    assert "session_handlers.py" in entry["where"]
    assert "secret" not in entry["where"].replace('raise KeyError("a secret of the inside")', "")


async def test_every_refusal_fits_a_client_with_default_limits(server, runtime, refused):
    """The longest text there is: fifty candidates, in letters that take nine bytes each on the wire."""
    parent = await runtime.session(rules={"child": "allow"})
    for _ in range(60):
        await runtime.session(parent, description="漢字" * 60)
    run = await runtime.run(parent)
    with refused("send_message:unknown_reference", grpc.StatusCode.NOT_FOUND) as told:
        await runtime.send(run, "nobody_00000000")
    assert told.text.startswith('unknown subagent reference "nobody_00000000"')
    assert len(told.text.splitlines()) > 5
    assert told.details_bytes <= 1024


@pytest.mark.parametrize("overrides", [{"limits": {"connections_max": 2}}])
async def test_there_are_only_so_many_connections(server):
    await server.admin.admin.GetServerInfo()
    second, third = server.client(""), server.client("")
    await second.admin.GetServerInfo()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await third.admin.GetServerInfo()
    assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
    await second.close()
    # The channel tries again by itself until there is room.
    assert (await third.channel.unary_unary(INFO)(b"", wait_for_ready=True, timeout=60)) is not None
