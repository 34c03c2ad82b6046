"""Text of others, made harmless for a terminal: what it cannot show, or must not obey, is spelled out.

Bodies, descriptions, names and reasons are written by models and strangers. None of them is ever parsed as markup, and
none of their characters reaches the terminal that would move its cursor, change its colours, reorder a line or hide.
"""

from __future__ import annotations

import re
import unicodedata

TAB = "    "
NEWLINE_SIGN = "\u21b5"
# Of one letter; what is stacked higher grows over the lines above.
MARKS_MAX = 4
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_MARKS = (
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u0e31-\u0e4e"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
_STACKED = re.compile(f"({_MARKS}{{{MARKS_MAX}}}){_MARKS}+")


class _Spelling(dict[int, str]):
    """What stands for each character: most for themselves."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        if point < 0x20 or point == 0x7F:
            spelled = "^" + chr(point ^ 0x40)  # as `cat -v` does
        elif unicodedata.category(character) in _HIDDEN_CATEGORIES:
            spelled = f"<U+{point:04X}>"
        elif unicodedata.category(character) == "Zs":
            spelled = " "
        else:
            spelled = character
        self[point] = spelled
        return spelled


_SPELLING = _Spelling({ord("\n"): "\n", ord("\t"): TAB})


def harmless(text: str) -> str:
    """Return a text of several lines that a terminal can only show; newlines alone keep their meaning."""
    if text.isascii() and text.isprintable():
        return text
    return _STACKED.sub(r"\1…", text.replace("\r\n", "\n").translate(_SPELLING))


def harmless_line(text: str) -> str:
    """Return the same as one line: newlines are shown as a sign."""
    return harmless(text).replace("\n", NEWLINE_SIGN)


def short_id(identity: str) -> str:
    """Return the end of a UUID, enough for people to tell two apart; it is the random part of a version 7."""
    return identity[-8:]


def cut(text: str, characters_max: int) -> str:
    """Return a text, or as much of it as may be shown, with a sign that there is more."""
    return text if len(text) <= characters_max else text[: characters_max - 1] + "…"
