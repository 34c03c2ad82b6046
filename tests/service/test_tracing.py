"""Traces of a real server reach a collector: a span for each call and each batch, without bodies and tokens."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import grpc
import httpx
import pytest
from collecting import Collector, attributes_of
from kinpost.v1 import messaging_service_pb2 as pb
from kinpost_server.transport.tracing import CannotTrace, TracingSettings, begin_tracing
from mail import two
from running import LocalServer

TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = ("traceparent", f"00-{TRACE}-{CALLER}-01")
BODY = "a-body-that-is-nobodys-business"


@pytest.fixture(params=["http/protobuf", "grpc"])
def collector(request, monkeypatch):
    """A collector, which the environment names the protocol of."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", request.param)
    with Collector(request.param) as made:
        yield made


@pytest.fixture
async def server(tmp_path, service_log, collector):
    made = LocalServer(tmp_path / "data", {"http": {"enabled": True}, "tracing": {"endpoint": collector.endpoint}})
    await made.start()
    yield made
    await made.stop()


async def arrived(server, collector):
    """Let what is at hand be sent."""
    await asyncio.to_thread(server.listening.tracing.flush)
    return collector


async def test_a_call_is_a_span_under_its_callers_and_its_batch_is_linked_to_it(server, collector):
    _, child, run = await two(server.admin)
    metadata = (("authorization", f"Bearer {server.admin_secret}"), TRACEPARENT)
    send = server.admin.channel.unary_unary(
        "/kinpost.v1.MessagingService/SendMessage",
        request_serializer=lambda fields: fields.SerializeToString(),
        response_deserializer=lambda data: data,
    )
    fields = pb.SendMessageRequest(
        session_id=run.session_id, run_id=run.run_id, tool_call_id="c", to=child.session_id, body=BODY
    )
    await send(fields, metadata=metadata)
    told = await arrived(server, collector)
    (span,) = told.named("MessagingService/SendMessage")
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, CALLER)
    attributes = attributes_of(span)
    assert attributes["rpc.grpc.status_code"] == 0
    assert attributes["kinpost.session_id"] == run.session_id
    assert attributes["kinpost.run_id"] == run.run_id
    linked = [batch for batch in told.named("kinpost batch") if span.span_id in {one.span_id for one in batch.links}]
    assert len(linked) == 1
    (batch,) = linked
    assert batch.trace_id != span.trace_id
    assert not batch.parent_span_id
    assert attributes_of(batch)["kinpost.batch.events"] >= 1
    assert span.start_time_unix_nano <= batch.start_time_unix_nano <= batch.end_time_unix_nano
    assert batch.end_time_unix_nano <= span.end_time_unix_nano
    assert told.resource["service.name"] == "kinpost"


async def test_a_refusal_is_told_by_its_codes(server, collector, refused):
    _, child, run = await two(server.admin)
    with refused("send_message:invalid_body"):
        await server.admin.send(run, child, " ")
    with refused("auth:unauthenticated"):
        await server.client("kinpost_wrong").sessions.ListSessions()
    told = await arrived(server, collector)
    attributes = attributes_of(told.named("SendMessage")[-1])
    assert attributes["kinpost.code"] == "send_message:invalid_body"
    assert attributes["rpc.grpc.status_code"] == grpc.StatusCode.INVALID_ARGUMENT.value[0]
    assert attributes_of(told.named("ListSessions")[-1])["kinpost.code"] == "auth:unauthenticated"


async def test_http_is_traced_too(server, runtime, collector):
    source, target = await runtime.session(), await runtime.session()
    headers = {
        "Authorization": f"Bearer {server.admin_secret}",
        "X-AMC-Source-Session-Id": source.session_id,
        TRACEPARENT[0]: TRACEPARENT[1],
    }
    async with httpx.AsyncClient(base_url=f"http://{server.http_address}", headers=headers, timeout=60) as http:
        answer = await http.post(f"/sessions/{target.session_id}/peer-message", json={"text": BODY})
    assert answer.status_code == 200
    told = await arrived(server, collector)
    (span,) = told.named("POST /sessions/{session_id}/peer-message")
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, CALLER)
    attributes = attributes_of(span)
    assert (attributes["http.response.status_code"], attributes["kinpost.session_id"]) == (200, target.session_id)
    assert any(span.span_id in {one.span_id for one in batch.links} for batch in told.named("kinpost batch"))


async def test_no_span_holds_a_body_or_a_token(server, collector, refused):
    """Not where it belongs, not in another field, not in what an error would say."""
    _, child, run = await two(server.admin)
    await server.admin.send(run, child, BODY)
    await server.admin.user(child, BODY)
    claim = await server.admin.claim(await server.admin.run(child))
    assert BODY in str(claim)
    for fields in ({"session_id": BODY}, {"session_id": run.session_id, "run_id": BODY, "to": BODY, "body": BODY}):
        with refused("request:invalid"):
            await server.admin.messaging.SendMessage(**fields)
    observer = await server.make_token("observer")
    with refused("auth:forbidden"):
        await observer.user(child, BODY)
    following = observer.subscribe(all=True)
    await following.next()
    following.cancel()
    told = await arrived(server, collector)
    assert len(told.spans) > 8
    assert "a-body" not in told.raw
    for client in server.clients:
        assert client.secret.removeprefix("kinpost_") not in told.raw


async def test_the_last_spans_are_sent_before_the_end(tmp_path, service_log, collector, monkeypatch):
    monkeypatch.setattr("kinpost_server.main.TRACES_SECONDS_MIN", 60.0)  # however slow this machine is
    server = LocalServer(tmp_path / "data", {"tracing": {"endpoint": collector.endpoint}})
    await server.start()
    await server.admin.session()
    await server.stop()
    assert collector.named("SessionService/CreateSession")


async def test_a_collector_that_is_away_costs_no_call_and_holds_no_end_up(tmp_path, service_log):
    with Collector("http/protobuf") as gone:
        endpoint = gone.endpoint
    server = LocalServer(tmp_path / "data", {"tracing": {"endpoint": endpoint}})
    await server.start()
    await server.admin.session()
    async with asyncio.timeout(20):
        await server.stop()


def test_standard_variables_switch_it_on_and_off(monkeypatch):
    assert not TracingSettings().enabled
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        with monkeypatch.context() as patched:
            patched.setenv(name, "http://127.0.0.1:1")
            assert TracingSettings().enabled
            patched.setenv("OTEL_SDK_DISABLED", "true")
            assert not TracingSettings().enabled
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "none")
    assert not TracingSettings("http://127.0.0.1:1").enabled
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "zipkin")
    with pytest.raises(CannotTrace, match="zipkin"):
        begin_tracing(TracingSettings(), "1")
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "smoke")
    with pytest.raises(CannotTrace, match="smoke"):
        begin_tracing(TracingSettings(), "1")


def test_what_is_missing_is_named_before_anything_is_served(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(CannotTrace, match=r"install kinpost\[tracing\]"):
        begin_tracing(TracingSettings("http://127.0.0.1:1"), "1")


def test_a_server_that_cannot_trace_does_not_start(tmp_path):
    ran = subprocess.run(
        [Path(sys.executable).with_name("kinpost"), "serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0"],
        env={"OTEL_TRACES_EXPORTER": "zipkin", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "zipkin" in ran.stderr


def test_without_a_collector_nothing_of_it_is_loaded():
    parts = ("opentelemetry.sdk", "opentelemetry.exporter")  # fastapi looks for the bare API by itself
    code = f"import sys, kinpost_server.main; print([name for name in sys.modules if name.startswith({parts})])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=100)
    assert ran.stdout.strip() == "[]"
