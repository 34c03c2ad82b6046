"""From an event to its row."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinpost.v1 import event_pb2, message_pb2
from kinpost_client import convert
from kinpost_watch.block_list import TONES
from kinpost_watch.harmless import harmless, harmless_line
from kinpost_watch.rows import KEPT_CHARACTERS_MAX, Kind, row_of
from made_events import PAYLOADS, accepted, event, filled

HOSTILE = "\x1b]0;x\x07[bold]b[/]\u202e\r\nend\x9b2J"
OWNERS = ["agent", "user", "plugin", "delegation", "peer"]


@pytest.mark.parametrize("name", PAYLOADS)
def test_every_event_of_the_contract_has_a_row_of_its_own(name):
    row = row_of(filled(name, "word", seq=7))
    assert (row.seq, row.kind is not Kind.OTHER, row.tone in TONES) == (7, True, True)
    assert row.title


@pytest.mark.parametrize("name", PAYLOADS)
def test_an_event_with_nothing_in_it_has_a_row_too(name):
    wire = event_pb2.Event(seq=1)
    getattr(wire, name).SetInParent()
    assert row_of(convert.event(wire)).title


@pytest.mark.parametrize("name", PAYLOADS)
def test_no_event_brings_anything_that_a_terminal_obeys(name):
    row = row_of(filled(name, HOSTILE))
    assert row.title.isprintable()
    assert all(line.isprintable() for line in row.body.split("\n"))


def test_an_event_of_a_newer_contract_has_a_row():
    row = row_of(convert.event(event_pb2.Event(seq=3)))
    assert (row.kind, row.title) == (Kind.OTHER, "unknown")


@pytest.mark.parametrize("mode", ["steer", "queue"])
@pytest.mark.parametrize("owner", OWNERS)
def test_mail_of_every_owner_looks_alike_in_both_modes(owner, mode):
    payload = event_pb2.ProducerMessageAccepted(
        message_id="0190aaaa-0000-7000-8000-00000000beef",
        owner=message_pb2.ProducerOwner.Value(f"PRODUCER_OWNER_{owner.upper()}"),
        mode=message_pb2.MessageMode.Value(f"MESSAGE_MODE_{mode.upper()}"),
        body="line one\nline two",
        sender=message_pb2.MessageSender(handle="lead_12345678"),
    )
    row = row_of(event(2, payload))
    assert row.title == f"{owner} mail · {mode} · from lead_12345678 · #0000beef"
    assert (row.kind, row.tone, row.body) == (Kind.MAIL, owner, "line one\nline two")


@given(st.text())
def test_a_body_is_shown_whole_and_harmless(body):
    wire = accepted(1, "m", body)
    assert row_of(wire).body == harmless(body)


def test_what_is_kept_of_a_long_body_is_its_beginning():
    row = row_of(accepted(1, "m", "x" * 300_000))
    short = row.short()
    assert len(short.body) == KEPT_CHARACTERS_MAX
    assert (short.shortened, row.shortened) == (True, False)


@given(st.text())
def test_arguments_that_are_no_json_are_shown_as_they_are(text):
    payload = event_pb2.ApprovalRequested()
    payload.approval.arguments_json = text
    row = row_of(event(1, payload))
    assert row.title == harmless_line(row.title)
    assert row.kind is Kind.APPROVAL
