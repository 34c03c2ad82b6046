"""Bad input of every kind, for every RPC: request:invalid naming the field, and nothing written."""

from __future__ import annotations

import grpc
import pytest
from asking import UNKNOWN as UUID
from asking import good_requests, outcome
from calls import SERVICES

LONG, KEY = "x" * 1025, "k" * 129
PAUSED = 2

# service, RPC, the fields that differ from a good request's, the field that must be named
BAD = [
    ("sessions", "CreateSession", {"session_id": "x"}, "session_id"),
    ("sessions", "CreateSession", {"parent_session_id": "x"}, "parent_session_id"),
    ("sessions", "CreateSession", {"parent_run_id": "x"}, "parent_run_id"),
    ("sessions", "CreateSession", {"parent_run_id": UUID}, "parent_run_id"),
    ("sessions", "CreateSession", {"parent_tool_call_id": "call"}, "parent_tool_call_id"),
    ("sessions", "CreateSession", {"parent_tool_call_id": "x" * 257}, "parent_tool_call_id"),
    ("sessions", "CreateSession", {"agent": ""}, "agent"),
    ("sessions", "CreateSession", {"agent": "x" * 65}, "agent"),
    ("sessions", "CreateSession", {"agent": "a\nb"}, "agent"),
    ("sessions", "CreateSession", {"agent": "  "}, "agent"),
    ("sessions", "CreateSession", {"description": LONG}, "description"),
    ("sessions", "CreateSession", {"description": "a\0"}, "description"),
    ("sessions", "CreateSession", {"starter": 9}, "starter"),
    ("sessions", "CreateSession", {"starter": 1}, "starter"),  # a root has no delegator
    ("sessions", "CreateSession", {"first_message": " "}, "first_message"),
    ("sessions", "CreateSession", {"first_message": "x" * (256 * 1024 + 1)}, "first_message"),
    ("sessions", "CreateSession", {"first_message": "a\0"}, "first_message"),
    ("sessions", "CreateSession", {"agent_document": "---\nno end"}, "agent_document"),
    ("sessions", "CreateSession", {"agent_document": "---\n: : :\n---\n"}, "agent_document"),
    (
        "sessions",
        "CreateSession",
        {"agent_document": "---\npermissions: {message: {child: perhaps}}\n---\n"},
        "agent_document",
    ),
    ("sessions", "CreateSession", {"agent_document": "x" * (256 * 1024 + 1)}, "agent_document"),
    ("sessions", "CreateSession", {"message_rules": {"rules": [{"pattern": "a"}]}}, "message_rules.rules[0].decision"),
    (
        "sessions",
        "CreateSession",
        {"message_rules": {"rules": [{"pattern": "a", "decision": 7}]}},
        "message_rules.rules[0].decision",
    ),
    (
        "sessions",
        "CreateSession",
        {"message_rules": {"rules": [{"pattern": "a", "decision": 1}, {"pattern": "", "decision": 1}]}},
        "message_rules.rules[1].pattern",
    ),
    (
        "sessions",
        "CreateSession",
        {"message_rules": {"rules": [{"pattern": "a", "decision": 1}] * 2}},
        "message_rules.rules[1].pattern",
    ),
    (
        "sessions",
        "CreateSession",
        {"message_rules": {"rules": [{"pattern": f"a{n}", "decision": 1} for n in range(65)]}},
        "message_rules.rules",
    ),
    ("sessions", "CreateSession", {"imported": {}}, "imported.state"),
    ("sessions", "CreateSession", {"imported": {"state": 2}}, "imported.state"),
    ("sessions", "CreateSession", {"imported": {"state": 3}}, "imported.state"),
    ("sessions", "CreateSession", {"imported": {"state": 99}}, "imported.state"),
    ("sessions", "CreateSession", {"imported": {"state": 1, "handle": "Not A Handle"}}, "imported.handle"),
    (
        "sessions",
        "CreateSession",
        {"imported": {"state": 1, "handle": "a_00000000"}, "without_handle": True},
        "imported.handle",
    ),
    (
        "sessions",
        "CreateSession",
        {"imported": {"state": 1, "create_time": {"seconds": -1}}},
        "imported.create_time",
    ),
    ("sessions", "GetSession", {"session_id": ""}, "session_id"),
    ("sessions", "GetSession", {"session_id": "{" + UUID + "}"}, "session_id"),
    ("sessions", "ListSessions", {"root_session_id": "x"}, "root_session_id"),
    ("sessions", "ListSessions", {"states": [0]}, "states[0]"),
    ("sessions", "ListSessions", {"states": [1, 99]}, "states[1]"),
    ("sessions", "ListSessions", {"availabilities": [-1]}, "availabilities[0]"),
    ("sessions", "ListSessions", {"page_size": 1001}, "page_size"),
    ("sessions", "ListSessions", {"page_token": "x"}, "page_token"),
    ("sessions", "SetAvailability", {"session_id": "x"}, "session_id"),
    ("sessions", "SetAvailability", {"availability": 0}, "availability"),
    ("sessions", "SetAvailability", {"availability": 6}, "availability"),
    ("sessions", "SetAvailability", {"until_time": {"seconds": 1}}, "until_time"),  # goes only with PAUSED
    (
        "sessions",
        "SetAvailability",
        {"availability": PAUSED, "until_time": {"seconds": 1, "nanos": -1}},
        "until_time",
    ),
    ("sessions", "SetAvailability", {"no_wake": True}, "no_wake"),
    ("sessions", "SetAvailability", {"reason": LONG}, "reason"),
    ("sessions", "RevertSession", {"session_id": ""}, "session_id"),
    ("sessions", "RevertSession", {"to_seq": 0}, "to_seq"),
    ("sessions", "RevertSession", {"to_seq": -(2**63)}, "to_seq"),
    ("sessions", "RevertSession", {"to_seq": 2}, "to_seq"),  # beyond what the caller knows
    ("sessions", "RevertSession", {"expected_last_seq": 0}, "expected_last_seq"),
    ("sessions", "ForkSession", {"session_id": "x"}, "session_id"),
    ("sessions", "ForkSession", {"at_seq": 0}, "at_seq"),
    ("sessions", "ForkSession", {"at_seq": 2**63 - 1}, "at_seq"),  # no such point
    ("sessions", "ForkSession", {"new_session_id": ""}, "new_session_id"),
    ("sessions", "ForkSession", {"new_session_id": "x"}, "new_session_id"),
    ("sessions", "DeleteSession", {"session_id": "x"}, "session_id"),
    ("sessions", "DeleteSession", {"reason": LONG}, "reason"),
    ("runs", "Heartbeat", {"runtime_id": ""}, "runtime_id"),
    ("runs", "Heartbeat", {"runtime_id": KEY}, "runtime_id"),
    ("runs", "Heartbeat", {"runs": [{"session_id": UUID, "run_id": "x"}]}, "runs[0].run_id"),
    ("runs", "Heartbeat", {"runs": [{"run_id": UUID}]}, "runs[0].session_id"),
    ("runs", "Heartbeat", {"runs": [{"session_id": UUID, "run_id": UUID}] * 10_001}, "runs"),
    ("runs", "DeclineWake", {"session_id": "x"}, "session_id"),
    ("runs", "DeclineWake", {"wake_id": ""}, "wake_id"),
    ("runs", "DeclineWake", {"reason": LONG}, "reason"),
    ("runs", "DeclineWake", {"retry_after": {"seconds": 3601}}, "retry_after"),
    ("runs", "DeclineWake", {"retry_after": {"seconds": -1}}, "retry_after"),
    ("runs", "DeclineWake", {"retry_after": {"seconds": 1, "nanos": -1}}, "retry_after"),
    ("runs", "StartRun", {"session_id": "x"}, "session_id"),
    ("runs", "StartRun", {"client_run_id": None}, "identity"),
    ("runs", "StartRun", {"client_run_id": ""}, "client_run_id"),
    ("runs", "StartRun", {"client_run_id": KEY}, "client_run_id"),
    ("runs", "StartRun", {"client_run_id": None, "wake_id": "x"}, "wake_id"),
    ("runs", "StartRun", {"attempt_id": KEY}, "attempt_id"),
    ("runs", "StartRun", {"attempt_id": "a\x07"}, "attempt_id"),
    ("runs", "StartRun", {"runtime_id": KEY}, "runtime_id"),
    ("runs", "ClaimMessages", {"session_id": "x"}, "session_id"),
    ("runs", "ClaimMessages", {"run_id": "x"}, "run_id"),
    ("runs", "ClaimMessages", {"attempt_id": ""}, "attempt_id"),
    ("runs", "ClaimMessages", {"attempt_id": KEY}, "attempt_id"),
    ("runs", "ClaimMessages", {"commit_claim_seq": 0}, "commit_claim_seq"),
    ("runs", "ClaimMessages", {"commit_claim_seq": -5}, "commit_claim_seq"),
    ("runs", "CommitTurn", {"session_id": "x"}, "session_id"),
    ("runs", "CommitTurn", {"run_id": ""}, "run_id"),
    ("runs", "CommitTurn", {"claim_seq": 0}, "claim_seq"),
    ("runs", "ReleaseClaim", {"session_id": "x"}, "session_id"),
    ("runs", "ReleaseClaim", {"run_id": ""}, "run_id"),
    ("runs", "ReleaseClaim", {"claim_seq": -(2**63)}, "claim_seq"),
    ("runs", "ReleaseClaim", {"reason": LONG}, "reason"),
    ("runs", "FinishRun", {"session_id": "x"}, "session_id"),
    ("runs", "FinishRun", {"run_id": "x"}, "run_id"),
    ("runs", "FinishRun", {"outcome": 0}, "outcome"),
    ("runs", "FinishRun", {"outcome": 1}, "outcome"),
    ("runs", "FinishRun", {"outcome": 6}, "outcome"),
    ("runs", "FinishRun", {"reason": LONG}, "reason"),
    ("runs", "FinishRun", {"by_person": True}, "by_person"),
    ("runs", "FinishRun", {"commit_claim_seq": 0}, "commit_claim_seq"),
    ("runs", "FinishRun", {"continue_attempt_id": KEY}, "continue_attempt_id"),
    ("runs", "FinishRun", {"outcome": 3, "continue_attempt_id": "a"}, "continue_attempt_id"),
    ("runs", "CancelRun", {"session_id": "x"}, "session_id"),
    ("runs", "CancelRun", {"run_id": "x"}, "run_id"),
    ("runs", "CancelRun", {"reason": LONG}, "reason"),
    ("messaging", "SendMessage", {"session_id": "x"}, "session_id"),
    ("messaging", "SendMessage", {"run_id": ""}, "run_id"),
    ("messaging", "SendMessage", {"tool_call_id": ""}, "tool_call_id"),
    ("messaging", "SendMessage", {"tool_call_id": "x" * 257}, "tool_call_id"),
    ("messaging", "SendMessage", {"tool_call_id": "a\0"}, "tool_call_id"),
    ("messaging", "SendMessage", {"to": ""}, "to"),
    ("messaging", "SendMessage", {"to": "ä" * 129}, "to"),
    ("messaging", "SendMessage", {"to": "a\0"}, "to"),
    ("messaging", "SendMessage", {"mode": 3}, "mode"),
    ("messaging", "SendMessage", {"expire_after": {}}, "expire_after"),
    ("messaging", "SendMessage", {"expire_after": {"seconds": 30 * 86400 + 1}}, "expire_after"),
    ("messaging", "SendMessage", {"approval_wait": {"seconds": 601}}, "approval_wait"),
    ("messaging", "SendMessage", {"supersedes_message_id": "x"}, "supersedes_message_id"),
    ("messaging", "BatchSendMessages", {"sends": []}, "sends"),
    ("messaging", "BatchSendMessages", {"sends": [{"tool_call_id": "a", "to": "b", "body": "c"}] * 1001}, "sends"),
    ("messaging", "BatchSendMessages", {"sends": [{"tool_call_id": "a", "body": "c"}]}, "sends[0].to"),
    ("messaging", "BatchSendMessages", {"run_id": "x"}, "run_id"),
    ("messaging", "SendUserMessage", {"session_id": "x"}, "session_id"),
    ("messaging", "SendUserMessage", {"client_message_id": ""}, "client_message_id"),
    ("messaging", "SendUserMessage", {"client_message_id": "x" * 257}, "client_message_id"),
    ("messaging", "SendUserMessage", {"body": ""}, "body"),
    ("messaging", "SendUserMessage", {"body": "x" * (256 * 1024 + 1)}, "body"),
    ("messaging", "SendUserMessage", {"mode": -1}, "mode"),
    ("messaging", "RetractMessage", {"message_id": "x"}, "message_id"),
    ("messaging", "GetSentMessage", {"message_id": ""}, "message_id"),
    ("messaging", "GetSentMessage", {"session_id": ""}, "session_id"),
    ("messaging", "ListSentMessages", {"states": [7]}, "states[0]"),
    ("messaging", "ListSentMessages", {"page_size": 2**32 - 1}, "page_size"),
    ("messaging", "ListSentMessages", {"page_token": "zzz"}, "page_token"),
    ("tools", "ListTools", {"session_id": "x"}, "session_id"),
    ("tools", "CallTool", {"session_id": "x"}, "session_id"),
    ("tools", "CallTool", {"run_id": "x"}, "run_id"),
    ("tools", "CallTool", {"tool_call_id": ""}, "tool_call_id"),
    ("tools", "CallTool", {"name": ""}, "name"),
    ("tools", "CallTool", {"name": KEY}, "name"),
    ("tools", "CallTool", {"approval_wait": {"seconds": -1}}, "approval_wait"),
    ("approvals", "ListApprovals", {"root_session_id": ""}, "root_session_id"),
    ("approvals", "ListApprovals", {"root_session_id": "x"}, "root_session_id"),
    ("approvals", "ListApprovals", {"states": [1, 0]}, "states[1]"),
    ("approvals", "ListApprovals", {"states": [7]}, "states[0]"),
    ("approvals", "ListApprovals", {"page_size": 1001}, "page_size"),
    ("approvals", "ListApprovals", {"page_token": "zzz"}, "page_token"),
    ("approvals", "GetApproval", {"session_id": "x"}, "session_id"),
    ("approvals", "GetApproval", {"approval_id": ""}, "approval_id"),
    ("approvals", "GetApproval", {"approval_id": "x"}, "approval_id"),
    ("approvals", "DecideApproval", {"session_id": ""}, "session_id"),
    ("approvals", "DecideApproval", {"approval_id": "x"}, "approval_id"),
    ("approvals", "DecideApproval", {"decision": 0}, "decision"),
    ("approvals", "DecideApproval", {"decision": 4}, "decision"),
    ("approvals", "DecideApproval", {"reason": LONG}, "reason"),
    ("approvals", "DecideApproval", {"reason": "a\0"}, "reason"),
    ("events", "ListEvents", {"all": None}, "scope"),
    ("events", "ListEvents", {"all": False}, "all"),
    ("events", "ListEvents", {"session_id": "x"}, "session_id"),
    ("events", "ListEvents", {"root_session_id": "x"}, "root_session_id"),
    ("events", "ListEvents", {"after_seq": 1}, "after_seq"),  # goes only with one session
    ("events", "ListEvents", {"session_id": UUID, "after_seq": -1}, "after_seq"),
    ("events", "ListEvents", {"after_cursor": "x"}, "after_cursor"),
    ("events", "ListEvents", {"event_types": [20, 1]}, "event_types[1]"),
    *[
        ("peers", rpc, fields, field)
        for rpc in ("SendPeerMessage", "FollowUp", "QueuePeerMessage")
        for fields, field in (({"session_id": ""}, "session_id"), ({"session_id": "x"}, "session_id"))
    ],
    ("peers", "BroadcastPeerMessage", {"session_ids": [UUID, "x"]}, "session_ids[1]"),
    ("peers", "GetPeerBody", {"body_id": "x"}, "body_id"),
    ("peers", "ListPeerMessagesSent", {"session_id": ""}, "session_id"),
    ("peers", "ListDeadLetters", {"page_size": 1001}, "page_size"),
    ("peers", "ListDeadLetters", {"page_token": "zzz"}, "page_token"),
    ("peers", "RedeliverDeadLetter", {"dead_letter_id": ""}, "dead_letter_id"),
    ("peers", "RedeliverDeadLetter", {"client_request_id": "x" * 257}, "client_request_id"),
    ("peers", "RedeliverDeadLetter", {"client_request_id": "a\0"}, "client_request_id"),
    ("producers", "RegisterProducer", {"session_id": "x"}, "session_id"),
    ("producers", "RegisterProducer", {"client_producer_id": ""}, "client_producer_id"),
    ("producers", "RegisterProducer", {"client_producer_id": KEY}, "client_producer_id"),
    ("producers", "RegisterProducer", {"client_producer_id": "a\x1b"}, "client_producer_id"),
    ("producers", "RegisterProducer", {"description": LONG}, "description"),
    ("producers", "RegisterProducer", {"description": "a\0"}, "description"),
    ("producers", "RenewProducers", {"producer_ids": [UUID, "x"]}, "producer_ids[1]"),
    ("producers", "RenewProducers", {"producer_ids": [UUID] * 1001}, "producer_ids"),
    ("producers", "SendProducerMessage", {"session_id": ""}, "session_id"),
    ("producers", "SendProducerMessage", {"producer_id": "x"}, "producer_id"),
    ("producers", "SendProducerMessage", {"idempotency_key": ""}, "idempotency_key"),
    ("producers", "SendProducerMessage", {"idempotency_key": "x" * 257}, "idempotency_key"),
    ("producers", "SendProducerMessage", {"idempotency_key": "ä" * 129}, "idempotency_key"),
    ("producers", "SendProducerMessage", {"idempotency_key": "a\n"}, "idempotency_key"),
    ("producers", "SendProducerMessage", {"idempotency_key": "a\x85"}, "idempotency_key"),
    ("producers", "SendProducerMessage", {"mode": 3}, "mode"),
    ("producers", "SendProducerMessage", {"description": LONG}, "description"),
    ("producers", "SendProducerMessage", {"body": ""}, "body"),
    ("producers", "SendProducerMessage", {"body": " \u3000\n"}, "body"),
    ("producers", "SendProducerMessage", {"body": "a\0"}, "body"),
    ("producers", "SendProducerMessage", {"body": "x" * (256 * 1024 + 1)}, "body"),
    ("producers", "SendProducerMessage", {"body": "ä" * (128 * 1024 + 1)}, "body"),
    ("producers", "DiscardProducerMessage", {"session_id": "x"}, "session_id"),
    ("producers", "DiscardProducerMessage", {"message_id": ""}, "message_id"),
    ("producers", "UnregisterProducer", {"session_id": "x"}, "session_id"),
    ("producers", "UnregisterProducer", {"producer_id": "x"}, "producer_id"),
    ("producers", "ListProducers", {"session_id": "x"}, "session_id"),
    ("producers", "ListProducers", {"page_size": 1001}, "page_size"),
    ("producers", "ListProducers", {"page_token": "x"}, "page_token"),
    ("events", "ListEvents", {"event_types": [0]}, "event_types[0]"),
    ("events", "ListEvents", {"page_size": 1001}, "page_size"),
    ("events", "ListEvents", {"page_token": "x"}, "page_token"),
    ("events", "SubscribeEvents", {"all": None}, "scope"),
    ("events", "SubscribeEvents", {"from_now": False}, "from_now"),
    ("events", "SubscribeEvents", {"after_cursor": "?"}, "after_cursor"),
    ("events", "SubscribeEvents", {"after_seq": 0}, "after_seq"),
    ("events", "SubscribeEvents", {"event_types": [99]}, "event_types[0]"),
    ("runs", "AttachRuntime", {"runtime_id": ""}, "runtime_id"),
    ("runs", "AttachRuntime", {"runtime_id": KEY}, "runtime_id"),
    ("runs", "AttachRuntime", {"agents": ["a", ""]}, "agents[1]"),
    ("runs", "AttachRuntime", {"agents": ["a"] * 1001}, "agents"),
    ("runs", "AttachRuntime", {"session_scope": 3}, "session_scope"),
    ("runs", "AttachRuntime", {"session_scope": 2}, "agents"),
    ("runs", "AttachRuntime", {"run_slots_max": 0}, "run_slots_max"),
    ("runs", "AttachRuntime", {"run_slots_max": 10_001}, "run_slots_max"),
    ("runs", "AttachRuntime", {"held_runs": [{"session_id": UUID}]}, "held_runs[0].run_id"),
    ("admin", "CreateToken", {"client_token_id": ""}, "client_token_id"),
    ("admin", "CreateToken", {"scope": {}}, "scope.kind"),
    ("admin", "CreateToken", {"scope": {"kind": 8}}, "scope.kind"),
    ("admin", "CreateToken", {"scope": {"kind": 2, "plugin_name": "x"}}, "scope.plugin_name"),
    ("admin", "CreateToken", {"scope": {"kind": 6}}, "scope.plugin_name"),
    ("admin", "CreateToken", {"scope": {"kind": 6, "plugin_name": "A b"}}, "scope.plugin_name"),
    ("admin", "CreateToken", {"session_ids": [UUID]}, "session_ids"),
    ("admin", "CreateToken", {"scope": {"kind": 3}}, "session_ids"),
    ("admin", "CreateToken", {"scope": {"kind": 3}, "session_ids": [UUID, UUID]}, "session_ids"),
    ("admin", "CreateToken", {"scope": {"kind": 7}, "session_ids": ["x"]}, "session_ids[0]"),
    ("admin", "CreateToken", {"scope": {"kind": 7}, "session_ids": [UUID] * 1001}, "session_ids"),
    ("admin", "CreateToken", {"expire_time": {"seconds": 2**62}}, "expire_time"),
    ("admin", "ListTokens", {"page_size": 1001}, "page_size"),
    ("admin", "ListTokens", {"page_token": "%"}, "page_token"),
    ("admin", "RevokeToken", {"token_id": "x"}, "token_id"),
]


@pytest.mark.parametrize("service", SERVICES)
async def test_each_bad_field_is_named_and_nothing_is_written(server, service):
    session = await server.admin.session(agent="default")
    run = await server.admin.run(session)
    plugin = await server.make_token("plugin")
    producer = await plugin.register(session)
    before = await server.admin.log(all=True)
    wrong = []
    for of, rpc, bad, field in BAD:
        if of != service:
            continue
        fields = {**good_requests(session.session_id, run.run_id)[service, rpc], **bad}
        if rpc == "SendProducerMessage":
            fields = {**fields, "producer_id": producer.producer_id, **bad}
        client = plugin if service == "producers" else server.admin
        told = await outcome(client, service, rpc, {k: v for k, v in fields.items() if v is not None})
        if (told.code, told.field) != ("request:invalid", field):
            wrong.append(f"{rpc} {bad!r:.80}: {told.code} {told.field} in place of {field}")
        elif told.grpc_code is not grpc.StatusCode.INVALID_ARGUMENT or not told.text.startswith(
            f"request:invalid: {field}: "
        ):
            wrong.append(f"{rpc} {bad!r:.80}: {told.text}")
    assert wrong == []
    assert await server.admin.log(all=True) == before


async def test_a_good_request_of_each_rpc_is_not_invalid(server):
    session = await server.admin.session(agent="default")
    run = await server.admin.run(session)
    plugin = await server.make_token("plugin")
    for (service, rpc), fields in good_requests(session.session_id, run.run_id).items():
        client = plugin if service == "producers" else server.admin
        told = await outcome(client, service, rpc, fields)
        assert told.code != "request:invalid", (rpc, told.text)


async def test_an_empty_request_of_each_rpc_is_answered_in_its_terms(server):
    plugin = await server.make_token("plugin")
    for service, rpc in good_requests(UUID, UUID):
        client = plugin if service == "producers" else server.admin
        told = await outcome(client, service, rpc, {})
        assert told.code in {"ok", "request:invalid", "peer:invalid_payload"}, (rpc, told.code)
