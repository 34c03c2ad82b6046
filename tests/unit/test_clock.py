"""The engine's clock: it follows the system's and whatever that is corrected by, smoothly, and never goes back."""

from __future__ import annotations

import sys
import threading

import pytest
from kinpost_server.engine import clock

SECOND = 1_000_000


class Machine:
    """The clocks of a machine; both stand still unless they are moved."""

    def __init__(self) -> None:
        self.system, self.tick = 1_700_000_000 * SECOND, 5 * SECOND

    def time_ns(self) -> int:
        return self.system * 1000

    def monotonic_ns(self) -> int:
        return self.tick * 1000

    def passes(self, seconds: float) -> None:
        self.system += int(seconds * SECOND)
        self.tick += int(seconds * SECOND)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(clock, "time", machine)
    return machine


def test_a_jump_of_the_system_is_followed_at_one_part_in_ten(machine: Machine) -> None:
    found = clock.Clock()
    for jump in (3600, -7200):
        before = found.now()
        machine.system += jump * SECOND
        machine.passes(10)
        assert found.now() - before == (11 if jump > 0 else 9) * SECOND
        machine.passes(abs(jump) * 10)
        assert found.now() == machine.system


def test_it_is_ahead_of_the_system_by_what_it_is_told(machine: Machine) -> None:
    offsets = [30 * SECOND]
    found = clock.Clock(lambda: offsets[-1])
    assert found.now() == machine.system + 30 * SECOND
    offsets.append(0)
    machine.passes(1)
    assert found.now() == machine.system + 30 * SECOND - SECOND // 10


def test_no_thread_sees_it_go_back() -> None:
    found, went_back = clock.Clock(), []

    def look() -> None:
        last = 0
        for _ in range(20_000):
            now = found.now()
            if now < last:
                went_back.append((last, now))
            last = now

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert went_back == []
