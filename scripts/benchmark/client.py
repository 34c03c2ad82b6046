"""The load's side: raw stubs, sessions with active runs, and the calls that are measured."""

from __future__ import annotations

import itertools
import uuid
from dataclasses import dataclass, field

import grpc.aio
from kinpost.v1 import (
    event_service_pb2_grpc,
    messaging_service_pb2,
    messaging_service_pb2_grpc,
    run_pb2,
    run_service_pb2,
    run_service_pb2_grpc,
    session_pb2,
    session_service_pb2,
    session_service_pb2_grpc,
)

BODY = "x" * 256
OPTIONS = [("grpc.max_receive_message_length", 64 << 20)]


@dataclass
class Agent:
    """A session with an active run, and the seq of its last claim."""

    session_id: str
    run_id: str
    claim_seq: int = 0


@dataclass
class Office:
    """Everything that is called during a measurement."""

    target: str
    token: str
    tag: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    def __post_init__(self) -> None:
        self.channel = grpc.aio.insecure_channel(self.target, options=OPTIONS)
        self.metadata = (("authorization", f"Bearer {self.token}"),)
        self.numbers = itertools.count()
        self.sessions = session_service_pb2_grpc.SessionServiceStub(self.channel)
        self.runs = run_service_pb2_grpc.RunServiceStub(self.channel)
        self.messaging = messaging_service_pb2_grpc.MessagingServiceStub(self.channel)
        self.events = event_service_pb2_grpc.EventServiceStub(self.channel)

    def next(self) -> str:
        """Return a new client id."""
        return f"{self.tag}-{next(self.numbers)}"

    async def create(self, parent: str = "") -> str:
        """Make a session whose agent may write to anybody."""
        request = session_service_pb2.CreateSessionRequest(
            agent="bench",
            parent_session_id=parent,
            starter=session_pb2.STARTER_WAKE,
            message_rules=session_pb2.MessageRules(
                rules=[session_pb2.MessageRule(pattern="*", decision=session_pb2.RULE_DECISION_ALLOW)]
            ),
        )
        answer = await self.sessions.CreateSession(request, metadata=self.metadata)
        return answer.session.session_id

    async def start(self, session_id: str) -> Agent:
        """Give a session a run."""
        request = run_service_pb2.StartRunRequest(
            session_id=session_id, client_run_id=self.next(), attempt_id=self.next()
        )
        answer = await self.runs.StartRun(request, metadata=self.metadata)
        return Agent(session_id, answer.run.run_id, answer.claim.claim_seq)

    async def tree(self, agents: int) -> list[Agent]:
        """Make a tree of so many running agents."""
        root = await self.create()
        return [await self.start(await self.create(root)) for _ in range(agents)]

    async def send(self, sender: Agent, to: str) -> messaging_service_pb2.SendMessageResponse:
        """One durable send."""
        request = messaging_service_pb2.SendMessageRequest(
            session_id=sender.session_id, run_id=sender.run_id, tool_call_id=self.next(), to=to, body=BODY
        )
        return await self.messaging.SendMessage(request, metadata=self.metadata)

    async def send_batch(self, sender: Agent, to: str, size: int) -> None:
        """Many sends in one call; all must be accepted."""
        request = messaging_service_pb2.BatchSendMessagesRequest(
            session_id=sender.session_id,
            run_id=sender.run_id,
            sends=[messaging_service_pb2.BatchSend(tool_call_id=self.next(), to=to, body=BODY) for _ in range(size)],
        )
        answer = await self.messaging.BatchSendMessages(request, metadata=self.metadata)
        assert all(result.HasField("accepted") for result in answer.results)

    async def turn(self, agent: Agent) -> int:
        """Commit the last claim and claim again; return how many messages the claim holds."""
        request = run_service_pb2.ClaimMessagesRequest(
            session_id=agent.session_id,
            run_id=agent.run_id,
            attempt_id=self.next(),
            commit_claim_seq=agent.claim_seq or None,
        )
        answer = await self.runs.ClaimMessages(request, metadata=self.metadata)
        agent.claim_seq = answer.claim.claim_seq
        return len(answer.claim.messages)

    async def finish(self, agent: Agent) -> None:
        """End a run after its last claim."""
        request = run_service_pb2.FinishRunRequest(
            session_id=agent.session_id,
            run_id=agent.run_id,
            outcome=run_pb2.RUN_STATE_COMPLETED,
            commit_claim_seq=agent.claim_seq or None,
        )
        await self.runs.FinishRun(request, metadata=self.metadata)

    async def close(self) -> None:
        """Close the channel."""
        await self.channel.close()
