"""Traces, for whoever has OpenTelemetry's SDK installed and a collector configured.

One span for each call, through either door, under the caller's own where it names one (W3C `traceparent`), and one for
each batch, with links to its calls. They carry ids and stable codes: no bodies, no tokens, no words of an error.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kinpost_server.domain.address import parse_uuid
from kinpost_server.domain.identity import Caller
from kinpost_server.transport.status import Told

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

EXTRA = "kinpost[tracing]"
SERVICE_NAME = "kinpost"
LINKS_MAX = 10_000  # as many as a batch can have commands
CARRIED = ("traceparent", "tracestate")
IDS = ("session_id", "run_id", "root_session_id", "message_id", "approval_id", "body_id", "dead_letter_id")
STATUS = "rpc.grpc.status_code"
CANCELLED = 1
SERVER_FAULTS = frozenset({"UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"})

Handler = Callable[[object, Any], Awaitable[Any]]


class CannotTrace(Exception):
    """Traces are configured and cannot be made; the text says why."""


@dataclass(slots=True, frozen=True)
class TracingSettings:
    """`[tracing]`. What else there is to say is said by OpenTelemetry's own variables, `OTEL_*`."""

    endpoint: str = ""

    @property
    def enabled(self) -> bool:
        """Whether spans are to be sent somewhere."""
        if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
            return False
        exporter = os.environ.get("OTEL_TRACES_EXPORTER", "").strip()
        if exporter == "none":
            return False
        if exporter not in ("", "otlp"):
            raise CannotTrace(f"OTEL_TRACES_EXPORTER: {exporter!r} is not known here; only otlp and none are")
        places = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        return bool(self.endpoint or exporter or any(os.environ.get(place) for place in places))


def begin_tracing(settings: TracingSettings, version: str) -> Tracing | None:
    """Return what makes spans, None when none are wanted. Raises CannotTrace."""
    if not settings.enabled:
        return None
    try:
        return Tracing(_provider(settings, version))
    except ImportError as fault:
        raise CannotTrace(f"[tracing]: {fault.name or fault} is missing; install {EXTRA}") from None


class Tracing:
    """Makes spans of calls and of batches."""

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry import trace  # noqa: PLC0415 - an optional dependency
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

        self._provider = provider
        self._trace = trace
        self._tracer = provider.get_tracer("kinpost_server")
        self._propagator = TraceContextTextMapPropagator()

    def rpc(self, service: str, method: str, handle: Handler) -> Handler:
        """Return the handler of an RPC within a span of its own."""
        given = {"rpc.system": "grpc", "rpc.service": service, "rpc.method": method}

        async def traced(requests: object, context: Any) -> Any:
            with self._call(f"{service}/{method}", context.invocation_metadata() or (), given) as span:
                try:
                    answer = await handle(requests, context)
                except asyncio.CancelledError:
                    span.set_attribute(STATUS, CANCELLED)
                    raise
                span.set_attribute(STATUS, 0)
                return answer

        return traced

    @contextlib.contextmanager
    def http(self, method: str, route: str, headers: Iterable[tuple[str, str]]) -> Iterator[Any]:
        """Give the span of an HTTP request, which `answered` completes."""
        given = {"http.request.method": method, "http.route": route}
        with self._call(f"{method} {route}", headers, given) as span:
            yield span

    def answered(self, span: Any, status: int) -> None:
        """Tell how an HTTP request was answered."""
        span.set_attribute("http.response.status_code", status)
        if status >= 500:
            span.set_status(self._trace.StatusCode.ERROR)

    def asked(self, caller: Caller, request: Any = None) -> None:
        """Tell who makes the call that is being answered, and which sessions and runs it names."""
        span = self._trace.get_current_span()
        if not span.is_recording():
            return
        span.set_attribute("kinpost.token_id", caller.token_id)
        for name in IDS:
            value = parse_uuid(getattr(request, name, ""))  # what is no UUID may be anything
            if value is not None:
                span.set_attribute(f"kinpost.{name}", value)

    def refused(self, fault: Told) -> None:
        """Tell by which code an RPC is refused."""
        span = self._trace.get_current_span()
        span.set_attribute("kinpost.code", fault.code)
        span.set_attribute(STATUS, fault.grpc_code.value[0])
        if fault.grpc_code.name in SERVER_FAULTS:
            span.set_status(self._trace.StatusCode.ERROR)

    def here(self) -> object | None:
        """Return the call that is being answered; None when it is not recorded."""
        place = self._trace.get_current_span().get_span_context()
        return place if place.is_valid and place.trace_flags.sampled else None

    def batch(self, calls: Sequence[object], began: int, commands: int, events: int, code: str) -> None:
        """Tell that a batch was carried out for these calls."""
        ended = time.time_ns()
        span = self._tracer.start_span(
            "kinpost batch",
            context=self._trace.set_span_in_context(self._trace.INVALID_SPAN),  # of no call alone
            links=[self._trace.Link(place) for place in calls],  # type: ignore[arg-type]  # they are what `here` gave
            attributes={"kinpost.batch.commands": commands, "kinpost.batch.events": events},
            start_time=began,
        )
        if code:
            span.set_attribute("kinpost.code", code)
            span.set_status(self._trace.StatusCode.ERROR)
        span.end(ended)

    def flush(self) -> None:
        """Send what is at hand. Blocks."""
        self._provider.force_flush()

    def end(self, seconds: float) -> None:
        """Send what is left, for so many seconds at most. Blocks."""
        # A collector that hangs must not hold up the end of the process.
        last = threading.Thread(target=self._provider.shutdown, name="tracing", daemon=True)
        last.start()
        last.join(seconds)

    @contextlib.contextmanager
    def _call(self, name: str, metadata: Iterable[tuple[str, Any]], given: dict[str, str]) -> Iterator[Any]:
        carrier = {key.lower(): value for key, value in metadata if key.lower() in CARRIED and isinstance(value, str)}
        span = self._tracer.start_span(
            name, context=self._propagator.extract(carrier), kind=self._trace.SpanKind.SERVER, attributes=given
        )
        # An exception's words may be anybody's: neither it nor they belong into a span.
        with self._trace.use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            yield span


def _provider(settings: TracingSettings, version: str) -> TracerProvider:
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - an optional dependency
    from opentelemetry.sdk.trace import SpanLimits, TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    named = {"service.version": version}
    if not os.environ.get("OTEL_SERVICE_NAME") and "service.name=" not in os.environ.get(
        "OTEL_RESOURCE_ATTRIBUTES", ""
    ):
        named["service.name"] = SERVICE_NAME
    told_otherwise = os.environ.get("OTEL_SPAN_LINK_COUNT_LIMIT")
    provider = TracerProvider(
        resource=Resource.create(named),
        span_limits=SpanLimits() if told_otherwise else SpanLimits(max_links=LINKS_MAX),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(BatchSpanProcessor(_exporter(settings.endpoint)))
    return provider


def _exporter(endpoint: str) -> Any:
    protocol = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL")
    if protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as Grpc  # noqa: PLC0415

        return Grpc(endpoint=endpoint or None)
    if protocol not in (None, "", "http/protobuf"):
        raise CannotTrace(f"OTEL_EXPORTER_OTLP_PROTOCOL: {protocol!r} is not known here; http/protobuf and grpc are")
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as Http  # noqa: PLC0415

    return Http(endpoint=f"{endpoint.rstrip('/')}/v1/traces" if endpoint else None)
