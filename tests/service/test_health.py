"""Health and reflection: ready means that the store answers."""

from __future__ import annotations

import asyncio
import threading

import grpc
import pytest
from calls import SERVICES
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from kinpost_server.engine.ports import StoreFailed

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


@pytest.fixture
def overrides():
    return {"server": {"health_seconds": 1.0}}


async def told(watching, wanted):
    """Return when a watcher is told what is wanted: on a busy machine a look at the store may be late once."""
    async with asyncio.timeout(60):
        while (await watching.read()).status != wanted:
            pass


async def test_each_service_and_the_whole_are_healthy_without_a_token(server):
    health = health_pb2_grpc.HealthStub(server.client("").channel)
    watching = health.Watch(health_pb2.HealthCheckRequest())
    await told(watching, SERVING)
    watching.cancel()
    for name in ("", *(service.full_name for service in SERVICES.values())):
        assert (await health.Check(health_pb2.HealthCheckRequest(service=name))).status == SERVING
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await health.Check(health_pb2.HealthCheckRequest(service="kinpost.v1.NoService"))
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize("service", ["", "kinpost.v1.MessagingService"])
async def test_a_store_that_does_not_answer_is_not_ready_and_one_that_does_again_is(server, monkeypatch, service):
    health = health_pb2_grpc.HealthStub(server.client("").channel)
    watching = health.Watch(health_pb2.HealthCheckRequest(service=service))
    await told(watching, SERVING)

    def away():
        raise StoreFailed("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(server.opened.own_reader, "ping", away)
        await told(watching, NOT_SERVING)
    await told(watching, SERVING)
    watching.cancel()


async def test_a_store_that_hangs_is_not_ready(server, monkeypatch):
    health = health_pb2_grpc.HealthStub(server.client("").channel)
    watching = health.Watch(health_pb2.HealthCheckRequest())
    await told(watching, SERVING)
    answer, asked = threading.Event(), []

    def hang():
        asked.append(1)
        answer.wait()

    with monkeypatch.context() as patched:
        patched.setattr(server.opened.own_reader, "ping", hang)
        await told(watching, NOT_SERVING)
        # While it hangs it takes one reading thread, not more and more of them.
        await server.admin.session()
        assert len(asked) == 1
    answer.set()
    await told(watching, SERVING)
    watching.cancel()


async def test_a_server_that_goes_is_not_ready_any_more(server):
    health = health_pb2_grpc.HealthStub(server.client("").channel)
    watching = health.Watch(health_pb2.HealthCheckRequest())
    await told(watching, SERVING)
    stopping = asyncio.create_task(server.transport.stop(5.0))
    await told(watching, NOT_SERVING)
    await stopping


async def test_reflection_tells_the_services_and_their_messages(server):
    reflection = reflection_pb2_grpc.ServerReflectionStub(server.client("").channel)
    asked = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol="kinpost.v1.SendMessageRequest"),
    ]
    listed, described = [answer async for answer in reflection.ServerReflectionInfo(iter(asked))]
    assert {service.name for service in listed.list_services_response.service} == {
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
        *(service.full_name for service in SERVICES.values()),
    }
    assert b"SendMessageRequest" in described.file_descriptor_response.file_descriptor_proto[0]
