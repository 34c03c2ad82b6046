"""What the engine has to know of the configuration; `kinpost_server.settings` fills it."""

from __future__ import annotations

from dataclasses import dataclass, field

from kinpost_server.domain.approval import ApprovalLimits
from kinpost_server.domain.guards import MessagingLimits
from kinpost_server.domain.rate_window import PeerLimits

SECOND = 1_000_000  # times are microseconds


@dataclass(slots=True, frozen=True)
class DeliveryLimits:
    """`[delivery]`: leases, offers and claims. Seconds, bytes and counts."""

    run_lease_seconds: float = 60.0
    heartbeat_seconds: float = 15.0
    queued_start_seconds: float = 600.0
    offer_seconds: float = 10.0
    offer_retry_seconds: float = 1.0
    offer_retry_max_seconds: float = 60.0
    failing_delay_seconds: float = 1.0
    failing_delay_max_seconds: float = 300.0
    failing_runs_max: int = 8
    claim_bytes_max: int = 1 << 20
    sweep_seconds: float = 0.2
    reconcile_seconds: float = 30.0


@dataclass(slots=True, frozen=True)
class BatchLimits:
    """`[server]`: how commands are gathered into commits."""

    queue_max: int = 4096
    batch_max: int = 256
    linger_seconds: float = 0.0005
    linger_commands_min: int = 4


@dataclass(slots=True, frozen=True)
class ProducerLimits:
    """`[producers]`: mail that is not an agent's, and the registrations by which plugins send it."""

    pending_per_session_max: int = 1024
    body_bytes_max: int = 256 * 1024
    lease_seconds: float = 60.0
    registered_per_session_max: int = 256


@dataclass(slots=True, frozen=True)
class Gate:
    """A plugin that tool calls are put before; `blocks_on_failure`: what it does not answer is blocked."""

    plugin_name: str
    blocks_on_failure: bool = True


@dataclass(slots=True, frozen=True)
class PluginLimits:
    """`[plugins]`: who gates tool calls, in this order, and for how long one may think."""

    intercept_timeout_seconds: float = 5.0
    gates: tuple[Gate, ...] = ()


@dataclass(slots=True, frozen=True)
class RetentionLimits:
    """`[retention]`: for how long after the last of them the events of a tree that was put away are kept."""

    events_seconds: float = 0.0  # 0: for ever


@dataclass(slots=True, frozen=True)
class EngineSettings:
    """All of it."""

    messaging: MessagingLimits = field(default_factory=MessagingLimits)
    approvals: ApprovalLimits = field(default_factory=ApprovalLimits)
    delivery: DeliveryLimits = field(default_factory=DeliveryLimits)
    batch: BatchLimits = field(default_factory=BatchLimits)
    producers: ProducerLimits = field(default_factory=ProducerLimits)
    plugins: PluginLimits = field(default_factory=PluginLimits)
    peer: PeerLimits = field(default_factory=PeerLimits)
    retention: RetentionLimits = field(default_factory=RetentionLimits)
    sessions_per_token_max: int = 100_000
