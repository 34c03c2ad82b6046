"""`kinpost doctor`: whether the server answers and the token works; with --data, whether a data folder is sound.

What examines a data folder belongs to the server, and is found as an entry point: no client imports the server.
"""

from __future__ import annotations

import inspect
import time
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

import typer
from grpc_health.v1 import health_pb2, health_pb2_grpc
from kinpost.v1 import PROTOCOL_VERSION, admin_service_pb2
from kinpost_client.errors import Forbidden, KinpostError

from kinpost_cli.calls import Calls, open_calls
from kinpost_cli.command import AsJson, with_options
from kinpost_cli.connection import read_connection
from kinpost_cli.endings import advice, endings, exit_code, tell
from kinpost_cli.exit_codes import EXIT_NO_ANSWER, EXIT_TOKEN, EXIT_VERSION
from kinpost_cli.output import Column, Output

EXAMINERS = "kinpost.examiners"
CLOCK_SECONDS_MAX = 5.0
COLUMNS = (Column(""), Column(""), Column(""))


class Finding(NamedTuple):
    """What one check came to; `next_step` and `exit_code` when it did not go well."""

    check: str
    ok: bool
    detail: str
    next_step: str = ""
    exit_code: int = 0


def _doctor(
    *,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="FOLDER", help="Examine this data folder, without a server, in place of the connection"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what is wrong, and what to do.

    Without --data: whether the server answers, speaks this version and has its store; what the token is for.

    With --data: rebuild every projection from the log and report what differs. Changes nothing.

    A server may be running on the data: then one moment of them is looked at.
    """


def _run(**options: Any) -> None:
    data, as_json = options.pop("data"), options.pop("as_json")
    if data is not None:
        (examiner,) = entry_points(group=EXAMINERS, name="data")
        with endings():
            examiner.load()(data, as_json=as_json)
        return
    with endings(), open_calls(read_connection(**options)) as calls:
        findings = examine(calls)
        output = Output(as_json=as_json)
        if as_json:
            for finding in findings:
                output.object({"check": finding.check, "ok": finding.ok, "detail": finding.detail})
        else:
            output.table(COLUMNS, (("ok" if each.ok else "bad", each.check, each.detail) for each in findings))
        output.flush()
        failed = [finding for finding in findings if not finding.ok]
        for finding in failed:
            if finding.next_step:
                tell(f"{finding.check}: {finding.detail}", finding.next_step)
        if failed:
            raise typer.Exit(failed[0].exit_code)


doctor = with_options(
    _doctor,
    _run,
    [
        parameter.replace(annotation=get_type_hints(_doctor, include_extras=True)[parameter.name])
        for parameter in inspect.signature(_doctor).parameters.values()
    ],
)


def examine(calls: Calls) -> list[Finding]:
    """Look at a connection from its address to its token; nothing is changed. What needs what failed is left out."""
    began = time.monotonic()
    where = calls.connection.address
    try:
        # Without the version, so that a server of another one answers too.
        info = calls.unary(calls.admin.GetServerInfo, admin_service_pb2.GetServerInfoRequest(), with_version=False)
    except KinpostError as error:
        return [Finding("address", False, f"{where}: {error.text}", advice(error), exit_code(error))]
    spent = time.monotonic() - began
    return [
        Finding("address", True, f"{where} answers in {spent * 1000:.0f} ms; its log is {info.log_id}"),
        _version(info),
        _store(calls),
        _clock(info, spent),
        _token(calls),
    ]


def _version(info: admin_service_pb2.GetServerInfoResponse) -> Finding:
    low, high = info.protocol_version_min, info.protocol_version
    served = f"{high}" if low == high else f"{low} to {high}"
    detail = f"this program speaks {PROTOCOL_VERSION} (kinpost {version('kinpost')}), "
    detail += f"the server {served} (kinpost {info.server_version})"
    if low <= PROTOCOL_VERSION <= high:
        return Finding("protocol", True, detail)
    return Finding("protocol", False, detail, f"install kinpost {info.server_version} here", EXIT_VERSION)


def _store(calls: Calls) -> Finding:
    stub = health_pb2_grpc.HealthStub(calls.channel)
    try:
        answer = calls.unary(stub.Check, health_pb2.HealthCheckRequest())
    except KinpostError as error:
        return Finding("store", False, error.text, advice(error), exit_code(error))
    state = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
    if answer.status == health_pb2.HealthCheckResponse.SERVING:
        return Finding("store", True, f"it answers ({state})")
    return Finding("store", False, f"it does not answer ({state})", "the server's log says why", EXIT_NO_ANSWER)


def _clock(info: admin_service_pb2.GetServerInfoResponse, spent: float) -> Finding:
    """Judge the clocks: leases and expiries are of the server's clock. Half the way is the best guess there is."""
    apart = abs(info.server_time.ToNanoseconds() / 1e9 - time.time() + spent / 2)
    detail = f"the server's and this machine's are {apart:.1f} s apart"
    # Never a failure: the service counts by its own clock alone.
    return Finding("clock", True, detail if apart < CLOCK_SECONDS_MAX else f"{detail}: times that are shown differ so")


def _token(calls: Calls) -> Finding:
    """Find the kind of the token by a call that only an admin may make, which tells the others what they are."""
    source = calls.connection.token_source
    if calls.connection.token is None:
        step = "give one with --token-file or KINPOST_TOKEN"
        return Finding("token", False, source, step, EXIT_TOKEN)
    try:
        calls.unary(calls.admin.ListTokens, admin_service_pb2.ListTokensRequest(page_size=1))
        kind = "admin"
    except Forbidden as error:
        kind = error.metadata.get("token_kind", "")
    except KinpostError as error:
        return Finding("token", False, f"from {source}: {error.text}", advice(error), exit_code(error))
    what = f"it works, of kind {kind}" if kind else "it works, of a kind that the server does not tell"
    return Finding("token", True, f"{what}, from {source}")
