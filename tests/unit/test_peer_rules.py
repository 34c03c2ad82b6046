"""The pure rules of peer mail: windows that slide, summaries that fit, previews on one line."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from kinpost_server.domain.peer import PREVIEW_MAX, preview_of
from kinpost_server.domain.rate_window import PeerLimits, RateWindow
from kinpost_server.domain.summary import shown_text, tokens_of

BODY_ID = "00000000-0000-4000-8000-000000000000"
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=700)


ALIKE = st.builds(str.__mul__, st.sampled_from("aé漢🙂"), st.integers(1, 1100))


@given(TEXTS | ALIKE, (TEXTS | ALIKE).map(lambda text: text[:600]), st.integers(1, 6))
@example("x" * 1001, "🙂" * 600, 1)
@example("x" * 1001, "s" * 600, 1)
def test_what_is_shown_is_never_larger_than_the_message(text, tldr, times):
    body = (text * times)[:32_000]
    shown = shown_text(body, tldr, BODY_ID)
    assert len(shown) <= len(body)
    assert len(shown.encode()) <= len(body.encode())
    if len(body) > 1000:
        assert f"GET /peer-message/{BODY_ID}" in shown
    elif shown != body:
        assert shown.startswith(tldr)
        assert 2 * len(shown) <= len(body)
    assert shown_text(body, None, BODY_ID) == body


def test_tokens_are_a_quarter_of_the_bytes_rounded_up():
    assert [tokens_of(text) for text in ("a", "abcd", "abcde", "漢", "🙂🙂")] == [1, 1, 2, 1, 2]


@given(st.text(max_size=2000))
def test_a_preview_is_one_line(text):
    preview = preview_of(text)
    assert len(preview) <= PREVIEW_MAX
    assert len(preview.splitlines()) <= 1


@given(st.lists(st.integers(0, 4_000_000), max_size=40), st.integers(1, 5))
def test_the_window_is_that_of_a_list_of_all_calls(steps, calls_max):
    """The model: a call counts from its instant for one second, its end excluded."""
    limits = PeerLimits(calls_max=calls_max, window_seconds=1.0)
    window, counted, now = RateWindow("token"), [], 0
    for step in steps:
        now += step // 10
        window.slide(now, limits)
        alive = [time for time in counted if now - time < 1_000_000]
        assert window.call_times == alive
        assert window.has_room(limits) is (len(alive) < calls_max)
        if window.has_room(limits):
            window.call_times.append(now)
            counted.append(now)
            continue
        wait = window.retry_after_ms(now, limits)
        assert 0 <= wait * 1000 - (alive[0] + 1_000_000 - now) < 1000
        window.slide(now + wait * 1000, limits)
        assert window.has_room(limits)
        window.call_times = alive
