"""The clock that counts is the database's, which was read somewhere between a question and its answer."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace

import pytest
from kinpost_server.store import postgres

SPARE_SECONDS = 60 if os.environ.get("KINPOST_TEST_POSTGRES_URL") else 0  # that server may be another machine's


@pytest.fixture
def database(postgres_database):
    """SQLite has this machine's."""
    return postgres_database


@pytest.fixture
def begin(opened, monkeypatch):
    """Begin a transaction, with a clock that is some seconds ahead when it asks and when it is answered."""
    real = time.time_ns

    def begun(*ahead: float) -> float:
        jumps = iter(ahead)
        with monkeypatch.context() as patched:
            clock = SimpleNamespace(time_ns=lambda: real() + int(next(jumps) * 1e9))
            patched.setattr(postgres, "time", clock)
            opened.store.begin()
        opened.store.rollback()
        return opened.store.clock_offset() / 1e6

    return begun


def test_on_one_machine_there_is_one(opened, begin):
    assert max(abs(opened.store.clock_offset()), abs(begin(0, 0))) <= SPARE_SECONDS


@pytest.mark.parametrize("ahead", [3600, -3600])
def test_another_one_is_followed(begin, ahead):
    assert abs(begin(ahead, ahead) + ahead) < 60


def test_the_nearest_that_can_be_is_taken(begin):
    before = begin(1000, 1000)
    assert before < begin(900, 950) <= -900 + SPARE_SECONDS


def test_an_answer_that_comes_late_changes_nothing(begin):
    before = begin(-100, -100)
    assert begin(-100, -98) == before


def test_nor_does_a_question_that_has_to_wait(begin):
    before = begin(-100, -100)
    assert before <= begin(-102, -100) <= 100 + SPARE_SECONDS


def test_a_clock_that_goes_back_meanwhile_is_followed_soon(begin):
    assert abs(begin(100, 0) + 100) < 60
    assert abs(begin(0, 0)) < 60
