"""Each short command: what it asks the server, what it prints for people, what it prints for programs."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from kinpost.v1 import PROTOCOL_VERSION

ROOT = "f851d68f-40dd-42f2-9d62-6051ec0da1c3"
SCOUT = "4de5ccd0-03f3-4c17-850f-4089302a64f0"
RUN = "01a22e91-3c9c-7644-852f-0b9539a906b4"
APPROVAL = "878bbf56-914d-55d1-8310-940e5fba682c"
OTHER_APPROVAL = "878bbf00-914d-55d1-8310-940e5fba682c"
TOKEN = "abeea514-2ea1-460d-a99f-3cbea7adde1d"
LETTER = "0aa5c77a-0b1f-4c2b-9d1e-2f0f5b0b8c11"

lead = {
    "session_id": ROOT,
    "root_session_id": ROOT,
    "handle": "lead_6a4cf387",
    "agent": "lead",
    "state": 3,
    "availability": 1,
    "last_seq": 9,
    "active_run_id": RUN,
    "description": "Plans",
}
scout = {
    "session_id": SCOUT,
    "root_session_id": ROOT,
    "parent_session_id": ROOT,
    "depth": 1,
    "handle": "scout_7325f585",
    "agent": "scout",
    "state": 1,
    "availability": 2,
    "availability_reason": "lunch",
    "last_seq": 4,
    "pending_count": 2,
}
question = {
    "approval_id": APPROVAL,
    "session_id": ROOT,
    "root_session_id": ROOT,
    "tool_name": "send_message",
    "recipient_session_id": SCOUT,
    "arguments_json": '{"to": "scout", "body": "Look into the cellar."}',
    "state": 1,
    "create_time": {"seconds": 1_790_000_000},
}
letter = {
    "dead_letter_id": LETTER,
    "source_session_id": ROOT,
    "target_session_id": SCOUT,
    "text": "Two lines,\nwhole.",
    "reason": 1,
    "detail": "deleted",
    "create_time": {"seconds": 1_790_000_000},
}


def done(counter, code: int = 0) -> str:
    """The output of a command that ended so, without anything on standard error."""
    result = counter.ended()
    assert (result.exit_code, result.stderr) == (code, "")
    return result.stdout


def objects(counter) -> list[dict]:
    """What a command printed for programs: one object a line."""
    return [json.loads(line) for line in done(counter).splitlines()]


def test_every_call_carries_the_version_the_token_and_a_deadline(counter):
    counter.run("mail", SCOUT, "--seconds", "3", token="a-secret")
    metadata, request, _rpc = counter.taken("GetSession")
    assert request.session_id == SCOUT
    metadata.pop("grpc.metadata_added_by_runtime")
    assert metadata == {"kinpost-protocol-version": str(PROTOCOL_VERSION), "authorization": "Bearer a-secret"}
    counter.clock.sleep_for(2.9)
    assert not counter._command.done()
    counter.clock.sleep_for(0.2)
    result = counter.ended()
    assert (result.exit_code, result.stdout) == (7, "")
    assert result.stderr.splitlines() == [
        "kinpost: client:deadline_exceeded: The server did not answer in time.",
        "  next: try again, or wait longer with --seconds",
    ]


def test_send_by_id_asks_once_and_says_what_the_recipient_does(counter):
    counter.run("send", SCOUT, "Look!", "--mode", "queue", "--id", "mine")
    accepted = {"message_id": "m-1", "mode": 2, "recipient_state": 4}
    request = counter.answer("SendUserMessage", accepted=accepted)
    assert (request.session_id, request.body, request.mode, request.client_message_id) == (SCOUT, "Look!", 2, "mine")
    assert done(counter) == (
        f"stored for {SCOUT} as m-1 (queue): held until the session is opened (`kinpost sessions open`)\n"
    )


def test_send_by_handle_looks_it_up_and_reads_the_body_from_standard_input(counter):
    counter.run("send", "scout_7325f585", "-", "--json", typed="two\nlines\n")
    counter.answer("ListSessions", sessions=[lead, scout])
    request = counter.answer("SendUserMessage", accepted={"message_id": "m-1", "mode": 1, "recipient_state": 1})
    assert (request.session_id, request.body) == (SCOUT, "two\nlines\n")
    assert len(request.client_message_id) == 36
    assert objects(counter) == [
        {"messageId": "m-1", "mode": "MESSAGE_MODE_STEER", "recipientState": "RECIPIENT_STATE_RUNNING"}
    ]


@pytest.mark.parametrize("name", ["scout_7325f585", "SCOUT_7325F585", "scout", "4de5", SCOUT.upper()])
def test_a_session_is_called_by_id_handle_or_a_beginning(counter, name):
    counter.run("sessions", "open", name)
    if "-" not in name:
        counter.answer("ListSessions", sessions=[lead, scout])
    request = counter.answer("SetAvailability", session={**scout, "availability": 1, "state": 1})
    assert (request.session_id, request.availability) == (SCOUT, 1)
    assert done(counter) == "scout_7325f585: idle, 2 waiting\n"


def test_a_whole_handle_wins_over_longer_ones(counter):
    longer = {**lead, "session_id": APPROVAL, "handle": "scout_7325f5850"}
    counter.run("sessions", "open", "scout_7325f585")
    counter.answer("ListSessions", sessions=[longer, scout])
    assert counter.answer("SetAvailability", session=scout).session_id == SCOUT
    done(counter)


def test_a_name_that_fits_several_is_a_wrong_use_and_names_them(counter):
    counter.run("sessions", "open", "scout")
    counter.answer("ListSessions", sessions=[scout, {**scout, "session_id": ROOT, "handle": "scout_00000000"}])
    result = counter.ended()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        "kinpost: 'scout' fits 2 sessions:",
        f"  scout_7325f585 {SCOUT}",
        f"  scout_00000000 {ROOT}",
        "  next: give more of it, or a whole id",
    ]


def test_lists_are_read_to_their_last_page(counter):
    counter.run("sessions", "list", "--state", "running", "--availability", "open", "--json")
    request = counter.answer("ListSessions", sessions=[lead], next_page_token="more")
    assert (list(request.states), list(request.availabilities), request.page_size) == ([3], [1], 1000)
    assert counter.answer("ListSessions", sessions=[scout]).page_token == "more"
    assert [each["sessionId"] for each in objects(counter)] == [ROOT, SCOUT]


def test_sessions_for_people(counter):
    counter.run("sessions", "list", "--ids")
    counter.answer("ListSessions", sessions=[lead, scout])
    assert done(counter).splitlines() == [
        "session         state                 waiting  session id",
        f"lead_6a4cf387   running                     0  {ROOT}",
        f"scout_7325f585  paused: lunch (idle)        2  {SCOUT}",
    ]


def test_a_tree_for_people_is_drawn(counter):
    counter.run("tree", "scout")
    counter.answer("ListSessions", sessions=[lead, scout])
    assert counter.answer("ListSessions", sessions=[lead, scout]).root_session_id == ROOT
    assert done(counter).splitlines() == [
        "lead_6a4cf387  running  Plans",
        "└── scout_7325f585  paused: lunch (idle)  2 waiting",
    ]


def test_what_a_terminal_would_obey_is_escaped(counter):
    counter.run("tree")
    evil = {**lead, "description": "\x1b]0;owned\x07\u202e\n[red]x[/]", "handle": "lead_6a4cf387"}
    counter.answer("ListSessions", sessions=[evil])
    assert done(counter) == "lead_6a4cf387  running  \\x1b]0;owned\\x07\\u202e\\n[red]x[/]\n"


def test_stop_cancels_the_active_run_for_a_person(counter):
    counter.run("sessions", "stop", ROOT, "--reason", "enough")
    counter.answer("GetSession", session=lead)
    stopped = {**lead, "state": 7, "availability": 2}
    request = counter.answer("CancelRun", session=stopped)
    assert (request.session_id, request.run_id, request.reason, request.by_person) == (ROOT, RUN, "enough", True)
    assert done(counter) == "lead_6a4cf387: paused (cancelled)\n"


def test_stop_without_a_run_stops_nothing(counter):
    counter.run("sessions", "stop", SCOUT)
    counter.answer("GetSession", session=scout)
    result = counter.ended()
    assert result.exit_code == 4
    assert result.stderr.startswith("kinpost: run:not_active: scout_7325f585 has no run to stop\n  next: ")


def test_pause_for_a_while(counter):
    counter.run("sessions", "pause", SCOUT, "--for", "2h", "--reason", "lunch", "--json")
    request = counter.answer("SetAvailability", session=scout)
    assert (request.availability, request.reason) == (2, "lunch")
    left = request.until_time.ToDatetime(tzinfo=UTC) - datetime.now(UTC)
    assert timedelta(hours=1, minutes=59) < left <= timedelta(hours=2)
    assert objects(counter)[0]["availability"] == "AVAILABILITY_PAUSED"


@pytest.mark.parametrize(
    "arguments, availability, no_wake",
    [(["close"], 5, False), (["archive"], 3, False), (["archive", "--no-wake"], 3, True), (["pause"], 2, False)],
)
def test_put_away(counter, arguments, availability, no_wake):
    counter.run("sessions", arguments[0], SCOUT, *arguments[1:])
    request = counter.answer("SetAvailability", session={**scout, "availability": availability, "no_wake": no_wake})
    assert (request.availability, request.no_wake, request.HasField("until_time")) == (availability, no_wake, False)
    assert ("no_wake" in done(counter)) is no_wake


def test_fork_continues_from_the_newest_event_unless_told_otherwise(counter):
    for arguments, at_seq in (((), 4), (("--at-seq", "2"), 2)):
        counter.run("sessions", "fork", SCOUT, *arguments)
        counter.answer("GetSession", session=scout)
        request = counter.answer("ForkSession", session={**scout, "handle": "scout_11111111"})
        assert (request.session_id, request.at_seq, len(request.new_session_id)) == (SCOUT, at_seq, 36)
        assert done(counter).startswith("scout_11111111: ")


def test_revert_names_what_it_knew(counter):
    counter.run("sessions", "revert", SCOUT, "--to-seq", "2", "--pause", "--yes")
    counter.answer("GetSession", session=scout)
    request = counter.answer("RevertSession", session=scout)
    assert (request.to_seq, request.expected_last_seq, request.pause) == (2, 4, True)
    done(counter)


@pytest.mark.parametrize("arguments", [("revert", SCOUT, "--to-seq", "2"), ("delete", SCOUT)])
def test_what_cannot_be_undone_is_not_done_unasked(counter, arguments):
    counter.run("sessions", *arguments)
    counter.answer("GetSession", session=scout)
    result = counter.ended()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("next: say --yes\n")
    assert counter.asked == ["GetSession"]


def test_delete(counter):
    counter.run("sessions", "delete", SCOUT, "--yes", "--reason", "old", "--json")
    counter.answer("GetSession", session=scout)
    request = counter.answer("DeleteSession")
    assert (request.session_id, request.reason) == (SCOUT, "old")
    assert objects(counter) == [{"sessionId": SCOUT, "deleted": True}]


def test_approvals_of_all_trees_are_listed(counter):
    other = {**lead, "session_id": TOKEN, "root_session_id": TOKEN, "handle": "lead_00000000"}
    counter.run("approvals", "list")
    counter.answer("ListSessions", sessions=[lead, scout, other])
    request = counter.answer("ListApprovals", approvals=[question])
    assert (request.root_session_id, list(request.states)) == (ROOT, [1])
    assert counter.answer("ListApprovals").root_session_id == TOKEN
    heading, row = done(counter).splitlines()
    assert heading.split() == ["asked", "asker", "tool", "to", "approval", "says"]
    assert row.split()[2:6] == ["lead_6a4cf387", "send_message", "scout_7325f585", APPROVAL]
    assert row.endswith("Look into the cellar.")
    counter.run("approvals", "list", "--state", "all", "--tree", "scout")
    counter.answer("ListSessions", sessions=[lead, scout, other])
    counter.answer("ListSessions", sessions=[lead, scout])
    assert list(counter.answer("ListApprovals", approvals=[question]).states) == []
    assert " pending  send_message " in done(counter)


@pytest.mark.parametrize(
    "arguments, decision, state, told",
    [
        (["allow"], 1, 3, "allowed and carried out"),
        (["allow", "--for-tree"], 2, 3, "allowed and carried out"),
        (["allow"], 1, 2, "allowed; a guard refused it for now, the agent may repeat it"),
        (["deny"], 3, 4, "denied"),
    ],
)
def test_an_approval_is_answered_by_the_beginning_of_its_id(counter, arguments, decision, state, told):
    counter.run("approvals", arguments[0], "878bbf5", *arguments[1:], "--reason", "so be it")
    counter.answer("ListSessions", sessions=[lead, scout])
    request = counter.answer("ListApprovals", approvals=[question, {**question, "approval_id": OTHER_APPROVAL}])
    assert list(request.states) == []  # one that was answered is found too: repeating is safe
    request = counter.answer("DecideApproval", approval={**question, "state": state})
    assert (request.session_id, request.approval_id, request.decision) == (ROOT, APPROVAL, decision)
    assert request.reason == "so be it"
    assert done(counter) == f"{APPROVAL}: {told}\n"


def test_with_session_and_whole_id_nothing_is_searched(counter):
    counter.run("approvals", "deny", APPROVAL, "--session", ROOT, "--json")
    request = counter.answer("DecideApproval", approval={**question, "state": 4})
    assert (request.session_id, request.approval_id) == (ROOT, APPROVAL)
    assert objects(counter)[0]["state"] == "APPROVAL_STATE_DENIED"


def test_the_secret_of_a_new_token_stands_alone_on_standard_output(counter):
    counter.run("tokens", "create", "runtime", "--expires-in", "30d")
    request = counter.answer("CreateToken", token_id=TOKEN, secret="a-new-secret")
    assert (request.scope.kind, list(request.session_ids)) == (2, [])
    left = request.expire_time.ToDatetime(tzinfo=UTC) - datetime.now(UTC)
    assert timedelta(days=29) < left <= timedelta(days=30)
    result = counter.ended()
    assert (result.exit_code, result.stdout) == (0, "a-new-secret\n")
    assert result.stderr.startswith(f"kinpost: a token of kind runtime, {TOKEN}, ends ")


def test_tokens_are_bound_to_sessions_and_plugins(counter):
    counter.run("tokens", "create", "peer", "--session", "scout", "--session", ROOT, "--json")
    counter.answer("ListSessions", sessions=[lead, scout])
    request = counter.answer("CreateToken", token_id=TOKEN, secret="s")
    assert (request.scope.kind, list(request.session_ids)) == (7, [SCOUT, ROOT])
    assert objects(counter) == [{"tokenId": TOKEN, "secret": "s"}]
    counter.run("tokens", "create", "plugin", "--plugin-name", "guard")
    assert counter.answer("CreateToken", secret="s").scope.plugin_name == "guard"
    assert counter.ended().exit_code == 0


def test_tokens_are_listed_without_the_revoked_ones(counter):
    made = {"token_id": TOKEN, "scope": {"kind": 6, "plugin_name": "guard"}, "create_time": {"seconds": 1_790_000_000}}
    revoked = {**made, "token_id": ROOT, "revoke_time": {"seconds": 1_790_000_001}}
    for arguments, count in (((), 1), (("--all",), 2)):
        counter.run("tokens", "list", *arguments)
        counter.answer("ListTokens", tokens=[made, revoked])
        heading, *rows = done(counter).splitlines()
        assert heading.split() == ["token", "kind", "made", "ends", "for"]
        assert (len(rows), rows[0].split()[:2]) == (count, [TOKEN, "plugin:guard"])


def test_a_token_is_revoked_by_the_beginning_of_its_id(counter):
    counter.run("tokens", "revoke", "abee")
    counter.answer("ListTokens", tokens=[{"token_id": ROOT}, {"token_id": TOKEN}])
    revoked = {"token_id": TOKEN, "revoke_time": {"seconds": 1_790_000_000}}
    assert counter.answer("RevokeToken", token=revoked).token_id == TOKEN
    assert done(counter).startswith(f"{TOKEN}: revoked 2026-")


def test_dead_letters_are_listed_and_shown(counter):
    counter.run("dead-letters", "list")
    again = {**letter, "dead_letter_id": TOKEN, "redeliver_time": {"seconds": 1_790_000_001}}
    counter.answer("ListDeadLetters", dead_letters=[letter, again])
    heading, row = done(counter).splitlines()
    assert heading.split() == ["died", "why", "again", "dead", "letter", "text"]
    assert row.split()[2:] == ["target_gone", LETTER, "Two", r"lines,\nwhole."]

    counter.run("dead-letters", "show", "0aa5")
    counter.answer("ListDeadLetters", dead_letters=[letter, again])
    shown = done(counter)
    assert f"to          {SCOUT}\n" in shown
    assert "why         target_gone: deleted\n" in shown
    assert shown.endswith("\nTwo lines,\nwhole.\n")


def test_a_dead_letter_is_delivered_again(counter):
    counter.run("dead-letters", "redeliver", LETTER, "--id", "once")
    request = counter.answer(
        "RedeliverDeadLetter", delivery={"delivered": True, "message_id": "m-1", "woken_from": "archived"}
    )
    assert (request.dead_letter_id, request.client_request_id) == (LETTER, "once")
    assert done(counter) == f"{LETTER}: delivered as m-1, woken from archived\n"
