"""What the transport takes at most, from everybody and from one token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from kinpost_server.domain.errors import Overloaded
from kinpost_server.domain.identity import Caller

# gRPC cuts off what is much larger than a request may be; what is only larger gets our own answer.
READ_FACTOR = 4


@dataclass(slots=True, frozen=True)
class TransportLimits:
    """`[server]` and `[limits]`, as far as they concern the transport: bytes, seconds and counts."""

    request_bytes_max: int = 4 << 20
    requests_bytes_max: int = 64 << 20
    request_seconds: float = 30.0
    reads_per_token_max: int = 32
    metadata_bytes_max: int = 8192
    connections_max: int = 2000
    streams_per_connection_max: int = 2000
    streams_per_token_max: int = 256
    handshake_seconds: float = 10.0
    keepalive_seconds: float = 30.0
    keepalive_timeout_seconds: float = 20.0
    client_ping_seconds_min: float = 10.0
    health_seconds: float = 2.0

    def grpc_options(self) -> list[tuple[str, int]]:
        """Return them as options of a gRPC server."""
        return [
            # Without it a second server on the same port would get half of the calls, silently.
            ("grpc.so_reuseport", 0),
            ("grpc.max_receive_message_length", self.request_bytes_max * READ_FACTOR),
            # Windows that grow with the line let each call leave megabytes here that nobody has asked for.
            ("grpc.http2.bdp_probe", 0),
            ("grpc.max_metadata_size", self.metadata_bytes_max),
            ("grpc.absolute_max_metadata_size", self.metadata_bytes_max * 2),
            ("grpc.max_allowed_incoming_connections", self.connections_max),
            ("grpc.max_concurrent_streams", self.streams_per_connection_max),
            ("grpc.server_handshake_timeout_ms", int(self.handshake_seconds * 1000)),
            ("grpc.keepalive_time_ms", int(self.keepalive_seconds * 1000)),
            ("grpc.keepalive_timeout_ms", int(self.keepalive_timeout_seconds * 1000)),
            # Without it a ping may go unanswered for a minute, whatever the line above says.
            ("grpc.http2.ping_timeout_ms", int(self.keepalive_timeout_seconds * 1000)),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.min_ping_interval_without_data_ms", int(self.client_ping_seconds_min * 1000)),
            ("grpc.http2.max_pings_without_data", 0),
            ("grpc.http2.max_ping_strikes", 2),
        ]


@dataclass(slots=True, frozen=True)
class HttpLimits:
    """`[http]`, as far as it concerns the port: bytes, seconds, counts, names it is asked by, who reads the metrics."""

    request_bytes_max: int = 512 << 10
    requests_bytes_max: int = 32 << 20
    head_bytes_max: int = 16 << 10
    request_seconds: float = 30.0
    keepalive_seconds: float = 30.0
    connections_max: int = 512
    metrics: str = "open"  # or `token`, or `off`
    host_names: tuple[str, ...] = ()


class StreamSlots:
    """Counts the open streams of each token."""

    def __init__(self, per_token_max: int) -> None:
        self._per_token_max = per_token_max
        self._open: Counter[str] = Counter()

    @contextmanager
    def taken(self, caller: Caller) -> Iterator[None]:
        """Hold one of the token's streams. Raises Overloaded when all are taken."""
        token_id = caller.token_id
        if self._open[token_id] >= self._per_token_max:
            raise Overloaded(
                f"this token has {self._per_token_max} streams open, as many as it may have",
                retry_after_seconds=1.0,
            )
        self._open[token_id] += 1
        try:
            yield
        finally:
            self._open[token_id] -= 1
            if not self._open[token_id]:
                del self._open[token_id]

    def __len__(self) -> int:
        return self._open.total()
