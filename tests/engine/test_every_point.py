"""Reverts and forks at every point of a busy log, also within a commit, against the plain definition.

The definition: a revert to a point is the fold of the log up to it, and after it only what people decided; a fork
continues what the fold up to its point has pending. Here it is computed in the plainest way, from the prefix.
"""

from __future__ import annotations

import contextlib
import shutil
from itertools import count
from pathlib import Path

import pytest
from kinpost_server.domain import event as e
from kinpost_server.domain.errors import InvalidRequest
from kinpost_server.domain.message import DiscardReason, Mode
from kinpost_server.domain.refold import Refold
from kinpost_server.domain.run import RunState
from kinpost_server.domain.session import Availability, Session, SessionState
from kinpost_server.engine.claim_messages import ClaimMessages
from kinpost_server.engine.finish_run import FinishRun
from kinpost_server.engine.fork_session import ForkSession
from kinpost_server.engine.retract_message import RetractMessage
from kinpost_server.engine.revert_session import RevertSession
from kinpost_server.engine.set_availability import SetAvailability
from kinpost_server.engine.settle_claim import CommitTurn
from office import APPROVER, FIRST_ID, RUNTIME_1, Office, essence


def live(office: Office, tree) -> None:
    """The first child's life: two runs, an earlier revert, mail in every state."""
    first = tree.first
    for mode in (Mode.STEER, Mode.QUEUE):
        office.do(tree.send(first, "from the beginning", mode))
    started = tree.start(first)
    office.do(FinishRun(RUNTIME_1, first, started.run.run_id, RunState.FAILED))  # counts, until a person opens it
    started = tree.start(first)
    office.do(tree.send(first, "while it runs"))
    run_id = started.run.run_id
    claim = office.do(ClaimMessages(RUNTIME_1, first, run_id, "second", started.claim.claim_seq)).claim
    office.do(FinishRun(RUNTIME_1, first, run_id, RunState.FAILED))
    office.do(SetAvailability(APPROVER, first, Availability.PAUSED, "lunch"))
    held = office.do(tree.send(first, "while it is held"))
    before = office.session(first).last_seq
    office.do(SetAvailability(APPROVER, first, Availability.OPEN))
    started = tree.start(first)
    office.do(CommitTurn(RUNTIME_1, first, started.run.run_id, started.claim.claim_seq))
    late = office.do(tree.send(first, "undone by the first revert"))
    office.do(FinishRun(RUNTIME_1, first, started.run.run_id, RunState.COMPLETED))
    office.do(RevertSession(APPROVER, first, before, office.session(first).last_seq))
    assert claim.messages
    assert late.message_id not in office.session(first).mail
    started = tree.start(first)
    office.do(FinishRun(RUNTIME_1, first, started.run.run_id, RunState.FAILED))
    office.do(tree.send(first, "the last"))
    office.do(RetractMessage(RUNTIME_1, tree.root, held.message_id))


def prefix(office: Office, session_id: str, to_seq: int) -> tuple[Session, list[e.Event]]:
    """The fold of a log up to a point, and the events after it."""
    events = office.events(session_id)
    head = events[:to_seq]
    fold = Refold(event.payload for event in head if isinstance(event.payload, e.SessionReverted))
    for event in head:
        fold.take(event)
    return fold.session, events[to_seq:]


@pytest.fixture
def lived(office: Office, tree) -> tuple[Office, str]:
    """A closed office with the life in it, and the session."""
    live(office, tree)
    office.store.close()
    return office, tree.first


@pytest.fixture
def copy_of(tmp_path: Path, request: pytest.FixtureRequest):
    """Open a copy of a closed office."""
    server = None

    @contextlib.contextmanager
    def copied(original: Office):
        nonlocal server
        if not original.url:
            office = Office(Path(shutil.copy(original.path, tmp_path / "copy.db")))
            yield office
            office.store.close()
            return
        server = server or request.getfixturevalue("postgres_server")
        url = server.copy_database(original.url)
        office = Office(original.path, url)
        yield office
        office.store.close()
        server.drop_database(url)

    return copied


# A copy of a PostgreSQL database is dear: there, every third point is enough.
def points_of(office: Office, last_seq: int) -> range:
    return range(1, last_seq + 1, 3 if office.url else 1)


def test_a_revert_to_any_point_is_the_fold_up_to_it_and_what_people_decided_since(lived, copy_of):
    original, session_id = lived
    with copy_of(original) as office:
        last_seq = office.session(session_id).last_seq
    undone_points = sum(reverted_to(copy_of, original, session_id, to) for to in points_of(original, last_seq))
    assert undone_points > (0 if original.url else 3)


def reverted_to(copy_of, original: Office, session_id: str, to_seq: int) -> bool:
    """Revert a copy to a point and look at all of it; return whether the point was undone before."""
    with copy_of(original) as office:
        office.time += 1_000_000
        last_seq = office.session(session_id).last_seq
        then, since = prefix(office, session_id, to_seq)
        before = office.session(session_id)
        runs, availability, was_queued = before.run_count, before.availability, before.state is SessionState.QUEUED
        discarded = {event.payload.message_id for event in since if isinstance(event.payload, e.MessageDiscarded)}
        opened = any(
            isinstance(event.payload, e.SessionAvailabilityChanged) and event.payload.availability is Availability.OPEN
            for event in since
        )
        undone = any(isinstance(event.payload, e.SessionReverted) and event.payload.to_seq < to_seq for event in since)
        command = RevertSession(APPROVER, session_id, to_seq, last_seq)
        if undone:
            with pytest.raises(InvalidRequest, match="undone"):
                office.do(command)
            return True
        office.do(command)
        session = office.session(session_id)
        assert list(session.mail) == [message_id for message_id in then.mail if message_id not in discarded], to_seq
        for message in session.mail.values():
            assert message.delivery_count == then.mail[message.message_id].delivery_count
            assert (message.run_id, message.claim_seq, message.state.name) == (None, None, "ACCEPTED")
        assert session.failing_runs == (0 if opened else then.failing_runs)
        expected = {SessionState.RUNNING: SessionState.INTERRUPTED}.get(then.state, then.state)
        assert session.state is expected
        assert not was_queued
        assert (session.run_count, session.availability) == (runs, availability)
        assert (session.wake is not None) == (bool(session.mail) and session.may_wake)
        events = office.events(session_id)
        dead = [ev.payload.message_id for ev in events[last_seq:] if isinstance(ev.payload, e.MessageDiscarded)]
        accepted = [ev.payload.message_id for ev in since if isinstance(ev.payload, e.MessageAccepted)]
        assert dead == [message_id for message_id in accepted if message_id not in discarded]
        told = [
            event.payload.message_id
            for event in office.events()
            if isinstance(event.payload, e.SentMessageUndeliverable)
            and event.payload.reason is DiscardReason.REVERTED
            and event.payload.message_id in dead
        ]
        assert told == dead
        assert essence(office.folded(session_id)) == essence(session)
        assert office.differences() == []
        office.restart()
        assert office.mended == []
        assert essence(office.session(session_id)) == essence(session)
    return False


def test_a_fork_at_any_point_continues_what_the_fold_up_to_it_has_pending(lived, open_office):
    _, session_id = lived
    office = open_office()
    office.ids = count(FIRST_ID + (1 << 40))  # beyond those of the life
    before = office.events(session_id)
    for at_seq in range(1, len(before) + 1):
        then, since = prefix(office, session_id, at_seq)
        # What a revert discards next is dead already.
        dead = set()
        for event in since:
            if not isinstance(event.payload, e.MessageDiscarded) or event.payload.reason is not DiscardReason.REVERTED:
                break
            dead.add(event.payload.message_id)
        new_id = office.new_id()
        office.do(ForkSession(RUNTIME_1, session_id, at_seq, new_id))
        copies = [message.forked_from for message in office.session(new_id).mail.values()]
        assert copies == [message_id for message_id in then.mail if message_id not in dead], at_seq
        assert essence(office.folded(new_id)) == essence(office.session(new_id))
    assert office.events(session_id) == before
    assert office.differences() == []
