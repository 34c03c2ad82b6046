"""`kinpost dead-letters`: peer mail that could not be delivered, and its second chance."""

from __future__ import annotations

from typing import Annotated
from uuid import uuid4

import typer
from kinpost.v1 import peer_pb2, peer_service_pb2
from kinpost.v1.peer_pb2 import DeadLetter

from kinpost_cli.calls import Calls
from kinpost_cli.command import AsJson, connected, group
from kinpost_cli.exit_codes import EPILOG
from kinpost_cli.naming import find_dead_letter, is_id, list_dead_letters
from kinpost_cli.output import Column, Output
from kinpost_cli.text import local_time, optional_time, word

REASONS = peer_pb2.DESCRIPTOR.enum_types_by_name["DeadLetterReason"]
COLUMNS = (
    Column("died"),
    Column("why"),
    Column("again"),
    Column("dead letter"),
    Column("text", cut=True),
)

dead_letters = group("Peer mail that could not be delivered.")

LetterName = Annotated[
    str, typer.Argument(metavar="DEAD_LETTER", help="Its id, or the beginning of it if only one fits")
]


@dead_letters.command("list", epilog=EPILOG)
@connected
def list_(
    calls: Calls,
    everything: Annotated[bool, typer.Option("--all", help="Also those that were delivered again")] = False,
    as_json: AsJson = False,
) -> None:
    """List dead letters, newest first."""
    found = [letter for letter in list_dead_letters(calls) if everything or not letter.HasField("redeliver_time")]
    output = Output(as_json=as_json)
    if as_json:
        for letter in found:
            output.object(letter)
    elif not found:
        output.line("no dead letters")
    else:
        ids = output.ids(letter.dead_letter_id for letter in found)
        output.table(COLUMNS, (_row(output, letter, ids[letter.dead_letter_id]) for letter in found))


@dead_letters.command("show", epilog=EPILOG)
@connected
def show(calls: Calls, dead_letter: LetterName, as_json: AsJson = False) -> None:
    """Show one whole, with its text."""
    letter = find_dead_letter(calls, dead_letter)
    output = Output(as_json=as_json)
    if as_json:
        output.object(letter)
        return
    why = word(REASONS, letter.reason)
    for name, value in (
        ("dead letter", letter.dead_letter_id),
        ("from", letter.source_session_id),
        ("to", letter.target_session_id),
        ("died", local_time(letter.create_time)),
        ("why", f"{why}: {letter.detail}" if letter.detail else why),
        ("again", optional_time(letter, "redeliver_time") or "not delivered again"),
        ("summary", letter.tldr),
    ):
        if value:
            output.line(f"{name:<12}{value}")
    output.text(f"\n{letter.text}")


@dead_letters.command("redeliver", epilog=EPILOG)
@connected
def redeliver(
    calls: Calls,
    dead_letter: LetterName,
    request_id: Annotated[
        str | None, typer.Option("--id", help="Your own id of this delivery: repeated with it, it is made once")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Deliver one again."""
    letter_id = dead_letter.lower() if is_id(dead_letter) else find_dead_letter(calls, dead_letter).dead_letter_id
    request = peer_service_pb2.RedeliverDeadLetterRequest(
        dead_letter_id=letter_id, client_request_id=str(uuid4()) if request_id is None else request_id
    )
    delivery = calls.unary(calls.peers.RedeliverDeadLetter, request).delivery
    output = Output(as_json=as_json)
    if as_json:
        output.object(delivery)
        return
    came = "delivered" if delivery.delivered else "queued" if delivery.queued else "not delivered"
    if delivery.delivered and delivery.queued:
        came = "stored, for the target's next turn"
    named = f" as {delivery.message_id}" if delivery.message_id else ""
    woken = f", woken from {delivery.woken_from}" if delivery.woken_from else ""
    output.line(f"{letter_id}: {came}{named}{woken}")


def _row(output: Output, letter: DeadLetter, letter_id: str) -> tuple[str, ...]:
    return (
        output.time(letter.create_time),
        word(REASONS, letter.reason),
        output.time(letter.redeliver_time) if letter.HasField("redeliver_time") else "",
        letter_id,
        letter.text,
    )
