"""Bodies: what may be sent, and digests that tell requests apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinpost_server.domain.body import WHITE_SPACE, check_body, content_digest

COMBINING = "e\u0301"  # 3 bytes


@pytest.mark.parametrize("unit, unit_bytes", [("x", 1), ("é", 2), ("漢", 3), ("😀", 4), (COMBINING, 3)])
def test_the_limit_counts_bytes_of_utf_8(unit, unit_bytes):
    limit = 12 * unit_bytes
    assert check_body(unit * 12, limit) is None
    assert check_body(unit * 12, limit + 1) is None
    assert check_body(unit * 11, limit) is None
    assert check_body(unit * 12 + "x", limit) == (
        f"the body has {limit + 1} bytes of UTF-8, at most {limit} are allowed"
    )


def test_a_body_of_one_byte_is_enough():
    assert check_body("x", 1) is None


@pytest.mark.parametrize("bytes_max", [0, -1])
@pytest.mark.parametrize("text", ["", "x", "hello"])
def test_a_limit_of_nothing_refuses_everything(text, bytes_max):
    assert check_body(text, bytes_max) == "no body is accepted here: the limit is 0 bytes"


def test_an_empty_body_is_refused():
    assert check_body("", 100) == "the body is empty"


@pytest.mark.parametrize("text", [*WHITE_SPACE, " \r\n\t ", "\u3000\u2003", WHITE_SPACE * 3])
def test_a_body_of_white_space_only_is_refused(text):
    assert check_body(text, 1000) == "the body is only white space"


@pytest.mark.parametrize("text", ["\u200b", "\ufeff", "\u2060", "\x1c", "\u180e", " . ", "\n\nx\n"])
def test_what_unicode_does_not_call_white_space_is_a_body(text):
    assert check_body(text, 1000) is None


@pytest.mark.parametrize("text", ["\0", "a\0b", " \0 ", "é\0"])
def test_nul_is_refused(text):
    assert check_body(text, 1000) == "the body holds a NUL character"


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude00"])
def test_surrogates_are_refused(text):
    assert check_body(text, 1000) == "the body holds a lone surrogate, which has no UTF-8 form"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_every_other_text_is_accepted_at_its_own_size_and_not_below(text):
    size = len(text.encode())
    if text.strip(WHITE_SPACE):
        assert check_body(text, size) is None
        assert check_body(text, size - 1) is not None


def test_a_digest_is_16_bytes_and_the_same_in_every_process():
    assert content_digest("explore_1a2b3c4d", "hello", "steer").hex() == "0404f99a89ce0a860c33e60a017265e1"
    assert len(content_digest()) == 16


@pytest.mark.parametrize(
    "one, other",
    [
        (("ab", "c"), ("a", "bc")),
        (("a", ""), ("a",)),
        ((), ("",)),
        (("",), ("", "")),
        (("a", "b"), ("b", "a")),
        (("é",), ("e\u0301",)),
        (("\ud800",), ("\ufffd",)),
    ],
)
def test_different_parts_have_different_digests(one, other):
    assert content_digest(*one) != content_digest(*other)


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_digests_are_equal_exactly_when_the_parts_are(one, other):
    assert (content_digest(*one) == content_digest(*other)) == (one == other)
