"""How commands are gathered into commits: in order, up to the limit, none left behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kinpost_server.engine.command import Command, Deferred
from kinpost_server.engine.gathering import Gathering, Pending
from kinpost_server.engine.settings import BatchLimits, EngineSettings
from kinpost_server.engine.view import View
from office import Office, Waiting


class Number(Command[int]):
    """Answers with its number; may ask to be decided in a later batch first."""

    def __init__(self, number: int, deferrals: int = 0) -> None:
        self.number, self.deferrals = number, deferrals

    def load(self, view: View) -> None:
        """Nothing is needed."""

    def decide(self, view: View) -> int:
        if self.deferrals:
            self.deferrals -= 1
            raise Deferred
        return self.number


def gathered(open_office: Callable[..., Office], *lists: list[Command[Any]]) -> list[list[int]]:
    """Hand lists of commands over and end the committer; return the numbers answered, commit by commit."""
    office = open_office(EngineSettings(batch=BatchLimits(batch_max=4, linger_seconds=0.0)))
    answered: list[list[int]] = []
    office.committer.announce = lambda outcome: answered.append([answer for _, answer in outcome.answers])
    for commands in lists:
        office.committer.gathering.submit([Pending(command, Waiting()) for command in commands])
    office.committer.start()
    office.committer.stop()
    office.store.close()
    return [numbers for numbers in answered if numbers]


@pytest.mark.parametrize("count", [1, 4, 5, 9])
def test_no_commit_is_larger_than_the_limit(open_office, count):
    answered = gathered(open_office, [Number(number) for number in range(count)])
    assert max(map(len, answered)) <= 4
    assert [number for numbers in answered for number in numbers] == list(range(count))
    assert len(answered) == (count + 3) // 4


def test_lists_handed_over_together_share_a_commit(open_office):
    assert gathered(open_office, [Number(1)], [Number(2), Number(3)]) == [[1, 2, 3]]


def test_what_was_put_off_is_decided_before_the_end(open_office):
    answered = gathered(open_office, [Number(1), Number(2, deferrals=1), Number(3)])
    assert sorted(number for numbers in answered for number in numbers) == [1, 2, 3]


def test_it_waits_for_more_only_while_commits_are_large(monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr("kinpost_server.engine.gathering.time.sleep", waits.append)
    gathering = Gathering(BatchLimits(linger_seconds=0.5))

    def take(count: int) -> int:
        gathering.submit([Pending(Number(number), Waiting()) for number in range(count)])
        waits.clear()
        gathering.take()
        return len(waits)

    assert [take(1), take(3), take(4), take(16)] == [0, 0, 1, 1]
    assert [take(1) for _ in range(12)][:1] == [1]
    assert take(1) == 0
