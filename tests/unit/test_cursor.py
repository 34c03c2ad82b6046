"""Cursors and page tokens: they come back as they went, and nothing else does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinpost_server.domain.errors import CursorInvalid, OtherLog
from kinpost_server.transport.cursor import cursor_of, id_of, number_of, page_token_of, place_of, resume_of

LOG = "0190f1a2-1111-7abc-8def-0123456789ab"


@given(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1))
def test_a_cursor_comes_back_as_its_place(position, drops):
    cursor = cursor_of(LOG, position, drops)
    assert cursor.isascii()
    assert "=" not in cursor
    assert resume_of(cursor, LOG, "after_cursor") == (position, drops)


def test_a_cursor_of_another_log_says_so():
    with pytest.raises(OtherLog):
        resume_of(cursor_of(LOG, 7), LOG.replace("a", "b"), "after_cursor")


@given(st.one_of(st.text(), st.text("abcXYZ019-_=", max_size=300), st.binary().map(lambda b: b.hex())))
def test_anything_else_names_the_field(text):
    with pytest.raises(CursorInvalid) as caught:
        resume_of(text, LOG, "after_cursor")
    assert caught.value.field == "after_cursor"


@pytest.mark.parametrize("changed", ["{}A", "{}=", " {}", "{}\n", "{:.60}", "{:.50}"])
def test_a_changed_cursor_is_refused(changed):
    with pytest.raises(CursorInvalid):
        resume_of(changed.format(cursor_of(LOG, 123)), LOG, "after_cursor")


@pytest.mark.parametrize("position", [2**63, -1])
def test_a_position_that_cannot_be_is_refused(position):
    with pytest.raises(CursorInvalid):
        resume_of(cursor_of(LOG, position), LOG, "after_cursor")


def test_page_tokens_come_back():
    assert page_token_of("") == ""
    assert place_of("") == id_of("") == ""
    assert number_of("") == 0
    assert id_of(page_token_of(LOG)) == LOG
    assert number_of(page_token_of("12")) == 12


@pytest.mark.parametrize("read", [id_of, number_of])
@pytest.mark.parametrize(
    "token", ["x", page_token_of("zzz"), page_token_of("-1"), page_token_of("0"), cursor_of(LOG, 1)]
)
def test_a_page_token_of_another_list_is_refused(read, token):
    with pytest.raises(CursorInvalid) as caught:
        read(token)
    assert caught.value.field == "page_token"


def test_a_page_token_is_no_cursor():
    with pytest.raises(CursorInvalid):
        resume_of(page_token_of(LOG), LOG, "page_token")
