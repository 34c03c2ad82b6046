"""What every event has: who caused it, and a payload that says what happened."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar


class Origin(IntEnum):
    """Who caused an event."""

    SERVICE = 1
    RUNTIME = 2
    AGENT = 3
    PERSON = 4
    PLUGIN = 5
    PEER = 6


@dataclass(slots=True)
class Payload:
    """What happened. A field with the mark `given` is not in the log: whoever applies the event gives it."""

    TYPE: ClassVar[int] = 0
