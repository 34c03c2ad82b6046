"""How commands end: each failure has its exit code, its stable code and a next step, on standard error."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import grpc
import pytest
from kinpost_cli import endings, exit_codes
from kinpost_client.errors import REFUSALS, KinpostError
from kinpost_server.domain import errors as refusals
from kinpost_server.transport import status

SCOUT = "4de5ccd0-03f3-4c17-850f-4089302a64f0"
REFUSED = [
    (refusals.SessionNotFound("nobody"), 5, "sessions list"),
    (refusals.Unauthenticated(), 6, "--token-file"),
    (refusals.Forbidden("no"), 6, "tokens create"),
    (refusals.UnsupportedVersion("old"), 8, "doctor"),
    (refusals.ProducerInboxFull("full"), 4, "kinpost mail"),
    (refusals.IdempotencyConflict("other"), 4, "what was done stands"),
    (refusals.InvalidRequest("body", "is too long"), 4, ""),
    (refusals.Overloaded("busy"), 7, "try again"),
    (refusals.StorageUnavailable("gone"), 7, "try again"),
    (refusals.ShuttingDown(), 7, "try again"),
]


@pytest.mark.parametrize("refusal, code, step", REFUSED, ids=[type(each[0]).__name__ for each in REFUSED])
def test_a_refusal_is_told_with_its_code_and_what_to_do(counter, refusal, code, step):
    counter.run("send", SCOUT, "hello")
    counter.refuse("SendUserMessage", refusal)
    result = counter.ended()
    assert (result.exit_code, result.stdout) == (code, "")
    first, *rest = result.stderr.splitlines()
    assert first == f"kinpost: {refusal.text}"
    assert first.startswith(f"kinpost: {refusal.code}: ")
    assert (len(rest) == 1 and step in rest[0]) if step else rest == []


def test_a_server_without_peer_mail_is_told_as_such(counter):
    for arguments in (["list"], ["show", "0a"], ["redeliver", SCOUT]):
        counter.run("dead-letters", *arguments)
        name = "RedeliverDeadLetter" if arguments[0] == "redeliver" else "ListDeadLetters"
        counter.fail(name, grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
        result = counter.ended()
        assert (result.exit_code, result.stdout) == (8, "")
        assert result.stderr.splitlines() == [
            "kinpost: grpc:unimplemented: Method not found!",
            "  next: this server does not serve this call; `kinpost doctor` tells its version",
        ]


@pytest.mark.parametrize(
    "text, step",
    [
        ("failed to connect to all addresses; Connection refused", "`kinpost serve`"),
        ("Ssl handshake failed: CERTIFICATE_VERIFY_FAILED: self signed", "--root-certificates"),
        ("Ssl handshake failed: SSL_ERROR_SSL: WRONG_VERSION_NUMBER", "--no-tls"),
        ("Socket closed", "--tls"),
    ],
)
def test_a_server_that_does_not_answer(counter, text, step):
    counter.run("tree")
    counter.fail("ListSessions", grpc.StatusCode.UNAVAILABLE, text)
    result = counter.ended()
    assert (result.exit_code, result.stdout) == (7, "")
    assert result.stderr.startswith(f"kinpost: client:unreachable: {text}\n  next: ")
    assert step in result.stderr


def test_whoever_may_not_look_for_names_is_told_to_give_whole_ids(counter):
    counter.run("mail", "scout")
    counter.refuse("ListSessions", refusals.Forbidden("a token of kind runtime may not do this"))
    result = counter.ended()
    assert result.exit_code == 6
    assert "may not do this; with it, give whole session ids\n" in result.stderr


@pytest.mark.parametrize(
    "arguments, answers, code",
    [
        (["tokens", "revoke", "abc"], [("ListTokens", {})], "token:not_found"),
        (["dead-letters", "show", "abc"], [("ListDeadLetters", {})], "message:not_found"),
        (["approvals", "deny", "abc"], [("ListSessions", {})], "approval:not_found"),
        (["sessions", "close", ""], [("ListSessions", {"sessions": [{"session_id": SCOUT}]})], "session:not_found"),
    ],
)
def test_a_name_that_nothing_has(counter, arguments, answers, code):
    counter.run(*arguments)
    for name, fields in answers:
        counter.answer(name, **fields)
    result = counter.ended()
    assert (result.exit_code, result.stdout) == (5, "")
    assert result.stderr.startswith(f"kinpost: {code}: no ")


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["send", SCOUT, ""], "the body is empty"),
        (["send", SCOUT, "x", "--mode", "shout"], "--mode"),
        (["send", SCOUT], "BODY"),
        (["sessions", "pause", SCOUT, "--for", "soon"], "no duration"),
        (["sessions", "pause", SCOUT, "--for", "0s"], "not between"),
        (["sessions", "pause", SCOUT, "--until", "tomorrow"], "no instant"),
        (["sessions", "pause", SCOUT, "--for", "1h", "--until", "2030-01-01"], "only one of the two"),
        (["tokens", "create", "session"], "exactly one for session"),
        (["tokens", "create", "runtime", "--session", SCOUT], "none for the others"),
        (["tokens", "create", "plugin"], "--plugin-name"),
        (["tokens", "create", "king"], "king"),
        (["events", "--session", SCOUT, "--tree", SCOUT], "exclude each other"),
        (["events", "--after", "x", "--after-seq", "1"], "exclude each other"),
        (["events", "--after-seq", "1"], "goes with --session"),
        (["events", "--from-now"], "goes with --follow"),
        (["events", "--type", "nonsense"], "no type of event"),
        (["tree", "--seconds", "0"], "not between"),
        (["tree", "--address", "nowhere:99999"], "no HOST:PORT"),
        (["tree", "--token", "a", "--token-file", "b"], "exclude each other"),
        (["tree", "--token-file", "/nowhere/at/all"], "No such file"),
        (["tree", "--token", "two words"], "holds no token"),
        (["sessions", "pause", SCOUT, "--until", "9999-12-31T23:59:59-14:00"], "no instant"),
        (["send", SCOUT, "\udcff"], "not UTF-8"),
        (["sessions", "fork", SCOUT, "--at-seq", "9223372036854775808"], "--at-seq"),
        (["sessions", "fork", SCOUT, "--at-seq", "0"], "--at-seq"),
        (["nonsense"], "nonsense"),
    ],
)
def test_a_wrong_use_ends_with_2_and_calls_nobody(counter, arguments, said):
    counter.run(*arguments)
    result = counter.ended()
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert counter.asked == []


@pytest.mark.parametrize("typed, said", [(b"\xff\xfe", "not UTF-8"), (b"", "the body is empty")])
def test_standard_input_that_is_no_body(counter, typed, said):
    counter.run("send", SCOUT, "-", typed=typed)
    result = counter.ended()
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_every_exit_code_is_in_the_help_of_every_command_and_in_the_readme(counter):
    readme = " ".join((Path(__file__).parents[3] / "README.md").read_text("utf-8").split())
    for code in exit_codes.EXIT_CODES:
        assert f"`{code}`" in readme
    for arguments in ([], ["send"], ["sessions"], ["sessions", "stop"], ["doctor"], ["serve"], ["demo"]):
        counter.run(*arguments, "--help")
        result = counter.ended()
        shown = " ".join(result.stdout.split())
        for code, meaning in exit_codes.EXIT_CODES.items():
            assert f"{code} {meaning}" in shown


def test_every_code_that_has_a_next_step_is_a_code_that_there_is():
    known = {refusal.code for refusal in status.TABLE} | set(REFUSALS) | {"grpc:unimplemented", status.INTERNAL_CODE}
    assert set(endings._NEXT) <= known
    assert set(endings._BY_CODE) <= known


def test_every_command_that_a_next_step_names_is_there(counter):
    named = {
        found for step in endings._NEXT.values() for found in re.findall(r"`kinpost ([a-z -]+?)(?: --[^`]*)?`", step)
    }
    assert {"doctor", "sessions list", "tokens create"} <= named
    for command in sorted(named):
        counter.run(*command.split(), "--help")
        assert counter.ended().exit_code == 0, command


def test_a_code_that_is_not_known_is_a_refusal():
    assert endings.exit_code(KinpostError("new:code: hm", code="new:code")) == 4
    assert endings.exit_code(KinpostError("new:code: hm", code="new:code", transient=True)) == 7


def test_ctrl_c_waits_for_what_belongs_together_and_the_second_does_not():
    done: list[str] = []
    before = signal.getsignal(signal.SIGINT)  # ignored, where the tests run in the background of a shell

    def work(word: str, *, presses: int) -> None:
        with endings.interrupted_later():
            for _ in range(presses):
                signal.raise_signal(signal.SIGINT)
            done.append(word)

    with pytest.raises(KeyboardInterrupt):
        work("printed", presses=1)
    assert done == ["printed"]
    with pytest.raises(KeyboardInterrupt):
        work("printed again", presses=2)
    assert done == ["printed"]
    with endings.interrupted_later():
        done.append("in peace")
    assert done == ["printed", "in peace"]
    assert signal.getsignal(signal.SIGINT) is before
