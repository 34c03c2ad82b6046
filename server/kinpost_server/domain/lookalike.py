"""Whether a text could pass for the frame that mail is put in, under any disguise that a reader might see
through.

A text is read character by character down to the letters that each could be taken for, everything else is
dropped, and the names of the frames are looked for in what remains. Brackets, slashes, attributes, white
space, hyphens and invisible characters thus never matter, and a text that only speaks of an "agent message"
counts as well: a false alarm costs nine characters in a tag, a miss would cost the recipient's trust in who
wrote what.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from html import unescape

# Beyond these a text is in doubt, and no further work is spent on it: no body may hold up others.
READINGS_MAX = 12
READING_CHARACTERS_MAX = 2**20
ESCAPES_MAX = 2048
FOREIGN_CHARACTERS_MAX = 4096

# Letters of other scripts that look like the letters of the frames' names, as code points; after Unicode's
# table of confusables (UTS #39), with other cases of what it lists and a few more. Left out: what
# decomposes to Latin letters or is one by name (see _reading).
_LOOKALIKES = {
    "a": "251 391 3b1 410 430 4d9 13aa 15c5 237a 2c80 2c81 a4ee 102a0 16f40",
    "c": "3f2 421 441 13df 2ca4 2ca5 a4da abaf 102a2 10302 10415 1043d 1051c 118e9 118f2 1f74c",
    "d": "3b4 500 501 13a0 13e7 146f 15de 15ea 2202 a4d2 a4d3",
    "e": "25b 395 3b5 404 415 435 454 4bc 4bd 4be 4bf 510 511 13ac 212e 22ff 2c88 2c89 2d39 a4f0 10286 118a6 118ae",
    "g": "18d 50c 50d 581 13c0 13f3 13fb a4d6",
    "l": "196 269 399 3b9 406 456 4c0 4cf 5d5 5df 627 6f1 7ca 13a5 13de 14aa 16c1 2373 2c92 2c93 2cd0 2cd1 "
    "2d4f a4e1 a4f2 a646 a647 ab75 1028a 10309 10320 1041b 10526 118a3 118b2 118c3 16f16 16f28 1d22a",
    "m": "28d 39c 3bc 3fa 3fb 41c 43c 13b7 15f0 16d6 20a5 2c98 2c99 a4df 102b0 10311",
    "n": "14b 397 39d 3b7 3bd 418 41f 438 43f 578 57c 2c9a 2c9b a4e0 10513",
    "o": "398 39f 3b8 3bf 41e 43e 472 473 4e8 4e9 555 585 5e1 647 6d5 6f5 966 9e6 a66 ae6 b20 b66 be6 "
    "c66 ce6 d20 d66 e50 ed0 101d 1040 10ff 12d0 2c9e 2c9f 2d54 3007 a4f3 10292 102ab 10404 "
    "1042c 104c2 104ea 10516 114d0 118b5 118c8 118d7 118e0",
    "p": "3a1 3c1 420 440 48e 48f 13e2 146d 1d29 2374 2ca2 2ca3 a4d1 10295",
    "r": "1a6 393 3b3 413 42f 433 44f 13a1 13d2 1587 1d26 2c84 2c85 a4e3 ab47 ab48 ab81 104b4 16f35 1d216",
    "s": "1bc 1bd 3c2 3c3 3da 3db 405 455 54f 13d5 13da a4e2 abaa 10296 10420 10448 118c1 16f3a",
    "t": "3a4 3c4 422 442 4ac 4ad 13a2 22a4 27d9 2ca6 2ca7 a4d4 10297 102b1 10315 118bc 16f0a 1f768",
    "u": "28a 28b 3a5 3c5 446 54d 57d 1200 144c 222a 22c3 a4f4 a79e a79f 104ce 104f6 118b8 118d8 16f42",
    # Letters to Unicode, but seen as a dash, a bar or not at all: fillers, strokes, clicks.
    "": "1c0 5c0 115f 1160 1173 1175 2223 23fd 4e00 4e28",
}
# Not in the name of any frame.
_OTHER_LETTER = "z"
_DIGIT_LETTERS = dict(zip("0134579", "oleastg", strict=True))
_LATIN_BY_NAME = re.compile(r"\b(?:LATIN|REGIONAL INDICATOR) .*?\b([A-Z])\b")

_WORDS = re.compile(
    # Letters are those of _reading: i is l, and `rn` may be m. A vertical bar for l is dropped, sigma is both
    # s and o, mu both m and u.
    r"(?:agent|peer|pl?[um]gl?n|(?:d|cl)el?egatl?[os]?n)(?:m|rn)essage"
)
_ALWAYS_IN_WORDS = "essage"
_NOT_ASCII = re.compile(r"([^\x00-\x7f]+)")
# Letters that no font draws, but that models are known to read.
_TAG_CHARACTERS = re.compile("[\U000e0020-\U000e007e]")
_RIGHT_TO_LEFT = re.compile("[\u202a-\u202e\u2066-\u2069]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def may_pass_for_frame(text: str) -> bool:
    """Whether a reader could take something in the text for a tag of a frame; in doubt, it could.

    Every way of undoing escapes (HTML, percent, backslash) is tried, also in turn. A text that has more than
    12 such readings, 2048 escapes or 4096 different characters beyond ASCII is in doubt.
    """
    if _names_frame(text):
        return True
    if (escapes := text.count("&") + text.count("%") + text.count("\\")) == 0:
        return False
    if escapes > ESCAPES_MAX:
        return True
    readings_max = min(READINGS_MAX, READING_CHARACTERS_MAX // len(text))
    readings = {text}
    waiting = [text]
    while waiting:
        current = waiting.pop()
        for pattern, unescaped in _ESCAPES:
            reading = _with_joined_surrogates(pattern.sub(unescaped, current))
            if reading in readings:
                continue
            if len(readings) >= readings_max or _names_frame(reading):
                return True
            readings.add(reading)
            waiting.append(reading)
    return False


def _names_frame(text: str) -> bool:
    if text.isascii():
        skeleton = text.translate(_ASCII_READINGS)
        return _ALWAYS_IN_WORDS in skeleton and _WORDS.search(skeleton) is not None
    parts = _NOT_ASCII.split(text)
    foreign = "".join(parts[1::2])
    if len(set(foreign)) > FOREIGN_CHARACTERS_MAX or _TAG_CHARACTERS.search(foreign):
        return True
    parts[1::2] = ["".join(map(_reading, part)) for part in parts[1::2]]
    skeleton = "".join(parts).translate(_ASCII_READINGS)
    if _ALWAYS_IN_WORDS in skeleton and _WORDS.search(skeleton):
        return True
    return _RIGHT_TO_LEFT.search(foreign) is not None and _WORDS.search(skeleton[::-1]) is not None


@lru_cache(maxsize=FOREIGN_CHARACTERS_MAX)
def _reading(character: str) -> str:
    """Return what a character could be taken for: letters of a-z, z for letters unlike ours, or nothing.

    One character at a time: normalising a whole text takes time that grows with the square of its combining
    marks.
    """
    known = _LOOKALIKE_READINGS.get(character)
    if known is not None:
        return known
    category = unicodedata.category(character)
    if category[0] == "M":
        return ""
    folded = unicodedata.normalize("NFKD", character)
    if folded == character and not character.isascii():
        folded = character.casefold()
    if folded != character:
        return "".join(map(_reading, folded))
    if character.isascii():
        letter = character.lower()
        return _DIGIT_LETTERS.get(letter, "l" if letter == "i" else letter) if character.isalnum() else ""
    if (digit := unicodedata.decimal(character, None)) is not None:
        return _reading(str(digit))
    if latin := _LATIN_BY_NAME.search(unicodedata.name(character, "")):
        return _reading(latin[1])
    # Modifier letters (Lm) are seen as apostrophes, dashes and extenders.
    return _OTHER_LETTER if character.isalnum() and category != "Lm" else ""


def _html_unescaped(match: re.Match[str]) -> str:
    decimal, hexadecimal = match[1], match[2]
    if decimal or hexadecimal:
        return _character(int(decimal) if decimal else int(hexadecimal, 16))
    return unescape(match[0])


def _percent_unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return _character(int(match[1], 16))
    return bytes.fromhex(match[0].replace("%", "")).decode(errors="replace")


def _backslash_unescaped(match: re.Match[str]) -> str:
    octal = match["octal"]
    return _character(int(octal, 8) if octal else int(match[match.lastindex or 0], 16))


def _character(code_point: int) -> str:
    return chr(code_point) if code_point <= 0x10FFFF else ""


def _with_joined_surrogates(text: str) -> str:
    """Return the text with pairs of surrogates as the characters that JSON means by them."""
    if text.isascii() or not _SURROGATES.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# One alternative reading each; all begin with a literal character, for which the search is fast. They are
# applied one at a time: what one of them destroys, another may reveal.
_ESCAPES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str] | str], ...] = (
    (
        re.compile(r"&(?:#0*([0-9]{1,7})|#[xX]0*([0-9a-fA-F]{1,6})|[a-zA-Z][a-zA-Z0-9]{1,31});?"),
        _html_unescaped,
    ),
    (re.compile(r"%(?:u([0-9a-fA-F]{4})|[0-9a-fA-F]{2}(?:%[0-9a-fA-F]{2})*)"), _percent_unescaped),
    (
        re.compile(
            r"\\\\*+(?:u\{0*([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})"
            r"|(?P<octal>[0-7]{1,3}))"
        ),
        _backslash_unescaped,
    ),
    (re.compile(r"\\\\*+[abefnrtv]"), " "),
)
_LOOKALIKE_READINGS = {chr(int(code, 16)): letter for letter, codes in _LOOKALIKES.items() for code in codes.split()}
# None, not an empty text, lets str.translate stay on its fast path, some twenty times faster.
_ASCII_READINGS = {code: _reading(chr(code)) or None for code in range(128)}
