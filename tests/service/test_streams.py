"""Streams: how many there may be, that they leave nothing behind, and that quiet ones live."""

from __future__ import annotations

import asyncio

import grpc
import pytest
from calls import Stream


async def came(condition) -> None:
    """Wait until a condition of this loop holds, looking after each turn of it."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.to_thread(lambda: None)


@pytest.mark.parametrize("overrides", [{"limits": {"streams_per_token_max": 3}}])
async def test_a_token_has_only_so_many_streams_and_another_has_its_own(server, refused):
    observer = await server.make_token("observer")
    held = [observer.subscribe(all=True) for _ in range(3)]
    for stream in held:
        await stream.next()
    with refused("server:overloaded", grpc.StatusCode.RESOURCE_EXHAUSTED) as told:
        await observer.subscribe(all=True).next()
    assert told.retry_seconds == 1.0
    await (await server.make_token("observer")).subscribe(all=True).next()
    held[0].cancel()
    await came(lambda: len(server.transport.door.streams) == 3)
    await observer.subscribe(all=True).next()


async def test_streams_that_were_cancelled_or_cut_off_leave_nothing_behind(server, service_log):
    observer = await server.make_token("observer")
    session = await server.admin.session()
    before = len(asyncio.all_tasks())

    async def come_and_go(number: int) -> None:
        if number % 3 == 0:
            client = server.client(observer.secret)
            await client.subscribe(session_id=session.session_id).next()
            await client.close()  # the connection drops
            server.clients.remove(client)
        elif number % 3 == 1:
            stream = observer.subscribe(all=True)
            await stream.next()
            stream.cancel()
        else:
            (await server.admin.attach()).cancel()

    for start in range(0, 90, 15):
        await asyncio.gather(*(come_and_go(number) for number in range(start, start + 15)))
    await came(lambda: server.transport.door.calls == 0)
    assert len(server.transport.door.streams) == 0
    assert server.engine._hub.watching == 0
    assert not server.engine._attached
    await came(lambda: len(asyncio.all_tasks()) <= before)
    assert [entry for entry in service_log if entry["log_level"] == "error"] == []


async def test_a_stream_that_was_refused_leaves_nothing_behind(server, refused):
    for _ in range(5):
        with refused("session:not_found"):
            await server.admin.subscribe(session_id="0190f1a2-1111-7abc-8def-0123456789ab").next()
    await came(lambda: server.transport.door.calls == 0)
    assert len(server.transport.door.streams) == 0


@pytest.mark.parametrize(
    "overrides", [{"events": {"heartbeat_seconds": 0.05}, "delivery": {"heartbeat_seconds": 0.05}}]
)
async def test_quiet_streams_say_that_they_live(server):
    watching = server.admin.subscribe(all=True, from_now=True)
    for _ in range(3):
        frame = await watching.until(lambda frame: frame.heartbeat)
        assert not frame.events
        assert frame.cursor
    attached = await server.admin.attach()
    for _ in range(3):
        await attached.told("heartbeat")
    assert attached.attached.heartbeat_interval.ToMilliseconds() == 50


@pytest.mark.parametrize(
    "overrides",
    [{"server": {"client_ping_seconds_min": 1.0}, "events": {"heartbeat_seconds": 6.0}}],
)
async def test_a_quiet_stream_survives_more_pings_than_strikes(server):
    """gRPC's own floor of 300 s would cut the connection off at the third of these pings.

    The server's own pings are far apart: a client that hears one sends none.
    """
    options = (
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.keepalive_time_ms", 1200),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
    )
    async with grpc.aio.insecure_channel(server.address, options=options) as channel:
        client = server.client(server.admin_secret)
        await client.channel.close()
        client.channel = channel
        rpc = channel.unary_stream(
            "/kinpost.v1.EventService/SubscribeEvents",
            request_serializer=lambda request: request,
            response_deserializer=len,
        )
        call = rpc(b"\x18\x01\x30\x01", metadata=(("authorization", f"Bearer {server.admin_secret}"),))
        stream = Stream(call)
        await stream.next()
        assert await stream.next() > 0  # the heartbeat, six seconds and five pings later
        call.cancel()


async def test_a_runtime_that_attaches_anew_takes_the_place_of_its_earlier_self(server, runtime, refused):
    first = await runtime.attach("the-runtime")
    second = await runtime.attach("the-runtime")
    with refused("runtime:replaced", grpc.StatusCode.ABORTED):
        await first.next()
    other = await server.make_token("runtime")
    with refused("auth:forbidden", grpc.StatusCode.PERMISSION_DENIED):
        await other.attach("the-runtime")
    second.cancel()


@pytest.mark.parametrize("overrides", [{"delivery": {"heartbeat_seconds": 0.05}}])
async def test_a_runtime_whose_token_is_revoked_is_told_nothing_more(server, runtime, refused):
    attached = await runtime.attach()
    await server.admin.admin.RevokeToken(token_id=runtime.token_id)
    with refused("auth:unauthenticated", grpc.StatusCode.UNAUTHENTICATED):
        await attached.ended()


async def test_events_are_framed_as_they_are_stored(server, wire):
    """A page and a subscription carry the same events, resume by cursor, and stay what they are."""
    admin = server.admin
    parent = await admin.session(rules={"child": "allow"})
    child = await admin.session(parent, description="漢字" * 100)
    run = await admin.run(parent)
    for size in (1, 127, 128, 16_383, 16_384, 32_768):
        await admin.send(run, child, "x" * size)
        await admin.finish(run, "FAILED")
        run = await admin.run(parent)
        await admin.commit(receiver := await admin.run(child), await admin.claim(receiver))
        await admin.finish(receiver)
    whole = await admin.log(root_session_id=parent.session_id)
    assert [event.position for event in whole] == sorted({event.position for event in whole})
    watching = admin.subscribe(root_session_id=parent.session_id)
    seen = await watching.events(len(whole))
    assert seen == whole
    middle = await admin.events.ListEvents(root_session_id=parent.session_id, page_size=7)
    assert list(middle.events) == whole[:7]
    resumed = admin.subscribe(root_session_id=parent.session_id, after_cursor=middle.cursor)
    assert await resumed.events(len(whole) - 7) == whole[7:]
    accepted = wire.events.EVENT_TYPE_PRODUCER_MESSAGE_ACCEPTED
    page = await admin.events.ListEvents(session_id=child.session_id, event_types=[accepted])
    assert [len(event.producer_message_accepted.body) for event in page.events] == [1, 127, 128, 16383, 16384, 32768]
    after = await admin.events.ListEvents(session_id=child.session_id, after_seq=page.events[-1].seq, page_size=1)
    assert after.events[0].seq == page.events[-1].seq + 1


async def test_cursors_that_fit_nothing_are_refused(server, refused):
    from kinpost_server.transport.cursor import cursor_of

    beyond = cursor_of(server.engine.log_id, 10**9)
    elsewhere = cursor_of("0190f1a2-1111-7abc-8def-0123456789ab", 1)
    for cursor, code in ((beyond, "events:cursor_out_of_range"), (elsewhere, "events:other_log")):
        with refused(code, grpc.StatusCode.OUT_OF_RANGE):
            await server.admin.events.ListEvents(all=True, after_cursor=cursor)
        with refused(code, grpc.StatusCode.OUT_OF_RANGE):
            await server.admin.subscribe(all=True, after_cursor=cursor).next()


@pytest.mark.parametrize("overrides", [{"server": {"handshake_seconds": 3.0}}])
async def test_a_connection_that_says_nothing_is_cut_off(server):
    await server.admin.admin.GetServerInfo()  # its own connection stands
    host, port = server.address.split(":")
    for first_words in (b"", b"PRI * HTTP/2.0\r\n", b"GET / HTTP/1.1\r\n\r\n"):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(first_words)
        async with asyncio.timeout(60):
            await reader.read()  # to its end
        writer.close()
    await server.admin.admin.GetServerInfo()
