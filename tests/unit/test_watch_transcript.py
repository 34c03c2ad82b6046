"""The window over a log, and the mail that waits as the log tells it."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from kinpost.v1 import event_pb2
from kinpost_watch.rows import Kind, row_of
from kinpost_watch.transcript import Transcript, Wanted
from kinpost_watch.waiting import WaitingMail
from made_events import SESSION_ID, accepted, event

ROWS_MAX = 12


def log_event(seq):
    if seq % 3:
        return accepted(seq, f"m{seq}", f"body {seq % 5}")
    return event(seq, event_pb2.WakeRequested(wake_id="w"))


class WindowMachine(RuleBasedStateMachine):
    """Whoever pages up and down, while the log grows, sees a part of the log without holes, and no more than fits."""

    @initialize(length=st.integers(0, 60), text=st.sampled_from(["", "body 2"]), mail=st.booleans())
    def begin(self, length, text, mail):
        self.log = [log_event(seq) for seq in range(1, length + 1)]
        wanted = Wanted(text, frozenset({Kind.MAIL}) if mail else frozenset(Kind))
        self.window = Transcript(SESSION_ID, length, wanted, rows_max=ROWS_MAX)

    @rule(count=st.integers(1, 20))
    def up(self, count):
        first = self.window.first_seq
        self.window.prepend(self.log[max(0, first - 1 - count) : first - 1])

    @rule(count=st.integers(1, 20))
    def down(self, count):
        last = self.window.last_seq
        self.window.append(self.log[last : last + count])

    @rule(count=st.integers(1, 20))
    def grow(self, count):
        fresh = [log_event(seq) for seq in range(len(self.log) + 1, len(self.log) + 1 + count)]
        self.log += fresh
        self.window.follow(fresh)

    @rule(count=st.integers(1, 5))
    def told_again(self, count):
        self.window.append(self.log[max(0, self.window.last_seq - count) : self.window.last_seq])
        self.window.prepend(self.log[self.window.first_seq - 1 : self.window.first_seq + count])

    @invariant()
    def is_a_part_of_the_log(self):
        if not hasattr(self, "window"):
            return
        window = self.window
        part = [row_of(one) for one in self.log[window.first_seq - 1 : window.last_seq]]
        assert window.rows == [row for row in part if window.wanted.passes(row)]
        assert len(window.rows) <= ROWS_MAX
        assert window.newest_seq == len(self.log)


TestWindow = WindowMachine.TestCase


@st.composite
def lives_of_mail(draw):
    """A log of mail: accepted, admitted, claimed, released, consumed, discarded, and brought back by reverts."""
    states: dict[str, str] = {}
    log = []
    for seq in range(1, draw(st.integers(0, 40)) + 1):
        step = draw(st.sampled_from(["accept", "accept", "admit", "claim", "release", "consume", "discard", "revert"]))
        ids = sorted(states)
        pick = draw(st.sampled_from(ids)) if ids else ""
        match step:
            case "admit" if states.get(pick) in ("accepted", "released"):
                payload, states[pick] = event_pb2.ProducerMessageAdmitted(message_id=pick), "admitted"
            case "claim" if states.get(pick) in ("admitted", "released"):
                payload, states[pick] = event_pb2.ProducerMessagesClaimed(message_ids=[pick]), "claimed"
            case "release" if states.get(pick) == "claimed":
                payload, states[pick] = event_pb2.ProducerMessagesReleased(message_ids=[pick]), "released"
            case "consume" if states.get(pick) == "claimed":
                payload, states[pick] = event_pb2.ProducerMessageConsumed(message_id=pick), "consumed"
            case "discard" if states.get(pick) in ("accepted", "admitted", "released"):
                payload, states[pick] = event_pb2.ProducerMessageDiscarded(message_id=pick), "discarded"
            case "revert":
                restored = [one for one in ids if states[one] == "consumed" and draw(st.booleans())]
                payload = event_pb2.SessionReverted(to_seq=1, restored_message_ids=restored)
                states |= dict.fromkeys(restored, "accepted")
                states = {
                    one: state if state in ("consumed", "discarded") else "accepted" for one, state in states.items()
                }
            case _:
                log.append(accepted(seq, f"m{seq}"))
                states[f"m{seq}"] = "accepted"
                continue
        log.append(event(seq, payload))
    return log, {one: state for one, state in states.items() if state not in ("consumed", "discarded")}


@given(lives_of_mail(), st.lists(st.integers(0, 40), max_size=4))
def test_a_log_read_from_its_end_in_any_pages_tells_what_waits(life, cuts):
    log, waiting = life
    bounds = sorted({0, len(log), *(min(cut, len(log)) for cut in cuts)})
    pages = [log[begin:end] for begin, end in pairwise(bounds)]
    mail = WaitingMail()
    if pages:
        mail.append(pages[-1])
    for page in reversed(pages[:-1]):
        mail.prepend(page)
    mail.settle()
    assert {message.message_id: message.state for message in mail.messages} == waiting


@given(lives_of_mail(), st.integers(0, 40))
def test_what_comes_live_tells_the_same_or_that_it_must_be_read_anew(life, cut):
    log, waiting = life
    mail = WaitingMail()
    mail.append(log[:cut])
    mail.settle()
    for one in log[cut:]:
        mail.append([one])
    assert mail.stale or {message.message_id: message.state for message in mail.messages} == waiting
