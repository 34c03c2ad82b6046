"""What the tests run against, and which of them run against less than all of it: each with its reason.

`sqlite` is a file of one server's own; `postgres` is one server on a PostgreSQL database of its own; `replicas` are two
servers on one such database, whose clients call them in turn. A test that takes `server`, `process`, `office` or
whatever else stands on `deployment` runs on SQLite and on PostgreSQL; its id tells which.

* `@pytest.mark.only("sqlite", because="...")` keeps a test to what it names.
* `AS_REPLICAS_TOO` names what runs as replicas besides.

Nothing is skipped: what is not to run is not collected. `DEPLOYMENT_OF_KINPOST_TESTS` chooses one for a run, be it
`replicas` for all that is not kept from it. A tidy test holds the lists below and the marks to what is known of them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SQLITE, POSTGRES, REPLICAS = "sqlite", "postgres", "replicas"
ROOT = Path(__file__).parents[2]
CHOSEN = os.environ.get("DEPLOYMENT_OF_KINPOST_TESTS", "")

# Paths below tests/ of what two replicas do as well: where one may have to know what the other did.
AS_REPLICAS_TOO: tuple[str, ...] = (
    "service/peers/test_peer_broadcast.py",
    "service/peers/test_peer_dead_letters.py",
    "service/peers/test_peer_rate.py",
    "service/peers/test_peer_replay.py",
    "service/test_approval_endings.py",
    "service/test_approval_grants.py",
    "service/test_approval_races.py",
    "service/test_approval_waits.py",
    "service/test_approvals.py",
    "service/test_availability.py",
    "service/test_delegation_reports.py",
    "service/test_fork.py",
    "service/test_mail_expiry.py",
    "service/test_mail_guards.py",
    "service/test_mail_replay.py",
    "service/test_mail_supersedes.py",
    "service/test_mail_waking.py",
    "service/test_pairs_at_speed.py",
    "service/test_plugin_gates.py",
    "service/test_plugin_streams.py",
    "service/test_producer_mail.py",
    "service/test_producer_races.py",
    "service/test_producers.py",
    "service/test_races_at_speed.py",
    "service/test_races_storm.py",
    "service/test_retention.py",
    "service/test_revert.py",
    "service/test_revocation.py",
    "service/test_run_claims.py",
    "service/test_run_ends.py",
    "service/test_run_identities.py",
    "service/test_run_leases.py",
    "service/test_run_stops.py",
    "service/test_subscription_resumption.py",
    "service/test_subscription_scopes.py",
    "service/test_wake_attachments.py",
    "service/test_wake_offers.py",
)


def path_of(item: pytest.Item) -> str:
    """Return a test's module below tests/."""
    return item.path.relative_to(ROOT / "tests").as_posix()


def is_to_run(item: pytest.Item, chosen: str = CHOSEN) -> bool:
    """Whether a test is to run on the deployment that its id names."""
    callspec = getattr(item, "callspec", None)
    deployment = callspec.params.get("deployment", "") if callspec is not None else ""
    if not deployment:
        return True
    path = path_of(item)
    mark = item.get_closest_marker("only")
    if mark is not None and deployment not in mark.args:
        return False
    if chosen:
        return bool(deployment == chosen)
    return deployment != REPLICAS or path in AS_REPLICAS_TOO or (mark is not None and mark.args == (REPLICAS,))
