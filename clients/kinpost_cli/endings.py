"""How a command ends: its exit code, and what it says on standard error."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from kinpost_client.errors import KinpostError

from kinpost_cli.exit_codes import (
    EXIT_BROKEN_PIPE,
    EXIT_INTERRUPTED,
    EXIT_NO_ANSWER,
    EXIT_NOT_FOUND,
    EXIT_REFUSED,
    EXIT_TOKEN,
    EXIT_USAGE,
    EXIT_VERSION,
)
from kinpost_cli.text import plain

_BY_CODE = {
    "session:not_found": EXIT_NOT_FOUND,
    "approval:not_found": EXIT_NOT_FOUND,
    "token:not_found": EXIT_NOT_FOUND,
    "message:not_found": EXIT_NOT_FOUND,
    "peer:session_not_found": EXIT_NOT_FOUND,
    "auth:unauthenticated": EXIT_TOKEN,
    "auth:forbidden": EXIT_TOKEN,
    "protocol:unsupported_version": EXIT_VERSION,
    "grpc:unimplemented": EXIT_VERSION,
}
_TRY_AGAIN = "try again in a moment"
_WITHOUT_CURSOR = "leave --after away to read from the beginning"
_NEXT = {
    "session:not_found": "`kinpost sessions list` names the sessions",
    "approval:not_found": "`kinpost approvals list --state all` names the approvals",
    "token:not_found": "`kinpost tokens list` names the tokens",
    "message:not_found": "`kinpost dead-letters list` names the dead letters",
    "auth:unauthenticated": "give a token with --token-file or KINPOST_TOKEN; `kinpost doctor` says which one is used",
    "auth:forbidden": "`kinpost tokens create` makes a token of another kind, for whoever has an admin's",
    "protocol:unsupported_version": "install the kinpost of the server's version; `kinpost doctor` compares the two",
    "grpc:unimplemented": "this server does not serve this call; `kinpost doctor` tells its version",
    "idempotency:conflict": "it was done before, with other content; what was done stands",
    "session:log_moved": "look again with `kinpost events --session`, then repeat",
    "session:exists": "leave --new-id away, or take another",
    "run:already_active": "`kinpost sessions stop` ends the run first",
    "run:not_active": "`kinpost sessions pause` holds the session's mail",
    "events:cursor_out_of_range": _WITHOUT_CURSOR,
    "events:cursor_expired": _WITHOUT_CURSOR,
    "events:other_log": _WITHOUT_CURSOR,
    "producer:inbox_full": "`kinpost mail` shows what waits; try again when the session has read some",
    "peer:session_not_found": "the target is gone for good; the letter is kept",
    "peer:user_closed": "`kinpost sessions open` opens the target first",
    "peer:rate_limited": _TRY_AGAIN,
    "server:overloaded": _TRY_AGAIN,
    "server:shutting_down": _TRY_AGAIN,
    "storage:unavailable": _TRY_AGAIN,
    "server:internal": "the server's log has it under that id",
    "client:deadline_exceeded": "try again, or wait longer with --seconds",
    "client:unreachable": "`kinpost serve` starts a server; --address or KINPOST_ADDRESS names another",
}
# What gRPC says when one side speaks TLS and the other does not, or does not trust the certificate.
_UNTRUSTED = "CERTIFICATE_VERIFY_FAILED"
_CLEAR_SERVER = ("WRONG_VERSION_NUMBER", "Ssl handshake failed", "SSL_ERROR_SSL")
_CUT_AT_ONCE = ("Socket closed", "Connection reset", "Broken pipe", "GOAWAY", "recvmsg")


class WrongUse(Exception):
    """The command was not called right; the text says what is wrong, `advice` what to do."""

    def __init__(self, text: str, advice: str = "") -> None:
        super().__init__(text)
        self.advice = advice


def exit_code(error: KinpostError) -> int:
    """Return the exit code of a failed call."""
    return _BY_CODE.get(error.code, EXIT_NO_ANSWER if error.transient else EXIT_REFUSED)


def advice(error: KinpostError) -> str:
    """Return what to do next, empty when the error's own text says it."""
    if error.code == "client:unreachable":
        if _UNTRUSTED in error.text:
            return "--root-certificates names the file of the certificates to trust"
        if any(sign in error.text for sign in _CLEAR_SERVER):
            return "the server does not seem to speak TLS: --no-tls, where the network can be trusted"
        if any(sign in error.text for sign in _CUT_AT_ONCE):
            return "if the server speaks TLS: --tls, or --root-certificates with the file of its certificates"
    return _NEXT.get(error.code, "")


def tell(text: str, next_step: str = "") -> None:
    """Say something on standard error."""
    typer.echo(f"kinpost: {plain(text, lines=True)}", err=True)
    if next_step:
        typer.echo(f"  next: {next_step}", err=True)


@contextmanager
def interrupted_later() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the context; pressed again, it does not."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return
    pressed: list[int] = []

    def press(number: int, _frame: object) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)

    before = signal.signal(signal.SIGINT, press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


@contextmanager
def endings() -> Iterator[None]:
    """Turn whatever ends a command into its exit code and a line on standard error. Raises typer.Exit."""
    try:
        yield
        sys.stdout.flush()
    except KinpostError as error:
        tell(error.text, advice(error))
        raise typer.Exit(exit_code(error)) from None
    except WrongUse as error:
        tell(str(error), error.advice)
        raise typer.Exit(EXIT_USAGE) from None
    except BrokenPipeError:
        # What is still in the buffer has no reader: Python would complain when it flushes it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(EXIT_BROKEN_PIPE) from None
    except (KeyboardInterrupt, typer.Abort):
        raise typer.Exit(EXIT_INTERRUPTED) from None
