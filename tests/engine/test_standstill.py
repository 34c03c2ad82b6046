"""While the service stands still nobody can renew a lease, so none lapses by it."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
from kinpost_server.engine import upkeep
from office import Office

LONG = 1000.0


@pytest.mark.parametrize("moment", [1, 2, 3])
def test_one_that_comes_while_a_sweep_looks_lapses_no_lease(
    office: Office, tree: Any, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    begin, begun = office.store.begin, []

    def standing_still() -> None:
        begun.append(office.time)
        if len(begun) == moment:
            office.time += int(LONG * 1_000_000)
            clock.monotonic = lambda: passed + LONG
        begin()

    passed, clock = office.upkeep._swept, SimpleNamespace(monotonic=time.monotonic)
    with monkeypatch.context() as patched:
        patched.setattr(upkeep, "time", clock)
        patched.setattr(office.store, "begin", standing_still)
        patched.setattr(office.store, "due_sessions", lambda *_: [tree.root])  # for whatever else it may be due
        office.upkeep.sweep_in_time()
        office.upkeep.sweep_in_time()
    assert office.session(tree.root).run.run_id == tree.run_id
    assert "stood_still" in [name for name, _ in office.logged]
    office.advance(LONG)
    assert office.session(tree.root).run is None
