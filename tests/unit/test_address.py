"""Addresses: handles, UUIDs, and the answer to a reference that names nobody."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinpost_server.domain.address import candidate_list, is_handle, make_handle, parse_uuid

ID = "0190b2c4-7d1e-7abc-8def-0123456789ab"
HANDLE = re.compile(r"^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,15}_[0-9a-f]{8}\Z")


@pytest.mark.parametrize(
    "agent_name, expected",
    [
        ("explore", "explore"),
        ("Explore", "explore"),
        ("code review", "code-review"),
        ("code__review!", "code-review"),
        ("--a--b--", "a-b"),
        ("a" * 40, "a" * 16),
        ("exactly-sixteen-", "exactly-sixteen"),
        ("fifteen-letters-more", "fifteen-letters"),
        ("Été d'Ångström", "ete-d-angstrom"),
        ("Straße", "strasse"),
        ("ｆｕｌｌ ℌ", "full-h"),
        ("🤖", "agent"),
        ("探索", "agent"),
        ("", "agent"),
        ("___", "agent"),
        ("7", "7"),
        ("x\n", "x"),
    ],
)
def test_a_handle_is_made_from_the_agents_name(agent_name, expected):
    assert make_handle(agent_name, "1a2b3c4d") == f"{expected}_1a2b3c4d"


@given(st.text() | st.text("aB-_ é"), st.integers(0, 0xFFFFFFFF))
def test_every_made_handle_is_one(agent_name, number):
    handle = make_handle(agent_name, f"{number:08x}")

    assert HANDLE.match(handle)
    assert is_handle(handle)


@pytest.mark.parametrize("random_hex", ["", "1A2B3C4D", "1a2b3c4", "1a2b3c4d5", "1a2b3c4g", "1a2b3c4d\n"])
def test_a_handle_ends_in_8_lower_case_hex_digits_or_is_not_made(random_hex):
    with pytest.raises(ValueError, match="8 lower-case hex digits"):
        make_handle("explore", random_hex)


@pytest.mark.parametrize("text", ["explore_1a2b3c4d", "a_00000000", "0-1_ffffffff", f"{'z' * 16}_12345678"])
def test_a_handle_is_known_by_its_form(text):
    assert is_handle(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "explore",
        "explore_1a2b3c4",
        "explore_1a2b3c4d5",
        "Explore_1a2b3c4d",
        "explore_1A2B3C4D",
        " explore_1a2b3c4d",
        "explore_1a2b3c4d\n",
        "-explore_1a2b3c4d",
        "explore-_1a2b3c4d",
        "ex--plore_1a2b3c4d",
        f"{'z' * 17}_12345678",
        "expl\u043ere_1a2b3c4d",  # a Cyrillic o
        "explore_１a2b3c4d",  # a full-width one
        ID,
    ],
)
def test_what_only_resembles_a_handle_is_not_one(text):
    assert not is_handle(text)


@pytest.mark.parametrize("text", [ID, ID.upper(), "00000000-0000-0000-0000-000000000000", "F" + ID[1:]])
def test_a_uuid_of_either_case_is_read_in_lower_case(text):
    assert parse_uuid(text) == text.lower()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "explore_1a2b3c4d",
        ID.replace("-", ""),
        f"{{{ID}}}",
        f"urn:uuid:{ID}",
        f" {ID}",
        f"{ID}\n",
        ID[:-1],
        f"{ID}0",
        ID.replace("-", "_"),
        ID.replace("-", "\u2010"),
        ID.replace("0", "g", 1),
        ID.replace("0", "０", 1),
    ],
)
def test_no_other_form_is_a_uuid(text):
    assert parse_uuid(text) is None


class Peer(NamedTuple):
    session_id: str
    handle: str | None
    description: str
    state: str


def peer(number: int, **changes: str | None) -> Peer:
    session_id = f"0190b2c4-7d1e-7abc-8def-{number:012d}"
    return Peer(session_id, f"explore_{number:08x}", f"task {number}", "running")._replace(**changes)


def test_the_list_names_whom_the_sender_may_write_to():
    text = candidate_list(
        "explor_1a2b3c4d", [peer(1), peer(2, handle=None, description="", state="completed")], total=2
    )

    assert text == (
        'unknown subagent reference "explor_1a2b3c4d"; you may write to:\n'
        "explore_00000001 — task 1 — running (session_id 0190b2c4-7d1e-7abc-8def-000000000001)\n"
        "0190b2c4-7d1e-7abc-8def-000000000002 — no description — completed"
    )


def test_without_peers_the_answer_says_so():
    assert candidate_list("x", [], total=0) == ('unknown subagent reference "x"; there is nobody that you may write to')


def test_fifty_are_shown_and_the_rest_counted():
    text = candidate_list("x", [peer(number) for number in range(60)], total=73)

    lines = text.splitlines()
    assert len(lines) == 52
    assert lines[50].startswith("explore_00000031 — ")
    assert lines[51] == "… and 23 more"


def test_exactly_fifty_need_no_count():
    lines = candidate_list("x", [peer(number) for number in range(50)], total=50).splitlines()

    assert len(lines) == 51
    assert lines[-1].startswith("explore_00000031 — ")


def test_a_description_is_one_short_line():
    text = candidate_list("x", [peer(1, description="  find\r\n\tthe\u2028\x00tests\u202e\ud800  ")], total=1)
    assert "explore_00000001 — find the tests — running" in text

    long = candidate_list("x", [peer(1, description="y" * 81)], total=1)
    assert f" — {'y' * 79}… — running" in long
    whole = candidate_list("x", [peer(1, description="y" * 80)], total=1)
    assert f" — {'y' * 80} — running" in whole


@pytest.mark.parametrize("letter", ["y", "é", "漢", "😀"])
def test_fifty_long_descriptions_fit_into_8_kib_with_all_their_peers(letter):
    peers = [
        peer(number, handle=f"{'z' * 16}_{number:08x}", description=letter * 300, state="interrupted")
        for number in range(50)
    ]

    text = candidate_list("😀" * 100, peers, total=1_000_000)

    assert len(text.encode()) <= 8192
    lines = text.splitlines()
    assert len(lines) == 52
    assert all(re.fullmatch(rf"z+_[0-9a-f]{{8}} — {letter}+… — interrupted \(.*\)", line) for line in lines[1:-1])
    assert lines[-1] == "… and 999950 more"


def test_peers_that_do_not_fit_are_counted():
    peers = [peer(number, state="s" * 300) for number in range(50)]

    text = candidate_list("x", peers, total=50)

    lines = text.splitlines()
    assert len(text.encode()) <= 8192
    assert lines[-1] == f"… and {50 - (len(lines) - 2)} more"
    assert len(lines) > 20


@pytest.mark.parametrize(
    "reference, quoted",
    [
        ("", '""'),
        ('a"b\\c', r'"a\"b\\c"'),
        ("a\nb\r\x1b", r'"a\nb\r\x1b"'),
        ("expl\u043ere_1a2b3c4d", r'"expl\u043ere_1a2b3c4d"'),
        ("\ud800", r'"\ud800"'),
        ("z" * 62, f'"{"z" * 62}"'),
        ("z" * 63, f'"{"z" * 59}..."'),
        ("\n" * 40, '"' + r"\n" * 29 + '..."'),
    ],
)
def test_the_reference_is_echoed_so_that_nothing_in_it_works(reference, quoted):
    assert candidate_list(reference, [], total=0).startswith(f"unknown subagent reference {quoted}; ")


@given(
    st.text(st.characters()),
    st.lists(st.builds(peer, st.integers(0, 999), description=st.text(st.characters(), max_size=100)), max_size=60),
)
def test_whatever_is_asked_the_answer_is_lines_of_visible_text_within_8_kib(reference, peers):
    text = candidate_list(reference, peers, total=len(peers))

    assert text.startswith("unknown subagent reference ")
    assert len(text.encode()) <= 8192
    assert text.count("\n") == (min(len(peers), 50) + (len(peers) > 50))
    assert not [c for c in text if c != "\n" and unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]
