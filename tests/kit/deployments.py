"""What the tests run against, and which of them run against less than all of it: each with its reason.

`sqlite` is a file of one server's own; `postgres` is one server on a PostgreSQL database of its own; `replicas` are two
servers on one such database, whose clients call them in turn. A test that takes `server`, `process`, `office` or
whatever else stands on `deployment` runs on SQLite and on PostgreSQL; its id tells which.

* `@pytest.mark.only("sqlite", because="...")` keeps a test to what it names.
* `NOT_OF_THE_STORE` keeps whole modules and folders to SQLite: they never look at what is stored.
* What comes through the HTTP door and through gRPC's comes through the latter alone where it is not SQLite.
* `AS_REPLICAS_TOO` names what runs as replicas besides.

Nothing is skipped: what is not to run is not collected. `DEPLOYMENT_OF_KINPOST_TESTS` chooses one for a run, be it
`replicas` for all that is not kept from it. A tidy test holds the lists below and the marks to what is known of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

SQLITE, POSTGRES, REPLICAS = "sqlite", "postgres", "replicas"
ROOT = Path(__file__).parents[2]
CHOSEN = os.environ.get("DEPLOYMENT_OF_KINPOST_TESTS", "")

# Paths below tests/, of modules or folders, that run on SQLite alone, and why.
NOT_OF_THE_STORE: Mapping[str, str] = {
    "service/test_bad_input.py": "bytes and fields are refused by the transport, before anything is read",
    "service/test_fuzz.py": "made-up requests try the transport's refusals",
    "service/test_tls.py": "certificates and the handshake",
    "service/test_door.py": "reflection, health, sizes and deadlines of the gRPC door",
    "service/test_betterproto.py": "another generator's stubs, on the wire",
    "service/cli": "what the command line prints and how it exits",
    "service/watch": "what the terminal UI shows, by the client's calls",
    "service/test_demo.py": "the demonstration's printing; `make demo DATABASE=postgres` plays it over PostgreSQL",
    "service/test_demo_node.py": "the demonstration's printing, in another language",
    "service/test_typescript_client.py": "the client in TypeScript; its calls are those of service/client",
    "service/client/test_client_tls.py": "certificates and the handshake",
    "service/peers/test_peer_http.py": "how the HTTP door reads requests; the other modules go through both doors",
    "service/peers/test_peer_openapi.py": "the description of the HTTP door, and requests that break it",
    "faults/test_strangers.py": "what strangers send never gets as far as the store",
}

# Paths below tests/ of what two replicas do as well: where one may have to know what the other did.
AS_REPLICAS_TOO: tuple[str, ...] = (
    "service/peers/test_peer_rate.py",
    "service/peers/test_peer_replay.py",
    "service/test_approval_endings.py",
    "service/test_approval_races.py",
    "service/test_approval_waits.py",
    "service/test_mail_guards.py",
    "service/test_mail_replay.py",
    "service/test_mail_waking.py",
    "service/test_plugin_gates.py",
    "service/test_producer_races.py",
    "service/test_revocation.py",
    "service/test_run_claims.py",
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


def within(path: str, places: Mapping[str, str] | tuple[str, ...]) -> bool:
    """Whether a module is one of these, or in one of these folders."""
    return any(path == place or path.startswith(f"{place}/") for place in places)


def is_to_run(item: pytest.Item, chosen: str = CHOSEN) -> bool:
    """Whether a test is to run on the deployment that its id names."""
    callspec = getattr(item, "callspec", None)
    deployment = callspec.params.get("deployment", "") if callspec is not None else ""
    if not deployment:
        return True
    if deployment != SQLITE and callspec.params.get("door") == "http":
        return False  # both doors lead to one engine: what is behind it is tried through the other
    path = path_of(item)
    mark = item.get_closest_marker("only")
    if mark is not None and deployment not in mark.args:
        return False
    if within(path, NOT_OF_THE_STORE) and deployment != SQLITE:
        return False
    if chosen:
        return bool(deployment == chosen)
    return deployment != REPLICAS or within(path, AS_REPLICAS_TOO) or (mark is not None and mark.args == (REPLICAS,))
