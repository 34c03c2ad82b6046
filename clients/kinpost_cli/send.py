"""`kinpost send`: a person's message to a session."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated
from uuid import uuid4

import typer
from kinpost.v1 import message_pb2, messaging_service_pb2

from kinpost_cli.calls import Calls
from kinpost_cli.command import AsJson, SessionName, connected
from kinpost_cli.endings import WrongUse
from kinpost_cli.naming import find_session, is_id, name_of
from kinpost_cli.output import Output
from kinpost_cli.text import word, words

MODES = message_pb2.DESCRIPTOR.enum_types_by_name["MessageMode"]
STATES = message_pb2.DESCRIPTOR.enum_types_by_name["RecipientState"]
BODY_BYTES_MAX = 256 * 1024
MEANINGS = {
    "running": "it is running",
    "queued": "it begins with it",
    "waking_finished": "it is woken for it",
    "held": "held until the session is opened (`kinpost sessions open`)",
}


class Mode(StrEnum):
    """How the message joins its recipient."""

    STEER = "steer"
    QUEUE = "queue"


@connected
def send(
    calls: Calls,
    session: SessionName,
    body: Annotated[str, typer.Argument(metavar="BODY", help="What to say; - reads it from standard input")],
    mode: Annotated[
        Mode, typer.Option(help="steer joins the run in progress at its next boundary, queue starts the next run")
    ] = Mode.STEER,
    message_id: Annotated[
        str | None,
        typer.Option("--id", help="Your own id of the message, 1 to 256 bytes: sent again with it, it is stored once"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write to a session as its user; it is woken if it sleeps.

    Needs a token of kind admin, approver, or of the runtime that hosts the session.
    """
    text = _read() if body == "-" else body
    if not text:
        raise WrongUse("the body is empty", "give some text, or - to read it from standard input")
    name, session_id = session, session.lower()
    if not is_id(session):
        found = find_session(calls, session)
        name, session_id = name_of(found), found.session_id
    request = messaging_service_pb2.SendUserMessageRequest(
        session_id=session_id,
        client_message_id=str(uuid4()) if message_id is None else message_id,
        body=text,
        mode=message_pb2.MessageMode.ValueType(words(MODES)[mode]),
    )
    accepted = calls.unary(calls.messaging.SendUserMessage, request).accepted
    output = Output(as_json=as_json)
    if as_json:
        output.object(accepted)
        return
    state = word(STATES, accepted.recipient_state)
    how = f"{word(MODES, accepted.mode)}, sent before" if accepted.replayed else word(MODES, accepted.mode)
    output.line(f"stored for {name} as {accepted.message_id} ({how}): {MEANINGS.get(state, state)}")


def _read() -> str:
    """Return what standard input says; of a body that is too long, enough for the server to say so."""
    try:
        return sys.stdin.buffer.read(BODY_BYTES_MAX + 4).decode()
    except UnicodeDecodeError as fault:
        if fault.start > BODY_BYTES_MAX:
            raise WrongUse(f"the body is larger than {BODY_BYTES_MAX} bytes") from None
        raise WrongUse("the body on standard input is not UTF-8") from None
