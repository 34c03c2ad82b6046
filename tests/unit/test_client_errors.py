"""What a failed call becomes: the client's classes are the server's error table, code for code."""

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata
from kinpost_client import errors
from kinpost_client.errors import REFUSALS, InboxFull, KinpostError, Overloaded, Unreachable
from kinpost_client.wire_errors import kinpost_error
from kinpost_server.domain import errors as refusals
from kinpost_server.domain import peer_errors
from kinpost_server.transport import status


def table() -> dict[str, status.Row]:
    """The server's codes with their rows."""
    return {refusal.code: row for refusal, row in status.TABLE.items()}


def failed(refusal: refusals.Refusal) -> AioRpcError:
    """A call's failure, as the server tells of a refusal."""
    told = status.told(refusal)
    assert told is not None
    return AioRpcError(told.grpc_code, Metadata(), Metadata(*told.trailers), told.text)


def bare(code: grpc.StatusCode, text: str = "") -> AioRpcError:
    """A failure without details: it comes from the connection, not from a Kinpost server."""
    return AioRpcError(code, Metadata(), Metadata(), text)


def test_the_client_has_one_class_for_each_code_of_the_server():
    own = {code for code in REFUSALS if not code.startswith("client:")}
    assert own - {"server:internal"} == set(table())
    assert status.INTERNAL_CODE == "server:internal"


def test_what_may_be_repeated_is_what_the_servers_table_says():
    assert {code: REFUSALS[code].RETRYABLE for code in table()} == {
        code: row.repeatable for code, row in table().items()
    }


def test_only_the_servers_own_trouble_is_repeated_by_the_client_itself():
    assert {code for code, cls in REFUSALS.items() if cls.TRANSIENT} == {
        "client:unreachable",
        "client:deadline_exceeded",
        "server:overloaded",
        "server:shutting_down",
        "send_message:engine_shutdown",
        "storage:unavailable",
    }


NAMING_A_FIELD = (refusals.InvalidRequest, peer_errors.InvalidPayload)


@pytest.mark.parametrize("refusal", [cls for cls in status.TABLE if cls not in NAMING_A_FIELD])
def test_each_refusal_arrives_as_its_class_with_its_text(refusal):
    error = kinpost_error(failed(refusal("the detail")))

    assert type(error) is REFUSALS[refusal.code]
    assert error.code == refusal.code
    assert error.text == refusal("the detail").text
    assert str(error) == error.text


def test_a_field_at_fault_is_named():
    error = kinpost_error(failed(refusals.InvalidRequest("session_id", "is no UUID")))

    assert isinstance(error, errors.InvalidRequest)
    assert error.field == "session_id"
    assert error.text == "request:invalid: session_id: is no UUID"


def test_the_servers_advice_when_to_repeat_arrives():
    error = kinpost_error(failed(refusals.Overloaded(retry_after_seconds=0.5)))

    assert isinstance(error, Overloaded)
    assert (error.retry_after_seconds, error.retryable, error.transient) == (0.5, True, True)
    assert kinpost_error(failed(refusals.Overloaded())).retry_after_seconds is None


@pytest.mark.parametrize("code, transient", [(grpc.StatusCode.UNAVAILABLE, True), (grpc.StatusCode.ABORTED, False)])
def test_a_code_of_a_newer_server_arrives_as_the_base_class(code, transient):
    trailers = status._told(code, "moon:full", "moon:full: wait a night", {"code": "moon:full"}, None).trailers

    error = kinpost_error(AioRpcError(code, Metadata(), Metadata(*trailers), "moon:full: wait a night"))

    assert type(error) is KinpostError
    assert (error.code, error.text, error.transient) == ("moon:full", "moon:full: wait a night", transient)


@pytest.mark.parametrize(
    "code, kind, own_code",
    [
        (grpc.StatusCode.UNAVAILABLE, Unreachable, "client:unreachable"),
        (grpc.StatusCode.CANCELLED, Unreachable, "client:unreachable"),
        (grpc.StatusCode.DEADLINE_EXCEEDED, errors.DeadlineExceeded, "client:deadline_exceeded"),
        (grpc.StatusCode.UNIMPLEMENTED, KinpostError, "grpc:unimplemented"),
    ],
)
def test_a_failure_of_the_connection_has_a_code_of_the_client(code, kind, own_code):
    error = kinpost_error(bare(code, "text"))

    assert (type(error), error.code) == (kind, own_code)


def test_details_of_another_domain_or_beyond_reading_are_not_taken_for_ours():
    broken = AioRpcError(
        grpc.StatusCode.INTERNAL, Metadata(), Metadata(("grpc-status-details-bin", b"\xff\xff")), "broken"
    )

    assert kinpost_error(broken).code == "grpc:internal"


def test_an_error_without_a_text_says_what_its_class_says():
    assert InboxFull().text.startswith("send_message:inbox_full: The recipient has as many")
