"""`kinpost doctor`, without --data: each check, well and not."""

from __future__ import annotations

import json
from typing import Any

import grpc
import pytest
from kinpost.v1 import PROTOCOL_VERSION
from kinpost_server.domain.errors import Forbidden, Unauthenticated

INFO: dict[str, Any] = {
    "protocol_version": PROTOCOL_VERSION,
    "protocol_version_min": PROTOCOL_VERSION,
    "server_version": "9.9.9",
    "log_id": "the-log",
}


def findings(counter) -> dict[str, tuple[bool, str]]:
    """The checks that were printed for programs."""
    lines = [json.loads(line) for line in counter.ended().stdout.splitlines()]
    return {line["check"]: (line["ok"], line["detail"]) for line in lines}


def test_all_is_well(counter):
    counter.run("doctor", "--json")
    counter.answer("GetServerInfo", **INFO)
    counter.answer("Check", status="SERVING")
    assert counter.answer("ListTokens").page_size == 1
    found = findings(counter)
    assert list(found) == ["address", "protocol", "store", "clock", "token"]
    assert all(ok for ok, _ in found.values())
    assert found["token"] == (True, "it works, of kind admin, from KINPOST_TOKEN")
    assert counter.ended().exit_code == 0


def test_the_first_question_names_no_version_so_that_every_server_answers_it(counter):
    counter.run("doctor")
    metadata, _request, rpc = counter.taken("GetServerInfo")
    assert "kinpost-protocol-version" not in metadata
    rpc.terminate(None, (), grpc.StatusCode.UNAVAILABLE, "Connection refused")
    result = counter.ended()
    assert result.exit_code == 7
    assert result.stdout.split()[:2] == ["bad", "address"]
    assert result.stderr.splitlines()[-1].startswith("  next: `kinpost serve`")
    assert counter.asked == ["GetServerInfo"]


@pytest.mark.parametrize(
    "low, high, ok",
    [
        (PROTOCOL_VERSION, PROTOCOL_VERSION + 1, True),
        (PROTOCOL_VERSION + 1, PROTOCOL_VERSION + 1, False),
        (PROTOCOL_VERSION - 1, PROTOCOL_VERSION - 1, False),
    ],
)
def test_versions_are_compared(counter, low, high, ok):
    counter.run("doctor", "--json")
    counter.answer("GetServerInfo", **{**INFO, "protocol_version_min": low, "protocol_version": high})
    counter.answer("Check", status="SERVING")
    counter.answer("ListTokens")
    assert findings(counter)["protocol"][0] is ok
    assert counter.ended().exit_code == (0 if ok else 8)


def test_a_store_that_does_not_answer(counter):
    counter.run("doctor")
    counter.answer("GetServerInfo", **INFO)
    counter.answer("Check", status="NOT_SERVING")
    counter.answer("ListTokens")
    result = counter.ended()
    assert result.exit_code == 7
    assert "next: the server's log says why" in result.stderr


def test_a_token_that_is_no_admins_is_told_by_its_refusal(counter):
    counter.run("doctor", "--json")
    counter.answer("GetServerInfo", **INFO)
    counter.answer("Check", status="SERVING")
    refusal = Forbidden("a token of kind peer may not do this", metadata={"token_kind": "peer"})
    counter.refuse("ListTokens", refusal)
    assert findings(counter)["token"] == (True, "it works, of kind peer, from KINPOST_TOKEN")
    assert counter.ended().exit_code == 0


def test_a_token_that_does_not_work(counter):
    counter.run("doctor")
    counter.answer("GetServerInfo", **INFO)
    counter.answer("Check", status="SERVING")
    counter.refuse("ListTokens", Unauthenticated())
    result = counter.ended()
    assert result.exit_code == 6
    assert result.stdout.splitlines()[-1].split()[:2] == ["bad", "token"]


def test_no_token_at_all(counter, monkeypatch, tmp_path):
    monkeypatch.setenv("KINPOST_STORAGE__DATA_FOLDER", str(tmp_path))
    counter.run("doctor", "--json", token=None)
    counter.answer("GetServerInfo", **INFO)
    counter.answer("Check", status="SERVING")
    assert findings(counter)["token"] == (False, f"none: {tmp_path}/admin.token is not there")
    assert counter.ended().exit_code == 6


def test_the_clocks_are_compared_and_fail_nothing(counter):
    counter.run("doctor", "--json")
    counter.answer("GetServerInfo", **INFO, server_time={"seconds": 1})
    counter.answer("Check", status="SERVING")
    counter.answer("ListTokens")
    ok, detail = findings(counter)["clock"]
    assert ok
    assert "times that are shown differ" in detail
