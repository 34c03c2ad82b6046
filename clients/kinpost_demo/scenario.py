"""The story: a lead, a scout and a scribe survey an archive, while their server dies.

Each step waits for what shows it: an entry of the event log, or what a model was asked. Nothing is taken on trust.
"""

from __future__ import annotations

from kinpost.v1 import event_pb2, run_pb2
from kinpost_client import Client, Event
from kinpost_client.terms import RecipientState

from kinpost_demo.evidence import Evidence, Reported
from kinpost_demo.narrator import Narrator
from kinpost_demo.processes import RuntimeProcess, ServerProcess
from kinpost_demo.steps import Checklist, Step
from kinpost_demo.story import ASK, BEGIN, CELLAR, COINS, GUESS, NOBODY, RECORD, SURVEYED, TOWER, VAULT


class Missing(Exception):
    """What came is not what should have; the text says what is wrong."""


class Scenario:
    """The story with its people: `user` writes to the lead, `evidence` is what was seen."""

    def __init__(
        self,
        server: ServerProcess,
        south: RuntimeProcess,
        user: Client,
        evidence: Evidence,
        checklist: Checklist,
        narrator: Narrator,
        root_session_id: str,
    ) -> None:
        self._server = server
        self._south = south
        self._user = user
        self._evidence = evidence
        self._checklist = checklist
        self._narrator = narrator
        self._root_session_id = root_session_id
        self._chapter = 0

    async def play(self) -> None:
        """Play it to its end. Raises Missing."""
        for title, part in (
            ("the lead delegates; the scribe tries what it must not", self._refusals),
            ("mail for a scout at work", self._steering),
            ("the scout reports, and takes its next task", self._reporting),
            ("a finished scout is woken", self._waking),
            ("the server dies with a message in its hands", self._killing),
            ("the log, read again from its beginning", self._log),
        ):
            self._chapter += 1
            self._narrator.heading(self._chapter, 6, title)
            await part()

    async def _refusals(self) -> None:
        await self._tell_lead(BEGIN)
        denied = await self._evidence.report(lambda report: report.shows("permission:denied"))
        self._expect(denied.facts["agent"] == "scribe", "the scribe is refused")
        self._expect(not self._accepted(ASK), "what was denied is not stored")
        self._checklist.seen(Step.DENIED, f"the scribe's next request says: {_line(denied, 'permission:denied')}")
        unknown = await self._evidence.report(lambda report: report.shows("unknown subagent reference"))
        self._expect(unknown.shows(NOBODY), "the answer names the unknown handle")
        self._expect(not self._accepted(GUESS), "what has no recipient is not stored")
        self._checklist.seen(Step.UNKNOWN, f"and later: {_line(unknown, 'unknown subagent reference')}")

    async def _steering(self) -> None:
        await self._surveying("archive")
        before = len(self._requests_of("scout"))
        cellar = await self._send(f"Tell the scout: {CELLAR}", CELLAR, RecipientState.RUNNING)
        await self._send(f"Queue for the scout: {TOWER}", TOWER, RecipientState.RUNNING)
        self._expect(len(self._requests_of("scout")) == before, "no model request of the scout meanwhile")
        self._south.let_end("archive")
        steered = await self._evidence.report(lambda report: report.shows(CELLAR, "scout"))
        self._expect(steered.shows("archive: 12 crates"), "it comes with the survey's result, at the next boundary")
        self._expect(self._requests_of("scout").index(steered) == before, "it is in the very next request")
        self._expect(not steered.shows(TOWER), "the queued one is not in it")
        self._expect(cellar.run_id is None, "it was accepted outside of a run")
        self._checklist.seen(
            Step.STEER, f"in request {steered.facts['turn']} of run {steered.facts['run']}, in none before"
        )

    async def _reporting(self) -> None:
        for step, body, agent in ((Step.SIBLING, RECORD, "scribe"), (Step.PARENT, SURVEYED, "lead")):
            heard = await self._evidence.wait_for(
                lambda body=body, agent=agent: next(iter(self._evidence.requests(body, agent)), None)  # type: ignore[misc]
            )
            self._expect(heard.shows('<agent_message from="scout_'), "it says who wrote it")
            self._checklist.seen(step, f"the {agent} read: {_line(heard, body)}")
        queued = await self._evidence.report(lambda report: report.shows(TOWER, "scout"))
        earlier = max(report.facts["run"] for report in self._requests_of("scout") if report.shows(CELLAR))
        self._expect(queued.facts["run"] == earlier + 1, "it is in the next run")
        self._expect(queued.facts["turn"] == 1, "at its first boundary")
        self._expect(len(self._evidence.requests(TOWER, "scout")) == 1, "and in no other request")
        self._checklist.seen(Step.QUEUE, f"in the first request of run {queued.facts['run']}")
        await self._finished("scout", queued.facts["run"])

    async def _waking(self) -> None:
        await self._send(f"Tell the scout: {VAULT}", VAULT, RecipientState.WAKING_FINISHED)
        woken = await self._evidence.report(lambda report: report.shows(VAULT, "scout"))
        self._expect(woken.facts["turn"] == 1, "it is the first thing that its run reads")
        self._checklist.seen(Step.WOKEN, f"as the first request of run {woken.facts['run']}")

    async def _killing(self) -> None:
        await self._surveying("vault")
        accepted = await self._send(f"Tell the scout: {COINS}", COINS, RecipientState.RUNNING)
        payload = accepted.payload
        assert isinstance(payload, event_pb2.ProducerMessageAccepted)
        self._narrator.say("server", f"kill -9 {self._server.pid}")
        await self._server.kill()
        self._expect(not self._delivered(payload.message_id), "it was not delivered before")
        await self._server.start()
        await self._user.server_info()
        self._narrator.say("server", f"started again, as {self._server.pid}")
        self._south.let_end("vault")
        told = await self._evidence.report(lambda report: report.shows(COINS, "scout"))
        await self._finished("scout", told.facts["run"])
        self._expect(len(self._evidence.requests(COINS, "scout")) == 1, "one model request has it")
        self._expect(self._delivered(payload.message_id) == 1, "it is consumed once")
        self._checklist.seen(
            Step.KILLED, f"message {payload.message_id} was accepted once, put before one request, and consumed once"
        )

    async def _log(self) -> None:
        stored = [event async for event in self._user.list_events(root_session_id=self._root_session_id)]
        last = stored[-1].position
        await self._evidence.wait_for(lambda: self._evidence.events[-1].position >= last or None)
        streamed = [event for event in self._evidence.events if event.position <= last]
        self._expect(streamed == stored, "what was streamed is what is stored")
        kinds = [event.type for event in stored]
        self._expect(
            kinds.count("producer_message_accepted") == kinds.count("producer_message_consumed"),
            "every message that was accepted is consumed, once",
        )
        self._checklist.seen(Step.WHOLE, f"{len(stored)} events, from {stored[0].position} to {last}")

    # What the user does, and what is looked for

    async def _tell_lead(self, text: str) -> None:
        self._narrator.say("user", f"to the lead: {text}")
        await self._user.send_user_message(self._root_session_id, text)

    async def _send(self, order: str, body: str, state: RecipientState) -> Event:
        """Have the lead send, and wait until it is stored and its run is over."""
        await self._tell_lead(order)
        accepted, _ = await self._evidence.event(
            event_pb2.ProducerMessageAccepted, lambda _, payload: payload.body == body
        )
        result = await self._evidence.report(
            lambda report: report.kind == "result" and accepted_id(accepted) in report.facts["text"]
        )
        said = result.facts["structured"]["recipient_state"]
        self._expect(said == state, f"the lead is told that its recipient is {state}, not {said}")
        await self._finished("lead", result.facts["run"])
        return accepted

    async def _surveying(self, place: str) -> None:
        await self._evidence.report(lambda report: report.kind == "surveying" and report.facts["place"] == place)

    async def _finished(self, agent: str, number: int) -> None:
        """Wait until an agent's run has ended, well."""

        def ended(event: Event, payload: event_pb2.RunFinished) -> bool:
            return payload.run_id in self._runs(agent, number)

        _, payload = await self._evidence.event(event_pb2.RunFinished, ended)
        self._expect(payload.outcome == run_pb2.RUN_STATE_COMPLETED, f"run {number} of the {agent} ends well")

    def _runs(self, agent: str, number: int) -> list[str]:
        sessions = {
            event.session_id
            for event, payload in self._evidence.of(event_pb2.SessionCreated)
            if payload.session.agent == agent
        }
        return [
            payload.run_id
            for event, payload in self._evidence.of(event_pb2.RunStarted)
            if event.session_id in sessions and payload.number == number
        ]

    def _requests_of(self, agent: str) -> list[Reported]:
        return [
            report for report in self._evidence.reports if report.kind == "request" and report.facts["agent"] == agent
        ]

    def _accepted(self, body: str) -> int:
        return sum(payload.body == body for _, payload in self._evidence.of(event_pb2.ProducerMessageAccepted))

    def _delivered(self, message_id: str) -> int:
        return sum(
            payload.message_id == message_id for _, payload in self._evidence.of(event_pb2.ProducerMessageConsumed)
        )

    @staticmethod
    def _expect(holds: object, what: str) -> None:
        if not holds:
            raise Missing(f"this does not hold: {what}")


def accepted_id(event: Event) -> str:
    """Return the id of an accepted message."""
    payload = event.payload
    assert isinstance(payload, event_pb2.ProducerMessageAccepted)
    return payload.message_id


def _line(report: Reported, text: str) -> str:
    """Return the line of a request that has a text."""
    lines = [line for shown in report.facts["texts"] for line in shown.splitlines()]
    return str(next(line for line in lines if text in line))
