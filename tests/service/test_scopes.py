"""What each kind of token may do: the whole table, each cell asked of a real server.

"Not yours" and "not there" get the same answer where a session is named: `session:not_found`.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from calls import SERVICES, fresh, read_refusal
from uuid_utils import uuid4

YES, NO, NOT_FOUND, NOT_YOURS = "yes", "auth:forbidden", "session:not_found", "peer:not_your_messages"
KINDS = ("admin", "host", "session", "other_runtime", "other_session", "observer", "approver", "plugin", "peer")


def row(**answers: str) -> dict[str, str]:
    """Return one row: an admin may, the others may not unless the row says more."""
    return {**dict.fromkeys(KINDS, NO), "admin": YES, **answers}


# For the session itself and whoever hosts it; a stranger is not told that it exists.
ACTS = row(host=YES, session=YES, other_runtime=NOT_FOUND, other_session=NOT_FOUND)
READS = {**ACTS, "observer": YES, "approver": YES, "plugin": YES, "peer": NOT_FOUND}
PEOPLE = row(host=YES, other_runtime=NOT_FOUND, approver=YES)
RUNTIMES = row(host=YES, other_runtime=YES)
SEES_ALL = row(observer=YES, approver=YES, plugin=YES)
PLUGINS = {**dict.fromkeys(KINDS, NO), "plugin": YES}  # not even an admin: such mail has a plugin's name
SENDER = {**ACTS, "observer": YES, "approver": NOT_FOUND, "plugin": NOT_FOUND, "peer": NOT_FOUND}

PEERS = row(host=YES, session=YES, peer=YES)

TABLE = {
    "CreateSession": RUNTIMES,
    "GetSession": READS,
    "ListSessions": SEES_ALL,
    "SetAvailability": PEOPLE,
    "RevertSession": PEOPLE,
    "ForkSession": PEOPLE,
    "DeleteSession": PEOPLE,
    "AttachRuntime": RUNTIMES,
    "Heartbeat": RUNTIMES,
    "DeclineWake": row(host=YES, other_runtime=NOT_FOUND),
    "StartRun": ACTS,
    "ClaimMessages": ACTS,
    "CommitTurn": ACTS,
    "ReleaseClaim": ACTS,
    "FinishRun": ACTS,
    "CancelRun": PEOPLE,
    "SendMessage": ACTS,
    "BatchSendMessages": ACTS,
    "SendUserMessage": PEOPLE,
    "RetractMessage": ACTS,
    "GetSentMessage": SENDER,
    "ListSentMessages": SENDER,
    "ListTools": READS,
    "CallTool": ACTS,
    "ListApprovals": SEES_ALL,
    "GetApproval": READS,
    "DecideApproval": row(approver=YES),
    "RegisterProducer": PLUGINS,
    "RenewProducers": PLUGINS,
    "SendProducerMessage": PLUGINS,
    "DiscardProducerMessage": PLUGINS,
    "UnregisterProducer": row(plugin=YES),
    "ListProducers": READS,
    "InterceptToolCalls": PLUGINS,
    "ListEvents": READS,
    "SubscribeEvents": READS,
    "ListEvents of a tree": SEES_ALL,
    "ListEvents of all": SEES_ALL,
    "SubscribeEvents of all": SEES_ALL,
    "SendPeerMessage": PEERS,
    "BroadcastPeerMessage": PEERS,
    "FollowUp": PEERS,
    "QueuePeerMessage": PEERS,
    "GetPeerBody": dict.fromkeys(KINDS, YES),  # what is not the caller's is not there: see test_peer_bodies
    "ListPeerMessagesSent": {
        **dict.fromkeys(KINDS, NOT_YOURS),
        **dict.fromkeys(("admin", "host", "session", "peer"), YES),
    },
    "ListDeadLetters": row(session=YES, other_session=YES, observer=YES, approver=YES, peer=YES),
    "RedeliverDeadLetter": row(session=YES, other_session=YES, approver=YES, peer=YES),
    "GetServerInfo": dict.fromkeys(KINDS, YES),
    "CreateToken": row(),
    "ListTokens": row(),
    "RevokeToken": row(),
}


def request_fields(case: str, session: SimpleNamespace) -> dict[str, object]:
    """Return fields with which nothing but the caller stands in the way of an answer about the session."""
    own = {"session_id": session.session_id}
    run = {**own, "run_id": str(uuid4())}
    unknown = str(uuid4())
    peer = {**own, "source_session_id": session.session_id, "text": "hello"}
    send = {"tool_call_id": fresh("call"), "to": "nobody_00000000", "body": "hello"}
    return {
        "CreateSession": {"agent": "explore"},
        "ListSessions": {},
        "SetAvailability": {**own, "availability": 1},
        "RevertSession": {**own, "to_seq": 1, "expected_last_seq": 1},
        "ForkSession": {**own, "at_seq": 1, "new_session_id": unknown},
        "AttachRuntime": {"runtime_id": fresh("runtime"), "run_slots_max": 1},
        "Heartbeat": {"runtime_id": fresh("runtime")},
        "DeclineWake": {**own, "wake_id": unknown},
        "StartRun": {**own, "client_run_id": fresh("run")},
        "ClaimMessages": {**run, "attempt_id": fresh("attempt")},
        "CommitTurn": {**run, "claim_seq": 1},
        "ReleaseClaim": {**run, "claim_seq": 1},
        "FinishRun": {**run, "outcome": 2},
        "CancelRun": run,
        "SendMessage": {**run, **send},
        "BatchSendMessages": {**run, "sends": [send]},
        "SendUserMessage": {**own, "client_message_id": fresh("user"), "body": "hello"},
        "RetractMessage": {**own, "message_id": unknown},
        "GetSentMessage": {**own, "message_id": unknown},
        "CallTool": {**run, "tool_call_id": fresh("call"), "name": "send_message", "arguments_json": "{}"},
        "ListApprovals": {"root_session_id": session.session_id},
        "GetApproval": {**own, "approval_id": unknown},
        "DecideApproval": {**own, "approval_id": unknown, "decision": 1},
        "RegisterProducer": {**own, "client_producer_id": fresh("producer")},
        "RenewProducers": {},
        "InterceptToolCalls": {"filter": {}},
        "SendProducerMessage": {**own, "producer_id": unknown, "idempotency_key": fresh("key"), "body": "hello"},
        "DiscardProducerMessage": {**own, "message_id": unknown},
        "UnregisterProducer": {**own, "producer_id": unknown},
        "ListEvents of a tree": {"root_session_id": session.session_id},
        "ListEvents of all": {"all": True},
        "SubscribeEvents of all": {"all": True},
        "SendPeerMessage": peer,
        "BroadcastPeerMessage": {"source_session_id": session.session_id, "session_ids": [unknown], "text": "hello"},
        "FollowUp": peer,
        "QueuePeerMessage": peer,
        "GetPeerBody": {"body_id": unknown},
        "ListDeadLetters": {},
        "RedeliverDeadLetter": {"dead_letter_id": unknown},
        "GetServerInfo": {},
        "CreateToken": {"client_token_id": unknown, "scope": {"kind": 4}},
        "ListTokens": {},
        "RevokeToken": {"token_id": unknown},
    }.get(case, own)


async def answer(client, rpc: str, fields: dict[str, object]) -> str:
    """Return `yes` when the caller got past the question who it is, else the code of the refusal."""
    (calls,) = [service for service in (getattr(client, name) for name in SERVICES) if hasattr(service, rpc)]
    code = await refusal(getattr(calls, rpc)(**fields))
    assert code is None or code.split(":")[0] not in ("server", "request", "storage", ""), code
    return code if code in (NO, NOT_FOUND, NOT_YOURS) else YES


async def refusal(call: Any) -> str | None:
    """Return the code that a call was refused with; of a stream one frame is read."""
    try:
        if not hasattr(call, "read"):
            await call
        elif await call.read() is not grpc.aio.EOF:
            call.cancel()
    except grpc.aio.AioRpcError as error:
        return read_refusal(error).code
    return None


@pytest.mark.parametrize("kind", KINDS)
async def test_each_kind_of_token_may_do_what_the_table_says(server, kind):
    host = await server.make_token("runtime")
    clients = {
        "admin": lambda _: server.admin,
        "host": lambda _: host,
        "session": lambda session: server.make_token("session", session.session_id),
        "other_runtime": lambda _: server.make_token("runtime"),
        "other_session": lambda _: server.make_token("session", elsewhere.session_id),
        "observer": lambda _: server.make_token("observer"),
        "approver": lambda _: server.make_token("approver"),
        "plugin": lambda _: server.make_token("plugin"),
        "peer": lambda session: server.make_token("peer", session.session_id),
    }
    elsewhere = await host.session(agent="default")
    found = {}
    for case in TABLE:
        # A session of its own for each question, since some of them end it.
        session = await host.session(agent="default", rules={"*": "allow"})
        client = clients[kind](session)
        client = client if client in (server.admin, host) else await client
        found[case] = await answer(client, case.split()[0], request_fields(case, session))
    assert found == {case: answers[kind] for case, answers in TABLE.items()}


def test_the_table_has_every_rpc_that_is_served():
    served = {name for service in SERVICES.values() for name in service.methods_by_name}
    assert {case.split()[0] for case in TABLE} == served
