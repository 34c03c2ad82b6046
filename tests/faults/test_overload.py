"""More than the server takes: who is too much is told so at once, the others are served, and memory stays bounded."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import grpc
import pytest
from calls import Client, fresh, read_refusal
from grpc_health.v1 import health_pb2, health_pb2_grpc
from kinpost.v1 import messaging_service_pb2
from locked import Locked
from running import ServerProcess
from trouble import http2_answered, http2_call, http2_frame, resident_bytes

MEBIBYTE = 1 << 20
QUEUE = 32
SMALL_QUEUE = f"""
[server]
queue_commands_max = {QUEUE}
batch_commands_max = 16
[storage]
busy_timeout_seconds = 60.0
statement_seconds = 90.0
[producers]
pending_per_session_max = 100000
"""


def connection(process: ServerProcess) -> grpc.aio.Channel:
    """Return a connection of its own."""
    return grpc.aio.insecure_channel(process.address, options=[("grpc.use_local_subchannel_pool", 1)])


async def outcome(call: Awaitable[Any]) -> str:
    """Return the code of a call's refusal, empty when it was answered."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return read_refusal(error).code or error.code().name
    return ""


async def accepted_ids(admin: Client) -> list[str]:
    events = await admin.log(all=True)
    return [e.producer_message_accepted.message_id for e in events if e.HasField("producer_message_accepted")]


class TestThousandCallers:
    """A thousand callers, and a queue for 32."""

    @pytest.fixture
    def settings(self) -> str:
        return SMALL_QUEUE

    async def test_the_queue_is_full_and_all_others_are_told_at_once(self, process: ServerProcess) -> None:
        """The store stands still, so nothing but the queue decides: 32 wait, 968 have their answer while they do."""
        admin = process.admin
        session = await admin.session()
        refused: list[float | None] = []
        enough = asyncio.Event()

        async def send() -> str | None:
            try:
                return (await admin.user(session, seconds=60.0)).message_id
            except grpc.aio.AioRpcError as error:
                told = read_refusal(error)
                assert (told.code, told.grpc_code) == ("server:overloaded", grpc.StatusCode.RESOURCE_EXHAUSTED)
                refused.append(told.retry_seconds)
                if len(refused) == 1000 - QUEUE:
                    enough.set()
                return None

        async with Locked(process.database):
            sends = [asyncio.create_task(send()) for _ in range(1000)]
            async with asyncio.timeout(30):
                await enough.wait()
            assert sum(not task.done() for task in sends) == QUEUE
            assert (await admin.look(session)).pending_count == 0  # reading does not queue
        ids = [message_id for message_id in await asyncio.gather(*sends) if message_id]
        assert len(ids) == QUEUE
        assert all(seconds and 0 < seconds <= 1 for seconds in refused)
        ids += [(await admin.user(session)).message_id for _ in range(10)]
        assert sorted(ids) == sorted(await accepted_ids(admin))

    async def test_who_comes_again_is_served_in_the_end(self, process: ServerProcess) -> None:
        """Each repeats as it was told until it is accepted; none that was taken in waits longer than its deadline."""
        admin = process.admin
        sessions = [await admin.session() for _ in range(8)]
        before = resident_bytes(process.process.pid)
        answers: Counter[str] = Counter()

        async def send(number: int) -> str:
            call = {"client_message_id": fresh("user"), "body": fresh("body"), "seconds": 60.0}
            while True:
                try:
                    answer = await admin.user(sessions[number % 8], **call)
                except grpc.aio.AioRpcError as error:
                    told = read_refusal(error)
                    answers[told.code] += 1
                    assert told.code == "server:overloaded", told.text
                    await asyncio.wait([asyncio.current_task()], timeout=told.retry_seconds)  # type: ignore[list-item]
                else:
                    answers["accepted"] += 1
                    return str(answer.message_id)

        async with asyncio.timeout(200):
            ids = await asyncio.gather(*(send(number) for number in range(1000)))
        assert answers["server:overloaded"] > 0
        assert sorted(ids) == sorted(await accepted_ids(admin))
        assert resident_bytes(process.process.pid) - before < 100 * MEBIBYTE


class TestManyStreams:
    """A caller that opens ten thousand streams."""

    async def test_a_token_has_its_share_and_others_are_served(self, process: ServerProcess) -> None:
        greedy = await process.make_token("observer")
        other = await process.make_token("observer")
        before = resident_bytes(process.process.pid)
        open_streams: list[Any] = []
        codes: Counter[str] = Counter()

        async def subscribe() -> None:
            stream = greedy.subscribe(all=True)
            code = await outcome(stream.next())
            codes[code] += 1
            if not code:
                open_streams.append(stream)

        for _ in range(20):
            await asyncio.gather(*(subscribe() for _ in range(500)))
        share = 256
        assert codes == {"": share, "server:overloaded": 10_000 - share}
        assert resident_bytes(process.process.pid) - before < 100 * MEBIBYTE
        await other.subscribe(all=True).next()
        await process.admin.session()
        # What it gives back can be opened again, by as many.
        for stream in open_streams:
            stream.cancel()
        codes.clear()
        open_streams.clear()
        async with asyncio.timeout(30):
            while len(open_streams) < share:
                await asyncio.gather(*(subscribe() for _ in range(share - len(open_streams))))

    @pytest.mark.parametrize("settings", ["[limits]\nstreams_per_connection_max = 20\n"], ids=["20 a connection"])
    async def test_a_connection_has_its_share_and_others_are_served(self, process: ServerProcess) -> None:
        """What is more than that does not reach the server; it waits in the client for its turn."""
        watching = [process.admin.subscribe(all=True) for _ in range(20)]
        await asyncio.gather(*(stream.next() for stream in watching))
        assert await outcome(process.admin.sessions.GetSession(session_id="x", seconds=0.3)) == "DEADLINE_EXCEEDED"
        await process.client(process.admin_secret).session()
        watching.pop().cancel()
        await process.admin.session()


@contextlib.asynccontextmanager
async def beginners(process: ServerProcess, count: int, beginning: bytes) -> AsyncIterator[list[asyncio.StreamReader]]:
    """So many connections that begin so and do not go on."""
    host, port = process.address.split(":")
    made = [await asyncio.open_connection(host, int(port)) for _ in range(count)]
    for _, writer in made:
        writer.write(beginning)
    yield [reader for reader, _ in made]
    for _, writer in made:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def cut_off(reader: asyncio.StreamReader) -> None:
    """Return when the server has closed the connection."""
    async with asyncio.timeout(50):
        with contextlib.suppress(ConnectionError):
            while await reader.read(1024):
                pass


class TestSlowCallers:
    """Callers that begin and do not go on."""

    @pytest.fixture
    def settings(self) -> str:
        return """
        [server]
        handshake_seconds = 8.0
        request_seconds = 8.0
        keepalive_seconds = 1.0
        keepalive_timeout_seconds = 10.0
        [limits]
        reads_per_token_max = 100
        """

    @pytest.mark.parametrize("token", ["a token", "no token"])
    async def test_a_request_that_does_not_come_is_not_waited_for(self, process: ServerProcess, token: str) -> None:
        """Without a token nobody waits for it at all."""
        metadata = (("authorization", f"Bearer {process.admin_secret}"),) if token == "a token" else ()
        never = asyncio.Event()

        async def nothing() -> AsyncIterator[bytes]:
            await never.wait()
            yield b""

        channel = connection(process)
        unary = channel.stream_unary("/kinpost.v1.MessagingService/SendUserMessage")
        stream = channel.stream_stream("/kinpost.v1.EventService/SubscribeEvents")
        slow = [asyncio.create_task(outcome(unary(nothing(), metadata=metadata))) for _ in range(100)]
        slow += [asyncio.create_task(outcome(stream(nothing(), metadata=metadata).read())) for _ in range(100)]
        await process.admin.session()
        async with asyncio.timeout(60):
            codes = await asyncio.gather(*slow)
        assert set(codes) == {"request:invalid" if metadata else "auth:unauthenticated"}
        await channel.close()

    async def test_a_request_that_comes_byte_by_byte_is_not_waited_for(self, process: ServerProcess) -> None:
        """It never stands still for as long as a request may take, and is refused when that time is over."""
        host, port = process.address.split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        token = {"authorization": f"Bearer {process.admin_secret}"}
        writer.write(http2_call("/kinpost.v1.MessagingService/SendUserMessage", metadata=token, bytes_to_come=10_000))
        refused = asyncio.create_task(http2_answered(reader))
        async with asyncio.timeout(60):
            while not refused.done():
                writer.write(http2_frame(0, 0, 1, b"x"))
                await asyncio.wait([refused], timeout=0.05)
        await refused
        writer.close()

    @pytest.mark.parametrize(
        "beginning",
        [b"", b"PRI * HT", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a"],
        ids=["nothing", "half a preface", "a preface", "another protocol"],
    )
    async def test_connections_that_do_not_go_on_are_cut_off(self, process: ServerProcess, beginning: bytes) -> None:
        async with beginners(process, 200, beginning) as slow:
            await process.client(process.admin_secret).session()
            await asyncio.gather(*map(cut_off, slow))
            await process.client(process.admin_secret).session()

    async def test_a_connection_that_does_not_answer_pings_is_cut_off(self, process: ServerProcess) -> None:
        """It said hello as it should, and then nothing any more."""
        settings_frame = b"\0\0\0\4\0\0\0\0\0"
        async with beginners(process, 100, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings_frame) as slow:
            async with asyncio.timeout(30):  # gRPC alone would wait for a minute
                await asyncio.gather(*map(cut_off, slow))
            await process.admin.session()


class TestHealth:
    """Health needs no token, so anybody may watch it; nobody may so keep others from it, or the server from ending."""

    async def test_a_watcher_that_reads_nothing_keeps_nobody_waiting(self, process: ServerProcess) -> None:
        async with beginners(process, 20, http2_call("/grpc.health.v1.Health/Watch")):
            health = health_pb2_grpc.HealthStub(process.admin.channel)
            watching = health.Watch(health_pb2.HealthCheckRequest())
            serving = health_pb2.HealthCheckResponse.SERVING
            async with asyncio.timeout(20):
                assert (await watching.read()).status == serving
                assert (await health.Check(health_pb2.HealthCheckRequest())).status == serving
                process.signal(signal.SIGTERM)
                assert (await watching.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
            assert await process.ended() == 0

    @pytest.mark.parametrize("settings", ["[limits]\nconnections_max = 20\n"], ids=["20 connections"])
    async def test_no_more_watch_than_may_connect(self, process: ServerProcess) -> None:
        health = health_pb2_grpc.HealthStub(process.admin.channel)
        watching = [health.Watch(health_pb2.HealthCheckRequest()) for _ in range(50)]
        codes = Counter([await outcome(call.read()) for call in watching])
        assert codes == {"": 20, "RESOURCE_EXHAUSTED": 30}
        assert (await health.Check(health_pb2.HealthCheckRequest())).status
        for call in watching:
            call.cancel()


class TestLargeRequests:
    """Requests of the largest size from many callers."""

    @pytest.fixture
    def settings(self) -> str:
        return """
        [server]
        requests_bytes_max = 16777216
        [limits]
        reads_per_token_max = 8
        [storage]
        busy_timeout_seconds = 60.0
        statement_seconds = 90.0
        """

    async def test_memory_is_bounded_whether_the_store_answers_or_not(self, process: ServerProcess) -> None:
        """Two hundred times 4 MiB, twice: what is too much is refused with `server:overloaded`."""
        admin = process.admin
        session = await admin.session()
        request = messaging_service_pb2.SendUserMessageRequest(
            session_id=session.session_id, client_message_id=fresh("user"), body="x" * (4 * MEBIBYTE - 1000)
        ).SerializeToString()
        channels = [connection(process) for _ in range(5)]
        metadata = (("authorization", f"Bearer {process.admin_secret}"),)
        calls = [channel.unary_unary("/kinpost.v1.MessagingService/SendUserMessage") for channel in channels]
        peak = before = resident_bytes(process.process.pid)

        async def flood() -> Counter[str]:
            nonlocal peak
            sends = [
                asyncio.create_task(outcome(calls[number % 5](request, metadata=metadata, timeout=60)))
                for number in range(200)
            ]
            pending = set(sends)
            while pending:
                _, pending = await asyncio.wait(pending, timeout=0.05)
                peak = max(peak, resident_bytes(process.process.pid))
                if len(pending) <= 4 and store.locked:
                    await store.release()
            return Counter(task.result() for task in sends)

        async with Locked(process.database) as store:
            stalled = await flood()
        flowing = await flood()
        for codes in (stalled, flowing):
            assert set(codes) == {"server:overloaded", "request:invalid"}
        assert stalled["request:invalid"] <= 8
        assert peak - before < 300 * MEBIBYTE
        await admin.user(session)
        for channel in channels:
            await channel.close()
