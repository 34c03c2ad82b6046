"""Whatever is asked, in whatever bytes, the answer has a stable code and never comes from inside."""

from __future__ import annotations

import grpc
from approving import asks
from asking import UNKNOWN as UUID
from asking import good_requests, outcome
from calls import SERVICES, read_refusal
from google.protobuf.descriptor import FieldDescriptor as Field
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kinpost_server.transport.status import TABLE

CODES = {kind.code for kind in TABLE}
SUPPRESSED = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large)


def messages(descriptor, ids, depth=0):
    """Return a strategy for messages of a type: good values, bad ones and absent ones."""
    texts = st.one_of(
        st.sampled_from([*ids, "", UUID, "nobody_00000000", "a\0b", "\u202e", "---\na: [\n---\n", "x" * 300, "*"]),
        st.text(max_size=20),
    )
    numbers = st.one_of(
        st.integers(-2, 9), st.sampled_from([20, 60, 1000, 1001, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1, -(2**63)])
    )
    bounds = {
        Field.TYPE_INT32: (-(2**31), 2**31 - 1),
        Field.TYPE_ENUM: (-(2**31), 2**31 - 1),
        Field.TYPE_UINT32: (0, 2**32 - 1),
        Field.TYPE_INT64: (-(2**63), 2**63 - 1),
    }

    def value(field):
        if field.type == Field.TYPE_MESSAGE:
            return messages(field.message_type, ids, depth + 1)
        if field.type == Field.TYPE_STRING:
            return texts
        if field.type == Field.TYPE_BOOL:
            return st.booleans()
        low, high = bounds[field.type]
        return numbers.map(lambda n: min(max(n, low), high))

    def entry(field):
        return st.lists(value(field), max_size=3) if field.is_repeated else value(field)

    given_fields = st.fixed_dictionaries({}, optional={field.name: entry(field) for field in descriptor.fields})
    return given_fields.map(lambda fields: descriptor._concrete_class(**fields))


@settings(max_examples=400, deadline=None, suppress_health_check=SUPPRESSED)
@given(data=st.data())
async def test_whatever_is_asked_the_answer_has_a_stable_code(server, data):
    if not hasattr(server, "met"):
        session = await server.admin.session(agent="default", rules={"*": "allow", "child": "ask"})
        child = await server.admin.session(session)
        run = await server.admin.run(session)
        asked = await asks(server.admin, run, child)
        server.plugin = await server.make_token("plugin")
        producer = await server.plugin.register(session)
        server.met = [session.session_id, child.session_id, run.run_id, child.handle, asked, producer.producer_id]
    served = [(service, rpc) for service, rpc in good_requests(UUID, UUID)]
    service, rpc = data.draw(st.sampled_from(served), label="rpc")
    method = SERVICES[service].methods_by_name[rpc]
    request = data.draw(messages(method.input_type, server.met), label="request")
    client = server.plugin if service == "producers" else server.admin
    told = await outcome(client, service, rpc, None, request)
    assert told.code in CODES | {"ok"}, (rpc, told.grpc_code, told.text)
    if told.code == "request:invalid":
        assert told.field


@settings(max_examples=300, deadline=None, suppress_health_check=SUPPRESSED)
@given(data=st.data())
async def test_whatever_the_bytes_are_the_answer_has_a_stable_code(server, data):
    service, rpc = data.draw(st.sampled_from(list(good_requests(UUID, UUID))), label="rpc")
    method = SERVICES[service].methods_by_name[rpc]
    good = data.draw(messages(method.input_type, [UUID])).SerializeToString()
    position = data.draw(st.integers(0, len(good)))
    noise = data.draw(st.binary(max_size=12))
    cut = data.draw(
        st.sampled_from([good[:position], good[:position] + noise, good[:position] + noise + good[position:]])
    )
    path = f"/{SERVICES[service].full_name}/{rpc}"
    metadata = (("authorization", f"Bearer {server.admin_secret}"),)
    try:
        if method.server_streaming:
            call = server.admin.channel.unary_stream(path)(cut, metadata=metadata)
            if await call.read() is grpc.aio.EOF:
                await call
            call.cancel()
        else:
            await server.admin.channel.unary_unary(path)(cut, metadata=metadata)
    except grpc.aio.AioRpcError as error:
        told = read_refusal(error)
        assert told.code in CODES, (rpc, told.grpc_code, told.text)
