"""Every generated stub calls the RPC it is named for, with its own request and response types."""

import contextlib
import importlib
import re
from pathlib import Path

import grpc
import grpc_testing
import pytest
from google.protobuf import message_factory
from kinpost.v1 import PROTOCOL_VERSION

ROOT = Path(__file__).parents[2]


def services():
    """The descriptor and the stub module of every service."""
    for path in sorted((ROOT / "bindings/python/kinpost/v1").glob("*_service_pb2.py")):
        module = importlib.import_module(f"kinpost.v1.{path.stem}")
        stubs = importlib.import_module(f"kinpost.v1.{path.stem}_grpc")
        for descriptor in module.DESCRIPTOR.services_by_name.values():
            yield descriptor, stubs


METHODS = [(method, stubs) for service, stubs in services() for method in service.methods]
NAMES = [f"{method.containing_service.name}.{method.name}" for method, _ in METHODS]


def sample(descriptor, vectors):
    """The vector of a message with every field set, or of the empty one."""
    kind = message_factory.GetMessageClass(descriptor)
    by_case = {each["case"]: each["hex"] for each in vectors if each["message"] == descriptor.full_name}
    return kind.FromString(bytes.fromhex(by_case.get("full", by_case["empty"])))


@pytest.mark.parametrize("method,stubs", METHODS, ids=NAMES)
def test_each_synchronous_stub_carries_its_call(method, stubs, vectors):
    service = method.containing_service
    channel = grpc_testing.channel([service], grpc_testing.strict_real_time())
    stub = getattr(stubs, f"{service.name}Stub")(channel)
    request, response = sample(method.input_type, vectors), sample(method.output_type, vectors)
    call = getattr(stub, method.name)
    if method.client_streaming:
        answers = call(iter([request]), metadata=(("kinpost-protocol-version", str(PROTOCOL_VERSION)),))
        _, seen = channel.take_stream_stream(method)
        assert seen.take_request() == request
        seen.send_response(response)
        assert next(answers) == response
        seen.terminate((), grpc.StatusCode.OK, "")
    elif method.server_streaming:
        answers = call(request)
        _, sent, seen = channel.take_unary_stream(method)
        assert sent == request
        seen.send_response(response)
        assert next(answers) == response
        seen.terminate((), grpc.StatusCode.OK, "")
        assert list(answers) == []
    else:
        answer = call.future(request)
        _, sent, seen = channel.take_unary_unary(method)
        assert sent == request
        seen.terminate(response, (), grpc.StatusCode.OK, "")
        assert answer.result() == response


class Echo(grpc.GenericRpcHandler):
    """Answers every RPC of the contract with one given message, and keeps the requests' bytes."""

    def __init__(self):
        self.requests = {}
        self.answer = b""

    def service(self, call):
        method = next(m for m, _ in METHODS if f"/{m.containing_service.full_name}/{m.name}" == call.method)

        async def one(request, context):
            self.requests[call.method] = request
            return self.answer

        async def many(request, context):
            self.requests[call.method] = request if isinstance(request, bytes) else [each async for each in request]
            for _ in range(2):
                yield self.answer

        if method.client_streaming:
            return grpc.stream_stream_rpc_method_handler(many)
        if method.server_streaming:
            return grpc.unary_stream_rpc_method_handler(many)
        return grpc.unary_unary_rpc_method_handler(one)


@contextlib.asynccontextmanager
async def serving(handler):
    server = grpc.aio.server(handlers=[handler])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield channel
    finally:
        await server.stop(None)


async def test_each_betterproto_stub_carries_its_call(vectors, monkeypatch):
    """Over a real connection: what the dataclasses write is what the official messages read, and back."""
    monkeypatch.syspath_prepend(ROOT / "bindings/betterproto")
    binding = importlib.import_module("kinpost_betterproto")
    stubs = importlib.import_module("kinpost_betterproto.services")
    handler = Echo()
    async with serving(handler) as channel:
        for method, _ in METHODS:
            path = f"/{method.containing_service.full_name}/{method.name}"
            request, response = sample(method.input_type, vectors), sample(method.output_type, vectors)
            stub = getattr(stubs, f"{method.containing_service.name}Stub")(channel)
            call = getattr(stub, re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower())
            outgoing = getattr(binding, method.input_type.name).parse(request.SerializeToString())
            expected = getattr(binding, method.output_type.name).parse(response.SerializeToString())
            handler.answer = response.SerializeToString()
            if method.client_streaming:
                assert [each async for each in call(iter([outgoing]))] == [expected, expected]
                assert handler.requests[path] == [request.SerializeToString()]
            elif method.server_streaming:
                assert [each async for each in call(outgoing)] == [expected, expected]
                assert handler.requests[path] == request.SerializeToString()
            else:
                assert await call(outgoing) == expected
                assert handler.requests[path] == request.SerializeToString()
    assert len(handler.requests) == len(METHODS)
