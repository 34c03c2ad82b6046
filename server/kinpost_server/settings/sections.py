"""The sections of the configuration: every key with its default, its bounds and what it is for."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from kinpost_server.engine.settings import EngineSettings, Gate
from kinpost_server.store.settings import StoreSettings
from kinpost_server.transport.address import split_address
from kinpost_server.transport.limits import HttpLimits, TransportLimits

DAY_SECONDS = 86_400.0
GATE = "[a-z0-9_-]{1,64}(:allow|:block)?"
HOST_NAME = "[A-Za-z0-9._-]{1,253}"

_ENGINE, _STORE, _TRANSPORT, _HTTP = EngineSettings(), StoreSettings(), TransportLimits(), HttpLimits()
_PRODUCERS = _ENGINE.producers


class Section(BaseModel):
    """One section. Its docstring's first line is its title in the help."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _count(default: int, description: str, least: int = 1, most: int = 1_000_000) -> Any:
    return Field(default=default, description=description, ge=least, le=most)


def _bytes(default: int, description: str, least: int, most: int) -> Any:
    return Field(default=default, description=f"{description}; bytes", ge=least, le=most)


def _seconds(default: float, description: str, least: float = 0.001, most: float = DAY_SECONDS) -> Any:
    return Field(default=default, description=f"{description}; seconds", ge=least, le=most)


class ServerSection(Section):
    """The server and its port"""

    listen: str = Field(default="127.0.0.1:7419", description="Address and port of gRPC; port 0 lets the system choose")
    insecure: bool = Field(
        default=False, description="Listen without TLS where others than this machine can connect; tokens can be read"
    )
    tls_cert_file: str = Field(default="", description="Certificate chain, PEM; read again on SIGHUP")
    tls_key_file: str = Field(default="", description="Its private key, PEM")
    request_bytes_max: int = _bytes(_TRANSPORT.request_bytes_max, "Largest request", 64 << 10, 64 << 20)
    requests_bytes_max: int = _bytes(
        _TRANSPORT.requests_bytes_max, "Requests that are being answered, all together", 64 << 10, 64 << 30
    )
    request_seconds: float = _seconds(_TRANSPORT.request_seconds, "Time for a request to come", 0.1, 3600)
    queue_commands_max: int = _count(_ENGINE.batch.queue_max, "Commands that may wait before callers are turned away")
    batch_commands_max: int = _count(_ENGINE.batch.batch_max, "Commands of one commit", 1, 10_000)
    linger_seconds: float = _seconds(
        _ENGINE.batch.linger_seconds, "Wait for more commands before a commit, while commits are large", 0, 1
    )
    linger_commands_min: int = _count(_ENGINE.batch.linger_commands_min, "Commands that make a commit a large one")
    shutdown_seconds: float = _seconds(10.0, "Time to answer what was taken in, when the server ends", 0, 600)
    keepalive_seconds: float = _seconds(_TRANSPORT.keepalive_seconds, "Ping quiet connections this often", 1)
    keepalive_timeout_seconds: float = _seconds(
        _TRANSPORT.keepalive_timeout_seconds, "Close a connection whose ping is not answered for this long", 1
    )
    client_ping_seconds_min: float = _seconds(
        _TRANSPORT.client_ping_seconds_min, "Clients that ping more often than this are cut off", 1
    )
    handshake_seconds: float = _seconds(
        _TRANSPORT.handshake_seconds, "Time for a new connection to say hello", 0.1, 600
    )
    health_seconds: float = _seconds(_TRANSPORT.health_seconds, "Ask the store for its health this often", 0.05, 600)


class StorageSection(Section):
    """Where everything is kept"""

    data_folder: str = Field(default="kinpost-data", description="Folder of the database, and of the first admin token")
    database_url: str = Field(
        default="",
        description="Database; empty means SQLite, kinpost.db in the data folder; "
        "postgresql+psycopg://user:password@host/name means PostgreSQL",
    )
    busy_timeout_seconds: float = _seconds(_STORE.busy_timeout_seconds, "Patience with a locked database", 0, 600)
    statement_seconds: float = _seconds(_STORE.statement_seconds, "Longest statement of PostgreSQL", 0.1, 3600)
    commit_resolve_seconds: float = _seconds(
        _STORE.commit_resolve_seconds, "Patience to learn whether a commit was stored", 0, 600
    )
    page_cache_bytes: int = _bytes(_STORE.page_cache_bytes, "Database pages kept in memory", 1 << 20, 64 << 30)
    checkpoint_pages: int = _count(_STORE.checkpoint_pages, "Pages of SQLite's log before it is folded back")
    reader_connections_max: int = _count(_STORE.reader_connections_max, "Connections that read for callers", 1, 64)
    cached_sessions_max: int = _count(_STORE.cached_sessions_max, "Sessions kept in memory", 1, 10_000_000)
    cached_body_bytes_max: int = _bytes(_STORE.cached_body_bytes_max, "Bodies kept in memory", 0, 64 << 30)


class MessagingSection(Section):
    """Mail between agents"""

    enabled: bool = Field(default=_ENGINE.messaging.enabled, description="Whether agents may write to each other")
    max_hops: int = Field(
        default=_ENGINE.messaging.max_hops, description="Longest chain of agent mail, in hops; 0: no limit"
    )
    max_body_bytes: int = _bytes(_ENGINE.messaging.max_body_bytes, "Largest body; 0 refuses every send", 0, 1 << 20)
    max_pending_per_session: int = _count(
        _ENGINE.messaging.max_pending_per_session,
        "Agent messages that may wait for one session; 0 refuses every send",
        0,
    )
    max_inflight_per_pair: int = _count(
        _ENGINE.messaging.max_inflight_per_pair, "Unread messages of one sender to one recipient; 0: no limit", 0
    )


class DeliverySection(Section):
    """Runs, wakes and claims"""

    run_lease_seconds: float = _seconds(
        _ENGINE.delivery.run_lease_seconds, "A run lapses when silent for this long", 0.1
    )
    heartbeat_seconds: float = _seconds(
        _ENGINE.delivery.heartbeat_seconds, "How often runtimes are asked to report", 0.05
    )
    queued_start_seconds: float = _seconds(
        _ENGINE.delivery.queued_start_seconds, "A delegated session waits for its delegator this long", 0.1
    )
    offer_seconds: float = _seconds(
        _ENGINE.delivery.offer_seconds, "How long a runtime may take to accept an offer", 0.05
    )
    offer_retry_seconds: float = _seconds(_ENGINE.delivery.offer_retry_seconds, "First delay of another offer; doubles")
    offer_retry_max_seconds: float = _seconds(_ENGINE.delivery.offer_retry_max_seconds, "Longest such delay")
    failing_delay_seconds: float = _seconds(
        _ENGINE.delivery.failing_delay_seconds, "First delay of a wake after a run that consumed nothing; doubles"
    )
    failing_delay_max_seconds: float = _seconds(_ENGINE.delivery.failing_delay_max_seconds, "Longest such delay")
    failing_runs_max: int = _count(_ENGINE.delivery.failing_runs_max, "Such runs in a row, then the session is paused")
    claim_bytes_max: int = _bytes(_ENGINE.delivery.claim_bytes_max, "Bodies of one claim", 1024, 64 << 20)
    sweep_seconds: float = _seconds(_ENGINE.delivery.sweep_seconds, "Look for what has fallen due this often", 0.01, 60)
    reconcile_seconds: float = _seconds(_ENGINE.delivery.reconcile_seconds, "Check all wakes this often", 0.05)


class ApprovalsSection(Section):
    """What is put before a person"""

    expire_seconds: float = _seconds(
        _ENGINE.approvals.expire_seconds,
        "A question expires unanswered after this long, 0: never",
        0,
        365 * DAY_SECONDS,
    )
    pending_per_session_max: int = _count(
        _ENGINE.approvals.pending_per_session_max, "Questions of one session that may wait for a person"
    )
    waits_max: int = _count(_ENGINE.approvals.waits_max, "Calls that wait for a person; more are answered at once")
    waits_per_token_max: int = _count(_ENGINE.approvals.waits_per_token_max, "The same, of one token")


class ProducersSection(Section):
    """Mail that is not an agent's"""

    pending_per_session_max: int = _count(_PRODUCERS.pending_per_session_max, "Messages that may wait for one session")
    body_bytes_max: int = _bytes(_PRODUCERS.body_bytes_max, "Largest body", 1, 1 << 20)
    lease_seconds: float = _seconds(_PRODUCERS.lease_seconds, "A registration lapses when not renewed so long", 0.1)
    registered_per_session_max: int = _count(_PRODUCERS.registered_per_session_max, "Producers of one session")


class PluginsSection(Section):
    """Plugins that gate tool calls"""

    intercept_timeout_seconds: float = _seconds(
        _ENGINE.plugins.intercept_timeout_seconds, "How long a plugin may think about a tool call", 0.01, 600
    )
    gates: str = Field(
        default="",
        description="Plugins that must see tool calls, in the order of asking, with commas between; what one does not "
        "answer is blocked, unless it is written `name:allow`",
        max_length=4096,
        pattern=rf"^\s*$|^\s*{GATE}\s*(,\s*{GATE}\s*)*$",
    )

    def in_order(self) -> list[Gate]:
        """Return the gates in the order of asking."""
        written = [name.strip().partition(":") for name in self.gates.split(",") if name.strip()]
        return [Gate(name, blocks_on_failure=on_failure != "allow") for name, _, on_failure in written]


class PeerSection(Section):
    """Mail from any session to any other"""

    calls_max: int = _count(_ENGINE.peer.calls_max, "Messages that one token may send in a window")
    window_seconds: float = _seconds(_ENGINE.peer.window_seconds, "Length of the sliding window", 0.1, 30 * DAY_SECONDS)
    replay_seconds: float = _seconds(_ENGINE.peer.replay_seconds, "A repeated request gets its first answer this long")
    dead_letter_seconds: float = _seconds(
        _ENGINE.peer.dead_letter_seconds,
        "Messages that could not be delivered are kept this long",
        1,
        3650 * DAY_SECONDS,
    )


class RetentionSection(Section):
    """What is kept for how long; see [peer] for dead letters and for repeated requests"""

    events_seconds: float = _seconds(
        _ENGINE.retention.events_seconds,
        "Events of a tree whose sessions are all archived or deleted are kept this long after the last of them, "
        "0: for ever",
        0,
        3650 * DAY_SECONDS,
    )


class HttpSection(Section):
    """The HTTP port, for peer mail and metrics"""

    enabled: bool = Field(default=True, description="Whether HTTP is served beside gRPC")
    listen: str = Field(
        default="127.0.0.1:19519", description="Address and port of HTTP; port 0 lets the system choose"
    )
    request_bytes_max: int = _bytes(_HTTP.request_bytes_max, "Largest body of a request", 1024, 64 << 20)
    requests_bytes_max: int = _bytes(
        _HTTP.requests_bytes_max, "Bodies that are being answered, all together", 1024, 64 << 30
    )
    head_bytes_max: int = _bytes(_HTTP.head_bytes_max, "Largest request line with its headers", 1024, 1 << 20)
    request_seconds: float = _seconds(_HTTP.request_seconds, "Time for a request to come", 0.1, 3600)
    keepalive_seconds: float = _seconds(_HTTP.keepalive_seconds, "A quiet connection is closed after this long", 0.1)
    connections_max: int = _count(_HTTP.connections_max, "Connections, and requests at once")
    metrics: Literal["open", "token", "off"] = Field(
        default="open",
        description="Who may read /metrics, numbers alone: whoever reaches the port (open), observers and admins "
        "by their token, or nobody (off)",
    )
    host_names: str = Field(
        default="",
        description="Names that requests may give in `Host` beside addresses, `localhost` and the name in `listen`, "
        "with commas between",
        max_length=4096,
        pattern=rf"^\s*$|^\s*{HOST_NAME}\s*(,\s*{HOST_NAME}\s*)*$",
    )

    def names(self) -> tuple[str, ...]:
        """Return all names that requests may give."""
        return (split_address(self.listen)[0], *(name.strip() for name in self.host_names.split(",") if name.strip()))


class EventsSection(Section):
    """Subscriptions"""

    heartbeat_seconds: float = _seconds(15.0, "Say this often on a quiet stream that it lives", 0.05)
    poll_seconds: float = _seconds(
        1.0, "Where replicas share a database: look this often for what others stored without saying so", 0.01, 60
    )


class LimitsSection(Section):
    """What clients may use"""

    sessions_per_token_max: int = _count(_ENGINE.sessions_per_token_max, "Sessions that one token may host")
    streams_per_token_max: int = _count(_TRANSPORT.streams_per_token_max, "Open streams of one token")
    reads_per_token_max: int = _count(_TRANSPORT.reads_per_token_max, "Requests of one token that are read at once")
    streams_per_connection_max: int = _count(_TRANSPORT.streams_per_connection_max, "Calls at once on one connection")
    connections_max: int = _count(_TRANSPORT.connections_max, "Connections")
    metadata_bytes_max: int = _bytes(_TRANSPORT.metadata_bytes_max, "Largest metadata of a call", 1024, 1 << 20)


class TracingSection(Section):
    """Traces by OpenTelemetry, with the extra `tracing`"""

    endpoint: str = Field(
        default="",
        description="Where a collector takes OTLP, as http://127.0.0.1:4318; empty: where OTEL_EXPORTER_OTLP_ENDPOINT "
        "says, and without that no traces are made. All else is said by the variables OTEL_*",
        pattern="^$|^https?://",
    )


class LogSection(Section):
    """The server's own log, on standard error"""

    level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="The least that is logged")
    format: Literal["text", "json"] = Field(default="text", description="For people, or for programs")
