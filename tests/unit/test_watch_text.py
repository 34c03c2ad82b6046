"""What others wrote, on its way to a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinpost_watch.block_list import wrapped
from kinpost_watch.harmless import harmless, harmless_line
from rich.cells import cell_len

OBEYED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_left(text):
    told = harmless(text)
    assert not {unicodedata.category(character) for character in told.replace("\n", "")} & OBEYED
    assert "\n" not in harmless_line(text)


@given(st.text(alphabet=st.characters(min_codepoint=0, max_codepoint=0x300)))
def test_what_is_harmless_stays_so_and_as_it_is(text):
    assert harmless(harmless(text)) == harmless(text)


@pytest.mark.parametrize(
    "text, told",
    [
        ("plain text, two  spaces", "plain text, two  spaces"),
        ("\x1b[31mred\x1b[0m", "^[[31mred^[[0m"),
        ("\x1b]0;title\x07", "^[]0;title^G"),
        ("\x9b31m", "<U+009B>31m"),
        ("safe\rover", "safe^Mover"),
        ("one\r\ntwo\n", "one\ntwo\n"),
        ("a\tb\x00\x7f", "a    b^@^?"),
        ("\u202edesrever", "<U+202E>desrever"),
        ("zero\u200bwidth\ufeff", "zero<U+200B>width<U+FEFF>"),
        ("tag\U000e0041", "tag<U+E0041>"),
        ("a\u2028b", "a<U+2028>b"),
        ("no\u00a0break", "no break"),
        ("[bold]markup[/] [@click=app.quit]x[/]", "[bold]markup[/] [@click=app.quit]x[/]"),
        ("日本語", "日本語"),
        ("e" + "\u0301" * 50, "e" + "\u0301" * 4 + "…"),
    ],
)
def test_it_is_spelled_out(text, told):
    assert harmless(text) == told


@given(st.text(max_size=200), st.integers(8, 40), st.integers(1, 6))
def test_wrapped_lines_fit_and_are_no_more_than_wanted(text, width, lines_max):
    lines = wrapped(harmless(text), width, lines_max)
    assert 1 <= len(lines) <= lines_max
    assert all(cell_len(line) <= width for line in lines)


def test_a_huge_line_costs_what_is_seen_of_it():
    assert wrapped("x" * 10_000_000, 10, 2) == ["x" * 10, "x" * 8 + " …"]
