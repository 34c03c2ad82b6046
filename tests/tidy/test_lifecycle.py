"""The life of a message is told three times, to code, to people and on the wire, and each time the same."""

import re
from pathlib import Path

from kinpost.v1 import event_pb2, message_pb2
from kinpost_server.domain.lifecycle import STEPS
from kinpost_server.domain.message import MessageState

Row = tuple[frozenset[str], str, str]


def table_of(text: str) -> set[Row]:
    """The rows of ARCHITECTURE.md's table: from which states, by which step, to which state."""
    section = text.split("## The life of a message", 1)[1].split("\n## ", 1)[0]
    rows = set()
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0] not in ("from", "---"):
            sources = frozenset() if cells[0] == "–" else frozenset(cells[0].split(", "))
            rows.add((sources, cells[1], cells[2]))
    return rows


def test_the_table_for_people_is_the_table_in_code(repository: Path) -> None:
    """Plus its first row, acceptance, which has no state before it."""
    coded = {
        (frozenset(state.name.lower() for state in sources), step.value, target.name.lower())
        for step, (sources, target) in STEPS.items()
    }
    coded.add((frozenset(), "accept", "accepted"))
    assert coded == table_of((repository / "ARCHITECTURE.md").read_text("utf-8"))


def test_a_row_that_differs_is_seen() -> None:
    """The reader of the table reads."""
    text = (
        "## The life of a message\n\n| from | step | to | event |\n| --- | --- | --- | --- |\n| a, b | c | d | `E` |\n"
    )
    assert {(frozenset({"a", "b"}), "c", "d")} == table_of(text)


def test_each_event_of_the_table_is_an_arm_of_the_wire_event(repository: Path) -> None:
    """The names that people read are names that subscribers get."""
    section = (repository / "ARCHITECTURE.md").read_text("utf-8").split("## The life of a message", 1)[1]
    named = set(re.findall(r"^\|.*`(\w+)` \|$", section.split("\n## ", 1)[0], re.MULTILINE))
    arms = {field.message_type.name for field in event_pb2.Event.DESCRIPTOR.oneofs_by_name["payload"].fields}
    assert named
    assert named <= arms


def test_the_states_are_those_of_the_wire() -> None:
    """Names and numbers."""
    wire = {name.removeprefix("MESSAGE_STATE_"): number for name, number in message_pb2.MessageState.items() if number}
    assert {state.name: state.value for state in MessageState} == wire
