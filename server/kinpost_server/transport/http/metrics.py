"""`GET /metrics`: the engine's figures in Prometheus's text format. Numbers alone: no ids, no names, no text.

Everything is read when it is asked for; nothing is counted here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kinpost.v1 import PROTOCOL_VERSION
from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from kinpost_server.engine.figures import Figures
from kinpost_server.engine.tally import Spread
from kinpost_server.transport.admin_handlers import SERVER_VERSION

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
LAGS = (1, 100, 1_000, 10_000, 100_000, 1_000_000)
BEYOND = "+Inf"


class _AtHand(Collector):
    """Gives what was made for it."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        """Return it."""
        return self._metrics


class Metrics:
    """Writes figures, with those of the process: memory, processor time, open files."""

    def __init__(self) -> None:
        self._process = CollectorRegistry()
        ProcessCollector(registry=self._process)
        PlatformCollector(registry=self._process)
        GCCollector(registry=self._process)

    def text(self, figures: Figures) -> bytes:
        """Return the answer to a scrape."""
        registry = CollectorRegistry()
        registry.register(_AtHand(list(_metrics(figures))))
        return generate_latest(registry) + generate_latest(self._process)


def _metrics(figures: Figures) -> Iterator[Metric]:
    yield InfoMetricFamily(
        "kinpost_build",
        "The release, and the version of the protocol that it speaks",
        value={"version": SERVER_VERSION, "protocol_version": str(PROTOCOL_VERSION)},
    )
    yield _gauge("kinpost_store_healthy", "Whether the store answers, 1 or 0", figures.healthy)
    yield _gauge("kinpost_queue_commands", "Commands that wait for an answer", figures.queued_commands)
    yield _gauge("kinpost_queue_commands_max", "As many may wait; more are refused", figures.queued_commands_max)
    yield _histogram("kinpost_batch_commands", "Commands of a commit", figures.batch_commands)
    yield _histogram(
        "kinpost_batch_seconds",
        "Time of a batch, from the opening of its transaction until stored",
        figures.batch_seconds,
    )
    yield _histogram("kinpost_commit_seconds", "Time of a COMMIT alone: of the disk", figures.commit_seconds)
    commands = CounterMetricFamily(
        "kinpost_commands", "Answers to commands, by kind and code", labels=["command", "code"]
    )
    for (command, code), count in sorted(figures.answers.items()):
        commands.add_metric([command, code], count)
    yield commands
    yield _gauge("kinpost_log_position", "Position of the newest event", figures.last_position)
    yield _gauge("kinpost_runtimes_attached", "Runtimes that are attached", figures.attached_runtimes)
    yield _gauge("kinpost_run_slots", "Runs that the attached runtimes take at most", figures.run_slots)
    yield _gauge("kinpost_run_slots_free", "Runs that they can take now", figures.free_run_slots)
    yield _gauge("kinpost_subscribers", "Open subscriptions to events", len(figures.subscriber_lags))
    yield _lags(figures.subscriber_lags)
    yield _gauge(
        "kinpost_subscriber_lag_events_max",
        "Events that the slowest subscription has not looked at yet",
        max(figures.subscriber_lags, default=0),
    )
    yield from _stored(figures)


def _stored(figures: Figures) -> Iterator[Metric]:
    """What the database counts; left out when it does not answer, since the numbers are not known then."""
    stored = figures.stored
    if stored is None:
        return
    yield _gauge("kinpost_runs_active", "Runs that are active", stored.active_runs)
    yield _gauge("kinpost_wakes_outstanding", "Sessions with mail that need a run", stored.wakes)
    yield _gauge(
        "kinpost_wake_oldest_age_seconds",
        "Time since the oldest of these wakes was requested, 0 when there is none",
        figures.oldest_wake_seconds,
    )
    yield _gauge(
        "kinpost_messages_waiting",
        "Messages that are accepted, and neither consumed nor discarded",
        stored.waiting_messages,
    )
    yield _gauge("kinpost_messages_held", "Those of them whose session may not be woken", stored.held_messages)
    yield _gauge("kinpost_messages_parked", "Peer messages that wait for a rate slot", stored.parked_messages)
    yield _gauge("kinpost_dead_letters", "Peer messages kept that could not be delivered", stored.dead_letters)
    yield _gauge(
        "kinpost_sessions_failing", "Sessions paused by the service because their runs fail", stored.failing_sessions
    )
    yield _gauge("kinpost_approvals_pending", "Questions that wait for a person", stored.pending_approvals)


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(name, about, value=value)


def _histogram(name: str, about: str, spread: Spread) -> Metric:
    below, buckets = 0, []
    for bound, count in zip((*map(float, spread.bounds), BEYOND), spread.counts, strict=True):
        below += count
        buckets.append((str(bound), float(below)))
    return HistogramMetricFamily(name, about, buckets=buckets, sum_value=spread.total)


def _lags(lags: list[int]) -> Metric:
    behind = GaugeMetricFamily(
        "kinpost_subscribers_behind",
        "Subscriptions that have not looked at so many events yet, or more",
        labels=["events_min"],
    )
    for least in LAGS:
        behind.add_metric([str(least)], sum(lag >= least for lag in lags))
    return behind
