"""A collector of traces on loopback: it takes OTLP as the real ones do, and keeps what it gets."""

from __future__ import annotations

import gzip
import threading
from concurrent import futures
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc


class Collector:
    """Spans by name, over HTTP or gRPC; `raw` is every byte of them."""

    def __init__(self, protocol: str) -> None:
        self._protocol = protocol
        self.requests: list[Any] = []
        self.paths: list[str] = []

    def __enter__(self) -> Self:
        if self._protocol == "grpc":
            self._server: Any = grpc.server(futures.ThreadPoolExecutor(2), options=[("grpc.so_reuseport", 0)])
            trace_service_pb2_grpc.add_TraceServiceServicer_to_server(_Grpc(self), self._server)
            port = self._server.add_insecure_port("127.0.0.1:0")
            self._server.start()
        else:
            self._server = ThreadingHTTPServer(("127.0.0.1", 0), _http(self))
            port = self._server.server_port
            threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.endpoint = f"http://127.0.0.1:{port}"
        return self

    def __exit__(self, *_: object) -> None:
        if self._protocol == "grpc":
            self._server.stop(0).wait(10)
        else:
            self._server.shutdown()
            self._server.server_close()

    @property
    def spans(self) -> list[Any]:
        return [
            span
            for request in list(self.requests)
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def resource(self) -> dict[str, Any]:
        return attributes_of(self.requests[0].resource_spans[0].resource)

    @property
    def raw(self) -> str:
        return "".join(str(request) for request in self.requests)

    def named(self, name: str) -> list[Any]:
        return [span for span in self.spans if span.name.endswith(name)]


def attributes_of(holder: Any) -> dict[str, Any]:
    """Return attributes as Python has them."""
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in holder.attributes}


class _Grpc(trace_service_pb2_grpc.TraceServiceServicer):
    def __init__(self, collector: Collector) -> None:
        self._collector = collector

    def Export(self, request: Any, context: Any) -> Any:  # noqa: N802 - an RPC's name
        self._collector.requests.append(request)
        return trace_service_pb2.ExportTraceServiceResponse()


def _http(collector: Collector) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                data = gzip.decompress(data)
            collector.paths.append(self.path)
            collector.requests.append(trace_service_pb2.ExportTraceServiceRequest.FromString(data))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
