"""Mail to a session that may not wake, for each way in and out of each availability, with a restart between or not.

Held means: the sender is told so, and why; nothing is lost; nobody is woken; and order is kept when it goes out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from kinpost_server.domain.errors import Refusal
from kinpost_server.domain.event import SentMessageUndeliverable
from kinpost_server.domain.message import DiscardReason, MessageState, Mode, RecipientState
from kinpost_server.domain.permission import Decision
from kinpost_server.domain.run import RunState
from kinpost_server.domain.session import Availability, Session, Starter
from kinpost_server.engine.cancel_run import CancelRun
from kinpost_server.engine.claim_messages import ClaimMessages
from kinpost_server.engine.create_session import CreateSession
from kinpost_server.engine.delete_session import DeleteSession
from kinpost_server.engine.finish_run import FinishRun
from kinpost_server.engine.register_producer import RegisterProducer
from kinpost_server.engine.retract_message import RetractMessage
from kinpost_server.engine.revert_session import RevertSession
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.send_producer_message import SendProducerMessage
from kinpost_server.engine.send_user_message import SendUserMessage
from kinpost_server.engine.set_availability import SetAvailability
from kinpost_server.engine.settings import SECOND, DeliveryLimits, EngineSettings, ProducerLimits
from kinpost_server.engine.start_run import StartRun
from office import ADMIN, APPROVER, PLUGIN, RUNTIME_1, Office

FAILING_RUNS_MAX = 2
LEASE_SECONDS = 10_000.0
SETTINGS = EngineSettings(
    delivery=DeliveryLimits(failing_runs_max=FAILING_RUNS_MAX, run_lease_seconds=LEASE_SECONDS),
    producers=ProducerLimits(lease_seconds=LEASE_SECONDS),
)
UNTIL_SECONDS = 50
OPEN, PAUSED, ARCHIVED, ENDED, USER_CLOSED = Availability


@dataclass
class Scene:
    """A parent whose run writes to its child, a plugin registered with the child, and a grandchild's run."""

    office: Office
    parent: str = ""
    child: str = ""
    run: str = ""
    producer: str = ""
    accepted: list[Any] = field(default_factory=list)
    count: int = 0

    def __post_init__(self) -> None:
        self.parent = self.create(None)
        self.run = self.start(self.parent).run.run_id
        self.child = self.create(self.parent)
        self.producer = self.office.do(RegisterProducer(PLUGIN, self.child, "build")).producer_id

    def next(self, prefix: str) -> str:
        """Return a new client id."""
        self.count += 1
        return f"{prefix}{self.count}"

    def create(self, parent: str | None, run: str | None = None) -> str:
        """Make a session that may write to any."""
        session_id = self.office.new_id()
        call = "call" if run is not None else None
        rules = {"*": Decision.ALLOW}
        self.office.do(CreateSession(RUNTIME_1, session_id, parent, run, call, "worker", rules, starter=Starter.WAKE))
        return session_id

    def start(self, session_id: str, **fields: Any) -> Any:
        """Start a run of a session, by the wake that stands if there is one."""
        wake = self.office.session(session_id).wake
        wake_id = wake.wake_id if wake is not None else ""
        client_run_id = "" if wake is not None else self.next("run")
        return self.office.do(StartRun(RUNTIME_1, session_id, wake_id, client_run_id, **fields))

    @property
    def now(self) -> Session:
        """The child as it is."""
        return self.office.session(self.child)

    def put(self, availability: Availability, caller: Any = APPROVER, reason: str = "", **fields: Any) -> None:
        """Set the child's availability."""
        self.office.do(SetAvailability(caller, self.child, availability, reason, **fields))

    def mail(self, *, agents: bool = True) -> list[Any]:
        """Send the child mail of each owner and mode; return what was answered, in order."""
        answers = []
        for mode in Mode:
            body, key = f"mail {self.count}", self.next("key")
            if agents:
                command = SendMessage(RUNTIME_1, self.parent, self.run, key, self.child, body, mode)
                answers.append(self.office.do(command))
            answers.append(self.office.do(SendUserMessage(ADMIN, self.child, key, body, mode)))
            answers.append(self.office.do(SendProducerMessage(PLUGIN, self.child, self.producer, key, body, mode)))
        self.accepted += answers
        return answers


# Ways in: how the child comes not to be open, the reason that senders see, and how it may end by itself


def stop_by_cancel(scene: Scene) -> None:
    """A person cancels the child's run, which has a claim."""
    run = scene.start(scene.child, attempt_id="first").run
    scene.office.do(CancelRun(APPROVER, scene.child, run.run_id, "enough"))


def stop_by_finish(scene: Scene) -> None:
    """The runtime ends the run because its person said so."""
    run = scene.start(scene.child, attempt_id="first").run
    scene.office.do(FinishRun(RUNTIME_1, scene.child, run.run_id, RunState.CANCELLED, by_person=True))


def fail(scene: Scene) -> None:
    """Run after run consumes nothing."""
    for _ in range(FAILING_RUNS_MAX):
        scene.office.advance(400)
        run = scene.start(scene.child, attempt_id=scene.next("attempt")).run
        scene.office.do(FinishRun(RUNTIME_1, scene.child, run.run_id, RunState.FAILED))


def pause_until(scene: Scene) -> None:
    """A person pauses it for a while."""
    scene.put(PAUSED, reason="lunch", until_time=scene.office.time + UNTIL_SECONDS * SECOND)


def pause_during_a_run(scene: Scene) -> None:
    """A person pauses it while it runs; the run gets no more mail, and ends."""
    run = scene.start(scene.child).run
    scene.put(PAUSED, reason="wait")
    answer = scene.office.do(ClaimMessages(RUNTIME_1, scene.child, run.run_id, "late"))
    assert answer.claim.messages == []
    scene.office.do(
        FinishRun(RUNTIME_1, scene.child, run.run_id, RunState.COMPLETED, commit_claim_seq=answer.claim.claim_seq)
    )


def revert(scene: Scene, caller: Any) -> None:
    """Somebody goes back, and keeps what waits from waking the session."""
    last_seq = scene.now.last_seq
    scene.office.do(RevertSession(caller, scene.child, last_seq, last_seq, pause=True))


HELD_BY: dict[str, tuple[Callable[[Scene], None], str]] = {
    "paused by a person": (lambda scene: scene.put(PAUSED, reason="lunch"), "lunch"),
    "paused without a reason": (lambda scene: scene.put(PAUSED), "paused"),
    "paused until": (pause_until, "lunch"),
    "paused during a run": (pause_during_a_run, "wait"),
    "paused by its runtime": (lambda scene: scene.put(PAUSED, RUNTIME_1, "busy"), "busy"),
    "archived, no wake": (lambda scene: scene.put(ARCHIVED, no_wake=True), "archived"),
    "archived by its runtime, no wake": (lambda scene: scene.put(ARCHIVED, RUNTIME_1, no_wake=True), "archived"),
    "closed by a person": (lambda scene: scene.put(USER_CLOSED, reason="done with it"), "done with it"),
    "stopped by a person's cancel": (stop_by_cancel, "enough"),
    "stopped by a person's finish": (stop_by_finish, "stopped"),
    "failing": (fail, "failing"),
    "reverted by a person": (lambda scene: revert(scene, APPROVER), "reverted"),
    "reverted by its runtime": (lambda scene: revert(scene, RUNTIME_1), "reverted"),
}
NOT_HELD_BY: dict[str, Callable[[Scene], None]] = {
    "open": lambda _scene: None,
    "opened by a person": lambda scene: scene.put(OPEN),
    "archived": lambda scene: scene.put(ARCHIVED),
    "ended": lambda scene: scene.put(ENDED, RUNTIME_1),
    "paused and opened": lambda scene: (scene.put(PAUSED), scene.put(OPEN)),  # type: ignore[func-returns-value]
    "a runtime's cancel": lambda scene: scene.office.do(
        CancelRun(RUNTIME_1, scene.child, scene.start(scene.child).run.run_id)
    ),
}
OUT: dict[str, Callable[[Scene], None]] = {
    "a person opens it": lambda scene: scene.put(OPEN),
    "a person lets mail wake it from the archive": lambda scene: scene.put(ARCHIVED),
    "a person says that it has ended": lambda scene: scene.put(ENDED),
    "by way of every other closing": lambda scene: [  # type: ignore[func-returns-value]
        scene.put(availability, **fields)
        for availability, fields in (
            (USER_CLOSED, {}),
            (PAUSED, {"until_time": scene.office.time + SECOND}),
            (ARCHIVED, {"no_wake": True}),
            (PAUSED, {}),
            (OPEN, {}),
        )
    ],
}
BY_ITSELF: dict[str, tuple[str, Callable[[Scene], None]]] = {
    "its time passes": ("paused until", lambda scene: scene.office.advance(UNTIL_SECONDS)),
    "its runtime opens it": ("paused by its runtime", lambda scene: scene.put(OPEN, RUNTIME_1)),
    "its runtime takes it from the archive": (
        "archived by its runtime, no wake",
        lambda scene: scene.put(OPEN, RUNTIME_1),
    ),
    "its runtime opens what it reverted": ("reverted by its runtime", lambda scene: scene.put(OPEN, RUNTIME_1)),
}
MATRIX = [(way_in, way_out) for way_in in HELD_BY for way_out in OUT] + [
    (way_in, way_out) for way_out, (way_in, _) in BY_ITSELF.items()
]


@pytest.fixture
def scene(open_office):
    return Scene(open_office(SETTINGS))


def is_held(scene: Scene, reason: str) -> None:
    """Assert that all mail waits, seen by whoever sent it as held and why, and that nobody is woken."""
    assert scene.now.wake is None
    assert list(scene.now.mail) == [answer.message_id for answer in scene.accepted]
    for answer in scene.accepted:
        sent = scene.office.reader.get_message(answer.message_id)
        assert sent is not None
        assert (sent.held, sent.held_reason) == (True, reason)
        assert sent.held_time is not None
        assert sent.held_time == max(scene.now.availability_time, sent.message.accept_time)
    with pytest.raises(Refusal) as refused:
        scene.start(scene.child)
    assert refused.value.code == "session:not_open"


def goes_out(scene: Scene) -> None:
    """Assert that the mail has woken the session, and is consumed in order, each once."""
    assert scene.now.wake is not None
    scene.office.advance(400)  # a session that failed is not woken at once
    for answer in scene.accepted:
        sent = scene.office.reader.get_message(answer.message_id)
        assert sent is not None
        assert (sent.held, sent.held_reason, sent.held_time) == (False, "", None)
    started = scene.start(scene.child, attempt_id="out")
    assert [m.message_id for m in started.claim.messages] == [answer.message_id for answer in scene.accepted]
    assert scene.now.availability is OPEN
    scene.office.do(
        FinishRun(
            RUNTIME_1,
            scene.child,
            started.run.run_id,
            RunState.COMPLETED,
            commit_claim_seq=started.claim.claim_seq,
        )
    )
    assert (len(scene.now.mail), scene.now.wake) == (0, None)
    states = {scene.office.reader.get_message(answer.message_id).message.state for answer in scene.accepted}
    assert states == {MessageState.CONSUMED}


@pytest.mark.parametrize("restarts", [False, True], ids=["at once", "over restarts"])
@pytest.mark.parametrize("way_in, way_out", MATRIX)
def test_held_mail_waits_and_goes_out_in_order(scene, way_in, way_out, restarts):
    def pass_on() -> None:
        if restarts:
            scene.office.restart()

    scene.office.advance(1)
    scene.mail(agents=False)  # before
    close, reason = HELD_BY[way_in]
    close(scene)
    pass_on()
    is_held(scene, reason)
    scene.office.advance(1)
    assert {answer.recipient_state for answer in scene.mail()} == {RecipientState.HELD}  # meanwhile
    pass_on()
    is_held(scene, reason)
    if scene.now.set_by_person or reason == "failing":
        with pytest.raises(Refusal) as refused:
            scene.put(OPEN, RUNTIME_1)
        assert refused.value.code == "auth:forbidden"
        is_held(scene, reason)
    (OUT.get(way_out) or BY_ITSELF[way_out][1])(scene)
    pass_on()
    goes_out(scene)
    assert scene.office.mended == []


@pytest.mark.parametrize("restarts", [False, True], ids=["at once", "over restarts"])
@pytest.mark.parametrize("way_in", NOT_HELD_BY)
def test_mail_that_is_not_held_wakes_the_session(scene, way_in, restarts):
    NOT_HELD_BY[way_in](scene)
    if restarts:
        scene.office.restart()
    assert RecipientState.HELD not in {answer.recipient_state for answer in scene.mail()}
    goes_out(scene)


@pytest.mark.parametrize("way_in", HELD_BY)
def test_held_mail_that_its_senders_take_back_is_not_delivered(scene, way_in):
    scene.mail(agents=False)
    HELD_BY[way_in][0](scene)
    answers = scene.mail()
    agents = [answers[0], answers[3]]
    for answer in agents:
        sent = scene.office.do(RetractMessage(RUNTIME_1, scene.parent, answer.message_id))
        assert (sent.held, sent.message.discard_reason) == (False, DiscardReason.RETRACTED)
        scene.accepted.remove(answer)
    is_held(scene, HELD_BY[way_in][1])
    scene.put(OPEN)
    goes_out(scene)


@pytest.mark.parametrize("way_in", HELD_BY)
def test_held_mail_of_a_deleted_session_is_told_to_its_senders(scene, way_in):
    scene.mail(agents=False)
    HELD_BY[way_in][0](scene)
    answers = scene.mail()
    scene.office.do(DeleteSession(ADMIN, scene.child))
    told = [e.payload for e in scene.office.events(scene.parent) if isinstance(e.payload, SentMessageUndeliverable)]
    assert [(payload.message_id, payload.reason) for payload in told] == [
        (answers[index].message_id, DiscardReason.DELETED) for index in (0, 3)
    ]
    assert scene.now.wake is None


@pytest.mark.parametrize("way_in", HELD_BY)
def test_a_delegations_report_is_held_like_any_mail(scene, way_in):
    """The child delegates, is closed, and hears of the end when it is opened, in its place among the other mail."""
    run = scene.start(scene.child).run
    grandchild = scene.create(scene.child, run.run_id)
    scene.office.do(FinishRun(RUNTIME_1, scene.child, run.run_id, RunState.COMPLETED))
    scene.mail(agents=False)
    HELD_BY[way_in][0](scene)
    work = scene.start(grandchild).run
    scene.office.do(FinishRun(RUNTIME_1, grandchild, work.run_id, RunState.COMPLETED, "done"))
    (report,) = (m for m in scene.now.mail.values() if m.sender.session_id == grandchild)
    scene.accepted.append(report)
    scene.mail()
    is_held(scene, HELD_BY[way_in][1])
    scene.put(OPEN)
    goes_out(scene)
