"""Who has no token costs the server next to nothing, however much it sends, and keeps nobody else from anything."""

from __future__ import annotations

import asyncio
from collections import Counter

import grpc
import pytest
from calls import CALL_SECONDS
from flooding import Flood
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2_grpc
from kinpost_server.transport.lobby import READ_SECONDS
from running import ServerProcess
from trouble import resident_bytes

MEBIBYTE = 1 << 20
HEALTH = "/grpc.health.v1.Health/Check"
WATCH = "/grpc.health.v1.Health/Watch"
INFO = "/kinpost.v1.AdminService/GetServerInfo"
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
TOKENS = "/kinpost.v1.AdminService/ListTokens"
SUBSCRIBE = "/kinpost.v1.EventService/SubscribeEvents"
GATE = "/kinpost.v1.ProducerService/InterceptToolCalls"


@pytest.mark.parametrize("path", [HEALTH, WATCH, INFO, REFLECTION, TOKENS, SUBSCRIBE, GATE])
async def test_large_requests_that_do_not_end_are_not_kept(process: ServerProcess, path: str) -> None:
    """Two hundred of 8 MiB each: what the server has not asked for stays with the sender."""
    before = resident_bytes(process.process.pid)
    floods = [Flood(path, 50, 8 * MEBIBYTE) for _ in range(4)]
    running = [asyncio.create_task(flood.run(process.address)) for flood in floods]
    async with asyncio.timeout(CALL_SECONDS):
        await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    assert sum(flood.sent for flood in floods) < 100 * MEBIBYTE
    assert resident_bytes(process.process.pid) - before < 150 * MEBIBYTE
    await process.admin.session()
    for task in running:
        task.cancel()
    await asyncio.wait(running)


async def test_a_host_that_floods_health_keeps_no_other_from_asking(process: ServerProcess) -> None:
    loop = asyncio.get_running_loop()
    for _ in range(5):  # on a busy machine it may be over before anybody has asked
        begin_time = loop.time()
        flood = Flood(HEALTH, 100, 8 * MEBIBYTE)
        flooding = asyncio.create_task(flood.run(process.address, "127.0.0.2"))
        async with asyncio.timeout(CALL_SECONDS):
            await flood.is_read.wait()
            health = health_pb2_grpc.HealthStub(process.admin.channel)
            assert (await health.Check(health_pb2.HealthCheckRequest())).status
        met = not flood.ended
        assert met or loop.time() - begin_time > READ_SECONDS  # it is given all its time
        flooding.cancel()
        await asyncio.wait([flooding])
        if met:
            break
    assert met


@pytest.mark.parametrize("token", ["a token", "no token"])
@pytest.mark.parametrize("path", [HEALTH, INFO, TOKENS])
async def test_a_request_that_is_small_until_it_is_unpacked_is_not_unpacked(
    process: ServerProcess, path: str, token: str
) -> None:
    """150 MiB of nothing, compressed to a thousandth."""
    before = resident_bytes(process.process.pid)
    metadata = (("authorization", f"Bearer {process.admin_secret}"),) if token == "a token" else ()
    call = process.admin.channel.unary_unary(path)
    try:
        await call(bytes(150 * MEBIBYTE), metadata=metadata, compression=grpc.Compression.Gzip, timeout=CALL_SECONDS)
        code = grpc.StatusCode.OK
    except grpc.aio.AioRpcError as error:
        code = error.code()
    if path == INFO:
        assert code in (grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED)  # it is not read
    elif path == TOKENS and not metadata:
        assert code is grpc.StatusCode.UNAUTHENTICATED
    else:
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert resident_bytes(process.process.pid) - before < 50 * MEBIBYTE


async def test_reflection_that_says_nothing_holds_nothing_up(process: ServerProcess) -> None:
    """Not the reading of long documents, nor the health of the server, nor its end."""
    stub = reflection_pb2_grpc.ServerReflectionStub(process.admin.channel)
    silent = [stub.ServerReflectionInfo() for _ in range(100)]
    ends = [asyncio.create_task(call.code()) for call in silent]
    await process.admin.session(agent_document=f"---\npermissions: {{}}\n---\n{'x' * 20_000}")
    async with asyncio.timeout(CALL_SECONDS):
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        assert (await health_pb2_grpc.HealthStub(process.admin.channel).Check(health_pb2.HealthCheckRequest())).status
        assert set(Counter(end.result() for end in ends if end.done())) == {grpc.StatusCode.INVALID_ARGUMENT}
        process.signal(15)
        assert await process.ended() == 0
    await asyncio.gather(*ends)


@pytest.mark.parametrize("path", [HEALTH, WATCH, REFLECTION])
async def test_what_is_no_request_is_refused(process: ServerProcess, path: str) -> None:
    for data in (b"\xff", bytes(5000)):
        call = process.admin.channel.stream_stream(path)(iter([data]))
        assert await call.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert process.log.read_text().count("Traceback") == 0
