"""A well-formed request of each RPC, and what came of asking."""

from __future__ import annotations

from types import SimpleNamespace

import grpc
from calls import fresh, read_refusal
from uuid_utils import uuid4

UNKNOWN = str(uuid4())  # of nothing that there is


def good_requests(session_id: str, run_id: str) -> dict[tuple[str, str], dict[str, object]]:
    """Fields of a well-formed request of each RPC."""
    own = {"session_id": session_id}
    run = {**own, "run_id": run_id}
    send = {"tool_call_id": fresh("call"), "to": "nobody_00000000", "body": "hello"}
    said = {"source_session_id": session_id, "text": "hello"}
    peer = {**own, **said}
    return {
        ("sessions", "CreateSession"): {"agent": "explore"},
        ("sessions", "GetSession"): own,
        ("sessions", "ListSessions"): {},
        ("sessions", "SetAvailability"): {**own, "availability": 1},
        ("sessions", "RevertSession"): {**own, "to_seq": 1, "expected_last_seq": 1},
        ("sessions", "ForkSession"): {**own, "at_seq": 1, "new_session_id": str(uuid4())},
        ("sessions", "DeleteSession"): own,
        ("runs", "AttachRuntime"): {"runtime_id": fresh("runtime"), "run_slots_max": 1},
        ("runs", "Heartbeat"): {"runtime_id": fresh("runtime")},
        ("runs", "DeclineWake"): {**own, "wake_id": UNKNOWN},
        ("runs", "StartRun"): {**own, "client_run_id": fresh("run")},
        ("runs", "ClaimMessages"): {**run, "attempt_id": fresh("attempt")},
        ("runs", "CommitTurn"): {**run, "claim_seq": 1},
        ("runs", "ReleaseClaim"): {**run, "claim_seq": 1},
        ("runs", "FinishRun"): {**run, "outcome": 2},
        ("runs", "CancelRun"): run,
        ("messaging", "SendMessage"): {**run, **send},
        ("messaging", "BatchSendMessages"): {**run, "sends": [send]},
        ("messaging", "SendUserMessage"): {**own, "client_message_id": fresh("user"), "body": "hello"},
        ("messaging", "RetractMessage"): {**own, "message_id": UNKNOWN},
        ("messaging", "GetSentMessage"): {**own, "message_id": UNKNOWN},
        ("messaging", "ListSentMessages"): own,
        ("tools", "ListTools"): own,
        ("tools", "CallTool"): {**run, "tool_call_id": fresh("call"), "name": "send_message", "arguments_json": "{}"},
        ("producers", "RegisterProducer"): {**own, "client_producer_id": fresh("producer")},
        ("producers", "RenewProducers"): {"producer_ids": [UNKNOWN]},
        ("producers", "SendProducerMessage"): {
            **own,
            "producer_id": UNKNOWN,
            "idempotency_key": fresh("key"),
            "body": "hello",
        },
        ("producers", "DiscardProducerMessage"): {**own, "message_id": UNKNOWN},
        ("producers", "UnregisterProducer"): {**own, "producer_id": UNKNOWN},
        ("producers", "ListProducers"): own,
        ("events", "SubscribeEvents"): {"all": True},
        ("events", "ListEvents"): {"all": True},
        ("approvals", "ListApprovals"): {"root_session_id": session_id},
        ("approvals", "GetApproval"): {**own, "approval_id": UNKNOWN},
        ("approvals", "DecideApproval"): {**own, "approval_id": UNKNOWN, "decision": 1},
        ("peers", "SendPeerMessage"): peer,
        ("peers", "BroadcastPeerMessage"): {**said, "session_ids": [session_id]},
        ("peers", "FollowUp"): peer,
        ("peers", "QueuePeerMessage"): peer,
        ("peers", "GetPeerBody"): {"body_id": UNKNOWN},
        ("peers", "ListPeerMessagesSent"): own,
        ("peers", "ListDeadLetters"): {},
        ("peers", "RedeliverDeadLetter"): {"dead_letter_id": UNKNOWN},
        ("admin", "GetServerInfo"): {},
        ("admin", "CreateToken"): {"client_token_id": str(uuid4()), "scope": {"kind": 2}},
        ("admin", "ListTokens"): {},
        ("admin", "RevokeToken"): {"token_id": UNKNOWN},
    }


async def outcome(
    client, service: str, rpc: str, fields: dict[str, object] | None, request: object = None
) -> SimpleNamespace:
    """Make a call and return what it was refused with; code `ok` when it was not. Of a stream one frame is read."""
    call = getattr(getattr(client, service), rpc)(request, **(fields or {}))
    try:
        if hasattr(call, "read"):
            first = await call.read()
            if first is not grpc.aio.EOF:
                call.cancel()
                return SimpleNamespace(code="ok", field="")
        await call
    except grpc.aio.AioRpcError as error:
        return read_refusal(error)
    return SimpleNamespace(code="ok", field="")
