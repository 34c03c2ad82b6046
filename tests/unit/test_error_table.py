"""How refusals are told: each has its row, and none breaks a client that takes 8 KiB of metadata."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from google.rpc import error_details_pb2, status_pb2
from grpc import StatusCode
from hypothesis import given
from hypothesis import strategies as st
from kinpost_server.domain import errors, peer_errors
from kinpost_server.transport.status import (
    DETAILS_BYTES_MAX,
    TABLE,
    TRAILER_BYTES_MAX,
    fitted,
    row_of,
    told,
    told_internal,
)


def refusals(kind=errors.Refusal):
    for child in kind.__subclasses__():
        if child.__module__.startswith("kinpost_server."):  # other tests make some of their own
            yield child
            yield from refusals(child)


def made(kind, text="because", **more):
    if issubclass(kind, errors.InvalidRequest):
        return kind("some_field", text)
    return kind("some_field", text, **more) if kind is peer_errors.InvalidPayload else kind(text, **more)


def parts(answer):
    ((key, data),) = answer.trailers
    assert key == "grpc-status-details-bin"
    status = status_pb2.Status.FromString(data)
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    found = {}
    for detail in status.details:
        for message in (info, retry):
            if detail.Is(message.DESCRIPTOR):
                detail.Unpack(message)
                found[message.DESCRIPTOR.name] = message
    return status, found


@pytest.mark.parametrize("kind", sorted(set(refusals()), key=lambda kind: kind.__name__), ids=lambda k: k.__name__)
def test_every_refusal_has_a_row_and_is_told_whole(kind):
    answer = told(made(kind, retry_after_seconds=1.5))
    row = row_of(kind)
    status, found = parts(answer)
    assert answer.grpc_code is row.grpc_code
    assert status.code == row.grpc_code.value[0]
    assert status.message == answer.text
    info = found["ErrorInfo"]
    assert info.domain == "kinpost"
    assert info.metadata["code"] == kind.code
    assert info.reason == kind.code.upper().replace(":", "_")
    assert re.fullmatch(r"[A-Z][A-Z0-9_]+[A-Z0-9]", info.reason)
    if kind is not errors.UnknownReference:
        assert answer.text.startswith(f"{kind.code}: ")


def test_every_row_is_of_a_refusal_that_has_a_code_of_its_own():
    assert all(issubclass(kind, errors.Refusal) and kind.code for kind in TABLE)
    codes = [kind.code for kind in TABLE]
    assert len(codes) == len(set(codes))


def test_what_may_be_repeated_says_so_by_its_code():
    repeatable = {row.grpc_code for row in TABLE.values() if row.repeatable}
    assert repeatable == {StatusCode.UNAVAILABLE, StatusCode.RESOURCE_EXHAUSTED}
    assert not TABLE[errors.RequestTooLarge].repeatable


def test_a_class_without_a_row_has_its_ancestors():
    class Narrower(errors.InboxFull):
        """Narrower."""

    class Rowless(errors.Refusal):
        """Nobody knows me."""

        code = "x:y"

    assert row_of(Narrower) is TABLE[errors.InboxFull]
    assert row_of(errors.CursorInvalid) is TABLE[errors.InvalidRequest]
    assert told(Rowless()) is None
    assert row_of(KeyError) is None


def test_the_field_the_metadata_and_the_delay_are_in_the_details():
    _, found = parts(told(errors.InvalidRequest("run_id", "is missing")))
    assert dict(found["ErrorInfo"].metadata) == {"code": "request:invalid", "field": "run_id"}
    assert "RetryInfo" not in found
    _, found = parts(told(errors.Overloaded(retry_after_seconds=0.25, metadata={"queue": "9"})))
    assert dict(found["ErrorInfo"].metadata) == {"code": "server:overloaded", "queue": "9"}
    assert found["RetryInfo"].retry_delay.ToMilliseconds() == 250


def test_metadata_of_a_refusal_takes_neither_the_codes_name_nor_the_fields():
    refusal = errors.InvalidRequest("run_id", "is missing")
    refusal.metadata = {"code": "x", "field": "y", "more": "z"}
    _, found = parts(told(refusal))
    assert dict(found["ErrorInfo"].metadata) == {"code": "request:invalid", "field": "run_id", "more": "z"}


def test_an_internal_error_tells_its_id_and_nothing_else():
    answer = told_internal("1234abcd")
    _, found = parts(answer)
    assert answer.grpc_code is StatusCode.INTERNAL
    assert answer.text == "server:internal: an error inside the server, in its log as 1234abcd"
    assert dict(found["ErrorInfo"].metadata) == {"code": "server:internal", "error_id": "1234abcd"}


any_text = st.builds(lambda text, times: text * times, st.text(max_size=40), st.integers(1, 500))


@given(text=any_text, metadata=st.dictionaries(st.text(max_size=40), any_text, max_size=30))
def test_no_text_and_no_metadata_outgrow_their_room(text, metadata):
    answer = told(errors.UnknownReference(text, metadata=metadata, retry_after_seconds=1.0))
    status, found = parts(answer)
    assert sum(detail.ByteSize() for detail in status.details) <= DETAILS_BYTES_MAX
    assert status.message == answer.text
    size = len(quote(answer.text, safe="".join(map(chr, range(0x20, 0x7F))).replace("%", "")))
    size += (len(answer.trailers[0][1]) + 2) // 3 * 4
    assert size <= TRAILER_BYTES_MAX
    assert found["ErrorInfo"].metadata["code"] == "send_message:unknown_reference"


def test_a_long_list_is_cut_after_a_line():
    lines = [f"explore_{n:08x} — looks at things — idle (session_id {n})" for n in range(200)]
    text = "\n".join(['unknown subagent reference "x"; you may write to:', *lines])
    short = fitted(text, 4000)
    *kept, last = short.splitlines()
    assert last == "…"
    assert len(kept) > 10
    assert kept == text.splitlines()[: len(kept)]


def test_what_fits_is_not_touched():
    assert fitted("a % b — c\n", 4000) == "a % b — c\n"


def test_every_code_of_the_contracts_comments_is_a_refusals():
    """The proto comments promise codes; each is one of a refusal, or of a service that is still to come."""
    folder = Path(__file__).parents[2] / "proto" / "kinpost" / "v1"
    promised = set()
    for path in folder.glob("*_service.proto"):
        promised |= set(re.findall(r"\b([a-z_]+:[a-z_]+)\b(?!\.proto)", path.read_text()))
    assert {code for code in promised if code.split(":")[0] in ("send_message", "run", "claim", "wake", "events")} <= {
        kind.code for kind in TABLE
    }
