"""What a person decides in the UI: approvals, and dead letters."""

from __future__ import annotations

from contextlib import asynccontextmanager

import grpc
import pytest
from approving import asks, state
from kinpost.v1 import session_pb2
from kinpost_watch.approvals_screen import ApprovalsScreen
from kinpost_watch.dead_letters_screen import DeadLettersScreen
from kinpost_watch.dialogs import ConfirmDialog, Dialog
from textual.widgets import Input

BODY = "Please add: [b]12 crates[/b]\x1b[31m, all dry"
SHOWN = "Please add: [b]12 crates[/b]^[[31m, all dry"


async def confirming(ui, key):
    """Press a key of the approvals and wait for the dialog, which shows all that is decided about."""
    await ui.press(key)
    await ui.until(lambda: isinstance(ui.app.screen, ConfirmDialog), "the dialog")
    await ui.until(lambda: SHOWN in ui.told("text"), "the body")
    await ui.until_shown("Please add")


@pytest.mark.parametrize(
    "key, heading, decided", [("o", "once", "used"), ("t", "whole tree", "used"), ("d", "Deny", "denied")]
)
async def test_an_approval_is_answered_with_a_key_and_a_confirmation(server, castle, watch, key, heading, decided):
    approver = await server.make_token("approver")
    async with watch(server, secret=approver.secret) as ui:
        await ui.until_loaded()
        approval_id = await asks(castle.runtime, castle.scouting, castle.scribe, BODY)
        await ui.until(lambda: "?1" in ui.line(castle.scout), "the question")
        await ui.until_shown("?1 to approve")
        await ui.press("a")
        await ui.until(lambda: isinstance(ui.app.screen, ApprovalsScreen), "the approvals")
        await ui.until_shown(f"{castle.scout.handle} → {castle.scribe.handle}")

        await confirming(ui, key)
        assert heading in ui.screen_text()
        assert f"{castle.scribe.handle} ({castle.scribe.session_id})" in ui.told("facts")
        await ui.press("escape")
        assert await state(approver, castle.scout, approval_id) == "pending"

        await confirming(ui, key)
        await ui.type("as agreed")
        await ui.press("enter")
        await ui.until_shown("Nothing waits for a person.")
        assert await state(approver, castle.scout, approval_id) == decided
        await ui.press("escape")
        await ui.until(lambda: "?" not in ui.line(castle.scout), "no question")
        if decided == "used":
            await ui.until(lambda: "✉1" in ui.line(castle.scribe), "the message")
    second = await castle.runtime.ask(castle.scouting, castle.scribe, "another")
    assert second.WhichOneof("result") == ("accepted" if key == "t" else "pending_approval")


async def test_what_waited_before_is_found_and_what_others_answer_goes(server, castle, watch):
    runtime = castle.runtime
    first = await asks(runtime, castle.scouting, castle.scribe, "one\n" * 100)
    await asks(runtime, castle.scouting, castle.scribe, "two")
    async with watch(server, size=(80, 24)) as ui:
        await ui.until_loaded()
        await ui.until(lambda: "?2" in ui.line(castle.scout), "both questions")
        await ui.press("a")
        await ui.until_shown("2 wait for a person")
        await ui.press("enter")
        await ui.until(lambda: isinstance(ui.app.screen, Dialog), "the whole question")
        assert ui.told("text") == "one\n" * 100
        await ui.press("escape")
        await server.admin.approvals.DecideApproval(
            session_id=castle.scout.session_id, approval_id=first, decision=3, reason="no"
        )
        await ui.until_shown("1 wait for a person")
        await runtime.finish(castle.scouting)
        await ui.until_shown("Nothing waits for a person.")


async def test_whoever_may_only_look_is_told_so(server, castle, watch):
    observer = await server.make_token("observer")
    approval_id = await asks(castle.runtime, castle.scouting, castle.scribe, BODY)
    async with watch(server, secret=observer.secret) as ui:
        await ui.until_loaded()
        await ui.until_shown("?1 to approve")
        await ui.press("a")
        await confirming(ui, "o")
        await ui.press("enter")
        await ui.until_shown("Not answered")
        await ui.until_shown("auth:forbidden")
        assert await state(server.admin, castle.scout, approval_id) == "pending"


@asynccontextmanager
async def bare_server():
    """A gRPC server that knows no service; yields its address."""
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0)


async def test_a_server_without_peer_mail_is_told_in_words(server, castle, watch):
    async with bare_server() as address, watch(server, address=address) as ui:
        await ui.until_shown("grpc:unimplemented")
        await ui.press("d")
        await ui.until_shown("This server does not serve peer mail, so it keeps no dead letters.")
        await ui.press("r", "enter")
        assert isinstance(ui.app.screen, DeadLettersScreen)


async def test_a_dead_letter_is_delivered_again_after_a_confirmation(server, castle, watch):
    """Two messages to a session that a person closed; then it is opened again."""
    admin, target = server.admin, castle.scribe.session_id
    await admin.sessions.SetAvailability(session_id=target, availability=session_pb2.AVAILABILITY_USER_CLOSED)
    for number in (1, 2):
        with pytest.raises(grpc.aio.AioRpcError):
            await admin.peers.SendPeerMessage(
                session_id=target, source_session_id=castle.lead.session_id, text=f"{number} \x1b[2J[blink]late[/]"
            )
    await admin.sessions.SetAvailability(session_id=target, availability=session_pb2.AVAILABILITY_OPEN)
    async with watch(server) as ui:
        await ui.until_loaded()
        await ui.press("d")
        await ui.until_shown("dead letters: 2")
        await ui.until_shown("1 ^[[2J[blink]late[/]")
        await ui.press("down", "r")
        await ui.until(lambda: isinstance(ui.app.screen, ConfirmDialog), "the dialog")
        assert ui.told("text") == "1 ^[[2J[blink]late[/]"
        assert target in ui.told("facts")
        assert not ui.app.screen.query(Input)
        await ui.press("escape")
        assert (await admin.look(castle.scribe)).pending_count == 0
        await ui.press("r")
        await ui.until(lambda: isinstance(ui.app.screen, ConfirmDialog), "the dialog")
        await ui.press("enter")
        await ui.until_shown("Delivered again")
        await ui.until_shown("redelivered")
        assert (await admin.look(castle.scribe)).pending_count == 1
        await ui.press("escape")
        await ui.until(lambda: "✉1" in ui.line(castle.scribe), "the message")
