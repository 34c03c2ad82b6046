"""Clients of a real server, over loopback, as tests use them: fields in, answers out."""

from __future__ import annotations

import asyncio
import itertools
from types import SimpleNamespace
from typing import Any

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from kinpost.v1 import (
    admin_service_pb2,
    approval_service_pb2,
    event_service_pb2,
    messaging_service_pb2,
    peer_service_pb2,
    producer_service_pb2,
    run_pb2,
    run_service_pb2,
    session_service_pb2,
    tool_service_pb2,
)
from kinpost.v1 import session_pb2 as words
from uuid_utils import uuid4

CALL_SECONDS = 60.0
SERVICES = {
    "sessions": session_service_pb2.DESCRIPTOR.services_by_name["SessionService"],
    "runs": run_service_pb2.DESCRIPTOR.services_by_name["RunService"],
    "messaging": messaging_service_pb2.DESCRIPTOR.services_by_name["MessagingService"],
    "tools": tool_service_pb2.DESCRIPTOR.services_by_name["ToolService"],
    "producers": producer_service_pb2.DESCRIPTOR.services_by_name["ProducerService"],
    "events": event_service_pb2.DESCRIPTOR.services_by_name["EventService"],
    "approvals": approval_service_pb2.DESCRIPTOR.services_by_name["ApprovalService"],
    "peers": peer_service_pb2.DESCRIPTOR.services_by_name["PeerService"],
    "admin": admin_service_pb2.DESCRIPTOR.services_by_name["AdminService"],
}
DECISIONS = {
    "allow": words.RULE_DECISION_ALLOW,
    "ask": words.RULE_DECISION_ASK,
    "deny": words.RULE_DECISION_DENY,
}
names = itertools.count(1)


def fresh(prefix: str = "id") -> str:
    """Return an id that no other call of this process got."""
    return f"{prefix}-{next(names)}"


class Calls:
    """One service: each RPC is a method that takes the fields of its request."""

    def __init__(self, channel: grpc.aio.Channel, service: Any, metadata: tuple[tuple[str, str], ...]) -> None:
        for method in service.methods:
            setattr(self, method.name, self._call(channel, service, method, metadata))

    @staticmethod
    def _call(channel: grpc.aio.Channel, service: Any, method: Any, metadata: Any) -> Any:
        request_class, answer_class = method.input_type._concrete_class, method.output_type._concrete_class
        kind = channel.unary_stream if method.server_streaming else channel.unary_unary
        rpc = kind(
            f"/{service.full_name}/{method.name}",
            request_serializer=request_class.SerializeToString,
            response_deserializer=answer_class.FromString,
        )

        def call(request: Any = None, *, seconds: float | None = CALL_SECONDS, **fields: Any) -> Any:
            request = request_class(**fields) if request is None else request
            return rpc(request, metadata=metadata, timeout=None if method.server_streaming else seconds)

        return call


class Stream:
    """A subscription or an attachment: `next` waits for the next frame, `until` for one that fits."""

    def __init__(self, call: Any) -> None:
        self.call = call
        self.seen: list[Any] = []

    async def next(self) -> Any:
        try:
            async with asyncio.timeout(CALL_SECONDS):
                frame = await self.call.read()
        except TimeoutError:
            raise AssertionError(f"nothing came for {CALL_SECONDS:g} s; the last: {self.seen[-3:]}") from None
        if frame is grpc.aio.EOF:
            await self.call.code()
            raise AssertionError("the stream ended without a status that says why")
        self.seen.append(frame)
        return frame

    async def until(self, fits: Any) -> Any:
        while not fits(frame := await self.next()):
            pass
        return frame

    async def ended(self) -> None:
        """Read on until the stream ends, and raise what it ended with."""
        while True:
            await self.next()

    async def told(self, kind: str) -> Any:
        """Wait for a notice of a runtime's attachment: wake_offer, wake_withdrawn, run_stop or heartbeat."""
        frame = await self.until(lambda notice: notice.WhichOneof("message") == kind)
        return getattr(frame, kind)

    async def events(self, count: int) -> list[Any]:
        """Wait for so many more events of a subscription."""
        found: list[Any] = []
        while len(found) < count:
            found += (await self.next()).events
        return found

    def cancel(self) -> None:
        self.call.cancel()


class Client:
    """Whoever holds a token. The nine services are attributes; the methods are what tests do all the time."""

    def __init__(
        self,
        address: str,
        secret: str,
        token_id: str = "",
        credentials: Any = None,
        options: tuple[tuple[str, int | str], ...] = (),
    ) -> None:
        self.address, self.secret, self.token_id = address, secret, token_id
        # A pool of its own: a connection that one test's server broke is not another's.
        options = (("grpc.use_local_subchannel_pool", 1), ("grpc.lb_policy_name", "round_robin"), *options)
        if credentials is None:
            self.channel = grpc.aio.insecure_channel(address, options=options)
        else:
            self.channel = grpc.aio.secure_channel(address, credentials, options=options)
        metadata = (("authorization", f"Bearer {secret}"),) if secret else ()
        (
            self.sessions,
            self.runs,
            self.messaging,
            self.tools,
            self.producers,
            self.events,
            self.approvals,
            self.peers,
            self.admin,
        ) = (Calls(self.channel, service, metadata) for service in SERVICES.values())

    async def close(self) -> None:
        await self.channel.close()

    async def session(self, parent: Any = None, rules: dict[str, str] | None = None, **fields: Any) -> Any:
        """Create a session: a root, or a child of `parent`; `rules` are pattern to decision."""
        fields.setdefault("session_id", str(uuid4()))
        fields.setdefault("agent", "explore")
        if parent is not None:
            fields.setdefault("parent_session_id", parent.session_id)
            fields.setdefault("starter", words.STARTER_WAKE)
        if rules is not None:
            given = [words.MessageRule(pattern=p, decision=DECISIONS[d]) for p, d in rules.items()]
            fields["message_rules"] = words.MessageRules(rules=given)
        return (await self.sessions.CreateSession(**fields)).session

    async def look(self, session: Any) -> Any:
        """Return the session as it is now."""
        return (await self.sessions.GetSession(session_id=session.session_id)).session

    async def start(self, session: Any, **fields: Any) -> Any:
        """Start a run; without a wake it gets a client's id. Returns the whole answer: `run`, `claim`."""
        if "wake_id" not in fields:
            fields.setdefault("client_run_id", fresh("run"))
        return await self.runs.StartRun(session_id=session.session_id, **fields)

    async def run(self, session: Any, **fields: Any) -> Any:
        """Start a run and return it."""
        return (await self.start(session, **fields)).run

    async def send(self, run: Any, to: Any, body: str = "hello", **fields: Any) -> Any:
        """Send from a run to a session, its handle, or any text; returns the acceptance."""
        return (await self.ask(run, to, body, **fields)).accepted

    async def ask(self, run: Any, to: Any, body: str = "hello", **fields: Any) -> Any:
        """Send where a person may be asked first; returns the whole answer: `accepted` or `pending_approval`."""
        fields.setdefault("tool_call_id", fresh("call"))
        to = to if isinstance(to, str) else to.session_id
        return await self.messaging.SendMessage(
            session_id=run.session_id, run_id=run.run_id, to=to, body=body, **fields
        )

    async def user(self, session: Any, body: str = "hello", **fields: Any) -> Any:
        """Send a person's message; returns the acceptance."""
        fields.setdefault("client_message_id", fresh("user"))
        return (await self.messaging.SendUserMessage(session_id=session.session_id, body=body, **fields)).accepted

    async def register(self, session: Any, **fields: Any) -> Any:
        """Register the token's plugin as a producer of a session; returns the registration."""
        fields.setdefault("client_producer_id", fresh("producer"))
        return (await self.producers.RegisterProducer(session_id=session.session_id, **fields)).producer

    async def produce(self, producer: Any, body: str = "hello", **fields: Any) -> Any:
        """Send by a registration; returns the acceptance."""
        fields.setdefault("idempotency_key", fresh("key"))
        fields = {"session_id": producer.session_id, "producer_id": producer.producer_id, "body": body, **fields}
        return (await self.producers.SendProducerMessage(**fields)).accepted

    async def discard(self, session: Any, message: Any) -> None:
        """Discard a message of the token's plugin."""
        fields = {"session_id": session.session_id, "message_id": message.message_id}
        await self.producers.DiscardProducerMessage(**fields)

    async def claim(self, run: Any, **fields: Any) -> Any:
        """Claim for the next model request; returns the claim."""
        fields.setdefault("attempt_id", fresh("attempt"))
        return (await self.runs.ClaimMessages(session_id=run.session_id, run_id=run.run_id, **fields)).claim

    async def commit(self, run: Any, claim: Any) -> list[str]:
        """Commit a claim; returns the ids of what it consumed."""
        answer = await self.runs.CommitTurn(session_id=run.session_id, run_id=run.run_id, claim_seq=claim.claim_seq)
        return list(answer.consumed_message_ids)

    async def finish(self, run: Any, outcome: str = "COMPLETED", **fields: Any) -> Any:
        """End a run; returns the whole answer: `run` or `claim`."""
        number = run_pb2.RunState.Value(f"RUN_STATE_{outcome}")
        return await self.runs.FinishRun(session_id=run.session_id, run_id=run.run_id, outcome=number, **fields)

    async def log(self, **scope: Any) -> list[Any]:
        """Return all events of a scope: session_id, root_session_id, or all=True."""
        found: list[Any] = []
        token = ""
        while True:
            page = await self.events.ListEvents(**scope, page_token=token, page_size=1000)
            found += page.events
            token = page.next_page_token
            if not token:
                return found

    def subscribe(self, **fields: Any) -> Stream:
        """Subscribe to events."""
        return Stream(self.events.SubscribeEvents(**fields))

    async def attach(self, runtime_id: str | None = None, **fields: Any) -> Stream:
        """Attach a runtime and wait until it stands; `attached` is the first answer."""
        fields.setdefault("run_slots_max", 10)
        stream = Stream(self.runs.AttachRuntime(runtime_id=runtime_id or fresh("runtime"), **fields))
        stream.attached = (await stream.next()).attached  # type: ignore[attr-defined]
        return stream


def read_refusal(error: grpc.aio.AioRpcError) -> SimpleNamespace:
    """Return what an error says of itself; `code` is empty for one that is not the service's."""
    status = rpc_status.from_call(error)
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    retry_seconds = None
    for detail in status.details if status is not None else ():
        detail.Unpack(info)
        if detail.Unpack(retry):
            retry_seconds = retry.retry_delay.ToNanoseconds() / 1e9
    return SimpleNamespace(
        error=error,
        grpc_code=error.code(),
        text=error.details(),
        code=info.metadata.get("code", ""),
        field=info.metadata.get("field", ""),
        info=info,
        retry_seconds=retry_seconds,
        details_bytes=sum(detail.ByteSize() for detail in status.details) if status is not None else 0,
    )
