"""What is shown, shortened and read."""

from __future__ import annotations

import time
import unicodedata
from datetime import timedelta

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st
from kinpost.v1 import session_pb2
from kinpost_cli.text import beginnings, duration, instant, local_time, plain, short_time, word, words


@given(st.text(), st.booleans())
def test_no_text_gives_a_terminal_orders(text, lines):
    shown = plain(text, lines=lines)
    for character in shown:
        assert (
            character in "\u200c\u200d"
            or (lines and character == "\n")
            or unicodedata.category(character)[0] != "C"
            or unicodedata.category(character) in ("Cn", "Co")
        )
    if text.isprintable():
        assert shown == text


@given(
    st.sets(
        st.uuids().map(str)
        | st.text("0123456789abcdef", min_size=12, max_size=12).map("01a22e91-3c9c-7644-852f-{}".format),
        max_size=30,
    )
)
def test_a_shown_beginning_fits_one_id(ids):
    shown = beginnings(ids)
    assert set(shown) == ids
    for each, beginning in shown.items():
        assert len(beginning) >= 8
        assert [other for other in ids if other.startswith(beginning)] == [each]


@pytest.mark.parametrize(
    "text, length",
    [
        ("1s", timedelta(seconds=1)),
        ("90m", timedelta(minutes=90)),
        (" 12h ", timedelta(hours=12)),
        ("30d", timedelta(30)),
    ],
)
def test_durations(text, length):
    assert duration(text) == length


@pytest.mark.parametrize("text", ["", "s", "1", "-1s", "1.5h", "1w", "0m", "99999999999s", "40000d", "1h1m", "１h"])
def test_what_is_no_duration(text):
    with pytest.raises(ValueError, match=r"is no duration|is not between"):
        duration(text)


def test_instants_have_an_offset():
    assert (
        instant("2026-11-30T18:00:00Z").isoformat().endswith(("+00:00", "-00:00"))
        or instant("2026-11-30T18:00:00Z").tzinfo
    )
    assert instant("2026-11-30").tzinfo is not None
    for text in ("", "soon", "2026-13-01", "0001-01-01T00:00:00+14:00"):
        with pytest.raises(ValueError, match="is no instant"):
            instant(text)


def test_words_of_the_wire():
    states = session_pb2.DESCRIPTOR.enum_types_by_name["SessionState"]
    assert word(states, session_pb2.SESSION_STATE_RUNNING) == "running"
    assert word(states, 99) == "99"
    assert words(states)["idle"] == 1
    assert "unspecified" not in words(states)


@pytest.mark.parametrize("zone", ["UTC+12", "UTC", "UTC-12"])
@pytest.mark.parametrize("seconds", [-62135596800, 253402300799])
def test_the_first_and_the_last_instant_are_shown_in_every_time_zone(monkeypatch, zone, seconds):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        wire = Timestamp(seconds=seconds)
        assert local_time(wire).split("-")[0] in {"1", "0001", "9999"}
        assert short_time(wire)
    finally:
        monkeypatch.undo()
        time.tzset()
