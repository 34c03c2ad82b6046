"""What active runs have sent, in memory, so that a new send asks the database nothing."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping

POSITIONS_MAX = 4096  # about a megabyte; hardly any run sends more
DIGEST_MASK = (1 << 64) - 1


class Sends:
    """The calls of one run that were sends: the newest with their positions, the rest as 8 bytes each."""

    __slots__ = ("_older", "_positions", "run_id")

    def __init__(self, run_id: str, positions: Mapping[str, int] | None = None) -> None:
        self.run_id = run_id
        self._positions: dict[str, int] = {}
        self._older = array("Q")  # sorted
        for tool_call_id, position in (positions or {}).items():
            self.add(tool_call_id, position)

    def add(self, tool_call_id: str, position: int) -> None:
        """Take in a call that is stored now."""
        positions = self._positions
        positions[tool_call_id] = position
        if len(positions) >= 2 * POSITIONS_MAX:
            old = list(positions)[:POSITIONS_MAX]
            for name in old:
                del positions[name]
            self._older = array("Q", sorted([*self._older, *map(_digest, old)]))

    def position(self, tool_call_id: str) -> int | None:
        """Return the position of the message that a call became, if it is at hand."""
        return self._positions.get(tool_call_id)

    def may_hold(self, tool_call_id: str) -> bool:
        """Whether the call may be one whose position is no longer at hand."""
        older = self._older
        if not older:
            return False
        digest = _digest(tool_call_id)
        at = bisect_left(older, digest)
        return at < len(older) and older[at] == digest


def _digest(tool_call_id: str) -> int:
    return hash(tool_call_id) & DIGEST_MASK
