"""Shown output against what came out: ids, times and addresses may differ, but not from one line to the next."""

from __future__ import annotations

import re
from collections.abc import Sequence

ELISION = ("...", "…")
KINDS = {
    "uuid": r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    "handle": r"[a-z0-9][a-z0-9-]{0,15}_[0-9a-f]{8}",
    "instant": r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?",
    "position": r"\d+(?=\s+\d{4}-\d\d-\d\d)",
    "time": r"(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d",  # a terminal shows the day only where it is another
    "seq": r"\d+(?= messages? )",
    "short": r"[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?",  # a terminal shows the beginning of an id
    "duration": r"\d+(?:\.\d+)? ?(?:ms|s|seconds)",
    "process": r"(?<=process )\d+",
    "size": r"\d+(?:\.\d+)? (?:bytes|KiB|MiB)",
}
LASTING = {"uuid", "handle", "short"}
TOKEN = re.compile("|".join(rf"(?P<{kind}>\b{pattern}\b)" for kind, pattern in KINDS.items()))


class Differs(AssertionError):
    """What came out is not what is shown."""


class Names:
    """What the ids that a page shows are in this run."""

    def __init__(self) -> None:
        self._real: dict[str, str] = {}

    def real(self, text: str) -> str:
        """The text with the ids of this run in place of those shown."""
        return TOKEN.sub(lambda found: self._real.get(found.group(), found.group()), text)

    def matches(self, shown: str, line: str) -> bool:
        """Whether a line is what is shown; if so, its ids are learned."""
        kinds, pattern, end = [], "", 0
        for found in TOKEN.finditer(shown):
            pattern += _literal(shown[end : found.start()])
            kinds.append((str(found.lastgroup), found.group()))
            pattern += f"({KINDS[kinds[-1][0]]})"
            end = found.end()
        pattern += _literal(shown[end:].rstrip())
        came = re.fullmatch(pattern, line.rstrip())
        if came is None:
            return False
        pairs = [(name, real) for (kind, name), real in zip(kinds, came.groups(), strict=True) if kind in LASTING]
        if any(self._real.get(name, real) != real for name, real in pairs):
            return False
        for name, real in pairs:
            self._real[name] = real
            if re.fullmatch(KINDS["uuid"], name):
                self._real.setdefault(name[:8], real[:8])
        return True


def _literal(text: str) -> str:
    """A pattern for text whose columns may be wider or narrower; ` ...` and `…` leave something out."""
    spaced = r"\s+".join(re.escape(part) for part in re.split(r"\s+", text))
    return spaced.replace(r"\s+\.\.\.", r"\s*.*").replace("…", ".*")


def compare(shown: Sequence[str], came: Sequence[str], names: Names) -> None:
    """Check that the lines that came are those shown. Raises Differs."""
    rest, skipping = list(came), False
    for line in shown:
        if line.strip() in ELISION:
            skipping = True
            continue
        while skipping and rest and not names.matches(line, rest[0]):
            rest.pop(0)
        if not rest or not (skipping or names.matches(line, rest[0])):
            raise Differs(_told(line, shown, came))
        rest.pop(0)
        skipping = False
    if rest and not skipping:
        raise Differs(_told("(nothing more)", shown, came))


def appears(shown: Sequence[str], came: Sequence[str], names: Names) -> str:
    """The first of the shown lines that does not come in its order, empty when all do."""
    rest = list(came)
    for line in shown:
        if line.strip() in ELISION:
            continue
        while rest and not names.matches(line, rest[0]):
            rest.pop(0)
        if not rest:
            return line
        rest.pop(0)
    return ""


def told_by_each(shown: Sequence[str], came: Sequence[str], names: Names) -> str:
    """The same for programs that speak at once: each speaker's entries come in their order, whatever is between.

    An entry is a line and those below it that are indented; its speaker is its first word.
    """
    told = _entries(came)
    reached: dict[str, int] = {}
    for entry in _entries(shown):
        speaker = names.real(entry[0].split()[0])
        for index in range(reached.get(speaker, 0), len(told)):
            if names.matches(entry[0], told[index][0]) and not appears(entry[1:], told[index][1:], names):
                reached[names.real(entry[0].split()[0])] = index + 1
                break
        else:
            return "\n".join(entry)
    return ""


def _entries(lines: Sequence[str]) -> list[list[str]]:
    entries: list[list[str]] = []
    for line in filter(str.strip, lines):
        if line[0].isspace() and entries:
            entries[-1].append(line)
        else:
            entries.append([line])
    return entries


def _told(line: str, shown: Sequence[str], came: Sequence[str]) -> str:
    return "\n".join([f"not as shown, at {line!r}", "--- shown", *shown, "--- came", *came])
