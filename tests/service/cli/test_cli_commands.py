"""Every command once against a real server, for people and for programs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import grpc
import jsonschema
import pytest
from calls import fresh

SCHEMAS = Path(__file__).parents[3] / "bindings/jsonschema/kinpost_jsonschema/schemas"
ALLOW = {"child": "ask", "parent": "allow"}


@pytest.fixture
async def family(server):
    """A lead that runs, its scout, and whoever made them: `lead`, `scout`, `run`, `runtime`."""
    runtime = await server.make_token("runtime")
    lead = await runtime.session(agent="lead", rules=ALLOW, description="Plans")
    scout = await runtime.session(lead, agent="scout", rules=ALLOW, description="Looks")
    return runtime, lead, scout, await runtime.run(lead)


async def test_send_tree_and_mail(kinpost, family):
    _runtime, lead, scout, _run = family
    sent = await kinpost.did("send", scout.handle, "Look into the cellar.")
    assert re.fullmatch(rf"stored for {scout.handle} as [0-9a-f-]{{36}} \(steer\): it begins with it\n", sent.out)
    sent = await kinpost.did(
        "send", scout.session_id, "-", "--mode", "queue", "--id", "x", "--json", typed="and\nthe attic"
    )
    assert sent.objects[0]["recipientState"] == "RECIPIENT_STATE_QUEUED"
    again = await kinpost.did(
        "send", scout.session_id, "-", "--mode", "queue", "--id", "x", "--json", typed="and\nthe attic"
    )
    assert again.objects == [{**sent.objects[0], "replayed": True}]

    assert (await kinpost.did("tree", "scout")).lines == [
        f"{lead.handle}  running  Plans",
        f"└── {scout.handle}  idle  2 waiting  Looks",
    ]
    found = (await kinpost.did("tree", "--json")).objects
    assert [each["sessionId"] for each in found] == [lead.session_id, scout.session_id]

    heading, first, second = (await kinpost.did("mail", scout.handle)).lines
    assert heading.split() == ["accepted", "from", "state", "mode", "body"]
    assert first.split(None, 2)[2] == "user  accepted  steer  Look into the cellar."
    assert second.endswith(r"user  accepted  queue  and\nthe attic")
    assert (await kinpost.did("mail", scout.handle, "--bodies")).out.endswith("and\nthe attic\n\n")


async def test_the_mail_of_a_session_stands_where_the_server_says(kinpost, family, server):
    runtime, _lead, scout, _run = family
    for body in ("one", "two", "three"):
        await server.admin.user(scout, body)
    run = await runtime.run(scout)
    assert len((await runtime.claim(run)).messages) == 3

    async def states(*options: str) -> list[tuple[str, str]]:
        found = (await kinpost.did("mail", scout.handle, *options, "--json")).objects
        assert len(found) == (await server.admin.look(scout)).pending_count or options
        return [(each["body"], each["state"].removeprefix("MESSAGE_STATE_").lower()) for each in found]

    assert await states() == [("one", "claimed"), ("two", "claimed"), ("three", "claimed")]
    before = (await server.admin.look(scout)).last_seq
    await runtime.finish(run, "FAILED")
    run = await runtime.run(scout)
    claim = await runtime.claim(run)
    await runtime.commit(run, claim)
    await runtime.finish(run)
    late = await server.admin.user(scout, "late")
    assert await states() == [("late", "accepted")]
    assert await states("--all") == [(body, "consumed") for body in ("one", "two", "three")] + [("late", "accepted")]

    # Back to the first claim: what was consumed since waits again, what came since is dead.
    await kinpost.did("sessions", "revert", scout.handle, "--to-seq", str(before), "--pause", "--yes")
    assert await states() == [("one", "accepted"), ("two", "accepted"), ("three", "accepted")]
    everything = (await kinpost.did("mail", scout.handle, "--all", "--json")).objects
    assert [each["held"] for each in everything] == [True, True, True, False]
    assert everything[-1]["messageId"] == late.message_id
    assert everything[-1]["discardReason"] == "DISCARD_REASON_REVERTED"
    assert " held " in (await kinpost.did("mail", scout.handle)).lines[1]


async def test_approvals(kinpost, family):
    runtime, lead, scout, run = family
    for body in ("May I?", "And now?", "Please?"):
        await runtime.ask(run, scout, body, tool_call_id=fresh("call"))
    found = (await kinpost.did("approvals", "list", "--json")).objects
    assert [each["state"] for each in found] == ["APPROVAL_STATE_PENDING"] * 3
    heading, *rows = (await kinpost.did("approvals", "list", "--tree", scout.handle)).lines
    assert heading.split() == ["asked", "asker", "tool", "to", "approval", "says"]
    assert [(row.split()[5], row.split("  ")[-1]) for row in rows] == list(
        zip([each["approvalId"] for each in found], ["Please?", "And now?", "May I?"], strict=True)
    )
    please, now, may = (each["approvalId"] for each in found)
    assert (await kinpost.did("approvals", "deny", may, "--reason", "not now")).out == f"{may}: denied\n"
    allowed = await kinpost.did("approvals", "allow", now[:12], "--json")
    assert allowed.objects[0]["state"] == "APPROVAL_STATE_USED"
    assert (await kinpost.did("approvals", "allow", please, "--for-tree")).out == f"{please}: allowed and carried out\n"
    assert (await kinpost.did("approvals", "list")).out == "nothing waits for an answer\n"
    told = await kinpost.run("approvals", "allow", may)
    assert (told.code, told.out) == (4, "")
    assert told.err.startswith("kinpost: idempotency:conflict: ")
    sent = (await kinpost.did("mail", lead.handle, "--sent")).lines
    assert len(sent) == 3
    assert scout.handle in sent[1]
    found = (await kinpost.did("mail", lead.handle, "--sent", "--json")).objects
    assert [each["state"] for each in found] == ["MESSAGE_STATE_ACCEPTED"] * 2


async def test_what_a_person_does_with_sessions(kinpost, family, server):
    _runtime, lead, scout, _run = family
    steps = [
        (["pause", scout.handle, "--for", "1h", "--reason", "lunch"], "paused: lunch (idle), until "),
        (["open", scout.handle], "idle"),
        (["archive", scout.handle, "--no-wake"], "archived no_wake (idle)"),
        (["close", scout.handle], "user_closed (idle)"),
        (["open", scout.handle], "idle"),
        (["stop", lead.handle], "paused"),
    ]
    for arguments, state in steps:
        told = await kinpost.did("sessions", *arguments)
        assert told.out.startswith(f"{arguments[1]}: {state}"), told
    assert (await server.admin.look(lead)).state == 7
    told = (await kinpost.did("sessions", "list", "--availability", "paused")).lines
    assert [line.split()[0] for line in told] == ["session", lead.handle]
    fork = (await kinpost.did("sessions", "fork", scout.handle, "--json")).objects[0]
    assert fork["handle"] != scout.handle
    told = await kinpost.did("sessions", "delete", fork["handle"], "--yes")
    assert told.out == f"{fork['handle']}: deleted\n"
    assert [each["handle"] for each in (await kinpost.did("sessions", "list", "--json")).objects] == [
        lead.handle,
        scout.handle,
    ]
    unasked = await kinpost.run("sessions", "delete", scout.handle)
    assert (unasked.code, unasked.out) == (2, "")


async def test_tokens(kinpost, server, family):
    _runtime, _lead, scout, _run = family
    made = await kinpost.run("tokens", "create", "observer", "--expires-in", "1h")
    assert made.code == 0
    secret = made.out.strip()
    assert (await kinpost.did("tree", KINPOST_TOKEN=secret)).lines
    listed = (await kinpost.did("tokens", "list")).lines
    assert [line.split()[1] for line in listed] == ["kind", "admin", "runtime", "observer"]
    token = (await kinpost.did("tokens", "list", "--json")).objects[-1]
    assert token["scope"] == {"kind": "TOKEN_KIND_OBSERVER"}
    assert secret not in (await kinpost.did("tokens", "list", "--json")).out
    assert (await kinpost.did("tokens", "revoke", token["tokenId"])).out.startswith(f"{token['tokenId']}: revoked ")
    told = await kinpost.run("tree", KINPOST_TOKEN=secret)
    assert (told.code, told.err.split(": ")[1]) == (6, "auth:unauthenticated")
    bound = (await kinpost.did("tokens", "create", "session", "--session", scout.handle, "--json")).objects[0]
    assert (await kinpost.did("mail", scout.session_id, KINPOST_TOKEN=bound["secret"])).code == 0


@pytest.mark.parametrize("kind", ["admin", "runtime", "observer", "approver", "plugin", "session", "peer"])
async def test_doctor_says_what_every_kind_of_token_is(kinpost, server, kind):
    session = await server.admin.session()
    client = await server.make_token(kind, *([session.session_id] if kind in ("session", "peer") else []))
    token_file = kinpost.folder / "token"
    token_file.write_text(client.secret)
    found = (await kinpost.did("doctor", "--token-file", token_file, "--json")).objects
    assert [(each["check"], each["ok"]) for each in found] == [
        (check, True) for check in ("address", "protocol", "store", "clock", "token")
    ]
    assert found[-1]["detail"] == f"it works, of kind {kind}, from {token_file}"


async def test_events_for_programs_are_as_the_schema_says(kinpost, family, server):
    _runtime, _lead, scout, _run = family
    await server.admin.user(scout, "hello")
    told = (await kinpost.did("events", "--json")).objects
    validator = jsonschema.Draft202012Validator(json.loads((SCHEMAS / "events/Event.schema.json").read_text("utf-8")))
    for event in told:
        validator.validate(event)
    assert [int(event["position"]) for event in told] == list(range(1, len(told) + 1))
    people = (await kinpost.did("events", "--session", scout.handle, "--type", "producer-message-accepted")).lines
    assert len(people) == 1
    assert f"{scout.handle}  " in people[0]
    assert "message accepted  body=hello  from=its user" in people[0]


async def test_dead_letters(kinpost, server):
    source, target = await server.admin.session(), await server.admin.session()
    peer = await server.make_token("peer", source.session_id)
    await kinpost.did("sessions", "close", target.handle)
    fields = {"session_id": target.session_id, "source_session_id": source.session_id, "text": "two\nlines"}
    with pytest.raises(grpc.aio.AioRpcError, match="peer:user_closed"):
        await peer.peers.SendPeerMessage(**fields)
    (letter,) = (await kinpost.did("dead-letters", "list", "--json")).objects
    letter_id = letter["deadLetterId"]
    assert (letter["text"], letter["reason"]) == ("two\nlines", "DEAD_LETTER_REASON_USER_CLOSED")
    assert (await kinpost.did("dead-letters", "list")).lines[1].split()[2:] == ["user_closed", letter_id, r"two\nlines"]
    assert (await kinpost.did("dead-letters", "show", letter_id[:13])).out.endswith("\ntwo\nlines\n")
    told = await kinpost.run("dead-letters", "redeliver", letter_id)
    assert (told.code, told.out) == (4, "")
    assert told.err.startswith("kinpost: peer:user_closed: ")
    assert "  next: `kinpost sessions open`" in told.err
    await kinpost.did("sessions", "open", target.handle)
    again = await kinpost.did("dead-letters", "redeliver", letter_id)
    assert again.out.startswith(f"{letter_id}: ")
    assert (await kinpost.did("mail", target.handle, "--json")).objects[0]["body"] == "two\nlines"
    assert (await kinpost.did("dead-letters", "list")).out == "no dead letters\n"
    assert len((await kinpost.did("dead-letters", "list", "--all")).lines) == 2


@pytest.mark.timeout(180)
async def test_the_demo_needs_no_server_of_ones_own(kinpost):
    told = await kinpost.did("demo", "--python", KINPOST_ADDRESS="127.0.0.1:1")
    assert re.fullmatch(r"All \d+ steps were seen\.", told.lines[-1])


@pytest.mark.only("sqlite", because="the doctor examines a data folder")
async def test_doctor_examines_a_data_folder_without_its_server(kinpost, server):
    await server.admin.session()
    told = await kinpost.run("doctor", "--data", server.folder, KINPOST_ADDRESS="127.0.0.1:1")
    assert (told.code, told.out) == (0, "sound: 1 events, and every projection is what they make\n")
    assert (await kinpost.run("doctor", "--data", "nowhere")).code == 3


async def test_the_shell_completes_commands_and_options(kinpost):
    for line, offered in (
        ("kinpost se", "sessions"),
        ("kinpost sessions st", "stop"),
        ("kinpost events --fo", "--follow"),
    ):
        words = line.split()
        told = await kinpost.did(_KINPOST_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
        assert offered in told.lines
