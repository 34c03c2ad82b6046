"""The counter at which the commands are served."""

import pytest
from counter import Counter


@pytest.fixture
def counter(monkeypatch):
    """A command line whose server is the test."""
    return Counter(monkeypatch)
