"""What a check found wrong: where, what, and the command that mends it."""

from __future__ import annotations

from dataclasses import dataclass

GENERATE = "scripts/generate-bindings"
BUMP = "scripts/bump-protocol"


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong. `detail` may have many lines; `mend` is a command or a short sentence."""

    what: str
    detail: str
    mend: str

    def __str__(self) -> str:
        lines = [
            self.what,
            *(f"    {line}" for line in self.detail.splitlines()),
            f"    mend it: {self.mend}",
        ]
        return "\n".join(lines)
