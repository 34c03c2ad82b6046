"""Two replicas whose clocks are apart, as two machines' are by what a round trip takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kinpost_server.domain.session import Starter
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.runtimes import WakeOffer
from kinpost_server.engine.settings import SECOND
from office import RUNTIME_1, START_TIME, Office

LAG = SECOND // 20


@pytest.fixture
def pair(tmp_path: Path, postgres_url: str) -> Iterator[tuple[Office, Office]]:
    """Two offices on one database; the clock of the second lags, and it hears what the first stores."""
    path = tmp_path / "unused"
    first = Office(path, postgres_url, others_first_seconds=1.0)
    second = Office(
        path, postgres_url, time=START_TIME - LAG, notices=first.notices, ids=first.ids, others_first_seconds=1.0
    )
    first.tell = lambda outcome: second.observe(list(outcome.stored))
    yield first, second
    for office in (first, second):
        office.close()


def test_a_wake_that_another_made_just_now_is_offered_as_soon_as_it_is_due_here(pair: tuple[Office, Office]) -> None:
    first, second = pair
    second.attach(RUNTIME_1, "a-runtime")
    first.do(
        CreateSession(
            RUNTIME_1, first.new_id(), None, None, None, "worker", {}, starter=Starter.WAKE, first_message="hello"
        )
    )
    second.advance(LAG / SECOND)
    (offer,) = first.notices["a-runtime"]
    assert isinstance(offer, WakeOffer)
