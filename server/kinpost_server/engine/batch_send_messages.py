"""BatchSendMessages: many sends of one run in one call, each judged and answered on its own."""

from __future__ import annotations

from dataclasses import dataclass

from kinpost_server.domain.approval import PendingApproval
from kinpost_server.domain.errors import EngineShutdown, Refusal
from kinpost_server.domain.identity import Caller
from kinpost_server.domain.message import Acceptance
from kinpost_server.engine.access import own_session
from kinpost_server.engine.command import Command, GateNeeded
from kinpost_server.engine.send_message import SendMessage
from kinpost_server.engine.view import View

Answered = Acceptance | PendingApproval | Refusal
Judged = Answered | GateNeeded


@dataclass(slots=True)
class BatchSendMessages(Command[list[Judged]]):
    """Judge the sends in order; a refused one does not stop those after it.

    The answer to one that plugins are to judge first is GateNeeded; it is decided again when they have.
    """

    caller: Caller
    session_id: str
    sends: list[SendMessage]

    at_shutdown = EngineShutdown

    def load(self, view: View) -> None:
        view.want_session(self.session_id)
        for send in self.sends:
            send.load(view)

    def decide(self, view: View) -> list[Judged]:
        own_session(view, self.caller, self.session_id)
        return [_judged(send, view) for send in self.sends]


def _judged(send: SendMessage, view: View) -> Judged:
    try:
        return send.decide(view)
    except (Refusal, GateNeeded) as unanswered:
        return unanswered
