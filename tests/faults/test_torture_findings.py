"""The torture finds what it looks for: each kind of fault, put into a sound log, a sound journal or a sound file."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cable import Cable
from kinpost.v1 import event_pb2, event_service_pb2, message_pb2, run_pb2
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.run import RunState
from kinpost_server.domain.session import Starter
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.finish_run import FinishRun
from kinpost_server.engine.send_message import Mode, SendMessage
from kinpost_server.engine.start_run import StartRun
from kinpost_server.store.opening import sqlite_url
from office import RUNTIME_1, Office
from stories import RUN, SESSION, event, found, having, in_place, placed, twice, with_payload, without
from torture_kit import troubles
from torture_kit.cutting import CUTS
from torture_kit.followers import Follower, Seen
from torture_kit.journal import USER, ClaimName, Identity, Journal, Send, body_of
from torture_kit.projections import check_projections
from torture_kit.troubles import Rounds, Stage, Trouble
from torture_kit.victim import Victim

WAKE, MESSAGE = "a-wake", "a-message"
CALL = Identity(SESSION, USER, "a-call")


def accepted(call: Identity = CALL, message_id: str = MESSAGE, **fields: Any) -> event_pb2.Event:
    """Return the acceptance of a person's message."""
    fields.setdefault("body", body_of(call))
    return event(
        "producer_message_accepted",
        message_id=message_id,
        owner=message_pb2.PRODUCER_OWNER_USER,
        mode=message_pb2.MESSAGE_MODE_STEER,
        idempotency_key=call.key,
        **fields,
    )


def story() -> list[event_pb2.Event]:
    """Return a sound log: a person's message wakes a session, whose run consumes it."""
    return [
        event("session_created"),
        accepted(),
        event("wake_requested", wake_id=WAKE),
        event("run_started", run_id=RUN, wake_id=WAKE),
        event("wake_settled", wake_id=WAKE, run_id=RUN),
        event("producer_message_admitted", message_id=MESSAGE, run_id=RUN),
        event("producer_messages_claimed", run_id=RUN, attempt_id="an-attempt", message_ids=(MESSAGE,)),
        event("turn_committed", run_id=RUN, claim_seq=7, consumed_count=1),
        event("producer_message_consumed", message_id=MESSAGE, run_id=RUN, claim_seq=7),
        event("run_finished", run_id=RUN, outcome=run_pb2.RUN_STATE_COMPLETED),
    ]


def journal() -> Journal:
    """Return the journal that goes with it."""
    made = Journal()
    made.sends[CALL] = Send(SESSION, message_pb2.MESSAGE_MODE_STEER)
    made.accepted(CALL, MESSAGE, replayed=False)
    made.claimed(SESSION, 7, "an-attempt", (MESSAGE,))
    made.commit_answered(ClaimName(SESSION, 7), (MESSAGE,))
    made.run_answered(SESSION, f"wake:{WAKE}", RUN)
    return made


def test_a_sound_story_is_no_finding() -> None:
    assert found(story(), journal()) == set()


IN_THE_LOG: dict[str, tuple[str, Callable[[list[event_pb2.Event]], None]]] = {
    "an acceptance is not there": ("lost", without(1)),
    "an acceptance has another id": ("lost", with_payload(1, message_id="another-message")),
    "a commit is not there": ("lost", without(7)),
    "a start is not there": ("lost", with_payload(3, run_id="another-run")),
    "a message is discarded": ("lost", in_place(8, event("producer_message_discarded", message_id=MESSAGE, reason=1))),
    "a consumption comes again": ("consumed twice", twice(8)),
    "an acceptance comes again": ("stored twice", twice(1)),
    "a call is two messages": ("stored twice", in_place(1, accepted(), accepted(message_id="another-message"))),
    "a message of nobody": ("out of nowhere", in_place(1, accepted(), accepted(CALL._replace(key="never"), "other"))),
    "another body": ("body", with_payload(1, body="something else")),
    "another mode": ("body", with_payload(1, mode=message_pb2.MESSAGE_MODE_QUEUE)),
    "a hole in the seqs": ("order", having(4, seq=7)),
    "a position that does not rise": ("order", having(4, position=3)),
    "a second run": (
        "two runs",
        in_place(3, *(event("run_started", run_id=run_id, wake_id=WAKE) for run_id in (RUN, "another-run"))),
    ),
    "another run ends": ("two runs", with_payload(9, run_id="another-run")),
    "a run without an end": ("not drained", without(9)),
    "a message that still waits": ("not delivered", without(8)),
    "a claim beside a live one": ("claims", twice(6)),
    "a commit of more than was claimed": ("claims", with_payload(7, consumed_count=2)),
    "a claim of another attempt": ("claims", with_payload(6, attempt_id="another-attempt")),
    "a consumption without a commit": ("claims", without(7)),
    "a claim of what was not admitted": ("steps", without(5)),
    "a consumption of what never was": (
        "steps",
        in_place(8, event("producer_message_consumed", message_id="never", claim_seq=7)),
    ),
    "a second wake": ("wakes", twice(2)),
    "a wake is settled that is not there": ("wakes", without(2)),
    "a wake without mail": ("wakes", in_place(0, event("session_created"), event("wake_requested", wake_id=WAKE))),
    "a notice of what is not so": (
        "notices",
        in_place(0, event("session_created"), event("sent_message_undeliverable", message_id=MESSAGE)),
    ),
}


@pytest.mark.parametrize("fault", IN_THE_LOG)
def test_a_fault_of_the_log_is_found(fault: str) -> None:
    kind, change = IN_THE_LOG[fault]
    events = story()
    change(events)
    assert kind in found(events, journal())


IN_THE_JOURNAL: dict[str, tuple[str, Callable[[Journal], object]]] = {
    "another id": ("two answers", lambda kept: kept.accepted(CALL, "another-message", replayed=True)),
    "a second first answer": ("two answers", lambda kept: kept.accepted(CALL, MESSAGE, replayed=False)),
    "another claim": ("two answers", lambda kept: kept.claimed(SESSION, 7, "an-attempt", ())),
    "another commit": ("two answers", lambda kept: kept.commit_answered(ClaimName(SESSION, 7), ())),
    "another run": ("two answers", lambda kept: kept.run_answered(SESSION, f"wake:{WAKE}", "another-run")),
    "a commit that is not there": ("lost", lambda kept: kept.commit_answered(ClaimName(SESSION, 70), ())),
    "a retraction that is not there": ("lost", lambda kept: kept.retracted.add(MESSAGE)),
    "a claim that is not there": ("claims", lambda kept: kept.claimed(SESSION, 70, "an-attempt", ())),
    "a refused commit": ("refused but stored", lambda kept: kept.not_committed.add(ClaimName(SESSION, 7))),
    "a refused send": (
        "refused but stored",
        lambda kept: kept.sends.update({CALL: Send(SESSION, message_pb2.MESSAGE_MODE_STEER, refused=True)}),
    ),
}


@pytest.mark.parametrize("fault", IN_THE_JOURNAL)
def test_a_promise_that_is_not_kept_is_found(fault: str) -> None:
    kind, change = IN_THE_JOURNAL[fault]
    kept = journal()
    change(kept)
    assert kind in found(story(), kept)


@pytest.mark.parametrize(
    "reason, asked_for",
    [("EXPIRED", False), ("EXPIRED", True), ("RETRACTED", False), ("RETRACTED", True), ("SUPERSEDED", False)],
)
def test_mail_that_is_discarded_without_being_asked_for_is_lost(reason: str, asked_for: bool) -> None:
    events = story()[:3]
    number = message_pb2.DiscardReason.Value(f"DISCARD_REASON_{reason}")
    if reason == "EXPIRED" and asked_for:
        events[1].producer_message_accepted.expire_time.seconds = 1
    events += [
        event("producer_message_discarded", message_id=MESSAGE, reason=number),
        event("wake_withdrawn", wake_id=WAKE),
    ]
    kept = Journal()
    kept.sends[CALL] = Send(SESSION, message_pb2.MESSAGE_MODE_STEER)
    kept.accepted(CALL, MESSAGE, replayed=False)
    if asked_for:
        kept.retractions_asked.add(MESSAGE)
    assert found(events, kept) == (set() if asked_for else {"lost"})


@pytest.mark.parametrize(
    "change",
    [without(4), twice(4), having(5, seq=70), with_payload(1, body="another body")],
    ids=["a hole", "a repeat", "a jump", "another body"],
)
def test_a_subscriber_that_sees_something_else_is_found(change: Callable[[list[event_pb2.Event]], None]) -> None:
    kept = Journal()
    follower = Follower(None, kept, "a-follower", random.Random(1))  # type: ignore[arg-type]
    expected = Seen()
    for each in placed(story()):
        expected.take(each)
    shown = placed(story())
    change(shown)
    follower._take(event_service_pb2.SubscribeEventsResponse(events=shown))
    follower.compare(expected)
    assert set(kept.found_counts) == {"subscriber"}


@pytest.fixture(scope="module")
def sound_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small database in which messages were sent and consumed, and one waits."""
    path = tmp_path_factory.mktemp("sound") / "kinpost.db"
    office = Office(path)
    allow = {"*": Decision.ALLOW}
    ids = [office.new_id() for _ in range(2)]
    for session_id, parent in zip(ids, (None, ids[0]), strict=True):
        office.do(CreateSession(RUNTIME_1, session_id, parent, None, None, "worker", allow, starter=Starter.WAKE))
    run_id = office.do(StartRun(RUNTIME_1, ids[0], "", "sends")).run.run_id
    for number in range(3):
        office.do(SendMessage(RUNTIME_1, ids[0], run_id, f"call-{number}", ids[1], f"body {number}", Mode.STEER))
    started = office.do(StartRun(RUNTIME_1, ids[1], "", "reads", "first"))
    seq = started.claim.claim_seq
    office.do(FinishRun(RUNTIME_1, ids[1], started.run.run_id, RunState.COMPLETED, "", False, seq))
    office.do(SendMessage(RUNTIME_1, ids[0], run_id, "last", ids[1], "waits", Mode.STEER))
    office.store.close()
    return path


def compared(path: Path, *, drained: bool = False) -> list[str]:
    """The kinds of what is found in a file."""
    kinds: list[str] = []
    assert check_projections(sqlite_url(path), lambda kind, _: kinds.append(kind), drained=drained) > 10
    return kinds


def test_a_sound_file_is_no_finding(sound_file: Path) -> None:
    assert compared(sound_file) == []
    assert compared(sound_file, drained=True) == ["projections"]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE message SET state = 1 WHERE accept_seq = 2",
        "UPDATE message SET delivery_count = 2 WHERE accept_seq = 4",
        "DELETE FROM message WHERE accept_seq = 2",
        "UPDATE session SET run_count = 9",
        "UPDATE session SET failing_runs = 3",
        "UPDATE run SET consumed_count = 0",
        "UPDATE claim SET state = 3",
        "DELETE FROM wake",
        "UPDATE log SET indexed_position = 5",
    ],
)
def test_a_row_that_is_not_what_the_log_says_is_found(sound_file: Path, tmp_path: Path, statement: str) -> None:
    path = tmp_path / "kinpost.db"
    with sqlite3.connect(sound_file) as source, sqlite3.connect(path) as copy:
        source.backup(copy)
        changed = copy.execute(statement).rowcount
    source.close()
    copy.close()
    assert changed
    assert "projections" in compared(path)


def stage(kept: Journal, go_on: Callable[[], bool]) -> Stage:
    """Return one whose only replica was never started, and whose cable leads nowhere."""
    return Stage((Victim(Path("nowhere"), kept),), (Cable("nowhere"),), "", kept, random.Random(1), 4.0, go_on)


async def happens(_stage: Stage, _rng: random.Random) -> bool:
    return True


async def never_happens(_stage: Stage, _rng: random.Random) -> bool:
    return False


THREE = [Trouble("often", happens, light=True), Trouble("once", happens, once=True), Trouble("missing", never_happens)]


@pytest.mark.parametrize("rounds", [1, 3])
async def test_a_trouble_that_is_due_and_never_happens_is_found(rounds: int) -> None:
    kept = Journal()
    due = Rounds(THREE, rounds_max=rounds, pause_seconds=0)
    await due.befall(stage(kept, lambda: due.wanted))
    assert kept.tally == {"trouble: often": 1 + 3 * (rounds - 1), "trouble: once": 1, "trouble: missing": 0}
    assert [(one.kind, one.text) for one in kept.findings] == [("trouble", "missing: did not happen in 0 s")]


@pytest.mark.parametrize("long_seconds, found_count", [(0.0, 3), (3600.0, 0)])
async def test_only_a_long_run_has_to_have_seen_every_trouble(
    monkeypatch: pytest.MonkeyPatch, long_seconds: float, found_count: int
) -> None:
    """It ended before there was any."""
    monkeypatch.setattr(troubles, "LONG_SECONDS", long_seconds)
    kept = Journal()
    await Rounds(THREE).befall(stage(kept, lambda: False))
    assert kept.found_counts.get("trouble", 0) == found_count


@pytest.mark.parametrize("name", [trouble.name for trouble in CUTS if "COMMIT" in trouble.name])
async def test_a_cut_that_waits_for_a_commit_has_not_happened(name: str) -> None:
    looks = iter([True, True, False])
    (cut,) = [trouble for trouble in CUTS if trouble.name == name]
    there = stage(Journal(), lambda: next(looks))
    assert not await cut.befall(there, random.Random(1))
    assert next(looks, None) is None  # it has waited
